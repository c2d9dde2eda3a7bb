"""What an agent names is kept for good before it is said to be kept, in bounded number, and its waiting is bounded (JNL3)."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.domain.reports import Report
from quarterdeck.shim.artifacts import FILES_MAX, ArtifactStore
from quarterdeck.shim.launch import Limits, read_launch
from quarterdeck.shim.relay import Relay
from quarterdeck.shim.report_stream import ReportStream
from quarterdeck.shim.writer import Writer
from quarterdeck.store.durable_io import DurableIO
from tests.shim.harness import Dock
from tests.store.faulty_io import FaultyIO, UnsyncedIO
from tests.store.power_cut import Disk, LoggingIO


def test_after_a_power_cut_at_any_moment_every_file_that_a_report_names_is_there(tmp_path: Path) -> None:
    attempt = tmp_path / "attempt"
    attempt.mkdir()
    (attempt / "named.txt").write_bytes(b"named by its path")
    io = LoggingIO()
    store = ArtifactStore(io, attempt / "artifacts", str(attempt))

    def done(report: Report) -> None:
        io.say(report["stored"], (attempt / "artifacts" / report["stored"]).read_bytes())

    in_rounds = [
        [
            store.keep_bytes({"kind": "output"}, b"an output", ".txt", done),
            store.keep_file({"kind": "artifact", "name": "a"}, "named.txt", done),
        ],
        [store.keep_bytes({"kind": "artifact", "name": "b"}, b"a text", ".txt", done)],
    ]
    for jobs in in_rounds:
        for job in jobs:
            for _ in job:
                pass
        store.name_all()
    assert len([step for step in io.log if step[0] == "ack"]) == 3
    for cut in range(len(io.log) + 1):
        disk, image = Disk(attempt), tmp_path / f"image-{cut}"
        disk.play(io.log[:cut])
        disk.image(image, strict=True)
        for _, name, content in (step for step in io.log[:cut] if step[0] == "ack"):
            kept = image / "artifacts" / name
            assert kept.is_file(), f"{name} was named and is gone after a cut behind operation {cut}"
            assert kept.read_bytes() == content


def test_files_beyond_the_limit_are_only_named_and_an_output_is_always_kept(tmp_path: Path) -> None:
    store, told = ArtifactStore(UnsyncedIO(), tmp_path / "artifacts", str(tmp_path)), list[Report]()
    (tmp_path / "file").write_bytes(b"x")
    artifact = {"kind": "artifact", "name": "a"}
    for _ in range(FILES_MAX):
        for _ in store.keep_bytes(artifact, b"x", ".txt", told.append):
            pass
    store.name_all()
    assert all(report["stored"] for report in told)
    told.clear()
    for job in (
        store.keep_bytes(artifact, b"x", ".txt", told.append),
        store.keep_file(artifact, "file", told.append),
        store.keep_bytes({"kind": "output"}, b"out", ".txt", told.append),
    ):
        for _ in job:
            pass
    store.name_all()
    assert [bool(report["stored"]) for report in told] == [False, False, True]
    assert all(f"{FILES_MAX:,} files" in report["problem"] for report in told[:2])
    assert len(os.listdir(tmp_path / "artifacts")) == FILES_MAX + 1


def test_files_whose_names_the_disk_does_not_keep_are_not_said_to_be_kept(tmp_path: Path) -> None:
    io = FaultyIO(1, operations=frozenset({"fsync_folder"}))
    (tmp_path / "artifacts").mkdir()
    store, told = ArtifactStore(io, tmp_path / "artifacts", str(tmp_path)), list[Report]()
    io.arm(2)  # the first is the folder's own name
    for job in (
        store.keep_bytes({"kind": "artifact", "name": "a"}, b"x", ".txt", told.append),
        store.pass_on({"kind": "output", "value": 1}, told.append),
    ):
        for _ in job:
            pass
    assert told == [], "nothing is told before"
    store.name_all()
    assert [report["kind"] for report in told] == ["artifact", "output"]
    assert (told[0]["stored"], "could not be kept" in told[0]["problem"]) == (None, True)


@pytest.fixture
def idle_writer(tmp_path: Path) -> Iterator[Writer]:
    """Its thread is not running, as on a disk that takes its time."""
    folder = tmp_path / "attempt"
    folder.mkdir()
    writer = Writer(DurableIO(), folder, lambda: None)
    yield writer
    writer.close(1.0)


@pytest.mark.parametrize("source", [{"path": "x"}, {"path": "x" * 9000}, {"text": "x" * 9000}])
def test_files_that_wait_to_be_kept_hold_the_agent_back(
    dock: Dock, idle_writer: Writer, tmp_path: Path, source: dict[str, str]
) -> None:
    """Each takes memory until it is kept, so an agent is not read while many wait."""
    _, folder = dock.prepare([], protocol="lines")
    app, ours = socket.socketpair()
    with app, ours:
        store = ArtifactStore(DurableIO(), tmp_path / "artifacts", str(tmp_path))
        stream = ReportStream(read_launch(folder / "launch.json"), idle_writer, Relay(ours), store)
        line = json.dumps({"type": "artifact", "name": "a", **source}).encode() + b"\n"
        adapter = LinesProtocol()
        named = 0
        while idle_writer.waiting_bytes <= Limits().queue_bytes:
            named += 1
            assert named <= 5_000, "so many files wait, and more may come"
            for report in adapter.feed("stdout", line):
                stream.take(report)
        assert stream.unkept == named
