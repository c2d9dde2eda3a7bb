"""Guards of the two commands that give a slot another worker: reassign (A8) and claim (A15 row 2).

A guard reads a state and never changes it: it answers with a grant, from which the event is made, or with a refusal.
The order of the checks is the order of SLT3–SLT12, and of A15 row 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.domain.commands import ClaimSlot, ReassignSlot
from quarterdeck.domain.events import AttemptClaimed, CommandRefused, Event, SlotReassigned
from quarterdeck.domain.ids import AttemptId, CommandId, SessionId, SlotId, TenantId, TokenId
from quarterdeck.domain.pins import SpecRef
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.run_table import can_reopen, run_standing
from quarterdeck.domain.sign_ins import Remembered, clock_utc
from quarterdeck.domain.states import TERMINAL_ATTEMPT, TERMINAL_LEASE, AttemptStatus, Hold, SlotState
from quarterdeck.domain.text import has_visible_text

REASON_CHARS_MAX = 10_000

NO_SUCH_RUN = "No such run. `quarterdeck runs` lists those that are kept here."
"""Said for a foreign tenant too, so that nothing tells whether the run exists (SLT3)."""


@dataclass(frozen=True, slots=True)
class ReassignGrant:
    """A reassignment that may be journaled: no worker, attempt, lease or process comes of it (SLT14)."""

    command: ReassignSlot
    prior: AttemptId
    spec: SpecRef

    def event(self, token: TokenId) -> SlotReassigned:
        """The event of SLT13, with the new token."""
        return SlotReassigned(
            slot_id=self.command.slot_id,
            prior=self.prior,
            agent=self.spec.agent,
            worker_class=self.spec.worker_class,
            spec=self.spec.spec,
            reason=self.command.reason.strip(),
            actor=self.command.actor,
            token=token,
            command_id=self.command.command_id,
            continue_session=self.command.continue_session,
        )


@dataclass(frozen=True, slots=True)
class ClaimGrant:
    """A claim that may be journaled. `opens_sitting`: a SittingOpened goes before it (C2, ruling 3)."""

    command: ClaimSlot
    spec: SpecRef
    epoch: int
    token: TokenId | None
    opens_sitting: bool

    def event(self, session_id: SessionId) -> AttemptClaimed:
        """The durable intent (JNL4)."""
        cause = self.command.cause
        return AttemptClaimed(
            slot_id=self.command.slot_id,
            attempt_id=self.command.attempt_id,
            epoch=self.epoch,
            agent=self.spec.agent,
            worker_class=self.spec.worker_class,
            spec=self.spec.spec,
            cause="person" if cause == "person" else "retry" if cause == "retry" else "schedule",
            actor=self.command.actor,
            session_id=session_id,
            token=self.token,
            command_id=self.command.command_id,
        )


# ------------------------------------------------------------------------------------------- shared checks


def _find_slot(
    state: RunState | None, tenant: TenantId, command: ReassignSlot | ClaimSlot
) -> tuple[RunState, SlotRecord] | Refusal:
    """SLT3–SLT5."""
    if command.tenant != tenant or (state is not None and state.tenant != tenant):
        return Refusal(Code.E_TENANT, NO_SUCH_RUN)
    if state is None or state.run_id != command.run_id:
        return Refusal(Code.E_RUN, NO_SUCH_RUN)
    slot = state.slots.get(command.slot_id)
    if slot is None:
        return no_such_node(state, command.slot_id)
    return state, slot


def no_such_node(state: RunState, slot_id: SlotId) -> Refusal:
    """SLT5, in words."""
    message = f"The run has no node {slot_id}; `quarterdeck show {state.run_id}` lists its nodes."
    return Refusal(Code.E_SLOT, message, (("slot", slot_id),))


def specs_of(state: RunState, slot: SlotRecord) -> tuple[SpecRef, ...]:
    """The pinned specifications that may claim the slot, the chosen one first (PIN3)."""
    return state.specs.get(slot.node_id, ())


def is_other_actor(state: RunState, actor: str) -> bool:
    """SLT11: an owner is recorded and the actor is another; with none recorded any actor of the tenant may."""
    return state.owner is not None and actor != state.owner


def _actor_refusal(state: RunState, actor: str) -> Refusal:
    message = (
        f"This run belongs to {state.owner}; only they can go on with it. Launch the workflow anew instead."
    )
    return Refusal(Code.E_ACTOR, message, (("actor", actor),))


def first_answer(state: RunState | None, command_id: CommandId) -> Event | None:
    """What the same command was answered with before (SLT19): its event, or the CommandRefused of its refusal."""
    return None if state is None else state.commands.get(command_id)


def refusal_again(event: Event | None) -> Refusal | None:
    """The refusal that a journaled CommandRefused stands for."""
    return Refusal(Code(event.code), event.message) if isinstance(event, CommandRefused) else None


def admits_report(state: RunState, attempt_id: AttemptId, epoch: int, seq: int) -> bool:
    """SLT21 and A15 row 6: whether a report counts; else it is kept aside, on the old attempt."""
    attempt = state.attempts.get(attempt_id)
    if attempt is None or attempt.epoch != epoch:
        return False
    return attempt.ended is None or seq <= attempt.ended.upto


# ------------------------------------------------------------------------------------------- reassign


def judge_reassign(
    state: RunState | None,
    tenant: TenantId,
    command: ReassignSlot,
    *,
    joined: SlotState | None = None,
    worker: AttemptStatus | None = None,
) -> Refusal | ReassignGrant:
    """SLT3–SLT12, in this order. joined, worker: slot state and status as shown, where they differ from the fold's."""
    found = _find_slot(state, tenant, command)
    if isinstance(found, Refusal):
        return found
    run, slot = found
    shown = slot.state if joined is None else joined
    if shown is not SlotState.RETRY_WAIT or slot.state is not SlotState.RETRY_WAIT:
        message = (
            f"{slot.title} is {shown.value.replace('_', ' ')}; only a stopped or failed one can be re-opened."
        )
        return Refusal(Code.E_SLOT_STATE, message, (("slot", slot.slot_id), ("state", shown.value)))
    prior = run.prior_of(slot)
    if prior is None:
        return Refusal(Code.E_NO_PRIOR, f"{slot.title} had no attempt yet; claim it instead.")
    refused = _worker_refusal(slot, prior, worker)
    if refused is not None:
        return refused
    if not has_visible_text(command.reason):
        return Refusal(Code.E_REASON, "Say in a few words why it is to be done again.")
    if (refused := too_long(command.reason)) is not None:
        return refused
    if is_other_actor(run, command.actor):
        return _actor_refusal(run, command.actor)
    return _choose_spec(run, slot, prior, command)


