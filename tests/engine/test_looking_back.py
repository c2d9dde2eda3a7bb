"""The door looks back: spend by the ledger against the views, waits by journal and reports, the end of the app's log."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.spend_rows import total
from quarterdeck.domain.views import RunView
from quarterdeck.engine.log_tail import read_log_tail
from quarterdeck.engine.service import Engine
from tests.engine.works import ASKS, ended, launch, python, shell, slot_of, spends, to_end, until, write


def asks(node: str) -> object:
    return lambda view: slot_of(view, node).approvals


async def test_the_ledgers_sum_is_that_of_all_runs_exactly(engine: Engine, tmp_path: Path) -> None:
    """I5: the naive sum is taken of the views."""
    assert total((await engine.past.spend()).rows).cost_usd is None
    views: list[RunView] = []
    for n in range(3):
        path = write(tmp_path / str(n), {"a": spends("0.1", "0.02"), "b": spends(f"1.00{n}7")}, name=f"w{n}")
        views.append(await to_end(engine, path))
        report = await engine.past.spend()
        exact = sum((a.figures.cost_usd or 0 for v in views for s in v.slots for a in s.attempts), Decimal(0))
        assert (total(report.rows).cost_usd, report.unread) == (exact, 0)
    assert {row.model for row in report.rows} == {"m"}


async def test_a_line_that_cannot_be_read_is_counted(engine: Engine, data: Path, tmp_path: Path) -> None:
    for _ in range(2):
        await to_end(engine, write(tmp_path, {"a": spends("0.5")}))
    with open(data / "ledger.jsonl", "ab") as file:
        file.write(b'{"kind":"spend","cost_usd":"9","crc":"00000000"}\n')
    report = await engine.past.spend()
    assert report.unread == 1
    assert total(report.rows).cost_usd == Decimal("1.0")


async def test_the_wait_for_an_agents_question_is_told_from_its_asking_to_its_answer(
    engine: Engine, tmp_path: Path
) -> None:
    run = await launch(engine, write(tmp_path, {"a": python(ASKS)}))
    view = await until(engine, run, asks("a"))  # type: ignore[arg-type]
    (asked,) = slot_of(view, "a").approvals
    async with asyncio.timeout(20):  # it is read from the keeper's file, which has it a little after the view
        while not (found := (await engine.past.waits([(run, None)]))[run]):
            await asyncio.sleep(0.02)
    (open_one,) = found
    assert (open_one.request_id, open_one.asked_at, open_one.answered_at) == (
        asked.request_id,
        asked.asked_at,
        None,
    )
    assert await engine.answer(run, asked.request_id, "yes") is None
    over = await ended(engine, run)
    (wait,) = (await engine.past.waits([(run, over.end_seq)]))[run]
    assert wait.was_answered
    assert wait.question == "Go?"
    assert wait.answered_at is not None
    assert over.ended_at is not None
    assert asked.asked_at.boot_ms <= wait.answered_at.boot_ms <= over.ended_at.boot_ms


async def test_a_question_that_nobody_answered_ends_with_its_agent(engine: Engine, tmp_path: Path) -> None:
    run = await launch(engine, write(tmp_path, {"a": python(ASKS)}))
    await until(engine, run, asks("a"))  # type: ignore[arg-type]
    await engine.stop_run(run)
    over = await ended(engine, run)
    (wait,) = (await engine.past.waits([(run, over.end_seq)]))[run]
    end = slot_of(over, "a").attempts[0].ended_at
    assert end is not None
    assert wait.answered_at is not None
    assert not wait.was_answered
    assert wait.asked_at.boot_ms <= wait.answered_at.boot_ms <= end.boot_ms + 1000


async def test_the_question_of_an_approval_node_is_a_wait_without_an_attempt(
    engine: Engine, tmp_path: Path
) -> None:
    nodes = {"gate": {"kind": "approval", "question": "Ship?"}}
    run = await launch(engine, write(tmp_path, {"a": shell("true")}, ("a", "gate"), nodes=nodes))
    view = await until(engine, run, asks("gate"))  # type: ignore[arg-type]
    (asked,) = slot_of(view, "gate").approvals
    await engine.answer(run, asked.request_id, "Approve")
    over = await ended(engine, run)
    (wait,) = (await engine.past.waits([(run, over.end_seq)]))[run]
    assert (wait.attempt_id, wait.question, wait.was_answered) == (None, "Ship?", True)


async def test_a_run_that_is_not_known_is_left_out(engine: Engine) -> None:
    assert await engine.past.waits([(RunId("r-" + "0" * 32), 1)]) == {}


def test_the_end_of_the_log_is_whole_lines_and_what_is_no_line_is_shown_as_it_is(tmp_path: Path) -> None:
    assert read_log_tail(tmp_path).lines == ()
    lines = [json.dumps({"at": "t", "level": "info", "from": "q", "message": f"m{n}"}) for n in range(50)]
    (tmp_path / "quarterdeck.log").write_text("\n".join([*lines, "torn"]) + "\n")
    whole = read_log_tail(tmp_path)
    assert ([x.message for x in whole.lines], whole.cut) == ([f"m{n}" for n in range(50)] + ["torn"], False)
    part = read_log_tail(tmp_path, bytes_max=300)
    assert part.cut
    assert part.lines == whole.lines[-len(part.lines) :]
    assert 0 < len(part.lines) < 10
