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
from quarterdeck.store.data_folder import Store, default_folder
from quarterdeck.store.errors import ObjectDamaged, ObjectMissing, StoreDamaged, StoreDown, StoreTooNew
from quarterdeck.store.lines import frame
from tests.store.builders import run_id
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


def test_a_newer_store_is_refused_in_words_and_left_as_it_is(store: Store) -> None:
    """JNL9."""
    path = store.folder / "store.json"
    path.write_bytes(frame({"schema": 2, "tenant": "t", "new": 1}))
    before = {p: p.read_bytes() for p in store.folder.rglob("*") if p.is_file()}
    for create in (True, False):
        with pytest.raises(StoreTooNew, match="newer Quarterdeck") as told:
            Store.open(store.folder, create=create)
        assert "nothing was changed" in str(told.value)
    assert {p: p.read_bytes() for p in store.folder.rglob("*") if p.is_file()} == before


@pytest.mark.parametrize(
    "content", [b"", b"{}", b'{"schema":1', frame({"schema": 1}), frame({"schema": "1", "tenant": 2})]
)
def test_a_damaged_store_file_is_told_and_never_replaced(store: Store, content: bytes) -> None:
    """Cases 101 and 103."""
    (store.folder / "store.json").write_bytes(content)
    with pytest.raises(StoreDamaged):
        Store.open(store.folder)
    assert (store.folder / "store.json").read_bytes() == content


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
