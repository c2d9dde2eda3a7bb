"""Coroutines in tests run on asyncio's loop, and on Qt's where they ask for it."""

from __future__ import annotations

import asyncio

import pytest
import qasync
from PySide6.QtCore import QTimer


async def test_coroutines_run_on_asyncios_own_loop() -> None:
    assert not isinstance(asyncio.get_running_loop(), qasync.QEventLoop)


@pytest.mark.qt_loop
async def test_marked_coroutines_run_on_qts_loop_with_processes_and_timers() -> None:
    fired = asyncio.Event()
    QTimer.singleShot(0, fired.set)
    await fired.wait()
    process = await asyncio.create_subprocess_exec("echo", "heard", stdout=asyncio.subprocess.PIPE)
    stdout, _ = await process.communicate()
    assert isinstance(asyncio.get_running_loop(), qasync.QEventLoop)
    assert stdout == b"heard\n"
