"""Journals: what is acknowledged is there, what is torn is cut, what is damaged is told (JNL2, JNL6, JNL7)."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from quarterdeck.domain.events import AttemptEnded, BudgetWarned, Entry, SlotFailed
from quarterdeck.domain.figures import FiguresTotals, ModelSpend, TokenCounts
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.states import AttemptStatus, EndReason, Evidence, Hold, LeaseStatus, SlotState
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import InvalidEvent, StoreDamaged, StoreDown, StoreTooNew, UnknownRun
from quarterdeck.store.lines import frame
from tests.store import naive
from tests.store.builders import AT, event, header, messages, new_run, run_id
from tests.store.faulty_io import FaultyIO, ShortIO

MakeStore = Callable[..., Store]


def ended() -> AttemptEnded:
    spend = ModelSpend("m-1", Decimal("0.1000000000000000055"), TokenCounts(1, 2, 3, 4))
    return AttemptEnded(
        slot_id=SlotId("lint"),
        attempt_id=AttemptId("a-1"),
        epoch=3,
        status=AttemptStatus.FAILED,
        lease=LeaseStatus.RELEASED,
        reason=EndReason.EXIT,
        message="exit 1\n\u2028 <b>",
        upto=2**40,
        evidence=Evidence.EXIT_FILE,
        next_state=SlotState.RETRY_WAIT,
        figures=FiguresTotals(7, TokenCounts(1, 2, 3, 4), Decimal("1E-9"), True, "mixed", (spend,)),
        hold=Hold.PERSON,
        exit_code=1,
    )


def test_every_entry_comes_back_as_it_was_given(store: Store) -> None:
    journal = new_run(store)
    given = [event("one"), ended(), BudgetWarned("run", Decimal("0.1"), Decimal("1E+2"))]
    entries = [
        journal.append(e, replace(AT, boot_ms=n), sync=n % 2 == 0).result(20) for n, e in enumerate(given)
    ]
    journal.close()
    read = store.runs.read(run_id())
    assert read.is_whole
    assert [e.event for e in read.entries] == [header().event, *given]
    assert list(read.entries[1:]) == entries
    assert [e.seq for e in read.entries] == [1, 2, 3, 4]


def test_the_layout_is_as_documented_and_money_is_plain_text(store: Store) -> None:
    journal = new_run(store)
    journal.append(ended(), AT, sync=True).result(20)
    journal.close()
    line = json.loads((store.runs.folder(run_id()) / "journal.jsonl").read_text("utf-8").split("\n")[1])
    assert list(line)[:5] == ["seq", "kind", "boot", "boot_ms", "wall_ms"]
    assert list(line)[-1] == "crc"
    assert line["kind"] == "attempt_ended"
    assert line["figures"]["cost_usd"] == "0.000000001"
    assert line["figures"]["by_model"][0]["cost_usd"] == "0.1000000000000000055"


def test_an_event_of_wrong_types_is_refused_before_anything_is_written(store: Store) -> None:
    journal = new_run(store)
    for wrong in (
        SlotFailed(slot_id=7),
        BudgetWarned("run", 0.1, Decimal(1)),
        replace(ended(), status="odd"),
    ):  # type: ignore[arg-type]
        with pytest.raises(InvalidEvent):
            journal.append(wrong, AT, sync=True)
    journal.close()
    assert len(store.runs.read(run_id()).entries) == 1


def test_text_of_foreign_programs_that_is_no_utf8_does_not_stop_the_journal(store: Store) -> None:
    journal = new_run(store)
    assert journal.append(event("bad \udcff name"), AT, sync=True).result(20).event == event(
        "bad \\udcff name"
    )
    journal.close()
    assert messages(store) == ["bad \\udcff name"]


def test_a_run_is_made_once_and_an_unknown_one_is_named(store: Store) -> None:
    new_run(store).close()
    with pytest.raises(StoreDamaged, match="exists already"):
        new_run(store)
    with pytest.raises(UnknownRun):
        store.runs.read(run_id(2))
    with pytest.raises(UnknownRun):
        store.runs.open(run_id(2))
    with pytest.raises(ValueError, match="no run id"):
        store.runs.folder("../x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "tail", [b'{"seq":3,"kind":"slot_fa', b'{"seq":3,"x":"\xc3', b"\0" * 4096, b'{"seq"' + b"\0" * 9]
)
def test_a_torn_tail_is_cut_before_the_next_append(store: Store, tail: bytes) -> None:
    """JNL6, case 104."""
    journal = new_run(store)
    journal.append(event("kept"), AT, sync=True).result(20)
    journal.close()
    path = store.runs.folder(run_id()) / "journal.jsonl"
    with path.open("ab") as file:
        file.write(tail)
    assert store.runs.read(run_id()).torn_bytes == len(tail)
    journal = store.runs.open(run_id())
    assert journal.append(event("next"), AT, sync=True).result(20).seq == 3
    journal.close()
    assert messages(store) == ["kept", "next"]
    assert store.runs.read(run_id()).is_whole
    assert [o["seq"] for o in naive.journal_of(path.parent)] == [1, 2, 3]


def test_a_valid_last_line_without_newline_is_kept(store: Store) -> None:
    journal = new_run(store)
    journal.append(event("kept"), AT, sync=True).result(20)
    journal.close()
    path = store.runs.folder(run_id()) / "journal.jsonl"
    os.truncate(path, path.stat().st_size - 1)
    assert messages(store) == ["kept"]
    journal = store.runs.open(run_id())
    journal.append(event("next"), AT, sync=True).result(20)
    journal.close()
    assert messages(store) == ["kept", "next"]
    assert path.read_bytes().count(b"\n") == 3


def test_damage_before_the_tail_is_told_and_kept_as_it_was_found(store: Store) -> None:
    """JNL6: quarantined: the good entries go on in a new segment."""
    journal = new_run(store)
    for text in ("one", "two", "three"):
        journal.append(event(text), AT, sync=True).result(20)
    journal.close()
    path = store.runs.folder(run_id()) / "journal.jsonl"
    damaged = path.read_bytes().replace(b'"two"', b'"tWo"')
    path.write_bytes(damaged)
    read = store.runs.read(run_id())
    assert len(read.entries) == 2
    assert len(read.damage) == 1
    assert "checksum" in read.damage[0].reason
    journal = store.runs.open(run_id())
    journal.append(event("next"), AT, sync=True).result(20)
    journal.close()
    assert messages(store) == ["one", "next"]
    assert path.read_bytes() == damaged


def test_a_newer_kind_or_schema_is_told_in_words_and_not_written_to(store: Store) -> None:
    """JNL9 in part: bytes unchanged."""
    new_run(store).close()
    path = store.runs.folder(run_id()) / "journal.jsonl"
    with path.open("ab") as file:
        file.write(frame({"seq": 2, "kind": "moon_landed", "boot": "b", "boot_ms": 1, "wall_ms": 1}))
    content = path.read_bytes()
    read = store.runs.read(run_id())
    assert len(read.entries) == 1
    assert read.unknown is not None
    assert read.unknown.newer
    assert "moon_landed" in read.unknown.reason
    with pytest.raises(StoreTooNew, match="newer Quarterdeck"):
        store.runs.open(run_id())
    assert path.read_bytes() == content


def test_unknown_fields_survive_when_a_journal_is_carried_on(make_store: MakeStore) -> None:
    io = FaultyIO(None, operations=frozenset({"fdatasync"}))
    store = make_store(io)
    new_run(store).close()
    path = store.runs.folder(run_id()) / "journal.jsonl"
    line = {
        "seq": 2,
        "kind": "slot_failed",
        "boot": "b",
        "boot_ms": 1,
        "wall_ms": 1,
        "slot_id": "x",
        "extra": [1],
    }
    with path.open("ab") as file:
        file.write(frame(line))
    journal = store.runs.open(run_id())
    io.arm(1)
    with pytest.raises(StoreDown):
        journal.append(event("lost"), AT, sync=True).result(20)
    journal.append(event("kept"), AT, sync=True).result(20)
    journal.close()
    found = naive.journal_of(path.parent)
    assert found[1] == line
    assert found[2]["message"] == "kept"


def test_after_a_failed_sync_the_segment_is_dead_and_a_new_one_holds_what_was_acknowledged(
    make_store: MakeStore,
) -> None:
    """JNL7: never retried as if nothing happened."""
    io = FaultyIO(None, operations=frozenset({"fdatasync"}))
    store = make_store(io)
    journal = new_run(store)
    journal.append(event("one"), AT, sync=True).result(20)
    journal.append(event("written"), AT, sync=False).result(20)
    io.arm(1, times=1)
    with pytest.raises(StoreDown) as told:
        journal.append(event("refused"), AT, sync=True).result(20)
    assert told.value.errno == errno.EIO
    assert told.value.path.endswith("journal.jsonl")
    dead = (store.runs.folder(run_id()) / "journal.jsonl").read_bytes()
    assert journal.append(event("two"), AT, sync=True).result(20).seq == 4
    assert journal.append(event("three"), AT, sync=True).result(20).seq == 5
    journal.close()
    assert messages(store) == ["one", "written", "two", "three"]
    assert store.runs.read(run_id()).segment == 2
    assert (store.runs.folder(run_id()) / "journal.jsonl").read_bytes() == dead


def test_while_no_new_segment_holds_every_append_is_refused(make_store: MakeStore) -> None:
    """JNL7: meanwhile no claim is possible, and it resumes by itself."""
    io = FaultyIO()
    store = make_store(io)
    journal = new_run(store)
    journal.append(event("one"), AT, sync=True).result(20)
    io.arm(2, errno.EIO, times=None)
    for n in range(5):
        with pytest.raises(StoreDown):
            journal.append(event(f"refused {n}"), AT, sync=True).result(20)
    io.heal()
    journal.append(event("two"), AT, sync=True).result(20)
    journal.close()
    assert messages(store) == ["one", "two"]


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("sync", [False, True])
def test_wherever_a_new_segment_fails_nothing_of_the_refused_append_is_visible(
    make_store: MakeStore, torn: bool, sync: bool
) -> None:
    """JNL2, JNL7: also where the new segment stands in its folder already and only the folder's sync failed."""
    failures = 0
    for at in range(1, 100):
        io = FaultyIO(torn=torn)
        store = make_store(io, f"data-{at}")
        journal = new_run(store)
        journal.append(event("one"), AT, sync=True).result(20)
        io.arm(2)  # the append's own sync: the segment is dead
        with pytest.raises(StoreDown):
            journal.append(event("dead"), AT, sync=True).result(20)
        io.arm(at)
        try:
            journal.append(event("two"), AT, sync=sync).result(20)
        except StoreDown:
            failures += 1
            assert messages(store) == ["one"], at
            io.heal()
            journal.append(event("two"), AT, sync=sync).result(20)
        done = not io.failed or io.count < at
        io.heal()
        assert messages(store) == ["one", "two"]
        journal.close()
        assert naive.journal_of(store.runs.folder(run_id()))[-1]["message"] == "two"
        if done:
            break
    assert failures >= 7


