"""Approvals: bound to attempt, request and exact bytes, single use, and what "Allow for this run" answers (case 122)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RequestId, RunId, SlotId
from quarterdeck.domain.permissions import ALLOW_FOR_RUN
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import ApprovalView, RunView
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.test_programs_with_words import program
from tests.engine.works import Disk, attempt_of, ended, launch, python, shows, slot_of, until, write

A = SlotId("a")
OPTIONS = "options=['Deny', 'Allow once']"
ASK = f"""
def ask(id, question, **more):
    say('approval', id=id, question=question, {OPTIONS}, **more)
    return told()['answer']
"""


def asks(source: str) -> dict[str, Any]:
    """An agent that asks by `ask`, and gives what it was told."""
    return python(ASK + source)


async def asked(engine: Engine, run: RunId, question: str, slot: str = "a") -> ApprovalView:
    """The one open question of the slot, once it has these words."""

    def is_asked(view: RunView) -> bool:
        return [one.question for one in slot_of(view, slot).approvals] == [question]

    (found,) = slot_of(await until(engine, run, is_asked), slot).approvals
    return found


def answers_in(data: Path, run: RunId) -> list[dict[str, Any]]:
    """What the journal says of answers, oldest first."""
    lines = (data / "runs" / run / "journal.jsonl").read_text().splitlines()
    return [line for line in map(json.loads, lines) if line["kind"] == "approval_answered"]


def refused_words(answer: object) -> str:
    assert isinstance(answer, Refusal), answer
    assert answer.code is Code.E_REQUEST
    return answer.message


async def test_allow_for_this_run_answers_later_byte_identical_requests_and_asks_nobody(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    source = "say('output', value=[ask(f'q{n}', 'git push') for n in range(4)])"
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    first = await asked(engine, run, "git push")
    assert first.choices == ("Deny", "Allow once", ALLOW_FOR_RUN)
    assert await engine.answer(run, first.request_id, ALLOW_FOR_RUN, "ana") is None
    view = await ended(engine, run)
    assert attempt_of(view, "a").output == ["Allow once"] * 4, "the agent hears one of its own options"
    given, *later = answers_in(data, run)
    assert (given["for_run"], given["because"], given["actor"]) == (True, None, "ana")
    assert [one["because"] for one in later] == [first.request_id] * 3
    assert {one["exact"] for one in (given, *later)} == {first.exact}
    assert [one.because for one in slot_of(view, "a").answers] == [None, *[first.request_id] * 3]


@pytest.mark.parametrize(
    "other",
    [
        "ask('x', 'git push ')",
        "ask('x', 'git push', where='/elsewhere')",
        "ask('x', 'git push', network='yes')",
    ],
)
async def test_a_request_that_differs_by_a_byte_is_asked(engine: Engine, tmp_path: Path, other: str) -> None:
    source = f"ask('a', 'git push')\nsay('output', value={other})"
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    assert await engine.answer(run, (await asked(engine, run, "git push")).request_id, ALLOW_FOR_RUN) is None
    view = await until(
        engine, run, lambda v: any(one.request_id.endswith(":x") for one in slot_of(v, "a").approvals)
    )
    assert await engine.answer(run, slot_of(view, "a").approvals[0].request_id, "Deny") is None
    assert attempt_of(await ended(engine, run), "a").output == "Deny"


async def test_what_was_allowed_for_this_run_is_listed_and_once_withdrawn_is_asked_again(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """What it was told already stays told; the withdrawal is journaled, once, and the record lists nothing that stands."""
    gate = tmp_path / "go"
    source = (
        "ask('q0', 'git push'); ask('q1', 'git push')\nimport time\n"
        f"while not os.path.exists({str(gate)!r}): time.sleep(0.02)\n"
        "say('output', value=ask('q2', 'git push'))"
    )
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    first = await asked(engine, run, "git push")
    assert await engine.answer(run, first.request_id, ALLOW_FOR_RUN, "ana") is None
    view = await until(engine, run, lambda v: len(slot_of(v, "a").answers) == 2)
    (allowed,) = slot_of(view, "a").allowed
    assert (allowed.request_id, allowed.question, allowed.actor) == (first.request_id, "git push", "ana")
    assert allowed.exact == first.exact
    assert await engine.withdraw_allowed(run, first.request_id, "ben") is None
    again = await engine.withdraw_allowed(run, first.request_id)
    assert "Nothing that was allowed" in refused_words(again)
    gate.touch()
    asked_again = await asked(engine, run, "git push")
    assert asked_again.request_id.endswith(":q2")
    assert slot_of(await until(engine, run, lambda v: True), "a").allowed == ()
    assert await engine.answer(run, asked_again.request_id, "Deny") is None
    view = await ended(engine, run)
    assert attempt_of(view, "a").output == "Deny"
    assert slot_of(view, "a").allowed == ()
    journal = (data / "runs" / run / "journal.jsonl").read_text()
    assert journal.count('"permission_withdrawn"') == 1


async def test_allow_for_this_run_is_of_the_slot_and_of_no_other(engine: Engine, tmp_path: Path) -> None:
    source = "say('output', value=ask('q', 'git push'))"
    run = await launch(engine, write(tmp_path, {"a": asks(source), "b": asks(source)}, ("a", "b")))
    assert await engine.answer(run, (await asked(engine, run, "git push")).request_id, ALLOW_FOR_RUN) is None
    other = await asked(engine, run, "git push", "b")
    assert await engine.answer(run, other.request_id, "Deny") is None
    assert attempt_of(await ended(engine, run), "b").output == "Deny"


async def test_allow_for_this_run_holds_for_the_next_attempt_of_the_slot_and_for_no_other_run(
    engine: Engine, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": asks("say('output', value=ask('q', 'git push'))\nsys.exit(1)")})
    run = await launch(engine, path)
    assert await engine.answer(run, (await asked(engine, run, "git push")).request_id, ALLOW_FOR_RUN) is None
    await ended(engine, run)
    assert await engine.reassign(run, A, "again") is None
    assert not isinstance(await engine.claim(run, A), Refusal)
    view = await ended(engine, run)
    assert [a.output for a in slot_of(view, "a").attempts] == ["Allow once"] * 2
    another = await launch(engine, path)
    assert await engine.answer(another, (await asked(engine, another, "git push")).request_id, "Deny") is None
    assert attempt_of(await ended(engine, another), "a").output == "Deny"


async def test_allow_once_is_used_once(engine: Engine, tmp_path: Path) -> None:
    """The same id and the same bytes again are another request: the first answer is not its answer."""
    source = "say('output', value=[ask('q', 'git push'), ask('q', 'git push')])"
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    first = await asked(engine, run, "git push")
    assert await engine.answer(run, first.request_id, "Allow once") is None
    view = await until(
        engine,
        run,
        lambda v: [o.request_id for o in slot_of(v, "a").approvals] not in ([], [first.request_id]),
    )
    (second,) = slot_of(view, "a").approvals
    assert second.request_id.startswith(f"{first.request_id}@")
    words = refused_words(await engine.answer(run, first.request_id, "Allow once"))
    assert "answered “Allow once”" in words
    assert await engine.answer(run, second.request_id, "Deny") is None
    assert attempt_of(await ended(engine, run), "a").output == ["Allow once", "Deny"]


async def test_an_answer_to_what_was_replaced_under_the_same_id_reaches_nobody(
    engine: Engine, tmp_path: Path
) -> None:
    """Case 122: a newer prompt takes the place of the visible one; the answer to the older one is no answer to it."""
    go = tmp_path / "go"
    source = (
        f"say('approval', id='q', question='ls', {OPTIONS})\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n"
        "say('output', value=ask('q', 'rm -rf /'))"
    )
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    older = await asked(engine, run, "ls")
    go.touch()
    newer = await asked(engine, run, "rm -rf /")
    assert newer.request_id != older.request_id
    words = refused_words(await engine.answer(run, older.request_id, "Allow once"))
    assert "something else came in its place" in words
    assert newer.request_id in words
    assert await engine.answer(run, newer.request_id, "Deny") is None
    assert attempt_of(await ended(engine, run), "a").output == "Deny"


async def test_the_same_question_said_twice_is_asked_once(engine: Engine, tmp_path: Path) -> None:
    source = f"say('approval', id='q', question='Go?', {OPTIONS})\nsay('output', value=ask('q', 'Go?'))"
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    one = await asked(engine, run, "Go?")
    assert await engine.answer(run, one.request_id, "Allow once") is None
    assert attempt_of(await ended(engine, run), "a").output == "Allow once"


async def test_a_stale_answer_is_explained(engine: Engine, tmp_path: Path) -> None:
    run = await launch(engine, write(tmp_path, {"a": asks("ask('q', 'Go?')\nask('r', 'On?')")}))
    one = await asked(engine, run, "Go?")
    assert await engine.answer(run, one.request_id, "Allow once", "ana") is None
    other = await asked(engine, run, "On?")
    assert "by ana already" in refused_words(await engine.answer(run, RequestId("q"), "Deny"))
    assert other.request_id in refused_words(await engine.answer(run, RequestId("nothing"), "Deny"))
    assert await engine.stop_run(run) is None
    await ended(engine, run)
    assert "has ended" in refused_words(await engine.answer(run, other.request_id, "Deny"))


async def test_a_name_that_fits_two_questions_answers_neither(engine: Engine, tmp_path: Path) -> None:
    source = (
        "".join(f"say('approval', id='{i}', question='{i}?', {OPTIONS})\n" for i in "qr") + "told()\ntold()"
    )
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    view = await until(engine, run, lambda v: len(slot_of(v, "a").approvals) == 2)
    words = refused_words(await engine.answer(run, RequestId("a"), "Deny"))
    assert all(one.request_id in words for one in slot_of(view, "a").approvals)
    assert await engine.stop_run(run) is None
    await ended(engine, run)


async def test_what_no_person_can_read_whole_is_allowed_once_at_most(engine: Engine, tmp_path: Path) -> None:
    source = "say('output', value=ask('q', 'x' * 1_000_001))"
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    view = await until(engine, run, shows("a", "Needs you"))
    (one,) = slot_of(view, "a").approvals
    assert (one.whole_chars, one.choices) == (1_000_001, ("Deny", "Allow once"))
    assert isinstance(await engine.answer(run, one.request_id, ALLOW_FOR_RUN), Refusal)
    assert await engine.answer(run, one.request_id, "Deny") is None
    assert attempt_of(await ended(engine, run), "a").output == "Deny"


async def test_an_answer_for_the_run_waits_for_a_disk_that_is_full_and_is_then_given(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    disk = Disk()
    engine = await open_engine(io=disk)
    go = tmp_path / "go"
    source = (
        "ask('a', 'git push')\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n"
        "say('output', value=ask('b', 'git push'))"
    )
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    assert await engine.answer(run, (await asked(engine, run, "git push")).request_id, ALLOW_FOR_RUN) is None
    disk.full = True
    go.touch()
    await until(engine, run, lambda v: v.recording is False)
    disk.full = False
    assert attempt_of(await ended(engine, run), "a").output == "Allow once"
    assert len(answers_in(data, run)) == 2


async def test_allow_for_this_run_is_kept_over_a_restart_and_acts_only_once_a_person_goes_on(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    before = await open_engine()
    path = write(tmp_path, {"a": asks("say('output', value=ask('q', 'git push'))\nsys.exit(1)")})
    run = await launch(before, path)
    assert await before.answer(run, (await asked(before, run, "git push")).request_id, ALLOW_FOR_RUN) is None
    await ended(before, run)
    await before.close()
    after = await open_engine()
    assert len(answers_in(data, run)) == 1
    assert await after.reassign(run, A, "again") is None
    assert not isinstance(await after.claim(run, A), Refusal)
    view = await ended(after, run)
    assert [a.output for a in slot_of(view, "a").attempts] == ["Allow once"] * 2
    assert [one["because"] is None for one in answers_in(data, run)] == [True, False]


async def test_a_question_too_large_for_the_socket_is_compared_to_its_last_byte(
    engine: Engine, tmp_path: Path
) -> None:
    source = (
        "big = 'x' * 300_000\n"
        "say('output', value=[ask('a', big + '1'), ask('b', big + '1'), ask('c', big + '2')])"
    )
    run = await launch(engine, write(tmp_path, {"a": asks(source)}))
    first = await asked(engine, run, "x" * 300_000 + "1")
    assert await engine.answer(run, first.request_id, ALLOW_FOR_RUN) is None
    other = await asked(engine, run, "x" * 300_000 + "2")
    assert await engine.answer(run, other.request_id, "Deny") is None
    assert attempt_of(await ended(engine, run), "a").output == ["Allow once", "Allow once", "Deny"]


async def test_another_process_allows_for_the_run_and_says_something(
    open_engine: Opener, tmp_path: Path
) -> None:
    owner, other = await open_engine(), await open_engine()
    source = (
        "say('session', id='s', resumable=False, messages=True)\n"
        "given = [ask('a', 'git push'), ask('b', 'git push')]\nsay('output', value=[*given, told()['text']])"
    )
    run = await launch(owner, write(tmp_path, {"a": asks(source)}))
    first = await asked(owner, run, "git push")
    assert await other.answer(run, first.request_id, ALLOW_FOR_RUN) is None
    await until(owner, run, lambda v: len(slot_of(v, "a").answers) == 2)
    assert await other.say(run, A, "Look into ü too.", "ana") is None
    view = await ended(owner, run)
    assert attempt_of(view, "a").output == ["Allow once", "Allow once", "Look into ü too."]


async def test_a_message_is_durable_before_the_agent_hears_it_and_stands_in_the_record(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    engine = await open_engine()
    journal = "glob.glob(os.environ['JOURNAL'] + '/r-*/journal.jsonl')[0]"
    source = (
        "import glob\nsay('session', id='s', resumable=False, messages=True)\nheard = told()\n"
        f"say('output', value='message_sent' in open({journal}).read())"
    )
    agent = python(source, env={"JOURNAL": str(data / "runs")})
    run = await launch(engine, write(tmp_path, {"a": agent}))
    await until(engine, run, lambda v: any(a.takes_messages for a in slot_of(v, "a").attempts))
    assert await engine.say(run, A, "A word", "ana") is None
    view = await ended(engine, run)
    assert attempt_of(view, "a").output is True
    (said,) = attempt_of(view, "a").messages
    assert (said.text, said.actor, said.delivered, view.turns) == ("A word", "ana", True, 0)
    await engine.close()
    kept = await (await open_engine()).run(run)
    assert kept is not None
    assert attempt_of(kept, "a").messages == (said,)


async def test_a_message_to_who_takes_none_or_is_not_at_work_is_refused_in_words(
    engine: Engine, tmp_path: Path
) -> None:
    run = await launch(engine, write(tmp_path, {"a": asks("ask('q', 'Go?')"), "b": asks("pass")}, ("a", "b")))
    await asked(engine, run, "Go?")
    for slot, words in (("a", "may be starting, or take none"), ("b", "is not started"), ("x", "x")):
        refused = await engine.say(run, SlotId(slot), "A word")
        assert isinstance(refused, Refusal)
        assert words in refused.message
    assert await engine.stop_run(run) is None
    await ended(engine, run)
    over = await engine.say(run, A, "A word")
    assert isinstance(over, Refusal)
    assert over.code is Code.E_ATTEMPT_STATE


CLAUDE_ASKS = """
def heard():
    return json.loads(sys.stdin.readline())
