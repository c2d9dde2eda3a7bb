"""A keeper that is killed while the app lives: the app ends what the agent began, and tells it as what it was (ID5, REC9, A15 row 11).

Without a PID namespace the kernel ends the agent's own process alone. The looks are naive: by the pids that the agents write down.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import EndReason, Outcome
from quarterdeck.engine import lost_keepers, supervision
from quarterdeck.engine.service import Engine
from quarterdeck.engine.shim_link import ShimLink
from quarterdeck.shim.client import ShimHandle
from quarterdeck.shim.marks import ATTEMPT_MARK
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.machine import process_identity
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.test_survivors import let_nothing_end_orphans, shim_of
from tests.engine.works import (
    ASKS,
    FOREVER,
    WITHIN_S,
    A,
    at_work,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    slot_of,
    until,
    write,
)

GONE_S = 6.0
LOST = AttemptId("a-0123456789abcdef0123456789abcdef")
BEGINS = """
import signal, subprocess
def begins(name, work, *, cleared=False, detached=False):
    # a child of its own; detached: in a session of its own, and its parent gone at once
    if (child := os.fork()) > 0:
        if detached:
            os.waitpid(child, 0)
        return
    if detached:
        os.setsid()
        if os.fork() > 0:
            os._exit(0)
    for number in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    source = f"import os, signal, subprocess, time\\n{work}\\n"
    source += f"open({name!r}, 'a').write(str(os.getpid()) + ' ')\\nwhile True: time.sleep(0.05)"
    os.execve(sys.executable, [sys.executable, '-I', '-S', '-c', source], {} if cleared else dict(os.environ))