def test_a_segment_that_dies_in_a_window_is_replaced_without_being_asked(make_store: MakeStore) -> None:
    """JNL8: recording resumes by itself; what was written before the failure is durable in the new segment."""
    io = FaultyIO(None, operations=frozenset({"fdatasync"}))
    store = make_store(io)
    journal = new_run(store)
    io.arm(1)
    journal.append(event("written"), AT, sync=False).result(20)
    store.writer.close()  # the failing sync of the window happens at the latest here
    assert io.failed == 1
    second = Store.open(store.folder)
    assert [o.get("message") for o in naive.journal_of(second.runs.folder(run_id()))][1:] == ["written"]


def test_a_full_disk_leaves_nothing_half_visible_and_recording_resumes(make_store: MakeStore) -> None:
    """JNL8, case 104: the torn part is cut at once, or before the next append where the cut fails too."""
    for torn_cut_fails in (False, True):
        io = FaultyIO(None, operations=frozenset({"write", "truncate"}), torn=True)
        store = make_store(io, f"data-{torn_cut_fails}")
        journal = new_run(store)
        io.arm(1, errno.ENOSPC, times=2 if torn_cut_fails else 1)
        with pytest.raises(StoreDown) as told:
            journal.append(event("does not fit"), AT, sync=True).result(20)
        assert told.value.errno == errno.ENOSPC
        if not torn_cut_fails:
            assert store.runs.read(run_id()).is_whole
        journal.append(event("fits"), AT, sync=True).result(20)
        journal.close()
        assert messages(store) == ["fits"]
        assert store.runs.read(run_id()).segment == 1


