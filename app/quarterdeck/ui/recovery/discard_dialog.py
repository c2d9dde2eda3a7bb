"""Discard: what may have happened outside first, then what goes and what stays (REC13). Cancel is the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFrame, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.keeping import UNDO_DAYS, UnknownEffect
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, dialog_feet, enter_is_harmless, fit_dialog, label
from quarterdeck.ui.recovery_asked import EffectsRead
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line, short_id

tr = Texts("DiscardDialog")

EFFECTS_MAX, NAMES_MAX = 8, 4


@dataclass(frozen=True, slots=True)
class Going:
    """A run that is to go, as it is named; spend: of all of them together stands in `discard_words`."""

    run: RunId
    name: str
    is_pinned: bool = False


def discard_words(count: int, spend: str) -> str:
    """What goes, and what stays."""
    goes = tr.count(
        "Deletes transcripts and details of {n} runs.", "Deletes transcripts and details of {n} run.", count
    )
    stays = tr("Totals (turns, time, {spend}) stay in Timeline.", spend=spend)
    untouched = tr("Files your agents wrote are not touched.")
    return f"{goes} {stays} {untouched}"


def pinned_words(going: Sequence[Going]) -> str:
    """A pin holds nothing against its person's own word, and that is said."""
    if len(going) == 1:
        return tr("You pinned this run. Discarding takes it all the same; brought back, it is pinned again.")
    return tr.count(
        "You pinned {n} of these runs. Discarding takes them all the same; brought back, they are pinned again.",
        "You pinned {n} of these runs. Discarding takes it all the same; brought back, it is pinned again.",
        sum(one.is_pinned for one in going),
    )


class DiscardDialog(QDialog):
    """Opened with `open()`; `discard_asked` gives the runs."""

    discard_asked = Signal(object)
    """Tuple of RunId."""

    def __init__(
        self, going: Sequence[Going], spend: str, effects: EffectsRead, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        enter_is_harmless(self)
        self._runs = tuple(one.run for one in going)
        count = len(self._runs)
        self.setWindowTitle(tr("Discard records"))
        self.setAccessibleName(tr("Discard dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        title = tr.count("Discard the records of {n} runs?", "Discard the records of {n} run?", count)
        column.addWidget(label(title, "big", self, wrap=True))
        found = [one for run in self._runs for one in effects.effects.get(run, ())]
        if found:
            column.addWidget(_effects(found, self))
        column.addWidget(label(_named(going), "muted", self, wrap=True))
        column.addWidget(label(discard_words(count, spend), "", self, wrap=True))
        if any(one.is_pinned for one in going):
            column.addWidget(label(pinned_words(going), "", self, wrap=True))
        undo = tr("For {days} days they can be brought back: Runs, Discarded runs.", days=UNDO_DAYS)
        column.addWidget(label(undo, "muted", self, wrap=True))
        self.cancel = button(tr("Cancel"), tr("Cancel discard"), "", self)
        self.cancel.setDefault(True)
        words = tr.count("Discard {n} records", "Discard {n} record", count)
        self.discard = button(words, words, "danger", self)
        column.addSpacing(4)
        column.addLayout(dialog_feet(self.cancel, self.discard))
        self.cancel.clicked.connect(self.reject)
        self.discard.clicked.connect(self._on_discard)
        fit_dialog(self, 520)
        self.cancel.setFocus()

    def _on_discard(self) -> None:
        self.discard.setEnabled(False)
        self.discard_asked.emit(self._runs)
        self.accept()


def _named(going: Sequence[Going]) -> str:
    names = ", ".join(f"{one_line(one.name, 60)} {short_id(one.run)}" for one in going[:NAMES_MAX])
    more = len(going) - NAMES_MAX
    return tr("{runs} and {count} more", runs=names, count=f"{more:,}") if more > 0 else names


def _effects(found: Sequence[UnknownEffect], parent: QWidget) -> QFrame:
    frame = QFrame(parent)
    frame.setProperty("notice", str(Family.NEEDS))
    column = QVBoxLayout(frame)
    column.setContentsMargins(12, 10, 12, 10)
    column.setSpacing(4)
    heading = label(
        tr("Nobody knows whether these happened. Without the records nobody can look it up:"),
        "",
        frame,
        wrap=True,
    )
    heading.setProperty("tone", str(Family.NEEDS))
    column.addWidget(heading)
    for one in found[:EFFECTS_MAX]:
        words = one_line(f"{one.slot}#{one.id} · {one.type} {one.target}", 160)
        column.addWidget(label(breakable(words), "mono", frame, wrap=True))
    more = len(found) - EFFECTS_MAX
    if more > 0:
        column.addWidget(label(tr("and {count} more", count=f"{more:,}"), "muted", frame))
    return frame
