"""What stands above the middle of the window: banners and the card of a first start. They never hold the window high.

As high as its parts are, as long as there is room; where there is not, it scrolls and the middle keeps its least height.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts

tr = Texts("Banners")

LEAST_H = 72
"""About one long sentence: what is left of it in the lowest window."""
FOLLOWED = frozenset({QEvent.Type.LayoutRequest, QEvent.Type.ShowToParent, QEvent.Type.HideToParent})


class Banners(QScrollArea):
    """Hidden while all of its parts are."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Notices"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        self.viewport().setAutoFillBackground(False)
        self._parts: list[QWidget] = []
        self._page = QWidget(self)
        self._page.setProperty("look", "page")
        self._column = QVBoxLayout(self._page)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.setWidget(self._page)
        self._page.setAutoFillBackground(False)
        self._page.installEventFilter(self)
        self.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self.hide()

    def add(self, part: QWidget, place: int = -1) -> None:
        """Put a part at a place, from above; -1: below all others."""
        self._column.insertWidget(place, part)
        self._parts.append(part)
        part.installEventFilter(self)
        self._follow()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._whole())

    def minimumSizeHint(self) -> QSize:
        return QSize(1, min(LEAST_H, self._whole()))

    def _whole(self) -> int:
        """How high its parts are at this width."""
        wide = self.width()
        return max(self._column.totalHeightForWidth(wide), self._column.totalMinimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in FOLLOWED:
            self._follow()
        return super().eventFilter(watched, event)

    def _follow(self) -> None:
        """A part came, went, or says something else."""
        self.setVisible(any(not part.isHidden() for part in self._parts))
        self.updateGeometry()

    def _on_range_changed(self, _least: int, most: int) -> None:
        """The keyboard scrolls it where something is out of sight."""
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if most > 0 else Qt.FocusPolicy.NoFocus)
