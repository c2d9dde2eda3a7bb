"""The living attempts of one run: each has a task that starts its shim, reads its socket, and proves its death.

Facts are folded for showing as they come; an end is journaled only after the shim is gone, when its reports are closed
(design §5). An attempt that cannot be proved dead is looked at again until it can. The run's actor owns this object.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from asyncio import TaskGroup
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.budget import Cap
from quarterdeck.domain.budget_words import BUDGET_WORDS
from quarterdeck.domain.events import AttemptClaimed, AttemptEnded, AttemptLost
from quarterdeck.domain.ids import AttemptId, RequestId
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.states import AttemptStatus, EndReason, Evidence, KeeperEnd
from quarterdeck.engine.attempt_ends import end_of, failed_start, retry_context
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.deaths import DeathFinding, DeathWatch, Verdict, look_pauses_s
from quarterdeck.engine.durable_marks import DurableMarks
from quarterdeck.engine.lost_keepers import Orphans
from quarterdeck.engine.mailbox import Mailbox
from quarterdeck.engine.node_values import decided_nodes
from quarterdeck.engine.pinning import PinMissing
from quarterdeck.engine.report_folds import live_fold, report_fold, upto_of, upto_told
from quarterdeck.engine.resume_file import EarlierAttempt
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.shim_link import DurableReached, FactArrived, ShimLink, ShimMail, TotalsArrived
from quarterdeck.engine.sign_in_reading import NO_SIGN_IN, SignIn
from quarterdeck.engine.starting import CannotStart, Start, Started, start_attempt
from quarterdeck.shim.errors import ForkServerFailed
from quarterdeck.store.errors import StoreDown, StoreError
from quarterdeck.store.machine import awake_ms

log = logging.getLogger(__name__)
LOOK_AGAIN_S = 2.0
STARTS_AT_ONCE = 2
"""More threads would start nothing sooner, as the fork server takes one request at a time; the loop would wait for each."""
OUR_FAULT = "Quarterdeck could not start it: a fault of its own, which its log describes."


@dataclass(frozen=True, slots=True)
class StartFailed:
    """No agent came to be; `message` says why in a sentence."""

    attempt_id: AttemptId
    message: str


@dataclass(frozen=True, slots=True)
class AttemptLooked:
    """The shim is gone and the attempt was looked at: dead with its evidence, or a survivor. link: how the shim went."""

    attempt_id: AttemptId
    found: DeathFinding
    link: ShimLink


@dataclass(frozen=True, slots=True)
class RereadDue:
    """The file of an attempt has by now what did not come over the socket."""

    attempt_id: AttemptId


@dataclass(frozen=True, slots=True)
class AnswerDue:
    """A question that an answer "for this run" covers is durable by now."""

    attempt_id: AttemptId
    request_id: RequestId


@dataclass(frozen=True, slots=True)
class SignInsMoved:
    """What the process knows of sign-ins changed, and a slot of this run waits for it."""


Mail = ShimMail | StartFailed | AttemptLooked | RereadDue | AnswerDue | SignInsMoved


def stop_order(why: EndReason) -> dict[str, Any]:
    """The order that ends an agent, with the reason that its `ending` will say."""
    told = "lost_app" if why is EndReason.APP_CLOSED else why.value if why in BUDGET_WORDS else "stop"
    return {"do": "stop", "reason": told}


class Supervision:
    """See the module. `tasks` holds one task for each living attempt; None in a run at rest, where none is started."""

    def __init__(
        self, context: EngineContext, book: RunBook, tasks: TaskGroup | None, box: Mailbox[Mail]
    ) -> None:
        self._context, self._book, self._tasks, self._box = context, book, tasks, box
        self._links: dict[AttemptId, ShimLink] = {}
        self._keepers: set[asyncio.Task[None]] = set()
        self.marks = DurableMarks()
        self._starts = asyncio.Semaphore(STARTS_AT_ONCE)

    def start(self, claim: AttemptClaimed, cap: Cap, sign_in: SignIn = NO_SIGN_IN) -> None:
        """Start the agent of a claim that is durable (JNL4), with the secrets of its sign-in."""
        kind = self._book.plan.kinds.get(claim.agent, "")
        self._book.folds[claim.attempt_id] = live_fold(kind)
        link = ShimLink(claim.attempt_id, self._post, self._box.wait_room)
        self._links[claim.attempt_id] = link
        self._do(self._keep(link, _start_of(self._book, claim, cap, sign_in)), claim.attempt_id)

    def send(self, attempt: AttemptId, order: dict[str, Any]) -> None:
        """Give an order to a living attempt's shim; one that is gone needs none."""
        link = self._links.get(attempt)
        if link is not None:
            link.send(order)

    def send_all(self, order: dict[str, Any]) -> None:
        """Give an order to every living attempt's shim."""
        for link in self._links.values():
            link.send(order)

    def let_go(self) -> None:
        """The sitting is over: stop looking at survivors."""
        for keeper in self._keepers:
            keeper.cancel()

    async def end_failed_start(self, mail: StartFailed) -> None:
        """Journal that a claimed attempt could not be started (A15 row 4)."""
        self._links.pop(mail.attempt_id, None)
        record = self._book.state.attempts[mail.attempt_id]
        await self._book.record_surely(failed_start(record, mail.message))

    async def end(self, mail: AttemptLooked) -> None:
        """Journal the end of an attempt whose shim is gone, or that its contact is lost, by what is on disk."""
        attempt = mail.attempt_id
        record = self._book.state.attempts[attempt]
        if record.is_terminal:
            self._links.pop(attempt, None)
            return
        upto = upto_told(mail.found.exit_file)
        fold = await self._read(lambda one: self._closed_fold(one, upto), mail)
        if fold is None:
            return
        self._book.folds[attempt] = fold
        spec, now_ms = self._book.plan.specs[record.spec.spec], self._book.now().boot_ms
        event = end_of(
            self._book.state,
            record,
            spec,
            fold,
            mail.found,
            retry_context(
                self._book.state,
                record,
                spec,
                now_ms,
                self._context.chance(),
                self._context.sign_ins.retries_left(attempt, now_ms),
            ),
            EndReason.LINK_BROKEN if mail.link.is_broken else None,
            KeeperEnd.SAID if mail.link.has_taken_leave else KeeperEnd.UNSAID,
        )
        if isinstance(event, AttemptLost) and record.status is AttemptStatus.LOST:
            return
        await self._book.record_surely(event)
        self._book.orphaned.discard(attempt)
        if isinstance(event, AttemptEnded):
            fold.close()
        self._links.pop(attempt, None)
        self._book.live.pop(attempt, None)
        self.marks.forget(attempt)
        self._book.changed()

    def reread_once_written(self, mail: FactArrived) -> None:
        """A fact was too large for the socket, or the app had fallen behind: the file is read once it has it."""
        attempt, report = mail.attempt_id, mail.report
        fold = self._book.folds.get(attempt)
        if fold is None or attempt not in self._links:
            return
        self._book.hold_facts(attempt)
        upto = max(int(report.get("upto") or report["seq"]), fold.upto)
        if self.marks.want(attempt, upto):
            self._do(self._put_once_written(attempt), attempt)

    def _is_behind(self, attempt: AttemptId) -> bool:
        return attempt in self._links and self.marks.is_behind(attempt)

    async def _put_once_written(self, attempt: AttemptId) -> None:
        await self.marks.wait_until(lambda: not self._is_behind(attempt))
        self._box.put(RereadDue(attempt))

    async def reread(self, mail: RereadDue) -> None:
        """Fold the attempt's file anew; an attempt that has ended was read at its end."""
        attempt = mail.attempt_id
        if attempt not in self._links:
            return
        if self._is_behind(attempt):  # one more was told of meanwhile
            self._do(self._put_once_written(attempt), attempt)
            return
        fold = await self._read(self._whole_fold, mail)
        if fold is not None:
            self.marks.settle(attempt)
            self._book.take_whole(attempt, fold)

    async def _read(
        self, read: Callable[[AttemptId], AttemptFold], mail: AttemptLooked | RereadDue
    ) -> AttemptFold | None:
        """What is on disk of an attempt; None where the disk does not give it now: the mail then comes again later."""
        try:
            fold = await asyncio.to_thread(read, mail.attempt_id)
        except StoreDown as error:
            self._book.set_unread(mail.attempt_id, error)
            self._do(self._put_later(mail), mail.attempt_id)
            return None
        self._book.set_unread(mail.attempt_id, None)
        return fold

    async def _put_later(self, mail: Mail) -> None:
        await asyncio.sleep(LOOK_AGAIN_S)
        self._box.put(mail)

    def _do(self, work: Coroutine[Any, Any, None], attempt: AttemptId) -> None:
        assert self._tasks is not None, "a run at rest starts nothing"
        task = self._tasks.create_task(work, name=f"attempt {attempt}")
        self._keepers.add(task)
        task.add_done_callback(self._keepers.discard)

    # ------------------------------------------------------------------------------- the task of an attempt

    def _post(self, mail: ShimMail) -> None:
        match mail:
            case TotalsArrived(attempt, totals):
                self._box.put_totals(attempt, totals)
            case DurableReached(attempt, seq):
                self.marks.reach(attempt, seq)
                self._context.store.writer.note_saved()
            case _:
                self._box.put(mail)

    async def _keep(self, link: ShimLink, start: Start) -> None:
        async with self._context.awake.while_alive():
            await self._keep_awake(link, start)

    async def _keep_awake(self, link: ShimLink, start: Start) -> None:
        try:
            started = await self._begin(start)
        except (CannotStart, PinMissing, ForkServerFailed, StoreError, OSError) as error:
            self._box.put(StartFailed(link.attempt_id, str(error)))
            return
        except Exception:
            log.exception("attempt %s could not be started", link.attempt_id)
            self._box.put(StartFailed(link.attempt_id, OUR_FAULT))
            return
        link.send_first({"do": "secrets", "values": started.secrets})
        await link.run(started.handle)
        await self._follow_death(link)

    async def _begin(self, start: Start) -> Started:
        """Start it in a worker thread. On cancel the shim that comes to be all the same is let go: it starts nothing."""
        async with self._starts:
            starting = asyncio.get_running_loop().run_in_executor(None, self._start_now, start)
            try:
                return await asyncio.shield(starting)
            except asyncio.CancelledError:
                starting.add_done_callback(_let_go_of)
                raise

    def _start_now(self, start: Start) -> Started:
        if self._context.fork_server is None:
            raise CannotStart("This process was opened for reading only and starts no agents.")
        return start_attempt(self._context.store, self._context.fork_server, start)

    async def _follow_death(self, link: ShimLink) -> None:
        """Look until the death is proved. What lives though its keeper is gone is ended; a survivor of that is told, and looked
        at again.
        """
        attempt, gone_at_ms, pauses_s = link.attempt_id, awake_ms(), look_pauses_s()
        of_attempt = self._context.store.attempts, self._book.run_id, attempt
        forks = self._context.fork_server
        ours = frozenset() if forks is None else frozenset({forks.pid})
        watch, orphans = DeathWatch(*of_attempt), Orphans(*of_attempt, self._show_orphaned, ours=ours)
        while True:
            try:
                found = await asyncio.to_thread(_find_death, self._context, self._book, watch, gone_at_ms)
            except StoreDown as error:
                self._book.set_unread(attempt, error)
                if not await orphans.end():
                    await asyncio.sleep(LOOK_AGAIN_S)
                continue
            self._book.set_unread(attempt, None)
            if await orphans.end_after(found):
                continue
            found = orphans.judged(found)
            if found.verdict is Verdict.STILL_ENDING:
                await asyncio.sleep(next(pauses_s))
                continue
            self._box.put(AttemptLooked(attempt, found, link))
            if found.verdict is Verdict.DEAD:
                return
            await asyncio.sleep(LOOK_AGAIN_S)

    def _show_orphaned(self, attempt: AttemptId) -> None:
        self._book.orphaned.add(attempt)
        self._book.changed()

    # ------------------------------------------------------------------------------- the end of an attempt

    def _closed_fold(self, attempt: AttemptId, upto: int | None) -> AttemptFold:
        """The facts of a closed report file. `upto`: the last report that was written, None where nothing attests it.

        Read once more from disk where some did not reach the app or did not reach the disk, so that later lives see the
        same; and where an error was told: whether it stands depends on the turns after it (case 82), and turns never reach
        the app one by one.
        """
        fold = self._book.folds[attempt]
        is_whole = fold.exit is not None and attempt not in self._book.incomplete
        is_written = upto is not None and fold.upto <= upto
        return fold if is_whole and is_written and not fold.error_reports else self._whole_fold(attempt, upto)

    def _whole_fold(self, attempt: AttemptId, upto: int | None = None) -> AttemptFold:
        return report_fold(self._context.store.attempts, self._book.run_id, attempt, upto)


