"""Budgets of a workflow and of a night: what all runs together may spend, by the ledger and by what lives (ruling 12).

Real engines and agents; what was spent is summed here by a few lines of our own.
"""

from __future__ import annotations

import asyncio
import json
import time
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.works import (
    FOREVER,
    attempt_of,
    ended,
    launch,
    launch_file,
    shows,
    slot_of,
    spends,
    to_end,
    until,
    write,
)

WORKFLOW = "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10"
EARLIER = time.strftime("%H:%M", time.localtime(time.time() - 120))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The config folder of the test."""
    folder = tmp_path / "config"
    folder.mkdir()
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(folder))
    return folder


def limit(config: Path, **budgets: object) -> None:
    """Write the settings file."""
    workflows = budgets.pop("workflows", {})
    lines = [f"{name} = {json.dumps(value)}" for name, value in budgets.items()]
    table = "\n".join(f'"{name}" = {json.dumps(value)}' for name, value in dict(workflows).items())  # type: ignore[call-overload]
    text = "[budgets]\n" + "\n".join(lines) + f"\n[budgets.workflows]\n{table}\n"
    (config / "settings.toml").write_text(text)


async def test_a_night_is_over_for_every_run_once_its_budget_is_spent(
    engine: Engine, tmp_path: Path, config: Path
) -> None:
    """Nothing is claimed, what runs ends, and the run waits for a person (exit 4); a person's claim is refused until it is raised."""
    limit(config, night_usd="1.00", night_from=EARLIER)
    first = await to_end(engine, write(tmp_path, {"a": spends("0.60")}))
    assert (first.exit_code, first.cost_usd) == (0, Decimal("0.60"))
    second = await to_end(engine, write(tmp_path, {"a": spends("0.40", then=FOREVER)}, name="other"))
    assert (second.outcome.value if second.outcome else "", second.exit_code) == ("stopped", 4)
    assert second.reason == "the night's budget is spent"
    third = await to_end(engine, write(tmp_path, {"a": spends("0.01")}))
    assert (third.exit_code, third.reason, slot_of(third, "a").attempts) == (
        4,
        "the night's budget is spent",
        (),
    )
    refused = await engine.claim(third.run_id, SlotId("a"))
    assert isinstance(refused, Refusal)
    assert refused.message == "The night's budget of $1 for all runs is spent; raise it first."
    limit(config, night_usd="2.00", night_from=EARLIER)
    assert not isinstance(await engine.claim(third.run_id, SlotId("a")), Refusal)
    assert (await ended(engine, third.run_id)).exit_code == 0


async def test_a_workflows_budget_is_of_all_its_runs_and_of_no_other_workflow(
    engine: Engine, tmp_path: Path, config: Path
) -> None:
    limit(config, workflows={WORKFLOW: "1.00"})
    await to_end(engine, write(tmp_path, {"a": spends("0.75")}))
    view = await to_end(engine, write(tmp_path, {"a": spends("0.30", then=FOREVER)}))
    assert (view.exit_code, view.reason) == (4, "the workflow's budget is spent")
    other = write(tmp_path, {"a": spends("5")}, name="other", id="0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d11")
    assert (await to_end(engine, other)).exit_code == 0


async def test_the_keeper_holds_what_was_left_of_the_night_at_the_claim(
    engine: Engine, data: Path, tmp_path: Path, config: Path
) -> None:
    """So that it ends its agent with the window stalled, too."""
    limit(config, night_usd="1.00", night_from=EARLIER, workflows={WORKFLOW: "5.00"})
    first = await to_end(engine, write(tmp_path, {"a": spends("0.25", "0.125")}))
    agent = spends("0.01") | {"budget_usd": "3.00"}
    view = await to_end(engine, write(tmp_path, {"a": agent}))
    caps = [
        launch_file(data, run.run_id, attempt_of(run, "a").attempt_id)["cap_usd"] for run in (first, view)
    ]
    assert caps == ["1", "0.625"]


