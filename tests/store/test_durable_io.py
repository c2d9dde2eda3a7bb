"""The seam, and publishing a file whole (STO10)."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from quarterdeck.store.durable_io import DurableIO, make_folder, replace_file, sweep_temps
from tests.store.faulty_io import CountingIO, FaultyIO, ShortIO


def visible(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if not p.name.startswith(".")}


def test_a_published_file_is_whole_private_and_the_only_one(tmp_path: Path) -> None:
    io = CountingIO()
    replace_file(io, tmp_path / "f", b"content")
    assert io.operations == ["open", "write", "fsync", "replace", "fsync_folder"]
    assert [p.name for p in tmp_path.iterdir()] == ["f"]
    assert stat.S_IMODE((tmp_path / "f").stat().st_mode) == 0o600


def test_at_every_operation_the_old_or_the_new_content_is_visible_and_whole(tmp_path: Path) -> None:
    """STO9, STO10: the folder is listed ahead of each operation."""
    path = tmp_path / "f"
    path.write_bytes(b"old")
    seen: list[dict[str, bytes]] = []
    replace_file(CountingIO(lambda *_: seen.append(visible(tmp_path))), path, b"new" * 1000)
    assert len(seen) == 5
    assert [look["f"] for look in seen] == [b"old"] * 4 + [b"new" * 1000]
    assert all(set(look) == {"f"} for look in seen)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("torn", [False, True])
def test_a_fault_at_any_operation_leaves_one_whole_file_and_no_rest(
    tmp_path: Path, error: int, torn: bool
) -> None:
    path = tmp_path / "f"
    for at in range(1, 6):
        path.write_bytes(b"old")
        with pytest.raises(OSError, match=os.strerror(error)):
            replace_file(FaultyIO(at, error, torn=torn), path, b"new content")
        assert visible(tmp_path) == {"f": b"new content" if at == 5 else b"old"}
        assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_short_writes_lose_nothing(tmp_path: Path) -> None:
    replace_file(ShortIO(3), tmp_path / "f", bytes(range(256)))
    assert (tmp_path / "f").read_bytes() == bytes(range(256))


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError) as told:
        DurableIO().open(tmp_path / "link", os.O_WRONLY)
    assert told.value.errno == errno.ELOOP
    replace_file(DurableIO(), tmp_path / "link", b"new")
    assert (tmp_path / "elsewhere").read_bytes() == b"mine"


def test_descriptors_are_closed_on_exec_and_folders_are_private(tmp_path: Path) -> None:
    io = DurableIO()
    fd = io.open(tmp_path / "f", os.O_WRONLY | os.O_CREAT)
    try:
        assert not os.get_inheritable(fd)
    finally:
        os.close(fd)
    assert make_folder(io, tmp_path / "d")
    assert not make_folder(io, tmp_path / "d")
    assert stat.S_IMODE((tmp_path / "d").stat().st_mode) == 0o700


def test_temp_files_of_dead_processes_are_swept_and_those_of_living_ones_stay(tmp_path: Path) -> None:
    """STO10: stale temp files are swept at start."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stale = tmp_path / f".record.json.{ended.pid}.00aa.tmp"
    living = tmp_path / f".record.json.{os.getpid()}.00aa.tmp"
    foreign = tmp_path / ".vimrc.tmp"
    for path in (stale, living, foreign):
        path.write_bytes(b"x")
    assert sweep_temps(DurableIO(), tmp_path) == 1
    assert not stale.exists()
    assert living.exists()
    assert foreign.exists()


def test_a_reader_that_polls_never_sees_a_part(tmp_path: Path) -> None:
    """STO10, from another process that knows nothing of the product."""
    path = tmp_path / "record.json"
    path.write_bytes(b"\x00" * 100_000)
    reader = (
        "import sys\n"
        "path, looks = sys.argv[1], 0\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    content = open(path, 'rb').read(); looks += 1\n"
        "    assert len(content) == 100_000 and len(set(content)) == 1, len(content)\n"
        "    if content[:1] == b'\\xff': break\n"
        "print(looks)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", reader, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        io = DurableIO()
        for value in range(1, 256):
            replace_file(io, path, bytes([value]) * 100_000)
        assert int(process.stdout.readline()) > 0
        assert process.wait(timeout=20) == 0
