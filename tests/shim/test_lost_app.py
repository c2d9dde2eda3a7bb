"""What happens when the app, the shim or the fork server dies: no marked process is left, and what was told is on disk."""

from __future__ import annotations

import fcntl
import os
import random
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quarterdeck.shim.client import ForkServer
from quarterdeck.shim.shim_main import run_shim
from quarterdeck.store.durable_io import DurableIO
from tests.shim import stubborn
from tests.shim.harness import PYTHON, SAY, Dock, Running, marked, read_framed, wait_until

COUNTS = """
n = 0
while True:
    n += 1
    say("note", kind="other", text=str(n))
    sys.stderr.write(str(n) + "\\n")
    time.sleep(0.001)
"""


@pytest.mark.parametrize("containment", ["auto", "tree"])
def test_the_end_of_the_apps_socket_ends_the_tree_and_every_report_is_kept(
    dock: Dock, containment: str
) -> None:
    running = dock.lines(COUNTS, containment=containment)
    running.wait_output(b"\n100\n")
    running.handle.socket.close()
    closed = time.monotonic()
    running.wait_gone(3.0)
    assert time.monotonic() - closed < 2.0
    assert marked(running.attempt) == []
    ended = running.exit_file()
    assert (ended["reason"], ended["tree_empty"], ended["after_ending"]) == ("lost_app", True, True)
    notes = [int(r["text"]) for r in running.of_kind("note")]
    assert notes == list(range(1, len(notes) + 1))
    assert ended["upto"] == len(running.reports())
    (ending,) = running.of_kind("ending")
    assert ending["deadline_boot_ms"] >= ending["boot_ms"] + 900


@pytest.mark.parametrize("containment", ["auto", "tree"])
def test_unwilling_agents_of_a_lost_app_are_gone_after_the_grace(dock: Dock, containment: str) -> None:
    agents = [dock.python(source, containment=containment) for source in stubborn.ALL.values()]
    for running in agents:
        running.wait_output(b"ready")
    for running in agents:
        running.handle.socket.close()
    for running in agents:
        running.wait_gone(6.0)
        assert marked(running.attempt) == []
        assert running.lease_is_free()
        assert running.exit_file()["tree_empty"]


APP = """
import sys
sys.path[:0] = [{app!r}, {top!r}]
from pathlib import Path
from quarterdeck.shim.client import ForkServer
from quarterdeck.shim.shim_main import run_shim
from quarterdeck.store.durable_io import DurableIO
from tests.shim.harness import Dock
dock = Dock(Path({folder!r}), ForkServer.start())
for _ in range(3):
    print(dock.lines({source!r}).attempt)
print("up", flush=True)
import time
time.sleep(60)
"""


def test_sigkill_of_the_app_leaves_no_marked_process_six_seconds_later(tmp_path: Path) -> None:
    import quarterdeck

    app, top = Path(quarterdeck.__file__).parents[1], Path(__file__).parents[2]
    program = APP.format(app=str(app), top=str(top), folder=str(tmp_path), source=COUNTS)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        attempts = [parent.stdout.readline().strip() for _ in range(3)]
        assert parent.stdout.readline().strip() == "up"
        for attempt in attempts:
            reports = tmp_path / attempt / "reports.jsonl"
            wait_until(lambda r=reports: r.exists() and r.read_bytes().count(b"\n") > 50, 10)
        parent.kill()
    killed = time.monotonic()
    wait_until(lambda: not any(marked(attempt) for attempt in attempts), 6.0)
    assert time.monotonic() - killed < 2.0
    for attempt in attempts:
        wait_until(lambda a=attempt: (tmp_path / a / "exit.json").exists(), 3.0)
        reports = read_framed(tmp_path / attempt / "reports.jsonl")
        assert [r["seq"] for r in reports] == list(range(1, len(reports) + 1))
        assert [r["reason"] for r in reports if r["kind"] == "ending"] == ["lost_app"]
        assert reports[-1]["kind"] == "exit"


