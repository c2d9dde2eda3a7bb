"""`reassign`, `claim`, `resume`: one slot of a run is taken up again, by a person, with a reason (A8).

`resume` is `reassign`, then `claim`; where the claim is refused the slot visibly stays re-opened (C3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quarterdeck.cli import exits
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.cli.finding import find_run, find_slot
from quarterdeck.cli.launching import finish
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import escaped
from quarterdeck.cli.supervise import Ending, Manner, supervise
from quarterdeck.cli.words import slot_title
from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import RunView
from quarterdeck.engine.recovery import ResumePreview

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door


@dataclass(frozen=True, slots=True)
class Reopening:
    """What stood on the command line. agent and worker_class exclude each other; neither: as before."""

    run: str
    node: str
    reason: str
    agent: str | None = None
    worker_class: str | None = None


async def reassign(call: Call, wish: Reopening) -> int:
    """Re-open one slot; nothing starts. Exit 0, or 5 where a guard refuses."""
    _check_choice(wish)
    async with call.door() as door:
        run, _ = await _reassign(call, door, wish)
        view = await door.run(run)
        if call.console.as_json and view is not None:
            call.console.print_document(run_to_json(view, with_slots=True))
    return exits.DONE


async def claim(call: Call, start: str, node: str, go_on: bool) -> int:
    """Start one attempt, then supervise."""
    async with call.door() as door:
        view = await find_run(door, start)
        ending = await _claim(call, door, view.run_id, find_slot(view, node).slot_id, go_on)
    return finish(call.console, ending)


async def resume(call: Call, wish: Reopening, go_on: bool, budget: str | None) -> int:
    """Reassign, raise the limit where one is given, claim, supervise."""
    _check_choice(wish)
    limit = parse_usd(budget) if budget is not None else None
    if budget is not None and limit is None:
        raise UsageProblem(f"--budget takes an amount in US dollars such as 2.50, not {budget!r}.")
    async with call.door() as door:
        run, slot = await _reassign(call, door, wish)
        if limit is not None:
            _check(await door.raise_budget(run, slot, limit))
        ending = await _claim(call, door, run, slot, go_on)
    return finish(call.console, ending)


def _check_choice(wish: Reopening) -> None:
    if wish.agent is not None and wish.worker_class is not None:
        raise UsageProblem("--agent names one agent and --class any of a class; give one of them.")


async def _reassign(call: Call, door: Door, wish: Reopening) -> tuple[RunId, SlotId]:
    view = await find_run(door, wish.run)
    slot = find_slot(view, wish.node)
    if wish.agent is not None and slot.state is SlotState.PENDING and not slot.attempts:
        _check(await door.switch_agent(view.run_id, slot.slot_id, wish.agent))
        words = f"{slot_title(slot)} waits for its first attempt, now with {wish.agent}; nothing was started."
        call.console.say(escaped(words))
        return view.run_id, slot.slot_id
    before = await door.recovery.before_resume(view.run_id, slot.slot_id)
    if not isinstance(before, Refusal):  # else the reassign says why, in its own words
        _refuse_survivor(view, slot.slot_id, before)
        for words in _differences(before, wish):
            call.console.say(escaped(words))
    _check(await door.reassign(view.run_id, slot.slot_id, wish.reason, wish.agent, wish.worker_class))
    call.console.say(escaped(f"{slot_title(slot)} is re-opened and waits to start; nothing was started."))
    return view.run_id, slot.slot_id


def _refuse_survivor(view: RunView, slot: SlotId, before: ResumePreview) -> None:
    """A process of its last attempt lives on in a run that has ended: that is named, and how it is ended (REC9)."""
    refused = before.refusal
    if view.is_live or refused is None or refused.code is not Code.E_WORKER_NOT_TERMINAL:
        return
    hint = f"{refused.message} `quarterdeck stop {view.run_id[:14]} {slot}` does."
    raise Refused(replace(refused, message=hint))


def _differences(before: ResumePreview, wish: Reopening) -> list[str]:
    """What is another than at the last start, before anything is started (PIN6), and what may be missing in what is told."""
    chosen = [
        one for one in before.choices if (one.agent == wish.agent if wish.agent is not None else one.is_prior)
    ]
    told = [f"{file.path}: {file.words}." for one in chosen for file in one.files if file.differs]
    told += [one.problem for one in chosen if one.problem]
    return told + [f"Not everything that it told can be read: {why}." for why in before.unread]


async def _claim(call: Call, door: Door, run: RunId, slot: SlotId, go_on: bool) -> Ending:
    claimed = await door.claim(run, slot, go_on)
    if isinstance(claimed, Refusal):
        raise Refused(claimed)
    view = await door.run(run)
    if view is None or not view.foreign:  # a run that this claim opened ends by itself, with the attempt
        return await supervise(call, door, run, Manner())
    return await supervise(call, door, run, Manner(foreign=True, until=None if go_on else claimed, slot=slot))


def _check(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise Refused(refusal)
