"""The app ends also where its disk never comes back and nothing but the disk keeps a run from ending (JNL8, case 14)."""

from __future__ import annotations

import errno
import time
from pathlib import Path

import pytest

from quarterdeck.domain.states import Outcome
from quarterdeck.engine import shutdown
from quarterdeck.store.durable_io import DurableIO
from tests.engine.conftest import Opener
from tests.engine.works import launch, shell, shows, until, write


class Disk(DurableIO):
    """Refuses everything while it is `down`."""

    down = False

    def before(self, operation: str, target: str) -> None:
        if self.down:
            raise OSError(errno.EIO, "Input/output error", target)


async def test_a_run_that_waits_for_a_person_does_not_hold_up_the_end_on_a_dead_disk(
    open_engine: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """No agent lives whose end could not be recorded: the actor itself gives up, and says so without a fault."""
    monkeypatch.setattr(shutdown, "DISK_PATIENCE_S", 1.0)
    disk = Disk()
    engine = await open_engine(io=disk)
    nodes = {"gate": {"kind": "approval", "question": "Go?"}}
    run = await launch(engine, write(tmp_path, {"a": shell("true")}, ("gate", "a"), nodes=nodes))
    await until(engine, run, shows("gate", "Needs you"))
    disk.down = True
    begun_s = time.monotonic()
    await engine.close()
    assert time.monotonic() - begun_s < 20
    assert "the next start settles it" in caplog.text
    assert not [record for record in caplog.records if record.exc_info]
    after = await (await open_engine()).run(run)
    assert after is not None
    assert after.outcome is Outcome.INTERRUPTED