STARTER = """
import sys
sys.path[:0] = [{app!r}, {top!r}]
from pathlib import Path
from quarterdeck.shim.client import ForkServer
from quarterdeck.shim.shim_main import run_shim
from quarterdeck.store.durable_io import DurableIO
from tests.shim.harness import Dock
dock = Dock(Path({folder!r}), ForkServer.start())
print("up", flush=True)
for _ in range(1000):
    dock.lines({source!r}, containment={containment!r})
"""


@pytest.mark.sweep
@pytest.mark.parametrize("containment", ["auto", "tree"])
def test_sigkill_of_the_app_at_any_moment_of_a_start_leaves_nothing_and_tells_the_truth(
    tmp_path: Path, containment: str, sweep: int
) -> None:
    """JNL4: whatever was started is told durably; whatever is not told was never started."""
    import quarterdeck

    app, top = Path(quarterdeck.__file__).parents[1], Path(__file__).parents[2]
    for turn in range(4 * sweep):
        folder = tmp_path / str(turn)
        folder.mkdir()
        program = STARTER.format(
            app=str(app), top=str(top), folder=str(folder), source=COUNTS, containment=containment
        )
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as parent:
            assert parent.stdout is not None
            assert parent.stdout.readline().strip() == "up"
            select.select([], [], [], random.Random(turn).uniform(0.0, 0.25))
            parent.kill()
        attempts = [a for a in folder.iterdir() if (a / "lease").exists()]
        for attempt in attempts:
            wait_until(lambda a=attempt: _lease_is_free(a), 6.0, str(attempt))
            assert marked(attempt.name) == []
            if not (attempt / "exit.json").exists():
                assert not (attempt / "reports.jsonl").exists(), "told, and never ended"
                continue
            reports = read_framed(attempt / "reports.jsonl")
            assert [r["seq"] for r in reports] == list(range(1, len(reports) + 1))
            assert (reports[0]["kind"], reports[-1]["kind"]) == ("starting", "exit")
            assert read_framed(attempt / "exit.json")[0]["upto"] == len(reports)


