"""Situations of one platform that have their like on Linux (cases 133, 134, 136), through the real program and real agents.

Windows itself is not tested (README). What the situations are about is held here where Linux has it: a console's Ctrl+C that
reaches a whole process group, folder names with dots and tildes as Windows shortens them, and a folder on another drive.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.real import command, quarterdeck
from tests.e2e.seen import wait_until
from tests.e2e.test_situations import attempts
from tests.e2e.works import logs_of, python, write_workflow

HEARS = """
import signal
def heard(number, frame):
    note("heard", number=number, group=os.getpgid(0), session=os.getsid(0))
    if number == signal.SIGTERM: os._exit(0)
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM): signal.signal(number, heard)
note("ready", group=os.getpgid(0), session=os.getsid(0))
while True: time.sleep(0.05)
"""
TELLS_PLACE = """
with open("saved.txt", "w") as file: file.write("kept")
say("artifact", name="saved", path="saved.txt")
say("output", value=os.getcwd())
"""


def test_ctrl_c_in_the_console_reaches_the_program_and_no_agent_of_it(tmp_path: Path) -> None:
    """Case 136: a console sends it to a whole process group. Agents have one of their own, and are ended by the ladder."""
    home = tmp_path / "work"
    file = write_workflow(home, {"a": python(HEARS, home)})
    console = subprocess.Popen(
        command("run", file, "--json"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # as a shell gives each command a group of its own
    )

    def noted(what: str) -> list[dict[str, object]]:
        return [line for log in logs_of(home).values() for line in log if line["what"] == what]

    try:
        wait_until(lambda: bool(noted("ready")), 30)
        os.killpg(console.pid, signal.SIGINT)
        assert console.wait(30) == 130
    finally:
        if console.poll() is None:
            console.kill()
            console.wait()
    (ready,) = noted("ready")
    assert console.pid not in {ready["group"], ready["session"]}
    assert [line["number"] for line in noted("heard")] == [signal.SIGTERM]


@pytest.mark.parametrize("name", ["PROGRA~1.X86", "~a.b..c ends. "])
def test_a_folder_name_with_dots_and_tildes_passes_through_as_it_is(tmp_path: Path, name: str) -> None:
    """Case 133: as Windows shortens names; nothing expands, strips or splits them on the way to agent and record."""
    check_place(tmp_path / name, tmp_path / "data" / name)


@pytest.fixture
def other_drive(tmp_path: Path) -> Iterator[Path]:
    """A folder on another file system than the data folder."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system to write to")
    folder = Path(tempfile.mkdtemp(dir=shared))
    yield folder
    shutil.rmtree(folder)


def test_a_workspace_on_another_drive_than_the_records_is_like_any_other(
    tmp_path: Path, other_drive: Path
) -> None:
    """Case 134: files that an agent saved are copied across, as no rename can reach there."""
    check_place(other_drive / "work", tmp_path / "data")


def check_place(home: Path, data: Path) -> None:
    """A run from its file to its record, with the folder in its working folder, its output and a saved file."""
    file = write_workflow(home, {"a": python(TELLS_PLACE, home)})
    told = quarterdeck("run", file, "--json", QUARTERDECK_DATA_DIR=str(data))
    assert told.returncode == 0, told.stderr.decode(errors="replace")
    shown = json.loads(told.stdout)
    (attempt,) = attempts(shown)["a"]
    assert attempt["output"] == str(home)
    (saved,) = attempt["artifacts"]
    kept = [p for p in (data / "runs").rglob("*") if p.is_file() and p.read_bytes() == b"kept"]
    assert len(kept) == 1, saved
    again = quarterdeck("show", shown["run_id"], "--json", QUARTERDECK_DATA_DIR=str(data))
    assert json.loads(again.stdout)["slots"] == shown["slots"]
