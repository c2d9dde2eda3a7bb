"""The fold of reports: figures exact to the last decimal, message ids once, cumulative by difference (rulings 9–13)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.reports_fold import (
    AttemptFold,
    Baseline,
    baseline_of,
    figures_from_json,
    figures_to_json,
    split_late,
)
from quarterdeck.domain.states import EffectState
from tests.domain.build import reports, usage

STARTED = {"kind": "started", "pid": 1}
EXIT = {"kind": "exit", "code": 0, "after_ending": False, "tree_empty": True}
KILLED = {"kind": "exit", "signal": 9, "after_ending": True, "tree_empty": True}


def folded(*bodies: dict[str, Any], base: Baseline | None = None, reports_cost: bool = False) -> AttemptFold:
    fold = AttemptFold(base or Baseline(), reports_cost=reports_cost)
    for report in reports(*bodies):
        fold.apply(report)
    return fold


def cost(*bodies: dict[str, Any], **how: Any) -> Decimal | None:
    return folded(*bodies, **how).totals().cost_usd


def test_distinct_primes_add_up_exactly_and_none_is_lost() -> None:
    """ID3: every displayed total factors into its own."""
    primes = ["0.02", "0.03", "0.05", "0.07", "0.11", "0.13"]
    assert cost(*(usage(p) for p in primes)) == Decimal("0.41")


@given(st.lists(st.integers(0, 10**27), max_size=60))
def test_sums_never_round(amounts: list[int]) -> None:
    """I5: against exact fractions, at eighteen decimals and amounts whose sum needs more than 28 digits."""
    texts = [f"{a // 10**18}.{a % 10**18:018d}" for a in amounts]
    total = cost(*(usage(t) for t in texts))
    assert Fraction(total if total is not None else 0) == sum((Fraction(t) for t in texts), Fraction(0))


def test_the_largest_sane_amounts_add_up_without_rounding() -> None:
    """Thirty digits: the usual context of decimals would round here."""
    largest = "999999999.999999999999999999"
    assert cost(*[usage(largest)] * 100) == Decimal("99999999999.9999999999999999")


def test_a_message_id_counts_once_and_its_later_line_replaces() -> None:
    """Ruling 10, case 85."""
    lines = usage("0.05", message_id="m1", output_tokens=1), usage("0.07", message_id="m1", output_tokens=9)
    figures = folded(*lines, usage("0.11", message_id="m2", output_tokens=2)).totals()
    assert (figures.cost_usd, figures.tokens.output_tokens) == (Decimal("0.18"), 11)


def test_a_replacing_line_may_name_another_model() -> None:
    figures = folded(
        usage("0.05", message_id="m1", model="x"), usage("0.07", message_id="m1", model="y")
    ).totals()
    assert [(m.model, m.cost_usd) for m in figures.by_model] == [("y", Decimal("0.07"))]


def test_a_message_repeated_by_a_resumed_session_adds_nothing() -> None:
    """Ruling 10: per slot and agent session."""
    session = {"kind": "session", "id": "s1"}
    first = folded(session, usage("0.05", message_id="m1"), usage("0.02"))
    base = baseline_of([first])
    again = folded(session, usage("0.05", message_id="m1"), usage("0.03", message_id="m2"), base=base)
    assert again.totals().cost_usd == Decimal("0.03")
    grown = folded(session, usage("0.09", message_id="m1"), base=base)
    assert grown.totals().cost_usd == Decimal("0.04")
    other = folded({"kind": "session", "id": "s2"}, usage("0.05", message_id="m1"), base=base)
    assert other.totals().cost_usd == Decimal("0.05")
    third = folded(session, usage("0.03", message_id="m2"), base=baseline_of([first, again]))
    assert third.totals().cost_usd == 0


def test_usage_before_the_session_is_named_is_placed_in_it() -> None:
    session = {"kind": "session", "id": "s1"}
    base = baseline_of([folded(session, usage("0.05", message_id="m1"))])
    assert cost(usage("0.05", message_id="m1"), usage("0.01"), session, base=base) == Decimal("0.01")


def test_cumulative_figures_replace_and_count_by_difference() -> None:
    """Ruling 10, case 83: a resumed session's running total is not charged again."""
    session = {"kind": "session", "id": "s1"}

    def total(amount: str, tokens: int) -> dict[str, Any]:
        return usage(amount, model="m", input_tokens=tokens, cumulative=True)

    first = folded(session, total("0.10", 100), total("0.30", 300))
    assert first.totals().cost_usd == Decimal("0.30")
    second = folded(session, total("0.35", 350), total("0.41", 410), base=baseline_of([first]))
    figures = second.totals()
    assert (figures.cost_usd, figures.tokens.input_tokens) == (Decimal("0.11"), 110)
    set_back = folded(session, total("0.02", 20), base=baseline_of([first, second]))
    assert set_back.totals().cost_usd == Decimal("0.02")


