"""The cards of the spend page that hold more than a figure: timeline, spend per day, runs; and the page's head."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QHeaderView, QLabel, QVBoxLayout, QWidget

from quarterdeck.ui.analytics.cards import CardFrame
from quarterdeck.ui.analytics.lines import SPEND, STARTED, STATE, TIME, TURNS, RunLinesModel
from quarterdeck.ui.badges import INTERRUPTED, badge_of_word
from quarterdeck.ui.bottom.tables import MarkDelegate, plain_table
from quarterdeck.ui.charts.spend_chart import SpendChart, colour_of
from quarterdeck.ui.charts.timeline_chart import TimelineChart
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.parts import ElidedLabel, Picker, button, label, rule, set_text, tint_button
from quarterdeck.ui.present_spend import Group, SpendFacts
from quarterdeck.ui.present_timeline import TimelineFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens

tr = Texts("AnalyticsParts")

LANES_SHOWN_MAX = 6
PERIODS: tuple[tuple[str, int | None], ...] = (
    (tr.later("Last 7 days"), 7),
    (tr.later("Last 14 days"), 14),
    (tr.later("Last 30 days"), 30),
    (tr.later("All time"), None),
)

GROUPS = {
    Group.KIND: tr.later("by agent program"),
    Group.AGENT: tr.later("by agent"),
    Group.MODEL: tr.later("by model"),
}


def picker(name: str, parent: QWidget) -> Picker:
    """A choice of the page."""
    made = Picker(parent)
    made.setAccessibleName(name)
    made.currentTextChanged.connect(made.updateGeometry)
    return made


class PageHead(QWidget):
    """Title, filters, Export CSV, Compare runs, and the way back."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("look", "sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon = QLabel(self)
        self.workflow = picker(tr("Workflow shown"), self)
        self.period = picker(tr("Time shown"), self)
        self.kind = picker(tr("Agents shown"), self)
        for words, days in PERIODS:
            self.period.addItem(shown(words), days)
        self.period.setCurrentIndex(1)
        self.export = button(tr("Export CSV"), tr("Export spend as CSV"), "", self)
        self.compare = button(tr("Compare runs"), tr("Compare runs"), "", self)
        self.back = button(tr("Back to canvas"), tr("Back to canvas"), "quiet", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(20, 10, 16, 10)
        row.setSpacing(10)
        row.addWidget(self._icon)
        row.addWidget(label(tr("Timeline and spend"), "title", self))
        row.addSpacing(6)
        for chooser in (self.workflow, self.period, self.kind):
            row.addWidget(chooser)
        row.addStretch(1)
        for pressed in (self.back, self.export, self.compare):
            row.addWidget(pressed)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._icon.setPixmap(pixmap("chart-gantt", tokens.accent, 20, self.devicePixelRatioF()))
        tint_button(self.export, "download", self._theme)
        tint_button(self.compare, "git-compare", self._theme)
        tint_button(self.back, "workflow", self._theme)


class Legend(QWidget):
    """Marks with their words: icons of states, or squares of colours."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(6)
        self._made: list[QWidget] = []

    def clear(self) -> None:
        """Nothing in it."""
        for part in self._made:
            self._row.removeWidget(part)
            part.deleteLater()
        self._made = []

    def add(self, mark: QWidget, words: str) -> None:
        """One more mark."""
        said = label(words, "muted", self)
        said.setContentsMargins(0, 0, 8, 0)
        for part in (mark, said):
            self._row.addWidget(part)
            part.show()
            self._made.append(part)


class TimelineCard(CardFrame):
    """The run looked at: its name and line, what the icons mean, the chart."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = label("", "title", self)
        self._line = ElidedLabel("muted", self)
        self._legend = Legend(self)
        self.chart = TimelineChart(theme, self)
        self._empty = label(tr("No run yet."), "muted", self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setMinimumHeight(72)
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 12, 8)
        head.addWidget(self._name)
        head.addSpacing(6)
        head.addWidget(self._line, 1)
        head.addWidget(self._legend)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 8)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(rule(self))
        column.addWidget(self.chart)
        column.addWidget(self._empty)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def show_facts(self, facts: TimelineFacts | None) -> None:
        """Show this run."""
        set_text(self._name, facts.name if facts is not None else tr("Timeline"))
        set_text(self._line, facts.line if facts is not None else "")
        self.chart.setVisible(facts is not None)
        self._empty.setVisible(facts is None)
        self.chart.show_facts(facts)
        self.chart.setFixedHeight(self.chart.height_wanted(LANES_SHOWN_MAX))

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._legend.clear()
        badges = [badge_of_word(w) for w in ("Running", "Needs you", "Done", "Failed")]
        for badge, words in [*((b, b.word) for b in badges), (INTERRUPTED, tr("Interrupted"))]:
            mark = QLabel(self._legend)
            colour = tokens.tones[badge.family].text
            mark.setPixmap(pixmap(badge.icon, colour, 14, self.devicePixelRatioF()))
            self._legend.add(mark, words)


