"""What the recovery dialog says: from what the engine owes the person to words. Pure; no Qt, no clock of its own.

Restored things are records here: nothing that was cut off is said to go on (REC11). What is not known is called unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import tzinfo
from enum import StrEnum
from pathlib import Path

from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.practice import Spent, together
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine.recovery import InterruptedAgent, InterruptedRun, Outside, Owed, UnreadableRun
from quarterdeck.ui.badges import INTERRUPTED, Badge, badge_of_slot, badge_of_word
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_damage import damage_words, unnamed_lines
from quarterdeck.ui.present_effects import effect_phrase, settled_phrase
from quarterdeck.ui.present_leftovers import Leftovers, leftovers
from quarterdeck.ui.present_money import spent_text
from quarterdeck.ui.present_rest import rest_words
from quarterdeck.ui.silence import run_badge_at
from quarterdeck.ui.words import (
    day_text,
    duration_text,
    exact_time_text,
    local_time,
    money_text,
    one_line,
    short_id,
    time_text,
)

tr = Texts("PresentRecovery")

SENTENCE = "Interrupted agents will not spend or act until you resume them one by one."
"""Fixed in every language: tests and assistive programs rely on it (design, the window)."""
NAME_SHOWN_MAX, PHRASE_SHOWN_MAX = 80, 160
CHECKS_MAX, DAMAGED_CHECKS_MAX = 2, 20
"""Effects that stand in an agent's line; the others stand behind *Check…*, which a damaged run does not have."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Going(StrEnum):
    """What can be done with an agent now."""

    RESUME = "resume"
    END_FIRST = "end first"
    ENDING = "ending"
    DAMAGED = "damaged"
    """Its run's journal is: nobody can carry it on."""
    REOPENED = "reopened"
    TAKEN_UP = "taken up"
    READ_ONLY = "read only"
    """Nothing can be written, so nobody can be resumed."""


@dataclass(frozen=True, slots=True)
class Total:
    """A figure of the head."""

    value: str
    caption: str


@dataclass(frozen=True, slots=True)
class AgentLine:
    """One agent that was cut off. `name`: of its button, unique in the dialog. `checks`: what may have happened, a line each.

    is_clear: the last record proves that nothing was in flight. can_check: its effects can be probed and settled.
    note: what stands where the button would, if it is away.
    """

    run_id: RunId
    slot_id: SlotId
    attempt_id: AttemptId
    title: str
    name: str
    described: str
    subtitle: str
    badge: Badge
    last_known: str
    checks: tuple[str, ...]
    is_clear: bool
    has_effects: bool
    can_check: bool
    going: Going
    note: str
    evidence: str


@dataclass(frozen=True, slots=True)
class RunCard:
    """One run. `rest`: its other agents in one line; `others`: each of them. `badge`, `stands`: how it stands now.

    damage: why nobody can carry it on, and what can be done instead. unnamed: attempts of which no record names the agent.
    """

    run_id: RunId
    letter: str
    name: str
    line: str
    agents: tuple[AgentLine, ...]
    badge: Badge
    stands: str
    rest: str = ""
    others: tuple[str, ...] = ()
    damage: str = ""
    unnamed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A record that cannot be read, where it lies, and why. in_part: it has a card."""

    run_id: RunId
    folder: Path
    words: str
    in_part: bool


@dataclass(frozen=True, slots=True)
class RecoveryFacts:
    """Everything that the dialog shows. read_only: why nothing of it can be answered here; empty: it can."""

    title: str
    totals: tuple[Total, ...]
    leftovers: Leftovers
    cards: tuple[RunCard, ...]
    unreadable: tuple[UnreadableLine, ...]
    read_only: str = ""
    is_practice: bool = False
    """Every agent in it is a practice agent, so nothing in it costs money."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing waits any more: each was answered, or left, while this was open."""
        return not self.cards and not self.unreadable

    @property
    def runs(self) -> tuple[RunId, ...]:
        """The runs that it tells of."""
        return tuple(card.run_id for card in self.cards)


