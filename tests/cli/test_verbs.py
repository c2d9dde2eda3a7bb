"""Verbs over a fake door: what they ask, what they print, and their exit codes (design §8)."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cli import acting, checking, exits, failures, history, launching, reopening, transcripts
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.cli.plain_text import width
from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.ids import AttemptId, RunId, WorkflowId
from quarterdeck.domain.join import summary
from quarterdeck.domain.money import ZERO
from quarterdeck.domain.practice import Spent
from quarterdeck.domain.projection import WorkflowStatus
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import AttemptStatus, Outcome, Phase
from quarterdeck.domain.views import ErrorView, SittingView
from quarterdeck.engine.planned import BrokenWorkflow, PlannedCommand, Problem
from tests.cli.builders import RUN, attempt, ended, figures, moment, question, run_view, slot
from tests.cli.call import desk
from tests.cli.fake_door import FakeDoor

OTHER = RunId("r-" + "2" * 32)
HOSTILE = "evil\x1b]0;x\x07\u202ename"


def done_run():  # type: ignore[no-untyped-def]
    finished = attempt(status=AttemptStatus.SUCCEEDED, figures=figures(2, "0.30"), exit_code=0)
    return ended(run_view(slot("lint", "Done", finished, turns=2, cost_usd=Decimal("0.30"))), reason="")


# ------------------------------------------------------------------------------------------- history


async def test_runs_json_is_one_document_without_slots() -> None:
    told = desk(FakeDoor(done_run()), as_json=True)
    assert await history.list_runs(told.call, None, None) == exits.DONE
    (run,) = told.document()["runs"]
    assert run["run_id"] == RUN
    assert run["cost_usd"] == "0.42"
    assert "slots" not in run
    assert told.err.text == ""


async def test_a_list_without_runs_says_whether_there_ever_was_one() -> None:
    """After a discard it is not “nothing was run yet”."""
    view = done_run()
    first, discarded, left = FakeDoor(), FakeDoor(view), FakeDoor()
    await discarded.keeping.discard(RUN)
    left.closed_runs = (replace(summary(view), phase=Phase.CLOSED),)
    for door, words in (
        (first, "Nothing was run yet."),
        (discarded, "No run is kept here any more. 1 run was discarded: `quarterdeck discard RUN --undo`"),
        (left, "No run is kept here any more."),
    ):
        told = desk(door)
        assert await history.list_runs(told.call, None, None) == exits.DONE
        assert told.err.text.startswith(words)


async def test_runs_can_be_narrowed_by_workflow_and_state() -> None:
    live = run_view(slot("lint"), run_id=OTHER, workflow_id=WorkflowId("w-2"), workflow_name="Other")
    stopped = replace(done_run(), outcome=Outcome.INTERRUPTED)
    for workflow, state, expected in [
        (None, "live", [OTHER]),
        (None, "ended", [RUN]),
        (None, "interrupted", [RUN]),
        ("w-2", None, [OTHER]),
        ("repository CHECK", None, [RUN]),
        ("w-2", "ended", []),
    ]:
        told = desk(FakeDoor(live, stopped), as_json=True)
        await history.list_runs(told.call, workflow, state)
        assert [run["run_id"] for run in told.document()["runs"]] == expected


async def test_the_table_of_runs_escapes_foreign_names_and_says_unknown_for_unknown() -> None:
    view = replace(done_run(), workflow_name=HOSTILE, cost_usd=None, cost_is_complete=False)
    told = desk(FakeDoor(view))
    await history.list_runs(told.call, None, None)
    assert "\x1b" not in told.out.text
    assert "\u202e" not in told.out.text
    assert "evil\\x1b]0;x\\x07\\u202ename" in told.out.text
    assert "unknown" in told.out.text


@pytest.mark.parametrize(
    ("paid", "complete", "words"),
    [
        ("0", True, "$0.28 practice"),
        ("2.93", True, "$2.93 and $0.28 practice"),
        (None, False, "unknown and $0.28 practice"),
    ],
)
async def test_what_practice_pretends_is_labelled_in_lists_and_in_a_run(
    paid: str | None, complete: bool, words: str
) -> None:
    """It is practice wherever it shows: never told as money that was spent."""
    known = None if paid is None else Decimal(paid)
    view = replace(done_run(), practice=Spent(known, complete, Decimal("0.28")))
    told = desk(FakeDoor(view))
    await history.list_runs(told.call, None, None)
    await history.show(told.call, RUN)
    assert told.out.text.count(words) == 2


async def test_what_was_pretended_and_partly_lost_is_at_least_so_much() -> None:
    """JNL5."""
    told = desk(
        FakeDoor(replace(done_run(), practice=Spent(ZERO, True, Decimal("0.28"), practice_is_complete=False)))
    )
    await history.list_runs(told.call, None, None)
    await history.show(told.call, RUN)
    assert told.out.text.count("at least $0.28 practice") == 2


async def test_a_long_title_is_shortened_wherever_it_is_listed_and_whole_in_json(tmp_path: Path) -> None:
    long = "日本" * 3_000
    missing = attempt(status=AttemptStatus.FAILED, agent=long)
    view = ended(run_view(slot("lint", "Failed", missing, title=long), workflow_name=long))
    commands = (PlannedCommand(long, "lint", "command", ("true",), "/srv", "/bin/true"),)
    for act in (
        lambda call: history.list_runs(call, None, None),
        lambda call: history.show(call, RUN),
        lambda call: history.status(call, tmp_path),
        lambda call: transcripts.logs(call, RUN, None, follow=False),
        lambda call: acting.stop(call, RUN, None),
    ):
        door = FakeDoor(view)
        door.workflow_statuses = (WorkflowStatus(WorkflowId("w-1"), long, 0, RUN, "ended", None, 0, None),)
        told = desk(door)
        await act(told.call)
        shown = told.out.text + told.err.text
        assert "日…" in shown or "本…" in shown
        assert all(width(line) <= 200 for line in shown.splitlines())
    for line in (*launching._summary(view, 0), launching._command_line(commands[0])):
        assert width(line) <= 200
    told = desk(FakeDoor(view), as_json=True)
    await history.show(told.call, RUN)
    assert told.document()["workflow_name"] == told.document()["slots"][0]["title"] == long


async def test_show_json_has_every_key_of_the_contract() -> None:
    told = desk(FakeDoor(done_run()), as_json=True)
    assert await history.show(told.call, "r-1111") == exits.DONE
    document = told.document()
    run_keys = (
        "run_id workflow_id workflow_name launch_seq phase outcome started_at ended_at sittings pins turns tokens cost_usd "
        "cost_is_complete accepted_by accepted_at slots"
    )
    slot_keys = "slot node_id title state display reason prior_attempt reopened attempts"
    attempt_keys = (
        "attempt_id epoch agent class status reason started_at ended_at evidence turns cost_usd session_id exit_code "
        "effects artifacts output"
    )
    assert set(run_keys.split()) <= document.keys()
    assert {"package", "workflow", "binding"} == document["pins"].keys()
    assert set(slot_keys.split()) <= document["slots"][0].keys()
    assert set(attempt_keys.split()) <= document["slots"][0]["attempts"][0].keys()
    assert document["slots"][0]["attempts"][0]["cost_usd"] == "0.3"


async def test_show_says_that_a_limit_cannot_act_where_tokens_have_no_price() -> None:
    """Case 88."""
    tokens = FiguresTotals(1, TokenCounts(5), None, False, "unknown")
    told = desk(FakeDoor(run_view(slot("lint", "Running", attempt(figures=tokens)))))
    await history.show(told.call, RUN)
    assert "unknown (the agent did not say; a spending limit cannot act on it)" in told.out.text


async def test_show_says_of_a_run_whose_owner_was_lost_how_long_it_went_on_at_least() -> None:
    """REC6: when somebody looked is a fact of its own."""
    lost = SittingView(moment(), moment(65), "you", settled_at=moment(6500))
    told = desk(FakeDoor(ended(run_view(slot("lint", "Stopped")), Outcome.INTERRUPTED, 3, sittings=(lost,))))
    await history.show(told.call, RUN)
    assert ", at least 1m 05s\n  That is the last record of it; its end was found at " in told.out.text
    whole = desk(FakeDoor(ended(run_view(slot("lint", "Done")))))
    await history.show(whole.call, RUN)
    assert "at least" not in whole.out.text


async def test_show_keeps_that_an_agent_worked_at_least_so_long_and_says_of_one_that_never_ran_only_that() -> (
    None
):
    """REC6: nobody saw the first end; the second was claimed and never started, whatever its agent reports else."""
    cut = attempt(status=AttemptStatus.INTERRUPTED, ended_at=moment(57), ended_at_least=True)
    none = FiguresTotals(0, TokenCounts(), Decimal(0), True, "none")
    never = attempt(2, AttemptStatus.NEVER_STARTED, started_at=None, ended_at=moment(60), figures=none)
    told = desk(FakeDoor(ended(run_view(slot("lint", "Stopped", cut, never)), Outcome.INTERRUPTED)))
    await history.show(told.call, RUN)
    assert ", at least 56s\n" in told.out.text
    assert "never started\n    0 turns, $0.00 (it never ran)" in told.out.text
    assert "reports no usage" not in told.out.text
    ran = attempt(status=AttemptStatus.SUCCEEDED, ended_at=moment(57), figures=none)
    whole = desk(FakeDoor(ended(run_view(slot("lint", "Done", ran)))))
    await history.show(whole.call, RUN)
    assert "$0.00 (this agent reports no usage)" in whole.out.text


async def test_show_tells_attempts_cost_source_and_reasons_in_words() -> None:
    failed = attempt(
        status=AttemptStatus.FAILED,
        reason="exit 3\x07",
        exit_code=3,
        figures=figures(1, None, source="unknown"),
    )
    again = attempt(2, AttemptStatus.SUCCEEDED, figures=figures(2, "0.5", source="estimated"))
    view = ended(run_view(slot("lint", "Done", failed, again, title=HOSTILE)))
    told = desk(FakeDoor(view))
    await history.show(told.call, RUN)
    assert "Attempt 1 (worker, command, epoch 1) failed: exit 3\\x07" in told.out.text
    assert "unknown (the agent did not say)" in told.out.text
    assert "$0.50 (estimated from tokens and prices)" in told.out.text
    assert "\x1b" not in told.out.text


@pytest.mark.parametrize(
    ("start", "code", "exit_code"),
    [("r-9", Code.E_RUN, exits.REFUSED), ("r-", Code.E_AMBIGUOUS, exits.USAGE)],
)
async def test_a_run_that_is_not_there_is_refused_with_its_code(
    start: str, code: Code, exit_code: int
) -> None:
    told = desk(FakeDoor(done_run(), run_view(slot("a"), run_id=OTHER)), as_json=True)
    with pytest.raises(Refused) as refused:
        await history.show(told.call, start)
    assert failures.tell(told.call.console, refused.value) == exit_code
    assert told.document()["code"] == code
    assert told.document()["message"] == told.err.text.rstrip("\n")


async def test_status_names_workflows_that_never_ran(tmp_path: Path) -> None:
    door = FakeDoor()
    door.workflow_statuses = (
        WorkflowStatus(WorkflowId("w-1"), "Check", 2, RUN, "live", None, 3, Decimal("0.1")),
        WorkflowStatus(WorkflowId("w-2"), "Never", 0, None, "never_run", None, 0, None),
    )
    told = desk(door, as_json=True)
    assert await history.status(told.call, tmp_path) == exits.DONE
    assert door.asked == [("statuses", tmp_path)]
    live, never = told.document()["workflows"]
    assert (live["state"], live["live"], live["cost_usd"]) == ("live", 2, "0.1")
    assert (never["state"], never["shown_run"]) == ("never_run", None)
    with pytest.raises(UsageProblem):
        await history.status(told.call, tmp_path / "missing")


async def test_status_says_at_least_where_the_run_does(tmp_path: Path) -> None:
    """JNL5, ruling 11: what is known of a cost is never told as all of it."""
    door = FakeDoor()
    door.workflow_statuses = (
        WorkflowStatus(WorkflowId("w-1"), "Check", 0, RUN, "ended", None, 3, Decimal("0.1"), False),
        WorkflowStatus(WorkflowId("w-2"), "Whole", 0, RUN, "ended", None, 3, Decimal("0.2"), True),
    )
    told = desk(door)
    assert await history.status(told.call, tmp_path) == exits.DONE
    cut, whole = [line for line in told.out.text.splitlines() if "Check" in line or "Whole" in line]
    assert "at least $0.10 " in cut
    assert "at least" not in whole
    told = desk(door, as_json=True)
    await history.status(told.call, tmp_path)
    assert [one["cost_is_complete"] for one in told.document()["workflows"]] == [False, True]


# ------------------------------------------------------------------------------------------- check


async def test_a_broken_file_tells_every_fault_with_place_and_line(tmp_path: Path) -> None:
    door = FakeDoor()
    path = tmp_path / "a.workflow.json"
    door.loaded = BrokenWorkflow(
        path, (Problem("$.nodes[2].agent", 14, "no agent 'x'"), Problem("$", 0, "a cycle"))
    )
    told = desk(door, as_json=True)
    assert await checking.check(told.call, path) == exits.USAGE
    assert f"{path}:14: $.nodes[2].agent: no agent 'x'" in told.err.text
    document = told.document()
    assert document["code"] == "E_WORKFLOW"
    assert [(one["place"], one["line"]) for one in document["problems"]] == [
        ("$.nodes[2].agent", 14),
        ("$", 0),
    ]
    assert told.source.opened == [True]


# ------------------------------------------------------------------------------------------- logs


async def test_logs_into_a_pipe_are_the_raw_bytes() -> None:
    door = FakeDoor(done_run())
    door.transcripts[AttemptId("a-" + "1" * 32)] = raw = b"\x1b[31mred\xff\r\n\x00"
    told = desk(door)
    assert await transcripts.logs(told.call, RUN, "lint", follow=False) == exits.DONE
    assert told.out.written == raw


async def test_logs_on_a_terminal_carry_no_control_sequence() -> None:
    door = FakeDoor(done_run())
    door.transcripts[AttemptId("a-" + "1" * 32)] = b"\x1b[31mred\x1b[0m \x1b]52;c;x\x07 \xe2\x80\xae\xff\n"
    told = desk(door, is_terminal=True)
    await transcripts.logs(told.call, RUN, None, follow=False)
    assert "\x1b" not in told.out.text
    assert "red \\x1b]52;c;x\\x07 \\u202e\\xff\n" in told.out.text


async def test_logs_say_that_a_transcript_is_missing() -> None:
    told = desk(FakeDoor(done_run()))
    assert await transcripts.logs(told.call, RUN, None, follow=False) == exits.DONE
    assert "is missing" in told.err.text
    assert told.out.text == ""


async def test_logs_say_that_no_disk_took_the_end_of_a_transcript() -> None:
    """What was printed stays what it is on stdout; that it is not all is said beside it, and in JSON."""
    words = "9,558 bytes of the transcript could not be kept: the disk did not take them"
    errors = (ErrorView("recording", words),)
    view = done_run()
    slots = tuple(
        replace(s, attempts=tuple(replace(a, errors=errors) for a in s.attempts)) for s in view.slots
    )
    door = FakeDoor(replace(view, slots=slots))
    door.transcripts[AttemptId("a-" + "1" * 32)] = raw = b"line 12 \\u00e4\\u"
    told = desk(door)
    assert await transcripts.logs(told.call, RUN, "lint", follow=False) == exits.DONE
    assert told.out.written == raw
    assert f"ends early: {words}." in told.err.text
    told = desk(door, as_json=True)
    await transcripts.logs(told.call, RUN, "lint", follow=False)
    assert json.loads(told.out.text)["attempts"][0]["lost"] == words


async def test_logs_come_by_node_as_the_workflow_lists_them_and_then_by_attempt() -> None:
    early, late = moment(1), moment(50)
    first = slot(
        "a",
        "Done",
        attempt(1, AttemptStatus.FAILED, started_at=early),
        attempt(2, AttemptStatus.SUCCEEDED, started_at=late),
    )
    second = slot("b", "Done", attempt(3, AttemptStatus.SUCCEEDED, started_at=moment(2)))
    third = slot("c", "Done", attempt(4, AttemptStatus.FAILED, started_at=None))
    door = FakeDoor(ended(run_view(first, second, third)))
    for number in (1, 2, 3, 4):
        door.transcripts[AttemptId("a-" + str(number) * 32)] = b"%d\n" % number
    told = desk(door)
    await transcripts.logs(told.call, RUN, None, follow=False)
    assert [line for line in told.out.text.splitlines() if line] == [
        "==> A, attempt 1 <==",
        "1",
        "==> A, attempt 2 <==",
        "2",
        "==> B, attempt 1 <==",
        "3",
        "==> C, attempt 1 <==",
        "4",
    ]
    told = desk(door, as_json=True)
    await transcripts.logs(told.call, RUN, None, follow=False)
    assert [one["text"] for one in told.document()["attempts"]] == ["1\n", "2\n", "3\n", "4\n"]


async def test_logs_follow_until_the_run_has_ended() -> None:
    import asyncio

    identity = AttemptId("a-" + "1" * 32)
    door = FakeDoor(run_view(slot("lint", "Running", attempt())))
    door.transcripts[identity] = b"one\n"
    told = desk(door)

    async def finish() -> None:
        while b"one" not in told.out.written:
            await asyncio.sleep(0.005)
        door.transcripts[identity] += b"two\n"
        await door.move(done_run())

    async with asyncio.TaskGroup() as group:
        group.create_task(finish())
        await transcripts.logs(told.call, RUN, "lint", follow=True)
    assert told.out.written == b"one\ntwo\n"


# ------------------------------------------------------------------------------------------- acting


def _reports(door: FakeDoor, status: AttemptStatus, display: str) -> None:
    """A command is followed by what the agent's shim reports."""

    async def report(run: RunId, slot_id: str) -> None:
        view = door.views[run]
        slots = [
            replace(one, display=display, attempts=(attempt(status=status),))
            if one.slot_id == slot_id
            else one
            for one in view.slots
        ]
        await door.move(replace(view, slots=tuple(slots)))

    door.on_command["pause"] = door.on_command["continue"] = report