async def test_eighty_percent_is_said_once_for_all_runs(engine: Engine, tmp_path: Path, config: Path) -> None:
    limit(config, night_usd="1.00", night_from=EARLIER)
    paths = [write(tmp_path, {"a": spends("0.41", then=FOREVER)}, name=f"n{n}") for n in range(2)]
    runs = [await launch(engine, path) for path in paths]
    warned = []
    async with asyncio.timeout(20):
        while not warned:
            await asyncio.sleep(0.05)
            views = [await engine.run(run) for run in runs]
            warned = [(said.shared, said.spent_usd) for view in views if view for said in view.warned]
    assert [(shared.name if shared else "", spent) for shared, spent in warned] == [
        ("NIGHT", Decimal("0.82"))
    ]
    await asyncio.sleep(1.2)  # two more looks
    views = [await engine.run(run) for run in runs]
    assert sum(len(view.warned) for view in views if view) == 1


async def test_a_limit_that_is_raised_while_an_agent_lives_reaches_its_keeper(
    engine: Engine, tmp_path: Path, config: Path
) -> None:
    limit(config, night_usd="1.00", night_from=EARLIER)
    go = tmp_path / "go"
    later = f"""
while not os.path.exists({str(go)!r}): time.sleep(0.02)
say('turn'); say('usage', input_tokens=1, cost_usd='0.60', model='m', message_id='later')
"""
    run = await launch(engine, write(tmp_path, {"a": spends("0.50", then=later)}))
    await until(engine, run, shows("a", "Running"))
    limit(config, night_usd="3.00", night_from=EARLIER)
    await asyncio.sleep(1.2)  # two looks
    go.touch()
    view = await ended(engine, run)
    assert (view.exit_code, view.cost_usd) == (0, Decimal("1.10"))


async def test_what_another_process_spends_counts_as_well(
    open_engine: Opener, tmp_path: Path, config: Path
) -> None:
    limit(config, night_usd="1.00", night_from=EARLIER)
    here, there = await open_engine(), await open_engine()
    running = await launch(here, write(tmp_path, {"a": spends("0.30", then=FOREVER)}, name="here"))
    await until(here, running, shows("a", "Running"))
    await launch(there, write(tmp_path, {"a": spends("0.75", then=FOREVER)}, name="there"))
    view = await ended(here, running)
    assert (view.exit_code, view.reason) == (4, "the night's budget is spent")


async def test_a_budget_that_is_no_amount_starts_nothing(
    engine: Engine, tmp_path: Path, config: Path
) -> None:
    """Case 88: a limit is never silently none."""
    path = write(tmp_path, {"a": spends("0.01")})
    for wrong in ("NaN", "many", "-1", True):
        limit(config, night_usd=wrong)
        refused = await engine.launch(LaunchRequest(path, {}))
        assert isinstance(refused, Refusal), wrong
        assert (refused.code.value, "budgets.night_usd" in refused.message) == ("E_BUDGET", True)
    limit(config, night_from="25:00")
    assert isinstance(await engine.launch(LaunchRequest(path, {})), Refusal)
    limit(config, night_usd="1.00")
    assert (await to_end(engine, path)).exit_code == 0


async def test_standings_equal_the_books_over_lives(
    open_engine: Opener, data: Path, tmp_path: Path, config: Path
) -> None:
    """I5: what the limits count is what the agents reported, to the last digit; practice adds nothing."""
    limit(config, night_usd="100", night_from=EARLIER, workflows={WORKFLOW: "100"})
    costs = [Decimal("0.1000000000000000007"), Decimal("0.2"), Decimal("3.000000001")]
    engine = await open_engine()
    for cost in costs[:2]:
        await to_end(engine, write(tmp_path, {"a": spends(str(cost)), "p": {"kind": "practice"}}))
    await engine.close()
    again = await open_engine()
    await to_end(again, write(tmp_path, {"a": spends(str(costs[2]))}))
    standings = (await again.shared_spending()).standings
    assert [one.spent.cost_usd for one in standings] == [sum(costs), sum(costs)]
    assert [one.spent.complete for one in standings] == [True, True]
