"""What an agent named is kept after its end, within bounds, and nothing counts as durable that is not (JNL3, ID5, row 8)."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import select
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from quarterdeck.engine.attempt_ends import _is_durable
from quarterdeck.engine.deaths import DeathFinding, Verdict
from quarterdeck.shim import ending
from quarterdeck.shim.jobs import Jobs
from quarterdeck.shim.shim_main import run_shim
from quarterdeck.shim.writer import Writer
from quarterdeck.store.durable_io import DurableIO
from tests.shim.harness import PYTHON, SAY, Dock, marked, read_framed, wait_until

NAMES_A_FILE = "say('artifact', name='a', text='words')\nsay('output', value='done')\n"
WAITS = "open('ready', 'w')\nwhile os.path.exists('wait'): time.sleep(0.01)\n"


class Gated(DurableIO):
    """While a file of that name is there: `hold` holds the keeping of files, `busy` every sync of the reports, `refuse` fails it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def before(self, operation: str, target: str) -> None:
        if operation == "open" and "/artifacts/" in target:
            wait_until(lambda: not (self._folder / "hold").exists(), 60)
        is_reports = operation == "fdatasync" or (operation == "replace" and target.endswith("reports.jsonl"))
        if is_reports:
            wait_until(lambda: not (self._folder / "busy").exists(), 60)
        if is_reports and (self._folder / "refuse").exists():
            raise OSError(errno.EIO, "refused")


@dataclass
class OwnShim:
    """A shim forked by the test itself, so that it has the test's disk."""

    attempt: str
    folder: Path
    pid: int
    app: socket.socket
    reaped: bool = False

    def wait_end(self, within_s: float) -> dict[str, Any]:
        """Until it is gone; `exit.json`. Reads what it says meanwhile."""
        end = time.monotonic() + within_s
        while select.select([self.app], [], [], max(0.0, end - time.monotonic()))[0]:
            if not self.app.recv(1 << 20):
                break
        wait_until(self._reap, end - time.monotonic(), "the end of the shim")
        (only,) = read_framed(self.folder / "exit.json")
        return dict(only)

    def _reap(self) -> bool:
        self.reaped = self.reaped or os.waitpid(self.pid, os.WNOHANG)[0] == self.pid
        return self.reaped

    def close(self) -> None:
        for name in ("hold", "busy", "refuse"):
            (self.folder / name).unlink(missing_ok=True)
        self.app.close()
        wait_until(self._reap, 20, "the end of the shim")


@pytest.fixture
def shims() -> Iterator[list[OwnShim]]:
    started: list[OwnShim] = []
    yield started
    for shim in started:
        shim.close()
        assert marked(shim.attempt) == []


