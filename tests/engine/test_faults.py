"""A fault of our own ends one run, aloud, and no other; shims and sockets that misbehave are no fault of the run's actor."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.refusal import Code
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.app_log import FILE_NAME, AppLog, _PrivateFile, log_folder
from quarterdeck.engine.faults import ENDED_BY_FAULT, NOT_SETTLED
from quarterdeck.engine.mailbox import ROOM, Mailbox, Order, RunOver
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.service import Engine
from quarterdeck.engine.settling import Settlement
from quarterdeck.engine.shim_link import ShimLink
from quarterdeck.engine.supervision import Supervision
from tests.engine.conftest import Opener
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


async def test_a_fault_in_the_actor_ends_its_run_with_evidence_and_leaves_others_alone(
    engine: Engine,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    other = await launch(engine, write(tmp_path, {"a": python(FOREVER)}, name="other"))
    for each in (run, other):
        await until(engine, each, shows("a", "Running"))
    real = RunBook.take_totals

    def breaks(self: RunBook, attempt: AttemptId, totals: dict[str, Any]) -> None:
        if self.run_id == run:
            raise RuntimeError("a fault that nobody expected")
        real(self, attempt, totals)

    monkeypatch.setattr(RunBook, "take_totals", breaks)
    asked = engine._live._actors[run]  # the actor's box: a message for the fault to be met at
    asked._box.put_totals(AttemptId("x"), {})
    events = [event async for event in engine.events(run)]
    view = await ended(engine, run)
    assert (view.outcome, view.reason) == (Outcome.INTERRUPTED, ENDED_BY_FAULT)
    assert attempt_of(view, "a").evidence == "exit_file"
    assert events[-1].type == "run_ended"
    assert await engine.run(run) == view
    assert any("nobody expected" in str(record.exc_info) for record in caplog.records if record.exc_info)
    alive = engine.live_run(other)
    assert alive is not None
    assert alive.is_live
    refused = await engine.stop_run(run)
    assert refused is not None
    assert refused.code is Code.E_TERMINAL


async def test_a_fault_that_settling_meets_as_well_names_the_log_and_the_next_life_settles_the_run(
    engine: Engine, open_engine: Opener, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))

    def breaks(*_: Any) -> None:
        raise RuntimeError("a fault that nobody expected")

    with monkeypatch.context() as patch:
        patch.setattr(RunBook, "take_totals", breaks)
        patch.setattr(Settlement, "settle", breaks)
        engine._live._actors[run]._box.put_totals(AttemptId("x"), {})
        view = await ended(engine, run)
        assert (view.is_live, view.reason, view.recording) == (True, NOT_SETTLED, True)
        assert str(log_folder() / FILE_NAME) in view.fault
        assert await engine.run(run) == view
        await engine.close()
    later = await (await open_engine()).run(run)
    assert later is not None
    assert (later.outcome, later.fault) == (Outcome.INTERRUPTED, "")
    assert attempt_of(later, "a").evidence == "exit_file"


async def test_a_fault_while_starting_one_agent_fails_that_agent_only(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = Supervision._start_now

    def breaks(self: Supervision, start: Any) -> Any:
        if start.claim.slot_id == "a":
            raise RuntimeError("bug")
        return real(self, start)

    monkeypatch.setattr(Supervision, "_start_now", breaks)
    view = await to_end(engine, write(tmp_path, {"a": shell("true"), "b": shell("true")}))
    assert displays(view) == {"a": "Failed", "b": "Done"}
    assert "fault of its own" in slot_of(view, "a").reason
    assert any(record.exc_info for record in caplog.records)


async def test_a_shim_that_sends_what_is_no_line_of_ours_is_let_go_and_its_agent_ends(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ShimLink._take

    def garbled(self: ShimLink, line: bytes) -> None:
        real(self, b"\x00" + line if b'"started"' in line else line)

    monkeypatch.setattr(ShimLink, "_take", garbled)
    view = await to_end(engine, write(tmp_path, {"a": python(FOREVER)}))
    attempt = attempt_of(view, "a")
    assert (attempt.status.value, attempt.evidence) == ("interrupted", "exit_file")
    assert "what came of its keeper could not be understood" in attempt.reason, (
        "and not that the app was closed"
    )
    assert not view.is_live


async def test_names_without_end_and_limit_break_no_link_to_a_healthy_agent(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Whatever an agent names goes to the app in lines of bounded length."""
    source = (
        "wide = chr(0x1f600) * 60_000\n"
        "say('progress', done=1, total=2, label=wide)\n"
        "for n in range(300): say('usage', model=str(n) + wide[:300], cost_usd='0.01', message_id=str(n))\n"
        "for n in range(3): say('usage', model=wide + str(n), cost_usd='0.01')\n"
        "say('output', value='whole')\n"
    )
    view = await to_end(engine, write(tmp_path, {"a": python(source)}))
    attempt = attempt_of(view, "a")
    assert (attempt.status.value, attempt.output, attempt.figures.cost_usd) == (
        "succeeded",
        "whole",
        Decimal("3.03"),
    )
    assert [error.error_class for error in attempt.errors] == ["beyond_limits"]
    (data / "runs" / view.run_id / "record.json").unlink()
    assert await (await Engine.open(data, read_only=True)).run(view.run_id) == view


