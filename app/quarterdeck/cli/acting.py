"""Verbs that act on a live run, also one of another process: `pause`, `continue`, `stop`, `answer`, `withdraw`, `say`.

The engine forwards them over the owner's socket, so no session is begun here: a full disk stops no `stop`. `stop`
waits until the agents are proved to have ended, for as long as their grace allows; `pause` and `continue` until it is
reported that the agent is held or goes on. Where that takes too long, the words say so.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.errors import Refused
from quarterdeck.cli.finding import find_choice, find_question, find_run, find_slot
from quarterdeck.cli.loop import Call
from quarterdeck.cli.masking import mask_run
from quarterdeck.cli.plain_text import clipped, escaped
from quarterdeck.cli.words import run_summary_text, slot_title, title_text
from quarterdeck.domain.ids import MessageId, RequestId, RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import TERMINAL_ATTEMPT, AttemptStatus
from quarterdeck.domain.views import MessageView, RunView, SlotView

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

STOP_WITHIN_S = 12.0
"""From the asking: grace of 4 s, the last KILLs, proof and record; beyond it the end is not known and is said to be so."""
REPORTED_WITHIN_S = 5.0
"""How long an agent's shim may take to report that its tree is held, or goes on."""
LOOK_EVERY_S = 0.1
ASKED_SHOWN = 400
"""Columns of the question that are said with its answer."""


async def pause(call: Call, start: str, node: str) -> int:
    """Hold one agent; waits until it is reported to be held."""
    words = {
        AttemptStatus.PAUSED: "{} is paused. A request that it already sent may still be billed.",
        AttemptStatus.RUNNING: "{} is asked to pause, and has not reported it yet. `quarterdeck show` tells.",
    }
    return await _until_it_leaves(
        call, start, node, lambda door: door.pause, AttemptStatus.RUNNING, words, "{} was not paused: {}."
    )


async def continue_(call: Call, start: str, node: str) -> int:
    """Let one paused agent go on; waits until it is reported to do so."""
    words = {
        AttemptStatus.PAUSED: "{} is told to go on, and has not reported it yet. `quarterdeck show` tells.",
        AttemptStatus.RUNNING: "{} goes on.",
    }
    return await _until_it_leaves(
        call, start, node, lambda door: door.continue_, AttemptStatus.PAUSED, words, "{}: {}."
    )


async def _until_it_leaves(
    call: Call,
    start: str,
    node: str,
    command: Callable[[Door], Callable[[RunId, SlotId], Awaitable[Refusal | None]]],
    before: AttemptStatus,
    words: Mapping[AttemptStatus, str],
    otherwise: str,
) -> int:
    """Give one agent a command and wait until its status is no longer `before`; then say how it stands, in `words` by its
    status, with title and shown state.
    """
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        slot = find_slot(view, node).slot_id
        _check(await command(door)(view.run_id, slot))
        view = await _until(
            door,
            view,
            lambda view: _status(find_slot(view, slot)) is not before,
            time.monotonic() + REPORTED_WITHIN_S,
        )
        after = find_slot(view, slot)
        status = _status(after)
        said = words.get(status, otherwise) if status is not None else otherwise
        return await _finish(call.console, door, view.run_id, said.format(slot_title(after), after.display))


async def answer(call: Call, start: str, request: str, choice: str) -> int:
    """Answer one open question; of a run that has ended this process journals it itself, and starts nothing (ruling 6)."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        if view.is_live:
            return await _answer(call, door, view, request, choice)
    async with call.door() as door:
        return await _answer(call, door, view, request, choice)


async def _answer(call: Call, door: Door, view: RunView, request: str, choice: str) -> int:
    question = find_question(view, request)
    chosen = find_choice(question, choice)
    _check(await door.answer(view.run_id, question.request_id, chosen))
    title = next(slot_title(slot) for slot in view.slots if slot.slot_id == question.slot_id)
    words = f"Answered {chosen!r} to {title}, who asked: {clipped(escaped(question.question), ASKED_SHOWN)}"
    return await _finish(call.console, door, view.run_id, words)


async def withdraw(call: Call, start: str, request: str) -> int:
    """Take back what was allowed for the run; of one that has ended this process journals it itself."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        if view.is_live:
            return await _withdraw(call, door, view, request)
    async with call.door() as door:
        return await _withdraw(call, door, view, request)


async def _withdraw(call: Call, door: Door, view: RunView, request: str) -> int:
    _check(await door.withdraw_allowed(view.run_id, RequestId(request)))
    words = "Withdrawn: the same request is asked again from now on."
    return await _finish(call.console, door, view.run_id, words)


