"""Claude Code's wire, held against what two of its versions printed (tests/agents/recorded) and what their service charged."""

from __future__ import annotations

import json
import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.agents.adapter import LINE_BYTES_MAX
from quarterdeck.agents.claude_stream import ClaudeStream
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch
from quarterdeck.agents.registry import adapter_for, launch_of, program_name, wants_words
from quarterdeck.agents.sign_ins import credential_variable
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.workflow import AgentSpec

RECORDED = Path(__file__).with_name("recorded")
VERSION, NEWER = "2.1.197", "2.1.332"
NAMES = sorted(path.stem for path in (RECORDED / f"claude-{VERSION}").glob("*.jsonl"))
BOTH = [(version, name) for version in (VERSION, NEWER) for name in NAMES]
WIRE = {"prompt": "do the task", "session": "s", "cwd": "/folder", "is_resumed": False}
STANDING = {
    "auth401": ("auth", "strong", 401),
    "auth401raw": ("auth", "strong", 401),
    "auth401mid": ("auth", "strong", 401),
    "auth403": ("other", "medium", 403),
    "nokey": ("auth", "strong", None),
    "rate429": ("rate_limit", "strong", 429),
    "rate429ra": ("rate_limit", "strong", 429),
    "over529": ("overloaded", "strong", 529),
    "error500": ("overloaded", "strong", 500),
    "drop": ("overloaded", "strong", None),
    "quota": ("usage_limit", "strong", 400),
    "bad400": ("invalid", "strong", 400),
    "nomodel404": ("invalid", "strong", 404),
    "unknown": ("invalid", "strong", None),
}
"""{recording: class, strength and status of the error that stands at its end}; the others end well."""


def stdout_of(name: str, version: str = VERSION) -> bytes:
    return (RECORDED / f"claude-{version}" / f"{name}.jsonl").read_bytes()


def books_of(name: str, version: str = VERSION) -> dict[str, Any]:
    books: dict[str, Any] = json.loads((RECORDED / f"claude-{version}" / f"{name}.books.json").read_text())
    return books


def told(stdout: bytes, *, size: int = 0, answer: str = "Allow once") -> list[dict[str, Any]]:
    """The reports of an attempt that printed this, in chunks of that size, or of a line; what is asked is answered at once."""
    adapter = ClaudeStream(WIRE)
    found = []
    chunks = (
        [stdout[at : at + size] for at in range(0, len(stdout), size)]
        if size
        else stdout.splitlines(keepends=True)
    )
    for chunk in chunks:
        for report in adapter.feed("stdout", chunk):
            found.append(report)
            if report["kind"] == "approval":
                assert adapter.answer(report["id"], answer)
    return [*found, *adapter.finish()]


def folded(reports: list[dict[str, Any]]) -> AttemptFold:
    fold = AttemptFold(reports_cost=True)
    every = [{"kind": "started"}, *reports, {"kind": "exit", "code": 0, "after_ending": False}]
    for seq, report in enumerate(every, 1):
        fold.apply({"seq": seq, **report})
    return fold


def lines(*objects: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(one).encode() + b"\n" for one in objects)


# ------------------------------------------------------------------------------------------- recordings


@pytest.mark.parametrize(("version", "name"), [one for one in BOTH if one != (NEWER, "drop")])
def test_totals_equal_the_books_of_the_service_to_the_last_digit(version: str, name: str) -> None:
    """Cases 83, 85: messages are told in several lines, a resumed session adds up; cache tokens are counted."""
    totals, books = folded(told(stdout_of(name, version))).totals(), books_of(name, version)
    assert totals.cost_usd == Decimal(books["cost_usd"])
    assert totals.cost_is_complete
    kinds = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    assert [getattr(totals.tokens, kind) for kind in kinds] == [books[kind] for kind in kinds]


def test_what_the_program_itself_charges_for_a_cut_message_is_what_it_says() -> None:
    """The newer version counts the beginning of a message that was cut; what a service charges for one is not known."""
    totals = folded(told(stdout_of("drop", NEWER))).totals()
    assert (totals.cost_usd, totals.tokens.output_tokens) == (Decimal("0.00389085"), 1)


@pytest.mark.parametrize(("version", "name"), BOTH)
def test_what_stands_at_the_end_is_what_the_program_said_of_itself(version: str, name: str) -> None:
    """Cases 74, 82: its failures say `success` beside `is_error`."""
    fold = folded(told(stdout_of(name, version)))
    error = fold.standing_error
    found = None if error is None else (error["class"], error["strength"], error.get("status"))
    assert found == STANDING.get(name)
    assert fold.has_output == (name not in STANDING)


