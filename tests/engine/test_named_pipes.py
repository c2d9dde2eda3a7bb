"""A named pipe in the place of a file is told, and nobody waits for who would write into it."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.looks import Looks
from quarterdeck.domain.preferences import Preferences
from quarterdeck.domain.reports import Report
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.views import ArtifactView
from quarterdeck.engine.app_log import FILE_NAME, AppLog
from quarterdeck.engine.attempt_details import KeptState
from quarterdeck.engine.attempt_reading import kept_file
from quarterdeck.engine.log_tail import read_log_tail
from quarterdeck.engine.looking_back import LookingBack
from quarterdeck.engine.node_values import OutputLost, read_output
from quarterdeck.shim.artifacts import ArtifactStore
from quarterdeck.shim.errors import LaunchUnreadable
from quarterdeck.shim.launch import read_launch
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.settings_file import read_preferences
from quarterdeck.store.settings_glance import glance
from quarterdeck.store.transcript_file import opened
from tests.domain.build import reports
from tests.store.builders import finish_run, run_id

WITHIN_S = 10


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """A named pipe that nobody writes into; a test that waits for one fails after WITHIN_S."""

    def waits(number: int, frame: FrameType | None) -> NoReturn:
        raise AssertionError("it waits for the pipe")

    os.mkfifo(tmp_path / "pipe")
    before = signal.signal(signal.SIGALRM, waits)
    signal.alarm(WITHIN_S)
    yield tmp_path / "pipe"
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_a_transcript(pipe: Path) -> None:
    with pytest.raises(StoreDamaged, match="named pipe"), opened(pipe):
        pass


def test_an_output_that_lay_in_a_file(pipe: Path, tmp_path: Path) -> None:
    (tmp_path / "artifacts").mkdir()
    pipe.rename(tmp_path / "artifacts" / "1")
    store = Store(tmp_path / "data", DurableIO(), "t-1")  # type: ignore[arg-type]
    folder = store.attempts.folder(RunId("r-1"), AttemptId("a-1"))
    fold = AttemptFold()
    for report in reports({"kind": "output", "stored": "1", "size_bytes": 3}):
        fold.apply(report)
    object.__setattr__(folder, "path", tmp_path)
    with pytest.raises(OutputLost, match="named pipe"):
        read_output(fold, folder)
    store.close()


def test_a_saved_file(pipe: Path, tmp_path: Path) -> None:
    saved = ArtifactView("made", "0" * 64, 0, None, pipe.name)
    assert kept_file(tmp_path, saved).state is KeptState.DAMAGED


def test_the_reports_of_one_run_hide_the_questions_of_no_other(pipe: Path, tmp_path: Path) -> None:
    store = Store.open(tmp_path / "data")
    for number in (1, 2):
        finish_run(store, number)
    odd = store.attempts.folder(run_id(1), AttemptId("a-odd"))
    odd.path.mkdir(parents=True)
    pipe.rename(odd.reports_path)
    assert list(LookingBack(store)._read_all_waits(((run_id(1), 1), (run_id(2), 2)))) == [run_id(2)]
    store.close()


def test_the_apps_log(pipe: Path, tmp_path: Path) -> None:
    pipe.rename(tmp_path / FILE_NAME)
    assert "named pipe" in read_log_tail(tmp_path).error
    log = AppLog.start(tmp_path)
    logging.getLogger("quarterdeck").warning("a line")
    log.stop()
    assert log.has_failed


def test_the_settings(pipe: Path, tmp_path: Path) -> None:
    pipe.rename(tmp_path / "settings.toml")
    assert glance(tmp_path / "settings.toml") == Looks()
    read = read_preferences(tmp_path)
    assert read.preferences == Preferences()
    assert "named pipe" in read.fault


def test_settings_that_are_linked_are_read(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[looks]\nscale_percent = 150\n")
    (tmp_path / "settings.toml").symlink_to(tmp_path / "mine.toml")
    assert read_preferences(tmp_path).preferences.scale_percent == 150
    assert glance(tmp_path / "settings.toml").scale_percent == 150


def test_a_launch_specification(pipe: Path) -> None:
    with pytest.raises(LaunchUnreadable, match="named pipe"):
        read_launch(pipe)


def test_a_file_that_an_agent_names(pipe: Path, tmp_path: Path) -> None:
    told: list[Report] = []
    store = ArtifactStore(DurableIO(), tmp_path, str(tmp_path))
    for _ in store.keep_file({}, pipe.name, told.append):
        pass
    store.name_all()
    assert "not a regular file" in str(told)


def test_what_is_written_durably(pipe: Path) -> None:
    with pytest.raises(OSError, match="No such device"):
        DurableIO().open(pipe, os.O_WRONLY | os.O_APPEND)
