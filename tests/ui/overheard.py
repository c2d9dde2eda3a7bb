"""All that a screen reader, a pointer or an eye can get of every window of this process: accessible names, descriptions and texts of the
whole tree, tooltips, and every row of every list, shown or not. Imports nothing of the product.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QAbstractTableModel, QModelIndex, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QGraphicsView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

KINDS = (
    QAccessible.Text.Name,
    QAccessible.Text.Description,
    QAccessible.Text.Value,
    QAccessible.Text.Help,
    QAccessible.Text.Identifier,
)
ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.StatusTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)
CHILDREN_MAX = 5_000


def all_that_is_told() -> Iterator[tuple[str, str]]:
    """(where, text) of everything."""
    for window in QApplication.topLevelWidgets():
        yield from told_of(window)


def told_of(window: QWidget) -> Iterator[tuple[str, str]]:
    """(where, text) of one window."""
    told = QAccessible.queryAccessibleInterface(window)
    if told is not None and told.isValid():
        yield from _tree(told, type(window).__name__, 0)
    for widget in (window, *window.findChildren(QWidget)):
        yield from _widget(widget)


def _tree(node: QAccessibleInterface, where: str, depth: int) -> Iterator[tuple[str, str]]:
    for kind in KINDS:
        if text := node.text(kind):
            yield f"{where}: {kind.name}", text
    texts = node.textInterface()
    if texts is not None:
        yield f"{where}: text", texts.text(0, texts.characterCount())
    if depth > 40:
        return
    for number in range(min(node.childCount(), CHILDREN_MAX)):
        child = node.child(number)
        if child is not None and child.isValid():
            yield from _tree(child, f"{where} > {_name_of(child)}", depth + 1)


def _name_of(node: QAccessibleInterface) -> str:
    thing = node.object()
    return type(thing).__name__ if thing is not None else node.role().name


def _widget(widget: QWidget) -> Iterator[tuple[str, str]]:
    where = type(widget).__name__
    told = (
        widget.windowTitle(),
        widget.toolTip(),
        widget.statusTip(),
        widget.whatsThis(),
        widget.accessibleName(),
        widget.accessibleDescription(),
    )
    yield from ((where, text) for text in told if text)
    match widget:
        case QLabel():
            yield where, widget.text()
        case QLineEdit():
            yield where, widget.displayText()
        case QPlainTextEdit() | QTextEdit():
            yield where, widget.toPlainText()
        case QAbstractItemView() if widget.model() is not None:
            yield from ((where, text) for text in _rows(widget.model(), QModelIndex()))
        case QGraphicsView() if widget.scene() is not None:
            yield from ((where, item.toolTip()) for item in widget.scene().items() if item.toolTip())


def _rows(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    for row in range(min(model.rowCount(parent), CHILDREN_MAX)):
        for column in range(model.columnCount(parent)):
            index = model.index(row, column, parent)
            yield from (text for role in ROLES if isinstance(text := index.data(role), str))
            if column == 0 and not isinstance(model, QAbstractTableModel | QAbstractListModel):
                yield from _rows(model, index)
