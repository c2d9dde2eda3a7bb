"""Notices that the open folder's workflow files changed, and has them read again as F5 does. Nothing is started by it.

It looks at times and sizes only, once in EACH_MS, and less often where a look takes long: a folder on a share or with a
thousand files is no load. A file that an editor is still writing is waited for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer
from PySide6.QtGui import QGuiApplication, QWindow

from quarterdeck.engine.household import FileMarks
from quarterdeck.ui.asked import RequestFailed, WorkspaceLoaded
from quarterdeck.ui.house_link import FilesLooked

if TYPE_CHECKING:
    from pathlib import Path

    from quarterdeck.ui.window import Window

EACH_MS = 2_000
"""From an answer to the next look."""
SETTLE_MS, SETTLE_MOST = 250, 8
"""A change is read once two looks so far apart agree, or after so many that do not."""
SHARE = 20
"""The looks take at most one part in so many of the time."""


class FileWatch(QObject):
    """One for each window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._folder: Path | None = None
        self._read: FileMarks | None = None
        """The marks of what is shown; None: not known."""
        self._seen: FileMarks | None = None
        """Those of the last look, while they differ."""
        self._unsettled = 0
        self._is_owed = self._is_reading = self._is_closed = False
        self._took = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_due)
        window.watching.files_changed.connect(self._on_files_changed)
        window.link.request_failed.connect(self._on_request_failed)
        window.link.house.files_looked.connect(self._on_looked)
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.focusWindowChanged.connect(self._on_focus_window_changed)

    def close(self) -> None:
        """Nothing further is looked at."""
        self._is_closed = True
        self._timer.stop()

    def _on_files_changed(self, news: WorkspaceLoaded) -> None:
        self._folder, self._read = news.folder, news.marks
        self._seen, self._unsettled, self._is_reading = None, 0, False
        self._begin(EACH_MS)

    def _on_request_failed(self, _news: RequestFailed) -> None:
        self._is_owed = self._is_reading = False
        self._begin(EACH_MS)

    def _on_focus_window_changed(self, focused: QWindow | None) -> None:
        if focused is not None:
            self._begin(0)

    def _on_due(self) -> None:
        window = self._window
        if self._folder is None or self._is_reading or not window.isVisible() or window.isMinimized():
            self._begin(EACH_MS)
            return
        self._is_owed = True
        self._took.start()
        window.link.house.look_at_files(self._folder)

    def _on_looked(self, looked: FilesLooked) -> None:
        self._is_owed = False
        wait_ms = max(EACH_MS, SHARE * self._took.elapsed())
        if looked.folder == self._folder and not self._is_reading:
            if self._read is None:
                self._read = looked.marks
            if looked.marks == self._read:
                self._seen, self._unsettled = None, 0
            elif looked.marks == self._seen or self._unsettled >= SETTLE_MOST:
                self._read_again(looked.marks)
            else:
                self._seen, self._unsettled = looked.marks, self._unsettled + 1
                wait_ms = max(SETTLE_MS, self._took.elapsed())
        self._begin(wait_ms)

    def _read_again(self, marks: FileMarks) -> None:
        self._read, self._is_reading = marks, True
        self._seen, self._unsettled = None, 0
        self._window.conduct.reload_unasked()

    def _begin(self, after_ms: int) -> None:
        if not self._is_owed and not self._is_closed:
            self._timer.start(after_ms)
