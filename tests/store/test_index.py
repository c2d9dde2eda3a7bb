"""The run list as a cache: always the same visible result, at a cost that does not grow (STO3, STO4, STO10)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import AttemptId
from quarterdeck.store import records
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import RecordDamaged, StoreDown, StoreTooNew
from quarterdeck.store.index import summary_of_record
from quarterdeck.store.lines import frame
from tests.store.builders import AT, event, finish_run, new_run, record, run_id
from tests.store.faulty_io import CountingIO, FaultyIO, UnsyncedIO

MakeStore = Callable[..., Store]
COUNT = 12


@pytest.fixture
def filled(store: Store) -> Store:
    for number in range(1, COUNT + 1):
        finish_run(store, number)
    return store


def expected(numbers: list[int] | range = range(1, COUNT + 1)) -> dict[str, Any]:
    return {run_id(n): summary_of_record(record(n, 2)) for n in numbers}


def forbid_records(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    opened: list[str] = []
    read = records.Records.read

    def watched(self: records.Records, run: Any) -> Any:
        opened.append(run)
        return read(self, run)

    monkeypatch.setattr(records.Records, "read", watched)
    return opened


def test_a_good_index_opens_no_record(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = forbid_records(monkeypatch)
    before = (filled.folder / "index.jsonl").read_bytes()
    assert filled.index.load() == expected()
    assert opened == []
    assert (filled.folder / "index.jsonl").read_bytes() == before


def damage_deleted(path: Path) -> None:
    path.unlink()


def damage_empty(path: Path) -> None:
    path.write_bytes(b"")


def damage_truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size * 2 // 3)


def damage_behind(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))


def damage_ahead(path: Path) -> None:
    line = {"run_id": run_id(99), "stamp": [1, 2, 3, 4, 5, 6], "summary": {"run_id": run_id(99)}}
    with path.open("ab") as file:
        file.write(frame(line))


def damage_newer(path: Path) -> None:
    path.write_bytes(frame({"schema": 2, "kind": "index", "what": ["we", "do", "not", "know"]}))


def damage_flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(bytes(content))


def damage_nuls(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\0" * 500)


def damage_garbage(path: Path) -> None:
    path.write_bytes(b"\x00\xff{}\n[]\n" * 40)


def damage_no_header(path: Path) -> None:
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))


DAMAGES = [value for name, value in sorted(globals().items()) if name.startswith("damage_")]


@pytest.mark.parametrize("damage", DAMAGES)
def test_whatever_happened_to_the_index_the_result_is_the_same(
    filled: Store, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """STO3, and afterwards the cache is good again."""
    damage(filled.folder / "index.jsonl")
    assert filled.index.load() == expected()
    opened = forbid_records(monkeypatch)
    assert filled.index.load() == expected()
    assert opened == []
    finish_run(filled, COUNT + 1)
    assert filled.index.load() == expected(range(1, COUNT + 2))


def test_a_line_whose_files_are_gone_is_not_shown(filled: Store) -> None:
    shutil.rmtree(filled.runs.folder(run_id(3)))
    assert filled.index.load() == expected([n for n in range(1, COUNT + 1) if n != 3])


def test_the_last_line_of_a_run_wins(filled: Store) -> None:
    again = record(2, 9) | {"cost_usd": "7"}
    filled.records.publish(run_id(2), again)
    filled.index.append(again)
    assert filled.index.load()[run_id(2)]["cost_usd"] == "7"


def test_a_record_replaced_behind_the_indexs_back_is_seen(filled: Store) -> None:
    filled.records.publish(run_id(2), record(2, 9) | {"cost_usd": "7"})
    assert filled.index.load()[run_id(2)]["cost_usd"] == "7"
    damage_deleted(filled.folder / "index.jsonl")
    assert filled.index.load()[run_id(2)]["cost_usd"] == "7"


def test_a_record_that_is_behind_its_journal_is_not_used(filled: Store) -> None:
    """Ruling 15: a resumed run goes by its journal."""
    filled.index.summarise_journal = lambda run, read: {"run_id": run, "entries": len(read.entries)}
    journal = filled.runs.open(run_id(4))
    journal.append(event("resumed"), AT, sync=True).result(20)
    journal.close()
    for damage in (None, None, damage_deleted):
        if damage is not None:
            damage(filled.folder / "index.jsonl")
        assert filled.index.load() == expected() | {run_id(4): {"run_id": run_id(4), "entries": 3}}


@pytest.mark.parametrize("segments", [2, 3])
def test_appends_to_a_later_segment_are_seen_as_well(make_store: MakeStore, segments: int) -> None:
    """JNL7, STO3: a run whose journal goes on in another segment after a failed sync is not shown as it was before."""
    io = FaultyIO(None, operations=frozenset({"fdatasync"}))
    store, other = make_store(io), make_store()
    other.index.summarise_journal = lambda run, read: {"run_id": run, "entries": len(read.entries)}
    journal = new_run(store)
    for _ in range(segments - 1):
        io.arm(1)
        with pytest.raises(StoreDown):
            journal.append(event("refused"), AT, sync=True).result(20)
        journal.append(event("kept"), AT, sync=True).result(20)
    made = record(1, segments)
    store.records.publish(run_id(), made)
    store.index.append(made)
    assert other.index.load() == {run_id(): summary_of_record(made)}
    assert store.runs.read(run_id()).segment == segments
    journal.append(event("resumed"), AT, sync=True).result(20)
    assert other.index.load() == {run_id(): {"run_id": run_id(), "entries": segments + 1}}
    journal.close()


def test_a_good_index_costs_a_few_looks_for_each_run(filled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening the list at 10,000 runs: no file of a run is opened, no folder of a run is listed."""
    looks: list[str] = []
    for name in ("stat", "scandir", "listdir"):
        call = getattr(os, name)

        def watched(path: Any, *args: Any, call: Callable[..., Any] = call, **options: Any) -> Any:
            if f"{filled.folder}/runs/" in str(path) or (options.get("dir_fd") and call.__name__ == "stat"):
                looks.append(call.__name__)
            return call(path, *args, **options)

        monkeypatch.setattr(os, name, watched)
    assert filled.index.load() == expected()
    assert set(looks) == {"stat"}
    assert len(looks) <= 3 * COUNT


