"""Spend: every sum is exact, no part counts twice, what is unknown is said; waits, cards, export, comparison."""

from __future__ import annotations

import csv
import io
import random
from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.domain.figures import FiguresTotals, ModelSpend, TokenCounts
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.spend_rows import SpendReport, SpendRow, rows_of_lines, rows_of_view, total
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView, SittingView
from quarterdeck.engine.publishing import ledger_lines
from quarterdeck.ui.present import Known
from quarterdeck.ui.present_cards import middle, tenth, waited_ms
from quarterdeck.ui.present_spend import (
    OTHERS,
    Chosen,
    Group,
    SpendFacts,
    export_rows,
    merged_rows,
    spend_facts,
)
from quarterdeck.ui.spend_export import compare, spend_csv
from tests.ui import made, past_made
from tests.ui.past_made import DAY_S, wait

NOW = made.at(1024)


def known(*views: RunView, seen: bool = True) -> Known:
    runs = tuple(sorted(map(made.summary, views), key=lambda r: -r.launch_seq))
    runs = tuple(replace(r, sittings=v.sittings) for r in runs for v in views if v.run_id == r.run_id)
    return Known(runs, {v.run_id: v for v in views} if seen else {})


def facts_of(report: SpendReport, *views: RunView, seen: bool = True, **chosen: Any) -> SpendFacts:
    return spend_facts(known(*views, seen=seen), report, {}, Chosen(**chosen), NOW, UTC)


def line(n: int, **changes: Any) -> dict[str, Any]:
    return {
        "kind": "spend", "run": f"r-{n}", "workflow": "w-1", "slot": "a", "attempt": f"a-{n}", "agent": "writer",
        "agent_kind": "codex", "hour": made.START_MS // 3_600_000, "upto": 3, "complete": True, "model": "m",
        "cost_usd": "0.1", "turns": 1,
    } | changes  # fmt: skip


COSTS = st.one_of(st.none(), st.decimals(0, 1000, places=9).map(lambda d: format(d, "f")))


@given(
    st.lists(
        st.tuples(
            st.integers(0, 4), COSTS, st.booleans(), st.sampled_from(["spend", "spend_late", "discard"])
        ),
        max_size=60,
    )
)
def test_sums_equal_a_naive_sum_of_fractions(parts: list[tuple[int, str | None, bool, str]]) -> None:
    """I5. The oracle adds fractions of the lines as they are."""
    lines = [line(n, cost_usd=cost, complete=whole, kind=kind) for n, cost, whole, kind in parts]
    report = rows_of_lines(lines)
    whole = total(report.rows)
    counted = [x for x in lines if x["kind"] != "discard"]
    exact = sum((Fraction(x["cost_usd"]) for x in counted if x["cost_usd"] is not None), Fraction(0))
    assert Fraction(whole.cost_usd or 0) == exact
    assert whole.complete == all(x["complete"] and x["cost_usd"] is not None for x in counted)
    assert (whole.cost_usd is None) == all(x["cost_usd"] is None for x in counted)
    facts = facts_of(report, days=None)
    exported = export_rows(Known(), report, Chosen(days=None), NOW, UTC)
    assert sum((Fraction(p) for bar in facts.bars for p in bar.parts), Fraction(0)) == exact
    assert (
        sum(
            (Fraction(r["cost_usd"] or 0) for r in csv.DictReader(io.StringIO(spend_csv(exported)))),
            Fraction(0),
        )
        == exact
    )


def test_the_export_leaves_out_what_practice_pretended_as_the_card_does() -> None:
    report = rows_of_lines([line(1, cost_usd="1"), line(2, cost_usd="7", agent_kind="practice")])
    for kind, amount in ((None, "1"), ("practice", "7")):
        exported = export_rows(Known(), report, Chosen(days=None, kind=kind), NOW, UTC)
        assert [row["cost_usd"] for row in csv.DictReader(io.StringIO(spend_csv(exported)))] == [amount]