def too_long(reason: str) -> Refusal | None:
    """A reason is a sentence that others read in lists; what is longer belongs into a file."""
    if len(reason) <= REASON_CHARS_MAX:
        return None
    message = f"A reason has at most {REASON_CHARS_MAX:,} characters; this one has {len(reason):,}."
    return Refusal(Code.E_REASON, message)


def _worker_refusal(slot: SlotRecord, prior: AttemptRecord, worker: AttemptStatus | None) -> Refusal | None:
    status = prior.status if worker is None else worker
    if prior.status not in TERMINAL_ATTEMPT or status not in TERMINAL_ATTEMPT:
        message = (
            f"The earlier agent of {slot.title} is {status.value}; wait for its end, or end its process."
        )
        return Refusal(Code.E_WORKER_NOT_TERMINAL, message, (("status", status.value),))
    if prior.lease not in TERMINAL_LEASE:
        lease = prior.lease.value if prior.lease is not None else "none"
        message = f"The lease of the earlier agent of {slot.title} is not at its end; wait until its death is proved."
        return Refusal(Code.E_LEASE_NOT_TERMINAL, message, (("lease", lease),))
    return None


def _choose_spec(
    state: RunState, slot: SlotRecord, prior: AttemptRecord, command: ReassignSlot
) -> Refusal | ReassignGrant:
    """SLT12. An agent asked by name may be of any class unless a class is asked too; else the prior's class counts."""
    specs = specs_of(state, slot)
    fitting = [spec for spec in specs if command.agent is None or spec.agent == command.agent]
    wanted = command.worker_class
    if wanted is None and command.agent is None:
        wanted = prior.worker_class
    if wanted is not None:
        fitting = [spec for spec in fitting if spec.worker_class == wanted]
    if not fitting:
        asked = command.agent or wanted or ""
        names = ", ".join(spec.agent for spec in specs)
        message = f"No pinned agent of {slot.title} fits “{asked}”; it was launched with: {names}."
        return Refusal(Code.E_NO_COMPATIBLE_SPEC, message, (("asked", asked),))
    same = next((spec for spec in fitting if spec.agent == prior.agent), None)
    return ReassignGrant(command, prior.attempt_id, same or fitting[0])


# ------------------------------------------------------------------------------------------- claim


