"""A report file that is gone, empty, all NUL or cut in its first line: its attempt is damaged, and never one that did not start.

JNL6, EFF7, REC3, REC6, REC14, CON3, CON4.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import AttemptStatus, Evidence
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.recovery import Outside, ResumePreview
from tests.engine.conftest import Opener
from tests.engine.test_damaged_reports import cut_off_while_pushing, holds, reports_of
from tests.engine.test_odd_run_folders import a_circle, a_file, a_link_to_nowhere, replace
from tests.engine.works import attempt_of

A = SlotId("a")
Spoil = Callable[[Path], None]


def gone(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def cut_in_its_first_line(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:20])


SPOILS = [gone, empty, zeros, cut_in_its_first_line]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunId]:
    """A data folder whose one agent has spent 0.25 and sent an effect, as it was left by a kill; each test has a copy."""
    folder = tmp_path_factory.mktemp("killed")
    return folder / "data", cut_off_while_pushing(folder / "data", folder, None)


@pytest.fixture
def run(killed: tuple[Path, RunId], data: Path) -> RunId:
    shutil.copytree(killed[0], data, ignore=shutil.ignore_patterns("*.sock"))
    return killed[1]


async def assert_told_as_damaged(
    open_engine: Opener, run: RunId, effects: list[str], *, is_recorded: bool = False
) -> None:
    """By list, view, prompt and preview, whoever opens. is_recorded: list and view have the record's figures, which are whole."""
    for read_only in (True, False):
        engine = await open_engine(read_only=read_only)
        (line,) = engine.runs()
        view = await engine.run(run)
        (owed,) = (await engine.recovery.owed()).runs
        (agent,) = owed.agents
        assert view is not None
        assert [one.cost_is_complete for one in (line, view, owed, agent)] == [
            is_recorded,
            is_recorded,
            False,
            False,
        ]
        assert (attempt_of(view, "a").status, agent.display) == (AttemptStatus.INTERRUPTED, "Stopped")
        assert attempt_of(view, "a").evidence != Evidence.NEVER_STARTED.value
        assert "never started" not in agent.evidence
        assert "is lost, effects and files among it perhaps" in agent.unread
        assert "is lost" in agent.last_known
        assert [one.id for one in agent.effects] == effects
        assert agent.outside is (Outside.TO_CHECK if effects else Outside.NOT_TOLD)
        preview = await engine.recovery.before_resume(run, A)
        assert isinstance(preview, ResumePreview)
        assert preview.outside is not Outside.NONE
        assert len(preview.unread) == 1
        await engine.close()


@pytest.mark.parametrize("spoil", SPOILS)
@pytest.mark.parametrize("has_exit", [True, False], ids=["its end is attested", "nothing attests an end"])
async def test_an_attempt_whose_reports_are_lost_before_it_is_settled_did_start(
    has_exit: bool, spoil: Spoil, run: RunId, open_engine: Opener, data: Path
) -> None:
    """What `exit.json` counts, or what it printed, tells that there was more."""
    reports = reports_of(data, run)
    if not has_exit:
        reports.with_name("exit.json").unlink()
    spoil(reports)
    await assert_told_as_damaged(open_engine, run, [])
    rows = [json.loads(line) for line in (data / "ledger.jsonl").read_bytes().splitlines()]
    assert not any(row.get("complete") for row in rows if row["kind"] == "spend")


@pytest.mark.parametrize("spoil", SPOILS)
async def test_an_attempt_whose_reports_are_lost_after_it_was_settled_tells_what_its_record_knows(
    spoil: Spoil, run: RunId, open_engine: Opener, data: Path
) -> None:
    """The journal tells how far it had told, the record which effects are not known."""
    engine = await open_engine()
    (owed,) = (await engine.recovery.owed()).runs
    assert owed.cost_usd == Decimal("0.25")
    await engine.close()
    reports = reports_of(data, run)
    reports.with_name("exit.json").unlink()
    spoil(reports)
    await assert_told_as_damaged(open_engine, run, ["push1"], is_recorded=True)