def recovery_facts(
    owed: Owed,
    now: Moment,
    views: Mapping[RunId, RunView],
    zone: tzinfo | None = None,
    told: int = 0,
) -> RecoveryFacts:
    """Oldest launch first, as they got their letters. views: of runs that have moved since, so far as they are known. told: of
    how many runs the prompt has told since it opened: so many were live, whatever became of them.
    """
    runs = tuple(sorted(owed.runs, key=lambda run: run.started_at.wall_ms))
    letters = _letters(runs)
    names = _button_names(runs)
    return RecoveryFacts(
        title=_title(max(told, len(runs)) if runs else 0),
        totals=_totals(runs, now, zone),
        leftovers=leftovers(runs),
        cards=tuple(_card(run, letters[run.run_id], names, now, views.get(run.run_id), zone) for run in runs),
        unreadable=tuple(
            _unreadable(one, any(r.run_id == one.run_id for r in runs)) for one in owed.unreadable
        ),
        is_practice=all(run.agents and not run.unnamed for run in runs)
        and all(agent.is_practice for run in runs for agent in run.agents),
    )


def _title(count: int) -> str:
    if not count:
        return tr("Nothing waits for an answer")
    return tr.count(
        "Quarterdeck closed while {n} runs were live", "Quarterdeck closed while {n} run was live", count
    )


def _letters(runs: Iterable[InterruptedRun]) -> dict[RunId, str]:
    """One for each run of the prompt: of one workflow as they got them while they were live, of several over all of it."""
    return {
        run.run_id: LETTERS[place] if place < len(LETTERS) else str(place + 1)
        for place, run in enumerate(runs)
    }


def _button_names(runs: Iterable[InterruptedRun]) -> dict[tuple[RunId, SlotId], str]:
    """`Resume <title>`, unique (ruling 28): a later agent of the same title is told apart by its run, then by its slot."""
    taken: set[str] = set()
    names: dict[tuple[RunId, SlotId], str] = {}
    for run in runs:
        for agent in run.agents:
            title = f"Resume {one_line(agent.title, NAME_SHOWN_MAX)}"
            tries = (title, f"{title}, {short_id(run.run_id)}", f"{title}, {run.run_id} {agent.slot_id}")
            name = next((one for one in tries if one not in taken), tries[-1])
            taken.add(name)
            names[run.run_id, agent.slot_id] = name
    return names


def _totals(runs: tuple[InterruptedRun, ...], now: Moment, zone: tzinfo | None) -> tuple[Total, ...]:
    agents = sum(len(run.agents) for run in runs)
    shown_agents = (
        tr("at least {count}", count=f"{agents:,}") if any(r.unnamed for r in runs) else f"{agents:,}"
    )
    turns = sum(run.turns for run in runs)
    parts = [run.spent for run in runs]
    is_known = not runs or any((part.paid, part.practice) != (None, None) for part in parts)
    is_whole = all(run.cost_is_complete for run in runs)
    spend = _spent(together(parts), is_whole) if is_known else money_text(None)
    is_torn = any(run.torn for run in runs)
    shown_turns = tr("at least {turns}", turns=f"{turns:,}") if is_torn else f"{turns:,}"
    last = max((r.last_record_at for r in runs if r.last_record_at), key=lambda m: m.wall_ms, default=None)
    return (
        Total(shown_agents, tr.count("agents interrupted", "agent interrupted", agents)),
        Total(shown_turns, tr.count("turns kept", "turn kept", turns)),
        Total(spend, tr("recorded spend")),
        Total(exact_time_text(last, zone) if last else tr("unknown"), _last_caption(last, now, zone)),
    )


