"""A disk that refuses: nothing is launched or claimed, agents go on, stops work, recording resumes by itself (JNL7, JNL8, cases 14, 68)."""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import record_of
from quarterdeck.domain.states import Outcome
from quarterdeck.engine import shutdown
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from tests.engine.conftest import Opener
from tests.engine.works import (
    FOREVER,
    A,
    Disk,
    at_work,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    slot_of,
    until,
    waits_for,
    write,
)


@pytest.fixture
def disk() -> Disk:
    return Disk()


async def test_a_launch_on_a_full_disk_is_refused_and_leaves_no_run(
    open_engine: Opener, data: Path, tmp_path: Path, disk: Disk
) -> None:
    engine = await open_engine(io=disk)
    path = write(tmp_path, {"a": shell("true")})
    disk.full = True
    refused = await engine.launch(LaunchRequest(path))
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_STORE
    disk.full = False
    assert list((data / "runs").iterdir()) == []
    assert engine.runs() == ()
    await ended(engine, await launch(engine, path))


async def test_a_run_whose_data_folder_is_moved_away_waits_says_for_what_and_goes_on_once_it_is_back(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """JNL8, JNL4: files that are gone prove nothing of an agent that told of its start."""
    engine = await open_engine()
    path = write(
        tmp_path,
        {"a": python("import os\nwhile not os.path.exists('go'): time.sleep(0.02)\nsay('output', value=7)")},
    )
    run = await launch(engine, path)
    await until(engine, run, shows("a", "Running"))
    data.rename(tmp_path / "moved")
    (tmp_path / "go").touch()
    view = await until(engine, run, lambda view: view.recording is False)
    assert str(data) in view.waits_for
    assert "No such file or directory" in view.waits_for
    assert view.is_live
    (tmp_path / "moved").rename(data)
    view = await ended(engine, run)
    assert (view.outcome, view.waits_for) == (Outcome.COMPLETED, "")
    assert attempt_of(view, "a").output == 7


async def test_a_launch_that_the_disk_cuts_off_anywhere_leaves_no_run(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Each operation of a launch fails once, those after it succeed."""

    class FailAt(DurableIO):
        at = count = 0

        def before(self, operation: str, target: str) -> None:
            self.count += 1
            if self.count == self.at:
                raise OSError(errno.EIO, "Input/output error", target)

    disk = FailAt()
    engine = await open_engine(io=disk)
    path = write(tmp_path, {"a": shell("true")})
    for at in range(1, 200):
        disk.count, disk.at = 0, at
        launched = await engine.launch(LaunchRequest(path))
        if not isinstance(launched, Refusal):
            assert (await ended(engine, launched)).outcome is Outcome.COMPLETED
            break
        assert launched.code is Code.E_STORE
        assert list((data / "runs").iterdir()) == [], f"operation {at}"
    assert at > 10


async def test_stop_works_while_nothing_can_be_recorded_and_the_record_follows(
    open_engine: Opener, data: Path, tmp_path: Path, disk: Disk
) -> None:
    """Case 14: the agent ends at once; what happened is recorded, in order, once the disk allows it."""
    engine = await open_engine(io=disk)
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER), "b": shell("true")}, ("a", "b")))
    view = await until(engine, run, shows("a", "Running"))
    pid = attempt_of(view, "a").pid
    disk.full = True
    stopping = asyncio.ensure_future(engine.stop_run(run))
    async with asyncio.timeout(6):
        while Path(f"/proc/{pid}").exists():
            await asyncio.sleep(0.02)
    await until(engine, run, lambda view: not view.recording)
    assert "run_stop_requested" not in journal_kinds(data, run)
    disk.full = False
    assert await stopping is None
    view = await ended(engine, run)
    assert view.outcome is Outcome.STOPPED
    assert view.recording
    assert displays(view)["a"] == "Stopped"


async def test_nothing_is_claimed_while_recording_is_down_and_it_goes_on_by_itself(
    open_engine: Opener, data: Path, tmp_path: Path, disk: Disk
) -> None:
    engine = await open_engine(io=disk)
    path = write(tmp_path, {"a": waits_for(tmp_path / "go"), "b": shell("true")}, ("a", "b"))
    run = await at_work(engine, path, "a")
    disk.full = True
    refused = await engine.pause(run, A)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_STORE
    (tmp_path / "go").touch()
    view = await until(engine, run, lambda view: not view.recording)
    assert slot_of(view, "b").attempts == ()
    kinds = journal_kinds(data, run)
    disk.full = False
    view = await ended(engine, run)
    assert view.outcome is Outcome.COMPLETED
    assert journal_kinds(data, run)[: len(kinds)] == kinds


async def test_recording_is_said_to_be_well_again_though_nothing_was_left_to_record(
    open_engine: Opener, tmp_path: Path, disk: Disk
) -> None:
    engine = await open_engine(io=disk)
    run = await at_work(engine, write(tmp_path, {"a": python(FOREVER)}), "a")
    disk.full = True
    assert isinstance(await engine.pause(run, A), Refusal)
    await until(engine, run, lambda view: not view.recording)
    disk.full = False
    await until(engine, run, lambda view: view.recording)
    await engine.stop_run(run)


async def test_a_disk_that_never_comes_back_does_not_hold_up_the_end_of_the_app(
    open_engine: Opener, tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agents end; the next life settles the run by its evidence."""
    monkeypatch.setattr(shutdown, "DISK_PATIENCE_S", 1.0)
    engine = await open_engine(io=disk)
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    view = await until(engine, run, shows("a", "Running"))
    pid = attempt_of(view, "a").pid
    disk.full = True
    begun_s = time.monotonic()
    await engine.close()
    assert time.monotonic() - begun_s < 12
    assert not Path(f"/proc/{pid}").exists()
    after = await (await open_engine()).run(run)
    assert after is not None
    assert after.outcome is Outcome.INTERRUPTED
    assert attempt_of(after, "a").status.value in ("interrupted", "stopped")


async def test_the_record_on_disk_is_the_live_view_field_by_field(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC2, OWN4; index and ledger have each line once."""
    engine = await open_engine()
    work = {
        "a": python("say('session', id='s', resumable=True); say('turn'); say('usage', cost_usd='0.3', model='m')\n"
                    "say('effect', id='e', state='sent', kind='k', target='t')\n"
                    "say('artifact', name='n', text='x'); say('output', value={'k': [1, 2.5, None]})"),
        "b": shell("echo text; exit 2"),
        "c": shell("true"),
    }  # fmt: skip
    run = await launch(engine, write(tmp_path, work, ("a", "b"), ("b", "c", "failure")))
    view = await ended(engine, run)
    store = Store.open(data)
    record = store.records.read(run)
    assert record == record_of(view)
    assert [line["run"] for line in store.ledger.load()] == [run] * 3
    for name, lines in (("index.jsonl", 1), ("ledger.jsonl", 3)):
        assert sum(run in line for line in (data / name).read_text().splitlines()) == lines
    store.close()
    assert await engine.run(run) == view
    later = await (await open_engine(read_only=True)).run(run)
    assert later == view


@pytest.mark.parametrize("operation", ["write", "fdatasync"])
@pytest.mark.parametrize("at", [1, 2, 3])
async def test_claims_start_each_agent_once_whatever_the_disk_refuses(
    open_engine: Opener, data: Path, tmp_path: Path, operation: str, at: int
) -> None:
    """JNL2, JNL4: of twelve claims, those before a refusal are made, the others are claimed again."""

    class FailOnce(DurableIO):
        left = 0

        def before(self, asked: str, target: str) -> None:
            if asked == operation and threading.current_thread().name == "quarterdeck-store" and self.left:
                self.left -= 1
                if not self.left:
                    raise OSError(errno.EIO, "Input/output error", target)

    disk = FailOnce()
    engine = await open_engine(io=disk)
    names = [f"n{number}" for number in range(12)]
    path = write(tmp_path, {name: shell("true") for name in names})
    disk.left = at
    run = await launch(engine, path)
    view = await ended(engine, run)
    assert view.outcome is Outcome.COMPLETED
    assert [len(slot.attempts) for slot in view.slots] == [1] * len(names)
    assert journal_kinds(data, run).count("attempt_claimed") == len(names)
