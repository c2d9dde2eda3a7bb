"""A table model over frozen rows that have a key: it tells the view what changed, row by row, and nothing more."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from quarterdeck.ui.language import shown
from quarterdeck.ui.tips import tip

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""The whole frozen row, for delegates and selection."""


class Keyed(Protocol):
    """A frozen row; rows of one key are the same thing at different times."""

    @property
    def key(self) -> Hashable:
        """Unique in the table."""


R = TypeVar("R", bound=Keyed)


class RowsModel(QAbstractTableModel, Generic[R]):
    """Subclasses say the headings and what a cell shows."""

    headings: tuple[str, ...] = ()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[R, ...] = ()

    @property
    def rows(self) -> tuple[R, ...]:
        """The rows as they are shown."""
        return self._rows

    def set_rows(self, rows: Sequence[R]) -> None:
        """Replace the content. What has the same key at either end stays in place; the middle is exchanged."""
        new, old = tuple(rows), self._rows
        if new == old:
            return
        head = _common([r.key for r in old], [r.key for r in new])
        rest_old, rest_new = old[head:], new[head:]
        tail = _common([r.key for r in reversed(rest_old)], [r.key for r in reversed(rest_new)])
        self._exchange(new, head, len(rest_old) - tail, len(rest_new) - tail)
        self._tell_changes(old, new, head, tail)

    def _exchange(self, new: tuple[R, ...], at: int, removed: int, added: int) -> None:
        if removed:
            self.beginRemoveRows(QModelIndex(), at, at + removed - 1)
            self._rows = self._rows[:at] + self._rows[at + removed :]
            self.endRemoveRows()
        if added:
            self.beginInsertRows(QModelIndex(), at, at + added - 1)
            self._rows = self._rows[:at] + new[at : at + added] + self._rows[at:]
            self.endInsertRows()
        self._rows = new

    def _tell_changes(self, old: tuple[R, ...], new: tuple[R, ...], head: int, tail: int) -> None:
        last = len(self.headings) - 1
        same = [(i, old[i]) for i in range(head)]
        same += [(len(new) - k, old[len(old) - k]) for k in range(1, tail + 1)]
        for place, before in same:
            now = new[place]
            if before is not now and before != now:  # most rows are the same object as before
                self.dataChanged.emit(self.index(place, 0), self.index(place, last))

    def row_of_key(self, key: Hashable) -> int:
        """The place of a key; -1 where it is not in the table."""
        return next((i for i, r in enumerate(self._rows) if r.key == key), -1)

    def row_at(self, index: Index) -> R | None:
        """The row of an index; None where the index is not valid."""
        return self._rows[index.row()] if 0 <= index.row() < len(self._rows) else None

    # ------------------------------------------------------------------ Qt

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.headings)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation is Qt.Orientation.Horizontal:
            return shown(self.headings[section]) if 0 <= section < len(self.headings) else None
        return None

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        row = self.row_at(index) if index.isValid() else None
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        value = self.cell(row, index.column(), role)
        return tip(value) if role == Qt.ItemDataRole.ToolTipRole and value else value

    def cell(self, row: R, column: int, role: int) -> Any:
        """What a cell gives for a role."""
        raise NotImplementedError


def _common(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count
