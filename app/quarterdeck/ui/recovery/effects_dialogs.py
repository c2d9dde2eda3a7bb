"""Dialogs about effects: those of one agent of the recovery dialog, and a person's word about one of them."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, enter_is_harmless, fit_dialog, label, set_text
from quarterdeck.ui.present_effects import EffectLine
from quarterdeck.ui.recovery.effects_view import EffectsView, Key
from quarterdeck.ui.recovery.typed_field import TypedField
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.words import one_line

tr = Texts("EffectsDialogs")


class SettleDialog(QDialog):
    """A person says what became of an effect, and how that is known. Cancel is the default."""

    settled = Signal(object)
    """(Key, "happened" or "absent", reason)."""

    def __init__(self, key: Key, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        enter_is_harmless(self)
        self._key = key
        self.setWindowTitle(tr("Settle an effect"))
        self.setAccessibleName(tr("Settle dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.reason = TypedField(self)
        self.reason.setMaxLength(1_000)
        self.reason.setAccessibleName(tr("How that is known"))
        self.reason.setPlaceholderText(tr("How that is known, in a few words"))
        self.cancel = button(tr("Cancel"), tr("Cancel settle"), "", self)
        self.cancel.setDefault(True)
        self.absent = button(tr("It did not happen"), tr("It did not happen"), "", self)
        self.happened = button(tr("It happened"), tr("It happened"), "", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(tr("Did this happen?"), "big", self))
        column.addWidget(label(breakable(target), "mono", self, wrap=True))
        words = tr("Your word, your name and the time are kept. A later attempt is told of it.")
        column.addWidget(label(words, "muted", self, wrap=True))
        column.addWidget(self.reason)
        self._said = label("", "problem", self, wrap=True)
        self._said.hide()
        column.addWidget(self._said)
        feet = QHBoxLayout()
        feet.addWidget(self.cancel)
        feet.addStretch(1)
        feet.addWidget(self.absent)
        feet.addWidget(self.happened)
        column.addLayout(feet)
        self.cancel.clicked.connect(self.reject)
        self.absent.clicked.connect(self._on_absent)
        self.happened.clicked.connect(self._on_happened)
        self.reason.left.connect(self.happened.setFocus)
        fit_dialog(self, 480)
        self.reason.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_absent(self) -> None:
        self._settle("absent")

    def _on_happened(self) -> None:
        self._settle("happened")

    def _settle(self, said: str) -> None:
        if not self.reason.text().strip():
            set_text(self._said, tr("Say in a few words how that is known."))
            self._said.show()
            self.reason.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.settled.emit((self._key, said, self.reason.text().strip()))
        self.accept()


class EffectsDialog(QDialog):
    """The effects of one agent of the recovery dialog, to be probed or settled."""

    def __init__(
        self,
        theme: Theme,
        of: tuple[RunId, SlotId],
        title: str,
        lines: tuple[EffectLine, ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.key = of
        self.setWindowTitle(tr("Effects to check"))
        self.setAccessibleName(tr("Effects dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.view = EffectsView(theme, self)
        self.view.show_effects(of, lines)
        self.shut = button(tr("Close"), tr("Close effects"), "", self)
        self.shut.setDefault(True)
        self.shut.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        column.addWidget(
            label(tr("What {agent} may have done outside", agent=one_line(title, 80)), "big", self, wrap=True)
        )
        self._none = label(tr("Nothing is left to check."), "muted", self, wrap=True)
        self._none.setVisible(not lines)
        column.addWidget(self._none)
        column.addWidget(self.view)
        feet = QHBoxLayout()
        feet.addStretch(1)
        feet.addWidget(self.shut)
        column.addLayout(feet)
        fit_dialog(self, 560)
        self.shut.setFocus()

    def show_effects(self, lines: tuple[EffectLine, ...]) -> None:
        """Those that are left to check."""
        self.view.show_effects(self.key, lines)
        set_text(self._none, tr("Nothing is left to check."))
        self._none.setVisible(not lines)

    def show_over(self) -> None:
        """Its run was answered or resumed elsewhere: what was asked here is over, and nothing is claimed of the effects."""
        self.view.show_effects(self.key, ())
        set_text(self._none, tr("This run was answered meanwhile. Its agent tells what is left to check."))
        self._none.show()
