"""A person takes up an ended run: reassign, claim, answers and budgets at rest (SLT1–SLT20, rulings 2, 3, 6)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.service import Engine
from quarterdeck.store.lines import frame
from tests.engine.conftest import Opener
from tests.engine.works import (
    FOREVER,
    A,
    B,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    launch_file,
    python,
    shell,
    shows,
    slot_of,
    to_end,
    until,
    write,
)

FAILS_FIRST = 'test -e "{0}/ok" || exit 1'


async def test_reassign_shows_a_reopened_slot_and_starts_nothing(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """SLT13–SLT16; FIM3: 0 workers, 0 leases; then claim: 1 and 1."""
    view = await to_end(engine, write(tmp_path, {"a": shell(FAILS_FIRST.format(tmp_path))}))
    run = view.run_id
    for reason, code in (("", Code.E_REASON), (" \u200b\t", Code.E_REASON)):
        refused = await engine.reassign(run, A, reason)
        assert isinstance(refused, Refusal)
        assert refused.code is code
    assert await engine.reassign(run, A, "the disk was full") is None
    for shown in (await engine.run(run), engine.live_run(run)):
        assert shown is not None
        assert not shown.is_live
        slot = slot_of(shown, "a")
        assert slot.display == "Re-opened, waiting to start"
        assert len(slot.attempts) == 1
        assert slot.reopened is not None
        assert slot.reopened.reason == "the disk was full"
    assert len(list((data / "runs" / run / "attempts").iterdir())) == 1
    (tmp_path / "ok").touch()
    claimed = await engine.claim(run, A)
    view = await ended(engine, run)
    assert [attempt.attempt_id for attempt in slot_of(view, "a").attempts][-1] == claimed
    assert [attempt.epoch for attempt in slot_of(view, "a").attempts] == [1, 2]
    assert (view.outcome, len(view.sittings)) == (Outcome.COMPLETED, 2)
    first, second = (launch_file(data, run, a.attempt_id) for a in slot_of(view, "a").attempts)
    assert first["idempotency_key"] == second["idempotency_key"], "EFF4"
    assert (first["resume_path"], second["resume_path"] is None) == (None, False)
    assert await engine.run(run) == view


async def test_a_refused_claim_leaves_an_ended_run_readable_and_as_it_was(
    engine: Engine, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": shell("exit 1"), "b": shell("true")}, ("a", "b"))
    view = await to_end(engine, path)
    run = view.run_id
    for slot, code in ((A, Code.E_NOT_CLAIMABLE), (B, Code.E_NOT_CLAIMABLE), (SlotId("zz"), Code.E_SLOT)):
        refused = await engine.claim(run, slot)
        assert isinstance(refused, Refusal)
        assert refused.code is code, refused
    after = await engine.run(run)
    assert after is not None
    assert after.slots == view.slots
    assert after.outcome is view.outcome
    kinds = journal_kinds(data, run)
    assert kinds.count("run_ended") == 1
    assert kinds[-3:] == ["command_refused"] * 3
    await engine.close()
    reader = await open_engine()
    assert await reader.run(run) == after, "a later life reads the same"


async def test_without_go_on_later_nodes_wait_and_with_it_they_follow(engine: Engine, tmp_path: Path) -> None:
    """Ruling 3, C10."""
    work = {"a": shell(FAILS_FIRST.format(tmp_path)), "b": shell("true"), "c": shell("true")}
    path = write(tmp_path, work, ("a", "b"), ("b", "c"))
    for go_on, exit_code in ((False, 4), (True, 0)):
        (tmp_path / "ok").unlink(missing_ok=True)
        run = (await to_end(engine, path)).run_id
        (tmp_path / "ok").touch()
        assert await engine.reassign(run, A, "again") is None
        assert not isinstance(await engine.claim(run, A, go_on=go_on), Refusal)
        view = await ended(engine, run)
        assert displays(view)["a"] == "Done"
        assert view.exit_code == exit_code
        assert (displays(view)["b"] == "Done") is go_on
        assert view.outcome is (Outcome.COMPLETED if go_on else Outcome.STOPPED)


async def test_a_pending_slot_behind_an_expression_can_be_claimed_by_a_person(
    engine: Engine, tmp_path: Path
) -> None:
    """What it depends on is worked out before the claim is judged."""
    work = {"a": python("say('output', value=1)"), "b": shell("true"), "x": python(FOREVER)}
    path = write(tmp_path, work, ("x", "b"), ("a", "b", "output == 1"), limits={"max_parallel": 2})
    run = await launch(engine, path)
    await until(engine, run, lambda view: displays(view)["a"] == "Done" and displays(view)["x"] == "Running")
    await engine.stop_run(run)
    await ended(engine, run)
    refused = await engine.claim(run, B)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_NOT_CLAIMABLE


async def test_two_claims_at_once_make_one_attempt(engine: Engine, tmp_path: Path) -> None:
    """REC8: a double click."""
    run = (await to_end(engine, write(tmp_path, {"a": shell("exit 1")}))).run_id
    assert await engine.reassign(run, A, "again") is None
    answers = await asyncio.gather(engine.claim(run, A), engine.claim(run, A), engine.claim(run, A))
    assert [isinstance(answer, Refusal) for answer in answers].count(False) == 1
    view = await ended(engine, run)
    assert len(slot_of(view, "a").attempts) == 2


async def test_an_approval_is_answered_in_an_ended_run_and_starts_nothing(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Ruling 6."""
    nodes = {"gate": {"kind": "approval", "question": "Go?"}}
    path = write(
        tmp_path, {"a": shell("true"), "b": shell("true")}, ("a", "gate"), ("gate", "b"), nodes=nodes
    )
    run = await launch(engine, path)
    view = await until(engine, run, shows("gate", "Needs you"))
    (asked,) = slot_of(view, "gate").approvals
    await engine.stop_run(run)
    await ended(engine, run)
    assert await engine.answer(run, asked.request_id, "Approve") is None
    after = await engine.run(run)
    assert after is not None
    assert not after.is_live
    assert displays(after)["gate"] == "Done"
    assert slot_of(after, "b").attempts == ()
    assert journal_kinds(data, run)[-1] == "approval_answered"
    claimed = await engine.claim(run, B, go_on=True)
    assert not isinstance(claimed, Refusal), claimed
    assert (await ended(engine, run)).outcome is Outcome.COMPLETED


