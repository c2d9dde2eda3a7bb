"""What earlier attempts of a slot left is told with what the newest did: in prompt, evidence and second step (EFF7, REC14)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from quarterdeck.cli.recovering import settled_before
from quarterdeck.domain.ids import CommandId, RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.shown import EVIDENCE_WORDS
from quarterdeck.domain.states import EndReason, Evidence
from quarterdeck.engine.recovery import AgentEvidence, InterruptedAgent, Outside, Probed, ResumePreview
from quarterdeck.engine.service import Engine
from quarterdeck.ui.present_leftovers import leftovers
from tests.engine.conftest import Opener
from tests.engine.test_damaged_reports import holds, reports_of
from tests.engine.test_settling import short_life
from tests.engine.works import (
    FOREVER,
    A,
    attempt_of,
    ended,
    journal_kinds,
    python,
    rewind,
    shows,
    slot_of,
    until,
    write,
)

PUSHES = (
    "say('effect', id='push', state='sent', kind='push', target='origin')\nprint('it pushes', flush=True)\n"
)
SAVES = "say('effect', id='b', state='confirmed', kind='file', target='b')\n"
TELLS_ITS_SESSION = (
    "left = json.load(open(os.environ['QUARTERDECK_RESUME']))\n"
    "say('output', value=[one['session_id'] for one in left['attempts']])\n"
    "sys.exit(0)\n"
)
SECOND = {"tells another": SAVES, "tells nothing": "", "tells the same": PUSHES}


def cut_off(data: Path, tmp_path: Path, first: str, second: str) -> RunId:
    """A run that was killed once its first attempt had told all of `first`; the second will run `second`."""
    body = "say('progress', done=1, label='told')\n" + FOREVER
    source = f"exec({second!r} if os.environ.get('QUARTERDECK_RESUME') else {first!r})\n{body}"
    with short_life(data, write(tmp_path / "w", {"a": python(source)})) as life:
        life.wait_said("a=Running")
        reports = reports_of(data, life.run)
        assert holds(reports, b'"progress"')
        life.kill()
    assert holds(reports.with_name("exit.json"), b"crc"), "its keeper writes until it has ended the agent"
    return life.run


async def resumed(engine: Engine, data: Path, run: RunId) -> str:
    """A second attempt, at work."""
    assert await engine.reassign(run, A, "again") is None
    attempt = await engine.claim(run, A)
    assert not isinstance(attempt, Refusal)
    await until(engine, run, shows("a", "Running"))
    path = data / "runs" / run / "attempts" / attempt / "reports.jsonl"
    assert await asyncio.to_thread(holds, path, b'"progress"')
    return attempt


def never_started(data: Path, run: RunId, attempt: str) -> None:
    """As a kill between the claim and the start of its keeper leaves it."""
    journal = data / "runs" / run / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    place = max(n for n, line in enumerate(lines) if '"attempt_claimed"' in line)
    rewind(data, run, lines[: place + 1])
    for path in (data / "runs" / run / "attempts" / attempt).iterdir():
        path.unlink()


async def told(engine: Engine, run: RunId) -> tuple[InterruptedAgent, AgentEvidence, ResumePreview]:
    (owed,) = (await engine.recovery.owed()).runs
    (agent,) = owed.agents
    evidence = await engine.recovery.evidence(run, A)
    preview = await engine.recovery.before_resume(run, A)
    assert not isinstance(evidence, Refusal)
    assert not isinstance(preview, Refusal)
    return agent, evidence, preview


@pytest.mark.parametrize("second", SECOND.values(), ids=SECOND)
async def test_an_unknown_effect_of_an_earlier_attempt_is_told_whatever_the_next_told(
    second: str, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Once for each id: its key is the slot's."""
    run = await asyncio.to_thread(cut_off, data, tmp_path, PUSHES, second)
    engine = await open_engine()
    await resumed(engine, data, run)
    await engine.close(reason="app_closed")
    agent, evidence, preview = await told(await open_engine(), run)
    assert agent.attempt_number == 2
    assert [one.id for one in agent.effects] == [one.id for one in preview.effects] == ["push"]
    assert agent.outside is preview.outside is Outside.TO_CHECK
    assert "push origin: unknown" in evidence.in_flight
    assert "push" in [one.id for one in evidence.effects]


