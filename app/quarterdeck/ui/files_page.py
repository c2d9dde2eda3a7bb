"""The files that an attempt saved: name, size, hash, and whether the kept copy is whole; its folder can be opened."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QDesktopServices, QGuiApplication, QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label
from quarterdeck.ui.present_details import FileRow
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.theme import Theme, mono_font, ui_font
from quarterdeck.ui.tokens import Tokens

tr = Texts("FilesPage")

NAME, SIZE, DIGEST, STATE = range(4)


class FilesModel(RowsModel[FileRow]):
    """One row for each saved file, in the order of saving."""

    headings = (tr.later("Name"), tr.later("Size"), tr.later("Hash"), tr.later("State"))

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._parent = theme, parent

    def cell(self, row: FileRow, column: int, role: int) -> Any:
        tone = self._theme.tokens.tones[row.badge.family]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return (row.name, row.size, row.digest, row.badge.word)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return row.tip
            case Qt.ItemDataRole.DecorationRole if column == STATE:
                return QIcon(pixmap(row.badge.icon, tone.text, 14, self._parent.devicePixelRatioF()))
            case Qt.ItemDataRole.ForegroundRole if column == STATE:
                return QColor(tone.text)
            case Qt.ItemDataRole.ForegroundRole if column != NAME:
                return QColor(self._theme.tokens.muted)
            case Qt.ItemDataRole.FontRole if column == DIGEST:
                return mono_font(11)
            case Qt.ItemDataRole.TextAlignmentRole if column == SIZE:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _:
                return None


class FilesPage(QWidget):
    """Table `Files`; the folder is opened by the desktop's own handler."""

    chosen_changed = Signal()
    folder_opened = Signal(str)
    """Path that the desktop was asked to open."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.model = FilesModel(theme, self)
        self.table = QTableView(self)
        self.open_folder = button(tr("Open folder"), tr("Open folder of the file"), "", self)
        self.copy_path = button(tr("Copy path"), tr("Copy path of the file"), "", self)
        self._empty = label(tr("This attempt saved no files."), "muted", self, wrap=True)
        self._set_up_table()
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.table)
        feet = QHBoxLayout()
        feet.addStretch(1)
        feet.addWidget(self.copy_path)
        feet.addWidget(self.open_folder)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.addWidget(self._stack, 1)
        column.addLayout(feet)
        self.table.selectionModel().currentChanged.connect(self._on_current_changed)
        theme.theme_changed.connect(self._on_theme_changed)
        self.show_rows(())

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setAccessibleName(tr("Files"))
        table.setObjectName("Files")
        table.setFont(ui_font(12))
        table.setProperty("look", "plain")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(30)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for place, width in ((SIZE, 74), (DIGEST, 74), (STATE, 106)):
            header.resizeSection(place, width)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)

    def show_rows(self, rows: tuple[FileRow, ...]) -> None:
        """Show these files."""
        self.model.set_rows(rows)
        self._stack.setCurrentWidget(self.table if rows else self._empty)
        if rows and not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self._enable()

    def _chosen(self) -> FileRow | None:
        return self.model.row_at(self.table.currentIndex())

    def _enable(self) -> None:
        for made in (self.open_folder, self.copy_path):
            made.setVisible(bool(self.model.rows))

    @property
    def has_chosen_path(self) -> bool:
        """Whether the chosen file lies where it can be gone to."""
        row = self._chosen()
        return row is not None and bool(row.path)

    def _on_current_changed(self, _current: QModelIndex) -> None:
        self.chosen_changed.emit()

    def open_chosen(self) -> None:
        """Open the folder of the chosen file."""
        row = self._chosen()
        if row is not None and row.path:
            folder = str(PurePath(row.path).parent)
            self.folder_opened.emit(folder)
            QDesktopServices.openUrl(QUrl.fromLocalFile(folder))

    def copy_chosen(self) -> None:
        """Put the path of the chosen file on the clipboard."""
        row = self._chosen()
        if row is not None:
            QGuiApplication.clipboard().setText(row.path)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.table.hasFocus():
            self.open_chosen()
            return
        super().keyPressEvent(event)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.table.viewport().update()
