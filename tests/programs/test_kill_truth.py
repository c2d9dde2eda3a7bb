"""The judge of kills sees each lie that it is there for, and the table of kills comes by whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.programs.kill_truth import Seen, lies
from tests.programs.moments import CONTAINMENTS, MOMENTS, Pair, Victim, pair_of, part_of, whole_table
from tests.programs.scenarios import SCENARIOS

TOKENS = {"input_tokens": 10, "cache_read_tokens": 0, "cache_write_tokens": 0, "output_tokens": 2}
PRICE = {"input": "1", "output": "5"}
SEEN = Seen(
    "agent", TOKENS, TOKENS, PRICE, {"e1": "sent"}, killed_leader=True, ran="started\n", session={"id": "s1", "resumable": True},
    requests=(2, 2), launches=(1, 1), recovered=False,
)  # fmt: skip


def told(**fields: Any) -> dict[str, Any]:
    """What the product says of it, and truly; fields: of the attempt, `phase` and `outcome` of the run."""
    figures = {"tokens": TOKENS, "cost_usd": "0.00002", "cost_is_complete": True}
    attempt = {
        "status": "failed", "reason": "killed", "end_reason": "exit", "signal": 9, "exit_code": None, "session_id": "s1", "figures": figures,
        "effects": [{"id": "e1", "state": "unknown", "type": "Bash"}],
    }  # fmt: skip
    run = {name: fields.pop(name, default) for name, default in (("phase", "ended"), ("outcome", "failed"))}
    attempts = [{**attempt, **fields}] * (2 if fields.pop("is_twice", False) else 1)
    return {**run, "cost_usd": "0.00002", "slots": [{"attempts": attempts}]}


def effects(state: str) -> list[dict[str, Any]]:
    return [{"id": "e1", "state": state, "type": "Bash"}]


def figures(**fields: Any) -> dict[str, Any]:
    return {"tokens": TOKENS, "cost_usd": "0.00002", "cost_is_complete": True, **fields}


def test_what_is_true_is_no_lie() -> None:
    assert lies(told(), SEEN) == []
    assert lies(told(), replace(SEEN, again=told())) == []
    lost = told(status="interrupted", end_reason="keeper_lost")
    assert lies(lost, replace(SEEN, victim="shim", killed_leader=False)) == []


LIES = {
    "running": told(status="running"),
    "live": told(phase="live"),
    "called succeeded": told(status="succeeded"),
    "called stopped": told(status="stopped"),
    "signal": told(signal=None),
    "called confirmed": told(effects=effects("confirmed")),
    "called refused": told(effects=effects("refused")),
    "left sent": told(effects=effects("sent")),
    "nothing is said": told(effects=[]),
    "more than was served": told(figures=figures(cost_usd="0.00003")),
    "were charged": told(figures=figures(cost_usd="0.00001")),
    "11 input_tokens": told(figures=figures(tokens={**TOKENS, "input_tokens": 11})),
    "session s2": told(session_id="s2"),
    "2 attempts": told(is_twice=True),
    "the reason is keeper_lost": told(status="interrupted", end_reason="keeper_lost"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_seen(lie: str) -> None:
    """EFF2, ruling 11, ruling 20."""
    assert any(lie in one for one in lies(LIES[lie], SEEN))


WORLDS = {
    "requests came in": replace(SEEN, requests=(2, 3)),
    "begun by themselves": replace(SEEN, launches=(1, 2)),
    "came to its end": replace(SEEN, ran="started\nfinished\n"),
    "no file of the program": replace(SEEN, home_has_session=False),
    "in flight": replace(SEEN, is_in_flight=True),
    "two looks": replace(SEEN, again=told(status="interrupted")),
    "the next process asks: False": replace(SEEN, victim="app"),
    "its keeper was killed": replace(SEEN, victim="shim", killed_leader=False),
}


def test_a_killed_keeper_is_not_told_as_a_closed_app() -> None:
    closed = told(status="interrupted", end_reason="app_closed")
    found = lies(closed, replace(SEEN, victim="shim", killed_leader=False))
    assert any("the reason is app_closed" in one for one in found)


@pytest.mark.parametrize("world", WORLDS)
def test_what_was_seen_outside_outranks_what_is_told(world: str) -> None:
    """EFF2, ruling 11, ruling 20."""
    assert any(world in one for one in lies(told(), WORLDS[world]))


def test_every_scenario_has_a_moment_and_every_moment_every_victim() -> None:
    assert {moment.scenario for moment in MOMENTS.values()} == set(SCENARIOS)
    whole = whole_table("claude")
    assert len(whole) == len({(one.moment, one.victim) for one in whole}) == len(MOMENTS) * len(Victim)


@pytest.mark.parametrize("size", [1, 5, 7, 80])
def test_every_pair_comes_by_in_either_containment(size: int) -> None:
    parts = -(-2 * len(whole_table("gemini")) // size) + 1
    seen = {pair for part in range(parts) for pair in part_of(part, "gemini", size)}
    assert seen == {
        Pair("gemini", moment, victim, kind)
        for moment in MOMENTS
        for victim in Victim
        for kind in CONTAINMENTS
    }


def test_a_pair_is_found_by_what_is_printed_of_it() -> None:
    for pair in whole_table("codex-acp"):
        assert pair_of(str(pair)) == pair
