"""Where a second start finds a window that can only read its records, so that it need not wait for it (JNL10, JNL8).

Such a window has no session, and so no socket on disk: the disk takes none. Linux has names for sockets that lie in no
folder; this one is made of the data folder's own identity. Both ends check that the other is of the same user, as anybody may take
such a name. Elsewhere there is no door, and a second start waits until it gives up.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quarterdeck.engine.one_window import SHOW_WINDOW, WindowAsked, asked_of, door_address
from quarterdeck.engine.owner_socket import OwnerServer


class WindowDoor(OwnerServer):
    """Open from `start` to `close`. show: called on the loop for each second start."""

    def __init__(self, folder: Path, show: Callable[[WindowAsked], None]) -> None:
        super().__init__(folder, self._on_asked)
        self._folder, self._show = folder, show

    async def start(self) -> None:
        """Nothing where there can be no door, or somebody has its name."""
        try:
            await super().start()
        except OSError:
            return  # a second start waits, and then says that this window does not answer

    def _bind(self, sock: socket.socket) -> None:
        if sys.platform != "linux":
            raise OSError("no names for sockets outside of folders")
        sock.bind(door_address(self._folder, os.getuid()))

    def _unbind(self) -> None:
        """The name is gone with its socket."""

    async def _on_asked(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked.get("verb") != SHOW_WINDOW:
            return {"ok": False}
        self._show(asked_of(asked))
        return {"ok": True}