async def test_pause_and_continue_say_what_the_agent_reported() -> None:
    door = FakeDoor(run_view(slot("lint", "Running", attempt())))
    told = desk(door)
    _reports(door, AttemptStatus.PAUSED, "Paused")
    assert await acting.pause(told.call, "r-1", "lint") == exits.DONE
    assert "Lint is paused." in told.err.text
    assert "may still be billed" in told.err.text
    _reports(door, AttemptStatus.RUNNING, "Running")
    assert await acting.continue_(told.call, "r-1", "lint") == exits.DONE
    assert "Lint goes on." in told.err.text
    assert door.asked == [("pause", RUN, "lint"), ("continue", RUN, "lint")]


async def test_pause_says_so_where_the_agent_reports_nothing_or_had_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(acting, "REPORTED_WITHIN_S", 0.02)
    monkeypatch.setattr(acting, "LOOK_EVERY_S", 0.005)
    door = FakeDoor(run_view(slot("lint", "Running", attempt())))
    told = desk(door)
    assert await acting.pause(told.call, "r-1", "lint") == exits.DONE
    assert "is asked to pause, and has not reported it yet" in told.err.text
    assert "is paused" not in told.err.text
    _reports(door, AttemptStatus.SUCCEEDED, "Done")
    await acting.pause(told.call, "r-1", "lint")
    assert "was not paused: Done" in told.err.text


