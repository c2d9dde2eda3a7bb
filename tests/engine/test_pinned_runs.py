"""A run that a person pinned outranks every cap, with its transcripts (STO7); the pin is durable, and whole after any kill."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.keeping import KeptRun, Why
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine import bounding
from quarterdeck.engine.bounding import after_end, make_room, tend
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.closing import UNDO_MS, discard, undo_discard
from quarterdeck.engine.context import default_actor
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.pinned_runs import pin_run, unpin_run
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDown, StoreError
from quarterdeck.store.lines import frame
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.kept import content_of, end_run, killed_at_each_operation, limits, open_with_list
from tests.engine.works import FOREVER, launch, python, shell, shows, to_end, until, write
from tests.store.builders import run_id
from tests.store.faulty_io import FaultyIO

ME = default_actor()
STEPS = 40


def filled(folder: Path, count: int, **more: int) -> Store:
    store = open_with_list(folder)
    for number in range(1, count + 1):
        end_run(store, number, **more)  # type: ignore[arg-type]
    return store


def pin(store: Store, number: int) -> None:
    assert pin_run(store, run_id(number), ME, now()) == run_id(number)


def listed(store: Store) -> set[RunId]:
    return set(store.index.load())


def transcripts(store: Store) -> set[RunId]:
    return {RunId(path.parts[-4]) for path in (store.folder / "runs").glob("*/attempts/*/transcript")}


# ------------------------------------------------------------------------------------------- caps


def test_a_pinned_run_stays_above_the_cap_of_count_and_is_named(tmp_path: Path) -> None:
    """STO6, STO7: what is pinned, and what it costs, is said like the newest of each workflow."""
    store = filled(tmp_path / "d", 6, artifact=500, transcript=70)
    pin(store, 1)
    pin(store, 3)
    told = make_room(store, limits(runs=1), now(), dry_run=True)
    done = make_room(store, limits(runs=1), now())
    assert listed(store) == {run_id(1), run_id(3), run_id(6)}
    assert done.is_over
    for one in (told, done):
        assert [pinned.run for pinned in one.pinned] == [run_id(1), run_id(3)]
        assert all(pinned.size_bytes > 500 and pinned.transcript_bytes == 70 for pinned in one.pinned)
        assert set(one.names) >= {run_id(1), run_id(3)}
    store.close()


def test_a_pinned_run_stays_above_the_cap_of_bytes_and_so_does_its_transcript(tmp_path: Path) -> None:
    """STO7. The pin of the newest holds no transcript; a person's holds it."""
    store = filled(tmp_path / "d", 4, artifact=10_000, transcript=100)
    pin(store, 2)
    done = make_room(store, limits(size=1, transcripts=1), now())
    assert listed(store) == {run_id(2), run_id(4)}
    assert transcripts(store) == {run_id(2)}
    assert done.is_over
    assert done.transcript_bytes == 100
    store.close()


def test_an_end_of_a_run_lets_go_past_what_is_pinned(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 3)
    pin(store, 1)
    make_room(store, limits(), now())
    after_end(store, end_run(store, 4), limits(runs=3), now())
    assert run_id(1) in listed(store)
    assert run_id(2) not in listed(store)
    store.close()


def test_an_unpinned_run_leaves_when_its_turn_comes(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 3, transcript=10)
    pin(store, 1)
    assert not make_room(store, limits(runs=2, transcripts=10), now(), dry_run=True).leaving[0].kept.is_pinned
    assert unpin_run(store, run_id(1), ME) == run_id(1)
    assert store.pinned.load() == frozenset()
    gone = make_room(store, limits(runs=2), now())
    assert [(one.kept.run, one.why) for one in gone.leaving] == [(run_id(1), Why.COUNT)]
    store.close()


