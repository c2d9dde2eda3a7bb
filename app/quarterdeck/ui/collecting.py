"""Python's cyclic garbage is collected on Qt's thread only (ADR 0031).

Python collects in whichever thread happens to allocate. A widget, timer or model in a reference cycle would then be
destroyed in a worker thread, which Qt does not survive ("Timers cannot be stopped from another thread", then a crash).
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

LOOK_EVERY_MS = 250
YOUNG, MIDDLE, OLD = 700, 10, 10
"""Python's own thresholds: objects, then collections of the generation before."""
OLD_EVERY_S = 30.0
"""The oldest generation is looked through no more often; it is the one that takes time."""


class MainThreadCollector(QObject):
    """Stands in for Python's automatic collection from its making until `stop`; to be made on Qt's thread."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._old_at_s = time.monotonic()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_timeout)
        self._timer.start(LOOK_EVERY_MS)

    def keep(self) -> None:
        """What is alive now lives as long as the window: it is looked through no more, so a full look is short.

        Modules and widgets of the start are nine tenths of all objects. Said once, when the window is furnished; garbage in
        cycles that the start left is then never taken away.
        """
        gc.freeze()

    def stop(self) -> None:
        """Give collection back to Python; idempotent."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def _on_timeout(self) -> None:
        young, middle, old = gc.get_count()
        now_s = time.monotonic()
        if old > OLD and now_s - self._old_at_s >= OLD_EVERY_S:
            self._old_at_s = now_s
            gc.collect(2)
        elif middle > MIDDLE:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)
