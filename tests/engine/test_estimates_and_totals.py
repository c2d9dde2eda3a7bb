"""Estimates and reported money of one agent: nothing counts twice, and only what is an estimate is called one.

An agent's books are kept by the test itself, from what it has the agent say (I5; cases 83, 85, 86).
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.service import Engine
from tests.engine.works import attempt_of, ended, python, slot_of, to_end, write

PRICES = {"m": {"input": "2", "output": "10", "cache_read": "0.2"}}


def tokens(message: str, count: int = 1_000_000) -> str:
    return f"say('usage', input_tokens={count}, model='m', message_id={message!r})\n"


async def figures(engine: Engine, folder: Path, says: str) -> tuple[Decimal | None, str, bool]:
    view = await to_end(engine, write(folder, {"a": python(says, prices=PRICES)}))
    told = attempt_of(view, "a").figures
    return told.cost_usd, told.cost_source, told.cost_is_complete


async def test_tokens_alone_are_an_estimate(engine: Engine, tmp_path: Path) -> None:
    assert await figures(engine, tmp_path, tokens("1") + tokens("2")) == (Decimal(4), "estimated", True)


async def test_a_total_that_the_agent_tells_takes_the_place_of_the_estimates(
    engine: Engine, tmp_path: Path
) -> None:
    """So that a spending limit acts while it works, and its own figure counts at the end (case 86)."""
    total = "say('usage', cost_usd='3.21', model='m', cumulative=True)\n"
    assert await figures(engine, tmp_path, tokens("1") + tokens("2") + total) == (
        Decimal("3.21"),
        "reported",
        True,
    )


async def test_tokens_behind_a_told_total_are_of_calls_that_it_does_not_cover(
    engine: Engine, tmp_path: Path
) -> None:
    """The next total takes their place as well."""
    totals = [f"say('usage', cost_usd='{cost}', model='m', cumulative=True)\n" for cost in ("3.21", "4.5")]
    says = totals[0] + tokens("1")
    assert await figures(engine, tmp_path, says) == (Decimal("5.21"), "mixed", True)
    assert await figures(engine, tmp_path, says + totals[1]) == (Decimal("4.5"), "reported", True)


async def test_a_message_that_is_told_again_with_its_cost_is_no_estimate_any_more(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 85."""
    again = "say('usage', input_tokens=1_000_000, model='m', message_id='1', cost_usd='1.99')\n"
    assert await figures(engine, tmp_path, tokens("1") + again) == (Decimal("1.99"), "reported", True)


async def test_some_of_both_is_partly_an_estimate(engine: Engine, tmp_path: Path) -> None:
    told = "say('usage', input_tokens=5, model='m', message_id='2', cost_usd='0.5')\n"
    assert await figures(engine, tmp_path, tokens("1") + told) == (Decimal("2.5"), "mixed", True)


async def test_a_resumed_sessions_total_of_tokens_is_charged_by_difference(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 83, for a program that tells running totals of tokens and no money: the sum over attempts is that of its books."""
    grown = tmp_path / "grown"
    says = f"""
say('session', id='s', resumable=True)
so_far = int(open({str(grown)!r}).read()) if os.path.exists({str(grown)!r}) else 0
so_far += 700_000
open({str(grown)!r}, 'w').write(str(so_far))
say('turn'); say('usage', input_tokens=so_far, cache_read_tokens=so_far, model='m', cumulative=True)
sys.exit(3)
"""
    view = await to_end(engine, write(tmp_path, {"a": python(says, prices=PRICES)}))
    for _ in range(2):
        assert await engine.reassign(view.run_id, SlotId("a"), "go on") is None
        assert not isinstance(await engine.claim(view.run_id, SlotId("a")), Refusal)
        view = await ended(engine, view.run_id)
    each = Decimal("0.7") * (Decimal(2) + Decimal("0.2"))
    attempts = slot_of(view, "a").attempts
    assert [one.figures.cost_usd for one in attempts] == [each] * 3
    assert (view.cost_usd, view.cost_source) == (3 * each, "estimated")
