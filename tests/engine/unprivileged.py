"""Doing something as a process that file permissions bind, also where the tests run as root."""

from __future__ import annotations

import asyncio
import ctypes
import os
import threading
from collections.abc import Awaitable, Callable

_VERSION_3 = 0x20080522
_DAC_OVERRIDE, _DAC_READ_SEARCH = 1 << 1, 1 << 2


def bound_by_permissions(act: Callable[[], Awaitable[None]]) -> None:
    """Run it on a loop in a thread that lost the right to pass over permissions; threads that it begins lack it too."""
    faults: list[BaseException] = []

    def life() -> None:
        try:
            _give_up_override()
            asyncio.run(_awaited(act))
        except BaseException as fault:
            faults.append(fault)

    thread = threading.Thread(target=life)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]


async def _awaited(act: Callable[[], Awaitable[None]]) -> None:
    await act()


def _give_up_override() -> None:
    """Of this thread alone, as the kernel keeps capabilities by thread."""
    if os.geteuid() != 0:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    sets = (ctypes.c_uint32 * 6)()
    if libc.capget(header, sets):
        raise OSError(ctypes.get_errno(), "capget")
    sets[0] &= ~(_DAC_OVERRIDE | _DAC_READ_SEARCH)
    if libc.capset(header, sets):
        raise OSError(ctypes.get_errno(), "capset")
