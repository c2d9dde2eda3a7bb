"""What tokens cost by the table: the same as the table's own sums, to the last digit, and always called an estimate.

The oracle is `genai_prices.calc_price`, which wants cache tokens within its input tokens; ours are apart (libraries' trap).
"""

from __future__ import annotations

import datetime as dt
import random
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from genai_prices import Usage, calc_price

from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.price_table import DEFAULT_MODEL, prices_for
from quarterdeck.engine.service import Engine
from quarterdeck.shim.pricing import with_cost
from tests.engine.works import attempt_of, launch_file, python, to_end, write

TODAY = dt.date(2026, 11, 30)
MAKERS = {"claude-code": "anthropic", "codex": "openai", "gemini": "google"}


def agent(kind: str = "codex", **more: Any) -> AgentSpec:
    return AgentSpec("a", kind, **more)


def usage(model: str, tokens: tuple[int, int, int, int], **more: Any) -> dict[str, Any]:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return (
        {"model": model, "cost_usd": None, "cumulative": False} | dict(zip(names, tokens, strict=True)) | more
    )


def oracle(model: str, maker: str, tokens: tuple[int, int, int, int]) -> Decimal:
    plain, out, read, wrote = tokens
    used = Usage(
        input_tokens=plain + read + wrote,
        cache_read_tokens=read,
        cache_write_tokens=wrote,
        output_tokens=out,
    )
    at = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
    return calc_price(used, model_ref=model, provider_id=maker, genai_request_timestamp=at).total_price


@pytest.mark.parametrize("kind", MAKERS)
def test_every_listed_price_gives_what_the_table_itself_gives(kind: str) -> None:
    """Cache tokens, small calls and calls above a step of the price included (ruling 23, I5)."""
    prices, chance = prices_for(agent(kind), (), TODAY), random.Random(7)
    assert len(prices) > 50
    for model in prices:
        for size in (1_000, 150_000, 400_000):
            tokens = (chance.randrange(size), chance.randrange(9_999), chance.randrange(size), 0)
            priced = with_cost(usage(model, tokens), prices)
            assert priced["source"] == "estimated"
            assert Decimal(priced["cost_usd"]) == oracle(model, MAKERS[kind], tokens), (model, tokens)


def test_cache_writes_cost_what_the_table_says() -> None:
    prices = prices_for(agent("claude-code"), (), TODAY)
    tokens = (12, 345, 6_789, 1_011)
    priced = with_cost(usage("claude-opus-5-5", tokens), prices)
    assert Decimal(priced["cost_usd"]) == oracle("claude-opus-5-5", "anthropic", tokens)


@pytest.mark.parametrize(
    ("told", "as_is"),
    [
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("anthropic/claude-opus-5-5", "claude-opus-5-5"),
        ("Claude-Opus-5-5[1m]", "claude-opus-5-5"),
        ("claude-sonnet-4-5-latest", "claude-sonnet-4-5"),
    ],
)
def test_what_programs_add_to_a_name_does_not_hide_its_price(told: str, as_is: str) -> None:
    prices = prices_for(agent("claude-code"), (), TODAY)
    tokens = (1_000, 1_000, 0, 0)
    assert (
        with_cost(usage(told, tokens), prices)["cost_usd"]
        == with_cost(usage(as_is, tokens), prices)["cost_usd"]
    )


@pytest.mark.parametrize("model", ["fake-model", "gpt-4-of-ours", "", "<synthetic>"])
def test_a_model_that_no_list_names_costs_what_is_unknown_and_never_nothing(model: str) -> None:
    """Case 88."""
    told = usage(model, (10, 10, 0, 0))
    assert with_cost(told, prices_for(agent("acp"), (), TODAY)) == told


def test_a_model_that_the_agent_never_names_is_that_of_the_workflow() -> None:
    prices = prices_for(agent("codex", model="gpt-5.1-codex"), (), TODAY)
    assert prices[DEFAULT_MODEL] == prices["gpt-5.1-codex"]
    assert DEFAULT_MODEL not in prices_for(agent("codex"), (), TODAY)


def test_the_prices_of_the_file_outrank_the_table_and_those_of_the_last_attempt_both() -> None:
    """A session's running total is told apart by one price, whatever the table says by then."""
    spec = agent("codex", prices={"gpt-5": {"input": "1", "output": "2"}})
    assert prices_for(spec, (), TODAY)["gpt-5"] == {"input": "1", "output": "2"}
    earlier = {"gpt-5": {"input": "7", "output": "8"}}
    assert prices_for(spec, (earlier,), TODAY)["gpt-5"] == earlier["gpt-5"]


def test_a_running_total_is_of_many_calls_and_pays_the_lowest_step() -> None:
    prices = {"m": {"input": "1", "output": "1", "above": [{"tokens": 10, "input": "2", "output": "2"}]}}
    assert with_cost(usage("m", (1_000_000, 0, 0, 0)), prices)["cost_usd"] == "2"
    assert with_cost(usage("m", (1_000_000, 0, 0, 0), cumulative=True), prices)["cost_usd"] == "1"


def test_a_command_and_practice_get_no_list() -> None:
    assert prices_for(agent("command"), (), TODAY) == prices_for(agent("practice"), (), TODAY) == {}
    assert set(prices_for(agent("command", model="gpt-5"), (), TODAY)) == {DEFAULT_MODEL, "gpt-5"}


async def test_an_agent_that_tells_tokens_alone_has_an_estimate_and_its_limit_acts(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """Rulings 12 and 23; `show --json` calls it an estimate for attempt, agent and run."""
    says = "say('turn'); say('usage', input_tokens=1_000_000, model='gpt-5')\nwhile True: time.sleep(0.05)\n"
    view = await to_end(engine, write(tmp_path, {"a": python(says, model="gpt-5", budget_usd="1.25")}))
    one = attempt_of(view, "a")
    assert (one.reason, one.figures.cost_usd) == ("its spending cap was reached", Decimal("1.25"))
    assert (one.figures.cost_source, view.slots[0].cost_source, view.cost_source) == ("estimated",) * 3
    assert "gpt-5" in launch_file(data, view.run_id, one.attempt_id)["prices"]


def test_the_table_is_not_loaded_before_an_agent_needs_it_and_never_in_a_shim() -> None:
    """The import budget of terminal and shim."""
    for module in ("quarterdeck.engine.starting", "quarterdeck.cli.program", "quarterdeck.shim.shim_main"):
        loaded = f"import sys, {module}; sys.exit('genai_prices' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0, module