async def test_a_report_of_another_run_attempt_or_epoch_is_refused_and_counted(
    engine: Engine, data: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """ID4: the whole stream of a finished run, replayed into a live sibling: 0 accepted."""
    path = write(
        tmp_path,
        {"a": python("say('turn'); say('usage', cost_usd='0.5', model='m'); say('output', value=1)")},
    )
    done = await to_end(engine, path)
    run = await launch(engine, write(tmp_path / "b", {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))
    book = engine._live._actors[run].book
    before, finished = book.view(), attempt_of(done, "a").attempt_id
    (reports,) = data.glob(f"runs/{done.run_id}/attempts/*/reports.jsonl")
    stream = [json.loads(line) for line in reports.read_text().splitlines()]
    for report in stream:
        book.take_fact(finished, report)
    mine = attempt_of(before, "a").attempt_id
    book.take_fact(mine, {**stream[0], "seq": 10_000})
    book.take_fact(mine, {"kind": "output", "seq": 10_001, "epoch": 99, "value": "forged"})
    assert book.refused.total() == len(stream) + 2
    after = book.view()
    assert attempt_of(after, "a").output is None
    assert after.cost_usd == before.cost_usd
    await engine.stop_run(run)
    view = await ended(engine, run)
    reader = await Engine.open(data, read_only=True)
    for seen in (after, view, await reader.run(run)):  # live, ended, and by its record
        assert seen is not None
        (slot,) = run_to_json(seen)["slots"]
        assert [attempt["refused_reports"] for attempt in slot["attempts"]] == [2]
    await reader.close()
    assert await engine.reassign(run, A, "look again") is None
    again = await engine.run(run)
    assert again is not None
    assert attempt_of(again, "a").refused_reports == 2
    assert f"{len(stream) + 2} reports were refused" in caplog.text


async def test_a_failed_order_tells_who_asked_and_the_actor_goes_on(engine: Engine, tmp_path: Path) -> None:
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))

    async def breaks(_orders: object) -> None:
        raise RuntimeError("bug in an order")

    with pytest.raises(RuntimeError, match="bug in an order"):
        await engine._live.order(run, breaks)
    assert await engine.stop_slot(run, A) is None
    assert (await ended(engine, run)).exit_code == 4


# ------------------------------------------------------------------------------------------- the box


