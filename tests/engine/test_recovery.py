"""The recovery part of the door: what is owed and answered, processes ended, the second step of Resume (REC, SLT, PIN6)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.moment import duration_ms
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_time import live_ms
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import is_end_at_least
from quarterdeck.engine.recovery import Outside
from quarterdeck.engine.service import Engine
from quarterdeck.engine.survivors import end_survivor, survivors_of
from quarterdeck.shim.processes import stat_of
from quarterdeck.store.data_folder import Store
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.works import (
    FOREVER,
    A,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    slot_of,
    spends,
    to_end,
    until,
    write,
)

MARK = "QUARTERDECK_ATTEMPT"


async def killed(data: Path, path: Path, *words: str) -> RunId:
    """A run whose process was killed once it had said the words."""

    def live() -> RunId:
        with short_life(data, path) as life:
            life.wait_said(*words)
            life.kill()
            return life.run

    return await asyncio.to_thread(live)


async def test_an_agent_whose_next_try_was_cut_off_stands_in_the_prompt_and_can_be_resumed(
    data: Path, tmp_path: Path, open_engine: Opener
) -> None:
    """C4, REC4, FIM1: the app died while a failed agent waited for its retry."""
    flaky = shell('test -n "$QUARTERDECK_RESUME"')
    run = await killed(
        data, write(tmp_path, {"a": flaky}, nodes={"a": {"retry": {"max_attempts": 3}}}), "a=Retrying"
    )
    engine = await open_engine()
    (owed,) = (await engine.recovery.owed()).runs
    (agent,) = owed.agents
    assert (agent.slot_id, agent.display, agent.last_known) == (
        A,
        "Stopped",
        "it had failed, and its next try was not made",
    )
    assert owed.rest == ()
    assert await engine.reassign(run, A, "after the crash") is None
    assert not isinstance(await engine.claim(run, A), Refusal)
    view = await ended(engine, run)
    assert [one.status.value for one in slot_of(view, "a").attempts] == ["failed", "succeeded"]


async def test_keep_as_stopped_answers_the_prompt_once_and_for_every_process(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Ruling 19: owed until it is answered, journaled; a later life, and the run list, know."""
    path = write(tmp_path, {"a": spends("0.125", then=FOREVER), "b": shell("true")}, ("a", "b"))
    run = await killed(data, path, "a=Running/0.125")
    engine = await open_engine()
    (told,) = (await engine.recovery.owed()).runs
    assert (told.run_id, told.turns, told.cost_usd) == (run, 1, Decimal("0.125"))
    assert [(one.title, one.attempt_number, one.survivors, one.end_first) for one in told.agents] == [
        ("A", 1, (), False)
    ]
    assert [(one.title, one.display) for one in told.rest] == [("B", "Not started")]
    assert told.last_record_at is not None
    assert told.ran_for_ms < 60_000
    assert engine.runs()[0].unanswered
    view = await engine.run(run)
    for _ in range(2):
        assert await engine.recovery.keep_as_stopped(run) is None
    assert (await engine.recovery.owed()).runs == ()
    assert journal_kinds(data, run).count("run_answered") == 1
    after = await engine.run(run)
    assert view is not None
    assert after is not None
    assert after.slots == view.slots, "nothing else changed"
    assert not engine.runs()[0].unanswered
    later = await open_engine(read_only=True)
    assert (await later.recovery.owed()).runs == ()
    refused = await later.recovery.keep_as_stopped(RunId("r-nobody"))
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_RUN