def test_cost_may_be_cumulative_while_tokens_come_by_message() -> None:
    figures = folded(
        usage(None, message_id="m1", input_tokens=5, model="m"),
        usage(None, message_id="m2", input_tokens=7, model="m"),
        usage("0.12", cumulative=True, model="m"),
    ).totals()
    assert (figures.cost_usd, figures.cost_is_complete, figures.tokens.input_tokens) == (
        Decimal("0.12"),
        True,
        12,
    )


def test_unknown_parts_never_void_a_sum_and_are_said() -> None:
    """Ruling 11."""
    figures = folded(usage("0.05"), usage(None, input_tokens=5)).totals()
    assert (figures.cost_usd, figures.cost_is_complete) == (Decimal("0.05"), False)
    nothing = folded(usage(None, input_tokens=5)).totals()
    assert (nothing.cost_usd, nothing.cost_is_complete, nothing.cost_source) == (None, False, "unknown")


def test_an_agent_without_usage_costs_a_known_nothing_unless_its_kind_tells_costs() -> None:
    """Ruling 11."""
    free = folded(STARTED, EXIT).totals()
    assert (free.cost_usd, free.cost_is_complete, free.cost_source) == (0, True, "none")
    silent = folded(STARTED, EXIT, reports_cost=True).totals()
    assert (silent.cost_usd, silent.cost_is_complete) == (None, False)
    assert folded(reports_cost=True).totals().cost_usd == 0


def test_a_call_in_flight_at_the_end_makes_the_cost_at_least() -> None:
    """JNL5, ruling 11."""
    turn = {"kind": "turn"}
    assert folded(STARTED, turn, usage("0.01"), EXIT).totals().cost_is_complete
    assert not folded(STARTED, turn, usage("0.01"), turn, KILLED).totals().cost_is_complete
    assert not folded(STARTED, turn, usage("0.01"), turn).totals().cost_is_complete
    assert folded(STARTED, usage("0.01"), turn, EXIT).totals().cost_is_complete


def test_sources_are_told_and_mixed_is_said() -> None:
    estimated = {**usage("0.01"), "source": "estimated"}
    assert folded(usage("0.01")).totals().cost_source == "reported"
    assert folded(estimated).totals().cost_source == "estimated"
    assert folded(estimated, usage("0.01")).totals().cost_source == "mixed"


def test_insane_amounts_count_as_not_told() -> None:
    """Case 88: NaN is no price."""
    for text in ("NaN", "-1", "1e400", "Infinity", "twelve"):
        figures = folded(usage(text), usage("0.05")).totals()
        assert (figures.cost_usd, figures.cost_is_complete) == (Decimal("0.05"), False)


def test_late_usage_is_counted_apart_and_marked() -> None:
    """Ruling 9."""
    told = reports({"kind": "turn"}, usage("0.05", model="m"), {"kind": "turn"}, usage("0.07", model="m"))
    counted, late = split_late(told, upto=2)
    fold = AttemptFold()
    for report in counted:
        fold.apply(report)
    fold.close()
    assert not fold.has_late
    for report in [*late, *late]:
        fold.apply_late(report)
    assert (fold.totals().cost_usd, fold.totals().turns) == (Decimal("0.05"), 1)
    apart = fold.totals(late=True)
    assert (apart.cost_usd, apart.turns, apart.late) == (Decimal("0.07"), 1, True)


def test_duplicates_change_nothing_and_gaps_are_counted() -> None:
    first, second, *_ = reports(usage("0.05"), usage("0.07"))
    fold = AttemptFold()
    for report in (first, first, {**second, "seq": 5}, second):
        fold.apply(report)
    assert (fold.totals().cost_usd, fold.missing, fold.upto) == (Decimal("0.12"), 3, 5)


def test_effects_keep_the_last_word_and_a_sending_again_is_open_again() -> None:
    """A10."""
    said = [
        (["intended"], "intended"), (["intended", "sent"], "sent"), (["sent", "confirmed"], "confirmed"),
        (["sent", "refused"], "refused"), (["confirmed", "intended"], "confirmed"), (["confirmed", "sent"], "sent"),
    ]  # fmt: skip
    for states, last in said:
        fold = folded(*({"kind": "effect", "id": "e", "state": s, "type": "push"} for s in states))
        assert fold.effects["e"].state is EffectState(last)
        assert fold.has_open_effects == (last == "sent")


def test_an_error_stands_unless_it_was_passing_and_another_turn_began() -> None:
    """Case 82."""
    turn = {"kind": "turn"}
    passing, dead = {"kind": "error", "class": "rate_limit"}, {"kind": "error", "class": "auth"}
    assert folded(turn, passing, {"kind": "output", "value": "fine"}).standing_error is not None
    assert folded(turn, passing, turn).standing_error is None
    assert folded(turn, dead, turn).standing_error is not None
    assert folded(turn, {**dead, "passing": True}, turn).standing_error is None, (
        "the program tried again and was answered"
    )
    assert folded(turn, {**dead, "passing": True}).standing_error is not None


