"""Everything known of one run of this session: journal state, report folds, running totals, and its view.

One owner: the run's actor. `record` appends a decision and moves the state only when the line is durable, so nothing
acts on what a kill could take back (JNL4). While the disk is down, facts that already happened wait here, in order,
and are recorded as soon as it allows (JNL8).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from quarterdeck.domain.events import Entry, Event
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.join import LiveTotals, run_view
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import sum_known
from quarterdeck.domain.reports import Report
from quarterdeck.domain.reports_fold import AttemptFold, figures_from_json
from quarterdeck.domain.run_fold import advance
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import FeedEvent
from quarterdeck.engine.event_lines import event_line, report_line
from quarterdeck.engine.feed import EventStream, Publisher
from quarterdeck.engine.run_plan import RunPlan
from quarterdeck.store.errors import StoreDown
from quarterdeck.store.journal import Journal

AGAIN_AFTER_S = 1.0
RUN_ENDED = "run_ended"
HISTORY_MAX = 20_000
"""Events kept for a reader that comes late; older ones are in the files."""


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
        self.plan = plan
        self.state = state
        self.folds: dict[AttemptId, AttemptFold] = {}
        self.live: dict[AttemptId, LiveTotals] = {}
        self.reasons: dict[SlotId, str] = {}
        """Why a person re-opened a slot, kept from its claim for the resumed agent."""
        self.incomplete: set[AttemptId] = set()
        """Attempts of which a fact did not come over the socket and must be read from the file."""
        self.recording = True
        self._journal = journal
        self._publisher = publisher
        self._now = now
        self._streams: list[EventStream] = []
        self._history: list[FeedEvent] = []
        self._told = 0
        self._view: RunView | None = None

    @property
    def run_id(self) -> RunId:
        """Of the run."""
        return self.state.run_id

    def now(self) -> Moment:
        """Both clocks."""
        return self._now()

    def tell_header(self, entry: Entry) -> None:
        """Tell the launch, which was journaled before this book was made."""
        self._tell(event_line(self._next(), self.run_id, entry, self.state))

    async def record(self, event: Event) -> Entry:
        """Append a decision, durable, and move the state. Raises StoreDown; then nothing has changed."""
        at = self._now()
        try:
            entry = await asyncio.wrap_future(self._journal.append(event, at, sync=True))
        except StoreDown:
            self.set_recording(False)
            raise
        self.set_recording(True)
        self.state = advance(self.state, entry)
        self._tell(event_line(self._next(), self.run_id, entry, self.state))
        self.changed()
        return entry

    async def record_surely(self, event: Event) -> Entry:
        """Record a fact that already happened: waits for the disk however long it takes (JNL8)."""
        while True:
            try:
                return await self.record(event)
            except StoreDown:
                await asyncio.sleep(AGAIN_AFTER_S)

    def take_fact(self, attempt: AttemptId, report: Report) -> None:
        """Fold one report for showing; decisions that rest on it wait for its durable mark."""
        fold = self.folds.get(attempt)
        if fold is None:
            return
        if report.get("in_file"):
            self.incomplete.add(attempt)
            return
        fold.apply(report)
        record = self.state.attempts[attempt]
        self._tell(report_line(self._next(), self.run_id, record.slot_id, attempt, report, self._now().boot))
        self.changed()

    def take_totals(self, attempt: AttemptId, totals: dict[str, Any]) -> None:
        """Keep the shim's running totals for showing."""
        progress = totals.get("progress")
        self.live[attempt] = LiveTotals(
            figures=figures_from_json(totals["figures"]),
            tail=str(totals.get("tail", "")),
            progress=tuple(progress) if progress else None,
            last_output_boot_ms=totals.get("last_output_boot_ms"),
        )
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

    def view(self) -> RunView:
        """The run as it stands; computed once per change."""
        if self._view is None:
            self._view = run_view(
                self.state, self.folds, self.live, self.plan.kinds, recording=self.recording
            )
        return self._view

    def changed(self) -> None:
        """Drop the cached view and tell subscribers."""
        self._view = None
        self._publisher.mark(self.run_id)

    def stream(self) -> EventStream:
        """Every event from the first on; ends with the run."""
        stream = EventStream(tuple(self._history))
        if self.state.is_live:
            self._streams.append(stream)
        else:
            stream.end()
        return stream

    def end_streams(self) -> None:
        """Nothing more will be told."""
        for stream in self._streams:
            stream.end()
        self._streams.clear()

    def close(self) -> None:
        """Release the journal; blocking, call it from a worker thread."""
        self._journal.close()

    def set_recording(self, recording: bool) -> None:
        """Say whether the store takes what happens (JNL8)."""
        if recording is not self.recording:
            self.recording = recording
            self.changed()

    def _next(self) -> int:
        self._told += 1
        return self._told

    def _tell(self, event: FeedEvent) -> None:
        self._history.append(event)
        if len(self._history) > HISTORY_MAX:
            del self._history[: HISTORY_MAX // 2]
        for stream in self._streams:
            stream.push(event)
        if event.type == RUN_ENDED:
            self.end_streams()
