"""What surrounds the work: palette, keys, settings, layout, the run list's filter and export, first run, busy line."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QSettings, QSize, Qt
from PySide6.QtGui import QKeySequence, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from quarterdeck.bootstrap import _scaled
from quarterdeck.domain.figures import TokenCounts
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.keeping import MB, Limits
from quarterdeck.domain.looks import Scheme
from quarterdeck.domain.practice import Spent
from quarterdeck.domain.preferences import Preferences, PreferencesRead
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.planned import BrokenWorkflow, Problem
from quarterdeck.ui import runs_dock
from quarterdeck.ui.action_spec import CANVAS, MENUS
from quarterdeck.ui.action_specs import SPECS, conflict, is_bare, keys_of
from quarterdeck.ui.dialogs.keys_dialog import KeysDialog
from quarterdeck.ui.dialogs.settings_dialog import SettingsDialog
from quarterdeck.ui.first_frame import first_size
from quarterdeck.ui.link import Link
from quarterdeck.ui.palette.dialog import PaletteDialog
from quarterdeck.ui.palette.entries import Kind
from quarterdeck.ui.palette.fuzzy import score
from quarterdeck.ui.runs_dock import EARLIER_H, HEADING_H, LIVE_H
from quarterdeck.ui.runs_export import runs_csv, runs_json
from quarterdeck.ui.runs_filter import RunsFilter, StateChoice, filtered
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.window import Window
from tests.ui import made
from tests.ui.desk import Clock, Desk, close_all, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_translation import pseudo_locale


def busy_door() -> FakeDoor:
    door = FakeDoor(
        (made.loaded(), made.loaded(made.workflow("Practice night", 12, "w-2"), "/folder/n.workflow.json"))
    )
    door.put(made.run_view(1, {"planner": "Running"}))
    for number, outcome in ((2, Outcome.COMPLETED), (3, Outcome.FAILED), (4, Outcome.STOPPED)):
        reason = "" if outcome is Outcome.COMPLETED else f"reason {number}"
        door.put(made.ended(made.run_view(number, cost_usd=Decimal("1.10")), outcome, reason=reason))
    return door


def dialog_of(desk: Desk, action: str) -> object:
    desk.window.actions_[action].trigger()
    return desk.dialog()


# ------------------------------------------------------------------------------------------- the registry


def test_every_action_is_registered_once_and_no_two_share_a_key() -> None:
    ids = [spec.id for spec in SPECS]
    assert len(ids) == len(set(ids))
    assert {spec.menu for spec in SPECS} <= set(MENUS)
    keys = [key for spec in SPECS for key in spec.keys]
    assert len(keys) == len(set(keys))
    for spec in SPECS:
        for key in spec.keys:
            assert QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText) == key, spec.id
            assert conflict(spec.id, key, {}) == ""


def test_keys_that_type_a_character_act_on_the_canvas_alone_and_none_allows_a_command() -> None:
    for spec in SPECS:
        for key in spec.keys:
            assert spec.scope == CANVAS or not is_bare(key), spec.id
        assert not {"allow", "approve", "answer", "deny"} & set(f"{spec.id} {spec.title}".lower().split())


def test_a_conflict_names_what_has_the_key_also_after_rebinding() -> None:
    assert conflict("run", "Ctrl+K", {}) == "Search or run a command"
    assert conflict("run", "Ctrl+K", {"palette": ("Ctrl+P",)}) == ""
    assert conflict("run", "Ctrl+P", {"palette": ("Ctrl+P",)}) == "Search or run a command"
    assert conflict("run", "F10", {}) == "Menu"
    assert keys_of({"stop": ()})["stop"] == ()


@pytest.mark.qt_loop
async def test_the_list_of_keys_marks_what_was_found_and_keeps_it_and_a_second_press_takes_nothing_away() -> (
    None
):
    door = busy_door()
    async with desk_over(door) as desk:
        dialog = dialog_of(desk, "keys")
        assert isinstance(dialog, KeysDialog)
        dialog.filter.setText("  reload ")
        row = dialog.chosen()
        assert (row and row.key) == "reload"
        dialog.edit.setKeySequence(QKeySequence("Ctrl+R"))
        dialog.set.setFocus()
        QTest.keyClick(dialog.set, Qt.Key.Key_Space)
        assert dialog.focusWidget() is dialog.table
        QTest.keyClick(dialog.table, Qt.Key.Key_Space)
        await until(lambda: door.household.kept.shortcuts == {"reload": ("Ctrl+R",)})
        row = dialog.chosen()
        assert (row and row.key) == "reload"
        dialog.filter.clear()
        row = dialog.chosen()
        assert (row and row.key) == "reload"


@pytest.mark.qt_loop
async def test_keys_are_changed_refused_reset_and_kept() -> None:
    door = busy_door()
    async with desk_over(door) as desk:
        dialog = dialog_of(desk, "keys")
        assert isinstance(dialog, KeysDialog)
        dialog.filter.setText("Reload")
        assert [row.key for row in dialog.model.rows] == ["reload"]
        dialog.table.selectRow(0)
        dialog.edit.setKeySequence(QKeySequence("Ctrl+K"))
        assert "already does “Search or run a command”" in dialog.said.text()
        assert not dialog.set.isEnabled()
        dialog.edit.setKeySequence(QKeySequence("R"))
        assert "only actions of the canvas" in dialog.said.text()
        dialog.edit.setKeySequence(QKeySequence("Ctrl+R"))
        dialog.set.click()
        await until(lambda: door.household.kept.shortcuts == {"reload": ("Ctrl+R",)})
        assert desk.window.actions_["reload"].shortcut() == QKeySequence("Ctrl+R")
        assert "Ctrl+R" in desk.window.actions_["reload"].toolTip()
        dialog.table.selectRow(0)
        dialog.reset.click()
        await until(lambda: door.household.kept.shortcuts == {})
        assert desk.window.actions_["reload"].shortcut() == QKeySequence("F5")
        dialog.table.selectRow(0)
        dialog.clear.click()
        assert desk.window.actions_["reload"].shortcut().isEmpty()
        dialog.reset_all.click()
        assert desk.window.actions_["reload"].shortcut() == QKeySequence("F5")


# ------------------------------------------------------------------------------------------- palette


def test_the_best_fit_is_a_beginning_then_a_row_of_letters_then_scattered_letters() -> None:
    ranked = sorted(
        ("Open a run", "Run…", "Rerun", "Remove unused node"), key=lambda t: -(score("run", t) or -99)
    )
    assert ranked == ["Run…", "Open a run", "Rerun", "Remove unused node"]
    assert score("xyz", "Run") is None
    assert score("list run", "Run list") is not None
    assert score("", "anything") == 0


@pytest.mark.qt_loop
async def test_the_palette_finds_actions_workflows_runs_and_agents_by_keyboard_alone() -> None:
    async with desk_over(busy_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        QTest.keyClick(desk.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
        dialog = desk.dialog()
        assert isinstance(dialog, PaletteDialog)
        kinds = set()
        for typed in ("reset layout", "practice night", "r-3", "drafter"):
            dialog.field.setText(typed)
            kinds |= {entry.kind for entry in dialog.model.rows}
        assert kinds == set(Kind)
        dialog.field.clear()
        QTest.keyClicks(dialog.field, "repo res")
        QTest.keyClick(dialog.field, Qt.Key.Key_Down)
        QTest.keyClick(dialog.field, Qt.Key.Key_Up)
        assert dialog.current() is not None
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
        await until(lambda: desk.dialog() is None)
        assert desk.window.inspector._title.text() == "Repo researcher"


@pytest.mark.qt_loop
async def test_what_was_named_stands_first_and_enter_does_nothing_else_where_it_cannot_be_done() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        dialog = dialog_of(desk, "palette")
        assert isinstance(dialog, PaletteDialog)
        for typed in ("copy error", "Copy error", "error copy"):
            dialog.field.setText(typed)
            first = dialog.model.rows[0]
            assert (first.target, first.can) == ("copy_error", False)
            QTest.keyClick(dialog.field, Qt.Key.Key_Return)
            assert desk.dialog() is dialog


@pytest.mark.qt_loop
async def test_what_cannot_be_done_now_is_said_and_does_nothing() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        dialog = dialog_of(desk, "palette")
        assert isinstance(dialog, PaletteDialog)
        assert "stop" not in [entry.target for entry in dialog.model.rows]
        dialog.field.setText("Stop")
        place = next(i for i, e in enumerate(dialog.model.rows) if e.target == "stop")
        spoken = dialog.model.index(place, 0).data(Qt.ItemDataRole.AccessibleTextRole)
        assert "not possible now" in spoken
        dialog.found.setCurrentIndex(dialog.model.index(place, 0))
        QTest.keyClick(dialog.field, Qt.Key.Key_Return)
        assert desk.dialog() is dialog


# ------------------------------------------------------------------------------------------- settings


@pytest.mark.qt_loop
async def test_settings_hold_at_once_and_are_kept() -> None:
    door = busy_door()
    async with desk_over(door) as desk:
        dialog = dialog_of(desk, "settings")
        assert isinstance(dialog, SettingsDialog)
        dialog.scheme.setCurrentIndex(3)
        dialog.scheme.activated.emit(3)
        assert desk.window.theme.tokens.name == "contrast"
        assert desk.window.actions_["scheme_high-contrast"].isChecked()
        dialog.scale.setValue(150)
        assert "next start" in dialog.scale_note.text()
        dialog.accept()
        await until(lambda: desk.dialog() is None)
        desk.window.actions_["settings"].trigger()
        await until(lambda: desk.dialog() is not None)
        dialog = desk.dialog()
        assert isinstance(dialog, SettingsDialog)
        assert "next start" in dialog.scale_note.text(), "it is not in force when the dialog is opened again"
        dialog.minutes.setValue(3)
        dialog.command.setText("bell 'two words'")
        dialog.editor.setText("code 'open")
        dialog.editor.editingFinished.emit()
        assert "not closed" in dialog.said.text()
        dialog.reject()
        kept = Preferences(
            Scheme.CONTRAST, 150, notice_command=("bell", "two words"), quit_minutes=3, reduce_motion=True
        )
        await until(lambda: door.household.kept == kept, "the keeping")
        await until(lambda: desk.dialog() is None)
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.close()
        quit_dialog = desk.dialog()
        assert quit_dialog is not None
        assert quit_dialog.minutes.value() == 3  # type: ignore[attr-defined]


@pytest.mark.qt_loop
async def test_sleep_and_what_is_kept_are_chosen_in_the_settings() -> None:
    """STO6, case 128: also what they need, and what they do, is said there."""
    door = busy_door()
    async with desk_over(door) as desk:
        dialog = dialog_of(desk, "settings")
        assert isinstance(dialog, SettingsDialog)
        assert "systemd-inhibit" in dialog.awake.words
        dialog.awake.box.click()
        dialog.keeping.runs.setValue(40)
        dialog.keeping.transcripts.setValue(9)
        wanted = replace(Limits(), runs=40, transcripts_bytes=9 * MB)
        await until(lambda: door.household.kept.limits == wanted, "the keeping")
        assert door.household.kept.keep_awake


@pytest.mark.qt_loop
async def test_telemetry_of_a_program_is_off_until_it_is_allowed_and_its_switches_are_shown() -> None:
    door = busy_door()
    async with desk_over(door) as desk:
        desk.link.house.read_preferences()
        await until(lambda: bool(desk.window.choices.quiet), "the settings")
        dialog = dialog_of(desk, "settings")
        assert isinstance(dialog, SettingsDialog)
        boxes = dialog.quiet.boxes
        assert set(boxes) == {"claude-code", "codex", "gemini", "opencode"}
        assert not any(box.isChecked() for box in boxes.values())
        shown = "\n".join(one.text() for one in dialog.findChildren(QLabel))
        for switch in ("DISABLE_TELEMETRY=1", "DISABLE_AUTOUPDATER=1", "GEMINI_TELEMETRY_ENABLED=false"):
            assert switch in shown
            assert "analytics.enabled=false" in boxes["codex"].accessibleDescription()
        boxes["gemini"].click()
        await until(lambda: door.household.kept.telemetry == ("gemini",), "what is allowed")
        boxes["gemini"].click()
        await until(lambda: door.household.kept.telemetry == (), "what is taken back")


def test_a_wheel_that_scrolls_the_page_changes_no_cap(qtbot: QtBot) -> None:
    """What leaves by a cap cannot be brought back."""
    dialog = SettingsDialog(Preferences(), "/c", "", 100)
    qtbot.addWidget(dialog)
    dialog.show()
    middle = QPointF(5, 5)
    for part in dialog.keeping.parts:
        before = part.value()
        turned = QWheelEvent(
            middle, part.mapToGlobal(middle), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(part, turned)
        assert part.value() == before


def test_what_was_not_touched_keeps_its_bytes_and_what_is_not_available_says_so(qtbot: QtBot) -> None:
    odd = Limits(5, 3 * MB + 7, 2 * MB + 1, MB)
    why = "there is no program systemd-inhibit on this computer."
    dialog = SettingsDialog(Preferences(limits=odd, keep_awake=True), "/c", "", 100, why)
    qtbot.addWidget(dialog)
    assert dialog.keeping.limits == odd
    assert dialog.awake.box.isEnabled(), "what was chosen on another day stays chosen, and can be unchosen"
    assert dialog.awake.box.isChecked()
    other = SettingsDialog(Preferences(), "/c", "", 100, why)
    qtbot.addWidget(other)
    assert not other.awake.box.isEnabled()
    assert dialog.awake.words == f"Not available here: {why}"


@pytest.mark.qt_loop
async def test_settings_that_cannot_be_read_are_told_and_never_written_over() -> None:
    door = busy_door()
    door.household.fault = "settings.toml is not a TOML file."
    async with desk_over(door) as desk:
        desk.link.house.read_preferences()
        await until(lambda: "stays as it is" in desk.window.notice.words)
        assert "only what can be read of theme" in desk.window.notice.words, "the looks are in force already"
        desk.window.actions_["scheme_dark"].trigger()
        assert desk.window.theme.tokens.name == "dark"
        await asyncio.sleep(0.05)
        assert door.household.kept == Preferences()
        dialog = dialog_of(desk, "settings")
        assert isinstance(dialog, SettingsDialog)


@pytest.mark.qt_loop
@pytest.mark.parametrize(("language", "is_told"), [("tlh", True), ("en_GB", False), ("system", False)])
async def test_a_language_without_a_translation_is_told(language: str, is_told: bool) -> None:
    async with desk_over(busy_door()) as desk:
        kept = Preferences(language=language)
        desk.link.house.preferences_read.emit(PreferencesRead(kept, "/config/settings.toml"))
        assert ("no translation for the language “tlh”" in desk.window.notice.words) is is_told


@pytest.mark.qt_loop
async def test_settings_that_are_not_known_are_told_once_and_the_others_hold() -> None:
    """A key that is written wrong does nothing, and that is said."""
    async with desk_over(busy_door()) as desk:
        chosen = Preferences(Scheme.DARK)
        read = PreferencesRead(chosen, "/config/settings.toml", unknown=("looks.them", "keping"))
        desk.link.house.preferences_read.emit(read)
        assert "not known, so they do nothing: looks.them, keping" in desk.window.notice.words
        assert "/config/settings.toml" in desk.window.notice.words
        assert desk.window.theme.tokens.name == "dark"


@pytest.mark.qt_loop
async def test_what_was_kept_is_in_force_once_it_is_read() -> None:
    async with desk_over(busy_door()) as desk:
        chosen = Preferences(Scheme.DARK, shortcuts={"reload": ("Ctrl+R",)})
        desk.link.house.preferences_read.emit(PreferencesRead(chosen, "/config/settings.toml"))
        assert desk.window.theme.tokens.name == "dark"
        assert desk.window.actions_["reload"].shortcut() == QKeySequence("Ctrl+R")


# ------------------------------------------------------------------------------------------- layout


@pytest.mark.qt_loop
async def test_below_1200_pixels_the_inspector_is_a_tab_of_the_left_and_returns_above() -> None:
    async with desk_over(busy_door()) as desk:
        w = desk.window
        area = Qt.DockWidgetArea
        w.resize(1440, 900)
        await until(lambda: w.dockWidgetArea(w.inspector_dock) == area.RightDockWidgetArea)
        w.resize(1100, 800)
        await until(lambda: w.inspector_dock in w.tabifiedDockWidgets(w.runs_dock))
        w.actions_["go_inspector"].trigger()
        await until(lambda: not w.inspector.visibleRegion().isEmpty())
        w.resize(1440, 900)
        await until(lambda: w.dockWidgetArea(w.inspector_dock) == area.RightDockWidgetArea)
        assert w.tabifiedDockWidgets(w.runs_dock) == []


@pytest.mark.qt_loop
async def test_the_first_window_fits_the_screen() -> None:
    assert first_size(QSize(2560, 1400)) == QSize(1440, 900)
    assert first_size(QSize(1100, 700)) == QSize(1084, 652)
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    window = Window(Theme(app, Scheme.LIGHT), Link(), Clock())
    free = window.screen().availableSize()
    assert free.width() < 1440, "the screen of the tests is small"
    assert window.width() <= free.width()
    assert window.height() <= free.height()
    close_all(window)


@pytest.mark.qt_loop
async def test_the_workflow_of_another_run_stands_beside_its_name_and_takes_no_room_from_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines: list[str] = []
    drawn = runs_dock._line

    def line(painter: QPainter, at: QRect, text: str, colour: str, pixels: int, bold: bool) -> int:
        lines.append(text)
        return drawn(painter, at, text, colour, pixels, bold)

    monkeypatch.setattr(runs_dock, "_line", line)
    async with desk_over(busy_door()) as desk:
        await until(lambda: any(text.endswith("reason 3") for text in lines))
        desk.window.watching.choose_file(Path("/folder/n.workflow.json"))
        await until(lambda: any(row.beside for row in desk.window.runs.model.rows))
        lines.clear()
        desk.window.runs.table.viewport().grab()
        row = next(row for row in desk.window.runs.model.rows if row.when.endswith("reason 3"))
        assert row.beside
        assert row.when == f"{row.beside} · {row.moment}"
        assert row.moment in lines
        assert row.when not in lines
        assert row.beside in lines


@pytest.mark.qt_loop
async def test_runs_of_other_workflows_are_called_so_and_shortly_where_room_is_short() -> None:
    door = busy_door()
    async with desk_over(door) as desk:
        top = desk.window.top
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_file(Path("/folder/n.workflow.json"))
        await until(top.elsewhere.isVisible)
        assert top.elsewhere.text() == "+1 live in other workflows"
        desk.window.resize(1000, 800)
        await until(lambda: top.elsewhere.text() == "+1 elsewhere")
        assert top.elsewhere.minimumSizeHint().width() < 30, "its words never hold the window wide"
        assert top.elsewhere.accessibleName() == "+1 live in other workflows"


@pytest.mark.qt_loop
async def test_the_layout_is_kept_and_reset(tmp_path: Path) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    place = str(tmp_path / "window.ini")

    def window() -> Window:
        settings = QSettings(place, QSettings.Format.IniFormat)
        made_window = Window(Theme(app, Scheme.LIGHT), Link(), Clock(), settings)
        made_window.resize(1440, 900)
        made_window.show()
        return made_window

    first = window()
    first.runs_dock.hide()
    first.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, first.inspector_dock)
    close_all(first)
    second = window()
    await asyncio.sleep(0)
    assert second.runs_dock.isHidden()
    assert second.dockWidgetArea(second.inspector_dock) == Qt.DockWidgetArea.LeftDockWidgetArea
    second.actions_["reset_layout"].trigger()
    assert not second.runs_dock.isHidden()
    assert second.dockWidgetArea(second.inspector_dock) == Qt.DockWidgetArea.RightDockWidgetArea
    close_all(second)


@pytest.mark.qt_loop
async def test_resetting_the_layout_leaves_the_page_that_had_the_whole_middle() -> None:
    async with desk_over(busy_door()) as desk:
        w = desk.window
        w.actions_["go_timeline"].trigger()
        assert w.runs_dock.isHidden()
        w.actions_["reset_layout"].trigger()
        assert not w.looking_back.is_open
        assert not any(dock.isHidden() for dock in (w.runs_dock, w.inspector_dock, w.agents_dock))


@pytest.mark.qt_loop
async def test_the_rail_is_48_wide_and_has_settings_at_its_foot() -> None:
    async with desk_over(busy_door()) as desk:
        rail = next(b for b in desk.window.findChildren(QMainWindow.__mro__[1]) if b.objectName() == "rail")
        assert rail.width() == 48
        buttons = rail.buttons
        assert list(buttons)[:3] == ["go_canvas", "go_runs", "go_agents"]
        tops = {name: b.mapTo(desk.window, b.rect().topLeft()).y() for name, b in buttons.items()}
        assert tops["settings"] > max(y for name, y in tops.items() if name != "settings") + 100


# ------------------------------------------------------------------------------------------- runs


@pytest.mark.qt_loop
async def test_the_run_list_is_narrowed_by_state_workflow_and_words_and_says_its_totals() -> None:
    async with desk_over(busy_door()) as desk:
        await until(lambda: len(desk.window.runs.model.rows) == 6)
        runs = desk.window.runs
        assert [r.heading for r in runs.model.rows if r.run_id is None] == ["Live · 1", "Earlier · 3"]
        await until(lambda: runs.kept.text() == "Kept on this computer only: 4 runs, 41.0 MB")
        runs.table.setFocus()
        desk.window.actions_["find"].trigger()
        assert runs.head.text.hasFocus()
        runs.head.text.setText("failed reason 3")
        assert [r.run_id for r in runs.model.rows if r.run_id] == [made.run_view(3).run_id]
        assert runs.totals.text() == "1 of 4 runs · $1.10"
        runs.head.text.clear()
        runs.head.state.setCurrentText(str(StateChoice.DONE))
        assert len([r for r in runs.model.rows if r.run_id]) == 1
        runs.head.text.setText("nothing is called so")
        assert runs.empty.text() == "No run fits the filter."
        QTest.keyClick(runs.head.text, Qt.Key.Key_Escape)
        QTest.keyClick(runs.head.text, Qt.Key.Key_Escape)
        assert len(runs.model.rows) == 6


def test_a_filter_that_is_off_leaves_nothing_out_and_sums_stay_exact() -> None:
    assert filtered((), RunsFilter()) == ()
    assert not RunsFilter().is_on


def test_an_export_has_exact_amounts_and_no_formula() -> None:
    view = replace(
        made.run_view(1, cost_usd=Decimal("0.10000001")), workflow_name="=HYPERLINK(1)", reason="+x"
    )
    ended = made.summary(made.ended(view, Outcome.FAILED))
    unknown = replace(ended, run_id=RunId("r-2"), cost_usd=None)
    rows = list(csv.DictReader(io.StringIO(runs_csv([ended, unknown]))))
    assert rows[0]["cost_usd"] == "0.10000001"
    assert rows[0]["workflow_name"] == "'=HYPERLINK(1)"
    assert rows[0]["reason"] == "'+x"
    assert rows[0]["started_at"].endswith("Z")
    assert rows[1]["cost_usd"] == ""
    told = json.loads(runs_json([ended, unknown]))
    assert (told[0]["cost_usd"], told[1]["cost_usd"]) == ("0.10000001", None)
    assert told[0]["workflow_name"] == "=HYPERLINK(1)"


def test_an_export_says_what_the_list_says_practice_apart_and_in_no_language(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list says `$0.28 practice` and *Needs you*; the file said that $0.28 was paid, and *Running*."""
    view = made.run_view(
        1,
        {"web": "Needs you"},
        cost_usd=Decimal("0.28"),
        practice=Spent(Decimal(0), True, Decimal("0.28")),
        tokens=TokenCounts(10, 20, 30, 40),
    )
    with pseudo_locale(monkeypatch):
        (told,) = json.loads(runs_json([view]))
        (row,) = csv.DictReader(io.StringIO(runs_csv([view])))
    assert (told["state"], row["state"]) == ("Needs you", "Needs you")
    assert (told["cost_usd"], told["practice_usd"], told["cost_is_complete"]) == ("0", "0.28", True)
    assert (row["cost_usd"], row["practice_usd"]) == ("0", "0.28")
    sent = [told[f"tokens_{name}"] for name in ("in", "cache_read", "cache_write", "out")]
    assert sent == [10, 30, 40, 20]
    (plain,) = json.loads(runs_json([made.run_view(2, cost_usd=Decimal("0.1"))]))
    assert (plain["cost_usd"], plain["practice_usd"]) == ("0.1", None)