async def test_a_node_with_several_slots_must_be_named_by_slot() -> None:
    slots = [replace(slot("scan", "Running", attempt()), slot_id=f"scan[{i}]") for i in range(2)]
    door = FakeDoor(run_view(*slots))
    told = desk(door)
    with pytest.raises(Refused) as refused:
        await acting.pause(told.call, "r-1", "scan")
    assert refused.value.refusal.code is Code.E_SLOT
    assert "scan[0], scan[1]" in str(refused.value)
    _reports(door, AttemptStatus.PAUSED, "Paused")
    assert await acting.pause(told.call, "r-1", "scan[1]") == exits.DONE


async def test_stop_returns_when_the_run_has_ended_and_prints_it() -> None:
    door = FakeDoor(run_view(slot("lint", "Running", attempt()), foreign=True))
    door.on_command["stop_run"] = lambda run: door.move(
        ended(door.views[run], Outcome.STOPPED, 3, reason="stopped by you")
    )
    told = desk(door, as_json=True)
    assert await acting.stop(told.call, "r-1", None) == exits.DONE
    assert told.document()["outcome"] == "stopped"
    assert "stopped by you" in told.err.text


async def test_stop_says_so_when_the_agents_have_not_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(acting, "STOP_WITHIN_S", 0.05)
    told = desk(FakeDoor(run_view(slot("lint", "Could not stop", attempt()))))
    assert await acting.stop(told.call, "r-1", None) == exits.DONE
    assert "has not ended yet" in told.err.text
    assert "Could not stop" in told.err.text


