"""Notices (cases 125, 127): one for each event of a run, several at once as one, only while nobody looks, after the end."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from quarterdeck.domain.ids import RequestId
from quarterdeck.domain.preferences import Preferences
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.ui.news import NewsKind, Notice, joined, news_between
from quarterdeck.ui.present import Known, Looking, WindowFacts, present
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.tray import tray_facts
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor


def facts(*views: RunView) -> WindowFacts:
    runs = tuple(made.summary(v) for v in views)
    letters = {v.run_id: "ABCDEFGHIJ"[i] for i, v in enumerate(views) if v.is_live}
    return present(
        Known(runs, {v.run_id: v for v in views}), Looking(made.workflow(), None, letters), made.at(2000)
    )


def asking(view: RunView, *nodes: str) -> RunView:
    slots = tuple(
        replace(
            s,
            approvals=tuple(
                replace(made.question(view.run_id, n), request_id=RequestId(f"{view.run_id}:{n}"))
                for n in nodes
                if n == s.slot_id
            ),
        )
        for s in view.slots
    )
    return replace(view, slots=slots)


RUN = made.run_view(1, {"planner": "Running"})


def test_what_was_there_when_the_window_opened_is_no_news() -> None:
    assert news_between(None, facts(asking(RUN, "repo"))) == ()
    assert news_between(facts(RUN), facts(RUN)) == ()


def test_several_agents_of_one_run_that_ask_are_one_notice() -> None:
    """Case 125."""
    news = news_between(facts(RUN), facts(asking(RUN, "repo", "web", "planner")))
    assert [n.kind for n in news] == [NewsKind.NEEDS]
    notice = joined(news)
    assert notice is not None
    assert notice.title == "Ship weekly digest, run A needs you"
    assert re.fullmatch(r"\w[\w ]* asks: .+ \(and 2 more\)", notice.text), notice.text


def test_a_notice_says_who_asks_what_on_one_line() -> None:
    view = asking(RUN, "repo")
    (question,) = next(slot for slot in view.slots if slot.slot_id == "repo").approvals
    text = "git push\n\u202eorigin " + "x" * 400
    slots = [
        replace(s, approvals=(replace(question, question=text),)) if s.approvals else s for s in view.slots
    ]
    notice = joined(news_between(facts(RUN), facts(replace(view, slots=tuple(slots)))))
    assert notice is not None
    assert notice.text.startswith("Repo researcher asks: git push")
    assert "\n" not in notice.text
    assert "\u202e" not in notice.text
    assert len(notice.text) < 220


def test_a_question_that_is_still_open_is_not_told_twice_and_a_new_one_is() -> None:
    once = facts(asking(RUN, "repo"))
    assert news_between(once, once) == ()
    assert len(news_between(once, facts(asking(RUN, "repo", "web")))) == 1


def test_the_end_is_told_when_the_run_has_ended_and_not_when_its_last_agent_is_done() -> None:
    """Case 127."""
    done = made.run_view(1, {n.id: "Done" for n in made.workflow().nodes})
    assert news_between(facts(RUN), facts(done)) == ()
    told = news_between(facts(done), facts(made.ended(done)))
    assert [(n.kind, n.word) for n in told] == [(NewsKind.ENDED, "done")]


def test_a_failed_run_is_told_as_failed_with_why() -> None:
    told = news_between(facts(RUN), facts(made.ended(RUN, Outcome.FAILED, reason="Reviewer, exit 77")))
    assert [n.kind for n in told] == [NewsKind.FAILED]
    notice = joined(told)
    assert notice is not None
    assert "Reviewer, exit 77" in notice.text


def test_several_at_once_become_one_with_the_most_urgent_first() -> None:
    others = [made.run_view(i, {"planner": "Running"}) for i in range(2, 8)]
    before = facts(RUN, *others)
    after = facts(
        asking(RUN, "repo"), made.ended(others[0], Outcome.FAILED), *(made.ended(o) for o in others[1:])
    )
    notice = joined(news_between(before, after))
    assert notice is not None
    assert notice.kind is NewsKind.NEEDS
    assert notice.title == "1 run needs you, 1 run failed, 5 runs ended"
    assert notice.text.splitlines()[0].endswith("run A needs you")
    assert notice.text.splitlines()[-1] == "and 3 more"


def test_tray_and_task_bar_say_what_the_window_says() -> None:
    asked = facts(asking(RUN, "repo", "web"))
    assert tray_facts(asked).family is Family.NEEDS
    assert tray_facts(asked).count == 2
    assert tray_facts(asked).words == (
        "Quarterdeck: 1 live, 2 questions. Ship weekly digest, run A r-17f3: Running"
    )
    assert tray_facts(facts(RUN)).family is Family.RUNNING
    assert tray_facts(facts(made.ended(RUN))).family is None
    assert tray_facts(facts(made.ended(RUN))).words == facts(made.ended(RUN)).title


def test_the_trays_words_are_of_the_runs_that_its_dot_is_of_whatever_workflow_is_looked_at() -> None:
    """OWN6: the workflow that is looked at has no live run, another one has."""
    elsewhere = made.run_view(2, {"n0": "Running"}, made.workflow("Elsewhere", 4, "w-9"))
    shown = tray_facts(facts(made.ended(RUN), elsewhere))
    assert shown.family is Family.RUNNING
    assert shown.words.startswith("Quarterdeck: 1 live. Elsewhere, run ")
    assert shown.words.endswith(": Running")
    assert "none live" not in shown.words
    both = tray_facts(facts(RUN, asking(elsewhere, "n0")))
    assert both.family is Family.NEEDS
    assert both.words.startswith("Quarterdeck: 2 live, 1 question. Elsewhere, run "), "it names who asks"


class FakeNotifier:
    def __init__(self) -> None:
        self.shown: list[Notice] = []

    def show_notice(self, notice: Notice) -> None:
        self.shown.append(notice)


@asynccontextmanager
async def watched(door: FakeDoor, *, in_front: bool) -> AsyncIterator[tuple[Desk, FakeNotifier]]:
    async with desk_over(door) as desk:
        notifier = FakeNotifier()
        desk.window.shell.notices.notifier = notifier
        desk.window.shell.notices._is_in_front = lambda: in_front
        await until(lambda: "1 live" in desk.window.windowTitle())
        yield desk, notifier


@pytest.mark.qt_loop
async def test_a_notice_is_shown_only_while_the_window_is_not_in_front() -> None:
    for in_front in (False, True):
        door = FakeDoor((made.loaded(),))
        door.put(RUN)
        async with watched(door, in_front=in_front) as (desk, notifier):
            door.put(asking(RUN, "repo"))
            await until(lambda: desk.window.shell.notices._held, "the news")
            await until(lambda: not desk.window.shell.notices._held, "the telling")
            assert len(notifier.shown) == (0 if in_front else 1)


@pytest.mark.qt_loop
async def test_notices_can_be_off_and_the_persons_own_command_is_an_argument_list() -> None:
    door = FakeDoor((made.loaded(made.workflow("$(evil) {text}")),))
    view = made.run_view(1, {"planner": "Running"}, made.workflow("$(evil) {text}"))
    door.put(view)
    async with watched(door, in_front=False) as (desk, notifier):
        choices = desk.window.choices
        choices.change(
            Preferences(scheme=choices.now.scheme, notices=False, notice_command=("bell", "--say={title}"))
        )
        door.put(asking(view, "repo"))
        await until(lambda: door.household.started, "the command")
        assert notifier.shown == []
        assert len(door.household.started) == 1
        assert door.household.started[0][0] == "bell"
        assert door.household.started[0][1].startswith("--say=$(evil)")
        door.put(made.ended(view))
        await until(lambda: desk.window.shell.notices._held)
        await until(lambda: not desk.window.shell.notices._held)
        await asyncio.sleep(0)
        assert len(door.household.started) == 1, "an end needs nobody"