def judge_claim(
    state: RunState | None,
    tenant: TenantId,
    command: ClaimSlot,
    *,
    deps_done: bool,
    joined: SlotState | None = None,
    remembered: Remembered | None = None,
    capacity: bool = True,
    store_writable: bool = True,
    now_ms: int = 0,
) -> Refusal | ClaimGrant:
    """A15 row 2. now_ms: boot time. capacity: whether another agent may run now (`max_parallel`). remembered: AUT3."""
    found = _find_slot(state, tenant, command)
    if isinstance(found, Refusal):
        return found
    run, slot = found
    if run.has_open_lease(slot) or slot.state is SlotState.CLAIMED:
        detail = (("slot", slot.slot_id), ("attempt", slot.prior or ""))
        return Refusal(Code.E_ALREADY_CLAIMED, f"{slot.title} has an agent already.", detail)
    if is_other_actor(run, command.actor):
        return _actor_refusal(run, command.actor)
    spec = _right_to_claim(run, slot, command, deps_done, joined, now_ms)
    if isinstance(spec, Refusal):
        return spec
    if remembered is not None:
        return _remembered_refusal(slot, spec, remembered)
    if not capacity:
        return Refusal(Code.E_CAPACITY, f"{slot.title} waits: as many agents run as the workflow allows.")
    if not store_writable:
        message = (
            "The store cannot be written, so nothing new is started. Free some space; it goes on by itself."
        )
        return Refusal(Code.E_STORE, message)
    token = slot.reopened.token if slot.reopened is not None else None
    return ClaimGrant(command, spec, slot.epoch + 1, token, opens_sitting=not run.is_live)


def _remembered_refusal(slot: SlotRecord, spec: SpecRef, failure: Remembered) -> Refusal:
    """AUT3: which earlier attempt it is remembered from, and when that was."""
    at = clock_utc(failure.wall_ms)
    message = (
        f"{slot.title} was not started: its sign-in failed before, for {failure.use.title} at {at}, and that is remembered. "
        "Save or test the credential first."
    )
    return Refusal(
        Code.E_CRED_REMEMBERED, message, (("agent", spec.agent), ("attempt", failure.use.attempt_id))
    )


def _not_claimable(slot: SlotRecord, why: str) -> Refusal:
    return Refusal(Code.E_NOT_CLAIMABLE, f"{slot.title} {why}", (("slot", slot.slot_id),))


def _right_to_claim(
    run: RunState,
    slot: SlotRecord,
    command: ClaimSlot,
    deps_done: bool,
    joined: SlotState | None,
    now_ms: int,
) -> Refusal | SpecRef:
    by_person = command.cause == "person"
    if run.is_live and run.stop_requested is not None:
        return _not_claimable(slot, "cannot start: the run is being stopped.")
    if not run.is_live:
        if not by_person:
            return _not_claimable(slot, "cannot start by itself: the run is over.")
        if not can_reopen(run_standing(run.phase, run.outcome)):
            return _not_claimable(slot, "cannot start: the run is complete or was discarded.")
    if slot.is_asking or joined is SlotState.HELD:
        return _not_claimable(slot, "waits for an answer, not for an agent.")
    if slot.state is SlotState.PENDING:
        return _pending_spec(run, slot, deps_done)
    if slot.state is SlotState.RETRY_WAIT:
        return _waiting_spec(run, slot, command, now_ms)
    return _not_claimable(slot, f"is {slot.state.value}.")


def _pending_spec(run: RunState, slot: SlotRecord, deps_done: bool) -> Refusal | SpecRef:
    specs = specs_of(run, slot)
    if not deps_done:
        return _not_claimable(slot, "cannot start yet: what it depends on is not done.")
    if not specs:
        return _not_claimable(slot, "has no agent.")
    return specs[0]


def _waiting_spec(run: RunState, slot: SlotRecord, command: ClaimSlot, now_ms: int) -> Refusal | SpecRef:
    """SLT18: the token claims, or a timed retry that is due; an empty retry time is never due."""
    if slot.reopened is not None:
        if command.token != slot.reopened.token:
            return _not_claimable(slot, "was re-opened again since; use the newest re-opening.")
        return slot.reopened.spec
    prior = run.prior_of(slot)
    due = slot.hold is Hold.TIMER and slot.retry_at_ms is not None and slot.retry_at_ms <= now_ms
    if command.cause != "retry" or command.token is not None or not due or not run.is_live or prior is None:
        return _not_claimable(slot, "waits for a person: re-open it first.")
    return prior.spec
