"""Stop…: which run, all live runs of the workflow, or one agent. Says what stopping keeps and what it cannot undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.ui.inspector_feet import STILL_BILLED
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, fit_dialog, label, radio
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
        ),
    )


def _words(run: LiveRun) -> tuple[str, str, str]:
    began = tr("started {time}, {elapsed}, {spend}", time=run.started, elapsed=run.elapsed, spend=run.spend)
    return tr("Run {letter}", letter=run.letter), run.short, began


class StopDialog(QDialog):
    """Window-modal, opened with `open()`; `chosen` says what to stop. Cancel is the default."""

    chosen = Signal(object)

    def __init__(
        self, title: str, choices: Sequence[StopChoice], preferred: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Stop"))
        self.setAccessibleName(tr("Stop dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.choices = tuple(choices)
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(title, "big", self, wrap=True))
        column.addWidget(label(f"{KEPT.now} {STILL_BILLED.now}", "muted", self, wrap=True))
        for place, choice in enumerate(self.choices):
            made = radio(choice.words, self)
            self._group.addButton(made, place)
            column.addWidget(made)
        if (first := self._group.button(preferred)) is not None:
            first.setChecked(True)
        self.cancel = button(tr("Cancel"), tr("Cancel stop"), "", self)
        self.cancel.setDefault(True)
        self.stop = button(tr("Stop it"), tr("Stop it"), "danger", self)
        self.cancel.clicked.connect(self.reject)
        self.stop.clicked.connect(self._on_stop)
        feet = QHBoxLayout()
        feet.addStretch(1)
        feet.addWidget(self.cancel)
        feet.addWidget(self.stop)
        column.addSpacing(6)
        column.addLayout(feet)
        fit_dialog(self, 520)
        self.cancel.setFocus()

    def _on_stop(self) -> None:
        place = self._group.checkedId()
        if 0 <= place < len(self.choices):
            self.chosen.emit(self.choices[place])
            self.accept()
