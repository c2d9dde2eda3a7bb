"""Budgets…: limits of spending of the night and of the shown workflow. At 80 % they warn; at the limit everything under them ends."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, dialog_feet, fit_dialog, label, set_text
from quarterdeck.ui.present_shared import SharedFacts, limits_typed
from quarterdeck.ui.recovery.typed_field import TypedField

tr = Texts("BudgetsDialog")


class BudgetsDialog(QDialog):
    """Window-modal, opened with `open()`; Cancel is the default."""

    wanted = Signal(object)
    """SharedLimits."""

    def __init__(self, facts: SharedFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Budgets"))
        self.setAccessibleName(tr("Budgets dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._facts = facts
        self.night = self._field(facts.night, tr("Limit of the night in US dollars"))
        self.began = self._field(facts.limits.night_from, tr("Time of day at which the night begins"))
        self.workflow = self._field(facts.workflow_limit, tr("Limit of the workflow in US dollars"))
        self._problem = label("", "problem", self, wrap=True)
        self._problem.hide()
        self._lay_out()
        fit_dialog(self, 520)
        self.night.setFocus()

    def _field(self, text: str, name: str) -> TypedField:
        made = TypedField(self)
        made.setText(text)
        made.setAccessibleName(name)
        made.setMaximumWidth(120)
        made.left.connect(self._on_left)
        return made

    def _lay_out(self) -> None:
        facts = self._facts
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(tr("Budgets of all runs together"), "big", self, wrap=True))
        said = tr(
            "At 80 % you are told. At the limit nothing more is started and every agent under it is ended; it goes on only when "
            "you raise the limit and resume. Costs that are worked out from tokens count as the estimates that they are."
        )
        column.addWidget(label(said, "muted", self, wrap=True))
        night = tr("The night, all workflows: {standing}", standing=facts.night_words)
        column.addWidget(label(night, "", self, wrap=True))
        column.addLayout(self._row((tr("Limit, $"), self.night), (tr("from"), self.began)))
        if facts.workflow is None:
            self.workflow.hide()
        else:
            name, standing = facts.workflow_name, facts.workflow_words
            words = tr("All runs of {workflow}: {standing}", workflow=name, standing=standing)
            column.addWidget(label(words, "", self, wrap=True))
            column.addLayout(self._row((tr("Limit, $"), self.workflow)))
        column.addWidget(label(tr("An empty limit is none."), "muted", self))
        column.addWidget(self._problem)
        column.addLayout(self._feet())

    def _row(self, *fields: tuple[str, TypedField]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(12)
        for words, field in fields:
            name = label(words, "", self)
            name.setBuddy(field)
            row.addWidget(name)
            row.addWidget(field)
        row.addStretch(1)
        return row

    def _feet(self) -> QHBoxLayout:
        self.cancel = button(tr("Cancel"), tr("Cancel budgets"), "", self)
        self.cancel.setDefault(True)
        self.accept_ = button(tr("Set budgets"), tr("Set budgets"), "primary", self)
        self.cancel.clicked.connect(self.reject)
        self.accept_.clicked.connect(self._on_set)
        return dialog_feet(self.cancel, self.accept_)

    def _on_left(self) -> None:
        self.accept_.setFocus()

    def _on_set(self) -> None:
        typed = limits_typed(self._facts, self.night.text(), self.began.text(), self.workflow.text())
        if isinstance(typed, str):
            set_text(self._problem, typed)
            self._problem.show()
            self.night.setFocus()
            return
        self.wanted.emit(typed)
        self.accept()