@pytest.mark.qt_loop
async def test_the_export_is_of_the_newest_views() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(made.run_view(1, {"web": "Paused"}))
    async with desk_over(door) as desk:
        await until(lambda: "Paused" in desk.window.windowTitle())
        desk.window.shell._export_as = ".csv"
        desk.window.shell.export_to("/out/runs.csv")
        await until(lambda: door.household.written)
        (row,) = csv.DictReader(io.StringIO(door.household.written[Path("/out/runs.csv")]))
        assert row["state"] == "Paused"


@pytest.mark.qt_loop
async def test_the_funnel_by_mouse_opens_the_filter_and_what_is_typed_goes_into_it() -> None:
    async with desk_over(busy_door()) as desk:
        head = desk.window.runs.head
        asked: list[bool] = []
        desk.window.actions_["filter_runs"].triggered.connect(lambda on: asked.append(on))
        desk.window.view.setFocus()
        QTest.mouseClick(head.toggle, Qt.MouseButton.LeftButton)
        assert head.text.isVisible()
        assert desk.window.focusWidget() is head.text
        QTest.mouseClick(head.toggle, Qt.MouseButton.LeftButton)
        assert not head.text.isVisible()
        assert not desk.window.actions_["filter_runs"].isChecked()
        assert asked == [True, False], "a press is one trigger"


