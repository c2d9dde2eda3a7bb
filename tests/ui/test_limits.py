"""80 % of a limit of spending is said wherever the window says anything, and a person may raise the limit there (ruling 12)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtWidgets import QRadioButton

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import RunView, WarnedView
from quarterdeck.ui.dialogs.limit_dialog import LimitDialog
from quarterdeck.ui.news import NewsKind, joined, news_between
from quarterdeck.ui.present import Known, Looking, WindowFacts, present
from quarterdeck.ui.present_activity import ActivityLog
from quarterdeck.ui.present_agent import agent_facts, run_facts
from quarterdeck.ui.present_problems import problem_lines
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

WEB = SlotId("web")
RUN_WARNED = WarnedView(None, Decimal("4.05"), Decimal(5), made.at(1000))
WEB_WARNED = WarnedView(WEB, Decimal("0.80"), Decimal(1), made.at(1001))


def spending(cost: str = "4.10", web: str = "0.85", *warned: WarnedView) -> RunView:
    """A live run with a limit of $5.00, whose web researcher has one of $1.00."""
    view = made.run_view(1, {"web": "Running"}, budget_usd=Decimal(5), cost_usd=Decimal(cost), warned=warned)

    slots = tuple(
        replace(
            s,
            attempts=tuple(
                replace(a, budget_usd=Decimal(1), agent_kind="command", figures=made.figures(web))
                for a in s.attempts
            ),
        )
        if s.slot_id == WEB
        else s
        for s in view.slots
    )
    return replace(view, slots=slots)


CALM = spending("3.90", "0.70")
WARNED = spending("4.10", "0.85", RUN_WARNED, WEB_WARNED)


def facts(view: RunView) -> WindowFacts:
    known = Known((made.summary(view),), {view.run_id: view})
    return present(known, Looking(made.workflow(), None, {view.run_id: "A"}), made.at(2000))


def limit_lines(view: RunView) -> list[tuple[str, str, str | None]]:
    lines = problem_lines({view.run_id: view}, {view.run_id: "A"}, (), ())
    return [(line.where, line.words, line.slot_id) for line in lines if line.kind == "Limit"]


def test_problems_say_of_each_limit_how_much_of_it_is_spent_now() -> None:
    assert limit_lines(CALM) == []
    assert limit_lines(WARNED) == [
        ("run A r-17f3", "82 % of its limit is spent: $4.10 of $5.00", None),
        ("Web researcher, run A r-17f3", "85 % of its limit is spent: $0.85 of $1.00", WEB),
    ]


def test_a_raised_limit_is_no_problem_until_it_is_nearly_spent_itself() -> None:
    raised = replace(WARNED, budget_usd=Decimal(50))
    assert [slot for _, _, slot in limit_lines(raised)] == [WEB]
    assert limit_lines(made.ended(WARNED)) == [], "nothing is to be raised any more"


def test_a_new_attempt_that_spent_nothing_yet_is_not_near_its_limit() -> None:
    assert [slot for _, _, slot in limit_lines(spending("4.10", "0.02", RUN_WARNED, WEB_WARNED))] == [None]


def test_activity_tells_the_warning_with_its_own_moment_once() -> None:
    log = ActivityLog()
    log.follow({CALM.run_id: CALM}, {}, made.at(990))
    log.follow({WARNED.run_id: WARNED}, {}, made.at(1010))
    rows = log.follow({WARNED.run_id: replace(WARNED, turns=9)}, {}, made.at(1020))
    told = [(row.who, row.words, row.order[0]) for row in rows if "limit" in row.words]
    assert told == [
        ("Web researcher", "had spent 80 % of its limit: $0.80 of $1.00", made.at(1001).wall_ms),
        ("Run r-17f3", "had spent 81 % of its limit: $4.05 of $5.00", made.at(1000).wall_ms),
    ]


def test_the_inspector_says_the_share_beside_the_limit() -> None:
    def budget(view: RunView) -> list[str]:
        web = next(s for s in view.slots if s.slot_id == WEB)
        both = (run_facts(view, "A", made.at(2000)), agent_facts(view, web, "A", made.at(2000)))
        return [f.value for shown in both for f in shown.facts if f.name == "Budget"]

    assert budget(CALM) == ["$5.00", "$1.00"]
    assert budget(WARNED) == ["$5.00, 82 % of it spent", "$1.00, 85 % of it spent"]


def test_a_limit_that_becomes_nearly_spent_is_one_notice_of_its_run() -> None:
    news = news_between(facts(CALM), facts(WARNED))
    assert [n.kind for n in news] == [NewsKind.LIMIT]
    notice = joined(news)
    assert notice is not None
    assert notice.title == "Ship weekly digest, run A has nearly spent a limit"
    assert news_between(facts(WARNED), facts(WARNED)) == ()
    assert news_between(None, facts(WARNED)) == (), "what was there at the start is no news"


@pytest.mark.qt_loop
async def test_it_is_said_aloud_and_the_limit_can_be_raised_from_the_window() -> None:
    """The same command as the terminal's: `Door.raise_budget`."""
    door = FakeDoor((made.loaded(),))
    door.put(CALM)
    async with desk_over(door) as desk:
        window = desk.window
        await until(lambda: "1 live" in window.windowTitle())
        door.put(WARNED)
        await until(lambda: "85 % of its limit is spent" in window.announcer.last, "the announcement")
        assert "Run A: 82 % of its limit is spent: $4.10 of $5.00." in window.announcer.last
        window.watching.choose_slot(WARNED.run_id, WEB)
        agent = window.inspector
        await until(lambda: agent._facts is not None and agent._facts.slot_id == WEB, "the chosen agent")
        assert window.actions_["raise_limit"].isEnabled()
        window.inspector.overview.raise_limit.click()
        await until(lambda: isinstance(desk.dialog(), LimitDialog), "its dialog")
        dialog = desk.dialog()
        assert isinstance(dialog, LimitDialog)
        assert [r.text() for r in dialog.findChildren(QRadioButton)] == [
            "Web researcher · $0.85 of $1.00 spent",
            "The whole run · $4.10 of $5.00 spent",
        ]
        dialog.amount.setText("0.90")
        dialog.accept_.click()
        assert desk.dialog() is dialog, "no limit is lowered here"
        dialog.amount.setText("2.50")
        dialog.accept_.click()
        await until(lambda: door.commands, "the command")
        assert door.commands == [("raise_budget", WARNED.run_id, WEB, Decimal("2.50"))]


@pytest.mark.qt_loop
async def test_a_refused_raise_comes_back_in_words() -> None:
    door = FakeDoor((made.loaded(),))
    door.refusals["raise_budget"] = Refusal(Code.E_SLOT, "The run has no node web.")
    door.put(WARNED)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.link.raise_limit(WARNED.run_id, WEB, Decimal(3))
        await until(lambda: "has no node" in desk.window.notice.words, "the refusal")
