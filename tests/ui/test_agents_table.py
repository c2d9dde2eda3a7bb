"""Table `Agents`: its words come whole as long as there is room, and what it is for, state and why, comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quarterdeck.domain.ids import NodeId, RunId, SlotId
from quarterdeck.ui.agents_dock import COST, NODE, RUN, STATE, TIME, TURNS, WHY, AgentsPanel
from quarterdeck.ui.badges import badge_of_word
from quarterdeck.ui.present_nodes import AgentRow
from quarterdeck.ui.theme import Scheme, Theme

CUT_OFF = AgentRow(
    key=(RunId("r-4fc8"), SlotId("a")),
    node_id=NodeId("a"),
    title="Node number 0",
    run="A · r-4fc8",
    badge=badge_of_word("Re-opened, waiting to start"),
    reason="app closed",
    turns=60,
    elapsed="1:03",
    cost="$0.00 practice",
)


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication) -> AgentsPanel:
    made = AgentsPanel(Theme(qapp, Scheme.LIGHT))
    qtbot.addWidget(made)
    made.resize(722, 170)
    made.show()
    return made


def _shown(panel: AgentsPanel, column: int) -> bool:
    """Whether the first cell of a column has the room that Qt asks for its words in the look of the product."""
    needed = panel.table.sizeHintForIndex(panel.model.index(0, column)).width()
    return panel.table.columnWidth(column) >= needed


def test_state_and_why_come_whole_in_a_window_of_the_usual_size_and_turns_yield_first(
    panel: AgentsPanel,
) -> None:
    panel.show_rows((CUT_OFF,), None)
    for column in (NODE, RUN, STATE, WHY, TIME, COST):
        assert _shown(panel, column), panel.model.words(CUT_OFF)[column]
    panel.resize(780, 170)
    panel.show_rows((replace(CUT_OFF, reason="app closed while it worked"),), None)
    assert panel.table.isColumnHidden(TURNS)
    assert _shown(panel, STATE)
    assert _shown(panel, WHY)
    assert panel.table.horizontalScrollBar().maximum() == 0, "nothing stands beside the table"
    panel.resize(1100, 170)
    assert not panel.table.isColumnHidden(TURNS)


def test_where_there_is_nothing_to_say_why_all_columns_are_there(panel: AgentsPanel) -> None:
    panel.show_rows((replace(CUT_OFF, badge=badge_of_word("Running"), reason=""),), None)
    assert not panel.table.isColumnHidden(TURNS)
    assert _shown(panel, COST)


def test_a_long_reason_takes_no_room_from_the_state_and_is_told_whole_by_a_tooltip(
    panel: AgentsPanel,
) -> None:
    row = replace(CUT_OFF, title="A title that goes on " * 4, reason="The folder is gone. " * 40)
    panel.show_rows((row,), None)
    assert _shown(panel, STATE)
    assert panel.table.columnWidth(NODE) >= 120
    assert panel.table.columnWidth(WHY) >= 110
    for column, whole in ((NODE, row.title), (STATE, row.badge.word), (WHY, row.reason)):
        told = panel.model.index(0, column).data(Qt.ItemDataRole.ToolTipRole)
        assert whole.split()[0] in told
    panel.resize(420, 170)
    assert panel.table.columnWidth(STATE) >= 112


def test_a_clock_that_ticks_moves_no_column_and_a_column_that_was_dragged_stays(panel: AgentsPanel) -> None:
    panel.show_rows((CUT_OFF,), None)
    before = [panel.table.columnWidth(column) for column in range(7)]
    panel.show_rows((replace(CUT_OFF, elapsed="1:04"),), None)
    assert [panel.table.columnWidth(column) for column in range(7)] == before
    header = panel.table.horizontalHeader()
    QTest.mousePress(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(before[NODE] - 1, 8))
    QTest.mouseMove(header.viewport(), QPoint(179, 8))
    QTest.mouseRelease(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(179, 8))
    assert panel.table.columnWidth(NODE) == 180
    panel.show_rows((replace(CUT_OFF, title="N"),), None)
    assert panel.table.columnWidth(NODE) == 180
