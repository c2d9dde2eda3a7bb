"""A run whose owner was killed and that nobody can settle now is told as what it is, and never as live (REC3, REC6, JNL8, JNL9)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.engine import opening
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.lines import frame, unframe
from tests.engine.conftest import Opener
from tests.engine.test_damaged_journals import done_and_cut_off, wait_until_ended
from tests.engine.test_damaged_store_file import RefusesWriting, untouched
from tests.engine.test_settling import short_life
from tests.engine.works import python, write

STUBBORN = (
    "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsay('turn')\nwhile True: time.sleep(0.05)"
)


@pytest.fixture
def cut_off(data: Path, tmp_path: Path) -> RunId:
    """Of a killed process: its first agent is done, its second was at work. Never settled."""
    return done_and_cut_off(data, tmp_path, untouched)


def of_a_newer_version(data: Path) -> DurableIO | None:
    path = data / "store.json"
    path.write_bytes(frame({**unframe(path.read_bytes()), "schema": 99}))
    return None


def read_only_disk(data: Path) -> DurableIO | None:
    return RefusesWriting()


async def assert_interrupted(engine: Engine, run: RunId, *displays: str) -> None:
    """By list, view, status and prompt alike."""
    (line,) = engine.runs()
    assert (line.phase, line.outcome, line.unanswered) == (Phase.ENDED, Outcome.INTERRUPTED, True)
    assert (line.foreign, line.cost_is_complete) == (False, False)
    view = await engine.run(run)
    assert view is not None
    assert (view.phase, view.outcome, view.ended_at) == (line.phase, line.outcome, line.ended_at)
    assert not view.cost_is_complete
    assert [slot.display for slot in view.slots] == list(displays)
    (status,) = engine.statuses()
    assert (status.live, status.state, status.outcome) == (0, "ended", Outcome.INTERRUPTED)
    (owed,) = (await engine.recovery.owed()).runs
    assert (owed.run_id, owed.cost_is_complete) == (run, False)
    assert [(agent.node_id, agent.cost_is_complete) for agent in owed.agents] == [("b", False)]
    told = {
        slot.node_id: (slot.cost_is_complete, [a.figures.cost_is_complete for a in slot.attempts])
        for slot in view.slots
    }
    assert told == {"a": (True, [True]), "b": (False, [False])}, (
        "its row and its attempt say no more than the run"
    )


@pytest.mark.parametrize("spoil", [read_only_disk, of_a_newer_version])
async def test_where_nothing_can_be_settled_the_run_is_interrupted_all_the_same_and_time_stands_still(
    spoil: Callable[[Path], DurableIO | None], cut_off: RunId, open_engine: Opener, data: Path
) -> None:
    """H4: also on a second look, and nothing is written."""
    io = spoil(data)
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    engine = await open_engine(read_only=True, io=io)
    assert engine.keeping.read_only
    assert (await engine.keeping.kept()).read_only == engine.keeping.read_only
    await assert_interrupted(engine, cut_off, "Done", "Stopped")
    seen = engine.runs()
    await engine.refresh()
    assert engine.runs() == seen
    is_newer = spoil is of_a_newer_version
    refused = await engine.recovery.keep_as_stopped(cut_off)
    assert refused == Refusal(Code.E_STORE, engine.keeping.read_only), (
        "the cause comes before what follows from it"
    )
    claim = await engine.claim(cut_off, SlotId("b"))
    assert isinstance(claim, Refusal)
    assert is_newer == (claim.message == engine.keeping.read_only)
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before


async def test_what_could_not_be_settled_is_said_until_another_has_settled_it(
    cut_off: RunId, open_engine: Opener
) -> None:
    reader = await open_engine(read_only=True, io=RefusesWriting())
    assert "could not be settled" in reader.keeping.read_only
    await open_engine()
    await reader.refresh()
    assert reader.keeping.read_only == ""
    (line,) = reader.runs()
    view = await reader.run(cut_off)
    assert view is not None
    assert (line.cost_is_complete, view.cost_is_complete) == (True, True)


async def test_what_a_reader_foresees_is_what_settling_then_journals(
    cut_off: RunId, open_engine: Opener
) -> None:
    """One set of rules: turns, spent, displays, reasons, times and the words of the end are the same."""
    reader = await open_engine(read_only=True, io=RefusesWriting())
    foreseen = await reader.run(cut_off)
    engine = await open_engine()
    settled = await engine.run(cut_off)
    assert foreseen is not None
    assert settled is not None
    assert (foreseen.end_seq, foreseen.seq < settled.seq) == (None, True)
    for name in ("phase", "outcome", "exit_code", "reason", "turns", "cost_usd", "unanswered"):
        assert getattr(foreseen, name) == getattr(settled, name), name
    assert foreseen.sittings[-1].ended_at == settled.sittings[-1].ended_at
    for one, other in zip(foreseen.slots, settled.slots, strict=True):
        assert (one.display, one.reason) == (other.display, other.reason)


async def test_a_run_whose_last_agent_had_ended_comes_to_its_true_end_though_nothing_can_be_written(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC3: nothing is asked for it."""
    path = write(tmp_path / "w", {"a": python("say('output', value=1)")})
    with short_life(data, path, "write journal-of-nobody") as life:
        life.wait_said("a=Done")
        life.kill()
    journal = data / "runs" / life.run / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    if "run_ended" in kinds:
        journal.write_bytes(b"".join(lines[: kinds.index("run_ended")]))
        (data / "runs" / life.run / "record.json").unlink(missing_ok=True)
        (data / "index.jsonl").unlink(missing_ok=True)
    engine = await open_engine(read_only=True, io=RefusesWriting())
    (line,) = engine.runs()
    assert (line.phase, line.outcome, line.unanswered) == (Phase.ENDED, Outcome.COMPLETED, False)
    assert (await engine.recovery.owed()).runs == ()


