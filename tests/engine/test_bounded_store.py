"""The store holds itself to its caps (STO4, STO6–STO9, ruling 16), and a kill at any operation leaves it whole."""

from __future__ import annotations

import asyncio
import errno
import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.keeping import KeptRun, Why
from quarterdeck.domain.projection import newest_end
from quarterdeck.domain.record import summary_from_json
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.domain.views import RunView
from quarterdeck.engine import bounding, room
from quarterdeck.engine.bounding import after_end, make_room, tend
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.closed import EVICTED_WITHIN_MS, closed_runs
from quarterdeck.engine.closing import UNDO_MS, discard, tidy_asides, undo_discard
from quarterdeck.engine.context import default_actor
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.local_keeping import unreadable_files
from quarterdeck.engine.reading import read_run
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDown
from quarterdeck.store.machine import now
from quarterdeck.store.sessions import SessionIdentity
from quarterdeck.store.tally import read_tally
from tests.engine.conftest import Opener
from tests.engine.kept import (
    DyingIO,
    Killed,
    closing_lines,
    content_of,
    end_run,
    killed_at_each_operation,
    limits,
    open_with_list,
)
from tests.engine.works import FOREVER, launch, python, shell, slot_of, to_end, until, write
from tests.store.builders import run_id
from tests.store.faulty_io import CountingIO, FaultyIO, UnsyncedIO

ME = default_actor()


def listed(store: Store) -> set[RunId]:
    return set(store.index.load())


def filled(folder: Path, count: int, **more: int) -> Store:
    store = open_with_list(folder)
    for number in range(1, count + 1):
        end_run(store, number, **more)  # type: ignore[arg-type]
    return store


async def test_what_is_kept_is_every_run_and_all_its_files_live_or_ended_counted_before_or_not(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """One figure for window and terminal: the runs of the list, and what their files come to."""
    engine = await open_engine()
    await to_end(engine, write(tmp_path, {"a": shell("head -c 5000 /dev/zero")}))
    live = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, live, lambda view: any(one.session_id for one in slot_of(view, "a").attempts))
    assert read_tally(data) is not None
    kept = await engine.keeping.kept()
    files = [path for path in (data / "runs").rglob("*") if path.is_file() and not path.is_symlink()]
    assert kept.runs == 2
    assert kept.size_bytes == pytest.approx(sum(path.stat().st_size for path in files), abs=4_000)
    assert kept.size_bytes > 5_000


def test_the_oldest_runs_leave_and_the_ledger_says_so(tmp_path: Path) -> None:
    """STO6."""
    store = filled(tmp_path / "d", 5)
    gone = make_room(store, limits(runs=3), now())
    assert [(one.kept.run, one.why) for one in gone.leaving] == [
        (run_id(1), Why.COUNT),
        (run_id(2), Why.COUNT),
    ]
    assert listed(store) == set(store.runs.ids()) == {run_id(number) for number in (3, 4, 5)}
    assert store.asides.leaving() == ()
    assert not list((tmp_path / "d").rglob(f"*{run_id(1)}*"))
    assert {line["why"] for line in closing_lines(store, "evicted").values()} == {"count"}
    store.close()


def test_a_look_at_what_would_go_changes_nothing(tmp_path: Path) -> None:
    """`prune --dry-run`."""
    store = filled(tmp_path / "d", 5, artifact=1000)
    before = content_of(tmp_path / "d")
    told = make_room(store, limits(size=4000), now(), dry_run=True)
    assert content_of(tmp_path / "d") == before
    done = make_room(store, limits(size=4000), now())
    assert [one.kept.run for one in told.leaving] == [one.kept.run for one in done.leaving] != []
    assert (told.runs, told.size_bytes) == (done.runs, done.size_bytes)
    assert done.size_bytes == sum(
        len(content)
        for name, content in content_of(tmp_path / "d" / "runs").items()
        if "transcript" not in name
    )
    store.close()


