"""What a killed process left is settled by whoever starts next, by evidence and once (A15 row 12, rulings 1, 19, REC3–REC15)."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import psutil
import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.disk_views import read_view
from quarterdeck.engine.settling import LeftAlone, settle_dead_sessions
from quarterdeck.engine.unowned import settle_unowned
from quarterdeck.store.data_folder import Store
from quarterdeck.store.lines import frame
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.works import (
    FOREVER,
    A,
    B,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    python,
    rewind,
    shell,
    slot_of,
    spends,
    write,
)

ROOT = Path(__file__).resolve().parents[2]

SHORT_LIFE = """
import asyncio, os, signal, sys
from pathlib import Path
from quarterdeck.engine.door import (LaunchRequest)
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from quarterdeck.store.durable_io import DurableIO

data, path, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]

class KillAt(DurableIO):
    def before(self, operation, target):
        if moment and moment in f"{operation} {target}":
            os.kill(os.getpid(), signal.SIGKILL)

async def live():
    engine = await Engine.open(data, fork_server=server, io=KillAt())
    run = await engine.launch(LaunchRequest(path))
    print(run, flush=True)
    feed = engine.subscribe()
    while True:
        view = engine.live_run(run)
        print(" ".join(f"{s.slot_id}={s.display}/{s.cost_usd}" for s in view.slots), flush=True)
        if not view.is_live:
            await engine.wait_ended(run)
            os.kill(os.getpid(), signal.SIGKILL)
        await feed.wait_changed()
        feed.take()

server = ForkServer.start()
asyncio.run(live())
"""


class ShortLife:
    """A process with an engine of its own that launches one run and is killed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        self.run = RunId(process.stdout.readline().strip())

    def wait_said(self, *words: str) -> None:
        """Until one line holds all the words, or the process was killed."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if all(word in line for word in words):
                return

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@contextmanager
def short_life(data: Path, path: Path, moment: str = "") -> Iterator[ShortLife]:
    process = subprocess.Popen(
        [sys.executable, "-c", SHORT_LIFE, str(data), str(path), moment],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    )
    try:
        yield ShortLife(process)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def marked(view: RunView) -> list[int]:
    """Living processes that carry the mark of one of the run's attempts, found naively."""
    attempts = {attempt.attempt_id for slot in view.slots for attempt in slot.attempts}
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("QUARTERDECK_ATTEMPT") in attempts:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def reported_cost(data: Path, run: str) -> Decimal:
    """What the reports on disk say, counted naively."""
    total = Decimal(0)
    for path in data.glob(f"runs/{run}/attempts/*/reports.jsonl"):
        for line in path.read_text().splitlines():
            report = json.loads(line)
            if report["kind"] == "usage":
                total += Decimal(report["cost_usd"])
    return total


async def read(open_engine: Opener, run: RunId) -> RunView:
    """The run as a new life reads it."""
    view = await (await open_engine()).run(run)
    assert view is not None
    return view