def test_a_total_of_the_attempt_takes_the_place_of_estimates_and_owes_nothing_to_earlier_attempts() -> None:
    """Ruling 10: a program that forgets what a killed attempt spent counts for itself alone."""
    session = {"kind": "session", "id": "s", "resumable": True}
    guess = {**usage("0.5", model="m", message_id="1", input_tokens=7), "source": "estimated"}
    killed = folded(session, guess)
    again = {**guess, "message_id": "2"}
    total = usage("0.3", model="m", input_tokens=5, cumulative=True, of="attempt")
    fold = folded(session, again, total, base=baseline_of([killed]))
    figures = fold.totals()
    assert (figures.cost_usd, figures.tokens.input_tokens, figures.cost_source) == (
        Decimal("0.3"),
        5,
        "reported",
    )
    assert figures.cost_is_complete
    assert folded(session, again, total, usage("0.1", model="m")).totals().cost_usd == Decimal("0.4")
    assert killed.totals().cost_source == "estimated"


@pytest.mark.parametrize(
    ("code", "over", "in_flight"), [(0, False, False), (143, False, True), (143, True, False)]
)
def test_a_program_that_was_let_go_when_its_work_was_over_has_no_call_in_flight(
    code: int, over: bool, in_flight: bool
) -> None:
    ended = {"kind": "exit", "code": code, "after_ending": False, **({"over": True} if over else {})}
    assert folded(STARTED, {"kind": "turn"}, ended).call_in_flight == in_flight


def test_the_rest_of_what_an_agent_says_is_kept() -> None:
    fold = folded(
        {"kind": "starting", "boot": "boot-1"}, STARTED,
        {"kind": "session", "id": "s", "resumable": True},
        {"kind": "artifact", "name": "r.md", "sha256": "1", "size_bytes": 3},
        {"kind": "artifact", "name": "r.md", "sha256": "2", "size_bytes": 4},
        {"kind": "checkpoint", "step": "one", "data": 1}, {"kind": "note", "note": "decision", "text": "so"},
        {"kind": "approval", "id": "p", "question": "?"}, {"kind": "approval", "id": "q", "question": "?"},
        {"kind": "approval_answered", "id": "p"}, {"kind": "progress", "done": 2, "total": None, "label": "x"},
        {"kind": "output", "value": {"k": 1}}, {"kind": "over_long", "size_bytes": 1}, {"kind": "paused"},
        {"kind": "ending", "reason": "stop"}, EXIT, {"kind": "from_the_future", "x": 1},
    )  # fmt: skip
    assert (fold.session_id, fold.resumable, fold.paused, fold.has_output) == ("s", True, True, True)
    assert [a.sha256 for a in fold.artifacts] == ["2"]
    assert list(fold.open_questions) == ["q"]
    assert fold.checkpoints["one"]["data"] == 1
    assert fold.progress == (2, None, "x")
    assert fold.ending is not None
    assert fold.exit is not None


NAMES = st.sampled_from(["m", "n", ""])
LINES = st.fixed_dictionaries(
    {
        "cost": st.one_of(st.none(), st.integers(0, 10**6)),
        "model": NAMES,
        "message_id": st.sampled_from([None, "1", "2", "3"]),
        "input_tokens": st.integers(0, 50),
    }
)


@given(st.lists(st.tuples(st.integers(0, 2), LINES), max_size=30))
def test_attempts_of_one_session_add_up_to_the_last_line_of_each_message(told: list[tuple[int, Any]]) -> None:
    """Ruling 10 over three attempts: the slot's total is that of its distinct messages, whoever counted them."""
    attempts: list[list[dict[str, Any]]] = [[], [], []]
    for which, line in told:
        text = None if line["cost"] is None else f"0.{line['cost']:07d}"
        fields = {k: v for k, v in line.items() if k != "cost"}
        attempts[which].append(usage(text, **fields))
    folds: list[AttemptFold] = []
    for bodies in attempts:
        base = Baseline.from_json(baseline_of(folds).to_json())
        folds.append(folded({"kind": "session", "id": "s"}, *bodies, base=base))
    costs, tokens = {}, {}
    for number, body in enumerate(body for bodies in attempts for body in bodies):
        key = body["message_id"] or f"line {number}"
        tokens[key] = body["input_tokens"]
        if body["cost_usd"] is not None:  # a line without cost never unmakes one that was known
            costs[key] = Decimal(body["cost_usd"])
    figures = [fold.totals() for fold in folds]
    assert sum((f.cost_usd or 0 for f in figures), Decimal(0)) == sum(costs.values(), Decimal(0))
    assert sum(f.tokens.input_tokens for f in figures) == sum(tokens.values())
    assert [figures_from_json(figures_to_json(f)) for f in figures] == figures


def test_running_totals_are_those_of_the_end_at_every_moment() -> None:
    """The fold that the shim sends from ten times a second is the one that recovery makes of the file."""
    random = Random(7)
    bodies = [
        usage(f"0.{random.randrange(1000):03d}", message_id=random.choice([None, "a", "b"]))
        for _ in range(50)
    ]
    live = AttemptFold()
    for number, report in enumerate(reports(*bodies), 1):
        live.apply(report)
        assert live.totals() == folded(*bodies[:number]).totals()


def test_figures_of_nothing_survive_json() -> None:
    assert figures_from_json(figures_to_json(FiguresTotals())) == FiguresTotals()
