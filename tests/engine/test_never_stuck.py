"""Runs that seem to run for ever, or seem dead too early: what decides is proof, never a missing or a late sign (cases 20–31)."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import AttemptStatus, Outcome, SlotState
from quarterdeck.domain.views import RunView
from quarterdeck.engine import deaths
from quarterdeck.engine.service import Engine
from quarterdeck.engine.settling import settle_dead_sessions
from quarterdeck.shim.client import ForkServer, ShimHandle, ShimStart
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.test_damaged_journals import wait_until_ended
from tests.engine.test_settling import marked, read, short_life
from tests.engine.works import (
    ASKS,
    FOREVER,
    A,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    rewind,
    shell,
    to_end,
    write,
)

LIVE_WORDS = {"Starting", "Running", "Stopping", "Paused", "Needs you", "Retrying"}


def is_legal_end(view: RunView) -> bool:
    """Whether an ended run says nothing that only a live one may say. An approval node keeps its question: it can be
    answered when the run has ended, which starts nothing.
    """
    worked = [slot for slot in view.slots if slot.attempts]
    asked = [slot for slot in view.slots if slot.approvals]
    return (
        not view.is_live
        and view.outcome is not None
        and view.end_seq is not None
        and not any(slot.retry_at_ms is not None for slot in view.slots)
        and not any(slot.display in LIVE_WORDS or slot.approvals for slot in worked)
        and not any(slot.state in {SlotState.CLAIMED, SlotState.ACTIVE} for slot in view.slots)
        and not any(a.ended_at is None for slot in worked for a in slot.attempts)
        and all((slot.state, slot.display) == (SlotState.HELD, "Needs you") for slot in asked)
    )


@pytest.mark.parametrize("missing", ["emptied", "removed"])
async def test_a_run_whose_body_is_missing_is_told_as_unreadable_and_runs_nowhere(
    data: Path, tmp_path: Path, open_engine: Opener, missing: str
) -> None:
    """Case 20: journal and record gone, the list's line left; not live, not stoppable, and no obstacle to the next run."""
    path = write(tmp_path, {"a": shell("true")})
    engine = await open_engine()
    lost, kept = await to_end(engine, path), await to_end(engine, path)
    await engine.close()
    folder = data / "runs" / lost.run_id
    for file in (folder / "journal.jsonl", folder / "record.json"):
        file.write_bytes(b"") if missing == "emptied" else file.unlink()
    again = await open_engine()
    assert [run.run_id for run in again.runs()] == [kept.run_id]
    assert [s.live for s in again.statuses()] == [0]
    assert missing == "removed" or lost.run_id in again.unreadable()
    refused = await again.stop_run(lost.run_id)
    assert isinstance(refused, Refusal)
    assert refused.code is (Code.E_STORE if missing == "emptied" else Code.E_RUN)
    assert (await to_end(again, path)).outcome is Outcome.COMPLETED


async def test_after_a_restart_of_the_machine_nothing_is_alive(
    data: Path, tmp_path: Path, open_engine: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 23: the boot has another id, so a process that now has the recorded pid is not the agent; twice the same."""
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        life.kill()
    wait_until_ended(data, life.run)
    for exit_file in data.glob(f"runs/{life.run}/attempts/*/exit.json"):
        exit_file.unlink()  # what a power cut leaves
    monkeypatch.setattr(deaths, "boot_id", lambda: "another-boot")
    view = await read(open_engine, life.run)
    assert (view.outcome, attempt_of(view, "a").evidence) == (Outcome.INTERRUPTED, "other_boot")
    assert is_legal_end(view)
    assert await read(open_engine, life.run) == view


class _SlowFork:
    """A fork server that gives no shim before it is allowed to."""

    def __init__(self, real: ForkServer) -> None:
        self._real, self.asked, self.may_go = real, threading.Event(), threading.Event()

    def spawn(self, start: ShimStart) -> ShimHandle:
        self.asked.set()
        assert self.may_go.wait(20)
        return self._real.spawn(start)


async def test_an_agent_that_has_no_process_yet_is_starting_and_nobody_judges_it_dead(
    data: Path, tmp_path: Path, open_engine: Opener, fork_server: ForkServer
) -> None:
    """Case 26: claimed, its process not there yet; neither its own engine nor another one that settles ends it."""
    slow = _SlowFork(fork_server)
    owner, other = await Engine.open(data, fork_server=slow), await open_engine()  # type: ignore[arg-type]
    try:
        run = await launch(owner, write(tmp_path, {"a": shell("true")}))
        await asyncio.to_thread(slow.asked.wait, 20)
        for _ in range(3):
            assert await asyncio.to_thread(settle_dead_sessions, other._store, now) == ()
            await other.refresh()
            seen = await other.run(run)
            assert seen is not None
            for view in (owner.live_run(run), seen):
                assert view is not None
                assert view.is_live
                assert displays(view) == {"a": "Starting"}
                assert attempt_of(view, "a").status is AttemptStatus.STARTING
        refused = await other.reassign(run, A, "it does not start")
        assert isinstance(refused, Refusal)
        slow.may_go.set()
        view = await ended(owner, run)
        assert displays(view) == {"a": "Done"}
        assert journal_kinds(data, run).count("attempt_claimed") == 1
    finally:
        slow.may_go.set()
        await owner.close()


async def test_any_moment_at_which_a_review_was_cut_off_loads_to_a_legal_state(
    data: Path, tmp_path: Path, fork_server: ForkServer
) -> None:
    """Case 31: an agent and an approval node both wait for a person; killed, and the journal cut after each of its lines."""
    nodes = {"gate": {"kind": "approval", "question": "Ship?"}}
    path = write(tmp_path, {"a": python(ASKS), "b": shell("true")}, ("gate", "b"), nodes=nodes)
    with short_life(data, path) as life:
        life.wait_said("a=Needs you", "gate=Needs you")
        life.kill()
    wait_until_ended(data, life.run)
    lines = (data / "runs" / life.run / "journal.jsonl").read_text().splitlines(keepends=True)
    assert len(lines) >= 3
    for count in range(1, len(lines) + 1):
        folder = tmp_path / f"cut {count}"
        shutil.copytree(data, folder, ignore=shutil.ignore_patterns("*.sock"))
        rewind(folder, life.run, lines[:count])
        seen = [await _opened(folder, fork_server, life.run) for _ in range(2)]
        assert seen[0] == seen[1]
        assert is_legal_end(seen[0]), (count, displays(seen[0]))
        assert seen[0].outcome is Outcome.INTERRUPTED
        assert marked(seen[0]) == []


async def _opened(folder: Path, fork_server: ForkServer, run: str) -> RunView:
    """The run as a life over this folder reads it."""
    engine = await Engine.open(folder, fork_server=fork_server)
    try:
        view = await engine.run(run)  # type: ignore[arg-type]
        assert view is not None
        return view
    finally:
        await engine.close()
