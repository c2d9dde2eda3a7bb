"""All keys in one table (Ctrl+/), each of which may be changed: conflicts are said, and any change can be taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.ui.action_spec import CANVAS, ActionSpec
from quarterdeck.ui.action_specs import SPECS, conflict, is_bare, keys_of
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, let_clear, resize_within_screen, set_text
from quarterdeck.ui.rows_model import RowsModel

tr = Texts("DialogsKeysDialog")

MOUSE_KEYS = tr.later(
    "Also: wheel scrolls, Ctrl+wheel zooms, Space or the middle button drags the canvas; arrows walk along the wires."
)
NO_ALLOW = tr.later("No key allows a command of an agent.")


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One action with the keys in force."""

    key: str
    spec: ActionSpec
    keys: tuple[str, ...]
    is_changed: bool


class KeysModel(RowsModel[KeyRow]):
    """Action, keys, where they act."""

    headings = (tr.later("Action"), tr.later("Keys"), tr.later("Where"), tr.later("Menu"))

    def cell(self, row: KeyRow, column: int, role: int) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        where = tr("canvas") if row.spec.scope == CANVAS else tr("everywhere")
        keys = ", ".join(_native(key) for key in row.keys) or "–"
        title = row.spec.name
        return (
            title,
            tr("{keys}  (changed)", keys=keys) if row.is_changed else keys,
            where,
            row.spec.menu_words,
        )[column]


class KeysDialog(QDialog):
    """Opened with `open()`; `rebound` gives {action id: keys} of all that differ, after each change."""

    rebound = Signal(object)

    def __init__(self, changed: Mapping[str, tuple[str, ...]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys"))
        self.setAccessibleName(tr("Keys dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._changed = dict(changed)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(tr("Find an action or a key"))
        self.filter.setAccessibleName(tr("Find an action or a key"))
        let_clear(self.filter)
        self.model = KeysModel(self)
        self.table = _table(self, self.model)
        self.edit = QKeySequenceEdit(self)
        self.edit.setMaximumSequenceLength(1)
        for part in (
            self.edit,
            *self.edit.findChildren(QLineEdit),
        ):  # the line in it is what a screen reader meets
            part.setAccessibleName(tr("New keys"))
        self.set = button(tr("Set"), tr("Set keys"), "", self)
        self.clear = button(tr("None"), tr("No keys"), "", self)
        self.reset = button(tr("Reset"), tr("Reset keys of this action"), "", self)
        self.reset_all = button(tr("Reset all"), tr("Reset all keys"), "", self)
        self.shut = button(tr("Close"), tr("Close keys"), "primary", self)
        self.said = label("", "problem", self, wrap=True)
        self._lay_out()
        self._connect()
        self._show()
        resize_within_screen(self, 640, 620)
        self.filter.setFocus()

    # ------------------------------------------------------------------ parts

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(tr("Keys"), "big", self))
        column.addWidget(label(f"{NO_ALLOW.now} {MOUSE_KEYS.now}", "muted", self, wrap=True))
        column.addWidget(self.filter)
        column.addWidget(self.table, 1)
        row = QHBoxLayout()
        row.addWidget(label(tr("New keys"), "", self))
        row.addWidget(self.edit, 1)
        for part in (self.set, self.clear, self.reset):
            row.addWidget(part)
        column.addLayout(row)
        column.addWidget(self.said)
        feet = QHBoxLayout()
        feet.addWidget(self.reset_all)
        feet.addStretch(1)
        feet.addWidget(self.shut)
        column.addLayout(feet)

    def _connect(self) -> None:
        self.filter.textChanged.connect(self._on_filtered)
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.edit.keySequenceChanged.connect(self._on_edited)
        self.set.clicked.connect(self._on_set)
        self.clear.clicked.connect(self._on_clear)
        self.reset.clicked.connect(self._on_reset)
        self.reset_all.clicked.connect(self._on_reset_all)
        self.shut.clicked.connect(self.accept)

    def _show(self) -> None:
        """Those that fit, with the same one marked as before; where it is not among them, the first."""
        before = self.chosen()
        in_force, wanted = keys_of(self._changed), self.filter.text().strip().casefold()
        rows = [
            KeyRow(spec.id, spec, in_force[spec.id], spec.id in self._changed)
            for spec in SPECS
            if wanted in f"{spec.words} {' '.join(in_force[spec.id])} {spec.sought}".casefold()
        ]
        self.model.set_rows(rows)
        place = self.model.row_of_key(before.key) if before is not None else 0
        self.table.selectRow(max(place, 0))
        self._on_selection_changed()
        self.reset_all.setEnabled(bool(self._changed))

    def chosen(self) -> KeyRow | None:
        """The marked action."""
        indexes = self.table.selectionModel().selectedRows()
        return self.model.row_at(indexes[0]) if indexes else None

    # ------------------------------------------------------------------ what a person does

    def _on_filtered(self) -> None:
        self._show()

    def _on_selection_changed(self) -> None:
        row = self.chosen()
        for part in (self.edit, self.clear):
            part.setEnabled(row is not None)
        self.reset.setEnabled(row is not None and row.is_changed)
        self.edit.clear()
        self._on_edited()

    def _on_edited(self) -> None:
        row, key = self.chosen(), self._typed()
        set_text(self.said, self._refusal(row, key) if row is not None and key else "")
        self.set.setEnabled(row is not None and bool(key) and not self.said.text())

    def _refusal(self, row: KeyRow, key: str) -> str:
        if is_bare(key) and row.spec.scope != CANVAS:
            return tr("A key without Ctrl or Alt types a character: only actions of the canvas may have one.")
        taken = conflict(row.spec.id, key, self._changed)
        return (
            tr(
                "{key} already does “{taken}”. Take it from there first, or choose other keys.",
                key=_native(key),
                taken=taken,
            )
            if taken
            else ""
        )

    def _on_set(self) -> None:
        row = self.chosen()
        if row is not None and self.set.isEnabled():
            self._put(row.spec, (self._typed(),))

    def _on_clear(self) -> None:
        if (row := self.chosen()) is not None:
            self._put(row.spec, ())

    def _on_reset(self) -> None:
        row = self.chosen()
        if row is None:
            return
        rest = {name: keys for name, keys in self._changed.items() if name != row.spec.id}
        for key in row.spec.keys:
            if taken := conflict(row.spec.id, key, rest):
                set_text(
                    self.said,
                    tr("{key} now does “{taken}”. Reset that first.", key=_native(key), taken=taken),
                )
                return
        self._put(row.spec, row.spec.keys)

    def _on_reset_all(self) -> None:
        self._changed.clear()
        self._tell()

    def _put(self, spec: ActionSpec, keys: tuple[str, ...]) -> None:
        if keys == spec.keys:
            self._changed.pop(spec.id, None)
        else:
            self._changed[spec.id] = keys
        self.table.setFocus()  # the button is off now: the focus would fall on the next one, which takes the keys away
        self._tell()

    def _tell(self) -> None:
        self.rebound.emit(dict(self._changed))
        self._show()

    def _typed(self) -> str:
        return self.edit.keySequence().toString(QKeySequence.SequenceFormat.PortableText)


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


def _table(parent: QWidget, model: KeysModel) -> QTableView:
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(tr("All keys"))
    table.setProperty("look", "sheet")
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.verticalHeader().hide()
    header = table.horizontalHeader()
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    return table
