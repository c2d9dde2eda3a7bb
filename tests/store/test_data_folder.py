"""Opening the data folder, its counters, objects and ledger."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.ids import Revision
from quarterdeck.store import data_folder, store_file
from quarterdeck.store.data_folder import Store, default_folder
from quarterdeck.store.errors import ObjectDamaged, ObjectMissing, StoreDown
from quarterdeck.store.lines import frame
from quarterdeck.store.sessions import SessionIdentity
from tests.store.builders import finish_run, header, run_id
from tests.store.faulty_io import FaultyIO

MakeStore = Callable[..., Store]
ROOT = Path(__file__).parents[2]


def in_processes(count: int, body: str, *arguments: str) -> list[str]:
    """Runs `body` in `count` processes at once, each with `Store` at hand; what they printed."""
    program = "import sys\nfrom pathlib import Path\nfrom quarterdeck.store.data_folder import Store\n" + body
    environment = os.environ | {"PYTHONPATH": str(ROOT / "app")}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program, *arguments], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(count)
    ]
    said = [process.communicate(timeout=60)[0] for process in started]
    assert [process.returncode for process in started] == [0] * count
    return said


def test_the_folder_is_private_and_chosen_by_the_environment(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in [store.folder, *(p for p in store.folder.rglob("*") if p.is_dir())]:
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    for path in (p for p in store.folder.rglob("*") if p.is_file()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    monkeypatch.setenv("QUARTERDECK_DATA_DIR", "/somewhere")
    assert default_folder() == Path("/somewhere")
    monkeypatch.delenv("QUARTERDECK_DATA_DIR")
    assert default_folder().name == "quarterdeck"


def test_the_tenant_is_minted_once_however_many_open_at_a_time(tmp_path: Path) -> None:
    said = in_processes(4, "print(Store.open(Path(sys.argv[1])).tenant)", str(tmp_path / "deep" / "data"))
    assert len(set(said)) == 1
    assert len(said[0]) > 30


def test_counters_of_eight_processes_never_give_one_number_twice(tmp_path: Path) -> None:
    """ID2, ruling 7: and they have no gap where nobody dies."""
    body = (
        "s = Store.open(Path(sys.argv[1]))\nfor _ in range(15): print(s.next_launch_seq(), s.next_end_seq())"
    )
    said = "".join(in_processes(8, body, str(tmp_path / "data"))).split()
    assert sorted(map(int, said[0::2])) == list(range(1, 121))
    assert sorted(map(int, said[1::2])) == list(range(1, 121))


def test_looking_at_an_empty_machine_makes_nothing(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "none", create=False)
    assert store.tenant == ""
    assert store.runs.ids() == ()
    assert store.index.load() == {}
    assert store.sessions.dead() == ()
    assert store.ledger.load() == ()
    assert not (tmp_path / "none").exists()
    with pytest.raises(StoreDown):
        store.next_launch_seq()
    store.close()


def test_a_newer_store_opens_for_reading_alone_and_says_so(store: Store) -> None:
    """JNL9, case 106."""
    finish_run(store, 1)
    path = store.folder / "store.json"
    path.write_bytes(frame({"schema": 2, "tenant": "t", "new": 1}))
    before = {p: p.read_bytes() for p in store.folder.rglob("*") if p.is_file()}
    for create in (True, False):
        newer = Store.open(store.folder, create=create)
        assert newer.tenant == "t"
        assert "newer Quarterdeck" in newer.newer
        assert "nothing was changed" in newer.newer
        assert list(newer.index.load()) == [run_id(1)]

        for write in (
            newer.next_launch_seq,
            lambda store=newer: store.objects.put(b"x"),
            lambda store=newer: store.sessions.begin(SessionIdentity.of_this_process("terminal")),
            lambda store=newer: store.runs.open(run_id(1)),
            lambda store=newer: store.asides.discard(run_id(1), 1),
        ):
            with pytest.raises(StoreDown) as refused:
                write()
            assert refused.value.errno == errno.EROFS
        newer.close()
    assert {p: p.read_bytes() for p in store.folder.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"schema":1', frame({"schema": 1}), frame({"schema": "1", "tenant": 2})]
)
def test_a_damaged_store_file_is_set_aside_and_made_again_from_the_runs(store: Store, content: bytes) -> None:
    """Cases 101 and 103: nothing is lost, and no number is given twice."""
    for number in (1, 7):
        store.runs.create(run_id(number), header(number, tenant=store.tenant)).close()
    store.ledger.append([{"kind": "discard", "run": "r-x", "summary": {"launch_seq": 9, "end_seq": 4}}])
    path = store.folder / "store.json"
    path.write_bytes(content)
    looking = Store.open(store.folder, create=False)
    assert looking.tenant == store.tenant
    assert path.read_bytes() == content, "who looks writes nothing"
    again = Store.open(store.folder)
    assert again.tenant == store.tenant
    assert again.runs.ids() == (run_id(1), run_id(7))
    assert again.next_launch_seq() > 9
    assert again.next_end_seq() > 4
    (kept,) = again.quarantine.files()
    assert kept.name.startswith("store.json.")
    assert kept.read_bytes() == content
    path.write_bytes(b"")
    Store.open(store.folder).close()
    assert len(again.quarantine.files()) == 2, "the first one is not overwritten"
    for opened in (looking, again):
        opened.close()


def test_a_missing_file_of_the_store_is_told_where_there_are_runs(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Cases 101, 103: what is made again is said, and nothing is said of a store that is new."""
    Store.open(tmp_path / "new").close()
    assert caplog.text == ""
    finish_run(store, 3)
    (store.folder / "store.json").unlink()
    Store.open(store.folder).close()
    assert "was missing and was made again" in caplog.text


