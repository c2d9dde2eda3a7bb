"""Something else lies in the place of a file or folder of a killed run: it is never live, its prompt is owed, it can be discarded."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.test_damaged_journals import done_and_cut_off
from tests.engine.test_settling import short_life
from tests.engine.works import FOREVER, python, shell, to_end, write

A = SlotId("a")
Make = Callable[[Path], None]


def a_file(place: Path) -> None:
    place.write_bytes(b"x")


def a_folder(place: Path) -> None:
    place.mkdir()


def a_pipe(place: Path) -> None:
    os.mkfifo(place)


def a_link_to_nowhere(place: Path) -> None:
    place.symlink_to("nowhere")


def a_circle(place: Path) -> None:
    place.symlink_to(place.name)


def a_socket(place: Path) -> None:
    here = os.getcwd()
    os.chdir(place.parent)  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(place.name)
    finally:
        os.chdir(here)


KINDS = [a_file, a_folder, a_pipe, a_link_to_nowhere, a_circle, a_socket]


def replace(place: Path, make: Make) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
    make(place)


def untouched(path: Path) -> None:
    """Nothing is done to it."""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunId]:
    """A data folder as it was left by a kill, never settled; each test has a copy."""
    folder = tmp_path_factory.mktemp("killed")
    return folder / "data", done_and_cut_off(folder / "data", folder, untouched)


@pytest.fixture
def run(killed: tuple[Path, RunId], data: Path) -> RunId:
    shutil.copytree(killed[0], data, ignore=shutil.ignore_patterns("*.sock"))
    return killed[1]


PLACES = [
    "attempts",
    "owner.lock",
    "attempts/*",
    "attempts/*/launch.json",
    "attempts/*/lease",
    "attempts/*/reports.jsonl",
    "attempts/*/transcript",
    "attempts/*/exit.json",
    "record.json",
]


def spoilt(data: Path, run: RunId, place: str, make: Make) -> None:
    folder = data / "runs" / run
    found = sorted(folder.glob(place)) or [folder / place]
    replace(found[0], make)


@pytest.mark.parametrize("read_only", [False, True], ids=["to write", "to read"])
@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize("place", PLACES)
async def test_a_run_of_which_something_is_of_the_wrong_kind_is_owed_and_never_live(
    place: str, make: Make, read_only: bool, run: RunId, open_engine: Opener, data: Path
) -> None:
    """REC3, REC6, I6, case 20."""
    spoilt(data, run, place, make)
    for _ in range(2):
        engine = await open_engine(read_only=read_only)
        (line,) = engine.runs()
        assert (line.phase, line.outcome, line.unanswered) == (Phase.ENDED, Outcome.INTERRUPTED, True)
        owed = await engine.recovery.owed()
        assert [one.run_id for one in owed.runs] == [run]
        view = await engine.run(run)
        assert view is not None
        assert view.phase is Phase.ENDED
        assert [status.live for status in engine.statuses()] == [0]
        await engine.close()


@pytest.mark.parametrize(
    ("place", "make"),
    [("attempts", make) for make in KINDS if make is not a_folder]
    + [("owner.lock", make) for make in KINDS if make not in (a_file, a_pipe)],
)
async def test_a_run_that_nobody_can_take_is_told_as_damaged_and_can_be_kept_or_discarded(
    place: str, make: Make, run: RunId, open_engine: Opener, data: Path
) -> None:
    """JNL6, REC3, REC13, case 20: costs "at least", no agent can be resumed, and a person's answer sticks."""
    spoilt(data, run, place, make)
    engine = await open_engine()
    words = f"its files are damaged ({place} is no {'folder' if place == 'attempts' else 'file'})"
    (line,) = engine.runs()
    assert (line.reason, line.cost_is_complete) == (words, False)
    assert run in {one.run for one in await engine.keeping.unreadable()}
    ((owed,), (named,)) = ((told := await engine.recovery.owed()).runs, told.unreadable)
    assert (owed.damage, owed.cost_is_complete, named.run_id) == (words, False, run)
    refused = await engine.claim(run, A)
    assert isinstance(refused, Refusal)
    assert isinstance(await engine.recovery.before_resume(run, A), Refusal)
    assert await engine.recovery.keep_as_stopped(run) is None
    assert [line.unanswered for line in engine.runs()] == [False]
    done = await engine.keeping.discard(run)
    assert isinstance(done, Discarded), done
    assert engine.runs() == ()
    assert await engine.keeping.undo_discard(run) == run


