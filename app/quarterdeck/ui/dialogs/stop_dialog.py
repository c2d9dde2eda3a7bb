"""Stop…: which run, all live runs of the workflow, or one agent. Says what stopping keeps and what it cannot undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QDialog, QRadioButton, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.ui.inspector_feet import STILL_BILLED
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, dialog_feet, fit_dialog, label, radio, set_text
from quarterdeck.ui.present import LiveRun

tr = Texts("DialogsStopDialog")

KEPT = tr.later(
    "Everything done so far stays in the record: transcripts, files, turns and cost. What the agents did outside stays done."
)


@dataclass(frozen=True, slots=True)
class StopChoice:
    """One thing that can be stopped: whole runs, or one slot of one run."""

    words: str
    runs: tuple[RunId, ...]
    slot: SlotId | None = None
    is_all: bool = False
    """All that are live: the same choice while its runs change."""

    @property
    def key(self) -> tuple[tuple[RunId, ...], SlotId | None]:
        """What stays the same while its words follow the run."""
        return (() if self.is_all else self.runs), self.slot


def run_choices(live: Sequence[LiveRun]) -> tuple[StopChoice, ...]:
    """Each live run, and all of them where there are several."""
    each = tuple(
        StopChoice(
            " · ".join((*_words(r), tr("in another process"))) if r.foreign else " · ".join(_words(r)),
            (r.run_id,),
        )
        for r in live
    )
    if len(live) < 2:
        return each
    return (
        *each,
        StopChoice(
            tr("All {count} live runs of this workflow", count=f"{len(live):,}"),
            tuple(r.run_id for r in live),
            is_all=True,
        ),
    )


def _words(run: LiveRun) -> tuple[str, str, str]:
    began = tr("started {time}, {elapsed}, {spend}", time=run.started, elapsed=run.elapsed, spend=run.spend)
    return tr("Run {letter}", letter=run.letter), run.short, began


class StopDialog(QDialog):
    """Window-modal, opened with `open()`; `chosen` says what to stop. Cancel is the default. It follows what it offers:
    what has ended leaves it, and is never exchanged for another thing to stop.
    """

    chosen = Signal(object)

    def __init__(
        self, title: str, choices: Sequence[StopChoice], preferred: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Stop"))
        self.setAccessibleName(tr("Stop dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.choices: tuple[StopChoice, ...] = ()
        self._group = QButtonGroup(self)
        self._radios: dict[object, QRadioButton] = {}
        self._said = label("", "problem", self, wrap=True)
        self._said.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(title, "big", self, wrap=True))
        column.addWidget(label(f"{KEPT.now} {STILL_BILLED.now}", "muted", self, wrap=True))
        self._list = QVBoxLayout()
        self._list.setSpacing(10)
        column.addLayout(self._list)
        column.addWidget(self._said)
        self.cancel = button(tr("Cancel"), tr("Cancel stop"), "", self)
        self.cancel.setDefault(True)
        self.stop = button(tr("Stop it"), tr("Stop it"), "danger", self)
        self.cancel.clicked.connect(self.reject)
        self.stop.clicked.connect(self._on_stop)
        column.addSpacing(6)
        column.addLayout(dialog_feet(self.cancel, self.stop))
        self._group.buttonToggled.connect(self._on_toggled)
        self.show_choices(choices)
        if (first := self._group.button(preferred)) is not None:
            first.setChecked(True)
        self._enable()
        fit_dialog(self, 520)
        self.cancel.setFocus()

    @property
    def said(self) -> str:
        """What it says of a choice that is gone."""
        return self._said.text()

    def show_choices(self, choices: Sequence[StopChoice]) -> None:
        """Follow what can be stopped now. Where what was chosen has ended nothing is chosen; of all, the last one is."""
        if tuple(choices) == self.choices:
            return
        chosen, self.choices = self._chosen, tuple(choices)
        self._drop({choice.key for choice in choices})
        for place, choice in enumerate(choices):
            made = self._radios.get(choice.key)
            if made is None:
                made = self._radios[choice.key] = radio(choice.words, self)
                self._list.insertWidget(place, made)
                self._group.addButton(made)
            self._group.setId(made, place)
            set_text(made, choice.words.replace("&", "&&"))
            made.setAccessibleName(choice.words)
        if chosen is not None and chosen.is_all and self._chosen is None and len(choices) == 1:
            self._group.buttons()[0].setChecked(set(choices[0].runs) <= set(chosen.runs))
        if chosen is not None and self._chosen is None:
            self._say_gone()
        self._enable()

    def _drop(self, wanted: set[tuple[tuple[RunId, ...], SlotId | None]]) -> None:
        for key in [key for key in self._radios if key not in wanted]:
            gone = self._radios.pop(key)
            self._group.removeButton(gone)
            self._list.removeWidget(gone)
            gone.hide()
            gone.deleteLater()

    @property
    def _chosen(self) -> StopChoice | None:
        place = self._group.checkedId()
        return self.choices[place] if 0 <= place < len(self.choices) else None

    def _say_gone(self) -> None:
        rest = tr("What was chosen has ended meanwhile. Choose another, or cancel.")
        set_text(
            self._said, rest if self.choices else tr("It has ended meanwhile: there is nothing to stop.")
        )
        self._said.setAccessibleName(self._said.text())
        self._said.show()

    def _on_toggled(self) -> None:
        self._said.hide()
        self._enable()

    def _enable(self) -> None:
        if self.stop.hasFocus() and self._chosen is None:
            self.cancel.setFocus()  # a button that is disabled loses the keyboard
        self.stop.setEnabled(self._chosen is not None)

    def _on_stop(self) -> None:
        if (chosen := self._chosen) is not None:
            self.chosen.emit(chosen)
            self.accept()
