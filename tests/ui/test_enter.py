"""Enter presses the button that has the focus, and no other; where a question is of records, it is harmless everywhere (REC8)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QPushButton, QWidget

from quarterdeck.ui.asked import Quit, QuitAsked
from quarterdeck.ui.dialogs.quit_dialog import QuitDialog
from quarterdeck.ui.parts import button, enter_is_harmless

Pressed = list[str]


def shown_with_two(window: QWidget) -> tuple[QPushButton, QPushButton, Pressed]:
    """A default and another button in `window`, which is shown, and what was pressed so far."""
    pressed: Pressed = []
    row = QHBoxLayout(window)
    first, second = (button(name, name, "", window) for name in ("Default", "Other"))
    for one in (first, second):
        row.addWidget(one)
        one.clicked.connect(lambda _on=False, name=one.text(): pressed.append(name))
    first.setDefault(True)
    window.show()
    window.activateWindow()
    QTest.qWaitForWindowActive(window)
    return first, second, pressed


@pytest.fixture
def dialog(qapp: QApplication) -> Iterator[QDialog]:
    made = QDialog()
    yield made
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def keys(widget: QWidget, key: Qt.Key, *, repeats: bool = False) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QApplication.sendEvent(widget, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, "\r", repeats))


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_presses_the_button_with_the_focus_and_not_the_default_one(
    dialog: QDialog, key: Qt.Key
) -> None:
    first, second, pressed = shown_with_two(dialog)
    second.setFocus()
    keys(second, key)
    first.setFocus()
    keys(first, key)
    assert pressed == ["Other", "Default"]


def test_a_key_that_is_held_down_presses_nothing(dialog: QDialog) -> None:
    _, second, pressed = shown_with_two(dialog)
    second.setFocus()
    keys(second, Qt.Key.Key_Return, repeats=True)
    assert pressed == []


def test_enter_is_harmless_where_it_was_said_so(dialog: QDialog) -> None:
    enter_is_harmless(dialog)
    _, second, pressed = shown_with_two(dialog)
    second.setFocus()
    keys(second, Qt.Key.Key_Return)
    assert pressed == ["Default"]


def test_enter_presses_no_button_outside_a_dialog(qapp: QApplication) -> None:
    window = QWidget()
    _, second, pressed = shown_with_two(window)
    second.setFocus()
    keys(second, Qt.Key.Key_Return)
    assert pressed == []
    window.close()
    window.deleteLater()


def test_enter_on_let_them_finish_stops_no_agent(qapp: QApplication) -> None:
    quitting = QuitDialog(2)
    asked: list[object] = []
    quitting.quit_asked.connect(asked.append)
    quitting.show()
    quitting.finish.setFocus()
    keys(quitting.finish, Qt.Key.Key_Return)
    (one,) = asked
    assert isinstance(one, QuitAsked)
    assert one.how is Quit.FINISH
