"""One window for each data folder, with real processes (JNL10, ruling 19): a second one hands its request to the first."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import SessionId
from quarterdeck.engine.one_window import take_place
from quarterdeck.store.crash_notes import CrashNotes
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.lines import frame
from quarterdeck.store.machine import now

WITHIN_S = 40.0
NAMES_ITS_PATHS = """
import sys
from pathlib import Path
from quarterdeck import bootstrap
from quarterdeck.ui.canvas.page import NoticeBar
from quarterdeck.ui.conduct import Conduct
from quarterdeck.ui.window import Window
real_open, real_raise = Window.open_path, Window.raise_
def told(word):
    sys.stdout.write(word + "\\n"); sys.stdout.flush()
def open_path(window, path):
    told(f"opens {path}")
    real_open(window, path)
def raise_(window):
    told("comes to the front")
    real_raise(window)
Window.open_path, Window.raise_ = open_path, raise_
real_say = NoticeBar.say
def say(bar, words, *more):
    if words:
        told(words)
    return real_say(bar, words, *more)
NoticeBar.say = say
real_read = Conduct.open_workspace
def read(conduct, path):
    told(f"reads {path}")
    real_read(conduct, path)
Conduct.open_workspace = read
sys.exit(bootstrap.run_window(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
"""


READS_ONLY = """
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.patience import PatientOpening
from quarterdeck.engine.service import Engine
whole = Engine.open
async def open_for_reading(*args, **named):
    if not named.get("read_only"):
        raise StoreUnusable("No space left on device")
    return await whole(*args, **named)
Engine.open, PatientOpening._is_writable = open_for_reading, lambda self: False
"""


class Windows:
    """Windows of one data folder, each a process; ended at the end."""

    def __init__(self, tmp_path: Path, stack: ExitStack) -> None:
        self.data, self._stack = tmp_path / "data", stack
        self.env = {
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "QUARTERDECK_DATA_DIR": str(self.data),
            "QUARTERDECK_CONFIG_DIR": str(tmp_path / "config"),
            "QUARTERDECK_LOG_DIR": str(tmp_path / "log"),
        }

    def start(self, *paths: Path, first: str = "") -> subprocess.Popen[str]:
        command = [sys.executable, "-c", first + NAMES_ITS_PATHS, *map(str, paths)]
        process = subprocess.Popen(
            command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._stack.callback(end, process)
        return process


def end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
    process.communicate()


def says(process: subprocess.Popen[str], words: str) -> None:
    """Reads until the line comes; the test's own time limit ends a wait in vain."""
    assert process.stdout is not None
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(f"{words!r} never came: {process.stderr.read() if process.stderr else ''}")


def until(holds: Callable[[], Any]) -> None:
    end_s = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.05)  # a condition with a deadline: another process makes it true


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[Windows]:
    with ExitStack() as stack:
        yield Windows(tmp_path, stack)


def test_a_second_window_shows_the_first_and_a_killed_one_frees_its_place_at_once(
    windows: Windows, tmp_path: Path
) -> None:
    """JNL10: start two, the second exits 0 after the first came to the front; SIGKILL the first, the third starts."""
    first_folder, second_folder = tmp_path / "one", tmp_path / "two"
    first_folder.mkdir()
    second_folder.mkdir()
    first = windows.start(first_folder)
    says(first, f"opens {first_folder}")
    second = windows.start(second_folder)
    assert second.wait(WITHIN_S) == 0
    says(first, "comes to the front")
    says(first, f"opens {second_folder}")
    assert first.poll() is None
    first.kill()
    first.wait()
    third = windows.start(second_folder)
    says(third, f"opens {second_folder}")


def test_a_second_start_beside_a_window_that_can_only_read_shows_that_one(
    windows: Windows, tmp_path: Path
) -> None:
    """JNL8, JNL10: such a window has no session, and the second start does not wait for one."""
    first_folder, second_folder = tmp_path / "one", tmp_path / "two"
    first_folder.mkdir()
    second_folder.mkdir()
    first = windows.start(first_folder, first=READS_ONLY)
    says(first, f"opens {first_folder}")
    second = windows.start(second_folder)
    assert second.wait(WITHIN_S) == 0, "it was handed over, and did not give up"
    says(first, "comes to the front")
    says(first, f"opens {second_folder}")
    assert not list((windows.data / "sessions").glob("*.sock"))
    first.kill()
    first.wait()
    third = windows.start(second_folder)
    says(third, f"opens {second_folder}")


def test_two_windows_started_at_once_become_one(windows: Windows, tmp_path: Path) -> None:
    both = [windows.start(tmp_path), windows.start(tmp_path)]
    until(lambda: any(one.poll() is not None for one in both))
    (other,) = [one for one in both if one.poll() is None]
    (ended,) = [one for one in both if one.poll() is not None]
    assert ended.returncode == 0
    says(other, "comes to the front")


def test_a_window_that_does_not_answer_is_named_and_nothing_is_opened(tmp_path: Path) -> None:
    held = take_place(tmp_path, None)
    assert held.lock is not None
    refused = take_place(tmp_path, None, within_s=0.2)
    assert (refused.lock, refused.is_handed) == (None, False)
    assert str(tmp_path) in refused.silent
    assert "Go on there where it can be used" in refused.silent
    held.lock.release()
    again = take_place(tmp_path, None)
    assert again.lock is not None
    again.lock.release()


def test_nothing_is_written_where_a_newer_version_or_a_network_has_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JNL9: neither folder nor lock is made before that is known; and nobody waits for a window that only reads."""
    newer, far = tmp_path / "newer", tmp_path / "far"
    newer.mkdir()
    (newer / "store.json").write_bytes(frame({"schema": 99, "tenant": "t-1"}))
    monkeypatch.setattr(
        "quarterdeck.store.network_folder.network_system", lambda folder: "nfs" * (folder == far)
    )
    for folder in (newer, far):
        for _ in range(2):
            place = take_place(folder, None, within_s=0)
            assert (place.lock, place.is_handed, place.silent) == (None, False, "")
    assert [file.name for file in newer.iterdir()] == ["store.json"]
    assert not far.exists()


def test_after_three_crashes_in_five_minutes_no_workspace_is_opened(windows: Windows, tmp_path: Path) -> None:
    """Ruling 19: windows are counted, not terminals; each session once."""
    folder = tmp_path / "work"
    folder.mkdir()
    for _ in range(3):
        window = windows.start(folder)
        says(window, f"opens {folder}")
        window.kill()
        window.wait()
    remembers(tmp_path, folder)
    for paths in ((folder,), ()):
        fourth = windows.start(*paths)
        says(fourth, "no workspace was opened")
        assert len(_noted(windows.data)) == 3
        fourth.terminate()
        said, _ = fourth.communicate(timeout=WITHIN_S)
        assert "opens" not in said
        assert "reads" not in said


def remembers(tmp_path: Path, folder: Path) -> None:
    """As a window left it that had the folder open."""
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "window.ini").write_text(f"[General]\nfolder={folder}\nwelcomed=true\n")


def test_a_bare_start_after_a_kill_reads_the_folder_that_was_open_and_starts_no_run(
    windows: Windows, tmp_path: Path
) -> None:
    """What is remembered is on disk moments after the folder was opened, so a kill does not lose it."""
    folder, ini = tmp_path / "my work", tmp_path / "config" / "window.ini"
    folder.mkdir()
    first = windows.start(folder)
    says(first, f"reads {folder}")
    until(lambda: ini.exists() and str(folder) in ini.read_text())
    first.kill()
    first.wait()
    again = windows.start()
    says(again, "opens None")
    says(again, f"reads {folder}")
    again.terminate()
    again.communicate(timeout=WITHIN_S)
    assert not list((windows.data / "runs").iterdir())


def test_an_empty_profile_reads_the_copy_of_practice_night(windows: Windows) -> None:
    bare = windows.start()
    says(bare, f"reads {windows.data / 'examples'}")


def _noted(data: Path) -> dict[str, int]:
    try:
        return dict(json.loads((data / "sessions" / "window-crashes").read_text())["found_wall_ms"])
    except FileNotFoundError:
        return {}


def test_crashes_are_counted_once_each_and_age(tmp_path: Path) -> None:
    notes = CrashNotes(DurableIO(), tmp_path)
    at = now().wall_ms
    for name, found in (("s-1", at), ("s-1", at + 1), ("s-2", at), ("s-3", at - 400_000)):
        notes.note(SessionId(name), found)
    assert notes.count_within(at, 300_000) == 2
    assert notes.count_within(at + 600_000, 300_000) == 0
    (tmp_path / "window-crashes").write_bytes(b"\0" * 40)
    assert notes.count_within(at, 300_000) == 0, "a damaged note opens the window as ever"
    notes.note(SessionId("s-4"), at)
    assert notes.count_within(at, 300_000) == 1