async def test_a_question_is_answered_by_its_id_its_own_id_or_its_node() -> None:
    asked = question("lint", "Deploy?", "yes", "no")
    for request in (asked.request_id, "q1", "lint"):
        door = FakeDoor(run_view(slot("lint", "Needs you", attempt(), approvals=(asked,))))
        assert await acting.answer(desk(door).call, "r-1", request, "YES") == exits.DONE
        assert door.asked == [("answer", RUN, asked.request_id, "yes")]


async def test_a_choice_that_is_not_offered_is_a_usage_error() -> None:
    door = FakeDoor(
        run_view(slot("lint", "Needs you", attempt(), approvals=(question("lint", "?", "yes", "no"),)))
    )
    told = desk(door)
    with pytest.raises(Refused) as refused:
        await acting.answer(told.call, "r-1", "lint", "maybe")
    assert failures.tell(told.call.console, refused.value) == exits.USAGE
    assert door.asked == []


async def test_a_guard_of_the_engine_is_exit_5_with_its_code_and_detail() -> None:
    door = FakeDoor(run_view(slot("lint", "Running", attempt())))
    door.refusals["reassign"] = Refusal(
        Code.E_SLOT_STATE, "The agent is still at work.", (("state", "active"),)
    )
    told = desk(door, as_json=True)
    with pytest.raises(Refused) as refused:
        await reopening.reassign(told.call, reopening.Reopening("r-1", "lint", "why"))
    assert failures.tell(told.call.console, refused.value) == exits.REFUSED
    assert told.document() == {
        "code": "E_SLOT_STATE",
        "message": "The agent is still at work.",
        "state": "active",
    }


