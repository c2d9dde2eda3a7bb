"""Tab *App log*: the newest lines of the app's own log, filtered by text, copied as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from quarterdeck.engine.past import LogLine, LogTail
from quarterdeck.ui.bottom.tables import plain_table
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, button
from quarterdeck.ui.past_link import PastLink
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line, shown_plainly

tr = Texts("BottomAppLog")

READ_EVERY_MS = 2_000
LEVELS = {"warning": Family.NEEDS, "error": Family.FAILED, "critical": Family.FAILED}


@dataclass(frozen=True, slots=True)
class LogRow:
    """One line; `key` tells it from equal ones."""

    key: tuple[LogLine, int]

    @property
    def line(self) -> LogLine:
        """What was logged."""
        return self.key[0]


class LogModel(RowsModel[LogRow]):
    """When, level, from, what; newest first."""

    headings = (tr.later("Time (UTC)"), tr.later("Level"), tr.later("From"), tr.later("Message"))

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def cell(self, row: LogRow, column: int, role: int) -> Any:
        line = row.line
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                at = line.at.replace("T", " ").partition(".")[0]
                words = one_line(
                    f"{line.message} ({line.fault.splitlines()[-1]})" if line.fault else line.message, 400
                )
                return (at, line.level, line.source.removeprefix("quarterdeck."), words)[column]
            case Qt.ItemDataRole.ToolTipRole if column == 3:
                return shown_plainly(f"{line.message}\n{line.fault}".strip()[:4000])
            case Qt.ItemDataRole.FontRole if column == 0:
                return mono_font(12)
            case Qt.ItemDataRole.ForegroundRole if column == 1 and line.level in LEVELS:
                return QColor(self._theme.tokens.tones[LEVELS[line.level]].text)
            case Qt.ItemDataRole.ForegroundRole if column < 3:
                return QColor(self._theme.tokens.muted)
        return None


class AppLogTab(QWidget):
    """Table `App log lines`; it is read again every other second while it is seen."""

    has_lines_changed = Signal(bool)
    """Whether there is a line to copy."""

    def __init__(self, theme: Theme, link: PastLink, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._tail: LogTail | None = None
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(tr("Filter by text or level"))
        self.filter.setAccessibleName(tr("Filter the app log"))
        self.filter.setMaximumWidth(280)
        self.filter.textChanged.connect(self._refresh)
        self.copy = button(tr("Copy"), tr("Copy the shown log lines"), "quiet", self)
        self.copy.setEnabled(False)
        self.words = ElidedLabel("muted", self)
        self.model = LogModel(theme, self)
        self.table = plain_table(self, self.model, tr("App log lines"), (176, 84, 150, 300), 3, 22)
        head = QHBoxLayout()
        head.setContentsMargins(8, 4, 0, 0)
        head.addWidget(self.filter, 1)
        head.addSpacing(8)
        head.addWidget(self.words, 2)
        head.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        self._timer = QTimer(self)
        self._timer.setInterval(READ_EVERY_MS)
        self._timer.timeout.connect(link.read_log)
        link.log_read.connect(self._on_log_read)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._link.read_log()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    def _on_log_read(self, tail: LogTail) -> None:
        if tail != self._tail:
            self._tail = tail
            self._refresh()

    def _refresh(self) -> None:
        tail = self._tail
        if tail is None:
            return
        wanted = self.filter.text().casefold()
        seen: dict[LogLine, int] = {}
        rows = []
        for line in tail.lines:
            seen[line] = seen.get(line, 0) + 1
            if wanted in f"{line.level} {line.source} {line.message} {line.fault}".casefold():
                rows.append(LogRow((line, seen[line])))
        self.model.set_rows(rows[::-1])
        said = tail.error or tr.count("{n} lines of {path}", "{n} line of {path}", len(rows), path=tail.path)
        self.words.setText(tr("{said}, older ones left out", said=said) if tail.cut else said)
        self.words.setToolTip(tip(str(tail.path)))
        self.has_lines_changed.emit(bool(rows))

    def copy_shown(self) -> None:
        """Put the shown lines on the clipboard, oldest first."""
        lines = [row.line for row in self.model.rows[::-1]]
        text = "\n".join(f"{x.at} {x.level} {x.source}: {x.message}\n{x.fault}".rstrip() for x in lines)
        QGuiApplication.clipboard().setText(text)
