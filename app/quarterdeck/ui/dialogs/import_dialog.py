"""Import MCP servers…: for which agent, from which file, and exactly what would be written; nothing is before *Take over*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.domain.text import escaped
from quarterdeck.engine.mcp_import import ImportPlan
from quarterdeck.ui.exact_text import ExactText
from quarterdeck.ui.house_link import HouseLink, ImportPlanned
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import Picker, button, dialog_feet, fit_dialog, label, set_text
from quarterdeck.ui.theme import mono_font
from quarterdeck.ui.words import one_line

tr = Texts("ImportDialog")


def plan_lines(plan: ImportPlan) -> Iterator[str]:
    """What would be written, a line each; foreign text escaped."""
    for one in plan.servers:
        name = tr("{name} (replaces the one that is there)", name=one.name) if one.replaces else one.name
        yield escaped(f"{name}: {one.line}")
        yield from (escaped(f"    {in_words(note)}") for note in one.notes)
    yield from (escaped(in_words(words)) for words in plan.left_out)
    if plan.variables:
        yield escaped(tr("Let through to the agent: {names}", names=", ".join(plan.variables)))


class ImportDialog(QDialog):
    """Window-modal, opened with `open()`; Cancel is the default."""

    def __init__(
        self, house: HouseLink, path: Path, agents: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._house, self._path = house, path
        self._source: Path | None = None
        self._plan: ImportPlan | None = None
        self._ticket = 0
        self.setWindowTitle(tr("Import MCP servers"))
        self.setAccessibleName(tr("Import dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.agent = Picker(self)
        self.agent.setAccessibleName(tr("Agent that gets the servers"))
        for name in agents:
            self.agent.addItem(one_line(name, 80), name)
        self.choose = button(tr("Choose file…"), tr("Choose the file with the servers"), "", self)
        self.place = label("", "muted", self, wrap=True)
        self.shown = ExactText(self)
        self.shown.setReadOnly(True)
        self.shown.setTabChangesFocus(True)
        self.shown.setFont(mono_font(12))
        self.shown.setAccessibleName(tr("What would be written"))
        self.shown.setMinimumHeight(160)
        self.said = label("", "problem", self, wrap=True)
        self.said.hide()
        self.cancel = button(tr("Cancel"), tr("Cancel the import"), "", self)
        self.cancel.setDefault(True)
        self.take = button(tr("Take over"), tr("Take the servers over"), "primary", self)
        self._lay_out()
        self.agent.activated.connect(self._ask)
        self.choose.clicked.connect(self._on_choose)
        self.cancel.clicked.connect(self.reject)
        self.take.clicked.connect(self._on_take)
        house.import_planned.connect(self._on_planned)
        self._ask()

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(10)
        first.addWidget(label(tr("For the agent"), "muted", self))
        first.addWidget(self.agent, 1)
        first.addWidget(self.choose)
        words = tr(
            "References to variables are kept and values never taken over. No server is started; a launch lists them once more."
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(tr("Import MCP servers"), "big", self))
        column.addWidget(label(words, "muted", self, wrap=True))
        column.addLayout(first)
        column.addWidget(self.place)
        column.addWidget(self.shown, 1)
        column.addWidget(self.said)
        column.addLayout(dialog_feet(self.cancel, self.take))
        fit_dialog(self, 620)

    def _ask(self) -> None:
        self._ticket += 1
        self._plan = None
        self.take.setEnabled(False)
        self._house.plan_import(self._ticket, self._path, str(self.agent.currentData()), self._source)

    def _on_choose(self) -> None:
        dialog = QFileDialog(self, tr("The file with the servers"), str(self._path.parent))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(tr("MCP servers (*.json)"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.read_from)
        dialog.open()

    def read_from(self, path: str) -> None:
        """Show what this file would give."""
        self._source = Path(path)
        self._ask()

    def _on_planned(self, news: ImportPlanned) -> None:
        if news.ticket != self._ticket:
            return
        is_plan = isinstance(news.result, ImportPlan)
        self._plan = news.result if isinstance(news.result, ImportPlan) else None
        set_text(self.said, "" if is_plan else one_line(in_words(str(news.result)), 1_000))
        self.said.setVisible(not is_plan)
        self.shown.setPlainText("\n".join(plan_lines(self._plan)) if self._plan is not None else "")
        set_text(
            self.place, tr("From {path}", path=one_line(str(self._plan.source), 300)) if self._plan else ""
        )
        self.take.setEnabled(is_plan)

    def _on_take(self) -> None:
        if self._plan is not None:
            self._house.write_import(self._plan)
            self.accept()
