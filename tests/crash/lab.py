"""Lives and deaths of the app in forked children of one warm parent: a point costs milliseconds, its kills and agents are real.

The parent loads everything once and starts no thread. A point is a child that is the app and a child that is its fork
server, which forks real keepers. The parent is the subreaper of all of them: a point is over when no child is left.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import quarterdeck
from quarterdeck.engine import run_actor, run_book, shutdown, supervision
from quarterdeck.shim import fork_server, kernel
from quarterdeck.shim.client import ForkServer
from quarterdeck.store import commit

Say = Callable[..., None]
GONE_WITHIN_S = 30.0
STUCK_AFTER_S = 200
"""Then a child says where it hangs, and ends."""
_SUBREAPER = 36
_UNUSED = ("ui", "cli", "bootstrap", "__main__")


def load() -> None:
    """Everything that a life needs, once: most of what a child would cost is loading."""
    for found in pkgutil.walk_packages(quarterdeck.__path__, "quarterdeck."):
        if found.name.split(".")[1] not in _UNUSED and "entry" not in found.name:
            importlib.import_module(found.name)
    gc.collect()
    gc.freeze()


def warm_up() -> None:
    """Load what a life needs; waits of the product that only a clock ends get short, and keepers are not slowed down. Nothing
    here is ever synced: a kill takes nothing back that was written.
    """
    load()
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    os.fsync = os.fdatasync = lambda fd: None  # type: ignore[assignment]
    run_book.AGAIN_AFTER_S = run_actor.AGAIN_AFTER_S = commit.RETRY_S = shutdown.LOOK_EVERY_S = 0.05
    supervision.LOOK_AGAIN_S = 0.1
    kernel.NICE_STEP = 0
    kernel.set_autogroup = lambda *_, **__: True
    shutdown.DISK_PATIENCE_S = 0.3
    gc.disable()


@dataclass
class Life:
    """How a child ended and what it said before. left: processes that outlived it for too long."""

    status: int
    said: list[list[Any]] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    gone_after_s: float = 0.0

    @property
    def was_killed(self) -> bool:
        return os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL

    def heard(self, what: str) -> list[list[Any]]:
        return [line for line in self.said if line[0] == what]


class _Server:
    """What `ForkServer` asks of its process; it is no child of the app here."""

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def wait(self, timeout: float | None = None) -> int:
        fd = os.pidfd_open(self.pid)
        try:
            select.select([fd], [], [], timeout)
        finally:
            os.close(fd)
        return 0

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def _child(work: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    faulthandler.dump_traceback_later(STUCK_AFTER_S, exit=True)
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def live(work: Callable[..., None], *, has_server: bool = True) -> Life:
    """One life of the app, to its end and the end of everything that it started: `work(say)`, or `work(say, fork_server)`."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server = _child(lambda: _serve(ours, theirs)) if has_server else 0
    theirs.close()
    read, write = os.pipe()

    def app() -> None:
        os.close(read)
        ours.settimeout(10)
        say = functools.partial(_say, write)
        if has_server:
            work(say, ForkServer(_Server(server), ours))  # type: ignore[arg-type]
        else:
            work(say)

    pid = _child(app)
    os.close(write)
    ours.close()
    with os.fdopen(read, "rb") as told:
        lines = told.read().split(b"\n")[:-1]
    status = os.waitpid(pid, 0)[1]
    died_at = time.monotonic()
    left = _reap_all(died_at + GONE_WITHIN_S)
    return Life(status, [json.loads(line) for line in lines], left, time.monotonic() - died_at)


def _serve(ours: socket.socket, theirs: socket.socket) -> None:
    ours.close()
    os.setsid()
    with contextlib.suppress(ConnectionResetError):  # the app was killed with an answer on its way
        fork_server.serve(theirs)


def _say(fd: int, *what: object) -> None:
    os.write(fd, json.dumps(what, default=str).encode() + b"\n")


def _reap_all(deadline: float) -> list[int]:
    """Wait for every child, own and inherited; those that are left at the deadline are ended, and told."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                if time.monotonic() > deadline:
                    break
                select.select([], [], [], 0.003)
        except ChildProcessError:
            return []
    left = [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left