def _start_of(book: RunBook, claim: AttemptClaimed, cap: Cap, sign_in: SignIn) -> Start:
    state, plan = book.state, book.plan
    slot = state.slots[claim.slot_id]
    return Start(
        header=state.header,
        plan=plan,
        claim=claim,
        before=decided_nodes(state, book.folds, plan.upstream(slot.node_id)),
        earlier=tuple(_earlier(state, attempt) for attempt in slot.attempts[:-1]),
        reason=book.reasons.get(claim.slot_id, ""),
        cap=cap,
        continue_session=claim.slot_id not in book.fresh,
        sign_in=sign_in,
    )


def _let_go_of(starting: asyncio.Future[Started]) -> None:
    if starting.cancelled():
        return
    error = starting.exception()
    if error is None:
        starting.result().handle.close()
    else:
        log.warning("an attempt that was given up could not be started either: %s", error)


def _earlier(state: RunState, attempt_id: AttemptId) -> EarlierAttempt:
    record = state.attempts[attempt_id]
    message = record.ended.message if record.ended is not None else ""
    said = {effect: settled for (attempt, effect), settled in state.settled.items() if attempt == attempt_id}
    return EarlierAttempt(attempt_id, str(record.status), message, upto_of(record), said)


def _find_death(context: EngineContext, book: RunBook, watch: DeathWatch, gone_at_ms: int) -> DeathFinding:
    """Raises StoreDown also where the files of an agent that told of its start are gone: that proves nothing of it."""
    found = watch.look(awake_ms() - gone_at_ms)
    has_begun = book.folds[watch.attempt].starting is not None
    if has_begun and found.evidence in (Evidence.NEVER_STARTED, Evidence.NO_TRACE):
        folder = context.store.attempts.folder(book.run_id, watch.attempt)
        if not folder.reports_path.exists():
            raise StoreDown(errno.ENOENT, str(folder.path))
    return found
