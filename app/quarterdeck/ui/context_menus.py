"""Menus of what is chosen: a node or a run's row on it, an agent of the outline, a run of the list. By mouse and by key.

They are made of the registry's actions and of nothing else: what is pointed at is chosen first, so that each action does
there what it does anywhere. Wires and the empty canvas have none. What does not apply is left out; what applies and cannot be
done is there, off, with why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QMenu, QWidget

from quarterdeck.ui.canvas.node_item import FULL_DETAIL
from quarterdeck.ui.canvas.view import NodeChosen
from quarterdeck.ui.language import Texts

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("ContextMenus")

OF_AGENT: tuple[tuple[str, ...], ...] = (
    ("go_inspector", "open_transcript", "go_files", "go_answer"),
    ("pause_agent", "continue_agent", "switch_agent", "resume_agent", "stop_agent"),
    ("raise_limit", "copy_error", "copy_transcript"),
    ("stop_run", "compare_runs", "export_run", "copy_run_id", "record_files"),
    ("fit_chosen",),
)
OF_DEFINITION: tuple[tuple[str, ...], ...] = (("go_inspector", "fit_chosen"), ("run", "edit_workflow"))
"""Of a node that no shown run has."""
OF_RUN: tuple[tuple[str, ...], ...] = (
    ("go_inspector", "go_run_timeline"),
    ("stop_run", "raise_limit", "pin_run", "unpin_run", "discard_run"),
    ("compare_runs", "export_run", "export_csv", "export_json"),
    ("copy_run_id", "record_files"),
)


class ContextMenus(QObject):
    """One for each window. `menu`: the open one."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.menu: QMenu | None = None
        for part in (window.view, window.runs.table, window.agents.table):
            part.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        window.view.customContextMenuRequested.connect(self._on_canvas_asked)
        window.runs.table.customContextMenuRequested.connect(self._on_runs_asked)
        window.agents.table.customContextMenuRequested.connect(self._on_agents_asked)
        window.actions_.bind("context_menu", self.open_for_focus)

    def open_for_focus(self) -> None:
        """The menu of what the keyboard is at; a part that has a menu of its own, such as a field, opens that."""
        window, part = self._window, QApplication.focusWidget()
        if part is window.view:
            self._open_at_node()
        elif part in (window.runs.table, window.agents.table) and isinstance(part, QAbstractItemView):
            place = part.visualRect(part.currentIndex())
            if part.currentIndex().isValid():
                part.customContextMenuRequested.emit(QPoint(place.left() + 24, place.center().y()))
        elif part is not None:
            at = part.rect().center()
            reason = QContextMenuEvent.Reason.Keyboard
            QApplication.postEvent(part, QContextMenuEvent(reason, at, part.mapToGlobal(at)))

    # ------------------------------------------------------------------ where it was asked

    def _on_canvas_asked(self, point: QPoint) -> None:
        view = self._window.view
        node = view.node_at(point)
        if node is None:
            return
        item = view.canvas.nodes[node]
        y = item.mapFromScene(view.mapToScene(point)).y()
        row = item.row_at(y) if view.zoom >= FULL_DETAIL else None
        self._window.watching.choose_node(NodeChosen(node, row.run_id if row is not None else None))
        self._open_of_agent(view.viewport().mapToGlobal(point), view)

    def _open_at_node(self) -> None:
        """Below the chosen node's title; of the run whose row is looked at."""
        view = self._window.view
        item = view.canvas.nodes.get(view.chosen) if view.chosen is not None else None
        if item is not None:
            view.ensureVisible(item.sceneBoundingRect(), 40, 40)
            at = view.mapFromScene(item.pos() + QPoint(40, 40))
            self._open_of_agent(view.viewport().mapToGlobal(at), view)

    def _on_runs_asked(self, point: QPoint) -> None:
        panel = self._window.runs
        row = panel.model.row_at(panel.table.indexAt(point))
        if row is not None and row.run_id is not None:
            self._window.watching.choose_run(row.run_id)
            name = tr("Run {run}", run=f"{row.letter} · {row.short}" if row.letter else row.short)
            self._open(OF_RUN, name, panel.table.viewport().mapToGlobal(point), panel.table)

    def _on_agents_asked(self, point: QPoint) -> None:
        panel = self._window.agents
        row = panel.model.row_at(panel.table.indexAt(point))
        if row is not None:
            self._window.watching.choose_slot(*row.key)
            self._open_of_agent(panel.table.viewport().mapToGlobal(point), panel.table)

    # ------------------------------------------------------------------ the menu

    def _open_of_agent(self, at: QPoint, back_to: QWidget) -> None:
        shown = self._window.conduct.shown
        agent = shown.agent if shown is not None else None
        title = f"{agent.title} · {agent.subtitle}" if agent is not None else tr("Agent")
        has_run = agent is not None and agent.run_id is not None
        self._open(OF_AGENT if has_run else OF_DEFINITION, title, at, back_to)

    def _open(self, groups: tuple[tuple[str, ...], ...], name: str, at: QPoint, back_to: QWidget) -> None:
        actions = self._window.actions_
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(tr("Menu of {what}", what=name))
        menu.setObjectName("context")
        for group in groups:
            can = [actions[one] for one in group if actions[one].isEnabled() or actions.why(one)]
            if can and not menu.isEmpty():
                menu.addSeparator()
            menu.addActions(can)
        menu.setToolTipsVisible(any(actions.why(one.objectName()) for one in menu.actions()))
        if menu.isEmpty():
            menu.deleteLater()
            return
        menu.aboutToHide.connect(self._on_closed)
        self.menu = menu
        back_to.setFocus(Qt.FocusReason.PopupFocusReason)
        menu.popup(at)
        menu.setActiveAction(menu.actions()[0])

    def _on_closed(self) -> None:
        self.menu = None
