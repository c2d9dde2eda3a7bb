"""A run whose attempts cannot be looked at: it hides no other run, nothing is claimed of its processes that was not seen (JNL6, REC9)."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.keeping import Discarded
from tests.engine.conftest import Opener
from tests.engine.test_damaged_journals import done_and_cut_off, flip


@pytest.fixture
def bad_and_good(data: Path, tmp_path: Path) -> tuple[RunId, RunId]:
    return done_and_cut_off(data, tmp_path / "1", flip), done_and_cut_off(
        data, tmp_path / "2", lambda path: None
    )


@pytest.fixture(params=[errno.EACCES, errno.EIO], ids=["EACCES", "EIO"])
def unlisted(
    request: pytest.FixtureRequest,
    data: Path,
    bad_and_good: tuple[RunId, RunId],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[int]:
    """Whoever looks into the bad run's `attempts` gets that error; tests may run as root, whom no mode keeps out."""
    error, place = int(request.param), str(data / "runs" / bad_and_good[0] / "attempts")

    def failing(real: Any) -> Any:
        def asked(path: Any = ".", *given: Any, **more: Any) -> Any:
            if isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(place):
                raise OSError(error, os.strerror(error), os.fspath(path))
            return real(path, *given, **more)

        return asked

    for name in ("listdir", "scandir", "open", "stat", "lstat"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    yield error
    monkeypatch.undo()


async def test_attempts_that_cannot_be_read_hide_no_other_run_and_are_named(
    bad_and_good: tuple[RunId, RunId], unlisted: int, open_engine: Opener, data: Path
) -> None:
    """JNL6, REC3, case 20: the rest is owed as ever; the one that cannot be looked at is named with its error, and stays."""
    bad, good = bad_and_good
    engine = await open_engine()
    await engine.refresh()
    owed = await engine.recovery.owed()
    assert good in [one.run_id for one in owed.runs]
    named = {one.run_id: one.why for one in owed.unreadable} | {
        one.run: one.why for one in await engine.keeping.unreadable()
    }
    assert os.strerror(unlisted) in named[bad]
    assert not any(line.is_live for line in engine.runs())
    refused = await engine.keeping.discard(bad)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_STORE
    assert (data / "runs" / bad / "journal.jsonl").exists()
    assert isinstance(await engine.keeping.discard(good), Discarded)


def a_file_for(attempts: Path) -> None:
    shutil.rmtree(attempts)
    attempts.write_text("x")


async def test_discard_without_attempts_to_look_at_goes_by_the_runs_mark_and_says_so(
    bad_and_good: tuple[RunId, RunId], open_engine: Opener, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """REC9, REC13: a file lies where the attempts were, so none can be checked by itself."""
    bad, good = bad_and_good
    a_file_for(data / "runs" / bad / "attempts")
    left = subprocess.Popen(["sleep", "600"], env={**os.environ, "QUARTERDECK_RUN": bad})
    try:
        engine = await open_engine()
        await engine.refresh()
        assert good in [one.run_id for one in (await engine.recovery.owed()).runs]
        refused = await engine.keeping.discard(bad)
        assert isinstance(refused, Refusal)
        assert refused.code is Code.E_SURVIVOR
        assert "could not be checked" in refused.message
        assert str(left.pid) in refused.message
    finally:
        left.kill()
        left.wait()
    with caplog.at_level(logging.WARNING):
        assert isinstance(await engine.keeping.discard(bad), Discarded)
    assert f"the attempts of run {bad} could not be checked" in caplog.text