"""
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
HEARS = "signal.signal(signal.SIGTERM, lambda *_: (open('heard', 'w').close(), os._exit(0)))"
CHILD_WITHOUT_MARK = "subprocess.Popen(['/bin/sleep', '300'], env={}); open('below', 'w').close()"
"""It has closed the lease as well: known by its parent alone."""


def without_namespace(source: str, **more: Any) -> dict[str, Any]:
    return {**python(BEGINS + source + "\n" + FOREVER, **more), "containment": "tree"}


def start_of(pid: int) -> int:
    """Its start time in ticks."""
    identity = process_identity(pid)
    assert identity is not None
    return identity[0]


async def came(*paths: Path) -> None:
    """Wait until there is something in each of them."""
    async with asyncio.timeout(WITHIN_S):
        while not all(path.exists() and path.stat().st_size for path in paths):
            await asyncio.sleep(0.02)


@contextmanager
def known_to_die(*paths: Path) -> Iterator[list[psutil.Process]]:
    """The processes that wrote their pids there, with all below them; killed at the end of the block where they live still."""
    found = [psutil.Process(int(pid)) for path in paths for pid in path.read_text().split()]
    found += [below for one in found for below in one.children(recursive=True)]
    try:
        yield found
    finally:
        for one in found:
            if one.is_running():
                one.kill()


async def gone(processes: list[psutil.Process], within_s: float = GONE_S) -> None:
    """Wait until none of them lives."""
    async with asyncio.timeout(within_s):
        while any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in processes):
            await asyncio.sleep(0.02)


ESCAPES: dict[str, str] = {
    "deaf": f"begins('pid', {DEAF!r})",
    "detached": f"begins('pid', {DEAF!r}, detached=True)",
    "willing": f"begins('pid', {HEARS!r}, detached=True)",
    "without its mark": f"begins('pid', {DEAF!r}, detached=True, cleared=True)",
    "with a child that nothing marks": f"begins('pid', {(CHILD_WITHOUT_MARK + chr(10) + DEAF)!r}, detached=True)",
    "many": f"for n in range(8): begins('pid' if n else 'first', {DEAF!r}, detached=n % 2 == 0, cleared=n % 3 == 0)",
}


@pytest.mark.parametrize("escape", ESCAPES)
async def test_what_an_agent_began_does_not_outlive_its_killed_keeper(
    engine: Engine, data: Path, tmp_path: Path, escape: str
) -> None:
    """Whether it hears TERM or not, has a session and a parent of its own, or cleared its environment."""
    agent = without_namespace(ESCAPES[escape])
    path = write(tmp_path, {"a": agent}, nodes={"a": {"retry": {"max_attempts": 3}}})
    run = await at_work(engine, path, "a")
    await came(tmp_path / "pid")
    with known_to_die(tmp_path / "pid") as begun:
        os.kill(shim_of(data, run), signal.SIGKILL)
        await gone(begun)
    view = await ended(engine, run)
    attempt = attempt_of(view, "a")
    assert (attempt.status.value, attempt.end_reason) == ("interrupted", EndReason.KEEPER_LOST)
    assert slot_of(view, "a").reason == "its keeper was ended from outside"
    assert displays(view) == {"a": "Stopped"}
    assert len(slot_of(view, "a").attempts) == 1, "it may have acted: nothing tries it again by itself"
    assert (view.outcome, view.exit_code) == (Outcome.STOPPED, 4)
    assert "attempt_lost" not in journal_kinds(data, run), "it was never out of contact: it was being ended"
    assert (tmp_path / "heard").exists() == (escape == "willing"), "asked before it is killed, as at Stop"


async def test_many_keepers_lost_at_once_leave_nothing_either(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """As where the system ends processes for want of memory."""
    names = [f"a{n}" for n in range(12)]
    agents = {name: without_namespace(f"begins({name!r}, {DEAF!r}, detached=True)") for name in names}
    run = await at_work(engine, write(tmp_path, agents, limits={"max_parallel": 12}), *names)
    files = [tmp_path / name for name in names]
    await came(*files)
    starting = [path.read_text().splitlines()[0] for path in data.glob("runs/*/attempts/*/reports.jsonl")]
    with known_to_die(*files) as begun:
        for line in starting:
            os.kill(int(json.loads(line)["shim_pid"]), signal.SIGKILL)
        await gone(begun)
    view = await ended(engine, run)
    assert {attempt_of(view, name).end_reason for name in names} == {EndReason.KEEPER_LOST}
    assert len(begun) == 12


async def test_a_lost_keeper_is_told_the_same_in_a_later_life(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    engine = await open_engine()
    run = await at_work(engine, write(tmp_path, {"a": python(FOREVER)}), "a")
    os.kill(shim_of(data, run), signal.SIGKILL)
    view = await ended(engine, run)
    await engine.close()
    later = await (await open_engine()).run(run)
    assert later is not None
    assert attempt_of(later, "a") == attempt_of(view, "a")
    assert attempt_of(later, "a").end_reason is EndReason.KEEPER_LOST


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """A process of `LOST` that hears no TERM; nobody holds its lease."""
    monkeypatch.setattr(lost_keepers, "lease_holders", lambda *_: [])
    source = f"import signal, time\n{DEAF}\nprint('deaf', flush=True)\nwhile True: time.sleep(0.05)"
    argv = [sys.executable, "-c", source]
    with subprocess.Popen(argv, env={ATTEMPT_MARK: LOST}, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "deaf\n"
        yield process
        process.kill()


def orphans_of_lost(data: Path, *ours: int) -> lost_keepers.Orphans:
    attempts = Attempts(DurableIO(), lambda run: data / "runs" / run)
    return lost_keepers.Orphans(attempts, RunId("r-1"), LOST, lambda _: None, ours=frozenset(ours))


def test_a_look_that_comes_late_kills_before_anything_is_given_up(
    data: Path, deaf: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full machine takes seconds to look through: the time to give up counts from the first KILL."""
    late_ms, real = [0], lost_keepers.awake_ms
    monkeypatch.setattr(lost_keepers, "awake_ms", lambda: real() + late_ms[0])
    orphans = orphans_of_lost(data)
    assert orphans._step() is not None, "TERM was sent"
    late_ms[0] = lost_keepers.GRACE_MS + 10 * lost_keepers.GIVE_UP_MS
    assert orphans._step() is not None
    assert deaf.wait(WITHIN_S) == -signal.SIGKILL
    assert orphans._step() is None


def test_the_fork_server_is_never_among_what_a_keeper_left(data: Path, deaf: subprocess.Popen[str]) -> None:
    """It holds the lease of what it has just started."""
    assert orphans_of_lost(data, deaf.pid)._step() is None
    assert deaf.poll() is None