async def test_a_store_that_cannot_be_written_is_exit_6() -> None:
    told = desk(FakeDoor(), as_json=True)
    refusal = Refusal(Code.E_STORE, "The disk is full; free some space.")
    assert failures.tell(told.call.console, Refused(refusal)) == exits.STORE


async def test_resume_reassigns_raises_the_limit_and_claims_in_this_order() -> None:
    door = FakeDoor(
        ended(
            run_view(slot("lint", "Stopped", attempt(status=AttemptStatus.STOPPED))), Outcome.INTERRUPTED, 3
        )
    )
    told = desk(door, as_json=True)
    wish = reopening.Reopening("r-1", "lint", "the laptop slept", agent="other")
    assert await reopening.resume(told.call, wish, go_on=True, budget="2.50") == exits.STOPPED
    assert door.asked == [
        ("reassign", RUN, "lint", "the laptop slept", "other", None),
        ("raise_budget", RUN, "lint", Decimal("2.50")),
        ("claim", RUN, "lint", True),
    ]
    assert told.document()["run_id"] == RUN


async def test_a_claim_on_another_process_is_watched_until_its_attempt_ends() -> None:
    live = run_view(slot("lint", "Running", attempt()), slot("other", "Running", attempt(3)), foreign=True)
    door = FakeDoor(live)

    async def finish(*_: object) -> None:
        over = attempt(2, AttemptStatus.FAILED)
        await door.move(replace(live, slots=(slot("lint", "Failed", attempt(), over), live.slots[1])))

    door.on_command["claim"] = finish
    told = desk(door)
    assert await reopening.claim(told.call, "r-1", "lint", go_on=False) == exits.FAILED


