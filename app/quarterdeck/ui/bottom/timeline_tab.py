"""Tab *Timeline*: the run looked at, as a chart and as table `Timeline` side by side; each follows the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.views import RunView
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.bottom.tables import RIGHT, plain_table, tinted
from quarterdeck.ui.charts.timeline_chart import TimelineChart
from quarterdeck.ui.language import Texts
from quarterdeck.ui.past_link import PastLink
from quarterdeck.ui.present_timeline import Bar, TimelineFacts, timeline
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.watching import Shown

tr = Texts("BottomTimelineTab")

AGENT, WHAT, STATE, FROM, TO, TOOK, COST = range(7)
EVERY_MS = 250


@dataclass(frozen=True, slots=True)
class TimelineRow:
    """A bar, or a band (`bar` None) with its words."""

    key: str
    bar: Bar | None
    words: tuple[str, ...]
    spoken: str


def rows_of(facts: TimelineFacts | None) -> tuple[TimelineRow, ...]:
    """Every bar, lane by lane, then the bands."""
    if facts is None:
        return ()
    rows = [
        TimelineRow(b.key, b, (b.agent, b.words, b.badge.word, b.began, b.ended, b.took, b.cost), b.spoken)
        for b in facts.bars
    ]
    for place, gap in enumerate(facts.gaps):
        rows.append(
            TimelineRow(
                f"gap {place}",
                None,
                (tr("All agents"), tr("Gap"), gap.title, gap.began, gap.ended, "", ""),
                gap.spoken,
            )
        )
    return tuple(rows)


class TimelineModel(RowsModel[TimelineRow]):
    """Agent, what, state, from, to, took, cost."""

    headings = (
        tr.later("Agent"),
        tr.later("What"),
        tr.later("State"),
        tr.later("From"),
        tr.later("To"),
        tr.later("Took"),
        tr.later("Cost"),
    )

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parent = parent

    def cell(self, row: TimelineRow, column: int, role: int) -> Any:
        bar = row.bar
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.words[column]
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken if column == AGENT else row.words[column]
            case Qt.ItemDataRole.ToolTipRole:
                return row.spoken.replace(", ", "\n")
            case Qt.ItemDataRole.DecorationRole if column == STATE and bar is not None:
                return tinted(self._theme, bar.badge.icon, bar.badge.family, self._parent)
            case Qt.ItemDataRole.ForegroundRole if column == STATE and bar is not None:
                return QColor(self._theme.tokens.tones[bar.badge.family].text)
            case Qt.ItemDataRole.ForegroundRole if column not in {AGENT, COST}:
                return QColor(self._theme.tokens.muted)
            case Qt.ItemDataRole.TextAlignmentRole if column >= TOOK:
                return RIGHT
        return None


class TimelineFeed(QObject):
    """Works the timeline of the run looked at out while somebody sees it, and asks for its answered questions."""

    def __init__(self, link: PastLink, is_seen: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._link, self._is_seen = link, is_seen
        self._waits: dict[RunId, tuple[Wait, ...]] = {}
        self._asked: tuple[Any, ...] = ()
        self._last: tuple[RunView | None, int] = (None, -EVERY_MS)
        link.waits_read.connect(self._on_waits_read)

    def facts(self, shown: Shown) -> TimelineFacts | None:
        """The newest; raises LookupError where nothing is to be shown anew."""
        view = shown.known.views.get(shown.run) if shown.run is not None else None
        if not self._is_seen():
            raise LookupError("not seen")
        before, at_ms = self._last
        is_soon = 0 <= shown.now.boot_ms - at_ms < EVERY_MS
        same_run = view is not None and before is not None and before.run_id == view.run_id
        if same_run and view is not None and is_soon and view.is_live:
            raise LookupError("too soon")
        self._last = view, shown.now.boot_ms
        if view is None:
            return None
        self._ask(view)
        letter = next((r.letter for r in shown.facts.live if r.run_id == view.run_id), "")
        return timeline(view, self._waits.get(view.run_id, ()), shown.now, letter)

    def _ask(self, view: RunView) -> None:
        """Again whenever a question or an attempt came or went."""
        opened = tuple(q.request_id for slot in view.slots for q in slot.approvals)
        attempts = sum(len(slot.attempts) for slot in view.slots)
        wanted = (view.run_id, view.end_seq, view.phase, opened, attempts)
        if wanted != self._asked:
            self._asked = wanted
            self._link.read_waits([(view.run_id, None if view.is_live else view.end_seq)])

    def _on_waits_read(self, found: dict[RunId, tuple[Wait, ...]]) -> None:
        run = self._asked[0] if self._asked else None
        if run in found:
            self._waits = {run: found[run]}
            self._last = (None, -EVERY_MS)


class TimelineTab(QWidget):
    """Chart and table `Timeline`."""

    slot_chosen = Signal(object)
    """(RunId, SlotId)."""

    def __init__(self, theme: Theme, link: PastLink, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = TimelineChart(theme, self, is_small=True)
        self.model = TimelineModel(theme, self)
        self.table = plain_table(self, self.model, "Timeline", (116, 84, 132, 66, 66, 70, 64), WHAT, 24)
        self._feed = TimelineFeed(link, self.isVisible, self)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(True)
        split.addWidget(self.chart)
        split.addWidget(self.table)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([600, 400])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(split)
        self._is_setting = False
        self.chart.bar_chosen.connect(self._on_bar_chosen)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.table.activated.connect(self._on_activated)

    def show_news(self, shown: Shown) -> None:
        """Show the run looked at."""
        try:
            facts = self._feed.facts(shown)
        except LookupError:
            return
        self.chart.show_facts(facts)
        self._is_setting = True
        self.model.set_rows(rows_of(facts))
        self._is_setting = False

    def _on_bar_chosen(self, bar: Bar) -> None:
        self._is_setting = True
        place = self.model.row_of_key(bar.key)
        flag = QItemSelectionModel.SelectionFlag
        self.table.selectionModel().setCurrentIndex(
            self.model.index(place, 0), flag.ClearAndSelect | flag.Rows
        )
        self._is_setting = False
        self.slot_chosen.emit((bar.run_id, bar.slot_id))

    def _on_row_changed(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is not None and row.bar is not None and not self._is_setting:
            self.chart.go(row.bar)

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is not None and row.bar is not None:
            self.slot_chosen.emit((row.bar.run_id, row.bar.slot_id))