async def test_what_lies_among_the_attempts_and_is_none_is_left_alone(
    run: RunId, open_engine: Opener, data: Path
) -> None:
    """REC3: a file of a person hinders no settling."""
    (data / "runs" / run / "attempts" / "notes.txt").write_text("mine")
    engine = await open_engine()
    (owed,) = (await engine.recovery.owed()).runs
    assert (owed.run_id, owed.damage) == (run, "")
    assert (data / "runs" / run / "attempts" / "notes.txt").read_text() == "mine"


async def test_a_run_that_ended_keeps_its_end_though_its_lock_is_no_file(
    engine: Engine, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """OWN1: its journal is whole, so what it tells is the truth, also without its record."""
    view = await to_end(engine, write(tmp_path, {"a": shell("true")}))
    await engine.close()
    folder = data / "runs" / view.run_id
    replace(folder / "owner.lock", a_folder)
    (folder / "record.json").unlink()
    other = await open_engine()
    (line,) = other.runs()
    assert (line.outcome, line.unanswered) == (Outcome.COMPLETED, False)
    assert isinstance(await other.keeping.discard(view.run_id), Discarded)


async def test_a_run_whose_owner_lives_is_not_told_as_damaged_when_its_lock_is_taken_away(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """OWN2: its session answers for it; it is neither settled nor discarded under its owner."""
    with short_life(data, write(tmp_path / "w", {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        replace(data / "runs" / life.run / "owner.lock", a_folder)
        looker = await open_engine(read_only=True)
        assert [line.phase for line in looker.runs()] == [Phase.LIVE]
        other = await open_engine()
        refused = await other.keeping.discard(life.run)
        assert isinstance(refused, Refusal)
        assert refused.code is not Code.E_STORE
        life.kill()
        async with asyncio.timeout(20):
            while any(line.is_live for line in other.runs()):
                await other.refresh()
                await asyncio.sleep(0.05)
        assert [one.run_id for one in (await other.recovery.owed()).runs] == [life.run]


async def test_an_interrupted_run_whose_journal_is_gone_is_named_where_its_prompt_would_be(
    run: RunId, open_engine: Opener, data: Path
) -> None:
    """REC3, case 101: its record says that it is unanswered; it is not left out without a word, and can be discarded."""
    engine = await open_engine()
    await engine.close()
    (data / "runs" / run / "journal.jsonl").unlink()
    for read_only in (True, False):
        engine = await open_engine(read_only=read_only)
        (line,) = engine.runs()
        assert (line.outcome, line.unanswered) == (Outcome.INTERRUPTED, True)
        owed = await engine.recovery.owed()
        assert [(one.run_id, one.why.startswith("its journal is missing")) for one in owed.unreadable] == [
            (run, True)
        ]
        if not read_only:
            assert isinstance(await engine.keeping.discard(run), Discarded)
        await engine.close()


@pytest.mark.parametrize("is_settled", [True, False])
async def test_a_run_that_has_lost_journal_and_record_is_named_as_long_as_attempts_of_it_are_there(
    is_settled: bool, run: RunId, open_engine: Opener, data: Path
) -> None:
    """REC3, case 101: nothing tells what it was, so it is named with its place, and can be discarded."""
    if is_settled:
        await (await open_engine()).close()
    (data / "runs" / run / "journal.jsonl").unlink()
    (data / "runs" / run / "record.json").unlink(missing_ok=True)
    for read_only in (True, False):
        engine = await open_engine(read_only=read_only)
        await engine.refresh()
        assert engine.runs() == ()
        assert [one.run_id for one in (await engine.recovery.owed()).unreadable] == [run]
        assert [one.run for one in await engine.keeping.unreadable()] == [run]
        if not read_only:
            assert isinstance(await engine.keeping.discard(run), Discarded)
            assert (await engine.recovery.owed()).unreadable == ()
        await engine.close()
