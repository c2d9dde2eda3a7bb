"""Menus of what is pointed at, by the right button and by the keyboard, made of the registry's actions (ux)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.states import Outcome
from quarterdeck.ui.action_specs import SPECS
from quarterdeck.ui.context_menus import OF_AGENT, OF_RUN
from quarterdeck.ui.dialogs.stop_dialog import StopDialog
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
OLD = made.ended(made.run_view(1, {"planner": "Done"}), Outcome.STOPPED)
A = made.run_view(2, {"planner": "Running", "repo": "Paused"})
B = made.run_view(3, {"planner": "Waiting", "repo": "Running"})


@asynccontextmanager
async def two_live() -> AsyncIterator[Desk]:
    door = FakeDoor((made.loaded(),))
    door.put(OLD, A, B)
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        yield desk
        if (menu := desk.window.context_menus.menu) is not None:
            menu.close()


def ask_at(part: QWidget, point: QPoint) -> None:
    """What Qt sends when the right button goes down."""
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, part.mapToGlobal(point))
    QApplication.sendEvent(part, event)


def menu_of(desk: Desk) -> QMenu:
    menu = desk.window.context_menus.menu
    assert menu is not None
    assert menu.isVisible()
    return menu


def ids(menu: QMenu) -> list[str]:
    return [action.objectName() for action in menu.actions() if not action.isSeparator()]


def node_point(desk: Desk, node: str, row: int = -1) -> QPoint:
    """Inside a node's title, or inside one of its rows."""
    item = desk.window.view.canvas.nodes[node]  # type: ignore[index]
    drop = 12 if row < 0 else 58 + 28 * row + 14
    return desk.window.view.mapFromScene(item.pos() + QPoint(90, drop))


async def test_a_node_is_chosen_and_offers_what_can_be_done_with_it() -> None:
    async with two_live() as desk:
        window = desk.window
        ask_at(window.view.viewport(), node_point(desk, "repo"))
        menu = menu_of(desk)
        assert window.watching._node is None
        assert window.conduct.shown is not None
        assert window.conduct.shown.slot == SlotId("repo")
        assert menu.accessibleName().startswith("Menu of Repo researcher · ")
        assert {"go_inspector", "open_transcript", "stop_agent", "copy_run_id", "fit_chosen"} <= set(
            ids(menu)
        )
        assert all(action.isEnabled() for action in menu.actions() if not action.isSeparator())
        assert [
            a for a in menu.actions() if not a.isSeparator() and a is not window.actions_[a.objectName()]
        ] == []


async def test_the_row_of_a_run_on_a_node_is_the_one_that_is_meant() -> None:
    """Pause stands at the run whose agent runs, Continue at the one that is held; the act goes to that run and no other."""
    async with two_live() as desk:
        window, door = desk.window, desk.link._bound
        assert isinstance(door, FakeDoor)
        window.view.zoom_full()
        item = window.view.canvas.nodes["repo"]  # type: ignore[index]
        rows = {row.run_id: place for place, row in enumerate(item.face.rows)}
        ask_at(window.view.viewport(), node_point(desk, "repo", rows[A.run_id]))
        menu = menu_of(desk)
        assert "continue_agent" in ids(menu)
        assert "pause_agent" not in ids(menu)
        next(a for a in menu.actions() if a.objectName() == "continue_agent").trigger()
        menu.close()
        await until(lambda: door.commands == [("continue", A.run_id, SlotId("repo"))])
        ask_at(window.view.viewport(), node_point(desk, "repo", rows[B.run_id]))
        assert "pause_agent" in ids(menu_of(desk))
        assert window.conduct.shown is not None
        assert window.conduct.shown.run == B.run_id


