"""The fold of a run's journal: `advance` takes one entry, `fold` a whole journal.

Everything is checked before anything is changed, so a state that refused an entry is as it was. What is impossible
raises (our bug): IllegalTransition by the tables, BrokenInvariant for I1, I2, I7 and I9, UnknownRecord for a gap. Nothing
here depends on reports (design §5): the journal alone moves runs, slots and leases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from quarterdeck.domain import attempt_fold, fold_notes
from quarterdeck.domain import run_table as rt
from quarterdeck.domain.errors import BrokenInvariant, IllegalTransition, UnknownRecord
from quarterdeck.domain.events import (
    AgentSwitched,
    ApprovalAnswered,
    ApprovalAsked,
    AttemptClaimed,
    AttemptContinueRequested,
    AttemptEnded,
    AttemptLost,
    AttemptPauseRequested,
    AttemptStopRequested,
    BudgetRaised,
    BudgetWarned,
    ClaimRefused,
    CommandRefused,
    EffectSettled,
    Entry,
    MachineSlept,
    MessageSent,
    PermissionWithdrawn,
    ProcessEndTried,
    RetryCancelled,
    RunAnswered,
    RunDiscarded,
    RunEnded,
    RunLaunched,
    RunStopRequested,
    SittingOpened,
    SlotCancelled,
    SlotFailed,
    SlotReassigned,
)
from quarterdeck.domain.fold_checks import (
    attempt_of,
    concludes,
    is_settled,
    need_live,
    need_not_closed,
    slot_of,
)
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import SpecRef
from quarterdeck.domain.run_state import (
    ANSWERS_KEPT,
    AttemptRecord,
    ClaimRefusal,
    Reopening,
    RunState,
    Sitting,
    SlotRecord,
)
from quarterdeck.domain.slot_table import SlotMove, slot_after
from quarterdeck.domain.states import AttemptStatus, Hold, Phase, SlotState


def fold(entries: Iterable[Entry]) -> RunState:
    """The state after all entries. Raises UnknownRecord for an empty journal, and as `advance` does."""
    state: RunState | None = None
    for entry in entries:
        state = advance(state, entry)
    if state is None:
        raise UnknownRecord("a journal without its header")
    return state


def advance(state: RunState | None, entry: Entry) -> RunState:
    """Take one entry, in place after the header; None is the state before any entry.

    Raises UnknownRecord where the sequence has a gap or the event names what the run does not have, IllegalTransition
    and BrokenInvariant as the module says; the state is then unchanged.
    """
    event = entry.event
    if state is None:
        if not isinstance(event, RunLaunched) or entry.seq != 1:
            raise UnknownRecord(f"a journal begins with run_launched at 1, not {event.kind} at {entry.seq}")
        return _launched(event, entry.at)
    if entry.seq != state.seq + 1:
        raise UnknownRecord(f"run {state.run_id}: sequence {entry.seq} after {state.seq}")
    take = _TAKERS.get(type(event))
    if take is None:
        raise UnknownRecord(f"run {state.run_id}: no fold for {event.kind}")
    take(state, event, entry.at)
    if state.is_live and not concludes(event):
        state.sitting.last_sign_at = entry.at
        state.sitting.concluded = ()
    command_id = getattr(event, "command_id", None)
    if command_id is not None:
        state.commands.setdefault(command_id, event)
    state.seq = entry.seq
    return state


def _launched(event: RunLaunched, at: Moment) -> RunState:
    slots = {seed.slot_id: SlotRecord(seed.slot_id, seed.node_id, seed.title) for seed in event.slots}
    if len(slots) != len(event.slots):
        raise UnknownRecord(f"run {event.run_id}: two slots of one id")
    sitting = Sitting(1, at, event.actor, event.session_id, True, at)
    specs = {binding.node_id: binding.specs for binding in event.bindings}
    return RunState(event, at, slots, [sitting], specs, budget_usd=event.budget_usd)


def _again(state: RunState, event: RunLaunched, at: Moment) -> None:
    raise BrokenInvariant("I9", state.run_id, "the pins of a run are written once (E_IMMUTABLE)")


# ------------------------------------------------------------------------------------------- the run


def _sitting_opened(state: RunState, event: SittingOpened, at: Moment) -> None:
    rt.run_after(state.run_id, rt.run_standing(state.phase, state.outcome), rt.RunMove.OPEN_SITTING)
    if event.sitting != len(state.sittings) + 1:
        raise UnknownRecord(f"run {state.run_id}: sitting {event.sitting} after {len(state.sittings)}")
    state.sittings.append(Sitting(event.sitting, at, event.actor, event.session_id, event.go_on, at))
    state.phase, state.outcome, state.exit_code, state.message = Phase.LIVE, None, None, ""
    state.ended_at, state.stop_requested = None, None
    state.answered = True
    if event.go_on:
        for slot in state.slots.values():
            if slot.state is SlotState.PENDING:
                slot.refusal = None


def _run_stop_requested(state: RunState, event: RunStopRequested, at: Moment) -> None:
    need_live(state, event.kind)
    if state.stop_requested is None:
        state.stop_requested = event


def _run_ended(state: RunState, event: RunEnded, at: Moment) -> None:
    rt.run_after(state.run_id, rt.run_standing(state.phase, state.outcome), rt.MOVE_OF_OUTCOME[event.outcome])
    for attempt in state.open_attempts:
        if attempt.status is not AttemptStatus.LOST:
            raise IllegalTransition("run", state.run_id, f"{attempt.attempt_id} {attempt.status}", event.kind)
    state.phase, state.outcome, state.exit_code = Phase.ENDED, event.outcome, event.exit_code
    state.end_seq, state.message, state.ended_at = event.end_seq, event.message, at
    state.sitting.ended_at = at
    state.answered = False
    if is_settled(state, event):
        state.sitting.settled_at = at
        for attempt_id in state.sitting.concluded:
            state.attempts[attempt_id] = replace(state.attempts[attempt_id], found_late=True)
    state.hold_for_person()


def _run_discarded(state: RunState, event: RunDiscarded, at: Moment) -> None:
    rt.run_after(state.run_id, rt.run_standing(state.phase, state.outcome), rt.RunMove.CLOSE)
    if state.open_attempts:
        raise IllegalTransition("run", state.run_id, "with an attempt that may live", event.kind)
    state.phase, state.discarded_by = Phase.CLOSED, event.actor
    state.answered = True


def _run_answered(state: RunState, event: RunAnswered, at: Moment) -> None:
    need_not_closed(state, event.kind)
    if state.is_live:
        raise IllegalTransition("run", state.run_id, "live", event.kind)
    state.answered = True


# ------------------------------------------------------------------------------------------- slots


def _claimed(state: RunState, event: AttemptClaimed, at: Moment) -> None:
    need_live(state, event.kind)
    if state.stop_requested is not None:
        raise IllegalTransition("run", state.run_id, "stopping", event.kind)
    slot = slot_of(state, event.slot_id)
    if state.has_open_lease(slot):
        raise BrokenInvariant("I1", event.slot_id, "a second lease while one is not terminal")
    slot_after(slot.slot_id, slot.state, SlotMove.CLAIM)
    if event.attempt_id in state.attempts:
        raise UnknownRecord(f"run {state.run_id}: attempt {event.attempt_id} is claimed twice")
    if event.epoch != slot.epoch + 1:
        raise BrokenInvariant("I2", event.slot_id, f"epoch {event.epoch} after {slot.epoch}")
    _need_right_to_claim(slot, event)
    if slot.reopened is not None:
        state.used_tokens.add(slot.reopened.token)
    spec = SpecRef(event.agent, event.worker_class, event.spec)
    state.attempts[event.attempt_id] = AttemptRecord(
        event.attempt_id,
        event.slot_id,
        event.epoch,
        spec,
        event.cause,
        event.actor,
        event.session_id,
        at,
        state.sitting.number,
    )
    slot.state, slot.epoch = SlotState.CLAIMED, event.epoch
    slot.attempts.append(event.attempt_id)
    slot.hold, slot.retry_at_ms, slot.reopened, slot.refusal, slot.exhausted = None, None, None, None, False
    slot.retry_cancelled = False


def _need_right_to_claim(slot: SlotRecord, event: AttemptClaimed) -> None:
    """From RETRY_WAIT only the re-open token or a timed retry claims (SLT18, I8); a token is used once."""
    if slot.state is not SlotState.RETRY_WAIT:
        return
    if slot.reopened is not None:
        if event.token != slot.reopened.token:
            raise IllegalTransition("slot", slot.slot_id, "re-opened", "claim with another token")
    elif slot.hold is not Hold.TIMER or event.token is not None:
        raise IllegalTransition("slot", slot.slot_id, "held for a person", "claim without its token")


def _reassigned(state: RunState, event: SlotReassigned, at: Moment) -> None:
    need_not_closed(state, event.kind)
    slot = slot_of(state, event.slot_id)
    slot_after(slot.slot_id, slot.state, SlotMove.REASSIGN)
    if slot.prior != event.prior:
        raise UnknownRecord(f"slot {slot.slot_id}: prior is {slot.prior}, not {event.prior}")
    if state.has_open_lease(slot):
        raise BrokenInvariant("I1", event.slot_id, "re-opened while a lease is not terminal")
    replaced = slot.reopened.token if slot.reopened is not None else None
    if event.token in state.used_tokens or event.token == replaced:
        raise IllegalTransition("slot", slot.slot_id, "re-opened", "re-open with a used token")
    if replaced is not None:
        state.used_tokens.add(replaced)
    spec = SpecRef(event.agent, event.worker_class, event.spec)
    slot.reopened = Reopening(
        event.token, spec, event.reason, event.actor, at, event.command_id, event.continue_session
    )
    slot.hold, slot.retry_at_ms, slot.refusal = Hold.PERSON, None, None
    slot.retry_cancelled = False


def _agent_switched(state: RunState, event: AgentSwitched, at: Moment) -> None:
    need_not_closed(state, event.kind)
    slot = slot_of(state, event.slot_id)
    if slot.state is not SlotState.PENDING or slot.attempts:
        raise IllegalTransition(
            "slot", slot.slot_id, slot.state.value, "another agent before its first attempt"
        )
    slot.chosen = SpecRef(event.agent, event.worker_class, event.spec)
    slot.refusal = None


def _retry_cancelled(state: RunState, event: RetryCancelled, at: Moment) -> None:
    need_live(state, event.kind)
    slot = slot_of(state, event.slot_id)
    after = slot_after(slot.slot_id, slot.state, SlotMove.CANCEL_RETRY)
    if slot.hold is not Hold.TIMER:
        raise IllegalTransition("slot", slot.slot_id, "held for a person", event.kind)
    slot.state, slot.hold, slot.retry_at_ms = after, Hold.PERSON, None
    slot.retry_cancelled = True


def _slot_failed(state: RunState, event: SlotFailed, at: Moment) -> None:
    need_live(state, event.kind)
    slot = slot_of(state, event.slot_id)
    after = slot_after(slot.slot_id, slot.state, SlotMove.FAIL)
    if slot.reopened is not None or slot.hold is not Hold.PERSON:
        raise IllegalTransition("slot", slot.slot_id, "waiting to start", event.kind)
    slot.state, slot.hold, slot.retry_at_ms = after, None, None


def _slot_cancelled(state: RunState, event: SlotCancelled, at: Moment) -> None:
    need_live(state, event.kind)
    slot = slot_of(state, event.slot_id)
    slot.state = slot_after(slot.slot_id, slot.state, SlotMove.SKIP)
    slot.refusal = None


def _claim_refused(state: RunState, event: ClaimRefused, at: Moment) -> None:
    need_not_closed(state, event.kind)
    slot_of(state, event.slot_id).refusal = ClaimRefusal(event.code, event.message)


def _approval_asked(state: RunState, event: ApprovalAsked, at: Moment) -> None:
    need_live(state, event.kind)
    slot = slot_of(state, event.slot_id)
    slot_after(slot.slot_id, slot.state, SlotMove.ASK)
    slot.asked, slot.asked_at = event, at


def _approval_answered(state: RunState, event: ApprovalAnswered, at: Moment) -> None:
    need_not_closed(state, event.kind)
    slot = slot_of(state, event.slot_id)
    if event.request_id in state.answers:
        raise IllegalTransition("approval", event.request_id, "answered", event.kind)
    if event.attempt_id is not None:
        attempt_of(state, event.slot_id, event.attempt_id)
    else:
        after = slot_after(slot.slot_id, slot.state, SlotMove.ANSWER)
        if slot.asked is None or slot.asked.request_id != event.request_id:
            raise UnknownRecord(f"slot {slot.slot_id}: {event.request_id} was not asked")
        slot.state, slot.answer = after, event
    state.answers[event.request_id] = event
    if event.for_run and event.exact:
        state.standing[event.slot_id, event.exact] = event
        state.standing_at[event.request_id] = at
    slot.answered = (*slot.answered, (event, at))[-ANSWERS_KEPT:]


def _permission_withdrawn(state: RunState, event: PermissionWithdrawn, at: Moment) -> None:
    need_not_closed(state, event.kind)
    key = next((k for k, answer in state.standing.items() if answer.request_id == event.request_id), None)
    if key is None or key[0] != event.slot_id:
        raise UnknownRecord(f"slot {event.slot_id}: {event.request_id} allows nothing for the run")
    del state.standing[key]


# ------------------------------------------------------------------------------------------- attempts


_TAKERS: dict[type, Callable[[RunState, Any, Moment], None]] = {
    RunLaunched: _again,
    SittingOpened: _sitting_opened,
    AttemptClaimed: _claimed,
    AttemptPauseRequested: attempt_fold.pause_requested,
    AttemptContinueRequested: attempt_fold.continue_requested,
    AttemptStopRequested: attempt_fold.stop_requested,
    RunStopRequested: _run_stop_requested,
    AttemptLost: attempt_fold.lost,
    AttemptEnded: attempt_fold.ended,
    RetryCancelled: _retry_cancelled,
    SlotFailed: _slot_failed,
    SlotCancelled: _slot_cancelled,
    SlotReassigned: _reassigned,
    AgentSwitched: _agent_switched,
    ClaimRefused: _claim_refused,
    CommandRefused: fold_notes.command_refused,
    ApprovalAsked: _approval_asked,
    ApprovalAnswered: _approval_answered,
    PermissionWithdrawn: _permission_withdrawn,
    MessageSent: attempt_fold.message_sent,
    BudgetWarned: fold_notes.budget_warned,
    BudgetRaised: fold_notes.budget_raised,
    EffectSettled: attempt_fold.effect_settled,
    ProcessEndTried: attempt_fold.process_end_tried,
    MachineSlept: fold_notes.machine_slept,
    RunAnswered: _run_answered,
    RunEnded: _run_ended,
    RunDiscarded: _run_discarded,
}
"""One function for each kind of event; a test holds that the union and this table name the same kinds."""
