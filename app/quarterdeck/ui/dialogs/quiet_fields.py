"""The fields of the settings about telemetry and self-updates of agents' programs. A part of the settings dialog, which lays them out."""

from __future__ import annotations

from PySide6.QtWidgets import QCheckBox, QWidget

from quarterdeck.domain.preferences import QuietProgram
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label

tr = Texts("DialogsQuietFields")

Rows = tuple[tuple[str, QWidget], ...]


class QuietFields:
    """One box for each kind of agent; what is switched off stands below it. now: the kinds that are allowed."""

    def __init__(self, programs: tuple[QuietProgram, ...], now: tuple[str, ...], parent: QWidget) -> None:
        self._programs, self._now = programs, now
        self.boxes = {program.kind: _box(program, now, parent) for program in programs}

    @property
    def allowed(self) -> tuple[str, ...]:
        """The kinds that are allowed; those of a newer version stay."""
        chosen = {kind for kind, box in self.boxes.items() if box.isChecked()}
        others = [kind for kind in self._now if kind not in self.boxes]
        return (*others, *sorted(chosen)) if chosen | set(others) != set(self._now) else self._now

    def rows(self, page: QWidget) -> Rows:
        """Boxes and what each stands for."""
        words = tr(
            "Off for every agent unless you allow it here: Quarterdeck starts these programs with the switches that stand below. What an "
            "agent's own env says outranks them. Counts from the next attempt."
        )
        rows: list[tuple[str, QWidget]] = [("", label(words, "muted", page, wrap=True))]
        for program in self._programs:
            rows.append((program.kind, self.boxes[program.kind]))
            switches = "\n".join(program.switches)
            told = tr("Switched off by {switches}", switches=switches)
            rows.append(("", label(told, "muted", page, wrap=True)))
        return tuple(rows)


def _box(program: QuietProgram, now: tuple[str, ...], parent: QWidget) -> QCheckBox:
    made = QCheckBox(tr("May send telemetry and update itself"), parent)
    made.setAccessibleName(tr("{kind} may send telemetry and update itself", kind=program.kind))
    made.setAccessibleDescription(tr("Switched off by {switches}", switches=", ".join(program.switches)))
    made.setChecked(program.kind in now)
    return made