async def test_a_run_of_the_list_offers_its_id_its_files_and_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    async with two_live() as desk:
        window = desk.window
        await until(lambda: window.shell.data_folder)
        table = window.runs.table
        place = window.runs.model.row_of_key(OLD.run_id)
        ask_at(table.viewport(), table.visualRect(window.runs.model.index(place, 0)).center())
        menu = menu_of(desk)
        assert menu.accessibleName() == "Menu of Run r-17f3"
        assert {
            "compare_runs",
            "discard_run",
            "copy_run_id",
            "record_files",
            "export_run",
            "export_csv",
        } <= set(ids(menu))
        assert "stop_run" not in ids(menu), "it is over"
        for name in ("copy_run_id", "record_files"):
            next(a for a in menu.actions() if a.objectName() == name).trigger()
        assert QGuiApplication.clipboard().text() == OLD.run_id
        assert opened == [f"/data/runs/{OLD.run_id}"]
        menu.close()
        place = window.runs.model.row_of_key(A.run_id)
        ask_at(table.viewport(), table.visualRect(window.runs.model.index(place, 0)).center())
        next(a for a in menu_of(desk).actions() if a.objectName() == "stop_run").trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, StopDialog)
        assert dialog.choices[0].runs == (A.run_id,)
        said = " ".join(part.text() for part in dialog.findChildren(QLabel))
        assert "A request that was already sent may still be billed." in said
        dialog.reject()


async def test_it_is_opened_by_the_keyboard_where_the_keyboard_is() -> None:
    """Shift+F10 and the Menu key, on the canvas, in the lists, and in a field, which has a menu of its own."""
    async with two_live() as desk:
        window = desk.window
        window.activateWindow()
        await until(window.isActiveWindow)
        window.watching.choose_slot(A.run_id, SlotId("repo"))
        window.view.setFocus()
        QTest.keyClick(window.view, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
        menu = menu_of(desk)
        assert "continue_agent" in ids(menu)
        assert menu.activeAction() is menu.actions()[0]
        QTest.keyClick(menu, Qt.Key.Key_Escape)
        assert window.context_menus.menu is None
        window.runs.table.setFocus()
        window.runs.table.selectRow(window.runs.model.row_of_key(B.run_id))
        QTest.keyClick(window.runs.table, Qt.Key.Key_Menu)
        assert menu_of(desk).accessibleName().startswith("Menu of Run B")
        menu_of(desk).close()
        window.actions_["go_agents"].trigger()
        window.agents.table.selectRow(0)
        QTest.keyClick(window.agents.table, Qt.Key.Key_Menu)
        assert "open_transcript" in ids(menu_of(desk)) or "go_inspector" in ids(menu_of(desk))
        menu_of(desk).close()


async def test_wires_the_empty_canvas_and_headings_have_none() -> None:
    async with two_live() as desk:
        window = desk.window
        ask_at(window.view.viewport(), QPoint(3, 3))
        assert window.context_menus.menu is None
        heading = next(n for n, row in enumerate(window.runs.model.rows) if row.run_id is None)
        table = window.runs.table
        ask_at(table.viewport(), table.visualRect(window.runs.model.index(heading, 0)).center())
        assert window.context_menus.menu is None


async def test_menus_hold_nothing_but_registered_actions_and_none_answers() -> None:
    known = {spec.id for spec in SPECS}
    named = {name for groups in (OF_AGENT, OF_RUN) for group in groups for name in group}
    assert named <= known
    assert not {name for name in named if "allow" in name or "deny" in name}


async def test_what_is_gone_to_is_seen_from_the_page_that_takes_the_middle() -> None:
    """L4: files and transcript lie in docks, which *Timeline and spend* puts aside; it gives the middle back."""
    async with two_live() as desk:
        window = desk.window
        for name in ("go_files", "open_transcript", "find_transcript", "copy_transcript", "go_inspector"):
            window.watching.choose_slot(A.run_id, SlotId("repo"))
            window.actions_["go_timeline"].trigger()
            assert window.looking_back.is_open
            window.actions_[name].trigger()
            assert not window.looking_back.is_open, name
            assert window.inspector.isVisible(), name
            assert window.runs.isVisible(), name
