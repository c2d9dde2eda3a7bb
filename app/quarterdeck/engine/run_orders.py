"""What a person may ask of a live run, each judged against the run as it stands and journaled before it acts.

A stop is the exception: agents are told to end first, so that it works while the store is down (case 14). Every method
runs in the actor's turn; it answers None for done, or a Refusal, which is journaled as well (ruling 14).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Literal

from quarterdeck.domain.acts import judge_continue, judge_pause, judge_stop, judge_stop_run
from quarterdeck.domain.budget import RUN_SCOPE, is_spent
from quarterdeck.domain.commands import ClaimSlot, ReassignSlot
from quarterdeck.domain.events import (
    ApprovalAnswered,
    AttemptClaimed,
    AttemptContinueRequested,
    AttemptPauseRequested,
    BudgetRaised,
    CommandRefused,
    Event,
    SlotReassigned,
)
from quarterdeck.domain.guards import first_answer, judge_claim, judge_reassign, refusal_again
from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, SlotId
from quarterdeck.domain.join import slot_state
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.scheduling import Conditions, deps_done, has_capacity
from quarterdeck.domain.states import AttemptStatus, EndReason
from quarterdeck.domain.views import ApprovalView
from quarterdeck.engine.claiming import Claims
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.minting import mint_attempt_id, mint_token
from quarterdeck.engine.recovery_orders import RecoveryOrders
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.supervision import Supervision, stop_order
from quarterdeck.store.errors import StoreDown

log = logging.getLogger(__name__)


DURABLE_WITHIN_S = 2.0


class RunOrders:
    """Orders of one run. `work_out` answers the expressions of `conditions` for the run as it stands."""

    def __init__(
        self,
        context: EngineContext,
        book: RunBook,
        supervision: Supervision,
        claims: Claims,
        conditions: Conditions,
        work_out: Callable[[], Awaitable[None]],
    ) -> None:
        self._context, self._book = context, book
        self._supervision, self._claims = supervision, claims
        self._conditions, self._work_out = conditions, work_out

    @property
    def recovery(self) -> RecoveryOrders:
        """What a person says of an interrupted run."""
        return RecoveryOrders(self._book, self._refuse)

    async def pause(self, slot: SlotId, actor: str) -> Refusal | None:
        """Hold the tree of a running agent (A15 row 5); the same again changes nothing."""
        judged = judge_pause(self._book.state, slot, self._status(slot), actor)
        return await self._act("pause", slot, judged, actor)

    async def continue_(self, slot: SlotId, actor: str) -> Refusal | None:
        """Let a paused agent go on; the same again changes nothing."""
        judged = judge_continue(self._book.state, slot, self._status(slot), actor)
        return await self._act("continue", slot, judged, actor)

    async def _act(
        self,
        verb: Literal["pause", "continue"],
        slot: SlotId,
        judged: Refusal | AttemptPauseRequested | AttemptContinueRequested | None,
        actor: str,
    ) -> Refusal | None:
        if isinstance(judged, Refusal):
            return await self._refuse(verb, slot, judged, actor)
        if judged is not None:
            await self._book.record(judged)
        prior = self._book.state.slots[slot].prior
        if prior is not None:
            self._supervision.send(prior, {"do": verb})
        return None

    async def stop_slot(
        self, slot: SlotId, actor: str, reason: EndReason = EndReason.PERSON
    ) -> Refusal | None:
        """End one agent, or the waiting for its next attempt; the same again changes nothing (A15 row 7, case 17)."""
        judged = judge_stop(self._book.state, slot, self._status(slot), actor, reason)
        if isinstance(judged, Refusal):
            return await self._refuse("stop", slot, judged, actor)
        prior = self._book.state.slots[slot].prior
        if prior is not None:
            self._supervision.send(prior, stop_order(EndReason.PERSON))
        if judged is not None:
            await self._book.record_surely(judged)
        return None

    async def stop_run(self, actor: str, reason: EndReason) -> Refusal | None:
        """End every agent and claim nothing more; the same again changes nothing (ID5, case 17)."""
        judged = judge_stop_run(self._book.state, actor, reason)
        if isinstance(judged, Refusal):
            return await self._refuse("stop", None, judged, actor)
        self._supervision.send_all(stop_order(reason))
        if judged is not None:
            await self._book.record_surely(judged)
        return None

    async def answer(self, request: RequestId, choice: str, actor: str) -> Refusal | None:
        """Answer an open question once; bound to attempt and epoch (case 122)."""
        found = self._question(request)
        if found is None:
            refusal = Refusal(Code.E_REQUEST, "That question is not open any more; nothing was answered.")
            return await self._refuse("answer", None, refusal, actor)
        if found.options and choice not in found.options:
            words = f"Answer with one of: {', '.join(found.options)}."
            return await self._refuse("answer", found.slot_id, Refusal(Code.E_REQUEST, words), actor)
        if not await self._is_recorded(found):
            words = "The question is not on the disk yet, which takes nothing now; answer again once it does."
            return Refusal(Code.E_STORE, words)
        await self._book.record(
            ApprovalAnswered(found.slot_id, found.attempt_id, found.epoch, found.request_id, choice, actor)
        )
        if found.attempt_id is not None:
            own = found.request_id.removeprefix(f"{found.attempt_id}:")
            self._supervision.send(found.attempt_id, {"do": "answer", "id": own, "answer": choice})
        return None

    async def _is_recorded(self, asked: ApprovalView) -> bool:
        """A decision that rests on a report waits until the shim's durable mark has reached it (design §5)."""
        fold = self._fold(asked.attempt_id)
        if asked.attempt_id is None or fold is None:
            return True
        own = asked.request_id.removeprefix(f"{asked.attempt_id}:")
        seq = int(fold.open_questions[own]["seq"])
        return await self._supervision.marks.wait_durable(asked.attempt_id, seq, DURABLE_WITHIN_S)

    async def raise_budget(self, slot: SlotId | None, limit: Decimal, actor: str) -> Refusal | None:
        """A new limit for the run or one slot; it also reaches the living agents' own caps."""
        state = self._book.state
        if slot is not None and slot not in state.slots:
            return Refusal(Code.E_SLOT, f"The run has no node {slot}.")
        await self._book.record(BudgetRaised(RUN_SCOPE if slot is None else slot, limit, actor))
        for attempt in state.open_attempts:
            cap = self._claims.cap_of_living(attempt)
            if cap is not None:
                self._supervision.send(attempt.attempt_id, {"do": "cap", "cap_usd": usd_text(cap)})
        return None

    async def reassign(self, command: ReassignSlot) -> Refusal | None:
        """Re-open a slot (SLT13): an event, no process. The same command again gets the first answer (SLT19)."""
        before = first_answer(self._book.state, command.command_id)
        if isinstance(before, (SlotReassigned, CommandRefused)):
            return refusal_again(before)
        slot = self._book.state.slots.get(command.slot_id)
        joined = None if slot is None else slot_state(self._book.state, slot, self._fold(slot.prior))
        granted = judge_reassign(self._book.state, self._context.tenant, command, joined=joined)
        if isinstance(granted, Refusal):
            return await self._refuse("reassign", command.slot_id, granted, command.actor, command.command_id)
        await self._book.record(granted.event(mint_token()))
        return None

    async def claim(
        self, slot: SlotId, actor: str, go_on: bool, command_id: CommandId
    ) -> AttemptId | Refusal:
        """One attempt on a slot by a person (A15 row 2). The same command again: the attempt that it made (SLT19)."""
        state = self._book.state
        before = first_answer(state, command_id)
        if isinstance(before, AttemptClaimed):
            return before.attempt_id
        if (refused := refusal_again(before)) is not None:
            return refused
        await self._work_out()
        if is_spent(self._book.spent_usd(), state.budget_usd):
            words = f"The run's budget of ${usd_text(state.budget_usd)} is spent; raise it first."
            return await self._refuse("claim", slot, Refusal(Code.E_BUDGET, words), actor, command_id)
        record = state.slots.get(slot)
        reopened = record.reopened if record is not None else None
        command = ClaimSlot(
            command_id=command_id,
            tenant=self._context.tenant,
            run_id=state.run_id,
            slot_id=slot,
            actor=actor,
            attempt_id=mint_attempt_id(),
            cause="person",
            token=reopened.token if reopened is not None else None,
            go_on=go_on,
        )
        granted = judge_claim(
            state,
            self._context.tenant,
            command,
            deps_done=record is not None and deps_done(self._book.plan.graph, state, slot, self._conditions),
            joined=None if record is None else slot_state(state, record, self._fold(record.prior)),
            capacity=has_capacity(state),
            now_ms=self._book.now().boot_ms,
        )
        if isinstance(granted, Refusal):
            return await self._refuse("claim", slot, granted, actor, command_id)
        return await self._claims.make(granted)

    # ------------------------------------------------------------------------------- looking

    def _fold(self, attempt: AttemptId | None) -> AttemptFold | None:
        return None if attempt is None else self._book.folds.get(attempt)

    def _status(self, slot: SlotId) -> AttemptStatus | None:
        """Of the slot's newest attempt, as it is shown; None where there is none."""
        views = (view for view in self._book.view().slots if view.slot_id == slot)
        attempts = next((view.attempts for view in views), ())
        return attempts[-1].status if attempts else None

    def _question(self, request: RequestId) -> ApprovalView | None:
        """The open question of that id, or of the agent's own id where it is the only one."""
        open_now = [view for slot in self._book.view().slots for view in slot.approvals]
        exact = [view for view in open_now if view.request_id == request]
        short = [
            view for view in open_now if request in (view.request_id.partition(":")[2], str(view.slot_id))
        ]
        found = exact or short
        return found[0] if len(found) == 1 else None

    async def _refuse(
        self,
        command: str,
        slot: SlotId | None,
        refusal: Refusal,
        actor: str,
        command_id: CommandId | None = None,
    ) -> Refusal:
        """Journal the refusal (ruling 14). A disk that is down takes no audit entry, and the refusal holds all the same."""
        event: Event = CommandRefused(command, slot, refusal.code.value, refusal.message, actor, command_id)
        try:
            await self._book.record(event)
        except StoreDown:
            log.warning("a refused %s of run %s could not be journaled", command, self._book.run_id)
        return refusal
