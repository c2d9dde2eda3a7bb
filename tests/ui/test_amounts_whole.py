"""A part of an amount is another amount: where the whole has no room, dots stand for it, and the tip has it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.analytics.lines import STATE
from quarterdeck.ui.analytics.parts import RunsCard
from quarterdeck.ui.badges import INTERRUPTED
from quarterdeck.ui.charts.timeline_chart import TimelineChart
from quarterdeck.ui.charts.timeline_paint import COST_MARGIN_PX
from quarterdeck.ui.painting import DOTS, font_of, whole_or_dots
from quarterdeck.ui.present_spend import RunLine
from quarterdeck.ui.present_timeline import timeline
from quarterdeck.ui.runs_dock import _amount
from quarterdeck.ui.theme import Scheme, Theme
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

AMOUNTS = ("$0.03", "at least $0.03 practice", "$2.25 and $0.00 practice")
HIGH = 20


def drawn(amount: str, room: int, theme: Theme) -> QImage:
    """`amount` as the run list draws it in so much room, at the right of a wide picture."""
    image = QImage(400, HIGH, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    _amount(painter, QRect(400 - room, 0, room, HIGH), amount, theme.tokens, theme.tokens.muted)
    painter.end()
    return image


@pytest.mark.window
@pytest.mark.parametrize("amount", AMOUNTS)
def test_an_amount_without_room_in_the_run_list_is_dots_and_never_its_end(
    qapp: QApplication, amount: str
) -> None:
    theme = Theme(qapp, Scheme.LIGHT)
    needed = QFontMetrics(font_of(12, QFont.Weight.Normal)).horizontalAdvance(amount)
    assert drawn(amount, needed + 4, theme) == drawn(amount, 390, theme)
    for room in range(12, needed - 4, 7):
        assert drawn(amount, room, theme) == drawn(DOTS, room, theme), f"a part of it in {room} px"
    theme.deleteLater()


@pytest.mark.window
def test_whole_or_dots_keeps_what_fits_just_so(qapp: QApplication) -> None:
    metrics = QFontMetrics(font_of(12, QFont.Weight.Normal))
    wide = metrics.horizontalAdvance("at least $1.00")
    assert whole_or_dots(metrics, "at least $1.00", wide) == "at least $1.00"
    assert whole_or_dots(metrics, "at least $1.00", wide - 1) == DOTS


@pytest.mark.qt_loop
async def test_the_tip_of_a_run_tells_its_amount_too() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(made.run_view(1, {"planner": "Running"}))
    async with desk_over(door) as desk:
        await until(lambda: any(row.is_live for row in desk.window.runs.model.rows))
        model = desk.window.runs.model
        place = next(i for i, row in enumerate(model.rows) if row.is_live)
        tip = model.index(place, 0).data(Qt.ItemDataRole.ToolTipRole)
        assert model.rows[place].spend
        assert model.rows[place].spend in tip.splitlines()


@pytest.mark.window
@pytest.mark.parametrize("small", [True, False], ids=["panel", "page"])
def test_the_lanes_of_a_timeline_have_room_for_their_amounts(qapp: QApplication, small: bool) -> None:
    theme = Theme(qapp, Scheme.LIGHT)
    facts = timeline(made.run_view(1, {"planner": "Running"}), (), made.at(2_000))
    lanes = tuple(replace(lane, cost="at least $12.34 practice") for lane in facts.lanes)
    chart = TimelineChart(theme, is_small=small)
    chart.resize(700, 300)
    chart.show_facts(replace(facts, lanes=lanes))
    needed = QFontMetrics(font_of(13, QFont.Weight.DemiBold)).horizontalAdvance(lanes[0].cost)
    assert chart.frame_now().totals_w - COST_MARGIN_PX >= needed
    chart.deleteLater()
    theme.deleteLater()


@pytest.mark.window
@pytest.mark.parametrize("width", [700, 420, 300])
def test_the_chip_of_a_runs_state_in_timeline_and_spend_is_never_cut(qapp: QApplication, width: int) -> None:
    theme = Theme(qapp, Scheme.LIGHT)
    card = RunsCard(theme)
    card.model.set_rows(
        [RunLine(RunId("r-1c73"), "r-1c73", INTERRUPTED, "09:30", "1m", "12", "$0.40", "Digest")]
    )
    card.resize(width, 200)
    card.show()
    QApplication.processEvents()
    chip = QFontMetrics(font_of(12, QFont.Weight.DemiBold)).horizontalAdvance(INTERRUPTED.word) + 34
    assert card.table.columnWidth(STATE) >= chip
    card.deleteLater()
    theme.deleteLater()
