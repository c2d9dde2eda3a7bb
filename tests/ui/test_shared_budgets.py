"""Budgets… in the window: of the night and of the shown workflow; what is said of them, and what is said where a price is unknown."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.shared_limits import SharedLimits, SharedSpending, Standing, Sum
from quarterdeck.domain.views import RunView, WarnedView
from quarterdeck.ui.dialogs.budgets_dialog import BudgetsDialog
from quarterdeck.ui.news import NewsKind, news_between
from quarterdeck.ui.present import Known, Looking, present
from quarterdeck.ui.present_money import run_money, slot_money
from quarterdeck.ui.present_problems import problem_lines
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

WORKFLOW = made.workflow()
LIMITS = SharedLimits(Decimal(20), "18:00", {WORKFLOW.id: Decimal(50)})
SPENDING = SharedSpending(
    (
        Standing(Shared.NIGHT, None, Decimal(20), Sum(Decimal("16.40"), False, "mixed"), 1_764_525_600_000),
        Standing(Shared.WORKFLOW, WORKFLOW.id, Decimal(50), Sum(Decimal("12.5"), True, "estimated")),
    ),
    limits=LIMITS,
)
NIGHT_WARNED = WarnedView(None, Decimal("16.40"), Decimal(20), made.at(1000), Shared.NIGHT, "estimated")


def lines(view: RunView, kind: str) -> list[str]:
    found = problem_lines({view.run_id: view}, {view.run_id: "A"}, (), ())
    return [line.words for line in found if line.kind == kind]


@pytest.mark.qt_loop
async def test_the_budgets_are_shown_as_they_stand_and_set_from_the_window() -> None:
    door = FakeDoor((made.loaded(),))
    door.spending = SPENDING
    async with desk_over(door) as desk:
        window = desk.window
        await until(lambda: window.budgets._shown is not None and window.budgets._shown.workflow is not None)
        window.actions_["budgets"].trigger()
        await until(lambda: isinstance(desk.dialog(), BudgetsDialog), "its dialog")
        dialog = desk.dialog()
        assert isinstance(dialog, BudgetsDialog)
        assert (dialog.night.text(), dialog.began.text(), dialog.workflow.text()) == ("20", "18:00", "50")
        words = " ".join(one.text() for one in dialog.findChildren(type(dialog._problem)))
        assert "at least $16.40 (partly an estimate) of $20.00 spent since" in words
        assert "$12.50 (estimate) of $50.00 spent (25 %)" in words
        dialog.began.setText("six")
        dialog.accept_.click()
        assert desk.dialog() is dialog, "what is no time of day is not taken"
        dialog.began.setText("17:30")
        dialog.night.setText("$25")
        dialog.workflow.setText("")
        dialog.accept_.click()
        await until(lambda: door.household.budgets is not None, "the new limits")
        assert door.household.budgets == SharedLimits(Decimal(25), "17:30", {})
        await until(lambda: "hold from now on" in window.notice.words, "the answer")


@pytest.mark.qt_loop
async def test_budgets_that_cannot_be_told_are_said_and_not_written_over() -> None:
    door = FakeDoor((made.loaded(),))
    door.spending = SharedSpending(fault="budgets.night_usd: 'NaN' is no amount.")
    async with desk_over(door) as desk:
        desk.window.actions_["budgets"].trigger()
        await until(lambda: "'NaN' is no amount" in desk.window.notice.words, "why")
        assert desk.dialog() is None


def test_eighty_percent_of_a_night_is_news_and_a_problem_in_words_of_then() -> None:
    view = made.run_view(1, {"web": "Running"})
    warned = replace(view, warned=(NIGHT_WARNED,))
    facts = [
        present(
            Known((made.summary(one),), {one.run_id: one}),
            Looking(made.workflow(), None, {one.run_id: "A"}),
            made.at(2000),
        )
        for one in (view, warned)
    ]
    assert [news.kind for news in news_between(*facts)] == [NewsKind.LIMIT]
    assert lines(warned, "Limit") == [
        "all runs of the night together had spent 82 % of their limit: $16.40 (estimate) of $20.00"
    ]


@pytest.mark.parametrize(
    ("caps", "acts"),
    [
        ({"max_turns": 40, "timeout_s": 600.0}, "Its limits of 40 turns and of 10m 00s still end it."),
        ({"max_turns": 40}, "Its limit of 40 turns still ends it."),
        ({}, "It has no limit of turns or of time either: nothing but you ends it."),
    ],
)
def test_an_agent_whose_price_is_unknown_is_a_problem_that_says_what_still_acts(
    caps: dict[str, object], acts: str
) -> None:
    """Case 88."""
    view = made.run_view(1, {"web": "Running"})
    unpriced = FiguresTotals(3, TokenCounts(10, 10))
    slots = tuple(
        replace(slot, attempts=tuple(replace(a, figures=unpriced, **caps) for a in slot.attempts))  # type: ignore[arg-type]
        for slot in view.slots
    )
    [words] = lines(replace(view, slots=slots), "Cost unknown")
    assert words.startswith("What it costs is unknown: no spending limit can act on it. ")
    assert words.endswith(acts)


def test_an_estimate_is_called_one_for_run_and_agent() -> None:
    view = made.run_view(1, {"web": "Running"}, cost_usd=Decimal("4.10"), cost_source="estimated")
    assert run_money(view) == "$4.10 (estimate)"
    slot = replace(next(s for s in view.slots if s.attempts), cost_usd=Decimal(1), cost_source="mixed")
    assert slot_money(slot) == "$1.00 (partly an estimate)"
