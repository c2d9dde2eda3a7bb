"""A dead sign-in is learned once (AUT1–AUT9, rulings 1, 2 and 27; Q3): real agents, real runs, no account."""

from __future__ import annotations

import os
import re
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.retry import SharedPolicy
from quarterdeck.domain.sign_ins import Cleared
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine.service import Engine
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.works import (
    A,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    slot_of,
    to_end,
    until,
    waits_for,
    write,
)

AUTH = "say('error', **{'class': 'auth', 'message': 'the key was refused'})\nsys.exit(1)\n"
WORKS = "say('turn')\nsay('output', value='done')\n"
KEY = "credential"
FORTY = [f"n{number:02d}" for number in range(40)]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEAD_KEY", "the-dead-one")
    monkeypatch.setenv("SAME_KEY", "the-dead-one")
    monkeypatch.setenv("OTHER_KEY", "another-one")


def notes(folder: Path) -> str:
    """Python that leaves a file for each start of an agent."""
    folder.mkdir(exist_ok=True)
    return f"open({str(folder)!r} + '/' + os.environ['QUARTERDECK_ATTEMPT'], 'w').close()\n"


def agents(source: str, names: list[str], key: str = "env:DEAD_KEY") -> dict[str, dict[str, object]]:
    return {name: python(source, credential=key) for name in names}


def refused(view: RunView) -> list[str]:
    return [str(slot.slot_id) for slot in view.slots if slot.refused == Code.E_CRED_REMEMBERED]