@pytest.mark.parametrize(("version", "name"), BOTH)
def test_where_chunks_end_changes_nothing(version: str, name: str) -> None:
    stdout = stdout_of(name, version)
    assert told(stdout, size=random.Random(name).randint(1, 300)) == told(stdout)


def test_a_dead_sign_in_is_told_with_its_first_failed_call_and_not_after_the_last() -> None:
    adapter = ClaudeStream(WIRE)
    before_result = stdout_of("auth401").partition(b'{"type":"assistant"')[0]
    errors = [report for report in adapter.feed("stdout", before_result) if report["kind"] == "error"]
    assert [(e["class"], e["strength"], e["status"], e["passing"]) for e in errors] == [
        ("auth", "strong", 401, True)
    ]
    assert not adapter.is_over


def test_an_error_that_passed_does_not_stand_and_says_when_it_tries_again() -> None:
    reports = told(stdout_of("rate429-then-plain"))
    retry = next(report for report in reports if report["kind"] == "error")
    assert (retry["class"], retry["passing"]) == ("rate_limit", True)
    assert 0 < retry["retry_after_s"] < 60
    assert folded(reports).standing_error is None
    after_s = [r["retry_after_s"] for r in told(stdout_of("rate429ra")) if r.get("passing")]
    assert after_s == [2.0]


@pytest.mark.parametrize("name", ["quoting", "quotingtool"])
def test_perfect_errors_in_what_a_model_or_a_tool_says_are_words(name: str) -> None:
    """Case 79, AUT6."""
    assert b"authentication_failed" in stdout_of(name)
    assert not [report for report in told(stdout_of(name)) if report["kind"] == "error"]


def test_calls_are_effects_with_start_and_end_and_written_files_are_artifacts() -> None:
    """EFF1, EFF2."""
    fold = folded(told(stdout_of("tool")))
    (effect,) = fold.effects.values()
    assert (effect.state, effect.type) == (EffectState.CONFIRMED, "Bash")
    assert effect.target == "echo ran >> ran.log; echo tool-output-42"
    (artifact,) = [r for r in told(stdout_of("write")) if r["kind"] == "artifact"]
    assert artifact == {"kind": "artifact", "name": "made.txt", "source": {"path": "/folder/made.txt"}}
    (denied,) = folded(told(stdout_of("denied"), answer="Deny")).effects.values()
    assert denied.state is EffectState.REFUSED


def test_a_call_in_flight_is_unknown_and_one_that_still_asked_for_leave_was_not_begun() -> None:
    """EFF2: the stream ends in the middle of the call, as at a kill."""
    cut = stdout_of("tool").partition(b'{"type":"user"')[0]
    (effect,) = folded(told(cut)).effects.values()
    assert effect.state is EffectState.SENT
    adapter = ClaudeStream(WIRE)
    unanswered = [*adapter.feed("stdout", cut), *adapter.finish()]
    assert folded(unanswered).effects.values().__iter__().__next__().state is EffectState.REFUSED
    assert folded(unanswered).totals().tokens.output_tokens == 66


@pytest.mark.parametrize("is_error", [True, False])
def test_a_call_that_ends_while_its_program_is_being_ended_stays_open(is_error: bool) -> None:
    """EFF2, ruling 13: "Exit code 137" is our own kill; nobody may read it as an answer."""
    cut = stdout_of("tool").partition(b'{"type":"user"')[0]
    adapter = ClaudeStream(WIRE)
    found = list(adapter.feed("stdout", cut))
    (asked,) = [report for report in found if report["kind"] == "approval"]
    assert adapter.answer(asked["id"], "Allow once")
    (call,) = [report for report in found if report["kind"] == "effect"]
    assert adapter.cancel() == b""
    block = {
        "type": "tool_result",
        "tool_use_id": call["id"],
        "is_error": is_error,
        "content": "Exit code 137",
    }
    found += adapter.feed("stdout", lines({"type": "user", "message": {"content": [block]}}))
    (effect,) = folded([*found, *adapter.finish()]).effects.values()
    assert effect.state is EffectState.SENT


