"""One bad file never hides the rest (cases 35, 101, 103, 106, JNL9), and a data folder that cannot be trusted is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.bounding import tend
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.service import Engine
from quarterdeck.store.lines import frame
from quarterdeck.store.machine import now
from quarterdeck.store.network_folder import NETWORK_SYSTEMS, network_system
from quarterdeck.store.sessions import SessionIdentity
from tests.engine.kept import content_of, end_run, limits, open_with_list
from tests.engine.works import shell, write
from tests.store.builders import run_id

FILES = ("index.jsonl", "ledger.jsonl", "store.json", "kept.json", "sessions/s-1.json")
RUN_FILES = ("journal.jsonl", "record.json")


def zero(path: Path) -> None:
    path.write_bytes(b"")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0x10
    path.write_bytes(bytes(content))


def nuls(path: Path) -> None:
    path.write_bytes(b"\0" * path.stat().st_size)


def rubbish(path: Path) -> None:
    path.write_bytes(b"\xff\xfe not ours\n{}\n[1,2]\n")


BREAKS: list[Callable[[Path], None]] = [zero, flip, nuls, rubbish]


def made(folder: Path) -> None:
    store = open_with_list(folder)
    for number in (1, 2, 3):
        end_run(store, number)
    store.index.load()
    store.ledger.append([{"kind": "x", "run": str(number)} for number in range(9)])
    session = store.sessions.begin(SessionIdentity.of_this_process("terminal", "s-1"))  # type: ignore[arg-type]
    tend(store, limits(), now())
    session._lock.release()  # as by the end of its process
    store.close()


@pytest.mark.parametrize("name", [*FILES, *(f"runs/{run_id(2)}/{one}" for one in RUN_FILES)])
@pytest.mark.parametrize("spoil", BREAKS)
async def test_whatever_is_damaged_the_other_runs_are_listed_and_nothing_is_overwritten(
    spoil: Callable[[Path], None], name: str, tmp_path: Path
) -> None:
    """Cases 35, 101, 103."""
    data = tmp_path / "data"
    made(data)
    spoil(data / name)
    left = (data / name).read_bytes()
    for kind in (True, False, True):
        engine = await Engine.open(data, read_only=kind)
        assert {line.run_id for line in engine.runs()} == {run_id(number) for number in (1, 2, 3)}
        await engine.keeping.unreadable()
        await engine.close()
    store = open_with_list(data)
    store.index.load()
    tend(store, limits(), now())
    if name != "kept.json" and spoil in (
        flip,
        rubbish,
    ):  # a cut at the end is no damage, and `kept.json` is a guess
        kept = [path.read_bytes() for path in store.quarantine.files()]
        assert left in kept or (data / name).read_bytes() == left, "what it held is gone"
    store.close()


async def test_a_damaged_record_is_named_set_aside_and_made_again(tmp_path: Path) -> None:
    """Ruling 15: the journal is the truth."""
    data = tmp_path / "data"
    made(data)
    path = data / "runs" / run_id(2) / "record.json"
    good = path.read_bytes()
    flip(path)
    bad = path.read_bytes()
    engine = await Engine.open(data, read_only=True)
    (told,) = await engine.keeping.unreadable()
    assert told.run == run_id(2)
    assert str(path) in told.why
    assert path.read_bytes() == bad, "who looks changes nothing"
    await engine.close()
    store = open_with_list(data)
    store.index.load()
    tend(store, limits(), now())
    assert path.read_bytes() == good
    assert [kept.read_bytes() for kept in store.quarantine.files()] == [bad]
    store.close()
    engine = await Engine.open(data, read_only=True)
    (told,) = await engine.keeping.unreadable()
    assert "set aside" in told.why
    await engine.close()


async def test_a_ledger_with_a_damaged_line_keeps_the_others(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = open_with_list(data)
    store.ledger.append([{"kind": "x", "run": str(number)} for number in range(9)])
    flip(data / "ledger.jsonl")
    before = (data / "ledger.jsonl").read_bytes()
    lines = store.ledger.load()
    assert len(lines) == 8
    tend(store, limits(), now())
    assert store.ledger.load() == lines
    assert store.ledger.damage() == ()
    assert [path.read_bytes() for path in store.quarantine.files()] == [before]
    store.close()


async def test_a_run_of_a_newer_version_is_named_and_only_read(tmp_path: Path) -> None:
    """JNL9, case 106: its journal has an entry that this version does not know."""
    data = tmp_path / "data"
    made(data)
    path = data / "runs" / run_id(2) / "journal.jsonl"
    with open(path, "ab") as file:
        file.write(frame({"seq": 3, "at": ["b", 1, 1], "kind": "run_dreamt", "schema": 9}))
    before = content_of(data / "runs" / run_id(2))
    engine = await Engine.open(data)
    (told,) = [one for one in await engine.keeping.unreadable() if one.run]
    assert told.run == run_id(2)
    assert "newer Quarterdeck" in told.why
    refused = await engine.keeping.discard(run_id(2))
    assert isinstance(refused, Refusal)
    assert "newer Quarterdeck" in refused.message
    await engine.close()
    assert content_of(data / "runs" / run_id(2)) == before


async def test_a_newer_store_is_opened_for_reading_and_everything_else_is_refused_in_its_sentence(
    tmp_path: Path,
) -> None:
    """JNL9."""
    data = tmp_path / "data"
    made(data)
    (data / "store.json").write_bytes(frame({"schema": 2, "tenant": "t-later"}))
    before = content_of(data)
    engine = await Engine.open(data)
    assert len(engine.runs()) == 3
    assert "newer Quarterdeck" in engine.keeping.read_only
    for refused in (
        await engine.launch(LaunchRequest(write(tmp_path / "w", {"a": shell("exit 0")}))),
        await engine.keeping.discard(run_id(1)),
        await engine.keeping.prune(dry_run=False),
        await engine.reassign(run_id(1), "lint", "again"),  # type: ignore[arg-type]
    ):
        assert isinstance(refused, Refusal)
        assert (refused.code, refused.message) == (Code.E_STORE, engine.keeping.read_only)
    await engine.close()
    assert content_of(data) == before


# ------------------------------------------------------------------------------------------- network folders

MOUNTS = """\
22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 22 0:40 / /mnt/share\\040one rw,relatime shared:5 - nfs4 host:/x rw,vers=4.2
31 22 0:41 / /mnt/ssh rw,nosuid - fuse.sshfs me@host:/ rw
32 31 8:2 / /mnt/ssh/local rw - ext4 /dev/sdb1 rw
33 22 0:42 / /mnt/here rw - fuse.encfs encfs rw
34 22 0:43 / /mnt/sharetoo rw - cifs //host/x rw
"""


@pytest.mark.parametrize(
    ("folder", "system"),
    [
        ("/mnt/share one/data", "nfs4"),
        ("/mnt/share one", "nfs4"),
        ("/mnt/ssh/data", "fuse.sshfs"),
        ("/mnt/ssh/local/data", ""),
        ("/mnt/here/data", ""),
        ("/mnt/sharetoo", "cifs"),
        ("/mnt/share", ""),
        ("/srv/data", ""),
    ],
)
def test_the_file_system_of_a_folder_is_known_by_its_nearest_mount(
    folder: str, system: str, tmp_path: Path
) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(MOUNTS)
    assert network_system(Path(folder), mounts) == system
    assert network_system(Path(folder), tmp_path / "none") == ""
    mounts.write_text("22 1 0:1 / / rw - nfs4 host:/root rw\n")
    assert network_system(Path(folder), mounts) == ""


async def test_a_data_folder_on_a_network_is_refused_unless_it_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quarterdeck.store.network_folder.network_system", lambda place: "nfs4")
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(tmp_path / "config"))
    for read_only in (True, False):
        with pytest.raises(StoreUnusable, match=r"network file system \(nfs4\).*QUARTERDECK_DATA_DIR"):
            await Engine.open(tmp_path / "data", read_only=read_only)
    assert not (tmp_path / "data").exists()
    monkeypatch.setenv("QUARTERDECK_ALLOW_NETWORK_FOLDER", "1")
    await (await Engine.open(tmp_path / "data")).close()
    monkeypatch.delenv("QUARTERDECK_ALLOW_NETWORK_FOLDER")
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("[keeping]\nnetwork_folder = true\n")
    await (await Engine.open(tmp_path / "data")).close()
    assert {"nfs", "nfs4", "cifs", "smb3", "fuse.sshfs"} <= NETWORK_SYSTEMS
