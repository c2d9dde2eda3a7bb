"""Activity and problems as values: each fact is told once, with its own time where the view has it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from itertools import permutations
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.states import AttemptStatus, EffectState, Outcome
from quarterdeck.domain.views import AnsweredView, ArtifactView, EffectView, RunView
from quarterdeck.engine.planned import BrokenWorkflow, Problem
from quarterdeck.ui.present_activity import KEPT_MAX, ActivityLog
from quarterdeck.ui.present_problems import Said, problem_lines
from tests.ui import made


def changed(view: RunView, slot_id: str, **changes: object) -> RunView:
    return replace(
        view, slots=tuple(replace(s, **changes) if s.slot_id == slot_id else s for s in view.slots)
    )


def told(
    log: ActivityLog, view: RunView, seconds: float, letter: str = "A", *, work: bool = False
) -> list[str]:
    """The lines; those of the minute's work of an agent only where they are wanted."""
    rows = log.follow({view.run_id: view}, {view.run_id: letter}, made.at(seconds))
    wanted = [r for r in rows if r.key.endswith("/work") is work]
    return [f"{r.time} {r.letter} {r.who}: {r.words}" for r in wanted]


def test_each_fact_is_told_once_with_its_own_time() -> None:
    log = ActivityLog(UTC)
    view = made.run_view(1)
    assert told(log, view, 5) == ["13:02:00 A Run r-17f3: launched by ana"]
    started = changed(view, "web", display="Running", attempts=(made.attempt(1, start=7),))
    assert told(log, started, 20)[0] == "13:02:07 A Web researcher: started · attempt 1 · pid 48001"
    assert told(log, started, 21) == told(log, replace(started, turns=99), 22)
    failed = made.attempt(1, AttemptStatus.FAILED, 7, 30, reason="exit 1")
    assert told(log, changed(view, "web", display="Failed", attempts=(failed,)), 31)[0] == (
        "13:02:30 A Web researcher: failed · attempt 1 · exit 1 · 0m 23s · $0.21"
    )


def test_questions_files_and_effects_are_told_and_a_closed_question_too() -> None:
    log = ActivityLog(UTC)
    view = made.run_view(1, {"repo": "Running"})
    told(log, view, 60)
    asking = changed(
        view, "repo", display="Needs you", approvals=(made.question(view.run_id, asked_at=made.at(61)),)
    )
    assert told(log, asking, 62)[0] == "13:03:01 A Repo researcher: asks: git fetch upstream --tags"
    wrote = made.attempt(
        1,
        artifacts=(ArtifactView("notes.md", "b" * 64, 4100, None, "n"),),
        effects=(EffectView("1", EffectState.SENT, "git_push", "origin main", ""),),
    )
    after = told(log, changed(view, "repo", attempts=(wrote,)), 70)
    assert sorted(after[:3]) == [
        "13:03:10 A Repo researcher: effect sent: git_push origin main",
        "13:03:10 A Repo researcher: question is closed without an answer",
        "13:03:10 A Repo researcher: wrote notes.md (4.1 kB)",
    ]


def test_the_answer_that_a_question_got_is_told_and_by_whom() -> None:
    """Once, with the time at which it was given; also where the question was closed before the window looked."""
    log = ActivityLog(UTC)
    view = made.run_view(1, {"repo": "Running"})
    asked = made.question(view.run_id, asked_at=made.at(61))
    answer = AnsweredView(asked.request_id, "Allow once", "ana", made.at(66))
    told(log, changed(view, "repo", approvals=(asked,)), 62)
    closed = changed(view, "repo", answers=(answer,))
    line = "13:03:06 A Repo researcher: ana answered “Allow once” to: git fetch upstream --tags"
    assert told(log, closed, 70)[0] == line
    assert [
        row for row in told(log, replace(closed, turns=9), 90) if "answered" in row or "closed" in row
    ] == [line]
    late = told(ActivityLog(UTC), closed, 90)
    assert [row for row in late if "answered" in row] == [
        "13:03:06 A Repo researcher: ana answered “Allow once”"
    ]


def at_work(view: RunView, turns: int, tail: str, **changes: Any) -> RunView:
    figures = replace(made.figures(), turns=turns)
    attempt = made.attempt(1, start=5, figures=figures, tail=tail, **changes)
    return changed(view, "repo", attempts=(attempt,))


def test_turns_and_words_of_an_agent_are_one_line_that_is_brought_up_to_date() -> None:
    log = ActivityLog(UTC)
    view = made.run_view(1, {"repo": "Running"})
    assert told(log, at_work(view, 0, ""), 6, work=True) == []
    assert told(log, at_work(view, 0, "Reading.\nLooking.\n"), 10, work=True) == [
        "13:02:10 A Repo researcher: says: Looking."
    ]
    soon = told(log, at_work(view, 2, "Half done."), 12, work=True)
    assert soon == ["13:02:10 A Repo researcher: turn 2 · Half done."], "it does not move with every word"
    later = told(log, at_work(view, 3, ""), 25, work=True)
    assert later == ["13:02:25 A Repo researcher: 3 turns so far"]
    ended = at_work(view, 5, "", status=AttemptStatus.SUCCEEDED, end=30)
    assert told(log, ended, 31, work=True) == ["13:02:25 A Repo researcher: 5 turns so far"]
    over = made.ended(ended)
    assert told(ActivityLog(UTC), over, 60, work=True) == [], "what was over before tells nothing"