def test_a_line_of_runs_has_every_documented_key_of_show_but_the_slots() -> None:
    """Design §8: `runs --json` is `show --json` without slots."""
    from quarterdeck.domain.join import summary
    from quarterdeck.domain.show import run_to_json, summary_to_json

    view = run_view()
    documented = {
        "run_id",
        "workflow_id",
        "workflow_name",
        "launch_seq",
        "phase",
        "outcome",
        "started_at",
        "ended_at",
        "sittings",
        "pins",
        "turns",
        "tokens",
        "cost_usd",
        "cost_is_complete",
        "accepted_by",
        "accepted_at",
    }
    line = summary_to_json(summary(view))
    assert documented <= line.keys()
    assert {key: line[key] for key in documented} == {key: run_to_json(view)[key] for key in documented}


CLAUDE = (
    b'{"type":"assistant","message":{"content":[{"type":"text","text":"I look.\\u001b[31m"},'
    b'{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls","description":"List"}}]}}\n'
    b'{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"notes.md"}]}}\n'
    b'{"type":"brand_new"}\nplain\n'
)
IN_WORDS = 'I look.\n[Bash: done] ls\n    command: ls\n    description: List\n    notes.md\n{"type":"brand_new"}\nplain\n'


def claude_desk(*, is_terminal: bool) -> tuple[Any, FakeDoor]:
    door, attempt = FakeDoor(done_run()), AttemptId("a-" + "1" * 32)
    door.transcripts[attempt] = CLAUDE
    door.details.wires[attempt] = "claude"
    return desk(door, is_terminal=is_terminal), door