async def test_the_box_keeps_one_total_an_attempt_and_makes_sockets_wait() -> None:
    box: Mailbox[int] = Mailbox()
    one, two = AttemptId("a-1"), AttemptId("a-2")
    for number in range(10_000):
        box.put_totals(one, {"n": number})
    box.put_totals(two, {"n": 1})
    assert box.is_empty
    await box.wait_filled()
    assert box.take_totals() == {one: {"n": 9_999}, two: {"n": 1}}
    for number in range(ROOM):
        box.put(number)
    waiting = asyncio.ensure_future(box.wait_room())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert box.take() == 0
    await asyncio.wait_for(waiting, 1)
    order = Order(lambda: asyncio.sleep(0), asyncio.get_running_loop().create_future())
    box.put(order)
    box.refuse_orders()
    with pytest.raises(RunOver):
        await order.answer


# ------------------------------------------------------------------------------------------- the log


def test_the_log_is_json_lines_private_and_begun_with_its_first_line(tmp_path: Path) -> None:
    folder = log_folder()
    assert folder == tmp_path / "quarterdeck-data" / "log"
    log = AppLog.start()
    try:
        assert not folder.exists()
        logger = logging.getLogger("quarterdeck.engine.faults")
        logger.warning("run %s is odd", "r-1")
        try:
            raise ValueError("inner")
        except ValueError:
            logger.exception("it broke")
    finally:
        log.stop()
    path = folder / FILE_NAME
    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert (first["level"], first["message"]) == ("warning", "run r-1 is odd")
    assert "ValueError: inner" in second["fault"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


MANY_LINES = """
import logging, sys
from pathlib import Path
from quarterdeck.engine import app_log

app_log.FILE_BYTES_MAX = 100_000
log = app_log.AppLog.start(Path(sys.argv[1]))
for turn in range(10):  # so that each fills the file while the others hold it open
    sys.stdin.readline()
    for number in range(50):
        logging.getLogger("quarterdeck.test").info("line %s.%s of %s", turn, number, sys.argv[2])
    print("said", flush=True)
log.stop()
assert not log.has_failed
"""


def test_processes_that_share_the_log_make_room_once_and_lose_no_line(tmp_path: Path) -> None:
    """260 kB in four files of 100 kB: were each process to make room when one file is full, the oldest would be gone."""
    pipe = subprocess.PIPE
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", MANY_LINES, str(tmp_path), str(number)], stdin=pipe, stdout=pipe
        )
        for number in range(4)
    ]
    for _ in range(10):
        for writer in writers:
            assert writer.stdin is not None
            assert writer.stdout is not None
            writer.stdin.write(b"on\n")
            writer.stdin.flush()
            assert writer.stdout.readline() == b"said\n"
    for writer in writers:
        writer.communicate(timeout=60)
    assert [writer.returncode for writer in writers] == [0] * 4
    lines = [line for path in tmp_path.glob(f"{FILE_NAME}*") for line in path.read_text().splitlines()]
    said = {json.loads(line)["message"] for line in lines}
    assert len(lines) == len(said) == 4 * 500


def test_a_log_on_a_disk_that_takes_nothing_ends_without_an_error_and_goes_on_once_it_does(
    tmp_path: Path,
) -> None:
    file = _PrivateFile(tmp_path / FILE_NAME, maxBytes=1_000, delay=True, encoding="utf-8")
    record = logging.LogRecord("quarterdeck", logging.INFO, "", 0, "said", (), None)
    file.handle(record)
    assert file.stream is not None
    os.dup2(full := os.open("/dev/full", os.O_WRONLY), file.stream.fileno())
    os.close(full)
    file.stream.write("cannot be written")
    file.close()
    assert file.has_failed
    file.handle(record)
    file.close()
    assert (tmp_path / FILE_NAME).read_text() == "said\n" * 2


async def test_a_command_for_a_foreign_run_goes_to_the_log(
    open_engine: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    """Ruling 14."""
    engine = await open_engine()
    with caplog.at_level(logging.WARNING):
        answer = await engine._foreign.serve({"v": 1, "verb": "stop", "run": RunId("r-" + "9" * 32)})
    assert answer["ok"] is False
    assert "r-999" in caplog.text
