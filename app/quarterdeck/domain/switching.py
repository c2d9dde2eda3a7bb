"""Another pinned agent for a slot that waits and has had no attempt: behind a limit, for its turn, or refused for its sign-in.

A guard as those of `guards`: it reads a state and answers with the event or a refusal. Nothing starts by it; the scheduler claims
the slot when it is its turn. A slot that had an attempt is re-opened instead (reassign, A8).
"""

from __future__ import annotations

from quarterdeck.domain.commands import SwitchAgent
from quarterdeck.domain.events import AgentSwitched
from quarterdeck.domain.guards import actor_refusal, find_slot, is_other_actor, specs_of
from quarterdeck.domain.ids import TenantId
from quarterdeck.domain.pins import SpecRef
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import RunState, SlotRecord
from quarterdeck.domain.states import Hold, Phase, SlotState


def judge_switch(
    state: RunState | None, tenant: TenantId, command: SwitchAgent, *, joined: SlotState | None = None
) -> Refusal | AgentSwitched:
    """joined: the slot's state as it is shown, where that differs from the fold's."""
    found = find_slot(state, tenant, command)
    if isinstance(found, Refusal):
        return found
    run, slot = found
    shown = slot.state if joined is None else joined
    if shown is not SlotState.PENDING or slot.state is not SlotState.PENDING or slot.attempts:
        message = f"{slot.title} is {shown.value.replace('_', ' ')}; only one that waits gets another agent."
        return Refusal(Code.E_SLOT_STATE, message, (("slot", slot.slot_id), ("state", shown.value)))
    if run.phase is Phase.CLOSED or (run.is_live and run.stop_requested is not None):
        return Refusal(
            Code.E_SLOT_STATE, f"{slot.title} gets no other agent: nothing of its run starts any more."
        )
    if is_other_actor(run, command.actor):
        return actor_refusal(run, command.actor)
    spec = spec_named(run, slot, command.agent)
    if isinstance(spec, Refusal):
        return spec
    return AgentSwitched(
        slot_id=slot.slot_id,
        agent=spec.agent,
        worker_class=spec.worker_class,
        spec=spec.spec,
        actor=command.actor,
        command_id=command.command_id,
    )


def spec_named(run: RunState, slot: SlotRecord, agent: str) -> SpecRef | Refusal:
    """The pinned specification of that agent (PIN3)."""
    specs = specs_of(run, slot)
    found = next((spec for spec in specs if spec.agent == agent), None)
    if found is not None:
        return found
    names = ", ".join(spec.agent for spec in specs) or "none"
    message = f"No pinned agent of {slot.title} fits “{agent}”; it was launched with: {names}."
    return Refusal(Code.E_NO_COMPATIBLE_SPEC, message, (("asked", agent),))


def waits_for_retry(slot: SlotRecord) -> bool:
    """Whether it had an attempt and waits for the time of its next: then another agent means re-opening it and starting that."""
    return slot.state is SlotState.RETRY_WAIT and slot.hold is Hold.TIMER and slot.reopened is None
