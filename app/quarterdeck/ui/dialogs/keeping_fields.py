"""The fields of the settings about what is kept, and about sleep. Parts of the settings dialog, which lays them out."""

from __future__ import annotations

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QLabel, QSpinBox, QWidget

from quarterdeck.domain.keeping import MB, Limits
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label

tr = Texts("DialogsKeepingFields")

RUNS_MAX, MB_MAX = 1_000_000, 100_000_000
Rows = tuple[tuple[str, QWidget], ...]


class KeepingFields:
    """How many runs are kept, and how large: whole numbers of runs and MB. parent owns the widgets."""

    def __init__(self, now: Limits, parent: QWidget) -> None:
        self._now = now
        self.runs = _number(parent, now.runs, RUNS_MAX, "")
        self.size = _number(parent, now.size_bytes // MB, MB_MAX, f" {tr('MB')}")
        self.transcripts = _number(parent, now.transcripts_bytes // MB, MB_MAX, f" {tr('MB')}")
        self.record = _number(parent, now.record_bytes // MB, MB_MAX, f" {tr('MB')}")
        for part, name in (
            (self.runs, tr("Runs kept at most")),
            (self.size, tr("Size of kept runs at most")),
            (self.transcripts, tr("Size of transcripts at most")),
            (self.record, tr("Size of one run's record at most")),
        ):
            part.setAccessibleName(name)

    @property
    def parts(self) -> tuple[QSpinBox, ...]:
        """Each tells `valueChanged`."""
        return self.runs, self.size, self.transcripts, self.record

    @property
    def limits(self) -> Limits:
        """As they are chosen; what was not touched stays as it was, to the byte."""
        now = self._now
        return Limits(
            self.runs.value(),
            _bytes(self.size, now.size_bytes),
            _bytes(self.record, now.record_bytes),
            _bytes(self.transcripts, now.transcripts_bytes),
        )

    def rows(self, page: QWidget) -> Rows:
        """Names and fields, with what a cap does."""
        return (
            (tr("Runs"), self.runs),
            (tr("Their size"), self.size),
            (tr("Transcripts"), self.transcripts),
            (
                "",
                _note(
                    tr(
                        "When a run ends, the oldest leave until this holds, and cannot be brought back; their totals stay. The "
                        "newest run of each workflow stays, and so do runs that are interrupted and not answered."
                    ),
                    page,
                ),
            ),
            (tr("One record"), self.record),
            ("", _note(tr("A run whose record is larger is not kept at all; its totals are."), page)),
        )


class AwakeField:
    """Whether the computer is kept awake. why_not: why it cannot be here; empty where it can. What was chosen can be unchosen."""

    def __init__(self, now: bool, why_not: str, parent: QWidget) -> None:
        self._why_not = why_not
        self.box = QCheckBox(tr("Keep the computer awake while agents are at work"), parent)
        self.box.setAccessibleName(tr("Keep the computer awake while agents are at work"))
        self.box.setChecked(now)
        self.box.setEnabled(now or not why_not)
        self.box.setAccessibleDescription(self.words)

    @property
    def words(self) -> str:
        """What it needs, or that it is not available here."""
        if self._why_not:
            return tr("Not available here: {why}", why=in_words(self._why_not))
        return tr(
            "Held exactly while an agent lives, by systemd-inhibit; from the next agent that begins while none is at work. "
            "A closed lid may put it to sleep all the same."
        )

    def rows(self, page: QWidget) -> Rows:
        """The field and its words."""
        return (("", self.box), ("", _note(self.words, page)))


def _note(words: str, page: QWidget) -> QLabel:
    return label(words, "muted", page, wrap=True)


def _bytes(field: QSpinBox, before: int) -> int:
    return before if field.value() == before // MB else field.value() * MB


class CapField(QSpinBox):
    """A cap is typed or stepped, never turned by a wheel that was to scroll the page: what leaves by it cannot come back."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def _number(parent: QWidget, now: int, most: int, suffix: str) -> QSpinBox:
    made = CapField(parent)
    made.setRange(1, max(most, now))
    made.setValue(now)
    made.setSuffix(suffix)
    made.setGroupSeparatorShown(True)
    made.setKeyboardTracking(False)
    made.lineEdit().setTextMargins(7, 0, 0, 0)  # a style sheet does not reach the field inside
    return made
