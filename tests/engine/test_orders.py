"""What a person may ask of a live run: pause, continue, stop, budgets; and the end of the whole engine (ID5, ruling 12)."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import psutil

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
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
    python,
    shell,
    shows,
    slot_of,
    spends,
    to_end,
    until,
    write,
)


async def test_a_paused_agent_is_held_and_goes_on(engine: Engine, tmp_path: Path) -> None:
    counts = "n = 0\nwhile not os.path.exists('stop'):\n    n += 1; say('progress', done=n); time.sleep(0.01)\nsay('output', value=n)"
    run = await launch(engine, write(tmp_path, {"a": python(counts)}))
    await until(engine, run, shows("a", "Running"))
    refused = await engine.continue_(run, A)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ATTEMPT_STATE
    assert await engine.pause(run, A) is None
    view = await until(engine, run, shows("a", "Paused"))
    pid = attempt_of(view, "a").pid
    assert pid is not None
    async with asyncio.timeout(5):  # the signal is sent; the kernel may still be on its way
        while psutil.Process(pid).status() != psutil.STATUS_STOPPED:
            await asyncio.sleep(0.01)
    refused = await engine.pause(run, A)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ATTEMPT_STATE
    assert view.is_live, "a paused run is live (ruling 8)"
    assert await engine.continue_(run, A) is None
    await until(engine, run, shows("a", "Running"))
    (tmp_path / "stop").touch()
    assert (await ended(engine, run)).outcome is Outcome.COMPLETED


async def test_stop_of_a_run_ends_every_agent_and_starts_nothing_more(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": python(FOREVER), "b": shell("true")}, ("a", "b"))
    run = await launch(engine, path)
    await until(engine, run, shows("a", "Running"))
    answers = await asyncio.gather(*(engine.stop_run(run) for _ in range(3)))
    view = await ended(engine, run)
    assert answers[0] is None
    assert all(answer is None or answer.code is Code.E_ATTEMPT_STATE for answer in answers)
    assert (view.outcome, view.exit_code, view.reason) == (Outcome.STOPPED, 3, "stopped by you")
    assert displays(view)["a"] == "Stopped"
    assert slot_of(view, "b").attempts == ()
    assert journal_kinds(data, run).count("run_stop_requested") == 1
    assert await engine.stop_run(run) is None, "stopped is stopped: the same again changes nothing"


async def test_stop_during_the_start_reaches_agents_that_do_not_exist_yet(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Case 59, case 17: forty claims are due; the stop is taken between them."""
    run = await launch(engine, write(tmp_path, {f"n{number}": python(FOREVER) for number in range(40)}))
    assert await engine.stop_run(run) is None
    view = await ended(engine, run)
    assert view.outcome is Outcome.STOPPED
    kinds = journal_kinds(data, run)
    assert "attempt_claimed" not in kinds[kinds.index("run_stop_requested") :]
    assert kinds.count("attempt_claimed") == kinds.count("attempt_ended") < 40


async def test_stop_during_a_question_ends_the_agent_and_closes_the_question(
    engine: Engine, tmp_path: Path
) -> None:
    asks = "say('approval', id='q', question='Go?', options=['yes'])\ntold()"
    run = await launch(engine, write(tmp_path, {"a": python(asks)}))
    view = await until(engine, run, shows("a", "Needs you"))
    (asked,) = slot_of(view, "a").approvals
    assert await engine.stop_run(run) is None
    view = await ended(engine, run)
    assert slot_of(view, "a").approvals == ()
    assert view.outcome is Outcome.STOPPED
    late = await engine.answer(run, asked.request_id, "yes")
    assert isinstance(late, Refusal)
    assert late.code is Code.E_REQUEST


async def test_an_unwilling_agent_is_stopped_within_the_grace(engine: Engine, tmp_path: Path) -> None:
    """ID5: ignores TERM; a second stop while the first is at work changes nothing."""
    stubborn = "import signal\nsignal.signal(15, signal.SIG_IGN)\n" + FOREVER
    run = await launch(engine, write(tmp_path, {"a": python(stubborn), "b": python(FOREVER)}))
    await until(engine, run, lambda view: set(displays(view).values()) == {"Running"})
    begun_s = asyncio.get_running_loop().time()
    assert await engine.stop_slot(run, A) is None
    view = await until(engine, run, shows("a", "Stopping"))
    assert await engine.stop_slot(run, A) is None
    assert await engine.stop_run(run) is None
    view = await ended(engine, run)
    assert asyncio.get_running_loop().time() - begun_s < 6.0
    assert displays(view) == {"a": "Stopped", "b": "Stopped"}