def test_waiting_is_at_least_so_long_while_not_all_runs_are_read() -> None:
    run = made.run_view(1)
    facts = spend_facts(known(run), rows_of_lines([]), {}, Chosen(days=None), NOW, UTC)
    assert facts.cards[3].value == "at least 0m 00s"
    facts = spend_facts(known(run), rows_of_lines([]), {run.run_id: ()}, Chosen(days=None), NOW, UTC)
    assert facts.cards[3].value == "0m 00s"


def test_a_line_that_cannot_be_read_makes_the_sum_at_least() -> None:
    report = rows_of_lines([line(1), line(2, cost_usd="many"), {"kind": "spend"}])
    assert (report.unread, len(report.rows)) == (2, 1)
    facts = facts_of(report)
    assert facts.cards[1].value == "at least $0.10"
    assert facts.note


def test_an_unknown_cost_is_unknown_and_beside_known_ones_at_least() -> None:
    """Ruling 11."""
    assert facts_of(rows_of_lines([line(1, cost_usd=None)])).cards[1].value == "unknown"
    both = facts_of(rows_of_lines([line(1, cost_usd=None), line(2, cost_usd="2.5")]))
    assert both.cards[1].value == "at least $2.50"
    assert not both.bars[-1].complete


def spending(view: RunView, *costs: str) -> RunView:
    """The view with one attempt for each cost, two models each."""
    attempts = []
    for n, cost in enumerate(costs, 1):
        half = Decimal(cost) / 2
        models = (
            ModelSpend("opus", half, TokenCounts()),
            ModelSpend("haiku", Decimal(cost) - half, TokenCounts()),
        )
        figures = FiguresTotals(3, TokenCounts(), Decimal(cost), True, "reported", models)
        attempts.append(made.attempt(n, start=n, end=n + 1, figures=figures))
    slots = tuple(replace(s, attempts=tuple(attempts)) if s.slot_id == "web" else s for s in view.slots)
    return replace(view, slots=slots)


def test_the_rows_of_a_view_are_those_of_its_ledger_lines() -> None:
    view = spending(made.run_view(3), "0.123456789", "7", "0.1")
    assert set(rows_of_view(view, NOW)) == set(rows_of_lines(ledger_lines(view)).rows)


def test_a_run_counts_once_whether_by_its_view_by_the_ledger_or_by_both() -> None:
    """A run that was resumed has lines of its first sitting and is live."""
    view = spending(made.run_view(3), "1.10", "2.20")
    report = rows_of_lines(ledger_lines(view))
    grown = spending(view, "1.10", "2.20", "0.70")
    assert total(merged_rows(report, [], NOW)).cost_usd == Decimal("3.30")
    assert total(merged_rows(report, [view], NOW)).cost_usd == Decimal("3.30")
    assert total(merged_rows(report, [grown], NOW)).cost_usd == Decimal("4.00")
    assert facts_of(report, grown).cards[1].value == "$4.00"


def test_bars_are_stacked_by_what_is_chosen_and_small_ones_are_joined() -> None:
    rows = [line(n, model=f"m{n}", agent=f"agent{n % 3}", cost_usd=str(n + 1)) for n in range(9)]
    report = rows_of_lines(rows)
    by_model = facts_of(report, group=Group.MODEL)
    assert by_model.groups == ("m4", "m5", "m6", "m7", "m8", OTHERS)
    assert by_model.bars[-1].parts == (5, 6, 7, 8, 9, 1 + 2 + 3 + 4)
    assert facts_of(report, group=Group.AGENT).groups == ("agent0", "agent1", "agent2")
    assert facts_of(report).groups == ("codex",)


def test_filters_of_workflow_time_and_agents_hold_for_sums_and_runs() -> None:
    old = made.ended(spending(made.run_view(1, start=-20 * DAY_S), "5"), Outcome.COMPLETED, -20 * DAY_S + 60)
    new = made.ended(spending(made.run_view(2), "1"), Outcome.FAILED, 60)
    other = made.ended(
        replace(spending(made.run_view(3), "9"), workflow_id=WorkflowId("w-2")), Outcome.STOPPED, 60
    )
    whole = facts_of(SpendReport(), old, new, other)
    assert [x.key for x in whole.lines] == [other.run_id, new.run_id]
    assert whole.cards[0].line == "1 failed · 1 stopped"
    assert [x.key for x in facts_of(SpendReport(), old, new, other, days=None).lines][-1] == old.run_id
    only = facts_of(SpendReport(), old, new, other, workflow=WorkflowId("w-2"))
    assert ([x.key for x in only.lines], only.cards[1].value) == ([other.run_id], "$9.00")
    assert facts_of(SpendReport(), new, kind="codex").lines == ()
    assert len(whole.bars) == 14
    assert whole.bars[-1].label == "29"