def _spent(cost: Spent, is_whole: bool) -> str:
    """is_whole: no part is unknown, of what was pretended either."""
    words = spent_text(cost)
    is_said = not (cost.complete and cost.practice_is_complete)
    return words if is_whole or is_said else tr("at least {amount}", amount=words)


def _last_caption(last: Moment | None, now: Moment, zone: tzinfo | None) -> str:
    if last is None or _is_today(last, now, zone):
        return tr("last record written")
    return tr("last record written, {day}", day=day_text(last, now, zone))


def _is_today(at: Moment, now: Moment, zone: tzinfo | None) -> bool:
    return local_time(at, zone).date() == local_time(now, zone).date()


def _card(
    run: InterruptedRun,
    letter: str,
    names: Mapping[tuple[RunId, SlotId], str],
    now: Moment,
    view: RunView | None,
    zone: tzinfo | None,
) -> RunCard:
    rest, others = rest_words(run.rest)
    is_moved = view is not None and (view.is_live or view.outcome is not Outcome.INTERRUPTED)
    badge = run_badge_at(view, now) if view is not None and is_moved else INTERRUPTED
    return RunCard(
        run_id=run.run_id,
        letter=letter,
        name=one_line(run.workflow_name, NAME_SHOWN_MAX),
        line=_run_line(run, now, zone),
        agents=tuple(_agent(run, one, names[run.run_id, one.slot_id], view, zone) for one in run.agents),
        badge=badge,
        stands=badge.word if is_moved else tr("Stopped, restored"),
        rest=rest,
        others=others,
        damage=damage_words(run.damage),
        unnamed=unnamed_lines(run.unnamed),
    )


def _run_line(run: InterruptedRun, now: Moment, zone: tzinfo | None) -> str:
    ran = duration_text(run.ran_for_ms)
    return " · ".join(
        (
            short_id(run.run_id),
            _started(run.started_at, now, zone),
            tr("ran for at least {duration}", duration=ran)
            if run.ran_at_least
            else tr("ran {duration}", duration=ran),
            turns_words(run.turns, is_torn=run.torn),
            _spent(run.spent, run.cost_is_complete) if run.cost_usd is not None else tr("cost unknown"),
        )
    )


def turns_words(turns: int, *, is_torn: bool) -> str:
    """`82 turns`, `at least 82 turns` where the end of a file was cut off."""
    said = tr.count("{n} turns", "{n} turn", turns)
    return tr("at least {turns}", turns=said) if is_torn else said


def _started(at: Moment, now: Moment, zone: tzinfo | None) -> str:
    time = time_text(at, zone)
    if _is_today(at, now, zone):
        return tr("started today {time}", time=time)
    if (local_time(now, zone).date() - local_time(at, zone).date()).days == 1:
        return tr("started yesterday {time}", time=time)
    return tr("started {day} {time}", day=day_text(at, now, zone), time=time)


def _agent(
    run: InterruptedRun, agent: InterruptedAgent, name: str, view: RunView | None, zone: tzinfo | None
) -> AgentLine:
    title = one_line(agent.title, NAME_SHOWN_MAX)
    going, badge, note = _going(agent, view, is_damaged=bool(run.damage))
    attempt = tr("attempt {number}", number=f"{agent.attempt_number:,}")
    turns = turns_words(agent.turns, is_torn=run.torn and not agent.cost_is_complete)
    if agent.attempt_number > 1:  # the turns are those of all its attempts
        turns = tr("{turns} in all", turns=turns)
    subtitle = f"{attempt} · {turns}"
    checks, is_clear = _checks(agent, zone, DAMAGED_CHECKS_MAX if run.damage else CHECKS_MAX)
    known = in_words(agent.last_known)
    return AgentLine(
        run_id=run.run_id,
        slot_id=agent.slot_id,
        attempt_id=agent.attempt_id,
        title=title,
        name=name,
        described=tr("run {run}, {attempt}", run=short_id(run.run_id), attempt=attempt),
        subtitle=tr("{line} · was paused", line=subtitle) if agent.was_paused else subtitle,
        badge=badge,
        last_known=one_line(known, PHRASE_SHOWN_MAX),
        checks=checks,
        is_clear=is_clear,
        has_effects=bool(agent.effects),
        can_check=bool(agent.effects) and not run.damage and going is not Going.TAKEN_UP,
        going=going,
        note=note,
        evidence=one_line(in_words(agent.evidence), PHRASE_SHOWN_MAX),
    )


