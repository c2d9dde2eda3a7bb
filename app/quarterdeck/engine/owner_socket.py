"""The user-only socket of a session, over which other processes reach the runs that it owns (ruling 18).

Requests and answers are JSON lines with a version. The folder is 0700, the socket 0600, the peer's uid is checked.
Unix socket paths are limited to 107 bytes, so on Linux the socket is addressed through `/proc/self/fd/<folder>/name`.
The holder of the session's lock unlinks a stale file, binds the socket itself and hands it to asyncio.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from quarterdeck.store.json_text import dumps, exact_loads

log = logging.getLogger(__name__)
VERSION = 1
LINE_BYTES_MAX = 1024 * 1024
ANSWER_WITHIN_S = 10.0
"""Longer than an owner takes to say that it waits for its disk, and short enough for a person who waits."""

Handler = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class OwnerSilent(Exception):
    """The owner's socket is missing, refuses, or does not answer in time.

    was_asked: whether the request may have reached it: then it may still be carried out, however long that takes.
    """

    def __init__(self, words: str, *, was_asked: bool) -> None:
        super().__init__(words)
        self.was_asked = was_asked


class AnotherVersion(Exception):
    """The owner answered that it does not take this request; the text is its sentence."""


@contextlib.contextmanager
def short_address(path: Path) -> Iterator[str]:
    """An address of the socket that fits 107 bytes, valid inside the block."""
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def peer_uid(sock: socket.socket) -> int:
    """The user of the process at the other end."""
    raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _pid, uid, _gid = struct.unpack("3i", raw)
    return int(uid)


class OwnerServer:
    """Serves one session's socket; each connection is one task of the server, ended by `close`."""

    def __init__(self, path: Path, handler: Handler) -> None:
        self._path = path
        self._handler = handler
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def start(self) -> None:
        """Bind and serve. Raises OSError where the folder cannot hold a socket."""
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._bind(sock)
            sock.listen(16)
            sock.setblocking(False)
            self._server = await asyncio.start_unix_server(self._serve, sock=sock, limit=LINE_BYTES_MAX)
        except OSError:
            sock.close()
            raise

    def _bind(self, sock: socket.socket) -> None:
        self._unbind()
        with short_address(self._path) as address:
            sock.bind(address)
        self._path.chmod(0o600)

    def _unbind(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        try:
            if peer_uid(writer.get_extra_info("socket")) != os.getuid():
                log.warning("a process of another user was turned away")
                return
            while line := await reader.readline():
                writer.write(dumps(await self._answer(line)) + b"\n")
                await writer.drain()
        except (ConnectionError, asyncio.LimitOverrunError, ValueError) as error:
            log.info("a connection of another process ended: %s", error)
        finally:
            del self._connections[task]
            writer.close()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            asked = exact_loads(line)
        except ValueError:
            return {"v": VERSION, "error": "not JSON"}
        if not isinstance(asked, dict) or asked.get("v") != VERSION:
            return {"v": VERSION, "error": "another version of Quarterdeck owns this run; use that version"}
        try:
            return {"v": VERSION, **await self._handler(asked)}
        except Exception:  # our bug; the peer is told that there is no answer to it, and the log why
            log.exception("a request of another process met a fault")
            return {"v": VERSION, "error": "it met a fault of its own, which its log describes"}

    async def close(self) -> None:
        """Stop serving and remove the socket file; idempotent."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        tasks = tuple(self._connections)
        for writer in self._connections.values():
            writer.close()
        if tasks:
            await asyncio.wait(tasks)
        self._unbind()


async def ask_owner(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Send one request to the session whose socket is at `path` and return its answer.

    Raises OwnerSilent where none comes, AnotherVersion where it says that it does not take such requests.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.setblocking(False)
    was_asked = False
    try:
        async with asyncio.timeout(ANSWER_WITHIN_S):
            with short_address(path) as address:
                await asyncio.get_running_loop().sock_connect(sock, address)
            reader, writer = await asyncio.open_unix_connection(sock=sock, limit=LINE_BYTES_MAX)
            try:
                was_asked = True
                writer.write(dumps({"v": VERSION, **asked}) + b"\n")
                await writer.drain()
                line = await reader.readline()
            finally:
                writer.close()
        answer = exact_loads(line)
    except (OSError, TimeoutError, ValueError) as error:
        sock.close()
        raise OwnerSilent(str(error), was_asked=was_asked) from error
    if not isinstance(answer, dict):
        raise OwnerSilent("no answer", was_asked=True)
    if "error" in answer:
        raise AnotherVersion(f"The process that owns this run says: {answer['error']}.")
    return answer
