"""Opening the data folder where that may not go: for reading at least, and whole as soon as it can be (JNL8).

A full disk or a folder that may not be written leaves the records readable. What is open is replaced by a whole engine
once a probe says that the folder takes what is written, or a person asks to try.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import default_folder
from quarterdeck.store.durable_io import DurableIO, probe_path, replace_file

if TYPE_CHECKING:
    from quarterdeck.shim.client import ForkServer

TRY_EVERY_S = 2.0


class PatientOpening:
    """The engine of one window, whole or for reading only. One task uses it at a time.

    io: the seam of everything durable, as in `Engine.open`.
    """

    def __init__(
        self,
        fork_server: ForkServer | None,
        folder: Path | None = None,
        io: DurableIO | None = None,
        every_s: float = TRY_EVERY_S,
    ) -> None:
        self._fork_server, self._folder, self._io = fork_server, folder, io
        self._every_s = every_s
        self._asked = asyncio.Event()
        self.engine: Engine | None = None
        """None where not even reading went."""
        self.why_not = ""
        """Why nothing can be recorded, in a sentence; empty once it can."""

    async def open(self) -> None:
        """Open whole, else for reading, else not at all: `engine` and `why_not` tell which."""
        try:
            opening = Engine.open(self._folder, fork_server=self._fork_server, kind="window", io=self._io)
            self.engine = await _whole(opening)
            self.why_not = ""
        except StoreUnusable as error:
            self.why_not = str(error)
            await self._open_for_reading()

    async def _open_for_reading(self) -> None:
        if self.engine is not None:
            return
        try:
            self.engine = await Engine.open(self._folder, kind="window", read_only=True, io=self._io)
        except StoreUnusable as error:
            self.why_not = str(error)

    def try_again(self) -> None:
        """Do not wait for the next look."""
        self._asked.set()

    async def wait_change(self) -> Engine | None:
        """Returns once `engine` is another, or `why_not` says something else; the engine before, which the caller closes."""
        before, why = self.engine, self.why_not
        while True:
            is_asked = await self._wait_next_look()
            if is_asked or await asyncio.to_thread(self._is_writable):
                await self.open()
            elif self.engine is None:
                await self._open_for_reading()
            else:
                await self.engine.refresh()
            if self.engine is not before:
                return before
            if is_asked or self.why_not != why:
                return None

    async def _wait_next_look(self) -> bool:
        try:
            await asyncio.wait_for(self._asked.wait(), self._every_s)
        except TimeoutError:
            return False
        self._asked.clear()
        return True

    def _is_writable(self) -> bool:
        """Whether the folder takes a small file, durably. One that is not there is for `Engine.open` to make."""
        io = self._io or DurableIO()
        folder = self._folder or default_folder()
        path = probe_path(folder)
        if not folder.is_dir():
            return not folder.exists()
        try:
            replace_file(io, path, b"probe")
            io.unlink(path)
        except OSError:
            return False
        return True


async def _whole(opening: Coroutine[None, None, Engine]) -> Engine:
    """What is opened, also its session, is handed over or closed: who quits meanwhile leaves no session that looks lost."""
    task = asyncio.get_running_loop().create_task(opening, name="the engine opens")
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled() and task.exception() is None:
            await task.result().close()
        raise
