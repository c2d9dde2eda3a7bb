"""What happened, newest first: made from the facts of successive views, and from nothing else. No Qt.

A fact that carries its moment is told with it; one that does not (a file, an effect) with the moment at which it was
noticed, marked *by* where it may have been earlier. Runs that were over before the window saw them tell nothing here.

What an agent at work does by the minute is one line of it, brought up to date: its turns and its newest words. However much
it prints, it has that one line, which moves up at most every `MOVES_AGAIN_MS`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from operator import attrgetter

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.outputs import RECORDING
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.states import TERMINAL_ATTEMPT, AttemptStatus
from quarterdeck.domain.views import AttemptView, RunView, SlotView
from quarterdeck.ui.badges import badge_of_attempt, badge_of_run
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_budgets import warned_words
from quarterdeck.ui.present_money import agent_money, run_money
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import duration_text, exact_time_text, one_line, short_id, size_text

tr = Texts("PresentActivity")

KEPT_MAX = 500
MOVES_AGAIN_MS = 10_000
WORDS_MAX = 160


@dataclass(frozen=True, slots=True)
class Told:
    """One fact of a view: `at` None where the view does not say when."""

    key: str
    at: Moment | None
    slot_id: SlotId | None
    who: str
    icon: str
    family: Family
    words: str


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """One line of the list."""

    key: str
    run_id: RunId
    slot_id: SlotId | None
    letter: str
    time: str
    who: str
    icon: str
    family: Family
    words: str
    order: tuple[int, int] = field(default=(0, 0))

    @property
    def spoken(self) -> str:
        """The line in words."""
        run = (
            tr("run {letter}", letter=self.letter)
            if self.letter
            else tr("run {run}", run=short_id(self.run_id))
        )
        return f"{self.time}, {run}, {self.who} {self.words}"


class ActivityLog:
    """Remembers what was told. Bounded: the newest `KEPT_MAX` lines, and facts of the runs that are looked at."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        self._zone = zone
        self._seen: dict[RunId, dict[str, SlotView | RunView]] = {}
        self._told: dict[RunId, set[str]] = {}
        self._rows: list[ActivityRow] = []
        self._work: dict[str, ActivityRow] = {}
        """The one line of each attempt's turns and words, by key."""
        self._shown: tuple[ActivityRow, ...] | None = ()
        self._count = 0

    def follow(
        self, views: Mapping[RunId, RunView], letters: Mapping[RunId, str], now: Moment
    ) -> tuple[ActivityRow, ...]:
        """Take these views as the newest; gives all lines, newest first: of what is seen at once, in the order of launch."""
        fresh: list[ActivityRow] = []
        followed = (view for view in views.values() if view.run_id in self._told or view.is_live)
        for view in sorted(followed, key=attrgetter("launch_seq")):
            fresh += self._news(view, letters.get(view.run_id, ""), now)
        for run_id in self._told.keys() - views.keys():
            del self._told[run_id], self._seen[run_id]
        if fresh:
            self._rows = heapq.nlargest(KEPT_MAX, self._rows + fresh, key=lambda r: r.order)
            self._shown = None
        self._give_letters(letters)
        if self._shown is None:
            both = (*self._rows, *self._work.values())
            self._shown = tuple(heapq.nlargest(KEPT_MAX, both, key=lambda r: r.order))
            kept = {row.key for row in self._shown}
            self._work = {key: row for key, row in self._work.items() if key in kept}
        return self._shown

    def _news(self, view: RunView, letter: str, now: Moment) -> Iterator[ActivityRow]:
        is_first = view.run_id not in self._told
        told = self._told.setdefault(view.run_id, set())
        seen = self._seen.setdefault(view.run_id, {})
        if seen.get("") is view:
            return
        seen[""] = view
        facts: list[Told] = list(_of_run(view))
        for slot in view.slots:
            before = seen.get(slot.slot_id)
            if before is not slot:
                seen[slot.slot_id] = slot
                facts += of_slot(slot)
                facts += _closed_questions(before if isinstance(before, SlotView) else None, slot)
                self._take_work(view, slot, letter, now, is_first)
        for fact in facts:
            if fact.key not in told:
                told.add(fact.key)
                yield self._row(view, letter, fact, now, is_first)

    def _give_letters(self, letters: Mapping[RunId, str]) -> None:
        """A run has the letter that the window shows now; one that ended keeps its last."""
        for place, row in enumerate(self._rows):
            letter = letters.get(row.run_id, row.letter)
            if letter != row.letter:
                self._rows[place] = replace(row, letter=letter)
                self._shown = None
        for key, row in self._work.items():
            letter = letters.get(row.run_id, row.letter)
            if letter != row.letter:
                self._work[key] = replace(row, letter=letter)
                self._shown = None

    def _take_work(self, view: RunView, slot: SlotView, letter: str, now: Moment, is_first: bool) -> None:
        """The line of the newest attempt's turns and words: a new one, or the same with what is newest."""
        fact = _of_work(slot)
        if fact is None:
            return
        before = self._work.get(f"{view.run_id}/{fact.key}")
        if before is not None and before.words == fact.words:
            return
        self._shown = None
        if before is not None and 0 <= now.wall_ms - before.order[0] < MOVES_AGAIN_MS:
            self._work[before.key] = replace(before, words=fact.words)
        elif before is not None or slot.attempts[-1].ended_at is None:
            row = self._row(view, letter, fact, now, is_first and before is None)
            self._work[row.key] = row

    def _row(self, view: RunView, letter: str, fact: Told, now: Moment, is_first: bool) -> ActivityRow:
        at = fact.at or now
        self._count += 1
        time = exact_time_text(at, self._zone)
        if fact.at is None and is_first:
            time = tr("by {time}", time=time)
        return ActivityRow(
            key=f"{view.run_id}/{fact.key}",
            run_id=view.run_id,
            slot_id=fact.slot_id,
            letter=letter,
            time=time,
            who=fact.who,
            icon=fact.icon,
            family=fact.family,
            words=fact.words,
            order=(at.wall_ms, self._count),
        )