def _going(agent: InterruptedAgent, view: RunView | None, *, is_damaged: bool) -> tuple[Going, Badge, str]:
    """What the newest view of the run says outranks what was told when the dialog opened.

    The line of an agent that was taken up stays the record of the attempt that was cut off; its note tells of the new one.
    """
    slot = next((s for s in view.slots if s.slot_id == agent.slot_id), None) if view is not None else None
    if slot is not None and slot.attempts and slot.attempts[-1].attempt_id != agent.attempt_id:
        state = badge_of_slot(slot).inner
        words = tr("Attempt {number}: {state}", number=f"{len(slot.attempts):,}", state=state)
        return Going.TAKEN_UP, INTERRUPTED, words
    if slot is not None and slot.reopened is not None:
        return Going.REOPENED, badge_of_slot(slot), ""
    if slot is None and agent.reopened:
        return Going.REOPENED, badge_of_word(agent.display), ""
    if agent.still_ending:
        return Going.ENDING, badge_of_word("Still ending"), tr("Still ending")
    if agent.end_first:
        badge = badge_of_word("Still alive") if agent.survivors else INTERRUPTED
        if is_damaged:
            return Going.DAMAGED, badge, tr("Cannot be resumed")
        words = tr("End the old process first") if agent.survivors else tr("Its old process may be alive")
        return Going.END_FIRST, badge, words
    if is_damaged:
        return Going.DAMAGED, INTERRUPTED, tr("Cannot be resumed")
    return Going.RESUME, INTERRUPTED, ""


def _checks(agent: InterruptedAgent, zone: tzinfo | None, most: int) -> tuple[tuple[str, ...], bool]:
    settled = tuple(settled_phrase(effect, zone) for effect in agent.settled[:most])
    if (more := len(agent.settled) - len(settled)) > 0:
        settled = (*settled, tr("and {count} more that were settled", count=f"{more:,}"))
    open_, is_clear = _open_checks(agent, most)
    return (*open_, *settled), is_clear


def _open_checks(agent: InterruptedAgent, most: int) -> tuple[tuple[str, ...], bool]:
    match agent.outside:
        case Outside.NONE:
            return (tr("None in flight"),), True
        case Outside.NOT_TOLD if agent.unread:
            return (tr("Not known: what it told of that is damaged"),), False
        case Outside.NOT_TOLD if agent.settled or agent.tells:
            return (tr("Not known: whether it did more outside"),), False
        case Outside.NOT_TOLD:
            return (tr("Not told: it has said nothing of what it does outside"),), False
        case Outside.TO_CHECK:
            said = [tr("Unknown: {effect}", effect=effect_phrase(effect)) for effect in agent.effects[:most]]
            more = len(agent.effects) - len(said)
            if more > 0:
                said.append(tr("and {count} more", count=f"{more:,}"))
            if agent.unread:
                said.append(tr("Not known: whether more was told, as a part of it is damaged"))
            return tuple(said) or (tr("Unknown: more was told than is kept here"),), False


def _unreadable(found: UnreadableRun, is_in_part: bool) -> UnreadableLine:
    run, why = short_id(found.run_id), one_line(in_words(found.why), 200)
    words = tr("{run} could not be read: {why}", run=run, why=why)
    if is_in_part:
        words = tr("{run} could be read in part only: {why}", run=run, why=why)
    return UnreadableLine(found.run_id, found.folder, words, is_in_part)