async def test_orders_for_what_is_not_there_are_refused_and_journaled(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Ruling 14."""
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER), "b": shell("true")}, ("a", "b")))
    await until(engine, run, shows("a", "Running"))
    no_slot, no_agent = await engine.stop_slot(run, SlotId("zz")), await engine.pause(run, B)
    assert isinstance(no_slot, Refusal)
    assert no_slot.code is Code.E_SLOT
    assert isinstance(no_agent, Refusal)
    assert no_agent.code is Code.E_ATTEMPT_STATE
    no_run = await engine.stop_run(RunId("r-" + "0" * 32))
    assert isinstance(no_run, Refusal)
    assert no_run.code is Code.E_RUN
    for bad in ("", "../x", "r-1/2"):
        refused = await engine.stop_run(RunId(bad))
        assert isinstance(refused, Refusal)
        assert refused.code is Code.E_RUN
        assert await engine.run(RunId(bad)) is None
    assert journal_kinds(data, run).count("command_refused") == 2
    await engine.stop_run(run)
    await ended(engine, run)


# ------------------------------------------------------------------------------------------- budgets


async def test_an_agent_at_its_cap_is_stopped_and_its_siblings_go_on(engine: Engine, tmp_path: Path) -> None:
    work = {"a": spends("0.50", "0.35", "0.40", then=FOREVER), "b": shell("sleep 1")}
    path = write(tmp_path, work, nodes={"a": {"budget_usd": "1.00"}})
    view = await to_end(engine, path)
    attempt = attempt_of(view, "a")
    assert (attempt.status.value, slot_of(view, "a").state.value) == ("stopped", "retry_wait")
    assert "cap" in attempt.reason
    assert displays(view)["b"] == "Done"
    assert (view.outcome, view.exit_code) == (Outcome.STOPPED, 4)
    assert view.cost_usd == Decimal("1.25"), "the overshoot by what was in flight is counted, too"


async def test_eighty_percent_is_said_once_for_each_limit(engine: Engine, data: Path, tmp_path: Path) -> None:
    waits = "\nwhile not os.path.exists('go1'): time.sleep(0.02)"
    agent = spends("0.85", then=waits)
    path = write(tmp_path, {"a": agent}, nodes={"a": {"budget_usd": "1.00"}}, limits={"budget_usd": "1.02"})
    run = await launch(engine, path)
    await until(engine, run, lambda _: journal_kinds(data, run).count("budget_warned") == 2)
    assert await engine.raise_budget(run, None, Decimal(5)) is None
    (tmp_path / "go1").touch()
    view = await ended(engine, run)
    assert view.budget_usd == Decimal(5)
    lines = (data / "runs" / run / "journal.jsonl").read_text().splitlines()
    warned = [json.loads(line) for line in lines if '"budget_warned"' in line]
    assert sorted(line["scope"] for line in warned) == ["a", "run"]
    said = [(one.slot_id, one.spent_usd, one.limit_usd) for one in view.warned]
    both = [(A, Decimal("0.85"), Decimal(1)), (None, Decimal("0.85"), Decimal("1.02"))]
    assert sorted(said, key=lambda one: one[2]) == both, "the view tells them too, of a raised limit as well"


async def test_a_node_called_run_has_its_own_limit_beside_the_runs(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Ruling 12: raising one leaves the other as it is, and each is warned of."""
    agent = spends("0.85", then="\nwhile not os.path.exists('go1'): time.sleep(0.02)")
    path = write(
        tmp_path, {"run": agent}, nodes={"run": {"budget_usd": "1.00"}}, limits={"budget_usd": "1.02"}
    )
    run, node = await launch(engine, path), SlotId("run")
    view = await until(engine, run, lambda v: len(v.warned) == 2)
    assert {(one.slot_id, one.limit_usd) for one in view.warned} == {
        (node, Decimal("1")),
        (None, Decimal("1.02")),
    }
    assert await engine.raise_budget(run, node, Decimal(7)) is None
    view = await until(engine, run, lambda v: attempt_of(v, "run").budget_usd == Decimal(7))
    assert view.budget_usd == Decimal("1.02")
    assert await engine.raise_budget(run, None, Decimal(5)) is None
    view = await until(engine, run, lambda v: v.budget_usd == Decimal(5))
    assert attempt_of(view, "run").budget_usd == Decimal(7)
    (tmp_path / "go1").touch()
    recorded = await ended(engine, run)
    assert (recorded.budget_usd, attempt_of(recorded, "run").budget_usd) == (Decimal(5), Decimal(7))


async def test_at_the_runs_cap_everything_ends_and_going_on_takes_a_raise_and_a_person(
    engine: Engine, tmp_path: Path
) -> None:
    """Ruling 12: nothing is claimed, exit 4; the cap can be raised when the run has ended, too."""
    work = {"a": spends("0.60", then=FOREVER), "b": spends("0.60", then=FOREVER), "c": shell("true")}
    path = write(tmp_path, work, ("a", "c"), limits={"budget_usd": "1.00"})
    view = await to_end(engine, path)
    assert (view.outcome, view.exit_code) == (Outcome.STOPPED, 4), view.reason
    assert {displays(view)[name] for name in "ab"} == {"Stopped"}
    assert slot_of(view, "c").attempts == ()
    assert view.cost_usd == Decimal("1.20")
    run = view.run_id
    assert await engine.reassign(run, A, "more money") is None
    refused = await engine.claim(run, A)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_BUDGET
    assert await engine.raise_budget(run, None, Decimal(10)) is None
    claimed = await engine.claim(run, A)
    assert not isinstance(claimed, Refusal), claimed
    await until(engine, run, lambda view: attempt_of(view, "a").figures.cost_usd == Decimal("0.60"))
    await engine.stop_run(run)
    assert (await ended(engine, run)).cost_usd == Decimal("1.80")


# ------------------------------------------------------------------------------------------- two runs, and the end


async def test_each_of_two_runs_counts_its_own_primes_only(engine: Engine, tmp_path: Path) -> None:
    """ID3, ID4: every total shown at any time is made of the run's own prime numbers."""
    costs = {2: 3, 5: 7}  # {cost of a: cost of b}, in cents, for each of two runs
    runs = []
    for first, second in costs.items():
        slow = "\ntime.sleep(0.02)\n"
        agents = {
            name: python(
                "".join(
                    f"say('usage', cost_usd='0.0{cents}', model='m', message_id='{n}'){slow}"
                    for n in range(11)
                )
            )
            for name, cents in (("a", first), ("b", second))
        }
        runs.append(await launch(engine, write(tmp_path / str(first), agents, name="twin")))
    allowed = [{Decimal(a * x + b * y) / 100 for x in range(12) for y in range(12)} for a, b in costs.items()]
    feed, seen = engine.subscribe(), [0, 0]
    while any(engine.live_run(run).is_live for run in runs):  # type: ignore[union-attr]
        for index, run in enumerate(runs):
            view = engine.live_run(run)
            assert view is not None
            assert view.cost_usd in allowed[index] | {None}
            seen[index] += 1
        await asyncio.wait_for(feed.wait_changed(), 10)
        feed.take()
    feed.close()
    views = [await ended(engine, run) for run in runs]
    assert [view.cost_usd for view in views] == [Decimal("0.55"), Decimal("1.32")]
    assert min(seen) > 3


async def test_closing_leaves_runs_stopped_or_interrupted_as_asked(
    open_engine: Opener, tmp_path: Path
) -> None:
    """Ruling 20."""
    path = write(tmp_path, {"a": python(FOREVER), "b": shell("true")}, ("a", "b"))
    for reason, outcome in (("person", Outcome.STOPPED), ("app_closed", Outcome.INTERRUPTED)):
        engine = await open_engine()
        run = await launch(engine, path)
        await until(engine, run, shows("a", "Running"))
        await asyncio.gather(engine.close(reason=reason), engine.close(reason=reason))
        refused = await engine.launch(LaunchRequest(path))
        assert isinstance(refused, Refusal)
        reader = await open_engine(read_only=True)
        view = await reader.run(run)
        assert view is not None
        assert view.outcome is outcome
        assert displays(view)["a"] == "Stopped"
        assert attempt_of(view, "a").evidence == "exit_file"


async def test_closing_may_let_runs_finish(open_engine: Opener, tmp_path: Path) -> None:
    engine = await open_engine()
    run = await launch(engine, write(tmp_path, {"a": shell("sleep 0.4"), "b": shell("true")}, ("a", "b")))
    await engine.close(reason="person", finish_within_s=15)
    view = await (await open_engine(read_only=True)).run(run)
    assert view is not None
    assert view.outcome is Outcome.COMPLETED


async def test_a_launch_whose_caller_goes_away_has_its_actor_all_the_same(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    engine = await open_engine()
    path = write(tmp_path, {"a": python(FOREVER)})
    asking = asyncio.ensure_future(engine.launch(LaunchRequest(path)))
    while not list(data.glob("runs/*")):
        await asyncio.sleep(0)
    asking.cancel()
    await asyncio.wait([asking])
    await engine.close(reason="person")
    (run,) = (await open_engine(read_only=True)).runs()
    assert run.outcome is Outcome.STOPPED


async def test_an_attempt_tells_its_own_limit_live_raised_and_recorded(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """The smaller of the agent's and the node's; what a person raised it to outranks both (ruling 12)."""
    agents = {"a": python(FOREVER, budget_usd="3.00"), "b": python(FOREVER)}
    path = write(tmp_path, agents, nodes={"a": {"budget_usd": "2.00"}})
    run = await launch(engine, path)
    view = await until(engine, run, lambda v: shows("a", "Running")(v) and shows("b", "Running")(v))
    assert [attempt_of(view, node).budget_usd for node in "ab"] == [Decimal(2), None]
    reader = await Engine.open(data, read_only=True)
    for reads in (engine, reader):  # from memory, and from files while it lives
        seen = await reads.run(run)
        assert seen is not None
        assert attempt_of(seen, "a").budget_usd == Decimal(2)
    assert await engine.raise_budget(run, A, Decimal(7)) is None
    await until(engine, run, lambda v: attempt_of(v, "a").budget_usd == Decimal(7))
    await engine.stop_run(run)
    await ended(engine, run)
    recorded = await reader.run(run)
    assert recorded is not None
    (shown, other) = (slot["attempts"][0]["budget_usd"] for slot in run_to_json(recorded)["slots"])
    assert (shown, other) == ("7", None)
    await reader.close()
