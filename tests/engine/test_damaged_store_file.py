"""A damaged `store.json` after a crash: whoever looks first, also for reading only, tells the crash and forgets nothing (cases 101, 103)."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.engine.settling import LeftAlone, settle_dead_sessions
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.test_damaged_journals import done_and_cut_off, flip

Spoil = Callable[[Path], None]


def gone(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def untouched(path: Path) -> None:
    """Nothing is done to it."""


class RefusesWriting(DurableIO):
    """A folder that may only be read."""

    def before(self, operation: str, target: str) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), target)


def sessions(data: Path) -> list[str]:
    return sorted(path.name for path in (data / "sessions").glob("*.json"))


@pytest.mark.parametrize("spoil", [flip, gone, empty, zeros, a_folder])
async def test_a_crash_beside_a_damaged_store_file_is_told_to_who_only_looks(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC3, REC6: `recover`, `runs`, `status` and `show` open for reading, and settle first."""
    run = done_and_cut_off(data, tmp_path, untouched)
    before = json.loads((data / "store.json").read_bytes())
    spoil(data / "store.json")
    for _ in range(2):
        engine = await open_engine(read_only=True)
        assert [one.run_id for one in (await engine.recovery.owed()).runs] == [run]
        (line,) = engine.runs()
        assert (line.phase, line.outcome, line.unanswered) == (Phase.ENDED, Outcome.INTERRUPTED, True)
        assert [status.live for status in engine.statuses()] == [0]
        assert engine.keeping.read_only == ""
        await engine.close()
    after = json.loads((data / "store.json").read_bytes())
    assert after["tenant"] == before["tenant"]
    assert after["end_seq"] > before["end_seq"]
    assert after["launch_seq"] >= before["launch_seq"], "no number is given twice"
    kept = [path for path in (data / "damaged").rglob("*") if "store.json" in path.name]
    assert bool(kept) == (spoil is not gone), "what was damaged is set aside, never written over"


@pytest.mark.parametrize("spoil", [flip, gone, untouched])
async def test_who_may_only_read_says_that_a_crash_is_not_settled_and_leaves_it_to_the_next(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC6, JNL8: in a sentence; the session is not forgotten, and the next start that may write settles it."""
    run = done_and_cut_off(data, tmp_path, untouched)
    spoil(data / "store.json")
    before = sessions(data)
    reader = await open_engine(read_only=True, io=RefusesWriting())
    assert "could not be settled" in reader.keeping.read_only
    await reader.close()
    assert sessions(data) == before
    engine = await open_engine()
    assert [one.run_id for one in (await engine.recovery.owed()).runs] == [run]


def test_a_damage_of_what_all_runs_share_is_held_against_no_run(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REC3: its session stays until the run is settled, whichever shared file it was."""
    run = done_and_cut_off(data, tmp_path, untouched)
    before = sessions(data)
    store = Store.open(data)

    def damaged(_: Store) -> int:
        raise StoreDamaged(str(data / "store.json"), "it is damaged again")

    left = LeftAlone()
    try:
        with monkeypatch.context() as patch:
            patch.setattr(Store, "next_end_seq", damaged)
            settle_dead_sessions(store, now, left)
        assert list(left.told) == [f"run {run}"]
        assert sessions(data) == before
        assert settle_dead_sessions(store, now, left) == (run,)
        assert sessions(data) == []
    finally:
        store.close()


def test_a_number_is_given_though_the_store_file_was_lost_since_it_was_opened(tmp_path: Path) -> None:
    """Ruling 7: a window that is open meets it as well; numbers rise."""
    store = Store.open(tmp_path / "data")
    try:
        first = [store.next_launch_seq(), store.next_end_seq()]
        flip(tmp_path / "data" / "store.json")
        again = [store.next_launch_seq(), store.next_end_seq()]
    finally:
        store.close()
    assert min(again) >= 1
    assert first == [1, 1]
    assert stat.S_ISREG((tmp_path / "data" / "store.json").stat().st_mode)
