"""Making a granted claim real: the durable intent first, then the agent; and the budgets that go with it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from decimal import Decimal

from quarterdeck.domain.budget import Cap, attempt_limit, cap_for_claim, is_spent, is_warning_due, smallest
from quarterdeck.domain.budget_words import REASON_OF, Shared, refusal_words, scope_of
from quarterdeck.domain.commands import ClaimSlot
from quarterdeck.domain.events import ApprovalAsked, BudgetWarned, ClaimRefused, SittingOpened
from quarterdeck.domain.guards import ClaimGrant, judge_claim
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.money import EXACT, ZERO, usd_text
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import AttemptRecord
from quarterdeck.domain.scheduling import APPROVAL_OPTIONS, ClaimStep, has_capacity, node_request_id
from quarterdeck.domain.shared_limits import Standing
from quarterdeck.domain.sign_ins import Remembered
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.minting import mint_attempt_id, mint_command_id
from quarterdeck.engine.node_values import DecidedNode, decided_nodes, node_values
from quarterdeck.engine.pinning import budget_of
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.sign_in_gate import SignInGate
from quarterdeck.engine.sign_in_memory import Held, Trying
from quarterdeck.engine.sign_in_reading import SignIn
from quarterdeck.engine.supervision import Supervision
from quarterdeck.engine.templates import TemplateProblem, render
from quarterdeck.store.errors import StoreDown

log = logging.getLogger(__name__)


class Claims:
    """The claims of one run; used in the actor's turn only."""

    def __init__(
        self, context: EngineContext, book: RunBook, supervision: Supervision, gate: SignInGate
    ) -> None:
        self._context, self._book, self._supervision = context, book, supervision
        self.gate = gate

    async def make(self, grant: ClaimGrant, sign_in: SignIn) -> AttemptId:
        """Journal the claim and start its agent. Raises StoreDown; then nothing has changed."""
        self.gate.begin(grant, sign_in)
        try:
            return await self._make(grant, sign_in)
        except StoreDown:
            self.gate.give_up(grant.command.attempt_id)
            raise

    async def _make(self, grant: ClaimGrant, sign_in: SignIn) -> AttemptId:
        slot = self._book.state.slots[grant.command.slot_id]
        if grant.opens_sitting:
            await self._book.record(
                SittingOpened(
                    sitting=len(self._book.state.sittings) + 1,
                    actor=grant.command.actor,
                    session_id=self._context.session_id,
                    go_on=grant.command.go_on,
                )
            )
        if slot.reopened is not None:
            self._book.reasons[slot.slot_id] = slot.reopened.reason
            mark = self._book.fresh.discard if slot.reopened.continue_session else self._book.fresh.add
            mark(slot.slot_id)
        event = grant.event(self._context.session_id)
        cap = self._cap(grant)
        await self._book.record(event)
        self._supervision.start(event, cap, sign_in)
        return event.attempt_id

    async def take(self, step: ClaimStep) -> None:
        """Claim the slot of a step, refuse it, or let it wait for its sign-in (AUT3, AUT4). Raises StoreDown."""
        granted = self._judge(step)
        if isinstance(granted, Refusal):
            await self._book.record(ClaimRefused(step.slot_id, granted.code.value, granted.message))
            return
        sign_in = await self.gate.sign_in_of(granted.spec)
        match self.gate.ask(sign_in):
            case Remembered() as failure:
                refusal = self._judge(step, failure)
                assert isinstance(refusal, Refusal)
                await self._book.record(ClaimRefused(step.slot_id, refusal.code.value, refusal.message))
                self.gate.note_refused(sign_in)
            case Trying() | Held() as wait:
                self.gate.hold(step.slot_id, sign_in, wait)
            case None:
                await self.make(granted, sign_in)

    def _judge(self, step: ClaimStep, remembered: Remembered | None = None) -> ClaimGrant | Refusal:
        """Whether a step of the scheduler may be claimed (A15 row 2)."""
        state = self._book.state
        command = ClaimSlot(
            command_id=mint_command_id(),
            tenant=self._context.tenant,
            run_id=self._book.run_id,
            slot_id=step.slot_id,
            actor=state.header.actor,
            attempt_id=mint_attempt_id(),
            cause=step.cause,
        )
        return judge_claim(
            state,
            self._context.tenant,
            command,
            deps_done=True,
            remembered=remembered,
            capacity=has_capacity(state),
            now_ms=self._book.now().boot_ms,
        )

    def _cap(self, grant: ClaimGrant) -> Cap:
        state = self._book.state
        pinned = budget_of(self._book.plan.specs[grant.spec.spec])
        limit = attempt_limit(state, grant.command.slot_id, pinned)
        cap = cap_for_claim(limit, state.budget_usd, self._book.spent_usd())
        return smallest(cap, (Cap(one.left_usd, REASON_OF[one.scope].value) for one in self._shared()))

    def _shared(self) -> tuple[Standing, ...]:
        return self._context.budgets.of(self._book.state.header.workflow_id)

    def spent_limit(self) -> tuple[Shared, Decimal] | None:
        """The first of the limits that agents share which is reached; nothing is claimed then."""
        limit = self._book.state.budget_usd
        if limit is not None and is_spent(self._book.spent_usd(), limit):
            return Shared.RUN, limit
        return next(((one.scope, one.limit_usd) for one in self._shared() if one.is_spent), None)

    def refused_for_money(self) -> Refusal | None:
        """Why a person's claim is refused now, where money is the reason."""
        if self._context.budgets.fault:
            return Refusal(Code.E_BUDGET, f"The budgets cannot be told: {self._context.budgets.fault}")
        spent = self.spent_limit()
        return None if spent is None else Refusal(Code.E_BUDGET, refusal_words(*spent))

    def tell_caps(self) -> None:
        """Tell the keepers of all living agents the caps that hold now."""
        for attempt in self._book.state.open_attempts:
            cap = self.cap_of_living(attempt)
            self._supervision.send(
                attempt.attempt_id, {"do": "cap", "cap_usd": usd_text(cap.usd), "of": cap.of}
            )

    def limit_of(self, attempt: AttemptRecord) -> Decimal | None:
        """The spending limit of an attempt as it stands; None is no limit."""
        pinned = budget_of(self._book.plan.specs[attempt.spec.spec])
        return attempt_limit(self._book.state, attempt.slot_id, pinned)

    def cap_of_living(self, attempt: AttemptRecord) -> Cap:
        """The cap that a living attempt's shim should hold now: its own limit, or what the run leaves to it."""
        own = self._book.figures_of(attempt.attempt_id).cost_usd or ZERO
        others = (self._book.spent_usd() or ZERO) - own
        cap = cap_for_claim(self.limit_of(attempt), self._book.state.budget_usd, others)
        left = ((one.scope, EXACT.add(one.left_usd, own)) for one in self._shared())
        return smallest(cap, (Cap(usd, REASON_OF[scope].value) for scope, usd in left))

    async def warn_of_attempt_budgets(self, spenders: Iterable[AttemptId]) -> None:
        """Say once per limit that an attempt has spent 80 % of it. spenders: attempts whose figures moved."""
        state = self._book.state
        for attempt_id in spenders:
            attempt = state.attempts[attempt_id]
            limit = self.limit_of(attempt)
            figures = self._book.figures_of(attempt.attempt_id)
            spent = figures.cost_usd
            scope = scope_of(attempt.slot_id)
            if limit is not None and spent is not None and is_warning_due(state, scope, spent, limit):
                await self._book.record_surely(BudgetWarned(scope, spent, limit, figures.cost_source))

    async def question_of(self, slot_id: SlotId) -> ApprovalAsked:
        """The question of an approval node, its template rendered; as it is written where that is impossible."""
        slot = self._book.state.slots[slot_id]
        node = self._book.plan.workflow.node(slot.node_id)
        nodes = decided_nodes(self._book.state, self._book.folds, self._book.plan.upstream(node.id))
        question = await asyncio.to_thread(self._rendered, node.question, nodes)
        return ApprovalAsked(slot_id, node_request_id(slot_id), question or node.title, APPROVAL_OPTIONS)

    def _rendered(self, question: str, nodes: tuple[DecidedNode, ...]) -> str:
        header = self._book.state.header
        run = {"id": header.run_id, "workflow": header.workflow_name, "outcome": header.outcome_asked}
        try:
            values = node_values(self._book.run_id, nodes, self._context.store.attempts)
            return render(question, {"inputs": self._book.plan.inputs, "nodes": values, "run": run})
        except (TemplateProblem, OSError) as problem:
            log.warning("run %s: a question cannot be rendered: %s", header.run_id, problem)
            return question