async def test_a_keeper_that_is_asked_to_end_is_no_closed_app(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    run = await at_work(engine, write(tmp_path, {"a": python(FOREVER)}), "a")
    os.kill(shim_of(data, run), signal.SIGTERM)
    attempt = attempt_of(await ended(engine, run), "a")
    assert (attempt.status.value, attempt.end_reason) == ("interrupted", EndReason.KEEPER_LOST)
    assert (attempt.reason, attempt.evidence) == ("ended by a signal to its keeper", "exit_file")


async def test_a_keeper_killed_after_stop_began_leaves_a_stopped_agent(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Design §4: an agent that ends after `ending` was written counts by the reason in it."""
    run = await at_work(
        engine, write(tmp_path, {"a": without_namespace(f"{DEAF}\nbegins('pid', {DEAF!r})")}), "a"
    )
    await came(tmp_path / "pid")
    with known_to_die(tmp_path / "pid") as begun:
        assert await engine.stop_slot(run, A) is None
        (reports,) = data.glob(f"runs/{run}/attempts/*/reports.jsonl")
        async with asyncio.timeout(WITHIN_S):
            while b'"ending"' not in reports.read_bytes():
                await asyncio.sleep(0.01)
        os.kill(shim_of(data, run), signal.SIGKILL)
        await gone(begun)
    attempt = attempt_of(await ended(engine, run), "a")
    assert (attempt.status.value, attempt.end_reason) == ("stopped", EndReason.PERSON)


async def test_a_stopped_run_ends_once_nothing_is_left_of_an_agent_without_its_keeper(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """ID5: Stop, and the end of the app, wait for it as they wait for a keeper."""
    run = await at_work(
        engine, write(tmp_path, {"a": without_namespace(f"begins('pid', {DEAF!r}, detached=True)")}), "a"
    )
    await came(tmp_path / "pid")
    with known_to_die(tmp_path / "pid") as begun:
        os.kill(shim_of(data, run), signal.SIGKILL)
        view = await until(engine, run, shows("a", "Stopping"))
        assert slot_of(view, "a").reason == "its keeper is gone; what it began is being ended"
        assert isinstance(await engine.pause(run, A), Refusal), "nobody is there who could"
        assert await engine.stop_run(run) is None
        view = await ended(engine, run)
        await gone(begun, 0.5)
    assert view.outcome is Outcome.STOPPED
    assert attempt_of(view, "a").end_reason is EndReason.KEEPER_LOST


async def test_a_question_whose_keeper_is_gone_takes_no_answer(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Case 122: nobody would hear it."""
    asking = without_namespace(f"begins('pid', {DEAF!r}, detached=True)\n{ASKS}")
    run = await launch(engine, write(tmp_path, {"a": asking}))
    await came(tmp_path / "pid")
    (asked,) = slot_of(await until(engine, run, lambda v: bool(slot_of(v, "a").approvals)), "a").approvals
    with known_to_die(tmp_path / "pid"):
        os.kill(shim_of(data, run), signal.SIGKILL)
        view = await until(engine, run, shows("a", "Stopping"))
        assert slot_of(view, "a").approvals == ()
        assert isinstance(await engine.answer(run, asked.request_id, "yes"), Refusal)
        await ended(engine, run)
    assert "approval_answered" not in journal_kinds(data, run)


async def test_what_cannot_be_stopped_is_shown_as_alive_and_holds_its_slot(
    engine: Engine, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 29: a state, not a lie; its end is found once it comes."""
    let_nothing_end_orphans(monkeypatch)
    monkeypatch.setattr(supervision, "LOOK_AGAIN_S", 0.05)
    run = await at_work(
        engine, write(tmp_path, {"a": without_namespace(f"begins('pid', {DEAF!r}, detached=True)")}), "a"
    )
    await came(tmp_path / "pid")
    with known_to_die(tmp_path / "pid"):
        os.kill(shim_of(data, run), signal.SIGKILL)
        view = await until(engine, run, shows("a", "Still alive"))
        assert attempt_of(view, "a").lease.value == "suspect"
        assert isinstance(await engine.reassign(run, A, "again"), Refusal)
    view = await ended(engine, run)
    assert attempt_of(view, "a").end_reason is EndReason.KEEPER_LOST
    assert journal_kinds(data, run).count("attempt_lost") == 1


async def test_who_only_looks_at_the_lease_of_a_lost_agent_is_left_alone(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Another Quarterdeck, or a person's own tool, has the file open and holds nothing."""
    run = await at_work(
        engine, write(tmp_path, {"a": without_namespace(f"begins('pid', {DEAF!r}, detached=True)")}), "a"
    )
    await came(tmp_path / "pid")
    (lease,) = data.glob(f"runs/{run}/attempts/*/lease")
    with lease.open("rb") as file:
        looker = subprocess.Popen(["/bin/sleep", "300"], pass_fds=[file.fileno()])
    try:
        with known_to_die(tmp_path / "pid") as begun:
            os.kill(shim_of(data, run), signal.SIGKILL)
            await gone(begun)
        assert attempt_of(await ended(engine, run), "a").end_reason is EndReason.KEEPER_LOST
        assert looker.poll() is None
    finally:
        looker.kill()
        looker.wait()


async def test_an_agent_beside_one_that_lost_its_keeper_goes_on(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    done = tmp_path / "done"
    waits = shell(f"while [ ! -e '{done}' ]; do sleep 0.02; done")
    agents = {"a": without_namespace(f"begins('pid', {DEAF!r})"), "b": waits}
    run = await at_work(engine, write(tmp_path, agents), "a", "b")
    await came(tmp_path / "pid")
    attempt = attempt_of(await until(engine, run, shows("a", "Running")), "a").attempt_id
    starting = data / "runs" / run / "attempts" / attempt / "reports.jsonl"
    with known_to_die(tmp_path / "pid") as begun:
        os.kill(int(json.loads(starting.read_text().splitlines()[0])["shim_pid"]), signal.SIGKILL)
        await gone(begun)
    await until(engine, run, shows("a", "Stopped"))
    done.touch()
    assert displays(await ended(engine, run)) == {"a": "Stopped", "b": "Done"}


async def test_an_app_that_is_killed_meanwhile_leaves_what_lives_to_a_person(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """REC9: the next start ends nothing by itself; who died first is not known to it, so its words are those of a lost app."""
    hears = "signal.signal(signal.SIGTERM, lambda *_: open('heard', 'w').write('TERM'))"
    path = write(tmp_path, {"a": without_namespace(f"begins('pid', {hears!r}, detached=True)")})
    with short_life(data, path) as life:
        life.wait_said("a=Running")
        await came(tmp_path / "pid")
        os.kill(shim_of(data, life.run), signal.SIGKILL)
        await came(tmp_path / "heard")
        life.kill()
    with known_to_die(tmp_path / "pid") as begun:
        engine = await open_engine()
        view = await engine.run(life.run)
        assert view is not None
        assert (displays(view), view.outcome) == ({"a": "Still alive"}, Outcome.INTERRUPTED)
        assert all(one.is_running() for one in begun), "nothing was ended by looking"
        attempt, pid = attempt_of(view, "a").attempt_id, begun[0].pid
        ending = await engine.recovery.end_process(life.run, attempt, pid, start_of(pid))
        assert not isinstance(ending, Refusal), ending
        await gone(begun)
        assert await engine.reassign(life.run, A, "it is gone") is None
    view = await engine.run(life.run)
    assert view is not None
    assert attempt_of(view, "a").end_reason is EndReason.APP_CLOSED


async def test_a_line_that_the_death_of_a_keeper_cut_off_is_no_fault_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It was killed while it told something: what it told whole counts, and the link is not called broken."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    process = subprocess.Popen(["/bin/true"])
    posted: list[Any] = []

    async def room() -> None:
        return

    link = ShimLink(AttemptId("x"), posted.append, room)
    theirs.sendall(b'{"durable": 3}\n{"totals": {"figu')
    theirs.close()
    async with asyncio.timeout(WITHIN_S):
        await link.run(ShimHandle(process.pid, os.pidfd_open(process.pid), ours))
    process.wait()
    assert [one.seq for one in posted] == [3]
    assert (link.is_broken, link.has_taken_leave, caplog.records) == (False, False, [])
