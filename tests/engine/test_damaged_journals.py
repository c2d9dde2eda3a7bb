"""A journal that is damaged before its end: its run is named, never carried on, and can be discarded (JNL2, JNL5, JNL6, case 101)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.recovery import ResumePreview
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.test_settling import ShortLife, short_life
from tests.engine.works import (
    FOREVER,
    WITHIN_S,
    displays,
    python,
    shows,
    slot_of,
    spends,
    to_end,
    until,
    write,
)

A = SlotId("a")
Spoil = Callable[[Path], None]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def nuls(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 5] = bytes(5)
    path.write_bytes(bytes(content))


def without_claims(path: Path) -> None:
    """The claim and all after it are gone, as by a tail that is lost: only the attempt's folder tells of it."""
    lines = path.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    path.write_bytes(b"".join(lines[: kinds.index("attempt_claimed")]))


def done_and_cut_off(data: Path, tmp_path: Path, spoil: Spoil) -> RunId:
    """A run whose first agent is done and whose second was running when the owner was killed."""
    path = write(tmp_path / "w", {"a": spends("0.25"), "b": python(FOREVER)}, ("a", "b"))
    with short_life(data, path) as life:
        life.wait_said("a=Done", "b=Running")
        life.kill()
    wait_until_ended(data, life.run)
    spoil(data / "runs" / life.run / "journal.jsonl")
    return life.run


def wait_until_ended(data: Path, run: RunId | str) -> None:
    """Keepers write until they have ended their agents."""
    attempts = list((data / "runs" / run / "attempts").iterdir())
    deadline = time.monotonic() + WITHIN_S
    while not all((one / "exit.json").exists() for one in attempts) and time.monotonic() < deadline:
        time.sleep(0.02)


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name.startswith(("journal", "record"))
    }


def refused_for_damage(answer: object) -> bool:
    return (
        isinstance(answer, Refusal)
        and answer.code is Code.E_STORE
        and "journal is damaged" in answer.message
        and "Launch it anew, or discard it" in answer.message
    )