def test_a_text_that_looks_like_a_number_of_ours_is_none(store: Store) -> None:
    finish_run(store, 3)
    store.ledger.append([{"kind": "x", "run": 'a"launch_seq":999999999', "t": '"end_seq":999999999'}])
    (store.folder / "store.json").unlink()
    again = Store.open(store.folder)
    assert again.next_launch_seq() < 10_000
    assert again.next_end_seq() < 10_000
    again.close()


def test_an_older_store_is_copied_before_it_is_migrated(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JNL9: the migration is pure, unknown fields stay, and the file as it was lies beside."""
    path = store.folder / "store.json"
    fields = {name: value for name, value in json.loads(path.read_bytes()).items() if name != "crc"}
    before = frame(fields | {"mine": 1})
    path.write_bytes(before)
    for module in (store_file, data_folder):
        monkeypatch.setattr(module, "STORE_SCHEMA", 2)
    monkeypatch.setitem(store_file.MIGRATIONS, 1, lambda content: content | {"added": True})
    Store.open(store.folder).close()
    found = json.loads(path.read_bytes())
    assert (found["schema"], found["added"], found["mine"]) == (2, True, 1)
    assert (store.folder / "store.json.schema-1").read_bytes() == before


def test_unknown_fields_of_the_store_file_survive(store: Store) -> None:
    path = store.folder / "store.json"
    fields = json.loads(path.read_bytes())
    del fields["crc"]
    path.write_bytes(frame(fields | {"extra": {"a": 1}}))
    assert store.next_launch_seq() == 1
    assert json.loads(path.read_bytes())["extra"] == {"a": 1}


@pytest.mark.parametrize("error", [errno.EROFS, errno.ENOSPC])
def test_a_disk_that_refuses_is_told_with_number_and_path(make_store: MakeStore, error: int) -> None:
    make_store()
    store = make_store(FaultyIO(1, error, times=None))
    for write in (
        store.next_launch_seq,
        lambda: store.objects.put(b"x"),
        lambda: store.ledger.append([{"a": 1}]),
    ):
        with pytest.raises(StoreDown) as told:
            write()
        assert told.value.errno == error
        assert str(store.folder) in told.value.path
        assert os.strerror(error) in str(told.value)


# ---------------------------------------------------------------------------- objects


def test_an_object_is_kept_once_and_comes_back(store: Store) -> None:
    revision = store.objects.put(b"content")
    path = store.folder / "objects" / revision
    before = path.stat()
    assert store.objects.put(b"content") == revision
    assert path.stat().st_ino == before.st_ino
    assert store.objects.get(revision) == b"content"


def test_a_missing_or_damaged_object_is_told_apart_and_putting_it_again_heals(store: Store) -> None:
    revision = store.objects.put(b"content")
    path = store.folder / "objects" / revision
    path.write_bytes(b"c0ntent")
    with pytest.raises(ObjectDamaged):
        store.objects.get(revision)
    assert store.objects.put(b"content") == revision
    assert store.objects.get(revision) == b"content"
    path.unlink()
    with pytest.raises(ObjectMissing):
        store.objects.get(revision)
    with pytest.raises(ObjectMissing):
        store.objects.get(Revision("../store.json"))


# ---------------------------------------------------------------------------- ledger


def spend(attempt: str, upto: int, cost: str = "0.02") -> dict[str, object]:
    return {
        "kind": "spend",
        "run": run_id(),
        "attempt": attempt,
        "model": "m",
        "hour": "h",
        "upto": upto,
        "cost_usd": cost,
    }


def test_settling_twice_adds_nothing(store: Store) -> None:
    """Ruling 15."""
    lines = [spend("a", 3), spend("b", 9), spend("a", 5)]
    store.ledger.append(lines)
    store.ledger.append(lines)
    store.ledger.append([spend("b", 9), {"kind": "discard", "run": run_id()}])
    assert store.ledger.load() == (*lines, {"kind": "discard", "run": run_id()})


def test_the_ledger_cuts_its_torn_tail_and_damage_costs_one_line_and_is_told(store: Store) -> None:
    store.ledger.append([spend("a", 1), spend("b", 1)])
    path = store.folder / "ledger.jsonl"
    with path.open("ab") as file:
        file.write(b'{"kind":"spe')
    store.ledger.append([spend("c", 1)])
    assert [line["attempt"] for line in store.ledger.load()] == ["a", "b", "c"]
    assert store.ledger.damage() == ()
    path.write_bytes(path.read_bytes().replace(b'"b"', b'"x"'))
    assert [line["attempt"] for line in store.ledger.load()] == ["a", "c"]
    assert len(store.ledger.damage()) == 1


def test_a_ledger_line_whose_newline_alone_is_missing_is_kept(store: Store) -> None:
    store.ledger.append([spend("a", 1)])
    path = store.folder / "ledger.jsonl"
    os.truncate(path, path.stat().st_size - 1)
    store.ledger.append([spend("b", 1)])
    assert [line["attempt"] for line in store.ledger.load()] == ["a", "b"]


@pytest.mark.parametrize("torn", [True, False])
def test_a_full_disk_leaves_no_part_of_a_ledger_line(make_store: MakeStore, torn: bool) -> None:
    io = FaultyIO(None, operations=frozenset({"write", "fdatasync"}), torn=torn)
    store = make_store(io)
    store.ledger.append([spend("a", 1)])
    content = (store.folder / "ledger.jsonl").read_bytes()
    for at in (1, 2):
        io.arm(at, errno.ENOSPC)
        with pytest.raises(StoreDown):
            store.ledger.append([spend("b", 1)])
        assert (store.folder / "ledger.jsonl").read_bytes() == content


def test_lines_of_many_processes_are_all_there(tmp_path: Path) -> None:
    body = (
        "import os\ns = Store.open(Path(sys.argv[1]))\n"
        "for n in range(20): s.ledger.append([{'kind': 'spend', 'attempt': str(os.getpid()), 'upto': n}])"
    )
    in_processes(4, body, str(tmp_path / "data"))
    store = Store.open(tmp_path / "data")
    assert len(store.ledger.load()) == 80
    assert store.ledger.damage() == ()