def _lease_is_free(attempt: Path) -> bool:
    with open(attempt / "lease", "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _kill_shim(running: Running) -> None:
    signal.pidfd_send_signal(running.handle.pidfd, signal.SIGKILL)
    running.wait_gone()


def test_a_killed_shim_takes_a_contained_agent_with_it_whatever_it_does(dock: Dock) -> None:
    agents = [dock.python(source) for source in stubborn.ALL.values()]
    for running in agents:
        running.wait_output(b"ready")
    if agents[0].wait_fact("started")["containment"] == "tree":
        pytest.skip("a PID namespace is not permitted here")
    for running in agents:
        _kill_shim(running)
    for running in agents:
        wait_until(running.lease_is_free, 2.0, "the whole tree gone with its namespace")
        assert marked(running.attempt) == []
        assert not (running.folder / "exit.json").exists()


def test_a_killed_shim_takes_the_leader_with_it_where_there_is_no_namespace(dock: Dock) -> None:
    running = dock.python(stubborn.IGNORES_TERM, containment="tree")
    running.wait_output(b"ready")
    leader = running.wait_fact("started")["pid"]
    _kill_shim(running)
    wait_until(lambda: not Path(f"/proc/{leader}").exists(), 2.0)
    assert running.lease_is_free()


class Broken(DurableIO):
    """Has a fault of its own once the file `fault` is there."""

    def __init__(self, folder: Path) -> None:
        self._fault = folder / "fault"

    def before(self, operation: str, target: str) -> None:
        if self._fault.exists():
            raise RuntimeError("a fault of our own")


@pytest.mark.parametrize("containment", ["auto", "tree"])
def test_a_fault_of_our_own_kills_the_tree_attests_nothing_and_leaves_its_reason(
    dock: Dock, containment: str
) -> None:
    source = stubborn.DAEMON.replace("time.sleep(0.05)", "print('more'), time.sleep(0.05)")
    attempt, folder = dock.prepare([PYTHON, "-I", "-S", "-u", "-c", source], containment=containment)
    app, theirs = socket.socketpair()
    lease = os.open(folder / "lease", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lease, fcntl.LOCK_EX)
    shim = os.fork()
    if shim == 0:
        run_shim(str(folder / "launch.json"), lease, theirs, Broken(folder))
    theirs.close()
    os.close(lease)
    app.sendall(b'{"do":"secrets","values":{}}\n')
    transcript = folder / "transcript"
    wait_until(lambda: transcript.exists() and b"ready" in transcript.read_bytes(), 10)
    (folder / "fault").touch()
    assert os.waitstatus_to_exitcode(os.waitpid(shim, 0)[1]) == 1
    app.close()
    wait_until(lambda: _lease_is_free(folder), 2.0)
    assert marked(attempt) == []
    assert "a fault of our own" in (folder / "shim-error.txt").read_text()
    assert not (folder / "exit.json").exists()


def test_sigterm_to_the_shim_means_the_same_ladder(dock: Dock) -> None:
    running = dock.python(stubborn.IGNORES_TERM)
    running.wait_output(b"ready")
    signal.pidfd_send_signal(running.handle.pidfd, signal.SIGTERM)
    ended = running.wait_end()
    assert (ended["reason"], ended["signal"]) == ("signal", signal.SIGKILL)


def test_an_app_that_went_away_before_the_start_means_never_started(dock: Dock) -> None:
    running = dock.ask(["sh", "-c", "echo started > proof"])
    running.handle.socket.close()
    running.wait_gone()
    assert sorted(p.name for p in running.folder.iterdir()) == ["launch.json", "lease"]
    assert running.lease_is_free()


def test_a_fork_server_that_died_is_replaced_and_its_shims_live_on(dock: Dock) -> None:
    first = dock.python(stubborn.IGNORES_TERM)
    first.wait_output(b"ready")
    os.kill(dock.server.pid, signal.SIGKILL)
    second = dock.start(["sh", "-c", "echo well"])
    assert second.wait_end()["code"] == 0
    assert marked(first.attempt)
    first.say(do="stop", reason="stop")
    assert first.wait_end()["tree_empty"]


def test_shims_outlive_a_fork_server_that_was_closed(dock: Dock) -> None:
    running = dock.python(SAY + "sys.stdin.readline(); print('went on')", stdin="open", protocol="lines")
    running.wait_fact("started")
    dock.server.close()
    running.say(do="answer", id="q", answer="yes")
    ended = running.wait_end()
    assert ended["code"] == 0
    assert running.transcript() == b"went on\n"


def test_two_engines_in_one_machine_are_independent(dock: Dock, tmp_path: Path) -> None:
    other = Dock(tmp_path, ForkServer.start())
    try:
        ours, theirs = dock.python(stubborn.IGNORES_TERM), other.python(stubborn.IGNORES_TERM)
        ours.wait_output(b"ready")
        theirs.wait_output(b"ready")
        other.close()
        other.server.close()
        assert marked(ours.attempt)
        assert not marked(theirs.attempt)
    finally:
        other.close()
        other.server.close()


def test_the_shim_marks_itself_and_carries_no_attempts_mark(dock: Dock) -> None:
    running = dock.start([PYTHON, "-I", "-S", "-c", "import time; time.sleep(60)"])
    running.wait_fact("started")
    environment = Path(f"/proc/{running.handle.pid}/environ").read_bytes().split(b"\0")
    assert f"QUARTERDECK_SHIM={running.attempt}".encode() in environment
    assert running.handle.pid not in marked(running.attempt)
    assert running.wait_fact("started")["pid"] in marked(running.attempt)
    assert os.getsid(running.handle.pid) == running.handle.pid
