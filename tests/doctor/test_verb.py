"""`quarterdeck doctor` as a program: one document, an exit code, and nothing left behind."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from quarterdeck.engine.doctor.child import examine_apart
from quarterdeck.engine.doctor.findings import Examination, Part
from tests.cli.real import command, quarterdeck, wait_until

MACHINE = {"quarterdeck", "disk", "file-system", "clock", "display", "sign-ins", "keyring"}


def test_the_computer_alone_in_one_document(tmp_path: Path) -> None:
    told = quarterdeck("doctor", "--only", "machine", "--json")
    document = json.loads(told.stdout)
    assert told.returncode == (0 if document["healthy"] else 1)
    assert {one["id"] for one in document["checks"]} >= MACHINE
    assert not any(one["id"].startswith("trust.") for one in document["checks"])
    assert {frozenset(one) for one in document["checks"]} == {
        frozenset({"id", "title", "state", "said", "do", "facts"})
    }
    assert not (tmp_path / "quarterdeck-data").exists()


@pytest.mark.parametrize("name", ["Ünï 空", "with spaces", "half\udcff"])
def test_a_data_folder_of_any_name_is_told(tmp_path: Path, name: str) -> None:
    """Case 137."""
    told = quarterdeck("doctor", "--only", "machine", "--json", QUARTERDECK_DATA_DIR=str(tmp_path / name))
    disk = next(one for one in json.loads(told.stdout)["checks"] if one["id"] == "disk")
    assert disk["facts"]["folder"] == str(tmp_path / name)


def test_what_is_broken_is_exit_1_and_is_named_in_words(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("no folder")
    told = quarterdeck("doctor", "--only", "machine", QUARTERDECK_DATA_DIR=str(in_the_way))
    assert told.returncode == 1
    assert b"BROKEN" in told.stdout
    assert b"Disk" in told.stderr
    assert b"\xe2\x86\x92 Make" in told.stdout


def test_the_promises_are_tried_away_from_the_person_s_own_store(tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    told = quarterdeck("doctor", "--only", "trust", "--json", TMPDIR=str(folder))
    document = json.loads(told.stdout)
    assert told.returncode == 0, told.stdout.decode()
    states = {one["id"]: one["state"] for one in document["checks"]}
    assert states["trust.twin-runs"] == states["trust.force-quit"] == "fine"
    assert "trust.dead-sign-in" in states
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "quarterdeck-data" / "runs").exists()


def test_a_part_that_there_is_not_is_exit_2() -> None:
    told = quarterdeck("doctor", "--only", "everything")
    assert told.returncode == 2
    assert b"machine or trust" in told.stderr


async def test_the_window_is_told_the_same_by_a_process_of_its_own() -> None:
    examined = await examine_apart(Part.MACHINE)
    assert isinstance(examined, Examination)
    assert {one.id for one in examined.findings} >= MACHINE


async def test_a_process_that_says_nothing_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarterdeck.engine.doctor.child.own_command", lambda: ("/bin/false",))
    assert await examine_apart(Part.MACHINE) == "The examination ended with exit 1: it said nothing."
    monkeypatch.setattr("quarterdeck.engine.doctor.child.own_command", lambda: ("/no/such/program",))
    assert str(await examine_apart(Part.MACHINE)).startswith("The examination did not start")


def test_whoever_started_it_takes_its_agents_along(tmp_path: Path) -> None:
    """A window that is killed in the middle leaves no examination and no agent of one."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    process = subprocess.Popen(
        command("doctor", "--only", "trust", "--json", "--leashed"),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    try:
        wait_until(lambda: list(folder.glob("quarterdeck-doctor-*/data/runs/*/attempts/*/reports.jsonl")))
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(20) == 3
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()
    assert list(folder.iterdir()) == []


async def test_who_goes_away_leaves_no_examination_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Leftover processes of a test fail it."""
    monkeypatch.setattr(
        "quarterdeck.engine.doctor.child.own_command", lambda: ("/bin/sh", "-c", "exec sleep 60")
    )
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3):
            await examine_apart(Part.TRUST)
