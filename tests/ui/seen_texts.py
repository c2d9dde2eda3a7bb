"""Every text that a person can see or hear in a window: found by walking its widgets, actions, models and tips. Oracle."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QTabBar,
    QTextEdit,
    QWidget,
)

ROWS_MAX = 60
_INNER = re.compile(r"\[[^\[\]]*\]")
ROLES = {
    "cell": Qt.ItemDataRole.DisplayRole,
    "tip of a cell": Qt.ItemDataRole.ToolTipRole,
    "heard of a cell": Qt.ItemDataRole.AccessibleTextRole,
}


def seen(window: QWidget) -> Iterator[tuple[str, str]]:
    """(where, text) of everything below and in a window."""
    for widget in (window, *window.findChildren(QWidget)):
        name = f"{type(widget).__name__} {widget.objectName()}".strip()
        for what, text in _of_widget(widget):
            if text:
                yield f"{name}, {what}", text
    for action in window.findChildren(QAction):
        for what, text in (
            ("text", action.text()),
            ("tip", action.toolTip()),
            ("status", action.statusTip()),
        ):
            if text and not action.isSeparator():
                yield f"action {action.objectName()}, {what}", text


def _of_widget(widget: QWidget) -> Iterator[tuple[str, str]]:
    yield "tip", widget.toolTip()
    yield "accessible name", widget.accessibleName()
    yield "accessible description", widget.accessibleDescription()
    if widget.isWindow() or isinstance(widget, QDockWidget):
        yield "window title", widget.windowTitle()
    match widget:
        case QLabel() | QAbstractButton():
            yield "text", widget.text()
        case QGroupBox() | QMenu():
            yield "title", widget.title()
        case QLineEdit():
            yield "placeholder", widget.placeholderText()
        case QTextEdit() | QPlainTextEdit():
            yield "placeholder", widget.placeholderText()
        case QComboBox():
            yield from _of_combo(widget)
        case QSpinBox():
            yield "suffix", widget.suffix()
        case QAbstractSpinBox():
            yield "special", widget.specialValueText()
        case QTabBar():
            for place in range(widget.count()):
                yield "tab", widget.tabText(place)
                yield "tip of a tab", widget.tabToolTip(place)
        case QAbstractItemView() if widget.model() is not None:
            yield from _of_model(widget.model())
        case _:
            pass


def _of_combo(combo: QComboBox) -> Iterator[tuple[str, str]]:
    yield "placeholder", combo.placeholderText()
    for place in range(combo.count()):
        yield "choice", combo.itemText(place)
        yield "tip of a choice", str(combo.itemData(place, Qt.ItemDataRole.ToolTipRole) or "")


def _of_model(model: QAbstractItemModel) -> Iterator[tuple[str, str]]:
    for column in range(model.columnCount()):
        yield "heading", str(model.headerData(column, Qt.Orientation.Horizontal) or "")
    for row in range(min(ROWS_MAX, model.rowCount())):
        for column in range(model.columnCount()):
            index = model.index(row, column, QModelIndex())
            for what, role in ROLES.items():
                yield f"{what} {row}, {column}", str(index.data(role) or "")


def outside_brackets(text: str) -> str:
    """What of a text stands outside of `[…]`."""
    while True:
        shorter = _INNER.sub("", text)
        if shorter == text:
            return text
        text = shorter
