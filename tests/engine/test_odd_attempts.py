"""Files of an attempt that are gone, or are no files: told at that agent, live and after a kill, and nothing else suffers."""

from __future__ import annotations

import asyncio
import errno
import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.states import Outcome
from quarterdeck.engine import shutdown, supervision
from quarterdeck.engine.deaths import DeathWatch, Verdict
from quarterdeck.engine.report_folds import report_fold
from quarterdeck.engine.service import Engine
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDown
from quarterdeck.store.lines import frame
from quarterdeck.store.machine import now, own_identity
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.works import (
    FOREVER,
    A,
    attempt_of,
    displays,
    ended,
    launch,
    python,
    shell,
    shows,
    slot_of,
    to_end,
    until,
    write,
)

FOREVER_UNTIL = "while not os.path.exists('go'): time.sleep(0.02)\n"
OWN_FOLDER = "from pathlib import Path\nown = Path(os.environ['QUARTERDECK_CONTEXT']).parent\n"
LOSES_ITS_OUTPUT = OWN_FOLDER + (
    "say('output', value='y' * 300_000)\n"
    "while not (kept := list((own / 'artifacts').glob('*'))): time.sleep(0.01)\n"
    "while kept[0].stat().st_size < 300_000: time.sleep(0.01)\n"
    "kept[0].unlink()\n"
)
ASKS_FOR_IT = ("a", "b", "output != ''")


