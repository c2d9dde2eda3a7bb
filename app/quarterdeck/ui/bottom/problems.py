"""Tab *Problems*: what needs a look; Enter leads there."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.keeping import Unreadable
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.asked import RequestFailed, RunLaunched, WorkspaceLoaded
from quarterdeck.ui.bottom.tables import plain_table, tinted
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label
from quarterdeck.ui.present_problems import ProblemLine, Said, problem_lines
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

tr = Texts("BottomProblems")

KIND, WHERE, WHAT = range(3)
SAID_MAX = 50


class ProblemLinesModel(RowsModel[ProblemLine]):
    """Kind, where, what."""

    headings = (tr.later("Kind"), tr.later("Where"), tr.later("What"))

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parent = parent

    def cell(self, row: ProblemLine, column: int, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (row.kind, row.where, row.words)[column]
            case Qt.ItemDataRole.AccessibleTextRole:
                return row.spoken if column == KIND else (row.kind, row.where, row.words)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return row.words
            case Qt.ItemDataRole.DecorationRole if column == KIND:
                return tinted(self._theme, row.icon, row.family, self._parent)
            case Qt.ItemDataRole.ForegroundRole if column == KIND:
                return QColor(self._theme.tokens.tones[row.family].text)
            case Qt.ItemDataRole.ForegroundRole if column == WHERE:
                return QColor(self._theme.tokens.muted)
        return None


class ProblemsTab(QWidget):
    """Table `All problems`."""

    line_chosen = Signal(object)
    """ProblemLine."""
    count_changed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files: tuple[LoadedWorkflow | BrokenWorkflow, ...] = ()
        self._said: list[Said] = []
        self._number = 0
        self._shown: Shown | None = None
        self._unreadable: tuple[Unreadable, ...] = ()
        self.model = ProblemLinesModel(theme, self)
        self.table = plain_table(self, self.model, tr("All problems"), (130, 270, 300), WHAT, 24)
        self.table.activated.connect(self._on_activated)
        empty = label(tr("No problems."), "muted", self)
        empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_news(self, shown: Shown) -> None:
        """Follow the views."""
        before = self._shown
        self._shown = shown
        if before is None or before.known.views != shown.known.views or before.facts.live != shown.facts.live:
            self._refresh()

    def show_files(self, news: WorkspaceLoaded) -> None:
        """The folder was read: its problems and warnings."""
        self._files = news.files
        if news.error:
            self._say(tr("Folder"), in_words(news.error))
        self._refresh()

    def show_unreadable(self, found: tuple[Unreadable, ...]) -> None:
        """Records that cannot be read."""
        if found != self._unreadable:
            self._unreadable = found
            self._refresh()

    def hear_launch(self, news: RunLaunched) -> None:
        """A refused launch stays in the list until the same file is launched."""
        self._said = [s for s in self._said if s.path != news.request.path]
        if isinstance(news.result, Refusal):
            self._number += 1
            words = one_line(in_words(news.result.message), 400)
            self._said.append(
                Said(
                    self._number,
                    tr("Launch of {name}", name=news.request.path.name),
                    words,
                    news.request.path,
                )
            )
        self._refresh()

    def hear_failure(self, news: RequestFailed) -> None:
        """A request that failed."""
        self._say(news.what, in_words(news.error))
        self._refresh()

    def _say(self, where: str, words: str) -> None:
        self._number += 1
        self._said = [s for s in self._said if (s.where, s.words) != (where, words)][-SAID_MAX:]
        self._said.append(Said(self._number, one_line(where, 120), one_line(words, 400)))

    def _refresh(self) -> None:
        views = self._shown.known.views if self._shown is not None else {}
        letters = {r.run_id: r.letter for r in self._shown.facts.live} if self._shown is not None else {}
        before = len(self.model.rows)
        self.model.set_rows(problem_lines(views, letters, self._files, self._said, self._unreadable))
        self._stack.setCurrentIndex(1 if self.model.rows else 0)
        if len(self.model.rows) != before:
            self.count_changed.emit(len(self.model.rows))

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is not None:
            self.line_chosen.emit(row)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.table.viewport().update()