async def test_q3_forty_agents_at_once_with_a_dead_sign_in_launch_one_and_refuse_thirty_nine(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT3, AUT4: one process, 39 refusals, no attempt or lease of theirs, no cost; the run failed (ruling 1)."""
    started = tmp_path / "started"
    source = notes(started) + "import time; time.sleep(0.3)\n" + AUTH
    view = await to_end(engine, write(tmp_path, agents(source, FORTY)))
    assert len(list(started.iterdir())) == 1
    assert len(refused(view)) == 39
    assert sum(len(slot.attempts) for slot in view.slots) == 1
    assert set(displays(view).values()) == {"Failed"}
    assert view.outcome is Outcome.FAILED
    assert view.exit_code == 1
    assert not view.cost_usd
    [failed] = [slot for slot in view.slots if slot.attempts]
    told = slot_of(view, refused(view)[0]).reason
    assert failed.title in told
    assert re.search(r"at \d{4}-\d\d-\d\d \d\d:\d\d UTC", told), told
    [one] = engine.sign_ins.standing().remembered
    assert one.use.title == failed.title
    assert one.refused == 39


async def test_a_refused_sign_in_is_the_end_that_is_told_and_one_row_however_many_it_concerns(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 74."""
    view = await to_end(engine, write(tmp_path, agents(AUTH, ["a", "b", "c"])))
    [failed] = [slot for slot in view.slots if slot.attempts]
    [attempt] = failed.attempts
    assert (attempt.status, attempt.end_reason) == ("failed", "sign_in")
    assert "the key was refused" in failed.reason
    [row] = engine.sign_ins.standing().remembered
    assert (row.use.title, row.message, row.refused) == (failed.title, "the key was refused", 2)


async def test_of_the_agents_of_one_credential_in_two_runs_one_starts_first_and_the_others_after_its_sign_of_life(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 76: the first start is one at a time for each credential; another credential's starts beside it."""
    engine.sign_ins.memory._policy = SharedPolicy(canary_ms=600_000)
    started, go = tmp_path / "started", tmp_path / "go"
    waits = notes(started) + f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n" + WORKS
    other = {"free": python(WORKS, credential="env:OTHER_KEY")}
    runs = [
        await launch(engine, write(tmp_path, {**agents(waits, ["a", "b", "c"]), **other}, name=name))
        for name in ("first", "second")
    ]
    waiting = 0
    for run in runs:
        view = await until(
            engine,
            run,
            lambda v: (
                slot_of(v, "free").display == "Done"
                and all(s.attempts or "shows that their sign-in works" in s.reason for s in v.slots)
            ),
        )
        waiting += sum(not slot.attempts for slot in view.slots)
    assert waiting == 5
    assert len(list(started.iterdir())) <= 1
    go.touch()
    views = [await ended(engine, run) for run in runs]
    assert [view.outcome for view in views] == [Outcome.COMPLETED] * 2
    assert len(list(started.iterdir())) == 6


async def test_a_sign_in_that_dies_in_the_middle_of_a_run_fails_once_and_refuses_the_rest(
    engine: Engine, tmp_path: Path
) -> None:
    """Q3: five agents work, the sixth is told no; nobody after it is launched."""
    started = tmp_path / "started"
    source = (
        notes(started)
        + f"number = len(os.listdir({str(started)!r}))\n"
        + "if number > 5:\n    say('error', **{'class': 'auth', 'message': 'expired'}); sys.exit(1)\n"
        + WORKS
    )
    names = [f"n{number:02d}" for number in range(20)]
    view = await to_end(engine, write(tmp_path, agents(source, names), limits={"max_parallel": 1}))
    assert len(list(started.iterdir())) == 6
    assert len(refused(view)) == 14
    assert sum(word == "Done" for word in displays(view).values()) == 5


async def test_forty_agents_of_a_sign_in_that_works_wait_for_the_first_and_then_run_together(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT4: the canary's sign of life lets the others go; they say what they wait for meanwhile."""
    go = tmp_path / "go"
    source = f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n" + WORKS
    run = await launch(engine, write(tmp_path, agents(source, ["a", "b", "c"])))
    view = await until(
        engine, run, lambda v: sum("shows that their sign-in works" in s.reason for s in v.slots) == 2
    )
    assert sum(len(slot.attempts) for slot in view.slots) == 1
    go.touch()
    view = await ended(engine, run)
    assert view.outcome is Outcome.COMPLETED
    assert {slot.reason for slot in view.slots} == {""}


async def test_where_the_first_is_waited_for_in_vain_one_more_is_launched_and_not_all(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT4: a dead sign-in whose program is slow to tell fails those that were launched until then, and nobody else."""
    clock = engine._own._context.now = Clock()  # type: ignore[union-attr]
    engine.sign_ins.memory._policy = SharedPolicy(canary_ms=600_000)
    started, go = tmp_path / "started", tmp_path / "go"
    source = notes(started) + f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n" + AUTH
    names = ["a", "b", "c", "d", "e"]
    run = await launch(engine, write(tmp_path, agents(source, names)))
    for launched in (1, 2):
        await until(
            engine,
            run,
            lambda v, launched=launched: (
                sum(slot.display == "Running" for slot in v.slots) == launched
                and sum("sign-in works" in slot.reason for slot in v.slots) == len(names) - launched
            ),
        )
        assert len(list(started.iterdir())) <= launched
        if launched == 1:
            [first] = engine._own._actors[run].book.state.attempts.values()  # type: ignore[union-attr]
            [known] = engine.sign_ins.memory._known.values()
            assert known.canary_since_ms > first.claimed_at.boot_ms, "it counts from the start of its process"
            clock.ahead_ms += 600_000
            assert (
                await engine.raise_budget(run, None, Decimal(9)) is None
            )  # a turn, and what follows from it
    go.touch()
    view = await ended(engine, run)
    assert len(list(started.iterdir())) == 2
    assert len(refused(view)) == 3


async def test_agents_without_a_sign_in_wait_for_nobody(engine: Engine, tmp_path: Path) -> None:
    run = await launch(
        engine, write(tmp_path, {name: python("say('session', id='s')\ntime.sleep(60)") for name in "ab"})
    )
    await until(engine, run, lambda v: all(slot.display == "Running" for slot in v.slots))
    await engine.stop_run(run)
    await ended(engine, run)


async def test_two_names_of_one_secret_share_the_failure_and_another_secret_does_not(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT2: the key is the shape, not the name; an endpoint of its own is another shape."""
    await to_end(engine, write(tmp_path, {"a": python(AUTH, credential="env:DEAD_KEY")}))
    same = await to_end(engine, write(tmp_path, {"a": python(WORKS, credential="env:SAME_KEY")}, name="same"))
    assert refused(same) == ["a"]
    other = await to_end(
        engine, write(tmp_path, {"a": python(WORKS, credential="env:OTHER_KEY")}, name="other")
    )
    assert other.outcome is Outcome.COMPLETED
    elsewhere = python(WORKS, credential="env:DEAD_KEY", env={"API_BASE_URL": "http://127.0.0.1:9"})
    view = await to_end(engine, write(tmp_path, {"a": elsewhere}, name="elsewhere"))
    assert view.outcome is Outcome.COMPLETED


async def test_two_accounts_of_one_template_are_two_sign_ins(engine: Engine, tmp_path: Path) -> None:
    """AUT2: what counts is what an agent is started with, not how it is written."""
    one = python(
        AUTH, credential="env:DEAD_KEY", env={"API_BASE_URL": "http://127.0.0.1:9/{{ inputs.account }}"}
    )
    asked = [{"name": "account", "type": "text", "default": "first"}]
    path = write(tmp_path, {"a": one}, inputs=asked)
    await to_end(engine, path)
    assert refused(await to_end(engine, path)) == ["a"]
    other = await to_end(engine, path, account="second")
    assert not refused(other)
    assert len(slot_of(other, "a").attempts) == 1


async def test_a_new_value_of_the_variable_is_another_sign_in(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ruling 27: `env:` clears on a new value."""
    file = write(tmp_path, {"a": python(AUTH, credential="env:DEAD_KEY")})
    await to_end(engine, file)
    assert refused(await to_end(engine, file)) == ["a"]
    monkeypatch.setenv("DEAD_KEY", "a fresh one")
    view = await to_end(engine, file)
    assert not refused(view)
    assert len(slot_of(view, "a").attempts) == 1


async def test_another_process_of_the_same_data_folder_remembers_nothing(
    open_engine: Opener, tmp_path: Path, data: Path
) -> None:
    """AUT1: memory only; after a restart it is forgotten, and nothing on disk holds the secret or its hash."""
    file = write(tmp_path, {"a": python(AUTH, credential="env:DEAD_KEY")})
    first = await open_engine()
    await to_end(first, file)
    marks = [shape.fingerprint for shape in first.sign_ins.memory._known]
    await first.close()
    view = await to_end(await open_engine(), file)
    assert len(slot_of(view, "a").attempts) == 1
    for path in data.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        assert b"the-dead-one" not in content, path
        assert not any(mark.encode() in content for mark in marks), path


@pytest.mark.parametrize(
    ("told", "is_remembered"),
    [
        ("{'class': 'auth', 'message': 'no'}", True),
        ("{'class': 'auth', 'message': 'no', 'strength': 'strong'}", True),
        ("{'class': 'invalid', 'message': '403 for this model'}", False),
        ("{'class': 'rate_limit', 'message': '429', 'retry_after_s': 0}", False),
        ("{'class': 'overloaded', 'message': '529'}", False),
        ("{'class': 'other', 'message': '401 unauthorized'}", False),
    ],
)
async def test_only_an_error_of_the_class_auth_is_remembered(
    engine: Engine, tmp_path: Path, told: str, is_remembered: bool
) -> None:
    """AUT6, case 79: words about 401 are no signal."""
    source = f"say('text', text='401 Unauthorized: invalid x-api-key')\nsay('error', **{told})\nsys.exit(1)\n"
    await to_end(engine, write(tmp_path, {"a": python(source, credential="env:DEAD_KEY")}))
    assert bool(engine.sign_ins.standing().remembered) is is_remembered


async def test_a_remembered_sign_in_refuses_a_persons_claim_until_it_is_cleared_and_nothing_starts_by_itself(
    engine: Engine, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AUT5, AUT9: the slot stays open; clearing launches nothing; then the person's claim does."""
    monkeypatch.setenv("OPENAI_API_KEY", "the-dead-one")  # which a test of the sign-in can ask about
    file = write(tmp_path, agents(AUTH, ["a", "b"], "env:OPENAI_API_KEY"))
    view = await to_end(engine, file)
    [waiting] = refused(view)
    again = await engine.claim(view.run_id, SlotId(waiting))
    assert isinstance(again, Refusal)
    assert again.code is Code.E_CRED_REMEMBERED
    before = journal_kinds(data, view.run_id)
    memory = engine.sign_ins.memory
    assert memory.clear(Cleared(source="env:OTHER_KEY")) == 0
    assert memory.remembered()
    assert memory.clear(Cleared(source="env:OPENAI_API_KEY")) == 1
    assert journal_kinds(data, view.run_id) == before
    claimed = await engine.claim(view.run_id, SlotId(waiting))
    assert not isinstance(claimed, Refusal), claimed
    await ended(engine, view.run_id)


async def test_a_minute_after_the_clearing_nothing_has_started_by_itself(
    engine: Engine, tmp_path: Path, data: Path
) -> None:
    """AUT9: in a run that is live, whose agents could be launched: only a person's claim does it."""
    clock = engine._own._context.now = Clock()  # type: ignore[union-attr]
    go = tmp_path / "go"
    crew = {**agents(AUTH, ["a", "b", "c"]), "free": waits_for(go)}
    run = await launch(engine, write(tmp_path, crew))
    view = await until(
        engine, run, lambda v: len(refused(v)) == 2 and slot_of(v, "free").display == "Running"
    )
    [first, *_] = refused(view)
    assert engine.sign_ins.memory.clear(Cleared(source="env:DEAD_KEY")) == 1
    for minutes in range(1, 3):
        clock.ahead_ms = minutes * 60_000
        assert (
            await engine.raise_budget(run, None, Decimal(minutes)) is None
        )  # a turn, and what follows from it
    assert journal_kinds(data, run).count("attempt_claimed") == 2
    claimed = await engine.claim(run, SlotId(first))
    assert not isinstance(claimed, Refusal), claimed
    go.touch()
    view = await ended(engine, run)
    assert sum(len(slot.attempts) for slot in view.slots) == 3


class Clock:
    """The machine's, so much ahead."""

    ahead_ms = 0

    def __call__(self) -> Moment:
        told = now()
        return Moment(told.boot, told.boot_ms + self.ahead_ms, told.wall_ms + self.ahead_ms)


async def test_a_late_failure_of_a_process_from_before_the_clearing_does_not_set_it_again(
    engine: Engine, tmp_path: Path
) -> None:
    """AUT5: the generation number."""
    go = tmp_path / "go"
    late = f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n" + AUTH
    run = await launch(engine, write(tmp_path, {"a": python(late, credential="env:DEAD_KEY")}))
    await until(engine, run, lambda v: slot_of(v, "a").display == "Running")
    engine.sign_ins.memory.clear(Cleared(source="env:DEAD_KEY"))
    go.touch()
    view = await ended(engine, run)
    assert slot_of(view, "a").display == "Failed"
    assert not engine.sign_ins.standing().remembered


async def test_a_dead_sign_in_is_never_retried(engine: Engine, tmp_path: Path) -> None:
    """AUT8, case 77."""
    path = write(
        tmp_path,
        {"a": python(AUTH, credential="env:DEAD_KEY")},
        nodes={"a": {"retry": {"max_attempts": 5}}},
    )
    view = await to_end(engine, path)
    assert len(slot_of(view, "a").attempts) == 1
    assert attempt_of(view, "a").end_reason == "sign_in"


async def test_a_command_that_names_no_credential_is_refused_by_schedule_and_tried_by_a_persons_claim(
    engine: Engine, tmp_path: Path
) -> None:
    """Nothing else can test such a sign-in; its sign of life clears it."""
    fixed = tmp_path / "fixed"
    source = f"if not os.path.exists({str(fixed)!r}):\n    " + AUTH.replace("\n", "; ", 1) + WORKS
    file = write(tmp_path, {"a": python(source)})
    await to_end(engine, file)
    view = await to_end(engine, file)
    assert refused(view) == ["a"]
    fixed.touch()
    assert not isinstance(await engine.claim(view.run_id, A), Refusal)
    view = await ended(engine, view.run_id)
    assert displays(view) == {"a": "Done"}
    assert not engine.sign_ins.standing().remembered


async def test_a_rate_limit_holds_the_others_of_that_sign_in_and_nobody_else(
    engine: Engine, tmp_path: Path
) -> None:
    """Limits are shared: one waits, the others of it do not ask; who uses another sign-in goes on."""
    limit = "say('turn')\nsay('error', **{'class': 'rate_limit', 'message': 'slow down', 'retry_after_s': 2})\nsys.exit(1)\n"
    crew = {
        "first": python(limit, credential="env:DEAD_KEY"),
        "free": python(WORKS, credential="env:OTHER_KEY"),
        "second": python(WORKS, credential="env:DEAD_KEY"),
        "third": python(WORKS, credential="env:DEAD_KEY"),
    }
    edges = [("first", "free", "always"), ("first", "second", "always"), ("first", "third", "always")]
    run = await launch(engine, write(tmp_path, crew, *edges))
    view = await until(engine, run, lambda v: "rate limit that First met" in slot_of(v, "third").reason)
    assert slot_of(view, "third").display == "Waiting"
    [limited] = engine.sign_ins.standing().limits
    assert limited.is_known
    assert limited.waiting in (1, 2)
    view = await ended(engine, run)
    assert displays(view) == {"first": "Failed", "free": "Done", "second": "Done", "third": "Done"}
    ends = {name: attempt_of(view, name).started_at for name in crew}
    assert ends["free"] is not None
    assert all(ends["free"] < ends[name] for name in ("second", "third"))


async def test_a_usage_limit_is_told_with_its_reset_and_a_person_may_try_at_once(
    engine: Engine, tmp_path: Path
) -> None:
    """Cases 49 and 80: no retry, the reset time is shown, and nobody polls."""
    limit = "say('turn')\nsay('error', **{'class': 'usage_limit', 'message': 'weekly limit', 'resets_at': '2126-11-30T00:00:00Z'})\nsys.exit(1)\n"
    crew = {
        "first": python(limit, credential="env:DEAD_KEY"),
        "second": python(WORKS, credential="env:DEAD_KEY"),
    }
    run = await launch(engine, write(tmp_path, crew, ("first", "second", "always")))
    view = await until(
        engine, run, lambda v: "usage limit that First met to reset" in slot_of(v, "second").reason
    )
    assert "resets at 2126-11-30" in slot_of(view, "first").reason
    assert not slot_of(view, "second").attempts
    await engine.sign_ins.try_now("env:DEAD_KEY")
    view = await ended(engine, run)
    assert displays(view)["second"] == "Done"


async def test_who_waits_for_a_sign_in_takes_no_place_of_another(engine: Engine, tmp_path: Path) -> None:
    """`max_parallel` is for those who run: two wait, and a third with another sign-in starts behind them."""
    go = tmp_path / "go"
    waits = f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n" + WORKS
    crew = {**agents(waits, ["a", "b", "c"]), "free": python(WORKS, credential="env:OTHER_KEY")}
    run = await launch(engine, write(tmp_path, crew, limits={"max_parallel": 2}))
    await until(engine, run, lambda v: slot_of(v, "free").display == "Done")
    go.touch()
    assert (await ended(engine, run)).outcome is Outcome.COMPLETED


async def test_a_stop_ends_a_run_whose_agents_wait_for_a_sign_in(engine: Engine, tmp_path: Path) -> None:
    run = await launch(engine, write(tmp_path, agents("time.sleep(60)", ["a", "b"])))
    await until(engine, run, lambda v: any("sign-in works" in s.reason for s in v.slots))
    await engine.stop_run(run)
    view = await ended(engine, run)
    assert view.outcome is Outcome.STOPPED
    assert os.environ["DEAD_KEY"] not in str(view)