def ask(id, command):
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command}, "tool_use_id": id}
    say(type="control_request", request_id=id, request=asked)
    while (line := heard()).get("type") != "control_response":
        pass
    return line["response"]["response"]["behavior"]
given = [ask("r1", "git push"), ask("r2", "git push"), ask("r3", "git push -f")]
word = heard()["message"]["content"]
word = word if isinstance(word, str) else word[0]["text"]
open("given.json", "w").write(json.dumps([*given, word]))
say(type="result", subtype="success", is_error=False, result="done", num_turns=1, modelUsage={})
"""


async def test_claudes_requests_and_a_message_to_it_go_the_same_way(engine: Engine, tmp_path: Path) -> None:
    """`can_use_tool` is a question of the queue; what is the same to the byte is answered for the run, another is asked."""
    run = await launch(engine, write(tmp_path, {"a": program(tmp_path, CLAUDE_ASKS)}))
    view = await until(engine, run, shows("a", "Needs you"))
    (first,) = slot_of(view, "a").approvals
    assert json.loads(first.action) == {"tool": "Bash", "input": {"command": "git push"}}
    assert (first.tool, first.where, first.choices) == (
        "Bash",
        str(tmp_path),
        ("Deny", "Allow once", ALLOW_FOR_RUN),
    )
    assert await engine.answer(run, first.request_id, ALLOW_FOR_RUN) is None
    view = await until(
        engine, run, lambda v: [one.exact for one in slot_of(v, "a").approvals] not in ([], [first.exact])
    )
    (other,) = slot_of(view, "a").approvals
    assert "git push -f" in other.action
    assert await engine.answer(run, other.request_id, "Deny") is None
    await until(engine, run, lambda v: not slot_of(v, "a").approvals)
    assert await engine.say(run, A, "Enough.") is None
    view = await ended(engine, run)
    assert json.loads((tmp_path / "given.json").read_text()) == ["allow", "allow", "deny", "Enough."]
    (said,) = attempt_of(view, "a").messages
    assert said.delivered is True
