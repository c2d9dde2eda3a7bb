"""What a person may ask of a live run, each judged against the run as it stands and journaled before it acts.

A stop is the exception: agents are told to end first, so that it works while the store is down (case 14). Every method
runs in the actor's turn; it answers None for done, or a Refusal, which is journaled as well (ruling 14).
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Literal

from quarterdeck.domain.acts import judge_continue, judge_pause, judge_stop, judge_stop_run
from quarterdeck.domain.budget import RUN_SCOPE
from quarterdeck.domain.budget_words import scope_of
from quarterdeck.domain.commands import ClaimSlot, ReassignSlot
from quarterdeck.domain.events import (
    AttemptClaimed,
    AttemptContinueRequested,
    AttemptPauseRequested,
    BudgetRaised,
    CommandRefused,
    Event,
    SlotReassigned,
)
from quarterdeck.domain.guards import ClaimGrant, first_answer, judge_claim, judge_reassign, refusal_again
from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, SlotId
from quarterdeck.domain.join import slot_state
from quarterdeck.domain.messages import judge_message
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.scheduling import Conditions, deps_done, has_capacity
from quarterdeck.domain.sign_ins import Remembered
from quarterdeck.domain.states import AttemptStatus, EndReason
from quarterdeck.engine.answering import Answering
from quarterdeck.engine.claiming import Claims
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.minting import mint_attempt_id, mint_message_id, mint_token
from quarterdeck.engine.recovery_orders import RecoveryOrders
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.sign_in_reading import SignIn
from quarterdeck.engine.supervision import Supervision, stop_order
from quarterdeck.store.errors import StoreDown

log = logging.getLogger(__name__)


class RunOrders:
    """Orders of one run. `work_out` answers the expressions of `conditions` for the run as it stands."""

    def __init__(
        self,
        context: EngineContext,
        book: RunBook,
        supervision: Supervision,
        claims: Claims,
        answering: Answering,
        conditions: Conditions,
        work_out: Callable[[], Awaitable[None]],
    ) -> None:
        self._context, self._book = context, book
        self._supervision, self._claims, self._answering = supervision, claims, answering
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
        """Answer an open question once; bound to attempt, epoch and exact bytes (case 122)."""
        return await self._answering.answer(request, choice, actor, self._refuse)

    async def say(self, slot: SlotId, text: str, actor: str) -> Refusal | None:
        """A message to an agent at work: a turn of the person's, durable before the agent hears it."""
        shown = next((view for view in self._book.view().slots if view.slot_id == slot), None)
        newest = shown.attempts[-1] if shown is not None and shown.attempts else None
        judged = judge_message(self._book.state, slot, newest, text, actor, mint_message_id())
        if isinstance(judged, Refusal):
            return await self._refuse("say", slot, judged, actor)
        await self._book.record(judged)
        order = {"do": "say", "id": judged.message_id, "text": judged.text}
        self._supervision.send(judged.attempt_id, order)
        return None

    async def raise_budget(self, slot: SlotId | None, limit: Decimal, actor: str) -> Refusal | None:
        """A new limit for the run or one slot; it also reaches the living agents' own caps."""
        state = self._book.state
        if slot is not None and slot not in state.slots:
            return Refusal(Code.E_SLOT, f"The run has no node {slot}.")
        await self._book.record(BudgetRaised(RUN_SCOPE if slot is None else scope_of(slot), limit, actor))
        self._claims.tell_caps()
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
        if (refusal := self._claims.refused_for_money()) is not None:
            return await self._refuse("claim", slot, refusal, actor, command_id)
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
        judge = self._judge_of(command)
        granted = judge()
        if isinstance(granted, Refusal):
            return await self._refuse("claim", slot, granted, actor, command_id)
        sign_in = await self._claims.gate.sign_in_of(granted.spec, anew=True)
        granted = judge(remembered=self._remembered(sign_in), capacity=has_capacity(state))
        if isinstance(granted, Refusal):
            return await self._refuse("claim", slot, granted, actor, command_id)
        return await self._claims.make(granted, sign_in)

    def _judge_of(self, command: ClaimSlot) -> Callable[..., Refusal | ClaimGrant]:
        """`judge_claim` for a person's command, with the run as it stands."""
        state, slot = self._book.state, command.slot_id
        record = state.slots.get(slot)
        return functools.partial(
            judge_claim,
            state,
            self._context.tenant,
            command,
            deps_done=record is not None and deps_done(self._book.plan.graph, state, slot, self._conditions),
            joined=None if record is None else slot_state(state, record, self._fold(record.prior)),
            now_ms=self._book.now().boot_ms,
        )

    def _remembered(self, sign_in: SignIn) -> Remembered | None:
        """Its failure, as it is remembered (AUT3); None also where only a person's trial can tell whether it works again. A
        limit, or another agent that tries it first, holds no person's claim.
        """
        answer = self._claims.gate.ask(sign_in)
        return answer if isinstance(answer, Remembered) and not sign_in.is_tried_by_person else None

    # ------------------------------------------------------------------------------- looking

    def _fold(self, attempt: AttemptId | None) -> AttemptFold | None:
        return None if attempt is None else self._book.folds.get(attempt)

    def _status(self, slot: SlotId) -> AttemptStatus | None:
        """Of the slot's newest attempt, as it is shown; None where there is none."""
        views = (view for view in self._book.view().slots if view.slot_id == slot)
        attempts = next((view.attempts for view in views), ())
        return attempts[-1].status if attempts else None

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