def test_a_call_that_waited_for_leave_when_its_program_was_ended_was_not_begun() -> None:
    """EFF2: also where the program still says that it ended with an error."""
    cut = stdout_of("tool").partition(b'{"type":"user"')[0]
    adapter = ClaudeStream(WIRE)
    found = list(adapter.feed("stdout", cut))
    (call,) = [report for report in found if report["kind"] == "effect"]
    adapter.cancel()
    block = {"type": "tool_result", "tool_use_id": call["id"], "is_error": True, "content": "interrupted"}
    found += adapter.feed("stdout", lines({"type": "user", "message": {"content": [block]}}))
    (effect,) = folded([*found, *adapter.finish()]).effects.values()
    assert effect.state is EffectState.REFUSED


def test_its_session_is_told_with_the_version_that_made_it_and_as_kept_once_its_model_answers() -> None:
    sessions = [report for report in told(stdout_of("tool")) if report["kind"] == "session"]
    assert [(one["resumable"], one["messages"], one["version"]) for one in sessions] == [
        (False, True, "2.1.197"),
        (True, True, "2.1.197"),
    ]
    assert not [report for report in told(stdout_of("unknown")) if report["kind"] == "session"]


# ------------------------------------------------------------------------------------------- both ways


def test_the_prompt_comes_first_and_messages_are_taken_until_the_result() -> None:
    adapter = ClaudeStream(WIRE)
    assert json.loads(adapter.begin())["message"]["content"] == [{"type": "text", "text": "do the task"}]
    assert json.loads(adapter.say("and this") or b"")["message"]["content"][0]["text"] == "and this"
    list(adapter.feed("stdout", stdout_of("plain")))
    assert adapter.is_over
    assert adapter.say("too late") is None


def test_what_it_was_told_before_its_result_is_worked_on_and_it_is_over_after_that() -> None:
    adapter = ClaudeStream(WIRE)
    first, second = stdout_of("plain"), stdout_of("plain").replace(b"msg_scripted", b"msg_again")
    list(adapter.feed("stdout", first))
    assert adapter.is_over
    list(adapter.feed("stdout", second[: second.index(b"\n") + 1]))
    assert not adapter.is_over
    list(adapter.feed("stdout", second[second.index(b"\n") + 1 :]))
    assert adapter.is_over


def test_a_request_for_leave_shows_every_field_and_its_answer_goes_back_with_the_same_bytes() -> None:
    given = {"command": "rm -r build", "timeout": 5, "description": "Clean"}
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": given, "tool_use_id": "t1"}
    adapter = ClaudeStream(WIRE)
    stdout = lines(
        {"type": "assistant", "message": {"id": "m", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": given}]}},
        {"type": "control_request", "request_id": "r1", "request": asked},
        {"type": "control_request", "request_id": "r2", "request": {**asked, "tool_use_id": "t2"}},
    )  # fmt: skip
    approvals = [report for report in adapter.feed("stdout", stdout) if report["kind"] == "approval"]
    assert approvals[0]["question"] == "Bash: rm -r build\ntimeout: 5\ndescription: Clean"
    assert json.loads(approvals[0]["action"]) == {"tool": "Bash", "input": given}
    assert (approvals[0]["options"], approvals[0]["where"]) == (["Deny", "Allow once"], "/folder")
    assert [one["effect"] for one in approvals] == ["t1", ""], (
        "the call that waits for leave, where it is known"
    )
    reply = json.loads(adapter.answer("r1", "Allow once") or b"")["response"]
    assert reply == {
        "subtype": "success",
        "request_id": "r1",
        "response": {"behavior": "allow", "updatedInput": given},
    }
    assert json.loads(adapter.answer("r2", "Deny") or b"")["response"]["response"]["behavior"] == "deny"
    assert adapter.answer("r1", "Allow once") is None, "single use"
    assert adapter.answer("nobody", "Allow once") is None


@pytest.mark.parametrize("answer", ["", "yes", "deny", None, 1, {"allow": True}])
def test_whatever_is_no_leave_is_a_denial(answer: object) -> None:
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "x"}}
    adapter = ClaudeStream(WIRE)
    list(adapter.feed("stdout", lines({"type": "control_request", "request_id": "r", "request": asked})))
    assert json.loads(adapter.answer("r", answer) or b"")["response"]["response"]["behavior"] == "deny"


