"""Garbage is collected on Qt's thread only (ADR 0031)."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quarterdeck.ui.collecting import YOUNG, MainThreadCollector

COLLECTED_IN: list[int] = []


class InACycle(QObject):
    """A Qt object that only the cyclic collector can end, and that tells in which thread it did."""

    def __init__(self) -> None:
        super().__init__()
        self.me = self

    def __del__(self) -> None:
        COLLECTED_IN.append(threading.get_ident())


def _allocate_much() -> int:
    return len([[i] for i in range(20 * YOUNG)])


@pytest.mark.usefixtures("qapp")
def test_a_qt_object_in_a_cycle_is_never_ended_by_a_worker_thread(qtbot: QtBot, qapp: QApplication) -> None:
    COLLECTED_IN.clear()
    collector = MainThreadCollector(qapp)
    try:
        assert not gc.isenabled()
        for _ in range(10):
            InACycle()
        with ThreadPoolExecutor(2) as workers:
            list(workers.map(lambda _: _allocate_much(), range(20)))
        assert COLLECTED_IN == []
        kept = [[i] for i in range(2 * YOUNG)]
        qtbot.waitUntil(lambda: len(COLLECTED_IN) == 10, timeout=5_000)
        assert set(COLLECTED_IN) == {threading.get_ident()}
        assert len(kept) == 2 * YOUNG
    finally:
        collector.stop()
        collector.deleteLater()
    assert gc.isenabled()
    gc.collect()
    gc.freeze()  # `stop` has thawed what tests/conftest.py had frozen