@contextmanager
def settled_by_another(data: Path) -> Iterator[Callable[[], None]]:
    """Another holds the lock of the dead session, as who settles it does; yields what lets go of it."""
    store = Store.open(data)
    (dead,) = store.sessions.dead()
    taken = store.sessions.take(dead)
    assert taken is not None
    assert store.sessions.being_settled() == (dead.session_id,)
    try:
        yield taken.release
    finally:
        taken.release()
        store.close()


@pytest.mark.parametrize("read_only", [True, False])
async def test_who_opens_while_another_settles_waits_for_it(
    read_only: bool, cut_off: RunId, open_engine: Opener, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H5: and settles itself what the other then left."""
    waited = asyncio.Event()
    loop = asyncio.get_running_loop()
    wait = opening._wait_for_others

    def told(store: Store) -> object:
        loop.call_soon_threadsafe(waited.set)
        return wait(store)

    monkeypatch.setattr(opening, "_wait_for_others", told)
    with settled_by_another(data) as let_go:
        task = asyncio.ensure_future(open_engine(read_only=read_only))
        await asyncio.wait_for(waited.wait(), 20)
        assert not task.done()
        let_go()
        engine = await task
    assert engine.keeping.read_only == ""
    (line,) = engine.runs()
    assert (line.phase, line.unanswered, line.end_seq) == (Phase.ENDED, True, 1)


async def test_where_the_other_takes_long_it_is_said_and_the_run_is_not_told_as_live(
    cut_off: RunId, open_engine: Opener, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H5: neither “no interrupted run” nor “another Quarterdeck runs it”."""
    monkeypatch.setattr(opening, "OTHERS_SETTLE_MS", 50)
    with settled_by_another(data):
        engine = await open_engine(read_only=True)
        assert "another process is settling it" in engine.keeping.read_only
        await assert_interrupted(engine, cut_off, "Done", "Stopped")


async def test_an_agent_that_is_still_ending_is_not_told_as_ended_by_who_may_not_wait(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Design §4: its processes live yet, so it is neither stopped nor live, and spends perhaps."""
    with short_life(data, write(tmp_path / "w", {"a": python(STUBBORN)})) as life:
        life.wait_said("a=Running")
        life.kill()
    engine = await open_engine(read_only=True, io=RefusesWriting())
    (line,) = engine.runs()
    assert (line.phase, line.outcome, line.cost_is_complete) == (Phase.ENDED, Outcome.INTERRUPTED, False)
    (told,) = (await engine.recovery.owed()).runs
    assert told.agents[0].end_first or told.agents[0].evidence
    wait_until_ended(data, life.run)
