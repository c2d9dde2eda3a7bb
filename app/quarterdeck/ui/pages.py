"""What the middle shows instead of the canvas: a file that does not load, a folder without workflows, loading."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.engine.planned import BrokenWorkflow, Problem
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, set_text, tint_button
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import one_line, shown_plainly

tr = Texts("Pages")


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem of a file."""

    key: int
    problem: Problem


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A line of a file, counted from 1; 0 where it is not known."""

    path: Path
    line: int


class ProblemsModel(RowsModel[ProblemRow]):
    """Where, line, what."""

    headings = (tr.later("Line"), tr.later("Place"), tr.later("Problem"))

    def cell(self, row: ProblemRow, column: int, role: int) -> Any:
        problem = row.problem
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            line = str(problem.line) if problem.line else "–"
            return (line, shown_plainly(problem.place), shown_plainly(problem.message))[column]
        if role == Qt.ItemDataRole.FontRole and column < 2:
            return mono_font(12)
        return None


class ProblemsPage(QWidget):
    """All problems of a file at once, and a button to read it again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.model = ProblemsModel(self)
        self._sign = QLabel(self)
        self._title = label("", "big", self, wrap=True)
        self._words = label("", "muted", self, wrap=True)
        self.table = _problems_table(self, self.model)
        self.reload = button(tr("Reload"), tr("Reload workflow"), "primary", self)
        self.path: Path | None = None
        """The file that does not load."""
        self.edit = button(tr("Open in editor"), tr("Open the file in an editor"), "", self)
        head = QHBoxLayout()
        head.addWidget(self._sign)
        head.addWidget(self._title, 1)
        head.addWidget(self.edit)
        head.addWidget(self.reload)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 16, 32, 12)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(self._words)
        column.addWidget(self.table, 1)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def show_file(self, broken: BrokenWorkflow) -> None:
        """Show these problems."""
        name, count = one_line(broken.path.name, 80), len(broken.problems)
        set_text(self._title, tr.count("{name} has {n} problems", "{name} has {n} problem", count, name=name))
        set_text(
            self._words,
            tr(
                "Nothing was changed and nothing can be run until the file is mended: {path}",
                path=broken.path,
            ),
        )
        self.model.set_rows([ProblemRow(i, p) for i, p in enumerate(broken.problems)])
        self.table.resizeRowsToContents()
        self.path = broken.path

    @property
    def chosen_line(self) -> int:
        """The line of the chosen problem, else of the first; 0 where it is not known."""
        row = self.model.row_at(self.table.currentIndex()) or next(iter(self.model.rows), None)
        return row.problem.line if row is not None else 0

    def _on_theme_changed(self, tokens: Tokens) -> None:
        tone = tokens.tones[Family.FAILED]
        self._sign.setPixmap(pixmap("circle-alert", tone.text, 24, self.devicePixelRatioF()))
        tint_button(self.edit, "external-link", self._theme)
        tint_button(self.reload, "refresh-cw", self._theme, primary=True)


class EmptyPage(QWidget):
    """Words where there is no workflow to draw, and what to do about it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._sign = QLabel(self)
        self._title = label("", "big", self, wrap=True)
        self._words = label("", "muted", self, wrap=True)
        self.open = button(tr("Open folder…"), tr("Open a folder"), "primary", self)
        self.retry = button(tr("Try again"), tr("Try again"), "primary", self)
        self.retry.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(40, 12, 40, 12)
        column.setSpacing(10)
        column.addStretch(2)
        for part in (self._sign, self._title, self._words):
            part.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(part)
        column.addSpacing(8)
        column.addWidget(self.open, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.retry, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def show_words(self, title: str, words: str, *, can_open: bool = True, can_retry: bool = False) -> None:
        """Say why the middle is empty."""
        set_text(self._title, title)
        set_text(self._words, words)
        self.open.setVisible(can_open)
        self.retry.setVisible(can_retry)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._sign.setPixmap(pixmap("ship-wheel", tokens.accent, 40, self.devicePixelRatioF()))
        tint_button(self.open, "folder-open", self._theme, primary=True)


def _problems_table(parent: QWidget, model: ProblemsModel) -> QTableView:
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(tr("Problems"))
    table.setProperty("look", "sheet")
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setMinimumHeight(48)  # a row or two in a low window
    table.setWordWrap(True)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.resizeSection(0, 60)
    header.resizeSection(1, 230)
    header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
    return table