def test_a_long_time_is_shown_by_month() -> None:
    facts = facts_of(past_made.ledger(days=120), days=None)
    assert facts.title == "Spend per month"
    assert len(facts.bars) <= 6
    assert sum(b.cost_usd for b in facts.bars) == total(past_made.ledger(days=120).rows).cost_usd


def test_typical_time_counts_sittings_and_live_runs_are_left_out() -> None:
    resumed, _ = past_made.resumed_run()
    live = made.run_view(9, {"web": "Running"})
    facts = facts_of(SpendReport(), resumed, live)
    assert facts.cards[2].value == "31m 12s"  # 17.3 and 13.9 minutes
    assert facts.cards[0].line == "1 live · 1 done"


def test_when_a_run_of_today_started_is_its_time_and_of_another_day_the_day_too() -> None:
    """The column is narrow: what tells the runs of one day apart comes whole."""
    earlier = made.ended(made.run_view(1, start=-DAY_S), Outcome.COMPLETED, 9 - DAY_S)
    today = made.ended(made.run_view(2), Outcome.COMPLETED, 9)
    started = {line.short: line.started for line in facts_of(SpendReport(), earlier, today).lines}
    assert sorted(started.values()) == ["13:02", "Yesterday 13:02"]


def test_median_and_slowest_tenth() -> None:
    assert middle([]) is None
    assert middle([Decimal(3), Decimal(1), Decimal(2)]) == 2
    assert middle([Decimal(1), Decimal(2)]) == Decimal("1.5")
    assert tenth([Decimal(n) for n in range(1, 11)]) == 10
    assert tenth([Decimal(4)]) == 4


def test_two_questions_at_a_time_are_one_wait() -> None:
    waits = [wait("a", "x", 10, 30), wait("b", "y", 20, 50), wait("c", "z", 100, None)]
    assert waited_ms(waits, made.at(110)) == 50_000
    view = replace(made.run_view(1), sittings=(SittingView(made.at(0), None, "ana"),))
    facts = spend_facts(known(view), SpendReport(), {view.run_id: tuple(waits)}, Chosen(), made.at(110), UTC)
    assert (facts.cards[3].value, facts.cards[3].line) == ("0m 50s", "45 % of run time · 3 questions")


def test_export_keeps_amounts_exact_and_formulas_harmless() -> None:
    row = SpendRow(
        RunId("r-1"), WorkflowId("w"), "=cmd()", "codex", "", 490_117, Decimal("0.000000123"), False, 2
    )
    text = spend_csv([row, replace(row, cost_usd=None)])
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["agent"], first["cost_usd"], first["complete"]) == ("'=cmd()", "0.000000123", "no")
    assert second["cost_usd"] == ""


def test_two_runs_side_by_side_tell_what_differs() -> None:
    left, right = (
        made.run_view(1, {"web": "Done"}),
        made.ended(made.run_view(2, {"web": "Failed"}), Outcome.FAILED),
    )
    rows = {r.key: r for r in compare(left, right, ((), ()), NOW)}
    assert rows["State"].differs
    assert not rows["Spend"].differs
    assert rows["Web researcher"].left.startswith("Done")
    assert rows["Web researcher"].right.startswith("Failed")


def test_ten_thousand_lines_are_summed_exactly() -> None:
    chance = random.Random(1)
    hour = made.START_MS // 3_600_000
    lines = [
        line(
            n, cost_usd=str(Decimal(chance.randrange(10**6)) / 10**5), hour=hour - n % 300, model=f"m{n % 7}"
        )
        for n in range(10_000)
    ]
    facts = facts_of(rows_of_lines(lines))
    assert sum((Fraction(b.cost_usd) for b in facts.bars), Fraction(0)) == sum(
        Fraction(x["cost_usd"]) for x in lines
    )
