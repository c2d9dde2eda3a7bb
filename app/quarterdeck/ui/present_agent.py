"""The inspector's content: facts of one agent (or of a run), its attempts, questions, errors, artifacts. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo

from quarterdeck.domain.allowed import AllowedView
from quarterdeck.domain.figures import TokenCounts
from quarterdeck.domain.ids import AttemptId, RequestId, RunId, SlotId
from quarterdeck.domain.messages import can_be_told
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.outputs import transcript_lost
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.states import AttemptStatus, Phase, SlotState
from quarterdeck.domain.views import (
    ApprovalView,
    ArtifactView,
    AttemptView,
    MessageView,
    RunView,
    SlotView,
)
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present import RUNNING_PROCESS
from quarterdeck.ui.present_budgets import Limit, budget_text, limits_of
from quarterdeck.ui.present_damage import damage_at, unsettled
from quarterdeck.ui.present_effects import EffectLine, earlier_effect_lines, effect_lines
from quarterdeck.ui.present_errors import ErrorCard, error_card
from quarterdeck.ui.present_money import agent_money, attempt_money, run_money
from quarterdeck.ui.present_process import Fact, cost_name, process_facts, program_facts, time_fact
from quarterdeck.ui.present_questions import Asked, AskedFact, asked_facts, facts_of_all
from quarterdeck.ui.present_runs import owner_text
from quarterdeck.ui.present_switch import can_switch
from quarterdeck.ui.run_time import ran_text
from quarterdeck.ui.silence import attempt_badge_at, badge_at, newest_badge_at, run_badge_at
from quarterdeck.ui.words import (
    day_text,
    duration_text,
    money_text,
    one_line,
    short_id,
    shown_plainly,
    time_text,
    tokens_text,
)

tr = Texts("PresentAgent")

ERROR_SHOWN_MAX = 4_000
RESUMABLE = frozenset({"Stopped", "Failed", "Re-opened, waiting to start", "Still alive", "Still ending"})
"""Shown words of a slot that a person may take up; of a survivor the second step says what is to be ended first."""
CANNOT_ACT = tr.later("cannot act here: the price of its model is unknown")


@dataclass(frozen=True, slots=True)
class AttemptLine:
    """One attempt in the list; `key` is its id."""

    badge: Badge
    title: str
    line: str
    key: AttemptId


@dataclass(frozen=True, slots=True)
class AgentSource:
    """From what facts of an agent were made: the facts of another attempt are made of the same."""

    view: RunView
    slot: SlotView
    letter: str
    now: Moment
    zone: tzinfo | None


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """Everything that the inspector shows."""

    title: str
    subtitle: str
    badge: Badge
    icon: str
    reason: str
    facts: tuple[Fact, ...]
    questions: tuple[ApprovalView, ...] = ()
    error_card: ErrorCard | None = None
    attempts: tuple[AttemptLine, ...] = ()
    effects: tuple[EffectLine, ...] = ()
    """What the shown attempt did outside, those to check first."""
    artifacts: tuple[ArtifactView, ...] = ()
    """Files that the shown attempt saved."""
    latest: str = ""
    run_id: RunId | None = None
    slot_id: SlotId | None = None
    attempt_id: AttemptId | None = None
    """The attempt that is shown."""
    is_newest: bool = True
    """False: an earlier attempt is shown (SLT2)."""
    source: AgentSource | None = None
    is_attempt_live: bool = False
    can_pause: bool = False
    can_continue: bool = False
    can_say: bool = False
    """A person may send it a message now."""
    messages: tuple[MessageView, ...] = ()
    transcript_lost: str = ""
    """What of the transcript no disk took, as the domain says it; empty where it is whole."""
    """What was said to the shown attempt, oldest first."""
    can_stop: bool = False
    can_resume: bool = False
    """A person may re-open it for another attempt, or start one that is re-opened; what stands in the way is said then."""
    can_start: bool = False
    """It never began, in a run that has ended: a person may start it."""
    alternatives: tuple[str, ...] = ()
    """Other agents that are pinned for it, by name."""
    allowed: tuple[AllowedView, ...] = ()
    can_switch: bool = False
    """It waits, and one of them can take it over."""
    asked: Mapping[RequestId, tuple[AskedFact, ...]] = field(default_factory=dict)
    """What is known of what each open question asks for."""
    askers: tuple[tuple[SlotId, str], ...] = ()
    """Of a run with open questions: who asks. Of one agent that needs no saying."""
    limits: tuple[Limit, ...] = ()
    """Limits of spending that a person may raise now."""
    stood_at: Moment | None = None
    """When its run ended: a question that is still open there waits no longer (REC6). None while it is live."""


def agent_facts(
    view: RunView,
    slot: SlotView,
    letter: str,
    now: Moment,
    zone: tzinfo | None = None,
    attempt: AttemptId | None = None,
) -> AgentFacts:
    """The facts of one slot of a run; of its newest attempt, or of the one that is named."""
    newest = slot.attempts[-1] if slot.attempts else None
    shown = next((a for a in slot.attempts if a.attempt_id == attempt), newest)
    facts = AgentFacts(
        title=one_line(slot.title, 120),
        subtitle=_subtitle(view, slot, letter),
        badge=badge_at(slot, now),
        icon="graduation-cap" if slot.is_practice else "terminal" if slot.agent_kind == "command" else "bot",
        reason=damage_at(view, slot) or shown_plainly(in_words(slot.reason))[:ERROR_SHOWN_MAX],
        facts=_facts(view, slot, shown, now, zone),
        questions=slot.approvals,
        stood_at=None if view.is_live else view.ended_at,
        asked=asked_facts(slot),
        error_card=error_card(view, slot, shown, letter),
        attempts=tuple(_attempt_line(slot, n, now, zone) for n in range(1, len(slot.attempts) + 1)),
        effects=_effects(view, slot, shown, zone),
        artifacts=shown.artifacts if shown else (),
        latest=shown_plainly(shown.tail) if shown else "",
        run_id=view.run_id,
        slot_id=slot.slot_id,
        attempt_id=shown.attempt_id if shown else None,
        is_attempt_live=shown is not None and shown.status in RUNNING_PROCESS,
        is_newest=shown is newest,
        source=AgentSource(view, slot, letter, now, zone),
        messages=shown.messages if shown else (),
        transcript_lost=transcript_lost(shown.errors) if shown else "",
        limits=limits_of(view, slot),
        alternatives=slot.alternatives,
        allowed=slot.allowed,
    )
    return _with_acts(facts, view, slot, newest)


def _with_acts(facts: AgentFacts, view: RunView, slot: SlotView, newest: AttemptView | None) -> AgentFacts:
    can_act = view.is_live and newest is not None and newest.status in RUNNING_PROCESS
    return replace(
        facts,
        can_pause=can_act and slot.display in {"Running", "Needs you", "Starting"},
        can_say=view.is_live and newest is not None and can_be_told(newest),
        can_continue=can_act and slot.display == "Paused",
        can_stop=can_stop(view, slot),
        can_switch=can_switch(view, slot),
        can_start=newest is None and _waits_for_person(view, slot),
        can_resume=newest is not None and _can_resume(view, slot),
    )


def can_stop(view: RunView, slot: SlotView) -> bool:
    """Whether there is something of this agent to stop."""
    is_at_work = bool(slot.attempts) and slot.attempts[-1].status in RUNNING_PROCESS
    return view.is_live and (is_at_work or slot.state in {SlotState.HELD, SlotState.CLAIMED})


def _effects(
    view: RunView, slot: SlotView, shown: AttemptView | None, zone: tzinfo | None
) -> tuple[EffectLine, ...]:
    """Of the attempt that is shown; beside the newest, what only those before it told of (EFF4)."""
    lines = effect_lines(shown, is_ended=_has_ended(shown), zone=zone)
    if shown is not None and shown is slot.attempts[-1]:
        lines += earlier_effect_lines(slot.attempts[:-1], {one.id for one in shown.effects}, zone)
    return unsettled(lines) if view.damaged else lines


def _subtitle(view: RunView, slot: SlotView, letter: str) -> str:
    named = tr("run {run}", run=f"{letter} · {short_id(view.run_id)}" if letter else short_id(view.run_id))
    kind = tr("practice, no model") if slot.is_practice else slot.agent_kind
    return " · ".join((one_line(kind, 60), named, *([owner_text(view)] if view.foreign else [])))


def _can_resume(view: RunView, slot: SlotView) -> bool:
    return slot.display in RESUMABLE and view.phase is not Phase.CLOSED and not view.damaged


def _waits_for_person(view: RunView, slot: SlotView) -> bool:
    is_at_rest = view.phase is Phase.ENDED and not view.damaged
    return is_at_rest and slot.state is SlotState.PENDING and bool(slot.agent)


def _has_ended(attempt: AttemptView | None) -> bool:
    return attempt is not None and attempt.status not in {*RUNNING_PROCESS, AttemptStatus.LOST}


def facts_of_attempt(facts: AgentFacts, attempt: AttemptId | None) -> AgentFacts:
    """The same agent with another attempt shown; None: the newest."""
    source = facts.source
    if source is None or attempt is None:
        return facts
    return agent_facts(source.view, source.slot, source.letter, source.now, source.zone, attempt)


def run_facts(view: RunView, letter: str, now: Moment, zone: tzinfo | None = None) -> AgentFacts:
    """The facts of a whole run, shown while no agent is chosen."""
    facts = [
        Fact(tr("Asked for"), one_line(view.outcome_asked, 400)),
        Fact(tr("Started"), f"{day_text(view.started_at, now, zone)} {time_text(view.started_at, zone)}"),
        Fact(tr("Elapsed") if view.is_live else tr("Ran for"), ran_text(view, now)),
        Fact(tr("Turns"), f"{view.turns:,}"),
        Fact(tr("Tokens"), _tokens(view.tokens)),
        Fact(tr("Cost"), run_money(view)),
        Fact(tr("Budget"), _run_budget(view)),
        Fact(tr("Agents"), _agents(view)),
        Fact(tr("Workflow"), view.pins.workflow[:12], mono=True),
        Fact(tr("Run"), view.run_id, mono=True),
    ]
    if view.foreign:
        facts.append(Fact(tr("Owner"), owner_text(view)))
    return AgentFacts(
        title=tr("Run {letter} · {run}", letter=letter, run=short_id(view.run_id))
        if letter
        else tr("Run {run}", run=short_id(view.run_id)),
        subtitle=f"{one_line(view.workflow_name, 120)} · {owner_text(view)}"
        if view.foreign
        else one_line(view.workflow_name, 120),
        badge=run_badge_at(view, now),
        icon="workflow",
        reason=shown_plainly(in_words(view.reason)),
        facts=tuple(facts),
        run_id=view.run_id,
        questions=tuple(q for slot in view.slots for q in slot.approvals) if view.is_live else (),
        asked=facts_of_all(view.slots) if view.is_live else {},
        askers=tuple((slot.slot_id, one_line(slot.title, 60)) for slot in view.slots if slot.approvals),
        can_stop=view.is_live,
        limits=limits_of(view, None),
    )


def _run_budget(view: RunView) -> str:
    return budget_text(view.budget_usd, view.cost_usd) if view.budget_usd is not None else tr("none")


def _agents(view: RunView) -> str:
    done = sum(s.state is SlotState.DONE for s in view.slots)
    return tr("{done} of {count} done", done=done, count=f"{len(view.slots):,}")


def _facts(
    view: RunView, slot: SlotView, last: AttemptView | None, now: Moment, zone: tzinfo | None
) -> tuple[Fact, ...]:
    if last is None:
        return (Fact(tr("Attempt"), tr("none yet")), Fact(tr("Agent"), one_line(slot.agent, 80)))
    figures = last.figures
    number = next(n for n, a in enumerate(slot.attempts, 1) if a.attempt_id == last.attempt_id)
    of = tr("{number} of {count}", number=number, count=f"{len(slot.attempts):,}")
    facts = [
        Fact(tr("Attempt"), of if len(slot.attempts) > 1 else "1"),
        Fact(tr("Turns"), f"{figures.turns:,}"),
        Fact(tr("Tokens"), _tokens(figures.tokens)),
        Fact(
            cost_name(last),
            # The name beside it says where it is from.
            agent_money(
                figures.cost_usd,
                figures.cost_is_complete,
                "reported",
                is_practice=last.agent_kind == PRACTICE,
            ),
        ),
        *_late_facts(last),
        *_budget_facts(view, last),
    ]
    if last.started_at is not None:
        facts.append(time_fact(last, last.started_at, now))
        facts.append(Fact(tr("Started"), time_text(last.started_at, zone)))
    facts += [*program_facts(slot, number), *process_facts(last, now, is_ours=not view.foreign)]
    if last.progress is not None:
        facts.append(Fact(tr("Progress"), _progress(last.progress)))
    if slot.retry_at_ms is not None and last is slot.attempts[-1]:
        facts.append(
            Fact(
                tr("Next attempt"),
                tr("in {duration}", duration=duration_text(slot.retry_at_ms - now.boot_ms)),
            )
        )
    facts.append(Fact(tr("Agent"), one_line(f"{last.agent} ({last.worker_class})", 80)))
    return tuple(facts)


def _late_facts(last: AttemptView) -> Iterator[Fact]:
    """What was reported beyond its end (ruling 9), and what was refused (ID4)."""
    late = _late_words(last)
    if late:
        yield Fact(tr("Came late, and counts"), late)
    if last.refused_reports:
        yield Fact(
            tr("Refused reports"), tr("{count}, they count nowhere", count=f"{last.refused_reports:,}")
        )


def _late_words(attempt: AttemptView) -> str:
    late = attempt.late
    if late is None:
        return ""
    is_practice = attempt.agent_kind == PRACTICE
    cost = agent_money(late.cost_usd, late.cost_is_complete, late.cost_source, is_practice=is_practice)
    return f"{tr.count('{n} turns', '{n} turn', late.turns)} · {cost}"


def _budget_facts(view: RunView, last: AttemptView) -> Iterator[Fact]:
    """Its own limit, and that a limit cannot act on what has no price (case 88)."""
    if last.budget_usd is not None:
        own = budget_text(last.budget_usd, last.figures.cost_usd)
        yield Fact(tr("Budget"), f"{own}, {CANNOT_ACT.now}" if last.figures.is_unpriced else own)
    elif view.budget_usd is not None and last.figures.is_unpriced:
        of_run = tr("{money} for the run", money=money_text(view.budget_usd))
        yield Fact(tr("Budget"), f"{of_run}, {CANNOT_ACT.now}")


def _tokens(tokens: TokenCounts) -> str:
    sent = tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_write_tokens
    return tr("{sent} in · {got} out", sent=tokens_text(sent), got=tokens_text(tokens.output_tokens))


def _progress(progress: tuple[float, float | None, str]) -> str:
    done, total, words = progress
    count = (
        tr("{done} of {total}", done=f"{done:g}", total=f"{total:g}") if total is not None else f"{done:g}"
    )
    return f"{count} · {one_line(words, 80)}" if words else count


def _attempt_line(slot: SlotView, number: int, now: Moment, zone: tzinfo | None) -> AttemptLine:
    attempt = slot.attempts[number - 1]
    badge = newest_badge_at(slot, now) if number == len(slot.attempts) else attempt_badge_at(attempt, now)
    told = []
    if attempt.started_at is not None:
        began = time_text(attempt.started_at, zone)
        if attempt.ended_at is not None:
            began = tr("{began} to {ended}", began=began, ended=time_text(attempt.ended_at, zone))
        told.append(began)
    if attempt.reason:
        told.append(one_line(in_words(attempt.reason), 120))
    told.append(tr.count("{n} turns", "{n} turn", attempt.figures.turns))
    told.append(attempt_money(attempt))
    if late := _late_words(attempt):
        told.append(tr("late, and counted: {late}", late=late))
    return AttemptLine(
        badge,
        tr("Attempt {number} · {state}", number=number, state=badge.inner),
        " · ".join(told),
        attempt.attempt_id,
    )


def cards_of(facts: AgentFacts) -> tuple[Asked, ...]:
    """The open questions of an agent, or of a run with who asks, as cards."""
    askers = dict(facts.askers)
    return tuple(
        Asked(one, askers.get(one.slot_id, ""), facts.asked.get(one.request_id, ()))
        for one in facts.questions
    )