def _of_run(view: RunView) -> Iterator[Told]:
    name = tr("Run {run}", run=short_id(view.run_id))
    by = one_line(view.accepted_by, 60)
    yield Told("launched", view.started_at, None, name, "play", Family.NEUTRAL, tr("launched by {by}", by=by))
    for number, sitting in enumerate(view.sittings[1:], 2):
        words = tr("taken up again by {actor}", actor=one_line(sitting.actor, 60))
        yield Told(f"sitting {number}", sitting.opened_at, None, name, "play", Family.NEUTRAL, words)
    titles = {slot.slot_id: one_line(slot.title, 60) for slot in view.slots}
    for said in view.warned:
        who = titles.get(said.slot_id, "") if said.slot_id is not None else name
        key = f"warned {said.slot_id or ''} {said.limit_usd}"
        yield Told(key, said.at, said.slot_id, who, "triangle-alert", Family.NEEDS, warned_words(said))
    if view.is_live and view.stopping:
        key = f"stopping {len(view.sittings)}"
        yield Told(key, None, None, name, "hourglass", Family.RUNNING, tr("is being stopped"))
    if view.is_live and view.recording is False:
        words = tr("recording stopped: the records cannot be written")
        yield Told("not recording", None, None, name, "triangle-alert", Family.FAILED, words)
    if not view.is_live and view.ended_at is not None:
        badge = badge_of_run(view)
        ended = tr("ended, {state}", state=badge.inner)
        if view.reason:
            ended = tr("ended, {state}: {reason}", state=badge.inner, reason=one_line(in_words(view.reason)))
        words = f"{ended} · {run_money(view)}"
        yield Told(f"ended {view.end_seq}", view.ended_at, None, name, badge.icon, badge.family, words)


def of_slot(slot: SlotView) -> Iterator[Told]:
    """Every fact of one agent, oldest attempt first."""
    who = one_line(slot.title, 60)
    for number, attempt in enumerate(slot.attempts, 1):
        yield from _of_attempt(slot, who, number, attempt)
    for question in slot.approvals:
        words = tr("asks: {question}", question=one_line(question.question, 160))
        key = f"{slot.slot_id}/asked {question.request_id}"
        yield Told(key, question.asked_at, slot.slot_id, who, "hand", Family.NEEDS, words)
    if slot.reopened is not None:
        again = slot.reopened
        words = tr(
            "re-opened by {actor}: {reason}",
            actor=one_line(again.actor, 60),
            reason=one_line(again.reason, 120),
        )
        key = f"{slot.slot_id}/reopened {again.at.boot}{again.at.boot_ms}"
        yield Told(key, again.at, slot.slot_id, who, "clock", Family.NEEDS, words)
    if slot.display == "Skipped":
        yield Told(
            f"{slot.slot_id}/skipped", None, slot.slot_id, who, "circle-slash", Family.NEUTRAL, tr("skipped")
        )