@pytest.mark.qt_loop
async def test_the_export_writes_what_the_list_shows() -> None:
    door = busy_door()
    async with desk_over(door) as desk:
        await until(lambda: len(desk.window.runs.model.rows) == 6)
        desk.window.runs.head.toggle.setChecked(True)
        desk.window.runs.head.text.setText("reason")
        desk.window.shell._export_as = ".json"
        desk.window.shell.export_to("/out/runs.json")
        await until(lambda: door.household.written)
        told = json.loads(door.household.written[Path("/out/runs.json")])
        assert [r["reason"] for r in told] == ["reason 4", "reason 3"]
        await until(lambda: "Written to /out/runs.json" in desk.window.notice.words)


@pytest.mark.qt_loop
async def test_a_run_of_another_process_is_marked_and_can_be_stopped() -> None:
    door = FakeDoor((made.loaded(),))
    view = made.run_view(1, {"planner": "Running"}, foreign=True)
    door.put(view)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        row = next(r for r in desk.window.runs.model.rows if r.run_id)
        assert row.foreign
        assert "in another process" in row.spoken
        desk.window.actions_["stop"].trigger()
        dialog = desk.dialog()
        assert dialog is not None
        dialog.stop.click()  # type: ignore[attr-defined]
        await until(lambda: door.commands == [("stop_run", view.run_id)])


