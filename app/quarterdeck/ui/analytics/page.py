"""The page *Timeline and spend* (Ctrl+T): figures, the run looked at over time, spend per day, runs.

It is worked out only while it is seen. The ledger is read when the page opens and whenever a run ends.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.spend_rows import SpendReport
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.analytics.cards import FigureCard
from quarterdeck.ui.analytics.compare_dialog import CompareDialog
from quarterdeck.ui.analytics.parts import PageHead, RunsCard, SpendCard, TimelineCard
from quarterdeck.ui.bottom.timeline_tab import TimelineFeed
from quarterdeck.ui.language import Texts
from quarterdeck.ui.link import Link
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.parts import Picker
from quarterdeck.ui.present_spend import (
    WORKFLOW_SHOWN_MAX,
    Chosen,
    Group,
    SpendFacts,
    export_rows,
    run_lines,
    spend_facts,
)
from quarterdeck.ui.present_waits import Standing, standing_of, waits_now
from quarterdeck.ui.spend_export import spend_csv
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

tr = Texts("AnalyticsPage")

EVERY_MS = 950
WAITS_ASKED_MAX = 500
FILE_NAME = "quarterdeck-spend.csv"


class SpendPage(QWidget):
    """Takes each `Shown`; asks the link for ledger and waits."""

    run_chosen = Signal(object)
    """RunId."""
    slot_chosen = Signal(object)
    """(RunId, SlotId)."""
    can_changed = Signal()
    """What can be exported or compared may be other."""

    def __init__(
        self, theme: Theme, link: Link, clock: Callable[[], Moment], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._link, self._clock = link, clock
        self._shown: Shown | None = None
        self._report = SpendReport()
        self._waits: dict[RunId, tuple[Wait, ...]] = {}
        self._asked: dict[RunId, Standing] = {}
        self._ends: tuple[int, int] = (-1, -1)
        self._worked_ms = -EVERY_MS
        self._facts: SpendFacts | None = None
        self._memo = Memo()
        self._has_read, self._export_due = False, ""
        self.head = PageHead(theme, self)
        self.cards = tuple(FigureCard(theme, self) for _ in range(4))
        self.timeline = TimelineCard(theme, self)
        self.spend = SpendCard(theme, self)
        self.runs = RunsCard(theme, self)
        self._feed = TimelineFeed(link.past, self.isVisible, self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        inside = QWidget(self)
        inside.setProperty("look", "page")
        column = QVBoxLayout(inside)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(14)
        figures = QHBoxLayout()
        figures.setSpacing(14)
        for card in self.cards:
            figures.addWidget(card, 1)
        below = QHBoxLayout()
        below.setSpacing(14)
        below.addWidget(self.spend, 5)
        below.addWidget(self.runs, 4)
        self.spend.setMinimumHeight(300)
        column.addLayout(figures)
        column.addWidget(self.timeline)
        column.addLayout(below, 1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.head)
        whole.addWidget(area, 1)

    def _connect(self) -> None:
        for chooser in (self.head.workflow, self.head.period, self.head.kind, self.spend.group):
            chooser.activated.connect(self._on_chosen)
        self.runs.run_chosen.connect(self.run_chosen)
        self.timeline.chart.bar_chosen.connect(self._on_bar_chosen)
        self._link.past.spend_read.connect(self._on_spend_read)
        self._link.past.waits_read.connect(self._on_waits_read)

    # ------------------------------------------------------------------ showing

    @property
    def facts(self) -> SpendFacts | None:
        """What is shown."""
        return self._facts

    def chosen(self) -> Chosen:
        """The filters as they stand."""
        group = self.spend.group.currentData()
        return Chosen(
            self.head.workflow.currentData(),
            self.head.period.currentData(),
            self.head.kind.currentData(),
            group if isinstance(group, Group) else Group.KIND,
        )

    def show_news(self, shown: Shown) -> None:
        """Follow what the window shows, while the page is seen."""
        before, self._shown = self._shown, shown
        if not self.isVisible():
            return
        self._show_timeline(shown)
        ended = sum(not run.is_live for run in shown.known.runs)
        last = max((run.end_seq or 0 for run in shown.known.runs), default=0)
        if (ended, last) != self._ends:
            self._ends = (ended, last)
            self._link.past.read_spend()
        elif (
            before is not None
            and before.known is shown.known
            and self._facts is not None
            and not shown.live_own
        ):
            return
        if 0 <= shown.now.boot_ms - self._worked_ms < EVERY_MS and any(r.is_live for r in shown.known.runs):
            return
        self._refresh()

    def _show_timeline(self, shown: Shown) -> None:
        try:
            self.timeline.show_facts(self._feed.facts(shown))
        except LookupError:
            return

    def _refresh(self) -> None:
        shown = self._shown
        if shown is None:
            return
        self._worked_ms = shown.now.boot_ms
        chosen = self.chosen()
        waits = waits_now(self._waits, shown.known.views)
        facts = spend_facts(shown.known, self._report, waits, chosen, shown.now, memo=self._memo)
        self._memo.forget_unused()
        self._facts = facts
        for frame, card in zip(self.cards, facts.cards, strict=True):
            frame.show_card(card)
        self.spend.show_facts(facts)
        self.runs.show_facts(facts)
        _offer(self.head.workflow, [(tr("All workflows"), None), *((w.name, w.id) for w in facts.workflows)])
        _offer(self.head.kind, [(tr("All agents"), None), *((kind, kind) for kind in facts.kinds)])
        self.can_changed.emit()
        self._ask_waits(facts)

    def _ask_waits(self, facts: SpendFacts) -> None:
        """Of each run once, and of a live one again whenever a question or an attempt came or went."""
        shown = self._shown
        if shown is None:
            return
        runs = {run.run_id: run for run in shown.known.runs}
        fresh: list[tuple[RunId, int | None]] = []
        for line in facts.lines[:WAITS_ASKED_MAX]:
            if (run := runs.get(line.key)) is None:
                continue
            standing = standing_of(run, shown.known.views.get(line.key))
            if self._asked.get(line.key) != standing:
                self._asked[line.key] = standing
                fresh.append((line.key, None if run.is_live else run.end_seq))
        if fresh:
            self._link.past.read_waits(fresh)

    # ------------------------------------------------------------------ answers

    def _on_spend_read(self, report: SpendReport) -> None:
        self._report, self._has_read = report, True
        self._refresh_if_seen()
        due, self._export_due = self._export_due, ""
        if due:
            self.export_to(due)

    def _on_waits_read(self, found: dict[RunId, tuple[Wait, ...]]) -> None:
        self._waits |= found
        self._refresh_if_seen()

    def _refresh_if_seen(self) -> None:
        if self.isVisible():
            self._refresh()

    def _on_chosen(self) -> None:
        self._refresh()

    def _on_bar_chosen(self, bar: object) -> None:
        run, slot = getattr(bar, "run_id", None), getattr(bar, "slot_id", None)
        self.slot_chosen.emit((run, slot))

    @property
    def can_export(self) -> bool:
        """Whether there is a sum to write; what is not summed yet, because the page was not seen, may have one."""
        if not self.isVisible() or self._facts is None:
            return self._shown is not None and bool(self._shown.known.runs)
        return any(bar.cost_usd or not bar.complete for bar in self._facts.bars)

    @property
    def can_compare(self) -> bool:
        """Whether there are two runs."""
        return self._shown is not None and len(self._shown.known.runs) > 1

    def ask_export(self) -> None:
        """Export spend as CSV…"""
        self._link.past.read_spend()
        dialog = QFileDialog(self, tr("Export spend as CSV"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(tr("CSV files (*.csv)"))
        dialog.setDefaultSuffix("csv")
        dialog.selectFile(FILE_NAME)
        dialog.fileSelected.connect(self.export_to)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def export_to(self, path: str) -> None:
        """Write what was summed, as it stands now, to this file → the link's `text_written`."""
        shown = self._shown
        if not self._has_read:
            self._export_due = path  # written once the ledger is read: a sum of nothing would be no sum
        elif shown is not None:
            rows = export_rows(shown.known, self._report, self.chosen(), shown.now)
            self._link.house.write(Path(path), spend_csv(rows))

    def ask_compare(self) -> None:
        """Compare runs…: those of the filters while the page is seen, else of all; the run looked at is the second."""
        shown = self._shown
        if shown is None:
            return
        lines = self._facts.lines if self._facts is not None and self.isVisible() else ()
        if len(lines) < 2:
            lines = run_lines(shown.known, shown.now)
        name = one_line(shown.workflow.name, WORKFLOW_SHOWN_MAX) if shown.workflow is not None else ""
        dialog = CompareDialog(self._link.past, lines, name, self._clock, self.window(), shown.run)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def minimumSizeHint(self) -> QSize:
        """Small: a page that is not seen must not hold the window wide; what does not fit is scrolled."""
        return QSize(480, 300)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._link.past.read_spend()
        if self._shown is not None:
            self._worked_ms = -EVERY_MS
            self.show_news(self._shown)


def _offer(chooser: Picker, items: list[tuple[str, object]]) -> None:
    """Exchange what can be chosen, the choice staying."""
    if [chooser.itemText(i) for i in range(chooser.count())] == [words for words, _ in items]:
        return
    kept = chooser.currentData()
    chooser.blockSignals(True)
    chooser.clear()
    for words, value in items:
        chooser.addItem(words, value)
    chooser.setCurrentIndex(max(0, next((i for i, (_, v) in enumerate(items) if v == kept), 0)))
    chooser.blockSignals(False)
    chooser.updateGeometry()
