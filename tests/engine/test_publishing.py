"""The end of a run on disk where something else lies in the place of its files: no end waits for what no waiting helps."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.states import Outcome
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.works import FOREVER, python, shell, to_end, write


def linked_elsewhere(path: Path) -> None:
    path.with_suffix(".elsewhere").touch()
    path.symlink_to(path.with_suffix(".elsewhere"))


ODD: list[Callable[[Path], None]] = [Path.mkdir, os.mkfifo, linked_elsewhere]


@pytest.mark.parametrize("make", ODD)
async def test_a_run_ends_and_is_listed_though_the_index_is_no_file(
    make: Callable[[Path], None], engine: Engine, data: Path, tmp_path: Path
) -> None:
    (data / "index.jsonl").unlink(missing_ok=True)
    make(data / "index.jsonl")
    view = await to_end(engine, write(tmp_path, {"a": shell("true")}))
    assert (view.outcome, view.recording, view.fault) == (Outcome.COMPLETED, True, "")
    await engine.refresh()
    assert [line.run_id for line in engine.runs()] == [view.run_id]


@pytest.mark.parametrize("make", ODD)
async def test_a_run_ends_though_the_ledger_is_no_file_and_says_that_its_spend_is_not_kept(
    make: Callable[[Path], None], engine: Engine, data: Path, tmp_path: Path
) -> None:
    (data / "ledger.jsonl").unlink(missing_ok=True)
    make(data / "ledger.jsonl")
    view = await to_end(engine, write(tmp_path, {"a": shell("true")}))
    assert (view.outcome, view.recording) == (Outcome.COMPLETED, False)
    assert view.fault.startswith("Its spend is not kept: ")
    assert "ledger.jsonl" in view.fault
    assert (data / "runs" / view.run_id / "record.json").is_file()


async def test_a_folder_in_the_place_of_a_record_is_set_aside_and_the_record_is_kept(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    script = f'for run in {data}/runs/*; do mkdir -p "$run/record.json"; done'
    view = await to_end(engine, write(tmp_path, {"a": shell(script)}))
    assert (view.outcome, view.recording, view.fault) == (Outcome.COMPLETED, True, "")
    assert (data / "runs" / view.run_id / "record.json").is_file()
    assert any((data / "damaged").iterdir())
    await engine.refresh()
    assert [line.run_id for line in engine.runs()] == [view.run_id], "the journal is the truth"


async def test_a_run_is_settled_for_good_though_the_ledger_is_no_file(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    with short_life(data, write(tmp_path, {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        life.kill()
    (data / "ledger.jsonl").mkdir()
    engine = await open_engine()
    assert [(line.run_id, line.outcome) for line in engine.runs()] == [(life.run, Outcome.INTERRUPTED)]
    assert len(list((data / "sessions").glob("*.json"))) == 1, "nothing is owed: the dead session is gone"


KILLED_WHILE_IT_ASKS_THE_DISK = """
import os, sys
from pathlib import Path
from quarterdeck.engine.publishing import probe_disk
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO

class Killed(DurableIO):
    def before(self, operation, target):
        if operation == "unlink":
            os._exit(9)

probe_disk(Store.open(Path(sys.argv[1]), Killed()))
"""


def test_what_a_kill_leaves_of_asking_the_disk_is_removed_at_the_next_start(data: Path) -> None:
    Store.open(data).close()
    before = set(os.listdir(data))
    asked = subprocess.run([sys.executable, "-c", KILLED_WHILE_IT_ASKS_THE_DISK, str(data)], check=False)
    assert asked.returncode == 9
    assert set(os.listdir(data)) > before
    store = Store.open(data)
    store.sweep()
    store.close()
    assert set(os.listdir(data)) == before