def test_a_flood_of_messages_is_one_line_for_each_agent_and_pushes_nothing_out() -> None:
    """40 agents that print without pause for ten minutes: forty lines, and every fact is still there."""
    flow = made.workflow("Flood", 40)
    log, view = ActivityLog(UTC), made.run_view(1, {f"n{i}": "Running" for i in range(40)}, flow)
    for tick in range(1500):
        busy = tuple(
            replace(
                slot,
                attempts=(
                    made.attempt(
                        1, figures=replace(made.figures(), turns=tick), tail=f"line {tick} of {slot.slot_id}"
                    ),
                ),
            )
            for slot in view.slots[tick % 3 :: 3]
        )
        fresh = {slot.slot_id: slot for slot in busy}
        view = replace(view, slots=tuple(fresh.get(slot.slot_id, slot) for slot in view.slots))
        rows = log.follow({view.run_id: view}, {view.run_id: "A"}, made.at(60 + 0.4 * tick))
    work = [row for row in rows if row.key.endswith("/work")]
    assert len(work) == 40
    assert len({row.slot_id for row in work}) == 40
    assert sum("started" in row.words for row in rows) == 40
    assert all(int(row.words.split()[1].replace(",", "")) >= 1494 for row in work), "each says what is newest"
    assert [row.order for row in rows] == sorted((row.order for row in rows), reverse=True)


def test_what_was_there_before_the_window_looked_is_marked_by() -> None:
    log = ActivityLog(UTC)
    effect = EffectView("1", EffectState.CONFIRMED, "mail", "ana", "")
    view = changed(
        made.run_view(1, {"web": "Running"}), "web", attempts=(made.attempt(1, effects=(effect,)),)
    )
    assert told(log, view, 100)[0].startswith("by 13:03:40")


def test_what_is_seen_of_several_runs_at_once_stands_in_the_order_of_their_launch() -> None:
    views = [changed(made.run_view(n), "web", attempts=(made.attempt(1),)) for n in (1, 2, 3)]
    told_of = []
    for order in permutations(views):
        rows = ActivityLog(UTC).follow({v.run_id: v for v in order}, {}, made.at(100))
        told_of.append([row.key for row in rows])
    assert all(keys == told_of[0] for keys in told_of)
    at_work = [key for key in told_of[0] if key.endswith("/work")]
    assert [key.split("/")[0] for key in at_work] == [view.run_id for view in reversed(views)]


def test_a_run_that_was_over_before_tells_nothing_and_one_that_ends_tells_its_end_once() -> None:
    log = ActivityLog(UTC)
    assert told(log, made.ended(made.run_view(1, {"web": "Done"})), 100) == []
    view = made.run_view(2)
    told(log, view, 1)
    over = made.ended(view, Outcome.STOPPED, 90, reason="stopped by you")
    assert told(log, over, 91)[0] == "13:03:30 A Run r-27f3: ended, stopped: stopped by you · $3.21"
    assert told(log, over, 95) == told(log, over, 96)


def test_a_letter_that_comes_later_is_given_to_earlier_lines() -> None:
    log = ActivityLog(UTC)
    view = made.run_view(1)
    assert told(log, view, 1, letter="")[0].startswith("13:02:00  Run")
    assert told(log, view, 2, letter="B")[0].startswith("13:02:00 B Run")


def test_the_list_is_bounded_and_newest_first() -> None:
    log = ActivityLog(UTC)
    flow = made.workflow("Big", 400)
    view = made.run_view(1, {f"n{i}": "Done" for i in range(400)}, flow)
    rows = log.follow({view.run_id: view}, {}, made.at(100))
    assert len(rows) == KEPT_MAX
    assert [r.order for r in rows] == sorted((r.order for r in rows), reverse=True)
    assert len({r.key for r in rows}) == KEPT_MAX


def test_problems_lead_where_they_are_and_the_most_urgent_come_first() -> None:
    view = replace(made.run_view(1, {"web": "Failed"}), recording=False)
    failed = changed(view, "web", reason="exit 1")
    broken = BrokenWorkflow(
        Path("/f/b.workflow.json"),
        (Problem("$.a", 4, "No agent"), Problem("$.b", 0, "Unknown key", warning=True)),
    )
    lines = problem_lines(
        {view.run_id: failed},
        {view.run_id: "A"},
        (made.loaded(), broken),
        (Said(1, "Launch of x", "E", None),),
    )
    assert [x.kind for x in lines] == ["Records", "Failed", "Refused", "File", "Warning"]
    assert (lines[1].run_id, lines[1].slot_id) == (view.run_id, SlotId("web"))
    assert lines[1].words == "exit 1"
    assert lines[3].where == "b.workflow.json, line 4"
    assert len({x.key for x in lines}) == 5
    assert problem_lines({RunId("r"): made.run_view(2)}, {}, (made.loaded(),), ()) == ()