def test_pins_above_the_cap_stay_and_that_is_said(tmp_path: Path) -> None:
    """STO7: 40 workflows, cap 10; pins alone exceed the bytes."""
    store = open_with_list(tmp_path / "d")
    for number in range(1, 81):
        end_run(store, number, f"w-{number % 40}")
    done = make_room(store, limits(runs=10, size=1), now())
    assert listed(store) == {run_id(number) for number in range(41, 81)}
    assert done.is_over
    store.close()


def test_unanswered_interrupted_and_looked_at_runs_stay(tmp_path: Path) -> None:
    """STO9, ruling 16: also where another process looks at it."""
    store = open_with_list(tmp_path / "d")
    end_run(store, 1, outcome=Outcome.INTERRUPTED)
    for number in (2, 3, 4):
        end_run(store, number)
    other = Store.open(tmp_path / "d", UnsyncedIO())
    session = other.sessions.begin(SessionIdentity.of_this_process("window"))
    session.look_at([run_id(2)])
    make_room(store, limits(runs=1), now())
    assert listed(store) == {run_id(1), run_id(2), run_id(4)}
    session.end_clean()
    make_room(store, limits(runs=1), now())
    assert listed(store) == {run_id(1), run_id(4)}
    other.sessions.tidy()
    assert list((tmp_path / "d" / "sessions").iterdir()) == []
    for one in (store, other):
        one.close()


def test_a_run_that_somebody_has_taken_up_is_passed_over(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 3)
    owner = store.runs.own(run_id(1))
    assert owner is not None
    assert [one.kept.run for one in make_room(store, limits(runs=1), now()).leaving] == [run_id(2)]
    owner.release()
    store.close()


def test_transcripts_leave_by_their_own_budget_and_records_stay(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 4, transcript=100)
    done = make_room(store, limits(transcripts=250), now())
    assert [(one.kept.run, one.why) for one in done.leaving] == [
        (run_id(1), Why.TRANSCRIPTS),
        (run_id(2), Why.TRANSCRIPTS),
    ]
    assert len(listed(store)) == 4
    assert store.attempts.transcript(run_id(1), "a-1", 0, 9) is None  # type: ignore[arg-type]
    assert store.attempts.transcript(run_id(3), "a-1", 0, 9) is not None  # type: ignore[arg-type]
    store.close()


