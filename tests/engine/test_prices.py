"""An agent that tells tokens and no cost: by the prices of its file its cost is estimated, and its limit acts (ruling 23)."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from quarterdeck.engine.service import Engine
from tests.engine.works import attempt_of, launch_file, python, to_end, write

TOKENS = "say('turn'); say('usage', input_tokens=1_000_000, cache_read_tokens=500_000, model='m')\n"
PRICES = {"m": {"input": "0.10", "cache_read": 0.02, "output": "9"}, "other": {"output": "1"}}


async def test_cost_is_estimated_by_the_prices_of_the_agent(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    view = await to_end(engine, write(tmp_path, {"a": python(TOKENS, prices=PRICES)}))
    one = attempt_of(view, "a")
    assert (view.cost_usd, view.cost_is_complete, one.figures.cost_source) == (
        Decimal("0.11"),
        True,
        "estimated",
    )
    assert launch_file(data, view.run_id, one.attempt_id)["prices"] == {
        "m": {"input": "0.1", "cache_read": "0.02", "output": "9"},
        "other": {"output": "1"},
    }


async def test_a_limit_acts_on_estimated_cost(engine: Engine, tmp_path: Path) -> None:
    agent = python(TOKENS + "while True: time.sleep(0.05)\n", prices=PRICES, budget_usd="0.11")
    view = await to_end(engine, write(tmp_path, {"a": agent}))
    assert attempt_of(view, "a").reason == "its spending cap was reached"


async def test_a_price_that_is_needed_and_not_given_leaves_the_cost_unknown(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 88: never 0, and the limit is known not to act."""
    agent = python(TOKENS, prices={"m": {"input": "0.10"}}, budget_usd="0.01")
    one = attempt_of(await to_end(engine, write(tmp_path, {"a": agent})), "a")
    assert (one.status.value, one.figures.cost_usd, one.figures.is_unpriced) == ("succeeded", None, True)