@pytest.mark.parametrize("spoil", [flip, nuls, without_claims])
async def test_damage_before_recovery_is_named_and_starts_nothing_again(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """JNL5, JNL6: what is read is "at least", and done work is not begun anew."""
    run = done_and_cut_off(data, tmp_path, spoil)
    before, attempts = content(data / "runs" / run), sorted((data / "runs" / run / "attempts").iterdir())
    engine = await open_engine()
    await engine.refresh()
    assert run in {one.run for one in await engine.keeping.unreadable()}
    (line,) = engine.runs()
    assert not line.cost_is_complete
    owed = await engine.recovery.owed()
    assert [(one.run_id, one.torn, one.cost_is_complete) for one in owed.runs] == [(run, True, False)]
    assert [(one.run_id, "damaged" in one.why) for one in owed.unreadable] == [(run, True)]
    assert refused_for_damage(await engine.claim(run, A))
    assert refused_for_damage(await engine.reassign(run, A, "again"))
    assert not isinstance(await engine.recovery.before_resume(run, A), ResumePreview)
    assert content(data / "runs" / run) == before, "a damaged journal was written"
    assert sorted((data / "runs" / run / "attempts").iterdir()) == attempts


@pytest.mark.parametrize("spoil", [flip, nuls, without_claims])
async def test_a_damaged_run_that_is_kept_as_stopped_asks_no_more(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC3, ruling 19: the answer sticks, in a later life too; nothing is written behind the damage."""
    run = done_and_cut_off(data, tmp_path, spoil)
    engine = await open_engine()
    await engine.refresh()
    before = content(data / "runs" / run)
    refused = await engine.recovery.keep_as_stopped(run, "somebody else")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ACTOR
    assert [one.run_id for one in (await engine.recovery.owed()).runs] == [run]
    for _ in range(2):
        assert await engine.recovery.keep_as_stopped(run) is None
    assert [line.unanswered for line in engine.runs()] == [False]
    await engine.close()
    other = await open_engine()
    await other.refresh()
    view = await other.run(run)
    assert view is not None
    assert (view.outcome, view.unanswered) == (Outcome.INTERRUPTED, False)
    assert [line.unanswered for line in other.runs()] == [False]
    assert (await other.recovery.owed()).runs == ()
    assert run in {one.run for one in await other.keeping.unreadable()}, "it is still named"
    assert refused_for_damage(await other.claim(run, A))
    assert content(data / "runs" / run) == before
    lines = [json.loads(line) for line in (data / "ledger.jsonl").read_text().splitlines()]
    assert [line["run"] for line in lines if line["kind"] == "damage_answered"] == [run]


async def test_a_reader_answers_nothing(open_engine: Opener, data: Path, tmp_path: Path) -> None:
    run = done_and_cut_off(data, tmp_path, flip)
    engine = await open_engine(read_only=True)
    assert refused_for_damage(await engine.recovery.keep_as_stopped(run))
    assert (
        not (data / "ledger.jsonl").exists() or "damage_answered" not in (data / "ledger.jsonl").read_text()
    )


def killed_while_it_pushed(data: Path, tmp_path: Path) -> ShortLife:
    """A life that was killed when its first agent had ended and its second had sent an effect."""
    pushes = "say('effect', id='push1', state='sent', kind='push', target='origin main')\n"
    agents = {"a": spends("0.25"), "b": spends("0.50", then=pushes + FOREVER)}
    with short_life(data, write(tmp_path / "w", agents, ("a", "b"))) as life:
        life.wait_said("b=Running/0.5")
        life.kill()
    wait_until_ended(data, life.run)
    return life


async def test_of_an_attempt_that_nothing_names_it_is_told_what_its_own_files_say(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """JNL6, EFF7: its launch file is lost with the claim; folder, figures and effects are told, of which agent is not known."""
    life = killed_while_it_pushed(data, tmp_path)
    without_claims(data / "runs" / life.run / "journal.jsonl")
    for launch in (data / "runs" / life.run / "attempts").glob("*/launch.json"):
        launch.unlink()
    engine = await open_engine()
    await engine.refresh()
    (owed,) = (await engine.recovery.owed()).runs
    assert owed.agents == ()
    told = sorted(owed.unnamed, key=lambda one: one.cost_usd or 0)
    assert [(one.turns, one.cost_usd) for one in told] == [(1, Decimal("0.25")), (1, Decimal("0.50"))]
    assert [[effect.id for effect in one.effects] for one in told] == [[], ["push1"]]
    assert all(one.folder.is_dir() and one.evidence and not one.survivors for one in told)
    assert (owed.turns, owed.cost_is_complete) == (0, False)
    assert {one.display for one in owed.rest} == {"Not known"}, "any of them may be one of those"
    done = await engine.keeping.discard(life.run)
    assert isinstance(done, Discarded)
    lines = [json.loads(line) for line in (data / "ledger.jsonl").read_text().splitlines()]
    (row,) = [line for line in lines if line["kind"] == "discard"]
    assert [one["id"] for one in row["effects"]] == ["push1"]
    assert sum(Decimal(line["cost_usd"]) for line in lines if line["kind"] == "spend") == Decimal("0.75")


@pytest.mark.parametrize("spoil", [flip, nuls, without_claims])
async def test_a_run_with_a_damaged_journal_that_nobody_has_can_be_discarded(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Case 20: also where what is left of the journal says that it is live."""
    run = done_and_cut_off(data, tmp_path, spoil)
    engine = await open_engine()
    await engine.refresh()
    refused = await engine.keeping.discard(run, "somebody else")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ACTOR
    assert isinstance(await engine.keeping.discard(run), Discarded)
    assert engine.runs() == ()
    assert await engine.keeping.undo_discard(run) == run


def no_header(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[20] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("spoil", [flip, nuls, no_header])
async def test_an_ended_run_with_a_damaged_journal_is_shown_by_its_record_named_and_discardable(
    spoil: Spoil, engine: Engine, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Ruling 15: the record, where it is whole. The damage is named at each look, not only at the first."""
    view = await to_end(engine, write(tmp_path / "w", {"a": spends("0.25")}))
    run = view.run_id
    await engine.close()
    spoil(data / "runs" / run / "journal.jsonl")
    other = await open_engine()
    for _ in range(2):
        await other.refresh()
        assert [one.run for one in await other.keeping.unreadable()] == [run]
    shown = await other.run(run)
    assert shown is not None
    assert (shown.outcome, shown.turns, shown.cost_usd) == (view.outcome, view.turns, view.cost_usd)
    assert [line.outcome for line in other.runs()] == [view.outcome]
    refused = await other.claim(run, A)
    assert refused_for_damage(refused) or (spoil is no_header and isinstance(refused, Refusal))
    assert isinstance(await other.keeping.discard(run), Discarded)


@pytest.mark.parametrize("spoil", [flip, nuls, without_claims])
async def test_a_damaged_run_that_nobody_has_was_interrupted_for_every_reader(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC3, REC6, REC11, I6: not live, owed, "at least", and every attempt on disk told by its own evidence."""
    run = done_and_cut_off(data, tmp_path, spoil)
    engine = await open_engine()
    await engine.refresh()
    (line,) = engine.runs()
    view = await engine.run(run)
    assert view is not None
    for told in (line, view):
        assert (told.phase, told.outcome, told.unanswered) == (Phase.ENDED, Outcome.INTERRUPTED, True)
        assert told.reason.startswith("its journal is damaged")
        assert (told.cost_usd, told.turns, told.cost_is_complete) == (Decimal("0.25"), 1, False)
        assert told.ended_at is not None
    assert displays(view) == {"a": "Done", "b": "Stopped"}
    assert view.damaged
    (status,) = engine.statuses()
    assert (status.live, status.state, status.outcome) == (0, "ended", Outcome.INTERRUPTED)
    assert (status.shown_run, status.cost_is_complete) == (run, False)
    ((owed,), (named,)) = ((told := await engine.recovery.owed()).runs, told.unreadable)
    assert owed.damage == line.reason
    assert [agent.title for agent in owed.agents] == ["B"]
    assert [(one.title, one.display) for one in owed.rest] == [("A", "Done")]
    assert named.run_id == run
    assert await engine.run(run) == view, "each look gives the same"


@pytest.mark.parametrize("spoil", [flip, nuls, without_claims])
async def test_what_a_damaged_run_spent_and_may_have_done_stays_in_the_ledger_when_it_is_discarded(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC13, EFF7: attempts that its journal does not name have spent all the same."""
    life = killed_while_it_pushed(data, tmp_path)
    spoil(data / "runs" / life.run / "journal.jsonl")
    engine = await open_engine()
    effects = [one.id for one in await engine.keeping.unknown_effects(life.run)]
    done = await engine.keeping.discard(life.run)
    assert isinstance(done, Discarded)
    lines = [json.loads(line) for line in (data / "ledger.jsonl").read_text().splitlines()]
    spent = [Decimal(line["cost_usd"]) for line in lines if line["kind"] == "spend"]
    assert sum(spent) == Decimal("0.75")
    (row,) = [line for line in lines if line["kind"] == "discard"]
    assert [one["id"] for one in row["effects"]] == effects == ["push1"]
    told = row["summary"]
    assert (told["turns"], told["cost_usd"], told["cost_is_complete"]) == (2, "0.75", False)
    (status,) = engine.statuses()
    assert (status.outcome, status.closed) == (Outcome.INTERRUPTED, "discarded")


def without_its_end(path: Path) -> None:
    """Its last whole lines are gone, as where the disk lost them: what is left is sound."""
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))


async def test_a_journal_that_is_shorter_than_its_record_is_damaged_and_its_prompt_stays_owed(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """JNL6, REC3: the record's figures count, and nothing is carried on from before its end."""
    run = done_and_cut_off(data, tmp_path, lambda path: None)
    engine = await open_engine()
    view = await engine.run(run)
    assert view is not None
    await engine.close()
    without_its_end(data / "runs" / run / "journal.jsonl")
    other = await open_engine()
    for _ in range(2):
        await other.refresh()
        assert [one.run for one in await other.keeping.unreadable()] == [run]
    assert await other.run(run) == replace(view, damaged=True)
    assert [(line.outcome, line.unanswered) for line in other.runs()] == [(Outcome.INTERRUPTED, True)]
    (owed,) = (await other.recovery.owed()).runs
    assert ("covers" in owed.damage, owed.cost_is_complete) == (True, False)
    assert [agent.title for agent in owed.agents] == ["B"]
    assert refused_for_damage(await other.reassign(run, SlotId("b"), "again"))
    assert isinstance(await other.keeping.discard(run), Discarded)


async def test_an_attempt_of_a_later_sitting_that_was_lost_with_its_lines_makes_the_record_one_of_the_past(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    run = done_and_cut_off(data, tmp_path, lambda path: None)
    engine = await open_engine()
    before = (data / "runs" / run / "journal.jsonl").read_bytes()
    record = (data / "runs" / run / "record.json").read_bytes()
    assert await engine.reassign(run, SlotId("b"), "again") is None
    assert not isinstance(await engine.claim(run, SlotId("b")), Refusal)
    await until(engine, run, shows("b", "Running"))
    await engine.close()
    (data / "runs" / run / "journal.jsonl").write_bytes(before)
    (data / "runs" / run / "record.json").write_bytes(record)
    other = await open_engine()
    await other.refresh()
    (line,) = other.runs()
    assert (line.unanswered, line.cost_is_complete) == (True, False)
    assert "does not name attempt" in line.reason
    view = await other.run(run)
    assert view is not None
    assert len(slot_of(view, "b").attempts) == 2


@pytest.mark.parametrize("spoil", [flip, without_claims])
async def test_a_bad_attempts_folder_hides_no_other_run_and_can_be_discarded(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """JNL6, case 20."""
    bad = done_and_cut_off(data, tmp_path / "1", spoil)
    good = done_and_cut_off(data, tmp_path / "2", lambda path: None)
    shutil.rmtree(data / "runs" / bad / "attempts")
    (data / "runs" / bad / "attempts").write_text("x")
    engine = await open_engine()
    await engine.refresh()
    assert good in [one.run_id for one in (await engine.recovery.owed()).runs]
    assert not isinstance(await engine.recovery.before_resume(good, SlotId("b")), Refusal)
    answer = await engine.keeping.discard(bad)
    assert isinstance(answer, (Discarded, Refusal)), "no fault of our own"


async def test_a_copy_of_an_attempts_folder_makes_no_run_damaged(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    run = done_and_cut_off(data, tmp_path, lambda path: None)
    (first, *_) = (data / "runs" / run / "attempts").iterdir()
    shutil.copytree(first, first.with_name(f"{first.name}.bak"))
    engine = await open_engine()
    (owed,) = (await engine.recovery.owed()).runs
    assert owed.damage == ""


async def test_a_survivor_that_the_journal_does_not_name_is_listed_and_hinders_discard(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC9: who may still spend is named, whatever was lost of the journal."""
    with short_life(data, write(tmp_path / "w", {"a": python(FOREVER)})) as life:
        life.wait_said("a=Running")
        life.kill()
        wait_until_ended(data, life.run)
        (attempt,) = (data / "runs" / life.run / "attempts").iterdir()
    without_claims(data / "runs" / life.run / "journal.jsonl")
    (attempt / "exit.json").unlink()
    env = {**os.environ, "QUARTERDECK_ATTEMPT": attempt.name}
    left = subprocess.Popen(["sleep", "600"], env=env)
    try:
        lines = (attempt / "reports.jsonl").read_bytes().splitlines(keepends=True)
        (attempt / "reports.jsonl").write_bytes(lines[0])  # its keeper told no more
        engine = await open_engine()
        (owed,) = (await engine.recovery.owed()).runs
        assert [one.pid for agent in owed.agents for one in agent.survivors] == [left.pid]
        refused = await engine.keeping.discard(life.run)
        assert isinstance(refused, Refusal)
        assert refused.code is Code.E_SURVIVOR
    finally:
        left.kill()
        left.wait()
