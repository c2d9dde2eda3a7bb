"""The figures of a table are read to their end."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.analytics.lines import SPEND, TIME, TURNS
from quarterdeck.ui.analytics.parts import RunsCard
from quarterdeck.ui.badges import INTERRUPTED
from quarterdeck.ui.present_spend import RunLine
from quarterdeck.ui.theme import Scheme, Theme


@pytest.mark.window
@pytest.mark.parametrize("column", [TIME, TURNS, SPEND])
def test_a_figure_of_the_runs_in_timeline_and_spend_is_never_cut(qapp: QApplication, column: int) -> None:
    """REC4: of `at least 1d 02h 11m` the figure is what counts."""
    theme = Theme(qapp, Scheme.LIGHT)
    card = RunsCard(theme)
    line = RunLine(
        RunId("r-1c73"), "r-1c73", INTERRUPTED, "Mon 09:30", "at least 1d 02h 11m", "at least 12,044", "≈ $1,263.41", "Digest"
    )  # fmt: skip
    card.model.set_rows([line])
    card.resize(620, 200)
    card.show()
    QApplication.processEvents()
    assert card.table.columnWidth(column) >= card.table.sizeHintForColumn(column)
    card.deleteLater()
    theme.deleteLater()