@pytest.mark.parametrize("spoil", SPOILS)
async def test_a_successor_is_told_that_all_reports_before_it_are_lost(
    spoil: Spoil, run: RunId, open_engine: Opener, data: Path
) -> None:
    """CON3: empty lists are not handed on as the whole; an effect that the record knows is."""
    engine = await open_engine()
    spoil(reports_of(data, run))
    assert await engine.reassign(run, A, "again") is None
    attempt = await engine.claim(run, A)
    assert not isinstance(attempt, Refusal)
    path = data / "runs" / run / "attempts" / attempt / "resume.json"
    assert await asyncio.to_thread(holds, path, b'"note"')
    told: dict[str, Any] = json.loads(path.read_bytes())
    (before,) = told["attempts"]
    assert [(one["id"], one["state"]) for one in before["effects"]] == [("push1", "unknown")]
    assert "is lost" in before["reports_damaged"]
    assert "take none of it for the whole" in told["note"]


async def test_reports_that_end_before_the_last_that_was_written_are_damaged_though_each_line_is_sound(
    run: RunId, open_engine: Opener, data: Path
) -> None:
    """JNL6: a file that was cut between two lines looks whole by itself."""
    path = reports_of(data, run)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2]))
    await assert_told_as_damaged(open_engine, run, [])


async def test_an_attempt_that_printed_nothing_and_told_nothing_never_started(
    run: RunId, open_engine: Opener, data: Path
) -> None:
    """Its claim is durable before its keeper is: nothing was done, and nothing is owed but an answer."""
    reports = reports_of(data, run)
    for name in ("exit.json", "reports.jsonl", "transcript"):
        reports.with_name(name).unlink()
    engine = await open_engine()
    (owed,) = (await engine.recovery.owed()).runs
    (agent,) = owed.agents
    assert (agent.evidence, agent.last_known, agent.unread) == ("never started", "not started yet", "")
    assert (agent.outside, owed.cost_usd, owed.cost_is_complete) == (Outside.NONE, Decimal(0), True)


async def test_a_run_whose_attempts_are_gone_is_damaged_and_its_agents_are_not_told_to_have_never_started(
    run: RunId, open_engine: Opener, data: Path
) -> None:
    """REC3, JNL6: their folder is made before the journal, so it was taken away."""
    shutil.rmtree(data / "runs" / run / "attempts")
    for _ in range(2):
        engine = await open_engine()
        (line,) = engine.runs()
        assert (line.reason, line.cost_is_complete) == ("its files are damaged (attempts is missing)", False)
        (owed,) = (await engine.recovery.owed()).runs
        (agent,) = owed.agents
        assert (owed.cost_is_complete, agent.cost_is_complete) == (False, False)
        assert (agent.outside, "never started" in agent.evidence) == (Outside.NOT_TOLD, False)
        assert "is lost" in agent.unread
        assert not (data / "runs" / run / "attempts").exists(), "nothing is written into a damaged run"
        await engine.close()
    engine = await open_engine()
    assert isinstance(await engine.keeping.discard(run), Discarded)


@pytest.mark.parametrize("make", [a_file, a_link_to_nowhere, a_circle])
async def test_an_attempt_in_whose_place_something_else_lies_is_not_told_to_have_never_started(
    make: Callable[[Path], None], run: RunId, open_engine: Opener, data: Path
) -> None:
    """REC3: its run is settled, and can be carried on; of the attempt it is said that nothing is known."""
    replace(reports_of(data, run).parent, make)
    engine = await open_engine()
    (line,) = engine.runs()
    (owed,) = (await engine.recovery.owed()).runs
    (agent,) = owed.agents
    assert [one.cost_is_complete for one in (line, owed, agent)] == [False] * 3
    assert (agent.outside, agent.evidence == "never started", bool(agent.unread)) == (
        Outside.NOT_TOLD,
        False,
        True,
    )
    assert await engine.reassign(run, A, "again") is None