def test_short_writes_lose_nothing(make_store: MakeStore) -> None:
    store = make_store(ShortIO())
    journal = new_run(store)
    for n in range(10):
        journal.append(event(str(n)), AT, sync=False).result(20)
    journal.close()
    assert messages(store) == [str(n) for n in range(10)]


def test_appends_from_many_threads_have_no_gap_and_keep_each_threads_order(store: Store) -> None:
    from concurrent.futures import ThreadPoolExecutor

    journal = new_run(store)

    def work(worker: int) -> list[Entry]:
        return [journal.append(event(f"{worker}/{n}"), AT, sync=n % 3 == 0).result(20) for n in range(40)]

    with ThreadPoolExecutor(6) as pool:
        entries = [e for part in pool.map(work, range(6)) for e in part]
    journal.close()
    read = store.runs.read(run_id()).entries
    assert [e.seq for e in read] == list(range(1, 242))
    assert sorted(entries, key=lambda e: e.seq) == list(read[1:])
    for worker in range(6):
        own = [m for m in messages(store) if m.startswith(f"{worker}/")]
        assert own == [f"{worker}/{n}" for n in range(40)]


def test_the_owner_of_a_run_is_one(make_store: MakeStore) -> None:
    """JNL10: one owner per run."""
    one, two = make_store(), make_store()
    new_run(one).close()
    assert not two.runs.is_owned(run_id())
    lock = one.runs.own(run_id())
    assert lock is not None
    assert two.runs.is_owned(run_id())
    assert two.runs.own(run_id()) is None
    lock.release()
    second = two.runs.own(run_id())
    assert second is not None
    second.release()


def test_a_closed_journal_takes_nothing(store: Store) -> None:
    journal = new_run(store)
    journal.close()
    journal.close()
    with pytest.raises(RuntimeError, match="closed"):
        journal.append(event("late"), AT, sync=True)