async def test_a_condition_over_an_output_whose_file_is_gone_is_told_at_the_node_behind_it(
    engine: Engine, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": python(LOSES_ITS_OUTPUT), "b": shell("true")}, ASKS_FOR_IT)
    view = await to_end(engine, path)
    assert (view.outcome, view.exit_code) == (Outcome.FAILED, 1)
    assert attempt_of(view, "a").status.value == "succeeded"
    assert slot_of(view, "b").attempts == ()
    assert "cannot be worked out: The file that holds the output is gone" in slot_of(view, "b").reason


async def test_a_run_is_settled_though_a_condition_asks_for_an_output_whose_file_is_gone(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    path = write(tmp_path, {"a": python(LOSES_ITS_OUTPUT), "b": shell("true")}, ASKS_FOR_IT)
    with short_life(data, path) as life:
        life.wait_said("nothing that is ever said: until it has ended and killed itself")
    folder = data / "runs" / life.run
    lines = (folder / "journal.jsonl").read_text().splitlines(keepends=True)
    cut = next(index for index, line in enumerate(lines) if '"attempt_ended"' in line) + 1
    (folder / "journal.jsonl").write_text("".join(lines[:cut]))
    (folder / "record.json").unlink(missing_ok=True)
    engine = await open_engine()
    view = await engine.run(life.run)
    assert view is not None
    assert view.outcome is Outcome.INTERRUPTED
    assert displays(view) == {"a": "Done", "b": "Not started"}
    assert len(list((data / "sessions").glob("*.json"))) == 1, "nothing is owed: the dead session is gone"


# ------------------------------------------------------------------------------------------- reports that cannot be read

REPLACES_ITS_REPORTS = OWN_FOLDER + (
    "while b'\"started\"' not in (own / 'reports.jsonl').read_bytes(): time.sleep(0.01)\n"
    "(own / 'reports.jsonl').unlink()\n"
    "(own / 'reports.jsonl').mkdir()\n"
    "print('replaced', flush=True)\n"
)
TELLS_AN_ERROR = "say('error', **{'class': 'other', 'message': 'told'})\n"
"""Whether it stands is judged by the file: turns do not reach the app one by one (case 82)."""


async def test_reports_that_are_no_file_are_told_at_their_agent_and_hinder_no_other(
    engine: Engine, open_engine: Opener, tmp_path: Path
) -> None:
    agents = {
        "a": python(TELLS_AN_ERROR + REPLACES_ITS_REPORTS),
        "b": python(REPLACES_ITS_REPORTS + "say('output', value=7)"),
        "c": python(FOREVER_UNTIL),
    }
    run = await launch(engine, write(tmp_path, agents))
    view = await until(engine, run, lambda view: shows("a", "Failed")(view) and shows("b", "Done")(view))
    odd = attempt_of(view, "a")
    assert odd.reason == "finished, but its results could not be kept"
    assert (odd.status.value, odd.evidence, odd.exit_code) == ("failed", "exit_file", 0)
    assert "it is a folder, not a file" in " ".join(error.message for error in odd.errors)
    assert attempt_of(view, "b").output == 7, "everything that it told was heard"
    assert displays(view)["c"] == "Running"
    (tmp_path / "go").touch()
    view = await ended(engine, run)
    assert (view.outcome, displays(view)["c"]) == (Outcome.FAILED, "Done")
    await engine.close()
    later = await open_engine()
    assert [line.run_id for line in later.runs()] == [run]
    assert await later.run(run) == view


async def test_an_error_exit_without_readable_reports_is_not_tried_again_by_itself(
    engine: Engine, tmp_path: Path
) -> None:
    """Ruling 4: an effect may have been sent."""
    agent = python(TELLS_AN_ERROR + REPLACES_ITS_REPORTS + "sys.exit(3)")
    view = await to_end(engine, write(tmp_path, {"a": agent}, nodes={"a": {"retry": {"max_attempts": 3}}}))
    assert [attempt.exit_code for attempt in slot_of(view, "a").attempts] == [3]
    assert "an effect may have happened" in attempt_of(view, "a").reason


async def test_a_run_is_settled_and_listed_though_the_reports_of_one_agent_are_no_file(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    path = write(tmp_path, {"a": python(REPLACES_ITS_REPORTS + "while True: time.sleep(0.05)")})
    with short_life(data, path) as life:
        life.wait_said("a=Running")
        async with asyncio.timeout(20):
            while not any(
                b"replaced" in place.read_bytes() for place in data.glob("runs/*/attempts/*/transcript")
            ):
                await asyncio.sleep(0.02)
        life.kill()
    engine = await open_engine()
    assert [line.run_id for line in engine.runs()] == [life.run]
    view = await engine.run(life.run)
    assert view is not None
    assert (view.outcome, attempt_of(view, "a").status.value) == (Outcome.INTERRUPTED, "interrupted")
    assert attempt_of(view, "a").evidence == "exit_file"
    assert len(list((data / "sessions").glob("*.json"))) == 1, "nothing is owed: the dead session is gone"
    assert await engine.reassign(life.run, A, "again") is None


class Unreadable:
    """The disk gives the reports of one run's agent `a` to nobody while it is `bad`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bad: set[str] = set()
        self.asked = 0
        real = Attempts.each_report

        def each_report(attempts: Attempts, run: RunId, attempt: AttemptId) -> Iterator[dict[str, Any]]:
            if attempt in self.bad:
                self.asked += 1
                raise StoreDown(errno.EIO, str(attempts.folder(run, attempt).reports_path))
            return real(attempts, run, attempt)

        monkeypatch.setattr(Attempts, "each_report", each_report)
        monkeypatch.setattr(supervision, "LOOK_AGAIN_S", 0.05)


async def test_reports_that_the_disk_does_not_give_are_asked_for_again_while_the_others_go_on(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Unreadable(monkeypatch)
    agents = {"a": python(TELLS_AN_ERROR + FOREVER_UNTIL), "b": shell("true"), "c": shell("true")}
    run = await launch(engine, write(tmp_path, agents, ("b", "c")))
    view = await until(engine, run, shows("a", "Running"))
    disk.bad.add(attempt_of(view, "a").attempt_id)
    (tmp_path / "go").touch()
    await until(engine, run, lambda view: not view.recording)
    async with asyncio.timeout(20):
        while disk.asked <= 2:
            await asyncio.sleep(0.01)
    disk.bad.clear()
    view = await ended(engine, run)
    assert attempt_of(view, "a").reason == "told"
    assert (displays(view)["c"], view.recording) == ("Done", True)


async def test_reports_that_the_disk_never_gives_do_not_hold_up_the_end_of_the_app(
    open_engine: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutdown, "DISK_PATIENCE_S", 1.0)
    disk = Unreadable(monkeypatch)
    engine = await open_engine()
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    view = await until(engine, run, shows("a", "Running"))
    disk.bad.add(attempt_of(view, "a").attempt_id)
    async with asyncio.timeout(20):
        await engine.close()
    disk.bad.clear()
    after = await (await open_engine()).run(run)
    assert after is not None
    assert after.outcome is Outcome.INTERRUPTED


# ------------------------------------------------------------------------------------------- long report files


def test_a_long_report_file_is_never_in_memory_as_a_whole(tmp_path: Path) -> None:
    """An attempt that is ending is looked at many times a second; its reports may have 100 MB."""
    store = Store.open(tmp_path / "data")
    run, attempt = RunId("r-" + "1" * 32), AttemptId("a-" + "1" * 32)
    (tmp_path / "data" / "runs" / run / "attempts").mkdir(parents=True)
    folder = store.attempts.create(run, attempt, {"kind": "command"})
    own = own_identity()
    starting = {"boot": own.boot, "shim_pid": own.pid, "shim_start_ticks": own.start_ticks}
    deadline_ms = now().boot_ms + 60_000
    told = [{"seq": 1, "kind": "starting", **starting}, {"seq": 2, "kind": "started", "containment": "tree"}]
    told += [{"seq": 3 + n, "kind": "text", "text": "x" * 400} for n in range(20_000)]
    told += [{"seq": len(told) + 1, "kind": "ending", "reason": "stop", "deadline_boot_ms": deadline_ms}]
    folder.reports_path.write_bytes(b"".join(map(frame, told)))
    lease = folder.create_lease()
    tracemalloc.start()
    try:
        found = DeathWatch(store.attempts, run, attempt).look(5_000)
        folded = report_fold(store.attempts, run, attempt, None)
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        os.close(lease)
        store.close()
    assert (found.verdict, found.wait_ms > 50_000) == (Verdict.STILL_ENDING, True)
    assert (folded.upto, folded.missing) == (len(told), 0)
    assert peak_bytes < folder.reports_path.stat().st_size / 8
