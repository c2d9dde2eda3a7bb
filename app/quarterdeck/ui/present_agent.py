"""The inspector's content: facts of one agent (or of a run), its attempts, questions, errors, artifacts. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo

from quarterdeck.domain.figures import TokenCounts
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.states import AttemptStatus, SlotState
from quarterdeck.domain.views import (
    ApprovalView,
    ArtifactView,
    AttemptView,
    RunView,
    SlotView,
    is_end_at_least,
)
from quarterdeck.ui.badges import Badge, badge_of_attempt, badge_of_run, badge_of_slot
from quarterdeck.ui.present import RUNNING_PROCESS
from quarterdeck.ui.words import (
    count_text,
    day_text,
    duration_text,
    money_text,
    one_line,
    short_id,
    shown_plainly,
    time_text,
    tokens_text,
)

SILENT_MS = 60_000
"""An agent that printed nothing for so long is *alive, no output for …* (LSE1)."""
ERROR_SHOWN_MAX = 4_000
CANNOT_ACT = "cannot act here: the price of its model is unknown"


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: what, and its value; `mono` for ids, commands, paths."""

    name: str
    value: str
    mono: bool = False


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
    error: str = ""
    attempts: tuple[AttemptLine, ...] = ()
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
    can_stop: bool = False


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
    runs_now = newest is not None and newest.status in RUNNING_PROCESS
    named = f"run {letter} · {short_id(view.run_id)}" if letter else f"run {short_id(view.run_id)}"
    kind = "practice, no model" if slot.is_practice else slot.agent_kind
    can_act = view.is_live and runs_now
    return AgentFacts(
        title=one_line(slot.title, 120),
        subtitle=f"{one_line(kind, 60)} · {named}",
        badge=badge_of_slot(slot),
        icon="graduation-cap" if slot.is_practice else "terminal" if slot.agent_kind == "command" else "bot",
        reason=shown_plainly(slot.reason)[:ERROR_SHOWN_MAX],
        facts=_facts(view, slot, shown, now, zone),
        questions=slot.approvals,
        error=_error(slot, shown),
        attempts=tuple(_attempt_line(a, n, now, zone) for n, a in enumerate(slot.attempts, 1)),
        artifacts=shown.artifacts if shown else (),
        latest=shown_plainly(shown.tail) if shown else "",
        run_id=view.run_id,
        slot_id=slot.slot_id,
        attempt_id=shown.attempt_id if shown else None,
        is_attempt_live=shown is not None and shown.status in RUNNING_PROCESS,
        is_newest=shown is newest,
        source=AgentSource(view, slot, letter, now, zone),
        can_pause=can_act and slot.display in {"Running", "Needs you", "Starting"},
        can_continue=can_act and slot.display == "Paused",
        can_stop=view.is_live and (runs_now or slot.state in {SlotState.HELD, SlotState.CLAIMED}),
    )


def facts_of_attempt(facts: AgentFacts, attempt: AttemptId | None) -> AgentFacts:
    """The same agent with another attempt shown; None: the newest."""
    source = facts.source
    if source is None or attempt is None:
        return facts
    return agent_facts(source.view, source.slot, source.letter, source.now, source.zone, attempt)


def run_facts(view: RunView, letter: str, now: Moment, zone: tzinfo | None = None) -> AgentFacts:
    """The facts of a whole run, shown while no agent is chosen."""
    end = view.ended_at or now
    at_least = "at least " if is_end_at_least(view) else ""
    facts = [
        Fact("Asked for", one_line(view.outcome_asked, 400)),
        Fact("Started", f"{day_text(view.started_at, now, zone)} {time_text(view.started_at, zone)}"),
        Fact(
            "Elapsed" if view.is_live else "Ran for",
            at_least + duration_text(duration_ms(view.started_at, end)),
        ),
        Fact("Turns", f"{view.turns:,}"),
        Fact("Tokens", _tokens(view.tokens)),
        Fact("Cost", money_text(view.cost_usd, view.cost_is_complete)),
        Fact("Budget", money_text(view.budget_usd) if view.budget_usd is not None else "none"),
        Fact("Agents", _agents(view)),
        Fact("Workflow", view.pins.workflow[:12], mono=True),
        Fact("Run", view.run_id, mono=True),
    ]
    if view.foreign:
        facts.append(Fact("Owner", "another process on this computer"))
    return AgentFacts(
        title=f"Run {letter} · {short_id(view.run_id)}" if letter else f"Run {short_id(view.run_id)}",
        subtitle=one_line(view.workflow_name, 120),
        badge=badge_of_run(view),
        icon="workflow",
        reason=shown_plainly(view.reason),
        facts=tuple(facts),
        run_id=view.run_id,
        can_stop=view.is_live,
    )


def _agents(view: RunView) -> str:
    done = sum(s.state is SlotState.DONE for s in view.slots)
    return f"{done} of {len(view.slots)} done"


