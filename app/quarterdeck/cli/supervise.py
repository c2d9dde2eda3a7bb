"""Supervision of a run from this terminal: progress, questions, warnings, events, signals, until it has ended.

One `Supervision` owns its tasks (in one TaskGroup): the watcher, which looks at the run when it changed, at most ten
times a second; the event follower; the asker. None of them writes to a stream itself: a slow reader of stdout or
stderr holds up its own writer thread and, for events, their follower, never the engine.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from quarterdeck.cli import exits
from quarterdeck.cli.console import OutputLost, PacedWriter, json_bytes
from quarterdeck.cli.documents import event_document
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import duration_text, escaped, money_text
from quarterdeck.cli.progress import new_progress
from quarterdeck.cli.questions import (
    IS_CLOSED,
    QUIET_S,
    Arrival,
    Closed,
    ask,
    command_text,
    question_text,
    reading_lines,
)
from quarterdeck.cli.words import AT_WORK, acting_text, slot_title
from quarterdeck.domain.budget_words import Shared, whose
from quarterdeck.domain.ids import AttemptId, RequestId, RunId, SlotId
from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.refusal import Code
from quarterdeck.domain.states import TERMINAL_ATTEMPT
from quarterdeck.domain.views import ApprovalView, AttemptView, RunView, SlotView

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door, FeedEvent

LOOK_AT_LEAST_EVERY_S = 1.0
FRAME_S = 0.1
LAST_EVENTS_WITHIN_S = 10.0
WRITTEN_WITHIN_S = 2.0
DISK_IS_WAITED_FOR = "The disk takes nothing; it is waited for a few seconds more. What is not recorded by then is settled at the next start."


@dataclass(frozen=True, slots=True)
class Manner:
    """How a run is supervised.

    foreign: another process owns the run, and this one looks on. There `until` names an attempt at whose end the
    looking ends, though the run goes on, and `slot` what a Ctrl+C here may end.
    """

    events: bool = False
    no_wait: bool = False
    foreign: bool = False
    until: AttemptId | None = None
    slot: SlotId | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How supervision ended: the run as it then stood, and the exit code."""

    view: RunView
    exit_code: int


def _unread(fault: BrokenPipeError | OutputLost) -> str:
    if isinstance(fault, OutputLost):
        return f"The events cannot be written: {fault.strerror}. The run goes on."
    return "Nobody reads the events any more; the run goes on."


def _has_agent(slot: SlotView) -> bool:
    return any(attempt.status not in TERMINAL_ATTEMPT for attempt in slot.attempts)


_WHOSE: dict[Shared, str] = {
    Shared.RUN: "The run has",
    Shared.WORKFLOW: "All runs of the workflow together have",
    Shared.NIGHT: "All runs of the night together have",
}


def _money(amount: object, source: str = "reported") -> str:
    return money_text(parse_usd(amount), True, source)


async def supervise(call: Call, door: Door, run: RunId, manner: Manner) -> Ending:
    """Watch a run until it has ended. Signals end its agents first (ruling 20)."""
    supervision = Supervision(call, door, run, manner)
    try:
        ending = await supervision.until_end()
    finally:
        await supervision.close()
    is_lost = manner.events and supervision.has_lost_events
    return replace(ending, exit_code=exits.of_lost_output(ending.exit_code)) if is_lost else ending