async def test_a_completed_run_takes_nothing_up(engine: Engine, tmp_path: Path) -> None:
    run = (await to_end(engine, write(tmp_path, {"a": shell("true")}))).run_id
    reassigned = await engine.reassign(run, A, "once more")
    assert isinstance(reassigned, Refusal)
    assert reassigned.code is Code.E_SLOT_STATE
    claimed = await engine.claim(run, A)
    assert isinstance(claimed, Refusal)
    assert claimed.code is Code.E_NOT_CLAIMABLE


async def test_a_resumed_agent_is_told_what_was_before(engine: Engine, data: Path, tmp_path: Path) -> None:
    """CON1–CON3: checkpoints, artifacts, effects and the reason reach the successor."""
    first = (
        "say('session', id='s1', resumable=True); say('checkpoint', step='one', data={'n': 1})\n"
        "say('artifact', name='half', text='text'); say('effect', id='e', state='sent', kind='k', target='t')\n"
        "path = os.environ.get('QUARTERDECK_RESUME')\n"
        "say('output', value=json.load(open(path)) if path else None) if path else sys.exit(1)"
    )
    run = (await to_end(engine, write(tmp_path, {"a": python(first)}))).run_id
    assert await engine.reassign(run, A, "the network is back") is None
    assert not isinstance(await engine.claim(run, A), Refusal)
    told = attempt_of(await ended(engine, run), "a").output
    (before,) = told["attempts"]
    assert told["reason"] == "the network is back"
    assert (before["status"], before["session_id"]) == ("failed", "s1")
    (effect,) = before["effects"]
    assert (effect["id"], effect["state"], effect["type"], effect["target"]) == ("e", "unknown", "k", "t"), (
        "EFF2"
    )
    assert effect["idempotency_key"] == f"{run}/a:e", "EFF4"
    assert told["steps"] == {"kept": [{"step": "one", "data": {"n": 1}}], "repeat": []}
    assert Path(before["artifacts"]["half"]).read_text() == "text"
    assert before["checkpoints"][0]["step"] == "one"


async def test_memory_of_an_ended_run_never_hides_what_another_process_did(
    open_engine: Opener, tmp_path: Path
) -> None:
    ours, theirs = await open_engine(), await open_engine()
    path = write(tmp_path, {"a": shell(FAILS_FIRST.format(tmp_path))})
    run = (await to_end(ours, path)).run_id
    await theirs.refresh()
    assert await theirs.reassign(run, A, "from elsewhere") is None
    seen = await ours.run(run)
    assert seen is not None
    assert displays(seen)["a"] == "Re-opened, waiting to start"
    (tmp_path / "ok").touch()
    assert not isinstance(await theirs.claim(run, A), Refusal)
    there = await ended(theirs, run)
    here = await ours.run(run)
    assert here is not None
    assert run_to_json(here) == run_to_json(there)
    await ours.refresh()
    assert [line.outcome for line in ours.runs()] == [Outcome.COMPLETED]


async def test_what_came_after_an_attempts_end_is_neither_its_session_nor_counted_twice_when_it_is_resumed(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Ruling 9: late reports stay on the old attempt, in every life and for every reader."""
    script = "say('session', id='s-1', resumable=True); say('usage', cost_usd='0.5', model='m'); sys.exit(1)"
    view = await to_end(engine, write(tmp_path, {"a": python(script)}))
    run, first = view.run_id, attempt_of(view, "a")
    reports = data / "runs" / run / "attempts" / first.attempt_id / "reports.jsonl"
    late = {"epoch": 1, "boot_ms": 0, "wall_ms": 0}
    with reports.open("ab") as file:
        file.write(
            frame({"seq": first.upto + 1, "kind": "session", "id": "s-late", "resumable": True, **late})
        )
    assert await engine.reassign(run, A, "again") is None
    claimed = await engine.claim(run, A)
    assert not isinstance(claimed, Refusal)
    await ended(engine, run)
    told = json.loads((reports.parent.parent / claimed / "resume.json").read_text())
    assert [earlier["session_id"] for earlier in told["attempts"]] == ["s-1"]
