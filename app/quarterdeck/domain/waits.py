"""How long a run waited for a person: each question with the moments at which it was asked and answered. Pure.

Views show the questions that are open; this is their history, folded from journal entries and reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from quarterdeck.domain.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AttemptClaimed,
    AttemptEnded,
    Entry,
    RunEnded,
)
from quarterdeck.domain.ids import AttemptId, RequestId, SlotId
from quarterdeck.domain.moment import Moment, later_of
from quarterdeck.domain.open_questions import OpenQuestions, request_id_of
from quarterdeck.domain.reports import APPROVAL, APPROVAL_ANSWERED, STARTING, Report
from quarterdeck.domain.views import SittingView


@dataclass(frozen=True, slots=True)
class Wait:
    """One question. `answered_at` None: still open. `was_answered` False: the agent or its run ended first."""

    slot_id: SlotId
    attempt_id: AttemptId | None
    request_id: RequestId
    question: str
    asked_at: Moment
    answered_at: Moment | None = None
    was_answered: bool = False


def waits_of(entries: Iterable[Entry], reports: Mapping[AttemptId, Iterable[Report]]) -> tuple[Wait, ...]:
    """Every question of a run in the order in which it was asked. reports: {attempt: those of kinds that matter here}."""
    found: dict[RequestId, Wait] = {}
    slots: dict[AttemptId, SlotId] = {}
    answers: list[Entry] = []
    ends: dict[AttemptId, Moment] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, ApprovalAsked):
            asked = Wait(event.slot_id, None, event.request_id, event.question, entry.at)
            found[event.request_id] = asked
        elif isinstance(event, ApprovalAnswered):
            answers.append(entry)
        elif isinstance(event, AttemptEnded):
            ends[event.attempt_id] = entry.at
        elif isinstance(event, RunEnded):
            _close_open(found, entry.at)
            ends |= {attempt: entry.at for attempt in slots if attempt not in ends}  # of one that is lost
        elif isinstance(event, AttemptClaimed):
            slots[event.attempt_id] = event.slot_id
    for attempt, lines in reports.items():
        if attempt in slots:
            found |= _asked_by_agent(slots[attempt], attempt, lines, ends.get(attempt))
    _answer(found, answers)
    return tuple(sorted(found.values(), key=lambda w: w.asked_at.wall_ms))


def within(waits: Iterable[Wait], sittings: Iterable[SittingView]) -> tuple[Wait, ...]:
    """The waits, none longer than its sitting: whose owner was lost, that waits no more, whenever it was settled."""
    lost = [sitting for sitting in sittings if sitting.settled_at is not None]
    return tuple(_within(wait, lost) for wait in waits)


def _within(wait: Wait, lost: Iterable[SittingView]) -> Wait:
    for sitting in lost:
        opened, ended, settled = sitting.opened_at, sitting.ended_at, sitting.settled_at
        assert ended is not None
        assert settled is not None
        is_in = opened.wall_ms <= wait.asked_at.wall_ms <= settled.wall_ms
        if is_in and not wait.was_answered and wait.answered_at is not None:
            return replace(wait, answered_at=later_of(ended, wait.asked_at))
    return wait


def _close_open(found: dict[RequestId, Wait], at: Moment) -> None:
    """A question of an approval node in a run that ended keeps being open, but the run waits no longer."""
    for request, wait in found.items():
        if wait.answered_at is None:
            found[request] = replace(wait, answered_at=at)


def _answer(found: dict[RequestId, Wait], answers: Iterable[Entry]) -> None:
    for entry in answers:
        event = entry.event
        assert isinstance(event, ApprovalAnswered)
        wait = found.get(event.request_id)
        if wait is not None and not wait.was_answered:
            earlier = wait.answered_at is not None and wait.answered_at.wall_ms < entry.at.wall_ms
            at = wait.answered_at if earlier else entry.at
            found[event.request_id] = replace(wait, answered_at=at, was_answered=True)


def _asked_by_agent(
    slot: SlotId, attempt: AttemptId, lines: Iterable[Report], ended_at: Moment | None
) -> dict[RequestId, Wait]:
    boot = ended_at.boot if ended_at is not None else ""
    found: dict[RequestId, Wait] = {}
    last: Moment | None = None
    asking = OpenQuestions()
    for line in lines:
        if line.get("kind") == STARTING:
            boot = str(line.get("boot") or boot)
        at = Moment(boot, int(line.get("boot_ms") or 0), int(line.get("wall_ms") or 0))
        last = at
        own = str(line.get("id") or "")
        before = request_id_of(attempt, asking.name_of(own))
        if line.get("kind") == APPROVAL:
            asking.ask({**line})
            request = request_id_of(attempt, asking.name_of(own))
            if request != before and before in found and found[before].answered_at is None:
                found[before] = replace(found[before], answered_at=at)  # another took its place
            said = Wait(slot, attempt, request, str(line.get("question") or ""), at)
            found.setdefault(request, said)
        elif line.get("kind") == APPROVAL_ANSWERED and before in found:
            found[before] = replace(found[before], answered_at=at, was_answered=True)
            asking.take_answer({**line})
    if ended_at is not None:
        end = last if last is not None and last.boot == ended_at.boot else ended_at
        for request, wait in found.items():
            if wait.answered_at is None:
                closed = end if end.boot_ms > wait.asked_at.boot_ms else ended_at
                found[request] = replace(wait, answered_at=closed)
    return found