async def test_a_run_whose_app_was_killed_is_interrupted_with_evidence_and_its_cost(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    work = {"a": spends("0.07", "0.11", then=FOREVER), "b": shell("true")}
    with short_life(data, write(tmp_path, work, ("a", "b"))) as life:
        life.wait_said("a=Running/0.18")
        life.kill()
    view = await read(open_engine, life.run)
    assert (view.outcome, view.reason, view.exit_code) == (Outcome.INTERRUPTED, "app closed", 3)
    attempt = attempt_of(view, "a")
    assert (attempt.status.value, attempt.evidence) == ("interrupted", "exit_file")
    assert displays(view)["a"] == "Stopped"
    assert slot_of(view, "b").attempts == ()
    assert view.cost_usd == Decimal("0.18") == reported_cost(data, life.run)
    assert marked(view) == []
    assert not view.is_live


async def test_an_interrupted_run_ended_with_its_agents_however_late_somebody_looks(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """REC2, REC6: list, record, ledger and journal's fold tell one end; that it was found later is told beside it."""
    with short_life(data, write(tmp_path, {"a": spends("0.07", then=FOREVER)})) as life:
        life.wait_said("a=Running/0.07")
        life.kill()
    late_ms = 5 * 3_600_000

    def much_later() -> Moment:
        moment = now()
        return Moment(moment.boot, moment.boot_ms + late_ms, moment.wall_ms + late_ms)

    store = Store.open(data)
    try:
        assert settle_dead_sessions(store, much_later) == (life.run,)
        by_journal = read_view(store, life.run)
        (spent,) = [line for line in store.ledger.load() if line["run"] == life.run]
    finally:
        store.close()
    view = await read(open_engine, life.run)
    assert view == by_journal
    (sitting,), agent = view.sittings, attempt_of(view, "a")
    assert sitting.settled_at is not None
    assert agent.ended_at is not None
    assert view.ended_at == sitting.ended_at == agent.ended_at
    assert duration_ms(agent.ended_at, sitting.settled_at) > late_ms - 60_000
    assert spent["hour"] == agent.ended_at.wall_ms // 3_600_000
    engine = await open_engine()
    assert engine.runs()[0].ended_at == view.ended_at


async def test_settling_twice_adds_nothing(data: Path, tmp_path: Path, open_engine: Opener) -> None:
    """REC15."""
    with short_life(data, write(tmp_path, {"a": spends("0.07", then=FOREVER)})) as life:
        life.wait_said("a=Running/0.07")
        life.kill()
    first = await read(open_engine, life.run)
    kinds = journal_kinds(data, life.run)
    store = Store.open(data)
    assert settle_dead_sessions(store, now) == ()
    ledger = [line for line in store.ledger.load() if line["run"] == life.run]
    store.close()
    assert journal_kinds(data, life.run) == kinds
    assert [(line["cost_usd"], line["kind"]) for line in ledger] == [("0.07", "spend")]
    assert await read(open_engine, life.run) == first


async def test_two_processes_that_start_at_once_settle_once(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        life.kill()
    await asyncio.gather(*(open_engine() for _ in range(3)))
    kinds = journal_kinds(data, life.run)
    assert [kinds.count(kind) for kind in ("attempt_ended", "run_stop_requested", "run_ended")] == [1, 1, 1]


async def test_a_killed_apps_run_is_settled_by_an_engine_that_was_open_all_along(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """REC17: nothing waits for a restart."""
    engine = await open_engine()
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        await engine.refresh()
        (line,) = engine.runs()
        assert line.is_live
        assert line.foreign
        life.kill()
    feed = engine.subscribe()
    async with asyncio.timeout(20):
        while engine.runs()[0].is_live:
            await feed.wait_changed()
            feed.take()
    feed.close()
    assert engine.runs()[0].outcome is Outcome.INTERRUPTED


@pytest.mark.parametrize("is_open", [False, True])
async def test_a_killed_apps_run_is_settled_also_where_the_file_of_its_session_is_gone(
    data: Path, tmp_path: Path, open_engine: Opener, is_open: bool
) -> None:
    """REC6, case 44: nothing stays live for ever. It is told and can be answered as any other."""
    looker = await open_engine() if is_open else None
    if looker is not None:
        assert not isinstance(await looker.keeping.prune(dry_run=False), Refusal)
    others = set(data.glob("sessions/*"))
    with short_life(data, write(tmp_path, {"a": spends("0.07", then=FOREVER)})) as life:
        life.wait_said("a=Running/0.07")
        for path in set(data.glob("sessions/*")) - others:
            path.unlink()
        life.kill()
    engine = looker or await open_engine(read_only=True)
    feed = engine.subscribe()
    async with asyncio.timeout(20):
        while not engine.runs() or engine.runs()[0].is_live:
            await feed.wait_changed()
            feed.take()
    feed.close()
    assert engine.runs()[0].outcome is Outcome.INTERRUPTED
    (told,) = (await engine.recovery.owed()).runs
    assert (told.run_id, told.cost_usd) == (life.run, Decimal("0.07"))
    kept = await engine.keeping.kept()
    assert kept.runs == 1
    assert kept.size_bytes > 1_000, "STO4: also what was counted before it came is counted with it"
    if looker is not None:
        assert await looker.recovery.keep_as_stopped(life.run) is None


async def test_what_nobody_can_settle_is_tried_once_and_the_list_is_not_read_again_for_it(
    data: Path, tmp_path: Path, open_engine: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    """Case 44 and JNL9 together: its session is gone and a newer version wrote on. It is named by the list, not by the log."""
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        for path in data.glob("sessions/*"):
            path.unlink()
        life.kill()
    journal = data / "runs" / life.run / "journal.jsonl"
    last = json.loads(journal.read_bytes().splitlines()[-1])
    del last["crc"]
    later = frame(last | {"seq": last["seq"] + 1, "kind": "of_another_age"})
    journal.write_bytes(journal.read_bytes() + later)
    engine = await open_engine(read_only=True)
    (line,) = engine.runs()
    assert (line.is_live, line.cost_is_complete) == (False, False), "nobody lives that could go on with it"
    assert life.run in {one.run for one in await engine.keeping.unreadable()}
    left, store = LeftAlone(), Store.open(data, create=False)
    catalog = Catalog(store)
    catalog.for_good = left.for_good
    catalog.merge(catalog.read())
    assert catalog.read_if_changed().lines is not None, "what may still be settled is looked after"
    for _ in range(2):
        assert settle_unowned(store, [life.run], now, left) == ()
    assert catalog.read_if_changed().lines is None
    store.close()
    assert left.for_good == {life.run}
    assert not [
        one for one in caplog.records if one.levelno >= logging.WARNING and life.run in one.getMessage()
    ]


async def test_a_run_that_a_living_process_has_is_not_settled_without_its_sessions_file(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """A missing file proves nothing: its owner lives, and says so by its lock."""
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        for path in data.glob("sessions/*"):
            path.unlink()
        engine = await open_engine()
        assert engine.runs()[0].is_live
        assert "run_ended" not in journal_kinds(data, life.run)


@pytest.mark.parametrize(
    ("work", "edges", "outcome"),
    [
        ({"a": shell("true")}, (), Outcome.COMPLETED),
        ({"a": shell("exit 1")}, (), Outcome.FAILED),
        ({"a": python("say('output', value=1)"), "b": shell("true")}, (("a", "b", "output > 5"),), Outcome.COMPLETED),
        ({"a": python("say('output', value=9)"), "b": shell("true")}, (("a", "b", "output > 5"),), Outcome.INTERRUPTED),
        ({"a": shell("true"), "b": shell("true")}, (("a", "b"),), Outcome.INTERRUPTED),
    ],
)  # fmt: skip
async def test_a_run_is_rolled_forward_exactly_when_its_last_agent_had_ended(
    data: Path, tmp_path: Path, open_engine: Opener, work: dict[str, Any], edges: Any, outcome: Outcome
) -> None:
    """REC3: killed after the first agent's end is durable, before anything that follows."""
    path = write(tmp_path, work, *edges)
    with short_life(data, path) as life:
        life.wait_said("nothing that is ever said: until it has ended and killed itself")
        life.kill()
    run = life.run
    journal = data / "runs" / run / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    cut = next(index for index, line in enumerate(lines) if '"attempt_ended"' in line) + 1
    assert cut
    rewind(data, run, lines[:cut])
    view = await read(open_engine, run)
    assert view.outcome is outcome, view.reason
    assert "app closed" in view.reason or outcome is not Outcome.INTERRUPTED


async def test_a_retry_that_was_owed_when_the_app_died_leaves_the_run_interrupted(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """C4, REC3: the agent had failed by itself and its end was not journaled yet; what follows was cut off."""
    path = write(tmp_path, {"a": shell("exit 1")}, nodes={"a": {"retry": {"max_attempts": 2}}})
    with short_life(data, path) as life:
        life.wait_said("a=Retrying")
        life.kill()
    lines = (data / "runs" / life.run / "journal.jsonl").read_text().splitlines(keepends=True)
    before_its_end = next(index for index, line in enumerate(lines) if '"attempt_ended"' in line)
    rewind(data, life.run, lines[:before_its_end])
    view = await read(open_engine, life.run)
    assert view.outcome is Outcome.INTERRUPTED, view.reason
    assert [one.status.value for one in view.slots[0].attempts] == ["failed"]
    assert view.slots[0].retry_at_ms is None


async def test_a_run_that_was_claimed_and_never_started_is_interrupted(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """JNL4: killed between the durable claim and the shim; ruling 1: recovery ended it."""
    with short_life(data, write(tmp_path, {"a": shell("true")}), "launch.json") as life:
        life.wait_said("never")
    (folder,) = (data / "runs").iterdir()  # it may have been killed before it named its run
    view = await read(open_engine, RunId(folder.name))
    assert (view.outcome, view.exit_code) == (Outcome.INTERRUPTED, 3)
    assert attempt_of(view, "a").status.value == "never_started"


async def test_an_interrupted_agent_can_be_resumed_by_a_person(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """REC8, REC10: the same slot, a second attempt, money added once."""
    script = spends("0.07", then="if not os.environ.get('QUARTERDECK_RESUME'):\n    " + "time.sleep(60)")
    with short_life(data, write(tmp_path, {"a": script, "b": shell("true")}, ("a", "b"))) as life:
        life.wait_said("a=Running/0.07")
        life.kill()
    engine = await open_engine()
    refused = await engine.claim(life.run, A)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_NOT_CLAIMABLE, "I8: nothing without a person's re-opening"
    assert await engine.reassign(life.run, A, "after the crash") is None
    assert not isinstance(await engine.claim(life.run, A, go_on=True), Refusal)
    view = await ended(engine, life.run)
    assert (view.outcome, view.cost_usd) == (Outcome.COMPLETED, Decimal("0.14")), view.reason
    assert [a.status.value for a in slot_of(view, "a").attempts] == ["interrupted", "succeeded"]
    assert displays(view)["b"] == "Done"
    assert (await engine.run(life.run)) == view


@pytest.mark.parametrize("is_lease_gone", [False, True])
async def test_a_survivor_is_shown_and_its_slot_is_resumable_only_once_it_is_dead(
    data: Path, tmp_path: Path, open_engine: Opener, is_lease_gone: bool
) -> None:
    """REC9, ruling 1: the shim is killed, the agent lives on without its mark's keeper; LSE4 no lease by silence, and a lease
    that somebody unlinked does not say that nothing was ever started.
    """
    stray = (
        "import subprocess, signal\n"
        "stray = subprocess.Popen(['/bin/sleep', '300'], start_new_session=True)\n"
        "open('stray', 'w').write(str(stray.pid))\n" + FOREVER
    )
    path = write(tmp_path, {"a": {**python(stray), "containment": "tree"}})
    with short_life(data, path) as life:
        life.wait_said("a=Running")
        while not (tmp_path / "stray").exists() or not (tmp_path / "stray").read_text():
            await asyncio.sleep(0.02)
        stray_pid = int((tmp_path / "stray").read_text())
        (reports,) = data.glob("runs/*/attempts/*/reports.jsonl")
        starting = json.loads(reports.read_text().splitlines()[0])
        os.kill(life.process.pid, signal.SIGSTOP)
        if is_lease_gone:
            reports.with_name("lease").unlink()
        os.kill(starting["shim_pid"], signal.SIGKILL)
        life.kill()
    try:
        engine = await open_engine()
        view = await engine.run(life.run)
        assert view is not None
        assert not view.is_live
        assert displays(view)["a"] == "Still alive"
        refused = await engine.reassign(life.run, A, "again")
        assert isinstance(refused, Refusal)
        assert refused.code in (Code.E_WORKER_NOT_TERMINAL, Code.E_SLOT_STATE)
        assert psutil.pid_exists(stray_pid), "nothing was ended by looking"
    finally:
        os.kill(stray_pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(pid) for pid in (stray_pid,) if psutil.pid_exists(pid)], timeout=5)
    assert await engine.reassign(life.run, A, "it is dead now") is None
    view = await engine.run(life.run)
    assert view is not None
    assert attempt_of(view, "a").evidence in ("no_trace", "namespace_gone")
    assert not view.cost_is_complete, "a killed shim's attempt shows at least"


async def test_a_journal_that_cannot_be_folded_hinders_nobody(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """One poisoned run must not keep Quarterdeck from starting."""
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        life.kill()
    journal = data / "runs" / life.run / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    twice = {k: v for k, v in json.loads(lines[1]).items() if k != "crc"} | {"seq": len(lines) + 1}
    journal.write_bytes("".join(lines).encode() + frame(twice))
    engine = await open_engine()
    assert [line.run_id for line in engine.runs()] == []
    assert await engine.run(life.run) is None
    refused = await engine.claim(life.run, B)
    assert isinstance(refused, Refusal)


async def test_a_dead_session_of_a_newer_version_is_passed_over_and_the_others_are_settled(
    data: Path, tmp_path: Path, open_engine: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    """As a run of a newer version: left to that version, said in the log, and nobody else waits for it (JNL9)."""
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        life.kill()
    newer = data / "sessions" / "s-0newer.json"
    newer.write_bytes(frame({"schema": 99, "runs_by_shard": {}, "clean": False}))
    held = newer.read_bytes()
    engine = await open_engine()
    assert [(line.run_id, line.outcome) for line in engine.runs()] == [(life.run, Outcome.INTERRUPTED)]
    assert "s-0newer is passed over" in caplog.text
    await engine.close()
    store = Store.open(data)
    settled = settle_dead_sessions(store, now)
    left = store.sessions.dead()
    store.sessions.tidy()
    store.close()
    assert (settled, [dead.session_id for dead in left]) == ((), ["s-0newer"])
    assert newer.read_bytes() == held
