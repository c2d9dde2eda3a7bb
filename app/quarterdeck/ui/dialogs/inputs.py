"""The fields of a launch: one for each input of the workflow, by its type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from quarterdeck.domain.workflow import InputSpec, InputType
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import Choice, button, label
from quarterdeck.ui.words import one_line

tr = Texts("DialogsInputs")


class InputField(QWidget):
    """One question of a launch."""

    changed = Signal()

    def __init__(self, spec: InputSpec, kept: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self._line: QLineEdit | None = None
        self._box: QCheckBox | None = None
        self._choice: QComboBox | None = None
        name = one_line(spec.label or spec.name, 80)
        start = kept if kept is not None else spec.default
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        if spec.type is not InputType.BOOLEAN:
            column.addWidget(
                label(name if spec.required else tr("{name} (optional)", name=name), "muted", self)
            )
        match spec.type:
            case InputType.BOOLEAN:
                column.addWidget(self._make_box(name, start))
            case InputType.CHOICE:
                column.addWidget(self._make_choice(name, start))
            case _:
                column.addLayout(self._make_line(name, start))
        self._said = label("", "problem", self, wrap=True)
        self._said.hide()
        column.addWidget(self._said)

    def value(self) -> Any:
        """What was entered: text, bool, or None where a field was left empty."""
        if self._box is not None:
            return self._box.isChecked()
        if self._choice is not None:
            return self._choice.currentText() or None
        assert self._line is not None
        return self._line.text() or None

    def show_problem(self, words: str) -> None:
        """Say what is wrong, beside the field; empty text: nothing is."""
        self._said.setText(words)
        self._said.setVisible(bool(words))
        if self._line is not None:
            self._line.setProperty("wrong", bool(words))
            self._line.style().unpolish(self._line)
            self._line.style().polish(self._line)

    def _make_box(self, name: str, start: Any) -> QCheckBox:
        self._box = QCheckBox(name, self)
        self._box.setAccessibleName(name)
        self._box.setChecked(bool(start))
        self._box.toggled.connect(self._on_edited)
        return self._box

    def _make_choice(self, name: str, start: Any) -> QComboBox:
        self._choice = Choice(self)
        self._choice.setAccessibleName(name)
        if not self.spec.required and self.spec.default is None:
            self._choice.addItem("")
        for option in self.spec.options:
            self._choice.addItem(option)
        if start is not None:
            self._choice.setCurrentText(str(start))
        self._choice.currentTextChanged.connect(self._on_edited)
        return self._choice

    def _make_line(self, name: str, start: Any) -> QHBoxLayout:
        self._line = QLineEdit(self)
        self._line.setAccessibleName(name)
        self._line.setText("" if start is None else str(start))
        self._line.textEdited.connect(self._on_edited)
        row = QHBoxLayout()
        row.addWidget(self._line, 1)
        if self.spec.type in {InputType.FILE, InputType.FOLDER}:
            browse = button(tr("Browse…"), tr("Browse for {name}", name=name), "", self)
            browse.clicked.connect(self._on_browse_clicked)
            row.addWidget(browse)
        return row

    def _on_edited(self, *_: object) -> None:
        self.show_problem("")
        self.changed.emit()

    def _on_browse_clicked(self) -> None:
        dialog = QFileDialog(
            self.window(), tr("Choose a folder") if self._is_folder() else tr("Choose a file")
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._is_folder():
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._on_file_selected)
        dialog.open()

    def _is_folder(self) -> bool:
        return self.spec.type is InputType.FOLDER

    def _on_file_selected(self, path: str) -> None:
        if self._line is not None:
            self._line.setText(str(Path(path)))
            self._on_edited()