def _facts(
    view: RunView, slot: SlotView, last: AttemptView | None, now: Moment, zone: tzinfo | None
) -> tuple[Fact, ...]:
    if last is None:
        return (Fact("Attempt", "none yet"), Fact("Agent", one_line(slot.agent, 80)))
    figures = last.figures
    number = next(n for n, a in enumerate(slot.attempts, 1) if a.attempt_id == last.attempt_id)
    of = f"{number} of {len(slot.attempts)}"
    facts = [
        Fact("Attempt", of if len(slot.attempts) > 1 else "1"),
        Fact("Turns", f"{figures.turns:,}"),
        Fact("Tokens", _tokens(figures.tokens)),
        Fact(_cost_name(figures.cost_source), money_text(figures.cost_usd, figures.cost_is_complete)),
        *_budget_facts(view, last),
    ]
    if last.started_at is not None:
        spent = duration_ms(last.started_at, last.ended_at or now)
        facts.append(Fact("Elapsed" if last.ended_at is None else "Took", duration_text(spent)))
        facts.append(Fact("Started", time_text(last.started_at, zone)))
    facts += _process_facts(last, now)
    if last.progress is not None:
        facts.append(Fact("Progress", _progress(last.progress)))
    if slot.retry_at_ms is not None and last is slot.attempts[-1]:
        facts.append(Fact("Next attempt", f"in {duration_text(slot.retry_at_ms - now.boot_ms)}"))
    facts.append(Fact("Agent", one_line(f"{last.agent} ({last.worker_class})", 80)))
    return tuple(facts)


def _budget_facts(view: RunView, last: AttemptView) -> Iterator[Fact]:
    """Its own limit, and that a limit cannot act on what has no price (case 88)."""
    if last.budget_usd is not None:
        cannot = f", {CANNOT_ACT}" if last.figures.is_unpriced else ""
        yield Fact("Budget", f"{money_text(last.budget_usd)}{cannot}")
    elif view.budget_usd is not None and last.figures.is_unpriced:
        yield Fact("Budget", f"{money_text(view.budget_usd)} for the run, {CANNOT_ACT}")


def _process_facts(last: AttemptView, now: Moment) -> list[Fact]:
    facts: list[Fact] = []
    if last.pid is not None:
        facts.append(Fact("Process", f"pid {last.pid} · {_life(last, now)}", mono=True))
    elif last.status is AttemptStatus.STARTING:
        facts.append(Fact("Process", "starting"))
    if last.exit_code is not None or last.signal is not None:
        ended = f"exit {last.exit_code}" if last.exit_code is not None else f"signal {last.signal}"
        facts.append(Fact("Ended with", ended, mono=True))
    if last.cwd:
        facts.append(Fact("Folder", shown_plainly(last.cwd), mono=True))
    if last.containment:
        facts.append(Fact("Containment", one_line(last.containment, 120)))
    if last.session_id:
        facts.append(Fact("Session", one_line(last.session_id, 80), mono=True))
    if last.evidence and last.status not in RUNNING_PROCESS:
        facts.append(Fact("Known by", last.evidence.replace("_", " ")))
    return facts


def _life(last: AttemptView, now: Moment) -> str:
    if last.status is AttemptStatus.LOST:
        return "contact lost"
    if last.status not in RUNNING_PROCESS:
        return "ended"
    if last.last_output_at_ms is not None and now.boot_ms - last.last_output_at_ms >= SILENT_MS:
        return f"alive, no output for {(now.boot_ms - last.last_output_at_ms) // 60_000} min"
    return "alive"


def _tokens(tokens: TokenCounts) -> str:
    sent = tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_write_tokens
    return f"{tokens_text(sent)} in · {tokens_text(tokens.output_tokens)} out"


def _cost_name(source: str) -> str:
    return {"none": "Cost (reports no usage)", "mixed": "Cost (partly estimated)"}.get(
        source, f"Cost ({source})"
    )


def _progress(progress: tuple[float, float | None, str]) -> str:
    done, total, words = progress
    count = f"{done:g} of {total:g}" if total is not None else f"{done:g}"
    return f"{count} · {one_line(words, 80)}" if words else count


def _error(slot: SlotView, last: AttemptView | None) -> str:
    if last is None or not (last.errors or last.status is AttemptStatus.FAILED):
        return ""
    said = [f"{e.error_class}: {e.message}" for e in last.errors]
    if not said and last.reason:
        said = [last.reason]
    text = "\n".join(said) or (slot.reason if last is slot.attempts[-1] else "")
    return shown_plainly(text[:ERROR_SHOWN_MAX])


def _attempt_line(attempt: AttemptView, number: int, now: Moment, zone: tzinfo | None) -> AttemptLine:
    badge = badge_of_attempt(attempt.status)
    said = []
    if attempt.started_at is not None:
        began = time_text(attempt.started_at, zone)
        ended = f" to {time_text(attempt.ended_at, zone)}" if attempt.ended_at is not None else ""
        said.append(f"{began}{ended}")
    if attempt.reason:
        said.append(one_line(attempt.reason, 120))
    said.append(count_text(attempt.figures.turns, "turn", "turns"))
    said.append(money_text(attempt.figures.cost_usd, attempt.figures.cost_is_complete))
    return AttemptLine(
        badge, f"Attempt {number} · {badge.word.lower()}", " · ".join(said), attempt.attempt_id
    )