def test_a_question_of_its_own_has_its_own_options() -> None:
    question = {
        "question": "Which one?",
        "options": [{"label": "Red", "description": "warm"}, {"label": "Blue"}],
    }
    asked = {"subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": {"questions": [question]}}
    adapter = ClaudeStream(WIRE)
    (approval,) = adapter.feed(
        "stdout", lines({"type": "control_request", "request_id": "r", "request": asked})
    )
    assert (approval["question"], approval["options"]) == ("Which one?\nRed: warm", ["Red", "Blue"])
    told_back = json.loads(adapter.answer("r", "Blue") or b"")["response"]["response"]
    assert told_back["updatedInput"]["answers"] == {"Which one?": "Blue"}


def test_a_withdrawn_question_is_closed_and_requests_that_we_do_not_know_are_refused_at_once() -> None:
    adapter = ClaudeStream(WIRE)
    asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {}}
    list(adapter.feed("stdout", lines({"type": "control_request", "request_id": "r", "request": asked})))
    (closed,) = adapter.feed("stdout", lines({"type": "control_cancel_request", "request_id": "r"}))
    assert (closed["kind"], closed["id"], closed["delivered"]) == ("approval_answered", "r", False)
    assert adapter.answer("r", "Allow once") is None
    list(
        adapter.feed(
            "stdout",
            lines({"type": "control_request", "request_id": "h", "request": {"subtype": "hook_callback"}}),
        )
    )
    assert json.loads(adapter.take_input())["response"]["subtype"] == "error"
    assert adapter.take_input() == b""


# ------------------------------------------------------------------------------------------- odd lines


def test_unknown_and_broken_lines_change_nothing() -> None:
    odd = lines(
        {"type": "novelty", "is_error": True}, {"type": "system"}, {"type": "assistant"}, {"type": "user", "message": {"content": "x"}},
        {"type": "stream_event", "event": {"type": "message_delta"}}, {"type": "stream_event", "event": 5},
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": 5, "name": None}, 7]}},
        {"type": "control_request", "request": {}}, {"type": "rate_limit_event"}, {"type": None}, {},
    )  # fmt: skip
    stdout = odd + b"plain words\n{broken\n" + stdout_of("tool")
    assert told(stdout) == told(stdout_of("tool"))