@pytest.mark.parametrize("caps", [limits(runs=1), limits(transcripts=1)])
def test_what_is_pinned_while_room_is_made_stays(
    caps: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever was told that it is pinned finds it kept, though it was chosen to leave before that."""
    store = filled(tmp_path / "d", 3, transcript=10)
    survey = bounding._survey

    def then_pinned(store: Store) -> tuple[list[KeptRun], dict[RunId, str]]:
        found = survey(store)
        pin(store, 1)
        return found

    monkeypatch.setattr(bounding, "_survey", then_pinned)
    make_room(store, caps, now())  # type: ignore[arg-type]
    assert run_id(1) in listed(store) & transcripts(store)
    assert run_id(1) not in store.ledger.closings("evicted")
    store.close()


def test_where_pins_cannot_be_read_the_list_is_shown_and_nothing_leaves(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 3)
    pin(store, 1)
    catalog = Catalog(store)
    catalog.merge(catalog.read())
    (store.folder / "pinned").rename(store.folder / "elsewhere")
    (store.folder / "pinned").write_bytes(b"")
    catalog.merge(catalog.read())
    assert (len(catalog.all(())), catalog.pinned) == (3, {run_id(1)})
    with pytest.raises(StoreDown, match="pinned"):
        make_room(store, limits(runs=1), now())
    assert len(listed(store)) == 3
    store.close()


# ------------------------------------------------------------------------------------------- a person's other acts


def test_a_pinned_run_is_discarded_by_a_persons_word_and_comes_back_pinned(tmp_path: Path) -> None:
    """A pin holds against caps, not against its person."""
    store = filled(tmp_path / "d", 3)
    pin(store, 1)
    assert isinstance(discard(store, run_id(1), ME, now), Discarded)
    assert run_id(1) not in listed(store)
    tend(store, limits(), now())
    assert undo_discard(store, run_id(1), ME, now) == run_id(1)
    make_room(store, limits(runs=1), now())
    assert listed(store) == {run_id(1), run_id(3)}
    store.close()


def test_the_pin_of_a_run_that_is_gone_for_good_is_forgotten(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 2)
    pin(store, 1)
    pin(store, 2)
    assert isinstance(discard(store, run_id(1), ME, now), Discarded)
    tend(store, limits(), replace(now(), wall_ms=now().wall_ms + UNDO_MS + 10_000))
    assert store.pinned.load() == {run_id(2)}
    store.close()


def test_an_unknown_run_is_neither_pinned_nor_unpinned(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 1)
    before = content_of(store.folder)
    for name in ("r-none", "../x", ""):
        for done in (pin_run(store, RunId(name), ME, now()), unpin_run(store, RunId(name), ME)):
            assert isinstance(done, Refusal)
            assert done.code is Code.E_RUN
    assert content_of(store.folder) == before
    store.close()


# ------------------------------------------------------------------------------------------- kills and disks that refuse


def pins(store: Store) -> None:
    pin(store, 1)


def unpins(store: Store) -> None:
    assert unpin_run(store, run_id(2), ME) == run_id(2)


ACTS: list[Callable[[Store], None]] = [pins, unpins]
BEFORE = frozenset({run_id(2)})
AFTER = {"pins": frozenset({run_id(1), run_id(2)}), "unpins": frozenset[RunId]()}


@pytest.fixture(params=[False, True], ids=["used before", "first pin"])
def template(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Three runs, the second pinned; or the folder of the pins is there and nothing else of it."""
    store = filled(tmp_path / "template", 3)
    pin(store, 2)
    make_room(store, limits(), now())
    store.close()
    if request.param:
        shutil.rmtree(tmp_path / "template" / "pinned")
    return tmp_path / "template"


def judge(folder: Path, act: Callable[[Store], None], before: frozenset[RunId]) -> None:
    """Pinned or not, every run whole; the same asked again is done, twice is once, and nothing is left over."""
    store = open_with_list(folder)
    after = {run_id(1), *before} if act is pins else before - {run_id(2)}
    assert store.pinned.load() in (before, after)
    assert listed(store) == {run_id(1), run_id(2), run_id(3)}
    store.sweep()
    for _ in range(2):
        act(store)
        assert store.pinned.load() == after
    make_room(store, limits(runs=1), now())
    assert listed(store) == {*after, run_id(3)}
    pinned = folder / "pinned"
    names = {path.name for path in pinned.iterdir() if ".tmp" not in path.name} if pinned.exists() else set()
    assert names == after
    store.close()


@pytest.mark.parametrize("act", ACTS)
def test_a_kill_at_any_operation_leaves_it_pinned_or_not(
    act: Callable[[Store], None], template: Path, tmp_path: Path
) -> None:
    before = BEFORE if (template / "pinned").exists() else frozenset[RunId]()
    for folder in killed_at_each_operation(template, tmp_path, act, least=1):
        judge(folder, act, before)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("times", [1, None])
def test_a_disk_that_refuses_at_any_operation_leaves_it_pinned_or_not(
    act: Callable[[Store], None], times: int | None, template: Path, tmp_path: Path
) -> None:
    """JNL8: and what was answered well is so."""
    before = BEFORE if (template / "pinned").exists() else frozenset[RunId]()
    for at in range(1, 100):
        folder = tmp_path / f"at-{at}"
        shutil.copytree(template, folder)
        io = FaultyIO(at, times=times)
        store = Store.open(folder, io)
        Catalog(store)
        try:
            act(store)
        except StoreError:
            pass  # refused: it may or may not be pinned, and judge says which is right
        else:
            assert (run_id(1) in store.pinned.load()) if act is pins else (store.pinned.load() <= {run_id(1)})
        finally:
            store.close()
        judge(folder, act, before)
        shutil.rmtree(folder)
        if not io.failed:
            return
    pytest.fail("it never came to its end")


def test_what_a_killed_pin_left_is_swept(tmp_path: Path) -> None:
    """STO10."""
    store = filled(tmp_path / "d", 1)
    pin(store, 1)
    (store.folder / "pinned" / f".{run_id(2)}.{2**22 - 1}.abc.tmp").write_bytes(b"x")
    assert store.pinned.load() == {run_id(1)}
    assert store.sweep() == 1
    assert [path.name for path in (store.folder / "pinned").iterdir()] == [run_id(1)]
    store.close()


# ------------------------------------------------------------------------------------------- through the door


async def test_other_processes_see_a_pin_and_it_survives_a_restart(
    open_engine: Opener, tmp_path: Path
) -> None:
    one, other = await open_engine(), await open_engine()
    path = write(tmp_path / "w", {"a": shell("exit 0")})
    run = (await to_end(one, path)).run_id
    await other.refresh()
    feed = other.subscribe()
    assert await one.keeping.pin(run) == run
    assert one.pinned() == {run}
    async with asyncio.timeout(20):
        while run not in other.pinned():  # by its own look, which wakes who listens
            await feed.wait_changed()
            feed.take()
    feed.close()
    told = await other.keeping.prune(dry_run=True)
    assert not isinstance(told, Refusal)
    assert [pinned.run for pinned in told.pinned] == [run]
    await one.close()
    third = await open_engine()
    assert third.pinned() == {run}
    assert await third.keeping.unpin(run) == run
    await other.refresh()
    assert other.pinned() == frozenset()


async def test_a_live_run_is_pinned_and_stays_so_when_it_has_ended(engine: Engine, tmp_path: Path) -> None:
    run = await launch(engine, write(tmp_path / "w", {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))
    assert await engine.keeping.pin(run) == run
    await engine.stop_run(run)
    await engine.wait_ended(run)
    assert engine.pinned() == {run}


@pytest.mark.parametrize("newer", [False, True])
async def test_nothing_is_pinned_in_a_store_that_is_only_read(
    newer: bool, open_engine: Opener, data: Path
) -> None:
    """JNL9: refused in words, nothing written."""
    store = filled(data, 1)
    pin(store, 1)
    store.close()
    if newer:
        (data / "store.json").write_bytes(frame({"schema": 2, "tenant": "t"}))
    before = content_of(data)
    engine = await open_engine(read_only=True)
    assert engine.pinned() == {run_id(1)}
    for done in (await engine.keeping.pin(run_id(1)), await engine.keeping.unpin(run_id(1))):
        assert isinstance(done, Refusal)
        assert done.code is Code.E_STORE
        assert done.message.endswith((".", "!"))
    await engine.close()
    assert content_of(data) == before


# ------------------------------------------------------------------------------------------- against a model


@dataclass
class Row:
    """One run of the model: nothing of the product is in it."""

    number: int
    workflow: str
    pinned: bool = False
    transcript: bool = True


class Model:
    """What is kept, by the rules as they are written down."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def shrink(self, cap: int, transcripts_cap: int) -> None:
        newest = {row.workflow: row.number for row in self.rows}
        for row in list(self.rows):
            if len(self.rows) > cap and not row.pinned and newest[row.workflow] != row.number:
                self.rows.remove(row)
        for row in self.rows:
            if sum(one.transcript for one in self.rows) > transcripts_cap and not row.pinned:
                row.transcript = False


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_pins_ends_and_caps_keeps_what_the_model_keeps(seed: int, tmp_path: Path) -> None:
    """STO6, STO7: with pins of a person, in a store on disk."""
    chance = random.Random(seed)
    store, model = open_with_list(tmp_path / "d"), Model()
    for step in range(1, STEPS + 1):
        workflow = f"w-{chance.randrange(3)}"
        end_run(store, step, workflow, transcript=10)
        model.rows.append(Row(step, workflow))
        for row in chance.sample(model.rows, min(2, len(model.rows))):
            row.pinned = chance.random() < 0.4
            if row.pinned:
                pin(store, row.number)
            else:
                unpin_run(store, run_id(row.number), ME)
        if chance.random() < 0.4:
            cap, transcripts_cap = chance.randint(1, 8), chance.randint(1, 6)
            make_room(store, limits(runs=cap, transcripts=10 * transcripts_cap), now())
            model.shrink(cap, transcripts_cap)
        if chance.random() < 0.1:
            store.close()
            store = open_with_list(tmp_path / "d")
            tend(store, limits(), now())
        assert listed(store) == {run_id(row.number) for row in model.rows}
        assert transcripts(store) == {run_id(row.number) for row in model.rows if row.transcript}
        assert store.pinned.load() == {run_id(row.number) for row in model.rows if row.pinned}
    store.close()
