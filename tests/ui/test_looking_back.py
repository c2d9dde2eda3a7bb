"""The bottom panel and the page Timeline and spend in the window: keys, names, tables, charts, export, comparison."""

from __future__ import annotations

import asyncio
import csv
import io
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QTableView, QWidget
from pytestqt.qtbot import QtBot

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.spend_rows import SpendReport
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.past import LogLine, LogTail
from quarterdeck.ui.analytics.compare_dialog import CompareDialog, first_pair
from quarterdeck.ui.analytics.lines import SPEND, STARTED, STATE, TIME, ComparedModel, RunLinesModel
from quarterdeck.ui.analytics.parts import STATE_W, RunsCard
from quarterdeck.ui.asked import RunLaunched
from quarterdeck.ui.bottom.activity import ActivityModel
from quarterdeck.ui.bottom.app_log import LogModel, LogRow
from quarterdeck.ui.bottom.problems import ProblemLinesModel
from quarterdeck.ui.bottom.timeline_tab import TimelineModel, rows_of
from quarterdeck.ui.charts.spend_chart import nice_top
from quarterdeck.ui.charts.timeline_chart import TimelineChart
from quarterdeck.ui.present_activity import ActivityLog
from quarterdeck.ui.present_problems import Said, problem_lines
from quarterdeck.ui.present_timeline import timeline
from quarterdeck.ui.spend_export import compare
from quarterdeck.ui.theme import Scheme, Theme
from tests.ui import made, past_made
from tests.ui.desk import Desk, desk_over, has_colour, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_present_spend import facts_of


def past_door() -> FakeDoor:
    door = FakeDoor((made.loaded(),))
    view, waits = past_made.resumed_run(3, -900)
    door.put(view)
    door.put(made.run_view(5, {"planner": "Done", "web": "Running", "repo": "Failed"}))
    door.past.waited[view.run_id] = waits
    door.past.ledger = past_made.ledger()
    return door


def test_when_a_run_started_comes_whole_in_its_table_and_the_state_keeps_its_place(
    qapp: QApplication, qtbot: QtBot
) -> None:
    """Beside a time of `at least …` and a spend of `… practice` the start was cut to `Today 19…`."""
    card = RunsCard(Theme(qapp, Scheme.LIGHT))
    qtbot.addWidget(card)
    card.resize(590, 300)
    card.show()
    facts = facts_of(SpendReport(), made.run_view(1), past_made.resumed_run(3, -90_000)[0])
    lines = tuple(replace(line, time="at least 1h 02m", spend="$0.00 practice") for line in facts.lines)
    card.show_facts(replace(facts, lines=lines))
    header = card.table.horizontalHeader()

    def needed(column: int) -> int:
        return max(
            card.table.sizeHintForIndex(card.model.index(row, column)).width() for row in range(len(lines))
        )

    for column in (STARTED, TIME, SPEND):
        qtbot.waitUntil(lambda column=column: header.sectionSize(column) >= needed(column))
    assert card.table.horizontalScrollBar().maximum() == 0
    card.resize(300, 300)
    qtbot.waitUntil(lambda: header.sectionSize(STATE) == STATE_W)


@pytest.mark.qt_loop
async def test_waiting_for_you_stops_to_grow_when_the_question_is_answered_wherever_the_run_is() -> None:
    """30 s of waiting in a run that is not looked at; an hour later it is still 30 s."""
    elsewhere = made.workflow("Elsewhere", 4, "w-9")
    door = FakeDoor((made.loaded(),))
    calm, asking = made.run_view(1, {"web": "Running"}), made.run_view(2, {"n0": "Needs you"}, elsewhere)
    question = made.question(asking.run_id, "n0")
    slots = tuple(
        replace(s, approvals=(replace(question, asked_at=made.at(1000)),)) if s.slot_id == "n0" else s
        for s in asking.slots
    )
    asking = replace(asking, slots=slots)
    opened = replace(past_made.wait("n0", "a-1", 1000, None), request_id=question.request_id)
    door.put(calm, asking)
    door.past.waited[asking.run_id] = (opened,)
    async with desk_over(door) as desk:
        page = desk.window.looking_back.page
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.looking_back.toggle_page()
        await until(lambda: page.facts and page.facts.cards[3].value == "0m 24s", "the open question")
        door.past.waited[asking.run_id] = (replace(opened, answered_at=made.at(1030), was_answered=True),)
        door.put(replace(asking, slots=tuple(replace(s, approvals=()) for s in slots)))
        desk.clock.seconds = 4624

        def shows_the_answer() -> bool:
            desk.clock.seconds += 1
            desk.window.watching.refresh()
            return page.facts is not None and page.facts.cards[3].value == "0m 30s"

        await until(shows_the_answer, "the answered question")


