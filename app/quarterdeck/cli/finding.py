"""From what a person types to what the door takes: runs by a start of their id, slots by node, questions by either."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quarterdeck.cli.errors import Refused
from quarterdeck.domain.not_open import meant_by, why_not_open
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.text import escaped
from quarterdeck.domain.views import ApprovalView, RunView, SlotView

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door


async def find_run(door: Door, start: str) -> RunView:
    """The run whose id is, or unambiguously starts with, `start`. Raises Refused."""
    found = await door.find_run(start)
    if isinstance(found, Refusal):
        raise Refused(found)
    view = await door.run(found)
    if view is None:
        raise Refused(Refusal(Code.E_RUN, f"There is no run {start!r}; `quarterdeck runs` lists them."))
    return view


def find_slot(view: RunView, node: str) -> SlotView:
    """The slot of that id, or the only one of that node. Raises Refused(E_SLOT), naming what there is."""
    for slot in view.slots:
        if slot.slot_id == node:
            return slot
    of_node = [slot for slot in view.slots if slot.node_id == node]
    if len(of_node) == 1:
        return of_node[0]
    known = ", ".join(slot.slot_id for slot in (of_node or view.slots)[:20])
    what = f"{node!r} has several slots" if of_node else f"This run has no node {node!r}"
    raise Refused(Refusal(Code.E_SLOT, f"{what}; name one of: {known}.", (("slot", node),)))


def find_question(view: RunView, request: str) -> ApprovalView:
    """The open question of that id; or whose own id, slot or node it is, where only one fits. Raises Refused."""
    fitting = meant_by(view, request)
    if len(fitting) == 1:
        return fitting[0]
    words = why_not_open(view, request, fitting)
    raise Refused(Refusal(Code.E_REQUEST, words, (("request", request),)))


def find_choice(question: ApprovalView, choice: str) -> str:
    """The option as the agent wrote it or as it is shown (escaped), or the one that Quarterdeck adds, without regard to case; any
    text where none was named. Raises Refused, also where two options are shown alike.
    """
    if not question.choices:
        return choice
    alike = options_shown_as(question, choice)
    if len(alike) == 1:
        return alike[0]
    offered = ", ".join(escaped(option) for option in question.choices)
    what = (
        f"{choice!r} is not offered"
        if not alike
        else f"{choice!r} fits several options, so nothing was answered"
    )
    raise Refused(Refusal(Code.E_INPUT, f"{what}; choose one of: {offered}.", (("choice", choice),)))


def options_shown_as(question: ApprovalView, typed: str) -> list[str]:
    """The options that read so to a person, by the text of them or by the escaped one; where there is none, without regard to case."""
    options = list(dict.fromkeys(question.choices))
    same = [option for option in options if typed in (option, escaped(option))]
    wanted = typed.strip().casefold()
    return same or [one for one in options if wanted in (one.casefold(), escaped(one).casefold())]
