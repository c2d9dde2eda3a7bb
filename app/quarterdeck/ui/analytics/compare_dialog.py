"""Two runs side by side, fact by fact."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import RunView
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.analytics.lines import ComparedModel
from quarterdeck.ui.bottom.tables import plain_table
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import Picker, button, label, resize_within_screen
from quarterdeck.ui.past_link import PastLink
from quarterdeck.ui.present_spend import RunLine
from quarterdeck.ui.spend_export import compare

tr = Texts("AnalyticsCompareDialog")

OFFERED_MAX = 500


def first_pair(lines: Sequence[RunLine], workflow: str, wanted_run: RunId | None = None) -> tuple[int, int]:
    """Places of the two newest runs of one workflow, the older first: of this one, else of any, else of two.

    wanted_run: one that is compared with the newest other run of its workflow, where it has another.
    """
    at = next((place for place, line in enumerate(lines) if line.key == wanted_run), None)
    if at is not None:
        others = [n for n, line in enumerate(lines) if n != at and line.workflow == lines[at].workflow]
        if others:
            older, newer = sorted((at, next((n for n in others if n > at), others[0])), reverse=True)
            return older, newer
    of: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        of.setdefault(line.workflow, []).append(place)
    wanted = [of.get(workflow, []), *of.values()]
    newer, older = next((found[:2] for found in wanted if len(found) > 1), (0, min(1, len(lines) - 1)))
    return older, newer


class CompareDialog(QDialog):
    """Asks for the two runs that are chosen; shows them once they are read."""

    def __init__(
        self,
        link: PastLink,
        lines: Sequence[RunLine],
        workflow: str,
        clock: Callable[[], Moment],
        parent: QWidget,
        run: RunId | None = None,
    ) -> None:
        """`workflow`: the name of the one that is shown; its runs are compared first. `run`: one to be among them."""
        super().__init__(parent)
        self._link, self._clock = link, clock
        self._views: dict[RunId, RunView] = {}
        self._waits: dict[RunId, tuple[Wait, ...]] = {}
        self.setWindowTitle(tr("Compare runs"))
        self.left, self.right = Picker(self), Picker(self)
        pair = first_pair(lines[:OFFERED_MAX], workflow, run)
        for place, (picker, name) in zip(
            pair, ((self.left, tr("First run")), (self.right, tr("Second run"))), strict=True
        ):
            picker.setAccessibleName(name)
            for line in lines[:OFFERED_MAX]:
                words = f"{line.short} · {line.badge.word} · {line.started} · {line.spend} · {line.workflow}"
                picker.addItem(words, line.key)
            picker.setCurrentIndex(place)
            picker.currentIndexChanged.connect(self._on_chosen)
        self.model = ComparedModel(self)
        self.table = plain_table(self, self.model, tr("Runs compared"), (170, 260, 260), 2, 28)
        self.table.setProperty("look", "sheet")
        self._lay_out()
        link.views_read.connect(self._on_views_read)
        link.waits_read.connect(self._on_waits_read)
        self._on_chosen()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        for words, picker in ((tr("First"), self.left), (tr("Second"), self.right)):
            head.addWidget(label(words, "muted", self))
            head.addWidget(picker, 1)
        self._words = label("", "muted", self)
        self.shut = button(tr("Close"), tr("Close compare"), "primary", self)
        self.shut.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.addWidget(self._words, 1)
        foot.addWidget(self.shut)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        column.addLayout(foot)
        resize_within_screen(self, 860, 620)

    def _chosen(self) -> tuple[RunId, RunId]:
        return RunId(self.left.currentData() or ""), RunId(self.right.currentData() or "")

    def _on_chosen(self) -> None:
        self._words.setText(tr("Reading…"))
        self._link.read_views(dict.fromkeys(self._chosen()))

    def _on_views_read(self, found: dict[RunId, RunView]) -> None:
        self._views |= found
        ends = [
            (v.run_id, None if v.is_live else v.end_seq) for v in map(self._views.get, self._chosen()) if v
        ]
        self._show()
        self._link.read_waits(ends)

    def _on_waits_read(self, found: dict[RunId, tuple[Wait, ...]]) -> None:
        self._waits |= found
        self._show()

    def _show(self) -> None:
        left, right = (self._views.get(run) for run in self._chosen())
        if left is None or right is None:
            self.model.set_rows(())
            self._words.setText(tr("One of these runs cannot be read any more."))
            return
        waits = (self._waits.get(left.run_id, ()), self._waits.get(right.run_id, ()))
        rows = compare(left, right, waits, self._clock())
        self.model.set_rows(rows)
        differing = sum(row.differs for row in rows) - (left is not right)
        self._words.setText(tr.count("{n} facts differ (≠).", "{n} fact differs (≠).", differing))
        self.table.horizontalHeader().setSectionResizeMode(
            1, self.table.horizontalHeader().ResizeMode.Stretch
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