async def test_the_prompt_tells_the_end_that_the_runs_view_tells_whatever_was_journaled_since(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC2, REC6: one source of every end; an effect that a person settles later is no sign of life."""
    work = (
        "say('effect', id='e', state='sent', kind='file', target='x')\n"
        "say('usage', input_tokens=1, cost_usd='0.5', model='m', message_id='1')\n" + FOREVER
    )
    run = await killed(data, write(tmp_path, {"a": python(work)}), "a=Running/0.5")
    engine = await open_engine()
    (before,) = (await engine.recovery.owed()).runs
    assert await engine.recovery.settle(run, A, "e", "absent", "looked") is None
    (after,) = (await engine.recovery.owed()).runs
    view = await engine.run(run)
    assert view is not None
    assert before.last_record_at == after.last_record_at == view.ended_at
    assert view.ended_at is not None
    assert before.ran_for_ms == after.ran_for_ms == duration_ms(view.started_at, view.ended_at)
    assert before.ran_for_ms == live_ms(view, now())
    assert before.ran_at_least
    assert is_end_at_least(view)


async def test_a_run_whose_last_agent_had_ended_owes_nothing(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC3: it is rolled forward to its true outcome."""
    path = write(tmp_path, {"a": shell("true")})

    def live() -> RunId:
        with short_life(data, path, "record.json") as life:
            life.process.wait()
            return life.run

    run = await asyncio.to_thread(live)
    engine = await open_engine()
    assert (await engine.recovery.owed()).runs == ()
    view = await engine.run(run)
    assert view is not None
    assert view.outcome is Outcome.COMPLETED


async def test_a_reassign_alone_answers_nothing_and_a_crash_of_the_next_sitting_owes_again(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC3, EFF7: an app that dies before the start asks again, of this agent and of every other one of the run."""
    run = await killed(
        data, write(tmp_path, {"a": python(FOREVER), "b": python(FOREVER)}), "a=Running", "b=Running"
    )
    engine = await open_engine()
    assert await engine.reassign(run, A, "again") is None
    for process in (engine, await open_engine()):
        (still,) = (await process.recovery.owed()).runs
        assert [(one.slot_id, one.display) for one in still.agents] == [
            ("a", "Re-opened, waiting to start"),
            ("b", "Stopped"),
        ]
    shown = await engine.run(run)
    assert shown is not None
    assert displays(shown)["a"] == "Re-opened, waiting to start", "SLT16"
    assert not isinstance(await engine.claim(run, A), Refusal)
    await until(engine, run, shows("a", "Running"))
    await engine.close(reason="app_closed")
    (told,) = (await (await open_engine()).recovery.owed()).runs
    assert told.agents[0].attempt_number == 2


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
    yield process
    process.kill()
    process.wait()


def carrier(attempt: str, ignores: bool = False) -> subprocess.Popen[bytes]:
    """A process that carries an attempt's mark, as one that was left behind."""
    code = "import signal, sys, time\n" + (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" if ignores else ""
    )
    code += "print('up', flush=True)\ntime.sleep(300)"
    process = subprocess.Popen(
        [sys.executable, "-c", code], env={**os.environ, MARK: attempt}, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_only_a_process_of_the_attempt_is_ended_and_the_end_is_seen(
    tmp_path: Path, stranger: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """REC9, case 29: by mark, pid and start time; TERM, then KILL; a reused pid is never signalled."""
    monkeypatch.setattr("quarterdeck.engine.survivors.GRACE_S", 0.3)
    store = Store.open(tmp_path / "data")
    run, attempt = RunId("r-1"), AttemptId("a-1")
    willing, unwilling = carrier(attempt), carrier(attempt, ignores=True)
    try:
        (first, second) = sorted(
            survivors_of(store.attempts, run, attempt), key=lambda one: one.pid != willing.pid
        )
        assert (first.pid, second.pid) == (willing.pid, unwilling.pid)
        assert "time.sleep(300)" in first.command
        identity = stat_of(stranger.pid)
        assert identity is not None
        for pid, ticks in (
            (stranger.pid, identity.start_ticks),
            (willing.pid, first.start_ticks + 1),
            (2**22 - 1, 1),
        ):
            refused = end_survivor(store.attempts, run, attempt, pid, ticks)
            assert isinstance(refused, Refusal)
            assert refused.code is Code.E_PROCESS
        assert stranger.poll() is None
        os.kill(willing.pid, signal.SIGSTOP)
        done = end_survivor(store.attempts, run, attempt, first.pid, first.start_ticks)
        assert not isinstance(done, Refusal)
        assert (done.result, [one.pid for one in done.left]) == ("ended", [unwilling.pid]), (
            "also where it was held"
        )
        done = end_survivor(store.attempts, run, attempt, second.pid, second.start_ticks)
        assert not isinstance(done, Refusal)
        assert (done.result, done.left) == ("killed", ())
        assert unwilling.wait() == -signal.SIGKILL
    finally:
        for process in (willing, unwilling):
            process.kill()
            process.communicate()
        store.close()


async def test_the_second_step_names_pins_limits_programs_and_what_repeats(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC14, PIN6, EFF7: another version of the tool is shown before a resume, and nothing is executed for it."""
    tool = tmp_path / "tool"
    tool.write_text(
        '#!/bin/sh\necho \'{"type": "session", "id": "s", "resumable": true}\'\nwhile true; do sleep 0.05; done\n'
    )
    tool.chmod(0o755)
    agents = {
        "a": {
            "kind": "command",
            "protocol": "lines",
            "argv": [str(tool)],
            "budget_usd": "2.00",
            "model": "m-1",
        },
        "other": shell("true"),
    }
    path = write(tmp_path, agents, nodes={"a": {"alternatives": ["other"]}}, limits={"budget_usd": "5.00"})
    run = await killed(data, path, "a=Running")
    engine = await open_engine()
    before = await engine.recovery.before_resume(run, A)
    assert not isinstance(before, Refusal)
    assert (before.next_attempt, before.refusal, before.reopened) == (2, None, False)
    assert (before.limit_usd, before.run_left_usd) == (Decimal("2.00"), Decimal("5.00"))
    own, other = before.choices
    assert (own.agent, own.model, own.is_prior, own.problem) == ("a", "m-1", True, "")
    assert [one.differs for one in own.files] == [False]
    assert (other.agent, other.is_prior, other.files) == ("other", False, ())
    assert before.outside is Outside.NOT_TOLD
    assert before.can_continue_session
    tool.write_text("#!/bin/sh\ntouch was-executed\n")
    again = await engine.recovery.before_resume(run, A)
    assert not isinstance(again, Refusal)
    assert [one.differs for one in again.choices[0].files] == [True]
    tool.unlink()
    gone = await engine.recovery.before_resume(run, A)
    assert not isinstance(gone, Refusal)
    assert str(tool) in gone.choices[0].problem
    assert journal_kinds(data, run)[-1] == "run_ended", "looking changes nothing"


async def test_a_successor_starts_from_what_was_saved_where_a_person_says_so(
    engine: Engine, tmp_path: Path
) -> None:
    source = (
        "path = os.environ.get('QUARTERDECK_RESUME')\n"
        "say('session', id='s1', resumable=True)\n"
        "say('output', value=json.load(open(path))['attempts'][0]['session_id']) if path else sys.exit(1)"
    )
    for chosen, expected in ((True, "s1"), (False, None)):
        run = (await to_end(engine, write(tmp_path, {"a": python(source)}))).run_id
        assert await engine.reassign(run, A, "again", continue_session=chosen) is None
        assert not isinstance(await engine.claim(run, A), Refusal)
        assert attempt_of(await ended(engine, run), "a").output == expected


async def test_two_engines_resume_at_once_and_one_attempt_comes_of_it(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """REC8: window and terminal; the other is told that there is an agent already."""
    run = await killed(data, write(tmp_path, {"a": python(FOREVER)}), "a=Running")
    ours, theirs = await open_engine(kind="window"), await open_engine()

    async def resume(engine: Engine) -> AttemptId | Refusal | None:
        refused = await engine.reassign(run, A, "again")
        return refused if refused is not None else await engine.claim(run, A)

    answers = await asyncio.gather(resume(ours), resume(theirs))
    made = [answer for answer in answers if isinstance(answer, str)]
    refused = [answer for answer in answers if isinstance(answer, Refusal)]
    assert (len(made), len(refused)) == (1, 1), answers
    owner = ours if answers[0] in made else theirs
    view = await until(owner, run, shows("a", "Running"))
    assert len(slot_of(view, "a").attempts) == 2


async def test_an_effect_of_a_living_agent_is_not_settled_over_its_head(
    engine: Engine, tmp_path: Path
) -> None:
    """EFF3: the agent may still answer; an agent's own word is not replaced."""
    work = "say('effect', id='e', state='sent', kind='file', target='x')\n" + FOREVER
    run = await launch(engine, write(tmp_path, {"a": python(work)}))
    await until(
        engine, run, lambda view: attempt_of(view, "a").effects if displays(view)["a"] == "Running" else ()
    )
    refused = await engine.recovery.settle(run, A, "e", "absent", "it cannot be")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ATTEMPT_STATE
    unknown = await engine.recovery.settle(run, A, "nothing", "absent", "it cannot be")
    assert isinstance(unknown, Refusal)
    assert unknown.code is Code.E_EFFECT
    await engine.stop_run(run)
    view = await ended(engine, run)
    assert attempt_of(view, "a").effects[0].state.value == "unknown"
    assert await engine.recovery.settle(run, A, "e", "absent", "looked", actor=view.accepted_by) is None
    other = await engine.recovery.settle(run, A, "e", "happened", "looked", actor="somebody else")
    assert isinstance(other, Refusal)
    assert other.code is Code.E_ACTOR, "C7"
    after = await engine.run(run)
    assert after is not None
    settled = attempt_of(after, "a").effects[0].settled
    assert settled is not None
    assert (settled.value, settled.reason) == ("absent", "looked")


async def test_of_a_practice_agent_it_is_known_that_it_did_nothing_outside(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """EFF7: nothing is to be looked at before it is resumed; what it pretends is still told."""
    nodes = {"a": {"prompt": "work 60s in 60 steps"}}
    run = await killed(data, write(tmp_path, {"a": {"kind": "practice"}}, nodes=nodes), "a=Running")
    engine = await open_engine()
    (told,) = (await engine.recovery.owed()).runs
    assert [agent.outside for agent in told.agents] == [Outside.NONE]
    before = await engine.recovery.before_resume(run, A)
    assert not isinstance(before, Refusal)
    assert before.outside is Outside.NONE
