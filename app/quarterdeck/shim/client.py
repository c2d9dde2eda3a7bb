"""The engine's side of fork server and shims: threads and sockets only. Blocking; call from a worker thread.

Where the fork server is gone, a fresh one is exec'd, never with `preexec_fn`. Shims are watched by pidfd and by the end
of their socket, never by waitpid: they are not children of the app.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

from quarterdeck.shim.errors import ForkServerFailed
from quarterdeck.shim.marks import SHIM_MARK, SHIM_MARK_ROOM

FROZEN_SWITCH = "--quarterdeck-fork-server"
"""What a packaged program is called with; its entry point must answer to it (see fork_server_entry)."""
CLOSE_S = 5.0
ANSWER_BYTES_MAX = 4096
ANSWER_S = 10.0
"""A fork server that is silent for so long is replaced."""
PASSED = ("PATH", "LANG", "LC_ALL", "QUARTERDECK_DATA_DIR")
LEAN = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""A shim has two threads and forty siblings: one heap each, given back early. Agents do not inherit it."""


class ShimStart(NamedTuple):
    """What a shim is started with. The lease is locked by the caller, who closes its own descriptor afterwards."""

    launch_path: Path
    lease_fd: int


class ShimHandle(NamedTuple):
    """A started shim. The caller owns `pidfd` and `socket` (blocking, AF_UNIX stream, JSON lines) and closes both."""

    pid: int
    pidfd: int
    socket: socket.socket

    def close(self) -> None:
        """Let go of the shim; the end of its socket makes it end its agent."""
        self.socket.close()
        os.close(self.pidfd)


class ForkServer:
    """The running fork server of this process. Thread-safe: requests are served one after the other."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket) -> None:
        self._process, self._control = process, control
        self._lock = threading.Lock()
        self._closed = False

    @classmethod
    def start(cls) -> ForkServer:
        """Exec the fork server; best before any thread exists. ForkServerFailed where that is not possible."""
        return cls(*_exec_server())

    @property
    def pid(self) -> int:
        """Of the fork server itself."""
        return self._process.pid

    def spawn(self, start: ShimStart) -> ShimHandle:
        """Start one shim; it waits for its secrets on the socket. ForkServerFailed where none can be started.

        A fork server that died is replaced once. The first socket is closed before that, so that a shim which was
        forked and never announced sees the end of it and starts nothing.
        """
        with self._lock:
            if self._closed:
                raise ForkServerFailed(str(start.launch_path), "the fork server was closed")
            try:
                return self._request(start)
            except OSError:
                self._end_process()
                self._process, self._control = _exec_server()
            try:
                return self._request(start)
            except OSError as error:
                raise ForkServerFailed(str(start.launch_path), str(error)) from error

    def _request(self, start: ShimStart) -> ShimHandle:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            request = json.dumps({"launch": str(start.launch_path)}).encode()
            socket.send_fds(self._control, [request], [start.lease_fd, theirs.fileno()])
            said, fds, _, _ = socket.recv_fds(self._control, ANSWER_BYTES_MAX, 1, socket.MSG_CMSG_CLOEXEC)
            if not said:
                raise ConnectionResetError("the fork server ended")
            answer = json.loads(said)
            if "pid" not in answer:
                raise ForkServerFailed(str(start.launch_path), answer["error"])
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return ShimHandle(int(answer["pid"]), fds[0], ours)

    def close(self) -> None:
        """End the fork server and wait for it; its shims live on. Idempotent."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._end_process()

    def _end_process(self) -> None:
        self._control.close()
        try:
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def server_command(control_fd: int) -> list[str]:
    """How the fork server is called: a bare interpreter, or the packaged program itself."""
    if getattr(sys, "frozen", False):
        return [sys.executable, FROZEN_SWITCH, str(control_fd)]
    entry = Path(__file__).with_name("fork_server_entry.py")
    quiet = ["-B"] if sys.dont_write_bytecode else []
    return [sys.executable, "-I", "-S", *quiet, str(entry), str(entry.parents[2]), str(control_fd)]


def _exec_server() -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    env = {name: os.environ[name] for name in PASSED if name in os.environ}
    try:
        process = subprocess.Popen(
            server_command(theirs.fileno()),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**env, **LEAN, SHIM_MARK: SHIM_MARK_ROOM},
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            cwd="/",
        )
    except OSError as error:
        ours.close()
        raise ForkServerFailed("the fork server", str(error)) from error
    finally:
        theirs.close()
    ours.settimeout(ANSWER_S)
    return process, ours