def start(dock: Dock, shims: list[OwnShim], source: str, *gates: str) -> OwnShim:
    argv = [PYTHON, "-I", "-S", "-u", "-c", SAY + source]
    attempt, folder = dock.prepare(argv, protocol="lines", stdin="open")
    for gate in gates:
        (folder / gate).touch()
    app, theirs = socket.socketpair()
    lease = os.open(folder / "lease", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    fcntl.flock(lease, fcntl.LOCK_EX)
    pid = os.fork()
    if pid == 0:
        app.close()
        run_shim(str(folder / "launch.json"), lease, theirs, Gated(folder))
    theirs.close()
    os.close(lease)
    shims.append(OwnShim(attempt, folder, pid, app))
    app.sendall(b'{"do":"secrets","values":{}}\n')
    return shims[-1]


def wait_agent_ended(shim: OwnShim) -> None:
    path = shim.folder / "reports.jsonl"
    wait_until(lambda: path.exists() and b'"started"' in path.read_bytes(), 10, "the start of the agent")
    children = Path(f"/proc/{shim.pid}/task/{shim.pid}/children")
    wait_until(lambda: not marked(shim.attempt) and not children.read_text(), 10, "the end of the agent")


def is_durable(exit_file: dict[str, Any]) -> bool:
    return _is_durable(DeathFinding(Verdict.DEAD, exit_file=exit_file))


@pytest.mark.parametrize("way", ["stop", "lost_app", "sigterm"])
def test_an_end_that_is_wanted_while_the_last_files_are_kept_is_heard(
    dock: Dock, shims: list[OwnShim], way: str
) -> None:
    """ID5: not after the half minute that slow files have, and what was not kept counts as said and not as durable."""
    shim = start(dock, shims, NAMES_A_FILE, "hold")
    wait_agent_ended(shim)
    if way == "stop":
        shim.app.sendall(json.dumps({"do": "stop", "reason": "stop"}).encode() + b"\n")
    elif way == "lost_app":
        shim.app.shutdown(socket.SHUT_WR)
    else:
        os.kill(shim.pid, 15)
    ended = shim.wait_end(6.0)
    assert (ended["code"], ended["after_ending"], ended["tree_empty"]) == (0, False, True)
    assert ended["said_seq"] > ended["durable_seq"]
    assert not is_durable(ended)


def test_files_that_only_take_long_are_waited_for_and_count(dock: Dock, shims: list[OwnShim]) -> None:
    shim = start(dock, shims, NAMES_A_FILE, "hold")
    wait_agent_ended(shim)
    (shim.folder / "hold").unlink()
    ended = shim.wait_end(10.0)
    told = read_framed(shim.folder / "reports.jsonl")
    assert [r["kind"] for r in told][-3:] == ["artifact", "output", "exit"]
    assert ended["durable_seq"] == ended["said_seq"] + 1 == ended["upto"] == told[-1]["seq"]
    assert is_durable(ended)


class Backlog:
    """A writer that has nothing to do but the jobs that are put into it."""

    def __init__(self) -> None:
        self.jobs = Jobs(threading.Condition(), lambda: None)
        self.errno: int | None = None
        self.is_idle = True

    @property
    def progress(self) -> tuple[int, int, int]:
        return self.jobs.steps, 0, 0


@pytest.mark.parametrize(("is_slow", "ended_s"), [(True, 180.0), (False, 40.0)])
def test_a_backlog_is_waited_for_as_long_as_it_shrinks(
    monkeypatch: pytest.MonkeyPatch, is_slow: bool, ended_s: float
) -> None:
    """However slow the disk is: an agent that named many files and ended well has not failed. One that hangs is let go."""
    clock_s = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock_s[0])
    writer = Backlog()

    def slow() -> Iterator[None]:
        for _ in range(3):
            clock_s[0] += 20.0
            yield

    for _ in range(3):
        writer.jobs.put(slow(), 0)

    def hear(_wait_s: float) -> None:
        if is_slow:
            writer.jobs.step()
        else:
            clock_s[0] += 20.0

    ending.wait_for_disk(cast(Writer, writer), lambda: False, hear)
    assert bool(writer.jobs) is not is_slow
    assert clock_s[0] == ended_s


def test_last_reports_that_the_disk_takes_slowly_are_waited_for_and_count(
    dock: Dock, shims: list[OwnShim]
) -> None:
    """Row 8: other programs that write as well make no failure of work that is done. The sync takes twice what an end may wait."""
    shim = start(dock, shims, f"{WAITS}say('output', value='done')\n", "wait")
    wait_until(lambda: (shim.folder / "ready").exists(), 10)
    (shim.folder / "busy").touch()
    (shim.folder / "wait").unlink()
    wait_agent_ended(shim)
    time.sleep(2 * ending.FLUSH_S)
    assert not (shim.folder / "exit.json").exists()
    (shim.folder / "busy").unlink()
    ended = shim.wait_end(10.0)
    assert (ended["code"], is_durable(ended)) == (0, True)


def test_a_disk_that_hangs_does_not_hold_up_a_stop(dock: Dock, shims: list[OwnShim]) -> None:
    """ID5, with the last reports on their way."""
    shim = start(dock, shims, f"{WAITS}say('output', value='done')\n", "wait")
    wait_until(lambda: (shim.folder / "ready").exists(), 10)
    (shim.folder / "busy").touch()
    (shim.folder / "wait").unlink()
    wait_agent_ended(shim)
    shim.app.sendall(json.dumps({"do": "stop", "reason": "stop"}).encode() + b"\n")
    wait_until((shim.folder / "exit.json").exists, 6.0, "the attested end")
    (ended,) = read_framed(shim.folder / "exit.json")
    assert not is_durable(ended)


def test_reports_that_were_written_and_never_synced_are_not_durable(dock: Dock, shims: list[OwnShim]) -> None:
    """JNL3, row 8: a disk that takes writes and refuses every sync keeps no result."""
    shim = start(dock, shims, f"{WAITS}say('output', value='done')\n", "wait")
    wait_until(lambda: (shim.folder / "ready").exists(), 10)
    (shim.folder / "refuse").touch()
    (shim.folder / "wait").unlink()
    ended = shim.wait_end(10.0)
    assert ended["code"] == 0
    assert ended["durable_seq"] < ended["said_seq"]
    assert not is_durable(ended)