@pytest.mark.parametrize("over", [0, 1])
def test_a_record_that_is_too_large_is_dropped_whole_and_the_ledger_says_that_it_was_the_last(
    over: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STO8: at the limit it is kept, one byte above it nothing is; the older pin does not pass for the last run."""
    store = open_with_list(tmp_path / "d")
    first = end_run(store, 1)
    probe = end_run(store, 2)
    size = (store.runs.folder(probe) / "record.json").stat().st_size
    monkeypatch.setattr("quarterdeck.engine.publishing.read_limits", lambda path: limits(record=size - over))
    last = end_run(store, 3)
    after_end(store, last, limits(), now())
    assert listed(store) == ({first, probe} if over else {first, probe, last})
    assert set(closing_lines(store, "too_large")) == ({last} if over else set())
    catalog = Catalog(store)
    catalog.merge(catalog.read())
    assert [(line.run_id, line.reason) for line in catalog.closed] == (
        [(last, "not kept: too large")] if over else []
    )
    store.close()


def test_a_runs_end_writes_no_more_with_many_stored_runs_than_with_ten(tmp_path: Path) -> None:
    """STO4: eviction included. Bytes are counted at the seam, over as many ends as the share that leaves at one."""

    class Weighing(CountingIO):
        weight = 0

        def write_some(self, fd: int, view: memoryview) -> int:
            self.weight += len(view)
            return super().write_some(fd, view)

    def cost(stored: int) -> int:
        folder = tmp_path / str(stored)
        store = filled(folder, stored)
        make_room(store, limits(), now())
        store.close()
        io = Weighing()
        store = open_with_list(folder, io)
        for number in range(1, 52):
            after_end(store, end_run(store, stored + number), limits(runs=stored), now())
        assert run_id(1) not in listed(store)
        store.close()
        return io.weight

    assert cost(1_000) <= 1.1 * cost(10)


def test_an_end_in_a_full_store_makes_room_for_many_more_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STO6: with many runs a survey takes seconds; a full store is surveyed at one end of several, not at each."""
    store = filled(tmp_path / "d", 100)
    make_room(store, limits(), now())
    surveys: list[int] = []
    real = bounding._survey

    def survey(store: Store) -> tuple[list[KeptRun], dict[RunId, str]]:
        surveys.append(1)
        return real(store)

    monkeypatch.setattr(bounding, "_survey", survey)
    for number in range(101, 107):
        after_end(store, end_run(store, number), limits(runs=100), now())
        assert len(store.runs.ids()) <= 100
    assert len(surveys) == 1
    assert len(store.runs.ids()) == 100, "five of a hundred left at the first, and five came"
    store.close()


async def test_a_fault_while_room_is_made_is_no_fault_of_the_run_that_ended(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The run is durable and shown as ended while the store is still measured."""
    begun, go_on = threading.Event(), threading.Event()

    def measures(*_: object) -> None:
        begun.set()
        assert go_on.wait(20)
        raise ValueError("odd")

    monkeypatch.setattr(room, "after_end", measures)
    try:
        view = await to_end(engine, write(tmp_path, {"a": shell("true")}))
        assert await asyncio.to_thread(begun.wait, 20)
    finally:
        go_on.set()
    await engine.close()
    assert (view.outcome, view.fault) == (Outcome.COMPLETED, "")
    assert "held to its caps" in caplog.text


def test_a_runs_end_measures_that_run_alone_and_a_start_measures_all(tmp_path: Path) -> None:
    store = filled(tmp_path / "d", 3)
    make_room(store, limits(), now())
    last = end_run(store, 4, transcript=7)
    after_end(store, last, limits(), now())
    tally = read_tally(store.folder)
    exact = make_room(store, limits(), now())
    assert tally is not None
    assert (tally.runs, tally.transcript_bytes) == (exact.runs, exact.transcript_bytes) == (4, 7)
    assert tally.size_bytes == exact.size_bytes
    (store.folder / "kept.json").write_bytes(b"{}")
    tend(store, limits(runs=2), now())
    assert len(listed(store)) == 2
    store.close()


# ------------------------------------------------------------------------------------------- kills and disks that refuse


def evicts(store: Store) -> None:
    make_room(store, limits(runs=1, transcripts=100), now())


def discards(store: Store) -> None:
    assert isinstance(discard(store, run_id(2), ME, now), Discarded)


def brings_back(store: Store) -> None:
    assert undo_discard(store, run_id(1), ME, now) == run_id(1)


def deletes_old(store: Store) -> None:
    tidy_asides(store, replace(now(), wall_ms=now().wall_ms + UNDO_MS + 10_000))


ACTS: list[Callable[[Store], None]] = [evicts, discards, brings_back, deletes_old]


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """Three runs, the first discarded."""
    store = filled(tmp_path / "template", 4, transcript=60)
    assert isinstance(discard(store, run_id(1), ME, now), Discarded)
    make_room(store, limits(), now())
    store.close()
    return tmp_path / "template"


def judge(folder: Path, whole: dict[RunId, dict[str, bytes]]) -> None:
    """After a next process tidied: each run is in one place and whole, or gone with its line."""
    store = open_with_list(folder)
    tend(store, limits(), now())
    discards, evicted = store.ledger.closings("discard"), store.ledger.closings("evicted")
    asides = {aside.run: aside.folder for aside in store.asides.discarded()}
    assert store.asides.leaving() == ()
    for run, content in whole.items():
        is_kept, is_aside = store.runs.folder(run).is_dir(), run in asides
        assert not (is_kept and is_aside)
        is_closed = discards.get(run, {}).get("state") == "discarded"
        assert is_closed == (is_aside or (not is_kept and run not in evicted)), (run, discards.get(run))
        if not is_kept and not is_aside:
            assert run in evicted or is_closed
            continue
        found = content_of(store.runs.folder(run) if is_kept else asides[run])
        lost = set(content) - set(found)
        assert lost <= {"attempts/a-1/transcript"}, lost
        assert all(found[name] == content[name] for name in found if name != "record.json")
    assert listed(store) == set(store.runs.ids())
    assert run_id(4) in listed(store), "the pin"
    store.close()


@pytest.mark.parametrize("act", ACTS)
def test_a_kill_at_any_operation_leaves_every_run_whole_somewhere(
    act: Callable[[Store], None], template: Path, tmp_path: Path
) -> None:
    """REC13, STO7: completes or rolls back, also where the next process is killed in the middle of that."""
    whole = {run_id(n): content_of(template / "runs" / run_id(n)) for n in (2, 3, 4)}
    (aside,) = (template / "discarded").iterdir()
    whole[run_id(1)] = content_of(aside)
    for at, folder in enumerate(killed_at_each_operation(template, tmp_path, act, least=4), 1):
        again = Store.open(folder, DyingIO(at % 7 + 1))
        Catalog(again)
        try:
            tend(again, limits(), now())
        except Killed:
            pass  # the second life ends in the middle as well
        finally:
            again.close()
        judge(folder, whole)


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("times", [1, None])
def test_a_disk_that_refuses_at_any_operation_loses_nothing(
    act: Callable[[Store], None], times: int | None, template: Path, tmp_path: Path
) -> None:
    """REC13, JNL8."""
    whole = {run_id(n): content_of(template / "runs" / run_id(n)) for n in (2, 3, 4)}
    (aside,) = (template / "discarded").iterdir()
    whole[run_id(1)] = content_of(aside)
    for at in range(1, 500):
        folder = tmp_path / f"{act.__name__}-{at}"
        shutil.copytree(template, folder)
        io = FaultyIO(at, times=times)
        store = Store.open(folder, io)
        Catalog(store)
        try:
            act(store)
        except (StoreDown, AssertionError):
            assert io.failed
        finally:
            store.close()
        judge(folder, whole)
        shutil.rmtree(folder)
        if not io.failed:
            return
    raise AssertionError("it never came to its end")


# ------------------------------------------------------------------------------------------- what stands in the way


class Stuck(UnsyncedIO):
    """Nothing whose path holds the text can be removed."""

    text = ""

    def before(self, operation: str, target: str) -> None:
        if self.text and operation in ("unlink", "rmdir") and self.text in target:
            raise OSError(errno.EPERM, "Operation not permitted", target)


def test_a_folder_that_cannot_be_deleted_is_told_and_hinders_nothing_else(tmp_path: Path) -> None:
    """STO6, STO10: the caps hold, the ledger is mended; and it goes once it can."""
    io = Stuck()
    store = open_with_list(tmp_path / "d", io)
    for number in range(1, 6):
        end_run(store, number, artifact=10)
    io.text = f"leaving/{run_id(1)}"
    assert len(make_room(store, limits(runs=3), now()).leaving) == 2, "the second goes all the same"
    assert [aside.run for aside in store.asides.leaving()] == [run_id(1)]
    (told,) = [one for one in unreadable_files(store) if "cannot be deleted" in one.why]
    assert told.path == tmp_path / "d" / "leaving" / run_id(1)
    with (tmp_path / "d" / "ledger.jsonl").open("ab") as ledger:
        ledger.write(b'{"damaged\n{"more"\n')
    tend(store, limits(runs=2), now())
    assert store.ledger.damage() == ()
    assert len(listed(store)) == 2
    io.text = ""
    tend(store, limits(), now())
    assert store.asides.leaving() == ()
    assert not [one for one in unreadable_files(store) if "cannot be deleted" in one.why]
    store.close()


def test_a_run_that_the_disk_does_not_give_stays_and_the_caps_are_held_by_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path / "d", 4)
    real = read_run

    def read(store: Store, run: RunId) -> RunView | None:
        if run == run_id(1):
            raise StoreDown(errno.EIO, str(run))
        return real(store, run)

    monkeypatch.setattr(bounding, "read_run", read)
    make_room(store, limits(runs=2), now())
    assert listed(store) == {run_id(1), run_id(4)}
    make_room(store, limits(runs=1), now())
    assert listed(store) == {run_id(1), run_id(4)}, "it is not thrown away unread"
    store.close()


def test_transcripts_that_cannot_be_removed_hinder_no_others(tmp_path: Path) -> None:
    io = Stuck()
    store = open_with_list(tmp_path / "d", io)
    for number in range(1, 4):
        end_run(store, number, transcript=100)
    io.text = f"{run_id(1)}/attempts"
    gone = make_room(store, limits(transcripts=100), now())
    assert [one.kept.run for one in gone.leaving] == [run_id(2)]
    store.close()


@pytest.mark.parametrize("harm", ["line", "folder"])
def test_a_ledger_that_lost_its_lines_brings_no_discarded_run_back(harm: str, tmp_path: Path) -> None:
    """REC13: what a person discarded stays discarded, and can still be brought back by a person."""
    store = filled(tmp_path / "d", 3)
    assert isinstance(discard(store, run_id(1), ME, now), Discarded)
    ledger = tmp_path / "d" / "ledger.jsonl"
    if harm == "line":
        content = ledger.read_bytes()
        at = content.index(b'{"kind":"discard"')
        ledger.write_bytes(content[:at] + b"x" + content[at + 1 :] + content[: content.index(b"\n") + 1])
    else:
        ledger.unlink()
        ledger.mkdir()
    for _ in range(2):
        tend(store, limits(), now())
        assert run_id(1) not in store.runs.ids()
        assert [aside.run for aside in store.asides.discarded()] == [run_id(1)]
    if harm == "line":
        assert closing_lines(store, "discard")[run_id(1)]["state"] == "discarded"
        assert undo_discard(store, run_id(1), ME, now) == run_id(1)
    else:
        assert [one.path for one in unreadable_files(store)] == [ledger]
    store.close()


def test_what_left_today_stays_in_the_sums_of_today_and_speaks_for_nothing(tmp_path: Path) -> None:
    """REC13, C12: a cap changes no total of the day; the newest run still speaks for the workflow."""
    store = filled(tmp_path / "d", 4)
    before = {run: summary_from_json(line) for run, line in store.index.load().items()}
    make_room(store, limits(runs=2), now())
    told = {one.run_id: one for one in closed_runs(store)}
    assert set(told) == {run_id(1), run_id(2)}
    for run, one in told.items():
        assert (one.cost_usd, one.turns, one.started_at) == (
            before[run].cost_usd,
            before[run].turns,
            before[run].started_at,
        )
        assert (one.phase, one.reason) == (Phase.CLOSED, "not kept any more")
    kept = [summary_from_json(line) for line in store.index.load().values()]
    newest = newest_end([*kept, *told.values()])
    assert newest is not None
    assert newest.run_id == run_id(4)
    store.close()


def test_of_what_left_long_ago_nothing_is_read(tmp_path: Path) -> None:
    """A history of evictions costs a start no more than those of two days."""
    store = filled(tmp_path / "d", 3)
    long_ago = replace(now(), wall_ms=now().wall_ms - EVICTED_WITHIN_MS - 1000)
    make_room(store, limits(runs=2), long_ago)
    assert closed_runs(store) == ()
    make_room(store, limits(runs=1), now())
    assert [one.run_id for one in closed_runs(store)] == [run_id(2)]
    store.close()
