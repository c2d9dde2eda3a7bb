"""The head of the run list: title, filter button, menu, and the filter's fields, which are shown only when wanted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from quarterdeck.ui.icons import icon
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import Choice, label, let_clear
from quarterdeck.ui.present_runs import RunRow
from quarterdeck.ui.runs_filter import RunsFilter, StateChoice
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Tokens

tr = Texts("RunsHead")

WORKFLOWS_MAX = 200


class RunsHead(QWidget):
    """Says what the list is to be narrowed to."""

    filter_changed = Signal(object)
    """RunsFilter."""

    def __init__(self, theme: Theme, actions: Sequence[QAction], parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._workflows: tuple[tuple[str, str], ...] = ()
        self.toggle = _tool(tr("Filter runs"), self)
        self.toggle.setCheckable(True)
        self.more = _tool(tr("More about runs"), self)
        menu = QMenu(self)
        menu.addActions(list(actions))
        self.more.setMenu(menu)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.text = _Text(self)
        self.state = Choice(self)
        for choice in StateChoice:
            self.state.addItem(choice.words, choice.value)
        self.state.setAccessibleName(tr("State of the runs"))
        self.workflow = Choice(self)
        self.workflow.addItem(tr("All workflows"), "")
        self.workflow.setAccessibleName(tr("Workflow of the runs"))
        for combo in (self.state, self.workflow):
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(6)
        self.fields = QWidget(self)
        self._lay_out()
        self.fields.hide()
        self.toggle.toggled.connect(self._on_toggled)
        self.text.textChanged.connect(self._on_changed)
        self.text.left.connect(self._on_left)
        self.state.currentIndexChanged.connect(self._on_changed)
        self.workflow.currentIndexChanged.connect(self._on_changed)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def wanted(self) -> RunsFilter:
        """The filter as set; off while its fields are hidden."""
        if not self.toggle.isChecked():
            return RunsFilter()
        state = StateChoice(self.state.currentData())
        return RunsFilter(state, str(self.workflow.currentData() or ""), self.text.text().strip())

    def show_workflows(self, rows: Sequence[RunRow]) -> None:
        """Offer the workflows that have runs, by name."""
        names = {row.workflow_id: row.workflow_name for row in reversed(rows) if row.run_id is not None}
        found = tuple(sorted(names.items(), key=lambda pair: pair[1].casefold()))[:WORKFLOWS_MAX]
        if found == self._workflows:
            return
        self._workflows = found
        chosen = self.workflow.currentData()
        self.workflow.blockSignals(True)
        self.workflow.clear()
        self.workflow.addItem(tr("All workflows"), "")
        for workflow_id, name in found:
            self.workflow.addItem(name, workflow_id)
        self.workflow.setCurrentIndex(max(0, self.workflow.findData(chosen)))
        self.workflow.blockSignals(False)

    def open_filter(self) -> None:
        """Show the fields and type into the first."""
        self.toggle.setChecked(True)
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()

    def narrow(self, state: StateChoice) -> None:
        """Show the runs of one state only, with the filter open."""
        self.text.clear()
        self.state.setCurrentIndex(self.state.findData(state.value))
        self.toggle.setChecked(True)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 8, 8, 2)
        top.setSpacing(2)
        top.addWidget(label(tr("Runs"), "title", self), 1)
        top.addWidget(self.toggle)
        top.addWidget(self.more)
        pair = QHBoxLayout()
        pair.setSpacing(6)
        pair.addWidget(self.state, 1)
        pair.addWidget(self.workflow, 1)
        below = QVBoxLayout(self.fields)
        below.setContentsMargins(10, 4, 10, 4)
        below.setSpacing(6)
        below.addWidget(self.text)
        below.addLayout(pair)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.fields)

    def _on_toggled(self, on: bool) -> None:
        self.fields.setVisible(on)
        self._on_changed()

    def _on_left(self) -> None:
        self.toggle.setChecked(False)
        self.toggle.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_changed(self) -> None:
        self.filter_changed.emit(self.wanted())

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.toggle.setIcon(icon("funnel", tokens.text, tokens.faint))
        self.more.setIcon(icon("ellipsis", tokens.text, tokens.faint))


class _Text(QLineEdit):
    """Esc empties it, then leaves the filter."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setPlaceholderText(tr("Id, workflow, state, reason"))
        self.setAccessibleName(tr("Words in the runs"))
        let_clear(self)
        self.setMaxLength(200)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.text():
            self.clear()
        else:
            self.left.emit()


def _tool(name: str, parent: QWidget) -> QToolButton:
    made = QToolButton(parent)
    made.setAccessibleName(name)
    made.setToolTip(tip(name))
    made.setIconSize(QSize(16, 16))
    return made
