"""Everything known of one run of this session: journal state, report folds, running totals, and its view.

One owner: the run's actor. `record` appends a decision and moves the state only when the line is durable, so nothing
acts on what a kill could take back (JNL4). While the disk is down, facts that already happened wait here, in order,
and are recorded as soon as it allows (JNL8).
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

from quarterdeck.domain.events import Entry, Event
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.fold_check import check
from quarterdeck.domain.guards import admits_report
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.join import LiveTotals, run_view
from quarterdeck.domain.kept_views import KeptViews
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import sum_known
from quarterdeck.domain.overlays import overlaid
from quarterdeck.domain.reports import STARTING, Report
from quarterdeck.domain.reports_fold import AttemptFold, figures_from_json
from quarterdeck.domain.run_fold import advance
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.views import RunView
from quarterdeck.engine.event_lines import event_line, report_line
from quarterdeck.engine.feed import EventHistory, EventStream, Publisher
from quarterdeck.engine.run_plan import RunPlan
from quarterdeck.store.errors import StoreDown, StoreError
from quarterdeck.store.journal import Journal

log = logging.getLogger(__name__)
AGAIN_AFTER_S = 1.0


class RunBook:
    """State and view of one run; see the module. `now` reads the clocks."""

    def __init__(
        self,
        plan: RunPlan,
        journal: Journal,
        state: RunState,
        publisher: Publisher,
        now: Callable[[], Moment],
    ) -> None:
        self.plan, self.journal, self.state = plan, journal, state
        self.folds: dict[AttemptId, AttemptFold] = {}
        self.live: dict[AttemptId, LiveTotals] = {}
        self.reasons: dict[SlotId, str] = {}
        """Why a person re-opened a slot, kept from its claim for the resumed agent."""
        self.fresh: set[SlotId] = set()
        """Slots whose next attempts start from what was saved, and not from the agent's own session."""
        self.incomplete: set[AttemptId] = set()
        """Attempts of which a fact did not come over the socket: at their end the file is read."""
        self._held: dict[AttemptId, list[Report]] = {}
        self.refused: Counter[AttemptId] = Counter()
        """Reports that named another run, attempt or epoch, or came after the end (ID4): kept in their file, not counted."""
        self.waits: dict[SlotId, str] = {}  # for what, in words, by `sign_in_gate`: shown, never recorded
        self.orphaned: set[AttemptId] = (
            set()
        )  # their keepers are gone, and what is left of them is being ended
        self.gives_up = False
        """The process is to end and its disk is down: nothing waits for the disk any more."""
        self.history = EventHistory()
        self._down: StoreError | None = None
        self._muted: set[AttemptId] = set()
        self._unread: dict[AttemptId, StoreError] = {}
        self._publisher, self._now = publisher, now
        self._view: RunView | None = None
        self._kept = KeptViews()
        self._final: RunView | None = None

    @property
    def run_id(self) -> RunId:
        """Of the run."""
        return self.state.run_id

    @property
    def recording(self) -> bool:
        """Whether the store, and every shim's disk, takes what happens, and gives what it took (JNL8)."""
        return self._down is None and not self._muted and not self._unread

    @property
    def waits_for(self) -> str:
        """What the disk does not take or give now, and why: a path and the system's reason; empty where it does."""
        refused = [error for error in (self._down, *self._unread.values()) if error is not None]
        return str(refused[0]) if refused else ""

    @property
    def is_disk_well(self) -> bool:
        """Whether the store of this process takes what happens."""
        return self._down is None

    @property
    def waits_for_disk(self) -> bool:
        """Whether the run's end has to wait until the disk takes what happened, or gives what an agent reported."""
        return self._down is not None or bool(self._unread)

    def now(self) -> Moment:
        """Both clocks."""
        return self._now()

    # ------------------------------------------------------------------------------- decisions

    async def record(self, event: Event) -> Entry:
        """Append a decision, durable, and move the state. Raises StoreDown; then nothing has changed.

        What the fold would refuse is a bug of ours: it raises DomainError before a byte is written.
        """
        at = self._now()
        refuse_unfoldable = partial(check, self.state, at=at)
        try:
            entry = await asyncio.wrap_future(
                self.journal.append(event, at, sync=True, judge=refuse_unfoldable)
            )
        except StoreDown as error:
            self.set_down(error)
            raise
        self.set_down(None)
        self.state = advance(self.state, entry)
        self.tell_entry(entry)
        self.changed()
        return entry

    async def record_surely(self, event: Event) -> Entry:
        """Record a fact that already happened: waits for the disk however long it takes (JNL8).

        Raises StoreDown only once the process gives up; recovery then finds the fact by its evidence.
        """
        while True:
            try:
                return await self.record(event)
            except StoreDown as error:
                await self.wait_for_disk(error)

    async def wait_for_disk(self, error: StoreError) -> None:
        """Wait a while before the disk is asked again. Raises `error` once the process gives up."""
        self.set_down(error)
        if self.gives_up:
            raise error
        await asyncio.sleep(AGAIN_AFTER_S)

    def tell_entry(self, entry: Entry) -> None:
        """Tell readers of events a decision that is durable and folded."""
        self.history.tell(lambda seq: event_line(seq, self.run_id, entry, self.state))

    # ------------------------------------------------------------------------------- facts

    def take_fact(self, attempt: AttemptId, report: Report) -> bool:
        """Fold one report for showing; decisions that rest on it wait for its durable mark. Whether it is the attempt's own."""
        fold = self.folds.get(attempt)
        if report.get("in_file") and fold is not None:
            self.incomplete.add(attempt)
            return False
        if fold is None or not self._is_own(attempt, report):
            self._refuse(attempt, report)
            return False
        fold.apply(report)
        if attempt in self._held:
            self._held[attempt].append(report)
        slot, boot = self.state.attempts[attempt].slot_id, self._now().boot
        self.history.tell(lambda seq: report_line(seq, self.run_id, slot, attempt, report, boot))
        self.changed()
        return True

    def hold_facts(self, attempt: AttemptId) -> None:
        """Keep what is heard from now on: the attempt's file is to be read, and may end before it."""
        self._held.setdefault(attempt, [])

    def take_whole(self, attempt: AttemptId, fold: AttemptFold) -> None:
        """An attempt's file was read anew; what was heard meanwhile goes on top, and what the file had of it counts once."""
        for report in self._held.pop(attempt, ()):
            fold.apply(report)
        self.folds[attempt] = fold
        self.changed()

    def _refuse(self, attempt: AttemptId, report: Report) -> None:
        """Said in the app's log once for each attempt, and counted."""
        self.refused[attempt] += 1
        self.changed()
        if self.refused[attempt] == 1:
            words = "run %s: a report %r (%s, epoch %s) of attempt %s is not its own, or came after its end; not counted"
            log.warning(
                words, self.run_id, report.get("kind"), report.get("seq"), report.get("epoch"), attempt
            )

    def _is_own(self, attempt: AttemptId, report: Report) -> bool:
        """ID4: run, attempt and epoch are those of the attempt, and it has not ended before."""
        if not admits_report(self.state, attempt, int(report.get("epoch") or 0), int(report.get("seq") or 0)):
            return False
        named = (report.get("run"), report.get("attempt"))
        return report.get("kind") != STARTING or named == (self.run_id, attempt)

    def take_totals(self, attempt: AttemptId, totals: dict[str, Any]) -> None:
        """Keep the shim's running totals for showing."""
        record = self.state.attempts.get(attempt)
        if record is None or record.is_terminal:
            return
        self.live[attempt] = _live_totals(totals)
        self.changed()

    def set_muted(self, attempt: AttemptId, is_muted: bool) -> None:
        """Say whether one shim's disk fails."""
        before = self.recording
        (self._muted.add if is_muted else self._muted.discard)(attempt)
        if self.recording is not before:
            self.changed()

    def set_unread(self, attempt: AttemptId, error: StoreError | None) -> None:
        """Say that the disk does not give an attempt's files, and why; None: it gave them. Raises `error` once the process
        gives up.
        """
        before = self.waits_for
        if error is None:
            self._unread.pop(attempt, None)
        elif self.gives_up:
            raise error
        elif attempt not in self._unread:
            self._unread[attempt] = error
            log.warning("attempt %s cannot be read now, and is tried again: %s", attempt, error)
        if self.waits_for != before:
            self.changed()

    def set_down(self, error: StoreError | None) -> None:
        """Say why the store does not take what happens (JNL8); None: it does."""
        if error is not None and self._down is None:
            log.warning(
                "run %s: what happens cannot be recorded now, and is tried again: %s", self.run_id, error
            )
        before, self._down = self.waits_for, error
        if self.waits_for != before:
            self.changed()

    def figures_of(self, attempt: AttemptId) -> FiguresTotals:
        """Figures of an attempt as known now."""
        ended = self.state.attempts[attempt].ended
        if ended is not None:
            return ended.figures
        if attempt in self.live:
            return self.live[attempt].figures
        return self.folds[attempt].totals() if attempt in self.folds else FiguresTotals()

    def spent_usd(self) -> Decimal | None:
        """What is known to be spent by all attempts so far; None where nothing is known."""
        return sum_known(self.figures_of(attempt).cost_usd for attempt in self.state.attempts)

    # ------------------------------------------------------------------------------- looking

    def view(self) -> RunView:
        """The run as it stands; computed once per change."""
        if self._final is not None:
            return self._final
        if self._view is None:
            view = run_view(
                self.state,
                self.folds,
                self.live,
                self.plan.kinds,
                budgets=self.plan.budgets,
                recording=self.recording,
                kept=self._kept,
            )
            view = replace(view, waits_for=self.waits_for) if self.waits_for else view
            self._view = overlaid(view, self.waits, self.orphaned, self.refused)
        return self._view

    def changed(self) -> None:
        """Drop the cached view and tell subscribers."""
        self._view = None
        self._publisher.mark(self.run_id)

    def finish(self, view: RunView) -> None:
        """Nothing changes any more: this is what is shown from now on. Events end."""
        self._final = view
        if self.refused:
            log.warning("run %s: %d reports were refused", self.run_id, self.refused.total())
        self.history.end()
        self.folds, self.live = {}, {}
        self._kept = KeptViews()
        self._publisher.mark(self.run_id)

    def stream(self) -> EventStream:
        """Every event from the first on; ends with the run."""
        return self.history.stream()


def _live_totals(totals: dict[str, Any]) -> LiveTotals:
    progress = totals.get("progress")
    return LiveTotals(
        figures=figures_from_json(totals["figures"]),
        tail=str(totals.get("tail", "")),
        progress=tuple(progress) if progress else None,
        last_output_boot_ms=totals.get("last_output_boot_ms"),
    )
