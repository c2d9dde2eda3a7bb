"""What is painted before anything else is loaded: the window itself, in its place, saying that it opens (performance P8).

Loaded before the first paint, so it imports next to nothing, and names nothing of the namespace `Qt`: its hundred enums take
20 ms to load. The whole window takes its place a moment later
(`Window.of`). Nothing of runs is claimed here, because nothing is known yet.
"""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEventLoop, QSettings, QSize, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMainWindow, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts

tr = Texts("Window")

FIRST_SIZE = QSize(1440, 900)
FRAME = QSize(16, 48)
"""Room that is left for what the desktop draws around a window."""


def first_size(screen: QSize) -> QSize:
    """Of a window that was never placed by a person: no larger than what is free of the screen."""
    return FIRST_SIZE.boundedTo(screen - FRAME)


class FirstFrame(QMainWindow):
    """The window without parts; `Window` is the same with them."""

    painted = Signal()
    """The first time that it was."""

    def __init__(self) -> None:
        super().__init__()
        self.is_close_asked = False
        """A person closed it before there was a way to ask what that means."""
        self._was_painted = False
        self.setWindowTitle("Quarterdeck")
        self.setAccessibleName("Quarterdeck")
        self.setObjectName("Quarterdeck")

    def say_opening(self) -> None:
        """That it opens, in the middle of nothing else."""
        middle = QWidget(self)
        row, column = QHBoxLayout(), QVBoxLayout(middle)
        row.addStretch()
        row.addWidget(QLabel(tr("Reading records…"), middle))
        row.addStretch()
        column.addStretch()
        column.addLayout(row)
        column.addStretch()
        self.setCentralWidget(middle)

    def put_in_place(self, settings: QSettings | None) -> None:
        """Size and place as they were left, or the first ones."""
        self.resize(first_size(self.screen().availableSize()))
        geometry = settings.value("geometry") if settings is not None else None
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._was_painted:
            self._was_painted = True
            # the words stand in a widget that is painted after this one
            QTimer.singleShot(0, self, self.painted.emit)

    def closeEvent(self, event: QCloseEvent) -> None:
        self.is_close_asked = True
        event.ignore()


def wait_painted(frame: FirstFrame, within_ms: int) -> None:
    """Run Qt until the frame was painted, or for so long: a window that is minimised does not hold the rest up.

    Only before the program's own loop runs. (A quit of the application would ask the frame to close.)
    """
    loop, late = QEventLoop(), QTimer(frame)
    frame.painted.connect(loop.quit)
    late.setSingleShot(True)
    late.timeout.connect(loop.quit)
    late.start(within_ms)
    loop.exec()
    late.stop()
    frame.painted.disconnect(loop.quit)