class Supervision:
    """One run, watched. `until_end` once, then `close`."""

    def __init__(self, call: Call, door: Door, run: RunId, manner: Manner) -> None:
        self._call, self._door, self._run, self._manner = call, door, run, manner
        call.console.masks.live = lambda: door.sign_ins.handed
        self._out = PacedWriter(call.console.out, call.console.masks)
        self._err = PacedWriter(call.console.err, call.console.masks)
        self._progress = new_progress(self._err, dumb=os.environ.get("TERM", "dumb") == "dumb")
        self._arrivals: asyncio.Queue[Arrival] = asyncio.Queue()
        self._to_ask: asyncio.Queue[tuple[ApprovalView, str]] = asyncio.Queue()
        self._open: set[RequestId] = set()
        self._was_interactive = call.console.is_interactive and not manner.no_wait
        self._ended_for_asking = False
        self._group: asyncio.TaskGroup | None = None
        self._view: RunView | None = None
        self._told_broken = False
        self._told_unknown: set[SlotId] = set()
        self._is_ending = False
        self._is_leaving = False

    async def until_end(self) -> Ending:
        """The run's last view and the exit code that follows from it."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            watcher = group.create_task(self._watch())
            follower = None if self._manner.foreign else group.create_task(self._follow_events())
            asker = group.create_task(self._ask_all()) if self._was_interactive else None
            with self._call.signals.taken_by(self._on_signal):
                view = await self._until_over()
                if follower is not None:
                    await asyncio.wait({follower}, timeout=LAST_EVENTS_WITHIN_S)
            for task in (watcher, follower, asker):
                if task is not None:
                    task.cancel()
        self._progress.show(view, self._call.console.now_ms())
        self._progress.close()
        return Ending(view, self._exit_code(view))

    @property
    def has_lost_events(self) -> bool:
        """Events were wanted and could not be written; a reader who left wanted no more."""
        return isinstance(self._out.fault, OutputLost)

    async def close(self) -> None:
        """Everything said is written, as far as somebody reads it."""
        await self._err.drained(WRITTEN_WITHIN_S)
        await self._out.drained(WRITTEN_WITHIN_S)
        self._err.close()
        self._out.close()

    async def _until_over(self) -> RunView:
        if not self._manner.foreign:
            return await self._door.wait_ended(self._run)
        feed = self._door.subscribe()
        try:
            while True:
                view = await self._look()
                attempt = _attempt(view, self._manner.until)
                is_over = attempt is not None and attempt.status in TERMINAL_ATTEMPT
                if not view.is_live or is_over or self._is_leaving:
                    return view
                await _changed_within(feed.wait_changed(), LOOK_AT_LEAST_EVERY_S)
                feed.take()
        finally:
            feed.close()

    def _exit_code(self, view: RunView) -> int:
        if self._call.signals.first is not None:
            return self._call.signals.exit_code
        if view.recording is False and not view.foreign:
            return exits.STORE
        if view.fault:
            return exits.INTERNAL
        if self._manner.foreign and view.is_live:
            attempt = _attempt(view, self._manner.until)
            return exits.of_attempt(attempt.status) if attempt else exits.STOPPED
        code = exits.of_run(view)
        return exits.WAITS_FOR_PERSON if self._ended_for_asking and code != exits.FAILED else code

    # --------------------------------------------------------------------------------- watching

    async def _look(self) -> RunView:
        view = self._door.live_run(self._run) or await self._door.run(self._run)
        assert view is not None, f"{self._run} was launched and is unknown"
        return view

    async def _watch(self) -> None:
        feed = self._door.subscribe()
        try:
            while True:
                self._view = await self._look()
                self._progress.show(self._view, self._call.console.now_ms())
                self._notice_questions(self._view)
                await self._notice_unknown_costs(self._view)
                if self._manner.no_wait:
                    await self._end_if_only_people_are_left(self._view)
                await _changed_within(feed.wait_changed(), LOOK_AT_LEAST_EVERY_S)
                feed.take()
                await asyncio.sleep(FRAME_S)
        finally:
            feed.close()

    async def _follow_events(self) -> None:
        async for event in self._door.events(self._run):
            if event.type == "budget_warned":
                self._warn_of_budget(event)
            elif event.type == "machine_slept":
                slept = duration_text(int(event.data.get("slept_ms") or 0))
                self._progress.say(f"The computer slept for {slept}; nothing was ended for it.")
            if self._manner.events and self._out.fault is None:
                await self._out.put(json_bytes(self._call.console.masks.value(event_document(event))))
            elif self._out.fault is not None and not self._told_broken:
                self._told_broken = True
                self._progress.say(escaped(_unread(self._out.fault)))

    def _warn_of_budget(self, event: FeedEvent) -> None:
        of = whose(str(event.data.get("scope", "run")))
        who = _WHOSE[of] if isinstance(of, Shared) else f"{_title_in(self._view, of)} has"
        self._progress.say(escaped(f"Warning: {who} spent {_nearly_spent(event, who)}."))

    async def _notice_unknown_costs(self, view: RunView) -> None:
        """Once for each agent: a limit that cannot act is no protection, and what does act is said (case 88)."""
        for slot in view.slots:
            unpriced = [one for one in slot.attempts if one.figures.is_unpriced]
            if not unpriced or slot.slot_id in self._told_unknown:
                continue
            self._told_unknown.add(slot.slot_id)
            is_limited = view.budget_usd is not None or any(one.budget_usd is not None for one in unpriced)
            if not is_limited and not (await self._door.shared_spending()).standings:
                continue
            words = f"Warning: what {slot_title(slot)} costs is unknown; the spending limit cannot act on it."
            self._progress.say(escaped(f"{words} {acting_text(unpriced[-1])}"))

    # --------------------------------------------------------------------------------- questions

    def _notice_questions(self, view: RunView) -> None:
        asked = {one.request_id: (one, slot) for slot in view.slots for one in slot.approvals}
        for request in self._open - asked.keys():
            self._arrivals.put_nowait(Closed(request))
        for request in [one for one in asked if one not in self._open]:
            self._notice(*asked[request])
        self._open = set(asked)

    def _notice(self, question: ApprovalView, slot: SlotView) -> None:
        if self._manner.no_wait:
            self._start(self._end_asker(question, slot))
        elif self._was_interactive:
            self._to_ask.put_nowait((question, slot_title(slot)))
        else:
            self._progress.say(f"{question_text(question, slot_title(slot))}\n{command_text(question)}")

    async def _ask_all(self) -> None:
        assert self._call.console.stdin_fd is not None
        while True:
            question, title = await self._to_ask.get()
            if question.request_id not in self._open:
                continue
            given = await self._ask(question, title, self._call.console.stdin_fd)
            if isinstance(given, Closed):
                continue
            if given is None:
                self._progress.say(f"Nobody answers here. {command_text(question)}")
                continue
            refusal = await self._door.answer(self._run, question.request_id, given)
            self._progress.say(escaped(f"Answered {given!r}." if refusal is None else refusal.message))
            if refusal is not None and refusal.code is not Code.E_REQUEST:
                self._to_ask.put_nowait((question, title))  # it was not taken, and is asked again

    async def _ask(self, question: ApprovalView, title: str, stdin_fd: int) -> str | Closed | None:
        """Show a question, and take what is typed once it has stood there for QUIET_S; the live block rests meanwhile."""
        self._progress.hold()
        try:
            self._progress.say(question_text(question, title))
            await asyncio.sleep(QUIET_S)
            if question.request_id not in self._open:
                self._progress.say(IS_CLOSED)
                return Closed(question.request_id)
            with reading_lines(stdin_fd, self._arrivals):
                return await ask(question, self._progress, self._arrivals)
        finally:
            self._progress.release()

    async def _end_asker(self, question: ApprovalView, slot: SlotView) -> None:
        self._ended_for_asking = True
        self._progress.say(f"{question_text(question, slot_title(slot))}\nEnded, as --no-wait asks.")
        if question.attempt_id is not None:  # an approval node has no agent to end: it simply stays open
            refusal = await self._door.stop_slot(self._run, slot.slot_id, nobody_there=True)
            if refusal is not None:
                self._progress.say(escaped(refusal.message))

    async def _end_if_only_people_are_left(self, view: RunView) -> None:
        """With --no-wait a run whose open approval nodes are all that is left has nothing to wait for."""
        held = [slot for slot in view.slots if slot.approvals]
        at_work = [
            slot for slot in view.slots if slot not in held and (slot.display in AT_WORK or slot.retry_at_ms)
        ]
        if (
            not held
            or at_work
            or view.stopping
            or any(one.attempt_id for slot in held for one in slot.approvals)
        ):
            return
        await asyncio.sleep(LOOK_AT_LEAST_EVERY_S)  # a node that follows may be about to be claimed
        again = await self._look()
        if again.seq == view.seq and again.is_live:
            self._report(await self._door.stop_run(self._run))

    # --------------------------------------------------------------------------------- signals

    def _on_signal(self, arrived: signal.Signals) -> None:
        """On the loop. The first signal decides how the run ends; later ones are told that it is ending, and end the
        looking at a run that another process owns.
        """
        view = self._view
        at_work = sum(_has_agent(slot) for slot in view.slots) if view is not None else 0
        if self._is_ending:
            self._progress.say(f"Still ending {at_work} of the agents; each has 4 s, then it is killed.")
            if view is not None and view.recording is False:
                self._progress.say(DISK_IS_WAITED_FOR)
            self._start(self._leave())
            return
        self._is_ending = True
        what = f"ending the agents ({at_work})" if at_work else "ending the run; no agent is at work"
        self._progress.say(f"{arrived.name}: {what}.")
        is_others = arrived is signal.SIGINT and self._manner.slot is not None
        self._start(self._stop_other() if is_others else self._leave())

    async def _stop_other(self) -> None:
        """Of a run that another process owns, only what was started from here."""
        assert self._manner.slot is not None
        self._report(await self._door.stop_slot(self._run, self._manner.slot))

    async def _leave(self) -> None:
        """End every agent of this process and wait for the proof, and a while for a disk that takes nothing: what is not
        recorded by then is settled by its evidence at the next start.
        """
        self._is_leaving = True
        await self._door.close(reason=self._call.signals.close_reason)

    def _report(self, refusal: Any) -> None:
        if refusal is not None:
            self._progress.say(escaped(refusal.message))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        assert self._group is not None
        self._group.create_task(work)


def _title_in(view: RunView | None, slot_id: SlotId) -> str:
    slots = view.slots if view is not None else ()
    return next((slot_title(slot) for slot in slots if slot.slot_id == slot_id), slot_id)


def _nearly_spent(event: FeedEvent, who: str) -> str:
    spent = _money(event.data.get("spent_usd"), str(event.data.get("spent_source", "reported")))
    of = "their" if who.endswith("have") else "its"
    return f"{spent} of {of} limit of {_money(event.data.get('limit_usd'))}"


async def _changed_within(change: Coroutine[Any, Any, None], within_s: float) -> None:
    try:
        async with asyncio.timeout(within_s):
            await change
    except TimeoutError:
        return


def _attempt(view: RunView, attempt_id: AttemptId | None) -> AttemptView | None:
    for slot in view.slots:
        for attempt in slot.attempts:
            if attempt.attempt_id == attempt_id:
                return attempt
    return None