async def say(call: Call, start: str, node: str, text: str) -> int:
    """Send a message to an agent at work; waits until its program has taken it, or has not."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        slot = find_slot(view, node)
        before = {one.message_id for one in _messages(slot)}
        _check(await door.say(view.run_id, slot.slot_id, text))
        delivered = await _delivered(door, view.run_id, slot.slot_id, before)
        title = slot_title(slot)
        said = {
            True: f"{title} was told.",
            False: f"The program of {title} did not take it; the message stays recorded as not delivered.",
            None: f"The message to {title} is recorded and waits: its program has not taken it yet, at the latest when its turn is over.",
        }
        return await _finish(call.console, door, view.run_id, said[delivered])


def _messages(slot: SlotView) -> tuple[MessageView, ...]:
    return slot.attempts[-1].messages if slot.attempts else ()


async def _delivered(door: Door, run: RunId, slot: SlotId, before: set[MessageId]) -> bool | None:
    """Whether the newest message was handed to the agent's program; None where that is not reported in time."""
    end_s = time.monotonic() + REPORTED_WITHIN_S
    while True:
        view = await door.run(run)
        found = find_slot(view, slot) if view is not None else None
        fresh = [one for one in _messages(found) if one.message_id not in before] if found is not None else []
        if fresh and fresh[-1].delivered is not None:
            return fresh[-1].delivered
        if time.monotonic() >= end_s:
            return None
        await asyncio.sleep(LOOK_EVERY_S)


async def stop(call: Call, start: str, node: str | None) -> int:
    """End a run, or one agent, also processes that outlived their run. Exit 0 once the request is durable, whatever the agents
    then do.
    """
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        end_s = time.monotonic() + STOP_WITHIN_S
        if node is None:
            _check(await door.stop_run(view.run_id))
            view = await _ended(door, view, None, end_s)
            text = _run_text(view, call.console)
        else:
            slot = find_slot(view, node)
            ended_now = await _end_survivors(call, view, slot)
            if not ended_now:
                _check(await door.stop_slot(view.run_id, slot.slot_id))
            view = await _ended(door, view, slot.slot_id, end_s)
            after = find_slot(view, slot.slot_id)
            text = f"{slot_title(after)}: {after.display}" + (f", {after.reason}." if after.reason else ".")
            text = f"{ended_now} {text}".strip()
        return await _finish(call.console, door, view.run_id, text)


async def _end_survivors(call: Call, view: RunView, slot: SlotView) -> str:
    """End what is alive of an agent whose run has ended, each process by its verified identity; what became of them.

    Empty where there is nothing of that kind. What became of them is journaled, so a session is begun for it.
    """
    if view.is_live or _status(slot) is not AttemptStatus.LOST:
        return ""
    said = []
    async with call.door() as door:
        left = await door.recovery.survivors(view.run_id, slot.slot_id)
        while not isinstance(left, Refusal) and left:
            one = left[0]
            attempt = slot.attempts[-1].attempt_id
            ended = await door.recovery.end_process(view.run_id, attempt, one.pid, one.start_ticks)
            said.append(ended.message if isinstance(ended, Refusal) else ended.words)
            if isinstance(ended, Refusal) or ended.result == "still_alive":
                break
            left = ended.left
    return " ".join(said) or "Nothing of it is alive any more."


async def _ended(door: Door, view: RunView, slot: SlotId | None, end_s: float) -> RunView:
    """The run once it, or that slot's last attempt, is over; as it stands at `end_s`."""
    return await _until(door, view, lambda view: _is_over(view, slot), end_s)


async def _until(door: Door, view: RunView, holds: Callable[[RunView], bool], end_s: float) -> RunView:
    """The run once the condition holds; as it stands at that monotonic time. Looked at after the command was taken."""
    view = await door.run(view.run_id) or view
    while not holds(view) and time.monotonic() < end_s:
        await asyncio.sleep(LOOK_EVERY_S)
        view = await door.run(view.run_id) or view
    return view


def _status(slot: SlotView) -> AttemptStatus | None:
    return slot.attempts[-1].status if slot.attempts else None


def _is_over(view: RunView, slot: SlotId | None) -> bool:
    if slot is None:
        return not view.is_live
    attempts = find_slot(view, slot).attempts
    return not attempts or attempts[-1].status in TERMINAL_ATTEMPT


def _run_text(view: RunView, console: Console) -> str:
    name = f"{title_text(view.workflow_name)} ({view.run_id[:14]})"
    if view.is_live:
        left = ", ".join(
            f"{slot_title(slot)}: {slot.display}" for slot in view.slots if not _is_over(view, slot.slot_id)
        )
        return f"{name} is asked to end, and has not ended yet. {left}"
    return f"{name} ended ({(view.reason or 'stopped').rstrip('.')}). {run_summary_text(view, console.now_ms())}."


def _check(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise Refused(refusal)


async def _finish(console: Console, door: Door, run: RunId, text: str) -> int:
    console.say(escaped(text))
    if console.as_json:
        view = await door.run(run)
        if view is not None:
            await mask_run(console.masks, door, run)
            console.print_document(run_to_json(view, with_slots=True))
    return exits.DONE
