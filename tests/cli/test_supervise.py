"""`run` over a fake door: what is shown first, questions, warnings, events, signals, exit codes."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.cli import exits
from quarterdeck.cli.launching import LaunchWish, launch
from quarterdeck.cli.supervise import Manner, supervise
from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.planned import BrokenWorkflow, LaunchPreview, LoadedWorkflow, PlannedCommand, Problem
from tests.cli.builders import RUN, attempt, ended, question, run_view, slot
from tests.cli.call import Desk, desk
from tests.cli.fake_door import FakeDoor

FILE = Path("/work space/check.workflow.json")


def door_with(view: RunView, *commands: PlannedCommand) -> FakeDoor:
    door = FakeDoor(view)
    workflow = Workflow("w-1", "Repository check", "", (), {}, (), ())  # type: ignore[arg-type]
    door.loaded = LoadedWorkflow(FILE, workflow)
    door.planned = LaunchPreview(door.loaded, "A report", commands, b"bytes that were shown")
    return door


def live(*displays: str) -> RunView:
    return run_view(*(slot(f"n{i}", display, attempt(i + 1)) for i, display in enumerate(displays)))


async def supervised(told: Desk, *steps: object, wish: LaunchWish | None = None) -> int:
    """Runs `run` beside coroutines of the test, in a task of its own as signals expect."""
    async with asyncio.TaskGroup() as group:
        running = group.create_task(launch(told.call, wish or LaunchWish(FILE, ())))
        for step in steps:
            await step  # type: ignore[misc]
        return await running


async def test_commands_go_to_stderr_before_anything_is_launched() -> None:
    door = door_with(
        live("Running"),
        PlannedCommand("Lint", "lint", "command", ("ruff", "check", "a b\x1b[2J"), "/srv", "/usr/bin/ruff"),
        PlannedCommand("Try", "p", "practice", (), "/srv", None),
    )
    told = desk(door)
    before: list[str] = []

    async def note(request: object) -> None:
        before.append(told.err.text)
        await door.move(ended(live("Done")))

    door.on_command["launch"] = note
    assert await supervised(told) == exits.DONE
    assert "Lint: ruff check 'a b\\x1b[2J' [/usr/bin/ruff], in /srv" in before[0]
    assert "Try (practice: no model, no cost)" in before[0]
    assert door.asked[0][1].content == b"bytes that were shown"


async def test_a_broken_file_opens_no_store_for_writing() -> None:
    door = door_with(live("Running"))
    door.loaded = BrokenWorkflow(FILE, (Problem("$.agents", 3, "missing"),))
    told = desk(door, as_json=True)
    assert await supervised(told) == exits.USAGE
    assert told.source.opened == [True]
    assert door.asked == []


@pytest.mark.parametrize(
    ("outcome", "code"),
    [(Outcome.COMPLETED, 0), (Outcome.FAILED, 1), (Outcome.STOPPED, 3), (Outcome.STOPPED, 4)],
)
async def test_the_exit_code_is_the_one_that_the_run_journaled(outcome: Outcome, code: int) -> None:
    door = door_with(live("Running"))
    told = desk(door, as_json=True)
    move = door.move(ended(live("Done"), outcome, code))
    assert await supervised(told, door.wait_asked("launch"), move) == code
    assert told.document()["run_id"] == RUN
    assert door.closings[-1] == "person"


async def test_a_run_that_could_not_be_recorded_is_exit_6() -> None:
    door = door_with(live("Running"))
    told = desk(door)
    assert (
        await supervised(told, door.wait_asked("launch"), door.move(ended(live("Done"), recording=False)))
        == exits.STORE
    )


async def test_a_fault_of_quarterdeck_is_exit_70_and_is_not_called_a_full_disk() -> None:
    door = door_with(live("Running"))
    told = desk(door)
    faulty = ended(live("Done"), fault="A fault of Quarterdeck kept this run from its end.")
    assert await supervised(told, door.wait_asked("launch"), door.move(faulty)) == exits.INTERNAL
    assert "A fault of Quarterdeck kept this run from its end." in told.err.text
    assert "store could not be written" not in told.err.text


async def test_what_is_not_kept_for_good_is_exit_6_in_its_own_words() -> None:
    door = door_with(live("Running"))
    told = desk(door)
    unkept = ended(live("Done"), recording=False, fault="Its spend is not kept: it is a folder.")
    assert await supervised(told, door.wait_asked("launch"), door.move(unkept)) == exits.STORE
    assert "Its spend is not kept: it is a folder." in told.err.text
    assert "free some space" not in told.err.text


async def test_events_are_lines_on_stdout_as_they_happen() -> None:
    door = door_with(live("Running"))
    told = desk(door)

    async def play() -> None:
        await door.wait_asked("launch")
        await door.happen("attempt_claimed", RUN, agent="worker")
        while b"attempt_claimed" not in told.out.written:
            await asyncio.sleep(0.005)
        assert door.views[RUN].is_live
        await door.happen("run_ended", RUN, exit_code=0)
        await door.move(ended(live("Done")))

    assert await supervised(told, play(), wish=LaunchWish(FILE, (), events=True)) == exits.DONE
    lines = [json.loads(line) for line in told.out.text.splitlines()]
    assert [line["type"] for line in lines] == ["attempt_claimed", "run_ended"]
    assert lines[0].keys() == {"seq", "at", "type", "run", "slot", "attempt", "epoch", "data"}


async def test_a_reader_of_events_who_leaves_does_not_end_the_run() -> None:
    door = door_with(live("Running"))
    told = desk(door)
    told.out.is_broken = True

    async def play() -> None:
        await door.wait_asked("launch")
        for _ in range(3):
            await door.happen("turn", RUN)
            await asyncio.sleep(0.05)
        await told.wait_said("Nobody reads the events any more")
        await door.move(ended(live("Done")))

    assert await supervised(told, play(), wish=LaunchWish(FILE, (), events=True)) == exits.DONE


async def test_events_that_a_full_disk_loses_end_no_run_and_are_never_called_done() -> None:
    """Whoever keeps the events of a run must not take a cut file for all of them."""
    door = door_with(live("Running"))
    told = desk(door)
    told.out.is_full = True

    async def play() -> None:
        await door.wait_asked("launch")
        for _ in range(3):
            await door.happen("turn", RUN)
            await asyncio.sleep(0.05)
        await told.wait_said("The events cannot be written: No space left on device. The run goes on.")
        await door.move(ended(live("Done")))

    assert await supervised(told, play(), wish=LaunchWish(FILE, (), events=True)) == exits.OUTPUT_LOST


async def test_spending_eighty_percent_of_a_limit_is_said() -> None:
    door = door_with(live("Running"))
    told = desk(door)
    warn = door.happen("budget_warned", RUN, scope="run", spent_usd="4.1", limit_usd="5")
    await supervised(told, door.wait_asked("launch"), warn, door.move(ended(live("Done"))))
    assert "Warning: The run has spent $4.10 of its limit of $5.00." in told.err.text


@pytest.mark.parametrize("of", ["run", "attempt"])
async def test_a_limit_that_cannot_act_is_said_once(of: str) -> None:
    """Case 88: tokens without a price under a spending limit, of the run or of the attempt alone."""
    tokens = FiguresTotals(2, TokenCounts(10, 3), None, False, "unknown")
    own = Decimal(5) if of == "attempt" else None
    working = run_view(slot("n0", "Running", attempt(figures=tokens, budget_usd=own)))
    working = replace(working, budget_usd=Decimal(5) if of == "run" else None)
    door = door_with(working)
    told = desk(door)
    words = "what N0 costs is unknown; the spending limit cannot act on it."

    async def play() -> None:
        await told.wait_said(words)
        await door.move(working)
        await asyncio.sleep(0.05)
        await door.move(ended(working))

    await supervised(told, play())
    assert told.err.text.count(words) == 1


# ------------------------------------------------------------------------------------------- questions


def asking(*options: str, text: str = "Deploy\x1b[8m to\u202e prod?") -> RunView:
    return run_view(slot("n0", "Needs you", attempt(), approvals=(question("n0", text, *options),)))


async def test_without_a_terminal_a_question_is_told_with_the_command_that_answers_it() -> None:
    door = door_with(asking("yes", "no"))
    told = desk(door)
    await supervised(told, told.wait_said("quarterdeck answer"), door.move(ended(live("Done"))))
    assert f"quarterdeck answer {RUN} a-{'1' * 32}:q1 CHOICE" in told.err.text
    assert "Deploy\\x1b[8m to\\u202e prod?" in told.err.text
    assert [one[0] for one in door.asked] == ["launch"]


async def test_with_no_wait_the_asking_agent_is_ended_and_the_exit_is_4() -> None:
    door = door_with(asking("yes"))
    door.on_command["stop_slot"] = lambda run, slot: door.move(ended(live("Stopped"), Outcome.STOPPED, 3))
    told = desk(door)
    assert await supervised(told, wish=LaunchWish(FILE, (), no_wait=True)) == exits.WAITS_FOR_PERSON
    assert door.asked[1] == ("stop_slot", RUN, "n0")


async def test_with_no_wait_a_failure_still_counts_more_than_a_question() -> None:
    door = door_with(asking("yes"))
    door.on_command["stop_slot"] = lambda run, slot: door.move(ended(live("Stopped"), Outcome.FAILED, 1))
    assert await supervised(desk(door), wish=LaunchWish(FILE, (), no_wait=True)) == exits.FAILED


async def test_with_no_wait_a_run_whose_only_open_thing_is_an_approval_node_is_stopped() -> None:
    node = replace(question("gate", "Go?", "yes"), attempt_id=None)
    door = door_with(run_view(slot("gate", "Needs you", approvals=(node,)), slot("later")))
    door.on_command["stop_run"] = lambda run: door.move(ended(live("Stopped"), Outcome.STOPPED, 3))
    assert await supervised(desk(door), wish=LaunchWish(FILE, (), no_wait=True)) == exits.WAITS_FOR_PERSON


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """A pseudo terminal: (what a person holds, what the program reads)."""
    person, program = pty.openpty()
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    monkeypatch.setenv("TERM", "xterm")
    yield person, program
    os.close(person)
    os.close(program)


@pytest.mark.parametrize(("typed", "given"), [(b"2\n", "no"), (b"YES\n", "yes"), (b"maybe\nn\n", "no")])
async def test_on_a_terminal_a_question_is_answered_where_it_is_asked(
    keyboard: tuple[int, int], typed: bytes, given: str
) -> None:
    person, program = keyboard
    door = door_with(asking("yes", "no"))
    door.on_command["answer"] = lambda *_: door.move(ended(live("Done")))
    told = desk(door, is_terminal=True, stdin_fd=program)

    async def play() -> None:
        await told.wait_said("Answer (1–2):")
        os.write(person, typed)

    assert await supervised(told, play()) == exits.DONE
    assert door.asked[1] == ("answer", RUN, f"a-{'1' * 32}:q1", given)
    assert "1. yes" in told.err.text
    assert "Deploy\\x1b[8m to\\u202e prod?" in told.err.text


async def test_what_was_typed_before_a_question_does_not_answer_it(keyboard: tuple[int, int]) -> None:
    person, program = keyboard
    door = door_with(live("Running"))
    door.on_command["answer"] = lambda *_: door.move(ended(live("Done")))
    told = desk(door, is_terminal=True, stdin_fd=program)

    async def play() -> None:
        await door.wait_asked("launch")
        os.write(person, b"yes\n")
        await door.move(asking("yes", "no"))
        await told.wait_said("Answer (1–2):")
        os.write(person, b"no\n")

    await supervised(told, play())
    assert door.asked[1][-1] == "no"


async def test_a_question_answered_elsewhere_is_taken_away(keyboard: tuple[int, int]) -> None:
    door = door_with(asking("yes", "no"))
    told = desk(door, is_terminal=True, stdin_fd=keyboard[1])

    async def play() -> None:
        await told.wait_said("Answer (1–2):")
        await door.move(live("Running"))
        await told.wait_said("That question is closed")
        await door.move(ended(live("Done")))

    assert await supervised(told, play()) == exits.DONE


# ------------------------------------------------------------------------------------------- signals


async def test_ctrl_c_stops_the_run_first_and_the_second_says_that_it_is_ending() -> None:
    door = door_with(live("Running"))
    told = desk(door)
    closing, over = asyncio.Event(), asyncio.Event()

    async def close(reason: str) -> None:
        if reason == "person":  # the first door, which only looks, is closed before
            closing.set()
            await over.wait()

    async def play() -> None:
        await told.wait_said("N0: Running")
        door.on_command["close"] = close
        told.signals.arrive(signal.SIGINT)
        await closing.wait()
        told.signals.arrive(signal.SIGINT)
        await told.wait_said("Still ending 1 of the agents")
        await door.move(replace(live("Stopping"), recording=False))
        await told.wait_said("Recording stopped")
        told.signals.arrive(signal.SIGTERM)
        await told.wait_said("The disk takes nothing; it is waited for a few seconds more.")
        over.set()
        await door.move(ended(live("Stopped"), Outcome.STOPPED, 3))

    assert await supervised(told, play()) == exits.CTRL_C
    assert [one[0] for one in door.asked] == ["launch"], "closing stops every agent of this process"
    assert set(door.closings[1:]) == {"person"}, "the first signal decides"


async def test_a_second_ctrl_c_leaves_a_run_of_another_process_that_does_not_end_its_agent() -> None:
    view = replace(run_view(slot("n0", "Running", attempt())), foreign=True)
    door = FakeDoor(view)
    told = desk(door)
    manner = Manner(foreign=True, until=view.slots[0].attempts[0].attempt_id, slot=view.slots[0].slot_id)

    async def play() -> None:
        await told.wait_said("N0: Running")
        told.signals.arrive(signal.SIGINT)
        await door.wait_asked("stop_slot")
        told.signals.arrive(signal.SIGINT)

    async with asyncio.TaskGroup() as group:
        group.create_task(play())
        ending = await supervise(told.call, door, view.run_id, manner)  # type: ignore[arg-type]
    assert ending.exit_code == exits.CTRL_C


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
async def test_sigterm_and_sighup_leave_the_run_interrupted(number: signal.Signals) -> None:
    door = door_with(live("Running"))
    told = desk(door)
    door.on_command["close"] = lambda reason: (
        door.move(ended(live("Stopped"), Outcome.INTERRUPTED, 3))
        if reason == "app_closed"
        else asyncio.sleep(0)
    )

    async def play() -> None:
        await told.wait_said("N0: Running")
        told.signals.arrive(number)

    assert await supervised(told, play()) == exits.STOPPED
    assert set(door.closings[1:]) == {"app_closed"}
    assert not any(one[0] == "stop_run" for one in door.asked)


async def test_an_agent_that_failed_is_named_with_its_reason_at_the_end() -> None:
    failed = attempt(status=AttemptStatus.FAILED, reason="exit 3")
    door = door_with(live("Running"))
    view = ended(run_view(slot("n0", "Failed", failed, reason="exit 3")), Outcome.FAILED, 1, reason="exit 3")
    told = desk(door)
    await supervised(told, door.wait_asked("launch"), door.move(view))
    assert "N0: Failed, exit 3" in told.err.text
    assert "quarterdeck show r-111111111111" in told.err.text