class SpendCard(CardFrame):
    """Spend per day with its legend; what the bars are made of is chosen here."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: SpendFacts | None = None
        self._title = label(tr("Spend per day"), "title", self)
        self.group = picker(tr("Bars made of"), self)
        for group in Group:
            self.group.addItem(shown(GROUPS[group]), group)
        self._legend = Legend(self)
        self._note = label("", "muted", self, wrap=True)
        self.chart = SpendChart(theme, self)
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addSpacing(8)
        head.addWidget(self.group)
        head.addStretch(1)
        head.addWidget(self._legend)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 12, 8)
        column.addLayout(head)
        column.addWidget(self.chart, 1)
        column.addWidget(self._note)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_facts(self, facts: SpendFacts) -> None:
        """Show these bars."""
        before, self._facts = self._facts, facts
        set_text(self._title, facts.title)
        set_text(self._note, facts.note)
        self._note.setVisible(bool(facts.note))
        self.chart.show_facts(facts)
        if before is None or before.groups != facts.groups:
            self._on_theme_changed(self._theme.tokens)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._legend.clear()
        for place, name in enumerate(self._facts.groups if self._facts is not None else ()):
            mark = QFrame(self._legend)
            mark.setFixedSize(QSize(11, 11))
            mark.setStyleSheet(f"background: {colour_of(place, tokens)}; border-radius: 3px;")
            self._legend.add(mark, name)


STATE_W = 112
"""A chip that says *Needs you*, and what is around it."""


class RunsCard(CardFrame):
    """Table `Runs and spend`: the runs that fit the filters, newest first."""

    run_chosen = Signal(object)
    """RunId."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = RunLinesModel(theme, self)
        self.table = plain_table(
            self, self.model, tr("Runs and spend"), (76, 110, 60, 76, 64, 110), STATE, 31
        )
        self.table.setItemDelegateForColumn(STATE, MarkDelegate(theme, self.table))
        self._measure()
        self.table.horizontalHeader().sectionResized.connect(self._on_section_resized)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self._is_setting = False
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 14, 8)
        head.addWidget(label(tr("Runs"), "title", self))
        head.addStretch(1)
        head.addWidget(label(tr("Sorted by newest"), "muted", self))
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 6)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(rule(self))
        column.addWidget(self.table, 1)

    def show_facts(self, facts: SpendFacts) -> None:
        """Show these runs."""
        self._is_setting = True
        before = self.model.rows
        self.model.set_rows(facts.lines)
        self._is_setting = False
        if before != self.model.rows:
            self._measure()

    def _measure(self) -> None:
        """The end of a start and of a figure is what counts: they are never cut. New rows alone measure no column."""
        header = self.table.horizontalHeader()
        for column in (STARTED, TIME, TURNS, SPEND):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        self._keep_state_whole()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_state_whole()

    def _on_section_resized(self, column: int) -> None:
        if column != STATE:
            self._keep_state_whole()

    def _keep_state_whole(self) -> None:
        """It takes what the others leave, and never less than a chip needs: then the table scrolls."""
        header = self.table.horizontalHeader()
        others = sum(header.sectionSize(column) for column in range(header.count()) if column != STATE)
        header.setSectionResizeMode(STATE, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(STATE, max(STATE_W, self.table.viewport().width() - others))

    def _on_row_changed(self) -> None:
        row = self.model.row_at(self.table.currentIndex())
        if row is not None and not self._is_setting:
            self.run_chosen.emit(row.key)