# ------------------------------------------------------------------------------------------- first run and waiting


@pytest.mark.qt_loop
async def test_what_takes_longer_is_said_in_words_and_what_is_quick_is_not() -> None:
    async with desk_over(busy_door()) as desk:
        door_is_open = asyncio.Event()

        async def slow() -> None:
            await door_is_open.wait()

        top = desk.window.top
        desk.link._ask("Counting stars", slow)
        assert not top.busy.isVisible()
        await until(top.busy.isVisible, "the busy line")
        assert top.busy.text() == "Counting stars…"
        assert top.busy.accessibleName() == "Counting stars…"
        door_is_open.set()
        await until(lambda: not top.busy.isVisible())


@pytest.mark.qt_loop
async def test_a_problem_is_opened_in_the_editor_of_the_settings_at_its_line() -> None:
    broken = BrokenWorkflow(
        Path("/folder/a b.workflow.json"), (Problem("$", 3, "No."), Problem("$.x", 41, "Nor this."))
    )
    door = FakeDoor((broken,))
    async with desk_over(door) as desk:
        choices = desk.window.choices
        choices.change(replace(choices.now, editor=("code", "--goto", "{path}:{line}")))
        desk.window.problems.table.selectRow(1)
        desk.window.problems.edit.click()
        await until(lambda: door.household.started)
        assert door.household.started == [("code", "--goto", "/folder/a b.workflow.json:41")]