def test_runs_without_a_record_are_summarised_from_their_journals(filled: Store) -> None:
    filled.index.summarise_journal = lambda run, read: {"run_id": run, "entries": len(read.entries)}
    new_run(filled, 50).close()
    assert filled.index.load()[run_id(50)] == {"run_id": run_id(50), "entries": 1}
    (filled.runs.folder(run_id(1)) / "record.json").write_bytes(b"")  # case 101
    assert filled.index.load()[run_id(1)] == {"run_id": run_id(1), "entries": 2}


def test_foreign_files_and_a_second_copy_of_a_record_change_nothing(filled: Store) -> None:
    runs = filled.folder / "runs"
    (runs / "notes.txt").write_text("mine")
    (runs / "no run").mkdir()
    (runs / run_id(77)).mkdir()
    shutil.copytree(runs / run_id(5), runs / "r-copy")
    filled.index.summarise_journal = lambda run, read: None
    assert filled.index.load() == expected()
    damage_deleted(filled.folder / "index.jsonl")
    assert filled.index.load() == expected()


def test_what_a_runs_end_writes_does_not_grow_with_history(make_store: MakeStore) -> None:
    """STO4, by the bytes that reach the seam."""

    class Weighing(CountingIO, UnsyncedIO):
        written = 0

        def write_some(self, fd: int, view: memoryview) -> int:
            taken = super().write_some(fd, view)
            self.written += taken
            return taken

    io = Weighing()
    store = make_store(io)
    costs = []
    for number in range(1, 301):
        start, operations = io.written, len(io.operations)
        finish_run(store, number)
        costs.append((io.written - start, len(io.operations) - operations))
    assert costs[-1][0] <= 1.1 * costs[9][0]
    assert costs[-1][1] == costs[9][1]


def test_the_index_is_bounded_by_what_is_there(filled: Store) -> None:
    made = record(1, 2)
    for _ in range(1_100):
        filled.index.append(made)
    big = (filled.folder / "index.jsonl").stat().st_size
    assert filled.index.load() == expected()
    assert (filled.folder / "index.jsonl").stat().st_size < big / 20
    assert filled.index.load() == expected()


def test_an_index_that_cannot_be_written_still_gives_its_result(filled: Store, make_store: MakeStore) -> None:
    (filled.folder / "index.jsonl").unlink()
    other = make_store(FaultyIO(1, 30, times=None))
    assert other.index.load() == expected()
    assert not (filled.folder / "index.jsonl").exists()


def test_a_record_is_checked_on_the_way_in_and_out(store: Store) -> None:
    new_run(store).close()
    with pytest.raises(ValueError, match="no record of run"):
        store.records.publish(run_id(), record(2, 1))
    made = record(1, 1) | {"later": {"unknown": [1]}}
    size = store.records.publish(run_id(), made)
    path = store.runs.folder(run_id()) / "record.json"
    assert path.stat().st_size == size
    assert store.records.read(run_id()) == {"schema": 1} | made
    path.write_bytes(path.read_bytes().replace(b'"W"', b'"V"'))
    with pytest.raises(RecordDamaged):
        store.records.read(run_id())
    path.write_bytes(frame({"schema": 2} | made))
    with pytest.raises(StoreTooNew):
        store.records.read(run_id())
    assert store.records.read(run_id(2)) is None


def test_running_leaves_project_and_settings_as_they_were(store: Store, tmp_path: Path) -> None:
    """STO1, STO2 at the level of the store: it writes below its own folder only."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "a.workflow.json").write_text("{}")
    before = {p: p.stat() for p in tmp_path.rglob("*") if store.folder not in [p, *p.parents]}
    for number in range(1, 101):
        finish_run(store, number)
    after = {p: p.stat() for p in tmp_path.rglob("*") if store.folder not in [p, *p.parents]}
    assert {p: (s.st_mtime_ns, s.st_size) for p, s in before.items()} == {
        p: (s.st_mtime_ns, s.st_size) for p, s in after.items()
    }


def test_what_agents_say_is_kept_exactly_in_records_and_reports(store: Store) -> None:
    """Integers beyond 64 bits, half surrogate pairs and long fractions go through unchanged."""
    odd = {
        "big": 2**70 + 1,
        "half": "a\ud83d",
        "text": "\u2028\x00",
        "fraction": 0.1 + 0.2,
        "deep": [[[[{}]]]],
    }
    new_run(store).close()
    made = record(1, 1) | {"slots": [{"output": odd}], "workflow_name": "half \ud83d"}
    store.records.publish(run_id(), made)
    assert store.records.read(run_id()) == {"schema": 1} | made
    store.index.append(made)
    assert store.index.load() == {run_id(): summary_of_record(made)}
    attempt = store.attempts.create(run_id(), AttemptId("a-1"), {"schema": 1, "prompt": "half \ud83d"})
    assert store.attempts.launch(run_id(), AttemptId("a-1")) == {"schema": 1, "prompt": "half \ud83d"}
    reports = [{"seq": 1, "kind": "turn"}, {"seq": 2, "kind": "output", "value": odd}]
    attempt.reports_path.write_bytes(b"".join(map(frame, reports)))
    assert list(store.attempts.reports(run_id(), AttemptId("a-1")).objects) == reports
