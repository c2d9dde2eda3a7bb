"""Verbs that act on a live run, also one of another process: `pause`, `continue`, `stop`, `answer`.

The engine forwards them over the owner's socket, so no session is begun here: a full disk stops no `stop`. A verb returns once the request is durable; `stop` waits until the
agents are proved to have ended, for as long as their grace allows, and says so where they have not.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.errors import Refused
from quarterdeck.cli.finding import find_choice, find_question, find_run, find_slot
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import escaped
from quarterdeck.cli.words import run_summary_text, slot_title
from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import TERMINAL_ATTEMPT
from quarterdeck.domain.views import RunView

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

STOP_WITHIN_S = 12.0
"""Grace of 4 s, the last KILLs, proof and record; beyond it the end is not known and is said to be so."""
LOOK_EVERY_S = 0.1


async def pause(call: Call, start: str, node: str) -> int:
    """Hold one agent."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        slot = find_slot(view, node)
        _check(await door.pause(view.run_id, slot.slot_id))
        text = f"{slot_title(slot)} is paused. A request that it already sent may still be billed."
        return await _finish(call.console, door, view.run_id, text)


async def continue_(call: Call, start: str, node: str) -> int:
    """Let one paused agent go on."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        slot = find_slot(view, node)
        _check(await door.continue_(view.run_id, slot.slot_id))
        return await _finish(call.console, door, view.run_id, f"{slot_title(slot)} goes on.")


async def answer(call: Call, start: str, request: str, choice: str) -> int:
    """Answer one open question."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        question = find_question(view, request)
        chosen = find_choice(question, choice)
        _check(await door.answer(view.run_id, question.request_id, chosen))
        return await _finish(call.console, door, view.run_id, f"Answered {chosen!r}.")


async def stop(call: Call, start: str, node: str | None) -> int:
    """End a run, or one agent. Exit 0 once the request is durable, whatever the agents then do."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        if node is None:
            _check(await door.stop_run(view.run_id))
            view = await _ended(door, view, None)
            text = _run_text(view, call.console)
        else:
            slot = find_slot(view, node)
            _check(await door.stop_slot(view.run_id, slot.slot_id))
            view = await _ended(door, view, slot.slot_id)
            after = find_slot(view, slot.slot_id)
            text = f"{slot_title(after)}: {after.display}" + (f", {after.reason}." if after.reason else ".")
        return await _finish(call.console, door, view.run_id, text)


async def _ended(door: Door, view: RunView, slot: SlotId | None) -> RunView:
    """The run once it, or that slot's last attempt, is over; as it stands after STOP_WITHIN_S."""
    try:
        async with asyncio.timeout(STOP_WITHIN_S):
            while not _is_over(view, slot):
                await asyncio.sleep(LOOK_EVERY_S)
                view = await door.run(view.run_id) or view
    except TimeoutError:
        return view
    return view


def _is_over(view: RunView, slot: SlotId | None) -> bool:
    if slot is None:
        return not view.is_live
    attempts = find_slot(view, slot).attempts
    return not attempts or attempts[-1].status in TERMINAL_ATTEMPT


def _run_text(view: RunView, console: Console) -> str:
    name = f"{view.workflow_name} ({view.run_id[:14]})"
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
            console.print_document(run_to_json(view, with_slots=True))
    return exits.DONE
