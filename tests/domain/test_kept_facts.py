"""What an agent can pile up is kept within declared limits; what is beyond is counted, said, and never taken lightly."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from quarterdeck.domain import kept_facts
from quarterdeck.domain.endings import Ending, facts_of, judge_end
from quarterdeck.domain.kept_facts import FirstFacts, Limit, NewestFacts
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.retry import RetryContext
from quarterdeck.domain.states import EffectState, Evidence, Hold

BIG = "x" * 60_000
SESSION_AND_USAGE: list[dict[str, Any]] = [
    {"kind": "session"},
    {"kind": "usage", "model": "m", "input_tokens": 1},
]
FLOODS: dict[str, Callable[[int], dict[str, Any]]] = {
    "many effects": lambda i: {"kind": "effect", "id": f"e{i}", "state": "sent", "type": "x", "detail": "d"},
    "big effects": lambda i: {"kind": "effect", "id": f"e{i}", "state": "sent", "detail": BIG + str(i)},
    "many files": lambda i: {"kind": "artifact", "name": f"f{i}", "sha256": "0" * 64, "size_bytes": 1, "path": f"f{i}"},
    "big files": lambda i: {"kind": "artifact", "name": f"f{i}", "path": BIG + str(i)},
    "many questions": lambda i: {"kind": "approval", "id": f"q{i}", "question": "?", "options": ["a"]},
    "big questions": lambda i: {"kind": "approval", "id": f"q{i}", "question": BIG + str(i), "options": []},
    "many checkpoints": lambda i: {"kind": "checkpoint", "step": f"s{i}", "data": {"i": i}},
    "big checkpoints": lambda i: {"kind": "checkpoint", "step": f"s{i}", "data": [BIG, str(i) + BIG]},
    "big notes": lambda i: {"kind": "note", "note": "other", "text": BIG + str(i)},
    "big errors": lambda i: {"kind": "error", "class": "other", "message": BIG + str(i)},
    "many models": lambda i: {"kind": "usage", "model": f"m{i}", "input_tokens": 1},
    "big models": lambda i: {"kind": "usage", "model": BIG + str(i), "input_tokens": 1},
    "many messages": lambda i: {"kind": "usage", "model": "m", "message_id": f"i{i}", "cost_usd": "0.1"},
    "big messages": lambda i: {"kind": "usage", "model": "m", "message_id": BIG + str(i), "cost_usd": "0.1"},
    "many sessions": lambda i: SESSION_AND_USAGE[i % 2] | {"id": f"s{i}"},
}  # fmt: skip


def flooded(make: Callable[[int], dict[str, Any]], count: int) -> AttemptFold:
    fold = AttemptFold()
    for seq in range(1, count + 1):
        fold.apply({"seq": seq, **make(seq)})
    return fold


@pytest.mark.parametrize("name", list(FLOODS))
def test_a_flood_of_facts_costs_bounded_memory(name: str) -> None:
    """Whatever an agent piles up, in number or in size."""
    tracemalloc.start()
    try:
        fold = flooded(FLOODS[name], 40_000 if name.startswith("many") else 3_000)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert fold.upto >= 3_000
    assert used < 40_000_000, f"{used / 1e6:.0f} MB"


def test_the_limits_are_those_that_are_declared_and_what_is_beyond_is_said() -> None:
    fold = flooded(FLOODS["many effects"], 10_500)
    assert (len(fold.effects), fold.beyond_limits) == (10_000, {"effects": 500})
    (said,) = fold.errors
    assert (said.error_class, "500 reports of effects" in said.message) == ("beyond_limits", True)
    assert len(flooded(FLOODS["many questions"], 500).open_questions) == 200
    assert len(flooded(FLOODS["many files"], 10_001).artifacts) == 10_000
    checkpoints = flooded(FLOODS["many checkpoints"], 1_500).checkpoints
    assert list(checkpoints) == [f"s{i}" for i in range(501, 1_501)]
    assert flooded(FLOODS["many effects"], 10_000).errors == ()


def test_an_effect_beyond_the_limit_forbids_the_timed_retry_as_an_open_one_does() -> None:
    """Ruling 4: never less careful because there was much."""

    def confirmed(i: int) -> dict[str, Any]:
        return {"kind": "effect", "id": f"e{i}", "state": "confirmed"}

    for count, hold in ((10_000, Hold.TIMER), (10_001, Hold.PERSON)):
        fold = flooded(confirmed, count)
        fold.apply({"seq": count + 1, "kind": "started", "pid": 1})
        gone = {"code": 1, "after_ending": False, "tree_empty": True}
        facts = facts_of(fold, Evidence.EXIT_FILE, exit_file=gone)
        end = judge_end(facts, RetryContext(max_attempts=3))
        assert isinstance(end, Ending)
        assert end.hold is hold


def test_how_a_kept_effect_stands_is_never_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_facts, "EFFECTS", Limit(10, 20))
    fold = AttemptFold()
    fold.apply({"seq": 1, "kind": "effect", "id": "e", "state": "intended", "detail": "short"})
    fold.apply(
        {"seq": 2, "kind": "effect", "id": "e", "state": "sent", "detail": "much longer than there is room"}
    )
    effect = fold.effects["e"]
    assert (effect.state, effect.detail) == (EffectState.SENT, "short")
    assert fold.has_open_effects


def test_an_answered_question_makes_room_for_another() -> None:
    fold = flooded(FLOODS["many questions"], 200)
    fold.apply({"seq": 201, "kind": "approval_answered", "id": "q7", "answer": "a"})
    fold.apply({"seq": 202, "kind": "approval", "id": "new", "question": "?", "options": []})
    assert "new" in fold.open_questions
    assert fold.beyond_limits == {}


def test_the_newest_error_is_kept_whatever_its_size() -> None:
    """Case 82: how an attempt is judged rests on it."""
    fold = flooded(lambda i: {"kind": "error", "class": "auth", "message": "y" * 2_000_000}, 1)
    assert fold.standing_error is not None


def test_room_is_counted_through_replacing_and_dropping() -> None:
    first: FirstFacts[int] = FirstFacts(Limit(2, 10))
    assert [first.put("a", 1, 6), first.put("a", 2, 4), first.put("b", 3, 6), first.put("c", 4, 0)] == [
        True, True, True, False,
    ]  # fmt: skip
    first.drop("b")
    assert [first.put("c", 4, 7), first.put("c", 4, 6), dict(first), first.beyond] == [
        False, True, {"a": 2, "c": 4}, 2,
    ]  # fmt: skip
    newest: NewestFacts[int] = NewestFacts(Limit(2, 10))
    for key, chars in (("a", 4), ("b", 4), ("a", 5), ("c", 6), ("d", 50)):
        newest.put(key, chars, chars)
    assert (dict(newest), newest.beyond) == ({"d": 50}, 3)
