"""PySide6 6.12.0 on Python 3.11 loses one reference to None in every call that returns nothing (ADR 0003)."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject


def test_void_calls_do_not_lose_references_to_none() -> None:
    thing = QObject()
    before = sys.getrefcount(None)
    for _ in range(200):
        thing.setObjectName("n")
    assert sys.getrefcount(None) > before - 50
