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
from quarterdeck.domain.allowed import judge_withdraw
from quarterdeck.domain.budget import RUN_SCOPE
from quarterdeck.domain.budget_words import scope_of
from quarterdeck.domain.commands import ClaimSlot, ReassignSlot, SwitchAgent
from quarterdeck.domain.events import (
    AgentSwitched,
    AttemptClaimed,
    AttemptContinueRequested,
    AttemptPauseRequested,
    BudgetRaised,
    CommandRefused,
    Event,
    SlotReassigned,
)
from quarterdeck.domain.guards import (
    ClaimGrant,
    ReassignGrant,
    first_answer,
    judge_claim,
    judge_reassign,
    refusal_again,
)
from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, SlotId, TenantId
from quarterdeck.domain.join import slot_state
from quarterdeck.domain.messages import judge_message
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.scheduling import Conditions, deps_done, has_capacity
from quarterdeck.domain.sign_ins import Remembered
from quarterdeck.domain.states import AttemptStatus, EndReason
from quarterdeck.domain.switching import judge_switch, waits_for_retry
from quarterdeck.engine.answering import Answering
from quarterdeck.engine.claiming import Claims
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.minting import mint_attempt_id, mint_command_id, mint_message_id, mint_token
from quarterdeck.engine.recovery_orders import RecoveryOrders
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.sign_in_gate import SignInGate
from quarterdeck.engine.sign_in_looks import Look
from quarterdeck.engine.sign_in_reading import SignIn
from quarterdeck.engine.supervision import Supervision, stop_order
from quarterdeck.store.errors import StoreDown

log = logging.getLogger(__name__)
SWITCHED = "another agent was chosen while it waited"
"""The reason with which a slot is re-opened for it."""


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

    async def withdraw(self, request: RequestId, actor: str) -> Refusal | None:
        """What was allowed for the run is asked again from now on; what an agent was told already stays told."""
        judged = judge_withdraw(self._book.state, request, actor)
        if isinstance(judged, Refusal):
            return await self._refuse("withdraw", None, judged, actor)
        await self._book.record(judged)
        return None

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
        granted = self._judge_reassign(command)
        if isinstance(granted, Refusal):
            return await self._refuse("reassign", command.slot_id, granted, command.actor, command.command_id)
        await self._book.record(granted.event(mint_token()))
        return None

    def _judge_reassign(self, command: ReassignSlot) -> Refusal | ReassignGrant:
        slot = self._book.state.slots.get(command.slot_id)
        joined = None if slot is None else slot_state(self._book.state, slot, self._fold(slot.prior))
        return judge_reassign(self._book.state, self._context.tenant, command, joined=joined)

    async def switch(self, command: SwitchAgent, *, anew: bool = True) -> Refusal | Look | None:
        """Another agent for a slot that waits: chosen before its first attempt; of one that waits for a retry, re-opened and started.
        A look: as `claim`, and nothing has changed yet.
        """
        state = self._book.state
        before = first_answer(state, command.command_id)
        if isinstance(before, (AgentSwitched, SlotReassigned, CommandRefused)):
            return refusal_again(before)
        slot = state.slots.get(command.slot_id)
        if slot is not None and state.is_live and waits_for_retry(slot):
            return await self._switch_retry(command, anew)
        joined = None if slot is None else slot_state(state, slot, self._fold(slot.prior))
        judged = judge_switch(state, self._context.tenant, command, joined=joined)
        if isinstance(judged, Refusal):
            return await self._refuse("switch", command.slot_id, judged, command.actor, command.command_id)
        await self._book.record(judged)
        self._claims.gate.forget(command.slot_id)
        return None

    async def _switch_retry(self, command: SwitchAgent, anew: bool) -> Refusal | Look | None:
        """In one turn, once the other's sign-in is read: a run whose only slot was re-opened and not claimed would end."""
        reopen = ReassignSlot(
            command.command_id,
            self._context.tenant,
            command.run_id,
            command.slot_id,
            command.actor,
            SWITCHED,
            command.agent,
        )
        granted = self._judge_reassign(reopen)
        sign_in = None
        if not isinstance(granted, Refusal):
            sign_in = await self._claims.gate.sign_in_of(command.slot_id, granted.spec, anew=anew)
        if isinstance(sign_in, Look):
            return sign_in
        refused = await self.reassign(reopen)
        if refused is not None:
            return refused
        claimed = await self.claim(command.slot_id, command.actor, True, mint_command_id(), sign_in=sign_in)
        return None if isinstance(claimed, str) else claimed

    async def claim(
        self,
        slot: SlotId,
        actor: str,
        go_on: bool,
        command_id: CommandId,
        *,
        anew: bool = True,
        sign_in: SignIn | None = None,
    ) -> AttemptId | Refusal | Look:
        """One attempt on a slot by a person (A15 row 2). The same command again: the attempt that it made (SLT19). A look: its
        sign-in is still being read; wait for it outside of the run's turn, and claim again with what it read (anew=False).
        sign_in: as it was just read, for the agent that the slot has now; then no look comes back.
        """
        state = self._book.state
        before = first_answer(state, command_id)
        if isinstance(before, AttemptClaimed):
            return before.attempt_id
        if (refused := refusal_again(before)) is not None:
            return refused
        await self._work_out()
        if (refusal := self._claims.refused_for_money()) is not None:
            return await self._refuse("claim", slot, refusal, actor, command_id)
        judge = self._judge_of(_claim_of(state, self._context.tenant, slot, actor, go_on, command_id))
        granted = judge()
        if isinstance(granted, Refusal):
            return await self._refuse("claim", slot, granted, actor, command_id)
        found = sign_in or await self._claims.gate.sign_in_of(slot, granted.spec, anew=anew)
        if isinstance(found, Look):
            return found
        granted = judge(remembered=_remembered(self._claims.gate, found), capacity=has_capacity(state))
        if isinstance(granted, Refusal):
            return await self._refuse("claim", slot, granted, actor, command_id)
        return await self._claims.make(granted, found)

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


def _claim_of(
    state: RunState, tenant: TenantId, slot: SlotId, actor: str, go_on: bool, command_id: CommandId
) -> ClaimSlot:
    """A person's claim of a slot as it stands: of one that was re-opened with its token."""
    record = state.slots.get(slot)
    reopened = record.reopened if record is not None else None
    return ClaimSlot(
        command_id=command_id,
        tenant=tenant,
        run_id=state.run_id,
        slot_id=slot,
        actor=actor,
        attempt_id=mint_attempt_id(),
        cause="person",
        token=reopened.token if reopened is not None else None,
        go_on=go_on,
    )


def _remembered(gate: SignInGate, sign_in: SignIn) -> Remembered | None:
    """Its failure, as it is remembered (AUT3); None also where only a person's trial can tell whether it works again. A limit, or
    another agent that tries it first, holds no person's claim.
    """
    answer = gate.ask(sign_in)
    return answer if isinstance(answer, Remembered) and not sign_in.is_tried_by_person else None
