"""The living attempts of one run: each has a task that starts its shim and reads its socket until the shim is gone.

Facts are folded for showing as they come; an end is journaled only after the shim is gone, when its reports are closed
(design §5). The run's actor owns this object and calls it from its one turn.
"""

from __future__ import annotations

import asyncio
from asyncio import TaskGroup
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quarterdeck.domain.endings import EndFacts, Ending, NotEnded, facts_of, judge_end
from quarterdeck.domain.events import AttemptClaimed, AttemptEnded, AttemptLost
from quarterdeck.domain.figures_json import figures_from_json
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.reports_fold import NOTHING_SPENT, AttemptFold
from quarterdeck.domain.retry import RetryContext
from quarterdeck.domain.run_state import AttemptRecord
from quarterdeck.domain.states import AttemptStatus, EndReason, Evidence, Hold, LeaseStatus, SlotState
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.deaths import DeathFinding, Verdict, find_death
from quarterdeck.engine.node_values import decided_nodes
from quarterdeck.engine.pinning import PinMissing
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.shim_link import ShimLink, ShimMail
from quarterdeck.engine.starting import CannotStart, EarlierAttempt, Start, Started, start_attempt
from quarterdeck.shim.errors import ForkServerFailed
from quarterdeck.store.errors import StoreError

REPORTS_COST_KINDS = frozenset({"claude-code", "codex", "gemini", "opencode", "acp"})


@dataclass(frozen=True, slots=True)
class StartFailed:
    """No agent came to be; `message` says why in a sentence."""

    attempt_id: AttemptId
    message: str


Mail = ShimMail | StartFailed


def stop_order(why: EndReason) -> dict[str, Any]:
    """The order that ends an agent, with the reason that its `ending` will say."""
    told = {EndReason.APP_CLOSED: "lost_app", EndReason.RUN_BUDGET: "run_budget"}
    return {"do": "stop", "reason": told.get(why, "stop")}