def _of_attempt(slot: SlotView, who: str, number: int, attempt: AttemptView) -> Iterator[Told]:
    place, slot_id = f"{slot.slot_id}/{attempt.attempt_id}", slot.slot_id
    if attempt.started_at is not None:
        words = tr("started · attempt {number}", number=number)
        if attempt.pid is not None:
            words = tr("started · attempt {number} · pid {pid}", number=number, pid=attempt.pid)
        yield Told(f"{place}/started", attempt.started_at, slot_id, who, "play", Family.RUNNING, words)
    for said in attempt.messages:
        words = tr("{actor} said: {words}", actor=one_line(said.actor, 60), words=one_line(said.text, 160))
        yield Told(
            f"{place}/said {said.message_id}", said.at, slot_id, who, "message-circle", Family.NEUTRAL, words
        )
        if said.delivered is False:
            lost = tr("its program did not take the message")
            key = f"{place}/unheard {said.message_id}"
            yield Told(key, said.at, slot_id, who, "circle-alert", Family.FAILED, lost)
    for artifact in attempt.artifacts:
        words = tr(
            "wrote {name} ({size})", name=one_line(artifact.name, 120), size=size_text(artifact.size_bytes)
        )
        key = f"{place}/file {artifact.name} {artifact.sha256}"
        yield Told(key, attempt.ended_at, slot_id, who, "file-text", Family.NEUTRAL, words)
    for effect in attempt.effects:
        words = tr(
            "effect {state}: {effect}",
            state=in_words(effect.state.value.replace("_", " ")),
            effect=one_line(f"{effect.type} {effect.target}", 120),
        )
        yield Told(
            f"{place}/effect {effect.id} {effect.state}", None, slot_id, who, "globe", Family.NEUTRAL, words
        )
    for place_, error in enumerate(attempt.errors):
        is_ours = error.error_class == RECORDING
        words = in_words(error.message) if is_ours else f"{error.error_class}: {error.message}"
        words = one_line(words, 160)
        yield Told(
            f"{place}/error {place_}", attempt.ended_at, slot_id, who, "circle-alert", Family.FAILED, words
        )
    if attempt.status in TERMINAL_ATTEMPT or attempt.status is AttemptStatus.LOST:
        yield _of_end(place, slot_id, who, number, attempt)


def _of_end(place: str, slot_id: SlotId, who: str, number: int, attempt: AttemptView) -> Told:
    badge = badge_of_attempt(attempt.status)
    told = [tr("{state} · attempt {number}", state=badge.inner, number=number)]
    if attempt.reason:
        told.append(one_line(in_words(attempt.reason), 120))
    if attempt.started_at is not None and attempt.ended_at is not None:
        took = duration_text(duration_ms(attempt.started_at, attempt.ended_at))
        told.append(tr("at least {duration}", duration=took) if attempt.ended_at_least else took)
    if attempt.figures.cost_usd is not None:
        told.append(
            agent_money(
                attempt.figures.cost_usd,
                attempt.figures.cost_is_complete,
                attempt.figures.cost_source,
                is_practice=attempt.agent_kind == PRACTICE,
            )
        )
    key = f"{place}/{attempt.status}"
    return Told(key, attempt.ended_at, slot_id, who, badge.icon, badge.family, " · ".join(told))


def _of_work(slot: SlotView) -> Told | None:
    """What the newest attempt has done so far, on one line; None before it did anything."""
    attempt = slot.attempts[-1] if slot.attempts else None
    if attempt is None:
        return None
    turns, lines = attempt.figures.turns, attempt.tail.strip().splitlines()
    said = one_line(lines[-1], WORDS_MAX) if lines else ""
    if said and turns:
        words = tr("turn {number} · {words}", number=f"{turns:,}", words=said)
    elif said:
        words = tr("says: {words}", words=said)
    elif turns:
        words = tr.count("{n} turns so far", "{n} turn so far", turns)
    else:
        return None
    key = f"{slot.slot_id}/{attempt.attempt_id}/work"
    return Told(key, None, slot.slot_id, one_line(slot.title, 60), "bot", Family.NEUTRAL, words)


def _closed_questions(before: SlotView | None, slot: SlotView) -> Iterator[Told]:
    """The answers that questions were given and by whom, each once; and questions that closed without one."""
    asked = {question.request_id: question for question in before.approvals} if before is not None else {}
    who, slot_id = one_line(slot.title, 60), slot.slot_id
    for said in slot.answers:
        parts = {"actor": one_line(said.actor, 60), "choice": one_line(said.choice, 80)}
        words = tr("{actor} answered “{choice}”", **parts)
        if said.because is not None:
            words = tr("answered “{choice}” again, as {actor} allowed for this run", **parts)
        elif (question := asked.pop(said.request_id, None)) is not None:
            text = one_line(question.question, 120)
            words = tr("{actor} answered “{choice}” to: {question}", question=text, **parts)
        key = f"{slot_id}/answered {said.request_id}"
        yield Told(key, said.at, slot_id, who, "check", Family.NEUTRAL, words)
    still = {question.request_id for question in slot.approvals}
    for request in (one for one in asked if one not in still):
        key = f"{slot_id}/closed {request}"
        words = tr("question is closed without an answer")
        yield Told(key, None, slot_id, who, "check", Family.NEUTRAL, words)