async def test_none_in_flight_is_said_only_where_every_attempt_that_ran_proves_it(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    run = await asyncio.to_thread(cut_off, data, tmp_path, "", SAVES)
    engine = await open_engine()
    await resumed(engine, data, run)
    await engine.close(reason="app_closed")
    agent, _, preview = await told(await open_engine(), run)
    assert agent.outside is preview.outside is Outside.NOT_TOLD
    assert agent.tells
    assert preview.tells, "so that it is not said to tell nothing"


async def test_an_attempt_that_never_started_hides_nothing_of_the_one_that_ran(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """A crash between claim and start: effects, last words, and its folder, are those of the attempt before."""
    run = await asyncio.to_thread(cut_off, data, tmp_path, PUSHES, "")
    engine = await open_engine()
    before, seen, _ = await told(engine, run)
    second = await resumed(engine, data, run)
    await engine.close(reason="app_closed")
    never_started(data, run, second)
    engine = await open_engine()
    agent, evidence, preview = await told(engine, run)
    view = await engine.run(run)
    assert view is not None
    assert [one.status.value for one in slot_of(view, "a").attempts] == ["interrupted", "never_started"]
    assert agent.attempt_number == 2
    assert agent.outside is preview.outside is Outside.TO_CHECK
    assert [one.id for one in agent.effects] == ["push"]
    assert agent.last_known == f"attempt 2 had not started; attempt 1: {before.last_known}"
    assert agent.last_line == before.last_line != ""
    assert evidence.last_lines == seen.last_lines != ()
    assert (evidence.attempt_id, evidence.folder.folder) == (seen.attempt_id, seen.folder.folder)
    assert "push origin: unknown" in evidence.in_flight


async def test_the_end_of_a_former_process_is_told_though_the_newest_attempt_never_started(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC9: what is said of processes holds of every attempt that ran; that of one which never did says nothing."""
    run = await asyncio.to_thread(cut_off, data, tmp_path, "", "")
    engine = await open_engine()
    attempt = await resumed(engine, data, run)
    await engine.close(reason="app_closed")
    await asyncio.to_thread(never_started, data, run, attempt)
    engine = await open_engine()
    (owed,) = (await engine.recovery.owed()).runs
    (agent,) = owed.agents
    assert agent.attempt_number == 2
    assert agent.evidence == EVIDENCE_WORDS[Evidence.EXIT_FILE]
    assert leftovers([owed]).checked == "Checked: the agent process has ended."


async def test_an_attempt_whose_folder_was_gone_costs_neither_session_nor_evidence(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """PIN6, REC14: it never started, so session, folder and what changed in it are those of the attempt that ran."""
    run = await asyncio.to_thread(cut_off, data, tmp_path, PUSHES, TELLS_ITS_SESSION)
    engine = await open_engine()
    before, seen, _ = await told(engine, run)
    folder = Path(seen.folder.folder)
    folder.rename(folder.with_name("away"))
    assert await engine.reassign(run, A, "again") is None
    await engine.claim(run, A)
    view = await ended(engine, run)
    assert [one.end_reason for one in slot_of(view, "a").attempts][1:] == [EndReason.SPAWN]
    second = attempt_of(view, "a").attempt_id
    words = await engine.details.launch_words(run, A, second)
    assert words.problem == "This attempt was not begun, so nothing was told to its agent.", (
        "no file is missed"
    )
    folder.with_name("away").rename(folder)
    (folder / "added").write_text("by a person")
    preview = await engine.recovery.before_resume(run, A)
    evidence = await engine.recovery.evidence(run, A)
    assert isinstance(preview, ResumePreview)
    assert isinstance(evidence, AgentEvidence)
    assert (preview.session_id, preview.can_continue_session) == ("s", True)
    assert preview.choices[0].problem == ""
    assert (evidence.folder.folder, evidence.folder.could_not) == (str(folder), "")
    assert "added" in [Path(one.path).name for one in evidence.folder.changed if one.since_start]
    assert evidence.last_known == f"attempt 2 had not started; attempt 1: {before.last_known}"
    assert await engine.reassign(run, A, "again", continue_session=True) is None
    assert not isinstance(await engine.claim(run, A), Refusal)
    assert attempt_of(await ended(engine, run), "a").output == ["s", None]


async def test_what_two_attempts_told_under_one_id_is_settled_by_one_word(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """EFF4, EFF7, ruling 13: its key is the slot's; the discard names it once, and nothing is said to have been settled before."""
    run = await asyncio.to_thread(cut_off, data, tmp_path, PUSHES, PUSHES)
    engine = await open_engine()
    await resumed(engine, data, run)
    await engine.close(reason="app_closed")
    engine = await open_engine()
    view = await engine.run(run)
    assert view is not None
    assert settled_before(view, A, "push") == ""
    assert [(one.slot, one.id) for one in await engine.keeping.unknown_effects(run)] == [("a", "push")]
    for said, reason in (("happened", "it is there"), ("absent", "I looked again")):
        for _ in range(2):  # the same command again changes nothing
            command = CommandId(f"c-{said}")
            assert await engine.recovery.settle(run, A, "push", said, reason, command_id=command) is None
        view = await engine.run(run)
        assert view is not None
        told_of = [one.effects[0].settled for one in slot_of(view, "a").attempts]
        assert [(one.value, one.reason) for one in told_of if one is not None] == [(said, reason)] * 2
        assert f"{said}, as " in settled_before(view, A, "push")
        assert await engine.keeping.unknown_effects(run) == ()
    assert journal_kinds(data, run).count("effect_settled") == 4
    agent, evidence, preview = await told(engine, run)
    assert agent.effects == preview.effects == evidence.in_flight == ()
    assert [one.id for one in agent.settled] == [one.id for one in preview.settled] == ["push"]


async def test_a_word_about_an_earlier_try_stays_where_the_next_is_settled_by_itself(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    run = await asyncio.to_thread(cut_off, data, tmp_path, PUSHES, PUSHES)
    engine = await open_engine()
    assert await engine.recovery.settle(run, A, "push", "happened", "the first did") is None
    await resumed(engine, data, run)
    await engine.close(reason="app_closed")
    engine = await open_engine()
    before = await engine.run(run)
    assert before is not None
    assert settled_before(before, A, "push") == "", "that was said of the other"
    for reason in ("the second did not", "I looked again"):
        assert await engine.recovery.settle(run, A, "push", "absent", reason) is None
        view = await engine.run(run)
        assert view is not None
        told_of = [one.effects[0].settled for one in slot_of(view, "a").attempts]
        assert [one.reason for one in told_of if one is not None] == ["the first did", reason]


async def test_a_probe_asks_for_every_attempt_that_told_the_effect(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    writes = "say('effect', id='push', state='sent', kind='file', target='/nowhere/at/all')\n"
    run = await asyncio.to_thread(cut_off, data, tmp_path, writes, writes)
    engine = await open_engine()
    await resumed(engine, data, run)
    await engine.close(reason="app_closed")
    engine = await open_engine()
    found = await engine.recovery.probe(run, A, "push")
    assert isinstance(found, Probed)
    assert found.state == "absent"
    agent, _, _ = await told(engine, run)
    assert agent.effects == ()
