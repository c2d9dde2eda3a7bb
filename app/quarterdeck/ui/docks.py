"""Where the docks are: their first places and sizes, and how they share the room of a narrow window."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QWidget

from quarterdeck.ui.language import Texts, shown

tr = Texts("Docks")

NARROW_BELOW = 1200
"""Device-independent pixels: in a narrower window the right docks become tabs of the left."""
SIDES_MOST, BOTTOM_MOST = 0.58, 0.65
"""Shares of the window that kept sizes may take: the first ones fit from NARROW_BELOW on."""


@dataclass(frozen=True, slots=True)
class Place:
    """A dock's first area and size across it."""

    dock: QDockWidget
    area: Qt.DockWidgetArea
    size: int


class Docks(QObject):
    """Owned by the window."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._places: list[Place] = []
        self._moved: list[QDockWidget] = []
        self._is_narrow = self._is_unfolded = False

    def add(
        self, name: str, content: QWidget, area: Qt.DockWidgetArea, size: int, title: QWidget | None = None
    ) -> QDockWidget:
        """A dock that holds `content`; its name is what the layout is kept by."""
        dock = QDockWidget(shown(name), self._window)
        dock.setObjectName(name)
        dock.setAccessibleName(shown(name))
        dock.setWidget(content)
        dock.setTitleBarWidget(title if title is not None else QWidget(dock))
        features = QDockWidget.DockWidgetFeature
        dock.setFeatures(features.DockWidgetMovable | features.DockWidgetClosable)
        self._places.append(Place(dock, area, size))
        return dock

    def reset(self) -> None:
        """Every dock at its first place and size."""
        self._is_narrow, self._moved = self._window.width() < NARROW_BELOW, []
        for place in self._places:
            self._put(place)
        self.name_tabs()
        sideways = self._sideways()
        bottom = [p for p in self._places if p not in sideways]
        for first, other in itertools.pairwise(bottom):
            self._window.tabifyDockWidget(first.dock, other.dock)
        if bottom:
            bottom[0].dock.raise_()
        self._size(sideways, Qt.Orientation.Horizontal)
        self._size(bottom[:1], Qt.Orientation.Vertical)

    def _put(self, place: Place) -> None:
        """At its first place; in a narrow window never beside the others: it would hold the window wide."""
        left = self._first(Qt.DockWidgetArea.LeftDockWidgetArea)
        place.dock.setFloating(False)
        is_tab = self._is_narrow and place.area == Qt.DockWidgetArea.RightDockWidgetArea
        if is_tab and left is not None:
            self._window.tabifyDockWidget(left.dock, place.dock)
            self._moved.append(place.dock)
            left.dock.raise_()
        else:
            self._window.addDockWidget(place.area, place.dock)
        place.dock.show()

    def follow_width(self, width: int) -> None:
        """Below NARROW_BELOW the right docks are tabs of the left one; above it they return."""
        if width < NARROW_BELOW and not self._is_narrow:
            self._is_narrow = True
            self._fold()
        elif width >= NARROW_BELOW and self._is_narrow:
            self._is_narrow = False
            self._unfold()

    def restored(self) -> None:
        """The kept layout is in force: it may have been kept while the window was narrow."""
        left = self._first(Qt.DockWidgetArea.LeftDockWidgetArea)
        tabbed = set(self._window.tabifiedDockWidgets(left.dock)) if left is not None else set()
        self._moved = [
            p.dock
            for p in self._places
            if p.dock in tabbed and p.area == Qt.DockWidgetArea.RightDockWidgetArea
        ]
        self._is_narrow = was_narrow = bool(self._moved)
        self.follow_width(self._window.width())
        self._is_unfolded = was_narrow and not self._is_narrow
        QTimer.singleShot(0, self, self._bound)  # sizes hold once the window has laid itself out

    def _bound(self) -> None:
        """Sizes that were kept in a window of another size or scale leave this one its middle: else they are the first ones."""
        if self._is_unfolded:
            self._is_unfolded = False
            self._size(self._sideways(), Qt.Orientation.Horizontal)
            self._size(self._at_bottom(), Qt.Orientation.Vertical)
            return
        whole = self._window.size()
        wide = [p for p in self._sideways() if self._is_docked(p) and p.dock.width() > p.size]
        if sum(p.dock.width() for p in wide) > SIDES_MOST * whole.width():
            self._size(wide, Qt.Orientation.Horizontal)
        high = [p for p in self._at_bottom() if self._is_docked(p) and p.dock.height() > p.size]
        if high and high[0].dock.height() > BOTTOM_MOST * whole.height():
            self._size(high, Qt.Orientation.Vertical)

    def _is_docked(self, place: Place) -> bool:
        return place.dock.isVisible() and not place.dock.isFloating()

    def _sideways(self) -> list[Place]:
        return [p for p in self._places if p.area != Qt.DockWidgetArea.BottomDockWidgetArea]

    def _at_bottom(self) -> list[Place]:
        return [p for p in self._places if p.area == Qt.DockWidgetArea.BottomDockWidgetArea][:1]

    def name_tabs(self) -> None:
        """Qt makes the tab bars of docks by itself; they get a name."""
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setAccessibleName(tr("Panels"))
            bar.setProperty("look", "docks")
            bar.style().unpolish(bar)
            bar.style().polish(bar)
            bar.setDocumentMode(True)

    def _fold(self) -> None:
        left = self._first(Qt.DockWidgetArea.LeftDockWidgetArea)
        if left is None:
            return
        for place in self._places:
            is_right = self._window.dockWidgetArea(place.dock) == Qt.DockWidgetArea.RightDockWidgetArea
            if is_right and not place.dock.isFloating() and place.dock is not left.dock:
                self._window.tabifyDockWidget(left.dock, place.dock)
                self._moved.append(place.dock)
        if self._moved:
            left.dock.raise_()
            self._size([left], Qt.Orientation.Horizontal)
        self.name_tabs()

    def _unfold(self) -> None:
        moved, self._moved = self._moved, []
        for place in self._places:
            if place.dock in moved and not place.dock.isFloating():
                was_hidden = place.dock.isHidden()
                self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, place.dock)
                place.dock.setVisible(not was_hidden)
        self._size(self._sideways(), Qt.Orientation.Horizontal)

    def _first(self, area: Qt.DockWidgetArea) -> Place | None:
        return next((p for p in self._places if p.area == area), None)

    def _size(self, places: list[Place], orientation: Qt.Orientation) -> None:
        if places:
            self._window.resizeDocks([p.dock for p in places], [p.size for p in places], orientation)