def test_the_scale_of_the_settings_reaches_qt_and_nothing_that_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("QT_SCALE_FACTOR", raising=False)
    with _scaled(150):
        assert os.environ["QT_SCALE_FACTOR"] == "1.5"
    assert "QT_SCALE_FACTOR" not in os.environ
    monkeypatch.setenv("QT_SCALE_FACTOR", "2")
    with _scaled(150):
        assert os.environ["QT_SCALE_FACTOR"] == "2"
    assert os.environ["QT_SCALE_FACTOR"] == "2"


@pytest.mark.qt_loop
async def test_a_run_that_takes_the_place_of_another_keeps_its_height() -> None:
    """A live run ends in the moment in which another begins: as many rows as before, and each as high as it must be."""
    door = FakeDoor((made.loaded(),))
    first, second = made.run_view(1, {"planner": "Running"}), made.run_view(2, {"planner": "Running"})
    door.put(first, made.ended(made.run_view(3)))
    async with desk_over(door) as desk:
        table, model = desk.window.runs.table, desk.window.runs.model

        def heights() -> list[int]:
            return [table.rowHeight(place) for place in range(len(model.rows))]

        await until(lambda: len(model.rows) == 4)
        assert heights() == [HEADING_H, LIVE_H, HEADING_H, EARLIER_H]
        del door.views[first.run_id]
        door.put(second)
        await until(lambda: any(row.run_id == second.run_id for row in model.rows))
        assert heights() == [HEADING_H, LIVE_H, HEADING_H, EARLIER_H]