def test_a_limit_of_a_subscription_has_its_reset_time() -> None:
    """Case 80."""
    failed = {"type": "assistant", "error": "rate_limit", "message": {"model": "<synthetic>", "content": []}}
    result = {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": 429,
        "result": "limit",
        "num_turns": 1,
    }
    limit = {"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 1_800_000_000}}
    error = next(r for r in told(lines(limit, failed, result)) if r["kind"] == "error")
    assert (error["class"], error["resets_at"]) == ("usage_limit", 1_800_000_000)


def test_a_result_that_cannot_be_read_whole_is_a_lost_output_and_no_success() -> None:
    stdout = b'{"type":"result","result":"' + b"x" * LINE_BYTES_MAX + b'"}\n'
    reports = told(stdout)
    assert [report["kind"] for report in reports] == ["over_long", "output"]
    assert reports[1]["problem"]


def test_a_version_that_counts_over_resumes_tells_the_difference_and_that_is_counted() -> None:
    """As 2.1.332 says it on a resume: `modelUsage` of the session, and what came since beside it."""

    def used(tokens: int, cost: float) -> dict[str, Any]:
        return {"claude-x-1-20260101": {"inputTokens": tokens, "outputTokens": 1, "costUSD": cost}}

    def result(**fields: Any) -> dict[str, Any]:
        return {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": "ok",
            "num_turns": 1,
            **fields,
        }

    stdout = lines(
        result(
            modelUsage=used(3000, 0.018),
            model_usage_since_last_result=used(1000, 0.1 + 0.2),
            total_cost_usd=9,
        ),
        result(
            modelUsage=used(3500, 0.021), model_usage_since_last_result=used(500, 0.003), total_cost_usd=9
        ),
    )
    totals = folded(told(stdout)).totals()
    assert (totals.cost_usd, totals.tokens.input_tokens) == (Decimal("0.303"), 1500)
    assert [spend.model for spend in totals.by_model] == ["claude-x-1"]


def test_a_resume_that_made_no_call_costs_nothing_though_its_session_did() -> None:
    """Case 83, as 2.1.332 says it where the sign-in is dead at once."""
    line = {
        "type": "result",
        "subtype": "success",
        "is_error": True,
        "api_error_status": 401,
        "num_turns": 1,
        "modelUsage": {},
    }
    stdout = lines({**line, "total_cost_usd": 0.5, "model_usage_since_last_result": {}})
    totals = folded(told(stdout)).totals()
    assert (totals.cost_usd, totals.cost_is_complete) == (Decimal(0), True)


# ------------------------------------------------------------------------------------------- the launch


def launched(**fields: Any) -> Launch:
    asked = {name: fields.pop(name) for name in ("session", "argv", "prompt") if name in fields}
    spec = AgentSpec("writer", "claude-code", **fields)
    return launch_of(Ask(spec, program="/bin/claude", cwd="/w", new_session="new", **asked))


def test_its_session_is_fixed_at_the_launch_and_a_resume_names_exactly_that_one() -> None:
    argv = launched(model="sonnet").argv
    assert argv[argv.index("--session-id") + 1] == "new"
    assert argv[argv.index("--model") + 1] == "sonnet"
    again = launched(session="old").argv
    assert again[again.index("--resume") + 1] == "old"
    assert "--session-id" not in again
    assert not {"--continue", "-c"} & set(again)


def test_the_prompt_stands_in_no_argv_and_nothing_is_allowed_that_was_not_said() -> None:
    ready = launched(prompt="-- secret plan")
    assert not any("secret plan" in word for word in ready.argv)
    assert ready.wire["prompt"] == "-- secret plan"
    assert ready.argv[ready.argv.index("--permission-mode") + 1] == "default"
    assert "--permission-prompt-tool" in ready.argv
    assert "--dangerously-skip-permissions" not in ready.argv
    assert (ready.protocol, ready.stdin) == ("claude", "open")


def test_telemetry_and_updates_are_off_and_a_specification_may_say_otherwise() -> None:
    assert {"DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "DISABLE_ERROR_REPORTING"} <= set(launched().env)
    assert (credential_variable("claude-code"), wants_words("claude-code")) == ("ANTHROPIC_API_KEY", True)
    assert program_name(AgentSpec("a", "claude-code")) == "claude"
    assert program_name(AgentSpec("a", "claude-code", argv=("/opt/claude",))) == "/opt/claude"
    assert launched(argv=("/bin/claude", "--add-dir", "/x")).argv[:3] == ("/bin/claude", "--add-dir", "/x")


def test_permissions_that_it_does_not_know_are_refused_in_words() -> None:
    with pytest.raises(CannotLaunch, match="it knows “ask”"):
        launched(permissions="yolo")
    assert isinstance(adapter_for("claude-code", "claude", WIRE), ClaudeStream)


# ------------------------------------------------------------------------------------------- hostile lines

ODD = [None, True, 0, -1, 1e300, "", "\0", "x" * 600, [], [None], {}, {"a": []}, "\ud800"]


def spoiled(value: Any, chance: random.Random) -> Any:
    """The value with one part of it replaced by something else."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(sorted(value))
        return {**value, key: spoiled(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        return [*value[:at], spoiled(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


@pytest.mark.sweep
def test_lines_with_wrong_types_never_raise_and_reports_stay_sane(sweep: int) -> None:
    whole = [json.loads(line) for name in NAMES for line in stdout_of(name).splitlines()]
    for seed in range(300 * sweep):
        chance = random.Random(seed)
        lot = [spoiled(line, chance) if chance.random() < 0.5 else line for line in chance.sample(whole, 40)]
        reports = told(lines(*(one for one in lot if isinstance(one, dict))))
        folded(reports).totals()
        for report in reports:
            said = {name: value for name, value in report.items() if name not in ("value", "source")}
            json.dumps(said, ensure_ascii=False).encode()
            assert len(str(report.get("id", ""))) <= 500
            if report["kind"] == "usage":
                assert all(report[kind] >= 0 for kind in ("input_tokens", "output_tokens"))


def test_an_error_that_names_another_session_is_nobodys() -> None:
    """AUT6: as a tool prints the log of another talk onto the program's own stream. What comes before a session began is its own."""
    foreign = stdout_of("auth401").replace(b'"session_id":"', b'"session_id":"other-')
    told_so = b"".join(
        line + b"\n" for line in foreign.splitlines() if b'"error' in line or b'"is_error":true' in line
    )
    begun, rest = stdout_of("plain").split(b"\n", 1)
    assert told(begun + b"\n" + told_so + rest) == told(stdout_of("plain"))
    assert [one for one in told(told_so) if one["kind"] == "error"]