@pytest.mark.qt_loop
async def test_the_page_that_looks_back_hides_no_banner() -> None:
    """JNL8: that recording stopped, that the store is read only, what was written and what failed stand above any page."""
    async with desk_over(past_door()) as desk:
        w = desk.window
        bars = (w.not_recording, w.read_only, w.discarded, w.notice)
        for bar in bars:
            bar.say("Read this.")
        w.looking_back.toggle_page()
        assert w.looking_back.page.isVisible()
        for bar in bars:
            assert bar.isVisible()
            assert not bar.visibleRegion().isEmpty()
        w.looking_back.toggle_page()
        assert w.middle.isVisible()
        assert all(bar.isVisible() for bar in bars)


@pytest.mark.qt_loop
async def test_a_page_that_is_not_seen_and_a_notice_hold_the_window_no_higher_than_the_canvas_does() -> None:
    async with desk_over(past_door()) as desk:
        w = desk.window
        w.notice.say("Read this.")
        whole, needed = (
            w.centralWidget(),
            w.middle.minimumSizeHint().height() + w.notice.minimumSizeHint().height(),
        )
        assert whole.minimumSizeHint().height() <= needed


# ------------------------------------------------------------------------------------------- models


def test_models_that_look_back_pass_the_model_tester(
    qtmodeltester: Any, qapp: QApplication, qtbot: Any
) -> None:
    theme, parent = Theme(qapp, Scheme.LIGHT), QWidget()
    qtbot.addWidget(parent)
    view, waits = past_made.resumed_run()
    live = made.run_view(9, {"web": "Failed"})
    activity = ActivityModel(theme, parent)
    activity.set_rows(ActivityLog().follow({live.run_id: live}, {}, made.at(60)))
    problems = ProblemLinesModel(theme, parent)
    problems.set_rows(problem_lines({live.run_id: live}, {}, (), (Said(1, "x", "y"),)))
    bars = TimelineModel(theme, parent)
    bars.set_rows(rows_of(timeline(view, waits, made.at(9000))))
    log = LogModel(theme, parent)
    log.set_rows([LogRow((LogLine("2025-11-29T13:02:03.120Z", "error", "quarterdeck.x", "m", "a\nb"), 1))])
    runs = RunLinesModel(theme, parent)
    runs.set_rows(facts_of(past_made.ledger(), view, live).lines)
    compared = ComparedModel(parent)
    compared.set_rows(compare(view, live, (waits, ()), made.at(9000)))
    for model in (activity, problems, bars, log, runs, compared):
        assert model.rowCount() > 0
        qtmodeltester.check(model)
    assert [bars.index(0, c).data() for c in range(3)] == ["Planner", "Attempt 1", "Done"]
    assert log.index(0, 3).data() == "m (b)"
    theme.deleteLater()


@pytest.mark.parametrize(
    ("most", "top"),
    [("0", "1"), ("12.74", "15"), ("0.003", "0.003"), ("100", "100"), ("128.4", "150"), ("9.99", "10")],
)
def test_the_axis_of_spend_ends_at_a_round_amount_above_all(most: str, top: str) -> None:
    found, step = nice_top(Decimal(most))
    assert found == Decimal(top)
    assert found >= Decimal(most)
    assert found % step == 0


# ------------------------------------------------------------------------------------------- chart


@pytest.fixture
def chart(qapp: QApplication, qtbot: Any) -> TimelineChart:
    theme = Theme(qapp, Scheme.LIGHT)
    made_chart = TimelineChart(theme)
    theme.setParent(made_chart)
    qtbot.addWidget(made_chart)
    made_chart.resize(1000, 300)
    view, waits = past_made.resumed_run()
    made_chart.show_facts(timeline(view, waits, made.at(9000)))
    made_chart.show()
    made_chart.activateWindow()
    made_chart.setFocus()
    return made_chart


def test_arrows_go_from_bar_to_bar_and_each_is_said(chart: TimelineChart) -> None:
    chart.go(chart.facts.bars[0] if chart.facts else None)
    said = [chart.accessibleDescription()]
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Down, Qt.Key.Key_End):
        QTest.keyClick(chart, key)
        said.append(chart.accessibleDescription())
    heads = [",".join(s.split(",")[:2]) for s in said]
    assert heads == [
        "Planner, Attempt 1",
        "Web researcher, Attempt 1",
        "Web researcher, Attempt 2",
        "Web researcher, Attempt 1",
        "Repo researcher, Attempt 1",
        "Reviewer, Attempt 1",
    ]
    assert "13:30:24 to 13:33:18" in said[-1]


