"""What a live run's row in the list keeps where room is short, and how it shows a run of very many agents."""

from __future__ import annotations

from decimal import Decimal

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QFont, QPainter

from quarterdeck.domain.practice import Spent
from quarterdeck.ui import runs_dock
from quarterdeck.ui.painting import set_font
from quarterdeck.ui.runs_bar import SHARE_GAP, SHARE_W_MIN, share_widths
from quarterdeck.ui.tokens import Family
from tests.ui import made
from tests.ui.desk import desk_over, has_colour, until
from tests.ui.fake_door import FakeDoor


@pytest.mark.qt_loop
async def test_a_live_row_without_room_keeps_elapsed_and_owner_and_gives_the_workflow_a_place_above(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What tells runs apart at a glance: the hour of the start yields first."""
    lines: list[str] = []
    drawn = runs_dock._line

    def line(painter: QPainter, at: QRect, text: str, colour: str, pixels: int, bold: bool) -> int:
        lines.append(text)
        set_font(painter, pixels, QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        wide = painter.fontMetrics().horizontalAdvance(text)
        assert "·" not in text or wide <= at.width() or len(row.briefs) < 2, f"{text} is cut"
        return drawn(painter, at, text, colour, pixels, bold)

    door = FakeDoor((made.loaded(),))
    flow = made.workflow("Huge", 300, "w-huge")
    free = Spent(Decimal(0), complete=True, practice=Decimal(0))
    door.put(made.run_view(1, {"n1": "Running"}, flow, foreign=True, owner="terminal", practice=free))
    async with desk_over(door) as desk:
        await until(lambda: any(row.is_live for row in desk.window.runs.model.rows))
        row = next(row for row in desk.window.runs.model.rows if row.is_live)
        assert row.when.startswith(f"Huge · {row.moment}"), "nothing is lost for tip and screen reader"
        monkeypatch.setattr(runs_dock, "_line", line)
        desk.window.runs.table.viewport().grab()
        assert row.spend == "$0.00 practice", "the amount that leaves least room"
        assert lines == [row.short, "Huge", "17m 04s · terminal"] * 4, "the whole row for each of its cells"


@pytest.mark.qt_loop
async def test_a_run_of_many_agents_has_a_bar_of_how_many_stand_alike() -> None:
    flow = made.workflow("Huge", 300, "w-huge")
    states = (
        {f"n{i}": "Done" for i in range(60)} | {"n60": "Failed"} | {f"n{i}": "Running" for i in range(61, 81)}
    )
    door = FakeDoor((made.loaded(flow, "/folder/huge.workflow.json"),))
    door.put(made.run_view(1, states, flow))
    async with desk_over(door) as desk:
        await until(lambda: any(row.shares for row in desk.window.runs.model.rows))
        row = next(row for row in desk.window.runs.model.rows if row.is_live)
        counts = {Family.DONE: 60, Family.FAILED: 1, Family.RUNNING: 20, Family.NEUTRAL: 219}
        assert (row.segments, dict(row.shares)) == ((), counts)
        widths = dict(share_widths(row.shares, 238))
        assert min(widths.values()) == widths[Family.FAILED] >= SHARE_W_MIN, "one of 300 can be seen"
        assert abs(sum(widths.values()) + 3 * SHARE_GAP - 238) < 0.01
        tokens = desk.window.theme.tokens
        image = desk.window.runs.table.viewport().grab().toImage()
        for family in counts:
            assert has_colour(image, tokens.tones[family].border), family
