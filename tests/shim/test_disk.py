"""JNL7, JNL8 and case 14: a disk that refuses loses nothing that can be kept, stops no kill, and is told to the app."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.shim.writer import RESERVED_BYTES, Writer
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.lines import frame
from tests.shim.harness import Dock, read_framed, wait_until


class Refusing(DurableIO):
    """Fails the operations named in `refuse` with its errno; a refused write may leave a part behind."""

    def __init__(self) -> None:
        self.refuse: dict[str, int] = {}
        self.torn = b""
        self.calls: list[str] = []

    def before(self, operation: str, target: str) -> None:
        self.calls.append(operation)
        if operation in self.refuse:
            if operation == "write" and self.torn:
                os.write(int(target.removeprefix("fd:")), self.torn)
                self.torn = b""
            raise OSError(self.refuse[operation], os.strerror(self.refuse[operation]))


@pytest.fixture
def io() -> Refusing:
    return Refusing()


@pytest.fixture
def writer(io: Refusing, tmp_path: Path) -> Iterator[Writer]:
    writer = Writer(io, tmp_path, lambda: None)
    writer.start()
    yield writer
    io.refuse.clear()
    if writer.is_alive():
        writer.close(5.0)
    assert not writer.is_alive()


def _put(writer: Writer, seq: int, *, sync: bool = True) -> None:
    writer.put_report(seq, frame({"seq": seq, "kind": "note"}), sync=sync)


def _seqs(folder: Path) -> list[int]:
    return [r["seq"] for r in read_framed(folder / "reports.jsonl")]


def test_a_full_disk_keeps_what_waits_and_recording_resumes_by_itself_with_no_torn_line(
    io: Refusing, writer: Writer, tmp_path: Path
) -> None:
    _put(writer, 1)
    assert writer.wait_durable(1, 5)
    io.torn, io.refuse["write"] = b'{"seq":2,"ki', errno.ENOSPC
    for seq in (2, 3):
        _put(writer, seq)
    writer.put_transcript(b"raw")
    wait_until(lambda: writer.errno == errno.ENOSPC, 5)
    assert not writer.wait_durable(2, 0.7)
    assert writer.queued_bytes > 3
    io.refuse.clear()
    assert writer.wait_idle(5)
    assert writer.errno is None
    assert _seqs(tmp_path) == [1, 2, 3]
    writer.close(5.0)
    assert (tmp_path / "reports.jsonl").stat().st_blocks <= 8, "the reserve was not given back"
    assert (tmp_path / "transcript").read_bytes() == b"raw"
    assert writer.queued_bytes == 0


def test_after_a_failed_fsync_the_file_is_dead_and_what_was_kept_goes_into_a_new_one(
    io: Refusing, writer: Writer, tmp_path: Path
) -> None:
    _put(writer, 1)
    assert writer.wait_durable(1, 5)
    inode = (tmp_path / "reports.jsonl").stat().st_ino
    io.refuse["fdatasync"] = errno.EIO
    _put(writer, 2)
    wait_until(lambda: writer.errno == errno.EIO, 5)
    assert writer.durable_seq == 1
    io.refuse.clear()
    _put(writer, 3)
    assert writer.wait_durable(3, 5)
    assert _seqs(tmp_path) == [1, 2, 3]
    assert (tmp_path / "reports.jsonl").stat().st_ino != inode


def test_the_reserve_for_the_last_reports_is_taken_again_with_the_new_file(
    io: Refusing, writer: Writer, tmp_path: Path
) -> None:
    """JNL7, case 14: a disk that fills up after a failed fsync still takes the last reports."""
    path = tmp_path / "reports.jsonl"
    _put(writer, 1)
    assert writer.wait_durable(1, 5)
    reserved = path.stat().st_blocks
    if reserved * 512 < RESERVED_BYTES:
        pytest.skip("the file system reserves nothing")
    inode = path.stat().st_ino
    io.refuse["fdatasync"] = errno.EIO
    _put(writer, 2)
    wait_until(lambda: writer.errno == errno.EIO, 5)
    io.refuse.clear()
    assert writer.wait_durable(2, 5)
    wait_until(lambda: path.stat().st_ino != inode and path.stat().st_blocks >= reserved, 2, "a reserve")


def test_turns_and_usage_are_synced_within_a_window_and_not_one_by_one(io: Refusing, writer: Writer) -> None:
    for seq in range(1, 301):
        _put(writer, seq, sync=False)
    assert writer.wait_durable(300, 2)
    assert io.calls.count("fdatasync") <= 3


def test_what_something_acts_on_is_synced_at_once(io: Refusing, writer: Writer) -> None:
    for seq in range(1, 6):
        _put(writer, seq)
        assert writer.wait_durable(seq, 2)
    assert io.calls.count("fdatasync") == 5


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


COUNTS = """
import sys
n = 0
while n < 200000:
    n += 1
    sys.stdout.write(f"{n} of many lines that fill a disk\\n")
sys.stdout.flush()
"""
FAST = {"limits": {"read_bytes_per_s": 50_000_000, "burst_bytes": 50_000_000, "queue_bytes": 2_000_000}}


def test_a_full_disk_holds_the_agent_back_and_loses_no_line(small_disk: Path, dock: Dock) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 2_000_000)
    dock.folder = small_disk
    running = dock.python(COUNTS, cwd="/", **FAST)
    told = running.wait_message(lambda m: m.get("recording") is False)
    assert told["errno"] == errno.ENOSPC
    running.hear_for(0.3)
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    running.wait_message(lambda m: m.get("recording") is True)
    ended = running.wait_end(30)
    assert ended["code"] == 0
    numbers = [int(line.split()[0]) for line in running.transcript().splitlines()]
    assert numbers == list(range(1, 200_001))
    dock.close()


def test_stop_works_while_the_disk_is_full_and_the_end_is_attested(small_disk: Path, dock: Dock) -> None:
    (small_disk / "ballast").write_bytes(b"x" * 3_000_000)
    dock.folder = small_disk
    running = dock.python(COUNTS.replace("200000", "10**9"), cwd="/", **FAST)
    running.wait_message(lambda m: m.get("recording") is False)
    running.say(do="stop", reason="stop")
    ended = running.wait_end(4.5)
    assert (ended["reason"], ended["tree_empty"]) == ("stop", True)
    assert ended["upto"] == ended["said_seq"] + 1  # the reports had their reserve; `exit` is not the agent's
    assert [r["kind"] for r in running.reports()][-1] == "exit"
    assert (running.folder / "reports.jsonl").stat().st_blocks <= 8
    assert running.lease_is_free()
    dock.close()


def test_bytes_of_the_transcript_that_a_full_disk_does_not_take_are_counted(
    io: Refusing, writer: Writer
) -> None:
    """JNL8: nothing is missing without a word."""
    writer.put_transcript(b"kept")
    assert writer.wait_transcript(5) == 0
    io.refuse["write"] = errno.ENOSPC
    writer.put_transcript(b"not kept")
    assert writer.wait_transcript(0.2) == len(b"not kept")
    io.refuse.clear()
    assert writer.wait_transcript(5) == 0
