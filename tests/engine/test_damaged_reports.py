"""A report file that is damaged in its middle: what is read of it is never taken for the whole (JNL6, EFF7, REC14, CON3)."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.engine.recovery import Outside, ResumePreview
from quarterdeck.engine.report_folds import END_LOST
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.works import FOREVER, WITHIN_S, attempt_of, python, slot_of, spends, write

A = SlotId("a")
PUSHES = (
    "say('checkpoint', step='read', data={'x': 1})\n"
    "say('effect', id='push1', state='intended', kind='push', target='origin main')\n"
    "say('effect', id='push1', state='sent', kind='push', target='origin main')\n"
)


def spoil_line(path: Path, kind: str) -> None:
    """One bit of the first report of that kind."""
    content = bytearray(path.read_bytes())
    content[content.index(f'"kind":"{kind}"'.encode()) + 8] ^= 1
    path.write_bytes(bytes(content))


def reports_of(data: Path, run: RunId) -> Path:
    (found,) = (data / "runs" / run / "attempts").glob("*/reports.jsonl")
    return found


def holds(path: Path, words: bytes) -> bool:
    """Whether another process has written that there, soon."""
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        if path.exists() and words in path.read_bytes():
            return True
        time.sleep(0.02)
    return False


def cut_off_while_pushing(data: Path, tmp_path: Path, kind: str | None) -> RunId:
    path = write(tmp_path / "w", {"a": spends("0.25", then=PUSHES + FOREVER)})
    with short_life(data, path) as life:
        life.wait_said("a=Running/0.25")
        reports = reports_of(data, life.run)
        assert holds(reports, b'"state":"sent"')
        life.kill()
    assert holds(reports.with_name("exit.json"), b"crc"), "its keeper writes until it has ended the agent"
    if kind is not None:
        spoil_line(reports, kind)
    return life.run


async def test_effects_behind_a_damaged_report_are_said_to_be_unknown_and_never_to_be_none(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    run = cut_off_while_pushing(data, tmp_path, "checkpoint")
    engine = await open_engine()
    ((agent,),) = [one.agents for one in (await engine.recovery.owed()).runs]
    assert "checksum does not match" in agent.unread
    assert "effects and files among it perhaps" in agent.last_known
    assert (agent.outside, agent.cost_is_complete) == (Outside.NOT_TOLD, False)
    view = await engine.run(run)
    assert view is not None
    assert not view.cost_is_complete
    assert any("checksum does not match" in error.message for error in attempt_of(view, "a").errors)
    preview = await engine.recovery.before_resume(run, A)
    assert isinstance(preview, ResumePreview)
    assert preview.outside is Outside.NOT_TOLD
    assert [("checksum does not match" in words) for words in preview.unread] == [True]


async def test_a_successor_is_told_that_the_reports_before_it_are_damaged(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """CON3, CON4: an empty list of effects is not handed on as the whole."""
    run = cut_off_while_pushing(data, tmp_path, "checkpoint")
    engine = await open_engine()
    assert await engine.reassign(run, A, "again") is None
    attempt = await engine.claim(run, A)
    assert not isinstance(attempt, Refusal)
    path = data / "runs" / run / "attempts" / attempt / "resume.json"
    assert await asyncio.to_thread(holds, path, b'"note"')
    told: dict[str, Any] = json.loads(path.read_bytes())
    assert told["attempts"][0]["effects"] == []
    assert "checksum does not match" in told["attempts"][0]["reports_damaged"]
    assert "take none of it for the whole" in told["note"]


async def test_an_attempt_whose_reports_are_damaged_before_it_was_settled_is_not_judged_to_have_succeeded(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Its end by itself is attested; what it told is not there, so its results are not durable (A15 row 8)."""
    path = write(tmp_path / "w", {"a": spends("0.25", then="say('output', value='result')")})
    with short_life(data, path, "record.json") as life:
        life.wait_said("never")
        life.process.wait()
    journal = data / "runs" / life.run / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    journal.write_bytes(b"".join(lines[: kinds.index("attempt_claimed") + 1]))
    spoil_line(reports_of(data, life.run), "usage")
    engine = await open_engine()
    view = await engine.run(life.run)
    assert view is not None
    assert attempt_of(view, "a").status is AttemptStatus.FAILED
    assert "results could not be kept" in slot_of(view, "a").reason
    assert not view.cost_is_complete


async def test_a_torn_last_report_is_no_damage(open_engine: Opener, data: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "w", {"a": python(PUSHES + FOREVER)})
    with short_life(data, path) as life:
        life.wait_said("a=Running")
        reports = reports_of(data, life.run)
        assert holds(reports, b'"state":"sent"')
        life.kill()
    assert holds(reports.with_name("exit.json"), b"crc")
    with open(reports, "ab") as file:
        file.write(b'{"seq":99,"kind":"no')
    engine = await open_engine()
    ((agent,),) = [one.agents for one in (await engine.recovery.owed()).runs]
    assert (agent.unread, agent.outside) == ("", Outside.TO_CHECK)


async def test_who_is_told_that_the_end_of_the_reports_was_lost_is_told_so_everywhere(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """A torn tail that no attested end covers: prompt, preview, what is looked at, and the successor's file agree (CON3, JNL5)."""
    run = cut_off_while_pushing(data, tmp_path, None)
    path = reports_of(data, run)
    path.with_name("exit.json").unlink()
    content = path.read_bytes()
    path.write_bytes(content[: content.rindex(b'{"', 0, content.rindex(b"\n", 0, -1)) + 30])
    engine = await open_engine()
    ((agent,),) = [one.agents for one in (await engine.recovery.owed()).runs]
    preview = await engine.recovery.before_resume(run, A)
    evidence = await engine.recovery.evidence(run, A)
    assert isinstance(preview, ResumePreview)
    assert not isinstance(evidence, Refusal)
    assert (agent.unread, preview.unread) == (END_LOST, (END_LOST,))
    assert END_LOST in evidence.in_flight
    assert await engine.reassign(run, A, "again") is None
    attempt = await engine.claim(run, A)
    assert not isinstance(attempt, Refusal)
    resume = data / "runs" / run / "attempts" / attempt / "resume.json"
    assert await asyncio.to_thread(holds, resume, b'"note"')
    told: dict[str, Any] = json.loads(resume.read_bytes())
    assert told["attempts"][0]["reports_damaged"] == END_LOST
    assert "take none of it for the whole" in told["note"]


@pytest.mark.parametrize("kept", [0, 1, -1], ids=["nothing", "its first line", "all but its last line"])
async def test_effects_are_not_said_to_be_none_where_the_end_of_the_reports_was_lost(
    kept: int, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """EFF7, REC14: what nobody can read any more is not known, whoever says so."""
    run = cut_off_while_pushing(data, tmp_path, None)
    path = reports_of(data, run)
    lines = path.read_bytes().splitlines(keepends=True)
    until = next(n for n, line in enumerate(lines) if b'"push1"' in line) if kept < 0 else kept
    path.write_bytes(b"".join(lines[:until]) + bytes(100))
    engine = await open_engine()
    (owed,) = (await engine.recovery.owed()).runs
    (agent,) = owed.agents
    assert (agent.outside, agent.effects) == (Outside.NOT_TOLD, ())
    assert "effects and files among it perhaps" in agent.unread
    assert (owed.torn, owed.cost_is_complete) == (True, False)