def test_zoom_by_keys_and_wheel_keeps_the_place_under_the_mouse(chart: TimelineChart) -> None:
    frame = chart.frame_now()
    at = QPointF(frame.plot.center())
    place = (at.x() - frame.names_w + frame.scroll_x) / frame.scale
    wheel = QWheelEvent(
        at,
        at,
        QPoint(),
        QPoint(0, 240),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    chart.wheelEvent(wheel)
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    assert chart.zoom == pytest.approx(1.25**3)
    QTest.keyClick(chart, Qt.Key.Key_Minus)
    QTest.keyClick(chart, Qt.Key.Key_Minus)
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    frame = chart.frame_now()
    assert abs((at.x() - frame.names_w + frame.scroll_x) / frame.scale - place) < 60_000
    QTest.keyClick(chart, Qt.Key.Key_0)
    assert chart.zoom == 1.0


def test_hover_tells_exact_times_of_bars_and_of_the_time_without_the_app(chart: TimelineChart) -> None:
    facts = chart.facts
    assert facts is not None
    frame = chart.frame_now()
    bar = facts.lanes[1].bars[0]
    at = frame.bar_rect(1, bar).center().toPoint()
    assert chart.tip_at(at).splitlines()[:4] == [
        "Web researcher",
        "Attempt 1",
        "Stopped",
        "13:03:42 to 13:13:00",
    ]
    middle = QPoint(int(frame.x((facts.gaps[0].start + facts.gaps[0].end) // 2)), 60)
    assert chart.tip_at(middle).splitlines()[0] == "App closed"


def test_a_click_on_a_bar_chooses_it(chart: TimelineChart, qtbot: Any) -> None:
    facts = chart.facts
    assert facts is not None
    at = chart.frame_now().bar_rect(0, facts.bars[0]).center().toPoint()
    with qtbot.waitSignal(chart.bar_chosen) as heard:
        QTest.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert heard.args[0].slot_id == "planner"


def test_a_live_run_is_painted_at_any_age(qapp: QApplication, qtbot: Any) -> None:
    """From its first moment to days later: nothing breaks while a bar grows."""
    theme = Theme(qapp, Scheme.LIGHT)
    painted = TimelineChart(theme)
    theme.setParent(painted)
    qtbot.addWidget(painted)
    painted.resize(800, 240)
    view = made.run_view(1, {"web": "Running", "repo": "Needs you"})
    for seconds in (0, 0.01, 1, 59, 3600, 90_000, 40 * 86_400):
        painted.show_facts(timeline(view, (), made.at(seconds)))
        image = painted.viewport().grab().toImage()
        assert has_colour(image, theme.tokens.tones["running"].border)  # type: ignore[index]


# ------------------------------------------------------------------------------------------- window

window_test = pytest.mark.qt_loop


@window_test
async def test_the_fixed_tables_are_there_once_each() -> None:
    """Design §9: `Agents`, `Runs` and `Timeline` are unique names."""
    async with desk_over(past_door()) as desk:
        names = [t.accessibleName() for t in desk.window.findChildren(QTableView)]
        assert all(
            names.count(name) == 1 for name in ("Agents", "Runs", "Timeline", "Activity", "All problems")
        )


@window_test
async def test_the_timeline_tab_follows_the_run_and_a_live_bar_grows() -> None:
    async with desk_over(past_door()) as desk:
        w = desk.window
        w.actions_["go_run_timeline"].trigger()
        live = next(r.run_id for r in w.watching._known.runs if r.is_live)
        w.watching.choose_run(live)
        table = w.bottom.timeline.table
        await until(lambda: table.model().rowCount() == 3, "three attempts")
        before = [table.model().index(1, c).data() for c in range(6)]
        assert (
            before[:5] == ["Web researcher", "Attempt 1", "Running", "13:02:00", "now"] or before[4] == "now"
        )
        desk.clock.seconds += 60
        w.watching.refresh()
        assert table.model().index(1, 5).data() != before[5]


@window_test
async def test_answered_questions_of_the_run_are_asked_of_the_door() -> None:
    door = past_door()
    async with desk_over(door) as desk:
        w = desk.window
        w.actions_["go_run_timeline"].trigger()
        past = next(r.run_id for r in w.watching._known.runs if not r.is_live)
        w.watching.choose_run(past)
        await until(
            lambda: any(past in dict(asked) for asked in door.past.asked), "the questions are asked for"
        )
        await asyncio.sleep(0)
        desk.clock.seconds += 1
        w.watching.refresh()
        facts = w.bottom.timeline.chart.facts
        assert facts is not None
        assert any(p.is_wait for bar in facts.bars for p in bar.pieces)


@window_test
async def test_activity_lists_what_happens_and_leads_to_the_agent() -> None:
    door = past_door()
    async with desk_over(door) as desk:
        w = desk.window
        w.actions_["go_activity"].trigger()
        model = w.bottom.activity.model
        await until(lambda: any(r.words.startswith("failed") for r in model.rows))
        row = next(i for i, r in enumerate(model.rows) if r.words.startswith("failed"))
        w.bottom.activity.table.setCurrentIndex(model.index(row, 0))
        w.bottom.activity.table.activated.emit(model.index(row, 0))
        assert desk.window.conduct._shown is not None
        assert desk.window.conduct._shown.slot == SlotId("repo")


@window_test
async def test_problems_count_and_lead_to_the_agent_and_a_refused_launch_is_kept() -> None:
    async with desk_over(past_door()) as desk:
        w = desk.window
        tabs = w.bottom.tabs
        place = tabs.indexOf(w.bottom.problems)
        await until(lambda: tabs.tabText(place) == "Problems 1")
        w.link.run_launched.emit(
            RunLaunched(
                LaunchRequest(Path("/folder/digest.workflow.json")),
                Refusal(Code.E_INPUT, "Repository is needed."),
            )
        )
        assert tabs.tabText(place) == "Problems 2"
        w.actions_["go_problems"].trigger()
        table = w.bottom.problems.table
        table.setCurrentIndex(table.model().index(0, 0))
        QTest.keyClick(table, Qt.Key.Key_Return)
        assert w.conduct._shown is not None
        assert w.conduct._shown.slot == SlotId("repo")


@window_test
async def test_the_log_is_shown_filtered_and_copied() -> None:
    door = past_door()
    door.past.log = LogTail(
        Path("/l/quarterdeck.log"),
        (
            LogLine("2025-11-29T13:02:03.1Z", "info", "quarterdeck.a", "one"),
            LogLine("t", "error", "quarterdeck.b", "two"),
        ),
    )
    async with desk_over(door) as desk:
        w = desk.window
        w.actions_["go_log"].trigger()
        tab = w.bottom.log
        await until(lambda: tab.model.rowCount() == 2, "the log")
        assert tab.model.index(0, 3).data() == "two"
        tab.filter.setText("ERROR")
        assert tab.model.rowCount() == 1
        tab.copy.click()
        assert QGuiApplication.clipboard().text() == "t error quarterdeck.b: two"


@window_test
async def test_ctrl_j_folds_the_bottom_panel_and_brings_it_back() -> None:
    async with desk_over(past_door()) as desk:
        w = desk.window
        w.actions_["toggle_bottom"].trigger()
        assert not w.agents_dock.isVisible()
        w.actions_["toggle_bottom"].trigger()
        assert w.agents_dock.isVisible()


async def open_page(desk: Desk) -> None:
    desk.window.actions_["go_timeline"].trigger()
    page = desk.window.looking_back.page
    await until(
        lambda: page.facts is not None and sum(1 for b in page.facts.bars if b.cost_usd) > 5,
        "the page's sums",
    )


@window_test
async def test_the_rail_marks_the_canvas_again_also_where_no_key_led_back() -> None:
    async with desk_over(past_door()) as desk:
        await open_page(desk)
        buttons = desk.window.rail.buttons
        assert [name for name, one in buttons.items() if one.accessibleDescription()] == ["go_timeline"]
        desk.window.top.setFocus()
        desk.window.opening.look()
        assert not desk.window.looking_back.is_open
        assert [name for name, one in buttons.items() if one.accessibleDescription()] == ["go_canvas"]


@window_test
async def test_the_page_takes_the_middle_and_gives_it_back_with_the_docks_as_they_were() -> None:
    async with desk_over(past_door()) as desk:
        w = desk.window
        w.inspector_dock.hide()
        await open_page(desk)
        assert w.looking_back.page.isVisible()
        assert not w.runs_dock.isVisible()
        w.actions_["go_canvas"].trigger()
        assert not w.looking_back.page.isVisible()
        assert (w.runs_dock.isVisible(), w.inspector_dock.isVisible()) == (True, False)


@window_test
async def test_the_pages_sums_are_those_of_ledger_and_live_runs_and_are_written_exactly(
    tmp_path: Path,
) -> None:
    door = past_door()
    async with desk_over(door) as desk:
        await open_page(desk)
        page = desk.window.looking_back.page
        assert page.facts is not None
        known = {v.run_id for v in door.views.values()}
        naive = sum((r.cost_usd or 0 for r in door.past.ledger.rows if r.run not in known), Decimal(0))
        shown = desk.window.conduct._shown
        assert shown is not None
        for view in shown.known.views.values():
            naive += sum((a.figures.cost_usd or 0 for s in view.slots for a in s.attempts), Decimal(0))
        assert sum((b.cost_usd for b in page.facts.bars), Decimal(0)) == naive
        page.head.export.click()
        await asyncio.sleep(0)
        page.export_to(str(tmp_path / "spend.csv"))
        target = tmp_path / "spend.csv"
        await until(lambda: target in door.household.written, "the file")
        lines = csv.DictReader(io.StringIO(door.household.written[target]))
        assert sum((Decimal(x["cost_usd"]) for x in lines), Decimal(0)) == naive


@window_test
async def test_filters_change_the_sums_and_a_run_of_the_table_becomes_the_run_looked_at() -> None:
    async with desk_over(past_door()) as desk:
        await open_page(desk)
        page = desk.window.looking_back.page
        assert page.facts is not None
        whole = page.facts.cards[1].value
        page.head.kind.setCurrentText("codex")
        page.head.kind.activated.emit(page.head.kind.currentIndex())
        assert page.facts.cards[1].value != whole
        assert page.facts.groups == ("codex",)
        page.head.kind.setCurrentIndex(0)
        page.head.kind.activated.emit(0)
        page.runs.table.setCurrentIndex(page.runs.model.index(0, 0))
        desk.clock.seconds += 1
        desk.window.watching.refresh()
        assert desk.window.conduct._shown is not None
        assert desk.window.conduct._shown.run == page.facts.lines[0].key


@window_test
async def test_two_runs_are_compared() -> None:
    async with desk_over(past_door()) as desk:
        await open_page(desk)
        page = desk.window.looking_back.page
        page.head.compare.click()
        dialog = desk.window.findChild(CompareDialog)
        assert dialog is not None
        await until(lambda: dialog.model.rowCount() > 10, "both runs")
        state = next(r for r in dialog.model.rows if r.key == "State")
        assert (state.left, state.right) == ("Done", "Running")


@window_test
async def test_two_runs_of_the_shown_workflow_are_compared_first_and_closing_is_a_plain_button() -> None:
    async with desk_over(past_door()) as desk:
        await open_page(desk)
        page = desk.window.looking_back.page
        assert page.facts is not None
        line, ours = page.facts.lines[0], page.facts.lines[0].workflow
        of = [replace(line, workflow=name) for name in ("Other", ours, "Other", "Third", ours, ours)]
        assert first_pair(of, ours) == (4, 1)
        assert first_pair(of, "none") == (2, 0)
        assert first_pair(of[2:4], ours) == (1, 0)
        assert first_pair(of[:1], ours) == (0, 0)
        page.head.compare.click()
        dialog = desk.window.findChild(CompareDialog)
        assert dialog is not None
        assert all(b.icon().isNull() for b in dialog.findChildren(QPushButton)), (
            "no picture of the platform's"
        )
        assert dialog.shut.accessibleName() == "Close compare"
        dialog.shut.click()
        assert not dialog.isVisible()


@window_test
async def test_every_part_that_is_used_has_a_name() -> None:
    async with desk_over(past_door()) as desk:
        await open_page(desk)
        focusable = [
            x
            for part in (desk.window.looking_back.page, desk.window.bottom)
            for x in part.findChildren(QWidget)
            if x.focusPolicy() & Qt.FocusPolicy.TabFocus
            and x.isEnabled()
            and x.window() is desk.window
            and not x.objectName().startswith("qt_")
        ]
        assert len(focusable) > 12
        assert [x for x in focusable if not x.accessibleName()] == []


@window_test
async def test_a_run_that_ends_while_the_page_is_open_is_counted_as_ended() -> None:
    door = past_door()
    async with desk_over(door) as desk:
        await open_page(desk)
        page = desk.window.looking_back.page
        live = next(v for v in door.views.values() if v.is_live)
        done = made.attempt(1, AttemptStatus.SUCCEEDED, 0, 1000)
        slots = tuple(
            replace(s, attempts=(done,), display="Done") if s.slot_id == "web" else s for s in live.slots
        )
        door.put(made.ended(replace(live, slots=slots), end=1010))
        await until(lambda: page.facts is not None and "live" not in page.facts.cards[0].line, "no live run")
        timeline_facts = page.timeline.chart.facts
        assert timeline_facts is not None
        await until(lambda: page.timeline.chart.facts is not None and not page.timeline.chart.facts.is_live)
