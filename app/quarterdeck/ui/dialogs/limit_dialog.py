"""Raise limit…: of the chosen agent or of its run. What is spent stays spent; going on is another act (ruling 12)."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, dialog_feet, fit_dialog, label, radio, set_text
from quarterdeck.ui.present_budgets import Limit
from quarterdeck.ui.present_resume import amount_of
from quarterdeck.ui.recovery.typed_field import TypedField
from quarterdeck.ui.words import money_text

tr = Texts("LimitDialog")


class LimitDialog(QDialog):
    """Window-modal, opened with `open()`; Cancel is the default."""

    raised = Signal(object)
    """(Limit as it was, new amount in US dollars)."""

    def __init__(self, limits: Sequence[Limit], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Raise limit"))
        self.setAccessibleName(tr("Raise limit dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.limits = tuple(limits)
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(tr("Raise which limit?"), "big", self, wrap=True))
        words = tr(
            "Agents at work go on under the new limit. One that a limit has ended is not started again."
        )
        column.addWidget(label(words, "muted", self, wrap=True))
        for place, limit in enumerate(self.limits):
            choice = radio(_words(limit), self)
            choice.setChecked(place == 0)
            self._group.addButton(choice, place)
            column.addWidget(choice)
        column.addLayout(self._typed_row())
        self._problem = label("", "problem", self, wrap=True)
        self._problem.hide()
        column.addWidget(self._problem)
        column.addLayout(self._feet())
        fit_dialog(self, 480)
        self.amount.setFocus()

    def _typed_row(self) -> QHBoxLayout:
        self.amount = TypedField(self)
        self.amount.setAccessibleName(tr("New limit in US dollars"))
        self.amount.setMaximumWidth(120)
        self.amount.left.connect(self._on_left)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(label(tr("New limit, $"), "", self))
        row.addWidget(self.amount)
        row.addStretch(1)
        return row

    def _feet(self) -> QHBoxLayout:
        self.cancel = button(tr("Cancel"), tr("Cancel raising"), "", self)
        self.cancel.setDefault(True)
        self.accept_ = button(tr("Raise it"), tr("Raise it"), "primary", self)
        self.cancel.clicked.connect(self.reject)
        self.accept_.clicked.connect(self._on_raise)
        return dialog_feet(self.cancel, self.accept_)

    def _on_left(self) -> None:
        self.accept_.setFocus()

    def _on_raise(self) -> None:
        limit, amount = self.limits[self._group.checkedId()], amount_of(self.amount.text())
        if isinstance(amount, Decimal) and amount > limit.limit_usd:
            self.raised.emit((limit, amount))
            self.accept()
            return
        problem = tr("Write an amount above {limit}, such as 2.50.", limit=money_text(limit.limit_usd))
        set_text(self._problem, problem)
        self._problem.show()
        self.amount.setFocus()


def _words(limit: Limit) -> str:
    amounts = tr("{spent} of {limit} spent", spent=limit.spent, limit=money_text(limit.limit_usd))
    return f"{limit.title} · {amounts}" if limit.title else tr("The whole run · {amounts}", amounts=amounts)
