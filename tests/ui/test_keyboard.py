"""The whole window by keyboard alone, and a name for everything that a person can reach."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QGraphicsView,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from quarterdeck.domain.ids import SlotId
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.test_shell import busy_door

pytestmark = pytest.mark.qt_loop
USED = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QGraphicsView,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
)
TAB_MAX = 120
DIALOGS = ("palette", "settings", "keys", "about", "run", "stop")


def is_part_of_another(widget: QWidget) -> bool:
    """Qt's own children: the field in a spin box, the list in a combo box, the buttons in a field or a tab bar."""
    parent = widget.parentWidget()
    while parent is not None and not parent.isWindow():
        if (
            isinstance(parent, QAbstractSpinBox | QComboBox | QLineEdit | QTabBar)
            or "KeySequence" in type(parent).__name__
        ):
            return True
        parent = parent.parentWidget()
    return False


def in_use(root: QWidget) -> list[QWidget]:
    """Everything visible and enabled under a window that a person may use."""
    return [
        w
        for w in root.findChildren(QWidget)
        if isinstance(w, USED)
        and w.isVisible()
        and w.isEnabled()
        and w.window() is root
        and not is_part_of_another(w)
        and not isinstance(w, QHeaderView)
        and not w.objectName().startswith("qt_")
    ]


def nameless(root: QWidget) -> list[str]:
    return [
        f"{type(w).__name__} {w.objectName()} in {type(w.parentWidget()).__name__}"
        for w in in_use(root)
        if not (w.accessibleName() or (isinstance(w, QAbstractButton) and w.text()))
    ]


def walked(root: QWidget, start: QWidget) -> list[QWidget]:
    """Where Tab goes from a widget until it comes back."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[QWidget] = []
    for _ in range(TAB_MAX):
        here = QApplication.focusWidget()
        if here is None or here in seen:
            return seen
        seen.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
    return seen


async def looking(desk: Desk) -> None:
    await until(lambda: "1 live" in desk.window.windowTitle())
    desk.window.activateWindow()
    desk.window.watching.choose_slot(made.run_view(1).run_id, SlotId("planner"))
    await until(desk.window.isActiveWindow)


async def test_every_widget_that_can_be_used_has_a_name() -> None:
    async with desk_over(busy_door()) as desk:
        await looking(desk)
        desk.window.runs.find_here()
        desk.window.first_card.show()
        desk.window.notice.say("A sentence.")
        assert nameless(desk.window) == []


async def test_tab_reaches_every_part_of_the_window_and_comes_back() -> None:
    """Views with several places inside (lists, tabs, canvas) are entered once and walked by arrows."""
    async with desk_over(busy_door()) as desk:
        await looking(desk)
        desk.window.runs.find_here()
        seen = walked(desk.window, desk.window.view)
        assert 10 < len(seen) < TAB_MAX
        reached = set(seen) | {w.focusProxy() for w in seen if w.focusProxy() is not None}
        missed = [
            f"{type(w).__name__} {w.accessibleName()}"
            for w in in_use(desk.window)
            if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w not in reached
        ]
        assert missed == []
        unreachable = [
            f"{type(w).__name__} {w.accessibleName()}"
            for w in in_use(desk.window)
            if w.focusPolicy() == Qt.FocusPolicy.NoFocus and not has_action(w)
        ]
        assert unreachable == []


def has_action(widget: QWidget) -> bool:
    """A button of a registered action has its keys and its place in the palette."""
    action = getattr(widget, "defaultAction", lambda: None)()
    return action is not None


@pytest.mark.parametrize("name", DIALOGS)
async def test_every_dialog_is_named_walked_by_tab_and_left_by_escape(name: str) -> None:
    async with desk_over(busy_door()) as desk:
        await looking(desk)
        desk.window.actions_[name].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, QDialog)
        await until(
            lambda: QApplication.focusWidget() is not None and QApplication.focusWidget().window() is dialog
        )
        assert dialog.accessibleName()
        assert nameless(dialog) == []
        start = QApplication.focusWidget()
        assert start is not None
        seen = set(walked(dialog, start))
        missed = [
            f"{type(w).__name__} {w.accessibleName()}"
            for w in in_use(dialog)
            if w.focusPolicy() & Qt.FocusPolicy.TabFocus
            and w not in seen
            and not any(w.isAncestorOf(s) for s in seen)
            and not (isinstance(w, QAbstractButton) and w.group() is not None)
        ]
        assert missed == []
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        await until(lambda: desk.dialog() is None)


async def test_ctrl_numbers_go_to_the_parts() -> None:
    async with desk_over(busy_door()) as desk:
        await looking(desk)
        w = desk.window
        for action, part in (
            ("go_runs", w.runs),
            ("go_inspector", w.inspector),
            ("go_canvas", w.canvas_page),
        ):
            w.actions_[action].trigger()
            here = QApplication.focusWidget()
            assert here is not None
            assert part.isAncestorOf(here), action