class Supervision:
    """See the module. `post` puts mail into the actor's box."""

    def __init__(
        self, context: EngineContext, book: RunBook, tasks: TaskGroup, post: Callable[[Mail], None]
    ) -> None:
        self._context, self._book, self._tasks, self._post = context, book, tasks, post
        self._links: dict[AttemptId, ShimLink] = {}

    def start(self, claim: AttemptClaimed, cap_usd: Decimal | None) -> None:
        """Start the agent of a claim that is durable (JNL4)."""
        kind = self._book.plan.kinds.get(claim.agent, "")
        self._book.folds[claim.attempt_id] = AttemptFold(reports_cost=kind in REPORTS_COST_KINDS)
        link = ShimLink(claim.attempt_id, self._post)
        self._links[claim.attempt_id] = link
        self._tasks.create_task(self._keep(link, self._start_of(claim, cap_usd)))

    def send(self, attempt: AttemptId, order: dict[str, Any]) -> None:
        """Give an order to a living attempt's shim; one that is gone needs none."""
        link = self._links.get(attempt)
        if link is not None:
            link.send(order)

    def send_all(self, order: dict[str, Any]) -> None:
        """Give an order to every living attempt's shim."""
        for link in self._links.values():
            link.send(order)

    async def end_failed_start(self, mail: StartFailed) -> None:
        """Journal that a claimed attempt could not be started (A15 row 4)."""
        self._links.pop(mail.attempt_id, None)
        record = self._book.state.attempts[mail.attempt_id]
        await self._book.record_surely(
            AttemptEnded(
                slot_id=record.slot_id,
                attempt_id=mail.attempt_id,
                epoch=record.epoch,
                status=AttemptStatus.FAILED,
                lease=LeaseStatus.RELEASED,
                reason=EndReason.SPAWN,
                message=mail.message,
                upto=0,
                evidence=Evidence.NEVER_STARTED,
                next_state=SlotState.RETRY_WAIT,
                figures=NOTHING_SPENT,
                hold=Hold.PERSON,
            )
        )

    async def end(self, attempt: AttemptId) -> None:
        """Journal the end of an attempt whose shim is gone, by what is on disk."""
        self._links.pop(attempt, None)
        record = self._book.state.attempts[attempt]
        if record.is_terminal:
            return
        found = await asyncio.to_thread(self._find_death, attempt)
        while found.verdict is Verdict.STILL_ENDING:
            await asyncio.sleep(found.wait_ms / 1000)
            found = await asyncio.to_thread(self._find_death, attempt)
        fold = await asyncio.to_thread(self._closed_fold, attempt)
        self._book.folds[attempt] = fold
        await self._book.record_surely(self._ended_event(record, fold, found))
        fold.close()
        self._book.live.pop(attempt, None)
        self._book.changed()

    async def reread(self, attempt: AttemptId) -> None:
        """Fold the attempt's file anew: a fact was too large for the socket, or the app had fallen behind."""
        self._book.folds[attempt] = await asyncio.to_thread(self._fold_of_file, attempt)
        self._book.incomplete.discard(attempt)
        self._book.changed()

    # ------------------------------------------------------------------------------- the task of an attempt

    async def _keep(self, link: ShimLink, start: Start) -> None:
        try:
            started = await asyncio.to_thread(self._start_now, start)
        except (CannotStart, PinMissing, ForkServerFailed, StoreError, OSError) as error:
            self._post(StartFailed(link.attempt_id, str(error)))
            return
        link.send_first({"do": "secrets", "values": started.secrets})
        await link.run(started.handle)

    def _start_now(self, start: Start) -> Started:
        if self._context.fork_server is None:
            raise CannotStart("This process was opened for reading only and starts no agents.")
        return start_attempt(self._context.store, self._context.fork_server, start)

    def _start_of(self, claim: AttemptClaimed, cap_usd: Decimal | None) -> Start:
        state, plan = self._book.state, self._book.plan
        slot = state.slots[claim.slot_id]
        earlier = []
        for attempt_id in slot.attempts[:-1]:
            record = state.attempts[attempt_id]
            message = record.ended.message if record.ended is not None else ""
            earlier.append(EarlierAttempt(attempt_id, str(record.status), message))
        return Start(
            header=state.header,
            plan=plan,
            claim=claim,
            before=decided_nodes(state, self._book.folds, plan.upstream(slot.node_id)),
            earlier=tuple(earlier),
            reason=self._book.reasons.get(claim.slot_id, ""),
            cap_usd=cap_usd,
        )

    # ------------------------------------------------------------------------------- the end of an attempt

    def _find_death(self, attempt: AttemptId) -> DeathFinding:
        return find_death(self._context.store.attempts, self._book.run_id, attempt, 0)

    def _closed_fold(self, attempt: AttemptId) -> AttemptFold:
        """The facts of a closed report file, read once more from disk only where some did not reach the app."""
        fold = self._book.folds[attempt]
        if fold.exit is not None and attempt not in self._book.incomplete:
            return fold
        return self._fold_of_file(attempt)

    def _fold_of_file(self, attempt: AttemptId) -> AttemptFold:
        whole = AttemptFold()
        for report in self._context.store.attempts.reports(self._book.run_id, attempt).objects:
            whole.apply(report)
        return whole

    def _ended_event(
        self, record: AttemptRecord, fold: AttemptFold, found: DeathFinding
    ) -> AttemptEnded | AttemptLost:
        state = self._book.state
        spec = self._book.plan.specs[record.spec.spec]
        facts: EndFacts = facts_of(
            fold,
            found.evidence or Evidence.COULD_NOT_STOP,
            exit_file=found.exit_file,
            stop_reason=record.stop_requested
            or (state.stop_requested.reason if state.stop_requested else None),
            results_durable=_is_durable(found),
            success_codes=tuple(spec["agent"]["success_codes"]),
        )
        slot = state.slots[record.slot_id]
        context = RetryContext(
            attempts_made=state.series_length(slot),
            max_attempts=int(spec["retry"]["max_attempts"]),
            jitter=self._context.chance(),
            now_ms=self._book.now().boot_ms,
        )
        judged = judge_end(facts, context)
        if isinstance(judged, NotEnded):
            return AttemptLost(record.slot_id, record.attempt_id, judged.message)
        return ended_event(record, fold, judged, found)


def _is_durable(found: DeathFinding) -> bool:
    """Whether everything that the shim had to say reached its file (row 8)."""
    told = found.exit_file or {}
    return int(told.get("said_seq") or 0) <= int(told.get("upto") or 0)


def ended_event(record: AttemptRecord, fold: AttemptFold, end: Ending, found: DeathFinding) -> AttemptEnded:
    """The journal's word for a judged end. Figures are those that `exit` or `exit.json` carries, else the fold's."""
    told = (found.exit_file or fold.exit or {}).get("figures")
    upto = int((found.exit_file or {}).get("upto") or fold.upto)
    return AttemptEnded(
        slot_id=record.slot_id,
        attempt_id=record.attempt_id,
        epoch=record.epoch,
        status=end.status,
        lease=end.lease,
        reason=end.reason,
        message=end.message,
        upto=upto,
        evidence=found.evidence or Evidence.NO_TRACE,
        next_state=end.next_state,
        figures=figures_from_json(told) if told else fold.totals(),
        hold=end.hold,
        retry_at_ms=end.retry_at_ms,
        exit_code=end.exit_code,
        signal=end.signal,
    )