async def test_logs_tell_a_programs_transcript_in_words_on_a_terminal() -> None:
    told, _ = claude_desk(is_terminal=True)
    await transcripts.logs(told.call, RUN, "lint", follow=False)
    assert told.out.text == IN_WORDS


async def test_words_and_raw_are_given_where_they_are_asked_for() -> None:
    told, _ = claude_desk(is_terminal=True)
    await transcripts.logs(told.call, RUN, "lint", follow=False, in_words=False)
    assert '{"type":"assistant"' in told.out.text
    piped, _ = claude_desk(is_terminal=False)
    await transcripts.logs(piped.call, RUN, "lint", follow=False)
    assert piped.out.written == CLAUDE
    worded, _ = claude_desk(is_terminal=False)
    await transcripts.logs(worded.call, RUN, "lint", follow=False, in_words=True)
    assert worded.out.text == IN_WORDS


async def test_every_kind_of_part_has_words_for_a_terminal() -> None:
    """Those of the lines protocol and those of programs."""
    door, attempt = FakeDoor(done_run()), AttemptId("a-" + "1" * 32)
    said = (
        {"type": "effect", "id": "p", "state": "sent", "kind": "git push", "target": "origin"},
        {"type": "approval", "id": "q", "question": "May I?", "options": ["Yes", "No"]},
        {"type": "error", "class": "rate_limit", "message": "later"},
        {"type": "output", "value": {"a": 1}},
        {"type": "usage", "input_tokens": 12, "output_tokens": 3, "cost_usd": "0.5", "message_id": "m"},
        {"type": "progress", "done": 1, "total": 4, "label": "read"},
        {"type": "artifact", "name": "a.md", "text": "x"},
        {"type": "checkpoint", "step": "one", "data": 1},
        {"type": "note", "kind": "other", "text": "words"},
        {"type": "session", "id": "s-1"},
        {"type": "turn"},
        {"type": "new_kind"},
    )
    door.transcripts[attempt] = b"".join(json.dumps(one).encode() + b"\n" for one in said)
    door.details.protocol.add(attempt)
    told = desk(door, is_terminal=True)
    await transcripts.logs(told.call, RUN, "lint", follow=False)
    assert told.out.text.splitlines() == [
        "[git push: sent] origin",
        "[question]",
        "    May I?",
        "    (Yes / No)",
        "[error] rate_limit: later",
        "[result]",
        "    {",
        '      "a": 1',
        "    }",
        "[usage] 12 in, 3 out, $0.50",
        "[progress] 1 of 4 read",
        "[saved] a.md",
        "[checkpoint] one",
        "[other] words",
        "[session] s-1",
        "[turn]",
        "[new_kind]",
    ]


async def test_reassign_with_an_agent_switches_one_that_waits_for_its_first_attempt() -> None:
    """It is not re-opened, as it had no attempt; nothing starts by it."""
    door = FakeDoor(run_view(slot("lint", "Not started")))
    told = desk(door)
    wish = reopening.Reopening("r-1", "lint", "why", agent="other")
    assert await reopening.reassign(told.call, wish) == exits.DONE
    assert door.asked == [("switch_agent", RUN, "lint", "other")]
    assert "now with other; nothing was started" in told.err.text


async def test_logs_and_show_of_a_live_run_say_that_what_is_printed_now_may_be_lost() -> None:
    """JNL8: the folder of a run of another process takes nothing; said beside the transcript, and in JSON."""
    view = replace(run_view(), foreign=True, recording=False, waits_for="/data: No space left on device")
    words = "Recording stopped: /data: No space left on device. What the agents print meanwhile may be missing here."
    told = desk(FakeDoor(view))
    await transcripts.logs(told.call, RUN, None, follow=False)
    assert told.err.text.count(words) == 1
    told = desk(FakeDoor(view))
    await history.show(told.call, RUN)
    assert words in told.out.text
    told = desk(FakeDoor(view), as_json=True)
    await transcripts.logs(told.call, RUN, None, follow=False)
    assert json.loads(told.out.text)["recording"] is False
    told = desk(FakeDoor(replace(view, recording=None, waits_for="")))
    await transcripts.logs(told.call, RUN, None, follow=False)
    assert "Recording" not in told.err.text
