"""The adapter for the Agent Client Protocol against a scripted agent on the protocol's own SDK: what is told, and what is sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.domain.open_questions import exact_of
from quarterdeck.domain.reports import Report
from quarterdeck.domain.reports_fold import AttemptFold, baseline_of
from tests.agents.acp_played import answering, opened, play, saying, spent

SESSION = "scripted-"


# ------------------------------------------------------------------------------------------- sessions


async def test_a_plain_prompt_gives_session_turn_usage_and_output(tmp_path: Path) -> None:
    played = await play("plain", tmp_path)

    assert played.output == "Hello from the script."
    assert [report["kind"] for report in played.reports[:3]] == ["session", "session", "turn"]
    assert played.asked("initialize") == [{"what": "initialize", "version": 1, "client": "quarterdeck"}]
    assert played.asked("new") == [{"what": "new", "cwd": str(tmp_path), "servers": [], "whole": []}]
    assert [one["text"] for one in played.asked("prompt")] == ["do it"]
    assert {one["version"] for one in played.of_kind("session")} == {"1"}
    assert played.adapter.is_over
    assert played.adapter.tail() == "Hello from the script."


async def test_a_session_is_resumable_only_once_the_agent_answers_in_it(tmp_path: Path) -> None:
    """case 71: an id that was handed out may never be kept."""
    answered, refused = await play("plain", tmp_path), await play("auth401", tmp_path)

    assert [one["resumable"] for one in answered.of_kind("session")] == [False, True]
    assert [one["resumable"] for one in refused.of_kind("session")] == [False]


async def test_a_session_of_an_agent_that_keeps_none_is_never_resumable(tmp_path: Path) -> None:
    played = await play("plain", tmp_path, "--forgets")

    assert [one["resumable"] for one in played.of_kind("session")] == [False]


@pytest.mark.parametrize(
    ("switches", "way"),
    [((), "resume"), (("--no-resume",), "load"), (("--no-resume", "--says-resume"), "load")],
)
async def test_exactly_the_named_session_is_continued(
    tmp_path: Path, switches: tuple[str, ...], way: str
) -> None:
    """case 73: never the latest of the folder."""
    first = await play("plain", tmp_path)
    await play("plain", tmp_path)
    session = first.of_kind("session")[0]["id"]

    again = await play("plain", tmp_path, *switches, session=session)

    assert again.asked(way) == [{"what": way, "session": session}]
    assert again.asked("prompt")[-1]["session"] == session
    assert [(one["id"], one["resumable"]) for one in again.of_kind("session")] == [(session, True)]
    assert len(again.asked("new")) == 2


@pytest.mark.parametrize("switches", [("--no-resume",), ("--no-resume", "--late-history")])
async def test_a_history_that_is_told_again_counts_nothing(tmp_path: Path, switches: tuple[str, ...]) -> None:
    """Also where it is told after the session was said to be loaded, as Gemini does: setting the mode waits for its end."""
    first = await play("plain", tmp_path)

    again = await play("plain", tmp_path, *switches, session=first.of_kind("session")[0]["id"])

    assert again.output == "Hello from the script."
    assert again.effects() == []
    assert len(again.of_kind("turn")) == 1
    assert again.asked("mode") == [{"what": "mode", "mode": "auto"}]


@pytest.mark.parametrize("switches", [(), ("--no-resume",), ("--no-resume", "--loads-anything")])
async def test_an_unknown_session_is_an_error_and_no_other_session(
    tmp_path: Path, switches: tuple[str, ...]
) -> None:
    """Also where the agent makes an empty one of it, as Qwen does: a session that is loaded tells its history."""
    played = await play("plain", tmp_path, *switches, session="scripted-unknown")

    assert played.error["class"] == "invalid"
    assert "scripted-unknown cannot be continued" in played.error["message"]
    assert played.asked("prompt") == played.asked("new") == []


async def test_an_agent_that_continues_no_session_is_not_asked_to(tmp_path: Path) -> None:
    played = await play("plain", tmp_path, "--forgets", session="scripted-1")

    assert played.error["class"] == "invalid"
    assert played.asked("load") == played.asked("resume") == played.asked("new") == []


async def test_mode_and_model_are_set_before_the_prompt(tmp_path: Path) -> None:
    played = await play("plain", tmp_path, mode="default", model="scripted-2")

    assert [one["what"] for one in played.told] == ["initialize", "new", "option", "mode", "prompt"]
    assert played.asked("option") == [{"what": "option", "option": "model", "value": "scripted-2"}]
    assert played.asked("mode") == [{"what": "mode", "mode": "default"}]


@pytest.mark.parametrize("wish", [{"mode": "sudo"}, {"model": "other"}])
async def test_what_the_agent_does_not_offer_is_never_replaced_by_something_else(
    tmp_path: Path, wish: dict[str, str]
) -> None:
    played = await play("plain", tmp_path, **wish)

    ((what, value),) = wish.items()
    assert played.error["class"] == "invalid"
    assert f"no {what} “{value}”" in played.error["message"]
    assert played.asked("prompt") == []


async def test_another_version_of_the_protocol_is_refused_in_words(tmp_path: Path) -> None:
    played = await play("other_version", tmp_path)

    assert "version 9" in played.error["message"]
    assert played.asked("new") == []


async def test_mcp_servers_are_handed_over_as_the_protocol_spells_them(tmp_path: Path) -> None:
    servers = {"notes": {"command": "notes-server", "args": ["--now"], "env": {"A": "1"}}}
    played = await play("plain", tmp_path, mcp_servers=servers)

    assert played.asked("new")[0]["servers"] == ["notes"]


async def test_a_server_that_the_agent_cannot_reach_is_said_and_nothing_is_begun(tmp_path: Path) -> None:
    played = await play(
        "plain", tmp_path, mcp_servers={"far": {"type": "http", "url": "http://127.0.0.1:1/"}}
    )

    assert "“far”" in played.error["message"]
    assert played.asked("new") == []


async def test_an_agent_that_wants_to_be_signed_in_is_not_told_how(tmp_path: Path) -> None:
    """What it makes of a key then may be a file of its own, over the person's login."""
    played = await play("wants_sign_in", tmp_path)

    assert played.asked("authenticate") == []
    assert (played.error["class"], played.error["strength"]) == ("auth", "strong")


# ------------------------------------------------------------------------------------------- tools and questions


async def test_a_tool_call_is_an_effect_with_start_and_end(tmp_path: Path) -> None:
    """EFF1, EFF2."""
    played = await play("tool", tmp_path)

    assert played.effects() == [("call-1", "intended"), ("call-1", "sent"), ("call-1", "confirmed")]
    assert played.of_kind("effect")[0]["target"] == "echo ran >> ran.log"
    assert played.output == "All done."
    assert len(played.of_kind("turn")) == 2


async def test_a_call_that_only_looks_is_no_effect(tmp_path: Path) -> None:
    assert (await play("read", tmp_path)).effects() == []


async def test_a_file_that_a_tool_wrote_is_an_artifact(tmp_path: Path) -> None:
    played = await play("write", tmp_path)

    (artifact,) = played.of_kind("artifact")
    assert (artifact["name"], artifact["source"]) == ("made.txt", {"path": str(tmp_path / "made.txt")})
    assert played.output == {"wrote": "made.txt"}


async def test_allowed_once_the_tool_runs_and_the_answer_is_written_before_the_agent_hears_it(
    tmp_path: Path,
) -> None:
    played = await play("tool", tmp_path, mode="default", person=answering("Allow once"))

    assert played.effects() == [("call-1", "intended"), ("call-1", "sent"), ("call-1", "confirmed")]
    assert played.asked("answer") == [{"what": "answer", "outcome": "selected", "option": "once"}]
    (question,) = played.of_kind("approval")
    assert question["options"] == ["Deny", "Allow once"]
    assert json.loads(question["action"])["input"] == {"command": "echo ran >> ran.log"}
    assert (question["tool"], question["where"], question["effect"]) == ("execute", str(tmp_path), "call-1")
    assert "echo ran >> ran.log" in question["question"]
    assert (tmp_path / "ran.log").read_text() == "ran\n"


@pytest.mark.parametrize("answer", ["Deny", "no", "what is no choice", None, 7])
async def test_denied_the_tool_does_not_run(tmp_path: Path, answer: object) -> None:
    """What is none of the choices is a denial."""
    played = await play("tool", tmp_path, mode="default", person=answering(answer))

    assert played.effects() == [("call-1", "intended"), ("call-1", "refused")]
    assert played.asked("answer") == [{"what": "answer", "outcome": "selected", "option": "no"}]
    assert not (tmp_path / "ran.log").exists()
    assert played.output == "All done."


@pytest.mark.parametrize("answer", ["Always allow", "always", "allow_always"])
async def test_a_lasting_permission_of_the_agents_own_cannot_be_given(tmp_path: Path, answer: str) -> None:
    played = await play("tool", tmp_path, mode="default", person=answering(answer))

    assert played.asked("answer") == [{"what": "answer", "outcome": "selected", "option": "no"}]


def _asked_for(content: str) -> Report:
    """The question of an agent that wants to write this."""
    call = {
        "toolCallId": "call-1",
        "title": "Write made.txt",
        "kind": "edit",
        "rawInput": {"content": content},
    }
    options = [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    params = {"sessionId": "s", "toolCall": call, "options": options}
    line = json.dumps({"jsonrpc": "2.0", "id": 7, "method": "session/request_permission", "params": params})
    told = opened().feed("stdout", line.encode() + b"\n")
    (question,) = [report for report in told if report["kind"] == "approval"]
    return question


def test_a_question_of_any_usual_length_is_told_whole() -> None:
    """A file of 100 KB: a person can read to its last byte what would be done."""
    content = "a line\n" * 15_000 + "and rm -rf / behind it"
    question = _asked_for(content)
    assert json.loads(question["action"])["input"] == {"content": content}
    assert "and rm -rf / behind it" in question["question"]
    assert "whole_chars" not in question


def test_a_question_that_is_cut_says_so_and_is_known_by_all_of_it() -> None:
    """What no person can read whole is allowed once at most."""
    one, other = _asked_for("x" * 1_000_000 + "1"), _asked_for("x" * 1_000_000 + "2")
    assert one["whole_chars"] > 1_000_000
    assert one["question"].endswith("…")
    assert one["action"].endswith("…")
    assert (one["question"], one["action"]) == (other["question"], other["action"])
    assert exact_of(one) != exact_of(other)


async def test_an_answer_is_used_once_and_the_same_request_asks_the_same_words(tmp_path: Path) -> None:
    answers: list[tuple[bytes | None, bytes | None]] = []

    def person(adapter: AcpAdapter, report: Report) -> bytes | None:
        if report["kind"] != "approval":
            return None
        first = adapter.answer(report["id"], "Allow once")
        answers.append((first, adapter.answer(report["id"], "Allow once")))
        return first

    played = await play("ask_twice", tmp_path, mode="default", person=person)

    assert [(first is not None, second) for first, second in answers] == [(True, None), (True, None)]
    first, second = played.of_kind("approval")
    assert first["id"] != second["id"]
    assert first["question"] == second["question"]
    assert first["action"] == second["action"]


async def test_cancelling_answers_open_questions_and_leaves_running_tools_unknown(tmp_path: Path) -> None:
    """What is stopped in the middle may have happened: the effect stays `sent`, whatever the program says of it."""

    def person(adapter: AcpAdapter, report: Report) -> bytes | None:
        return adapter.cancel() if report["kind"] == "effect" and report["state"] == "sent" else None

    played = await play("slowtool", tmp_path, person=person)

    assert [one["what"] for one in played.told][-2:] == ["sleeps", "cancel"]
    assert played.effects() == [("call-1", "sent")]
    assert played.of_kind("output") == played.of_kind("error") == []
    assert played.adapter.is_over

    asked = await play(
        "tool",
        tmp_path,
        mode="default",
        person=lambda adapter, report: adapter.cancel() if report["kind"] == "approval" else None,
    )
    assert asked.asked("answer")[-1]["outcome"] == "cancelled"
    assert asked.effects() == [("call-1", "intended"), ("call-1", "refused")]


# ------------------------------------------------------------------------------------------- messages, plan, figures


async def test_a_message_is_said_to_go_out_when_its_prompt_does(tmp_path: Path) -> None:
    """The prompt of the workflow is none; a message that waits when the turn fails never goes out."""
    counts: list[int] = []

    def person(adapter: AcpAdapter, report: Report) -> bytes | None:
        if report["kind"] == "turn":
            counts.append(adapter.take_said())
            return adapter.say("and this") if len(counts) == 1 else None
        return None

    played = await play("plain", tmp_path, person=person)

    assert counts == [0, 1]
    assert played.adapter.take_said() == 0

    failed = await play("refusal", tmp_path, person=saying("and this"))
    assert (failed.adapter.is_over, failed.adapter.take_said()) == (True, 0)


async def test_a_persons_message_is_the_next_prompt_of_the_same_session(tmp_path: Path) -> None:
    played = await play("plain", tmp_path, person=saying("and now this", "and that"))

    assert [one["text"] for one in played.asked("prompt")] == ["do it", "and now this", "and that"]
    assert len({one["session"] for one in played.asked("prompt")}) == 1
    assert len(played.of_kind("turn")) == 3
    assert played.output == "Hello from the script."
    assert played.adapter.say("too late") is None


async def test_no_text_of_a_person_or_a_workflow_is_a_command_of_the_program(tmp_path: Path) -> None:
    played = await play("plain", tmp_path, prompt="/memory clear", person=saying("  $rm -rf"))

    assert [one["text"] for one in played.asked("prompt")] == [
        "The task:\n/memory clear",
        "The task:\n  $rm -rf",
    ]


async def test_a_plan_is_progress(tmp_path: Path) -> None:
    (progress,) = (await play("plan", tmp_path)).of_kind("progress")

    assert progress == {"kind": "progress", "done": 1, "total": 3, "label": "Act"}


async def test_a_running_cost_is_counted_as_differences_over_prompts_and_over_a_resume(
    tmp_path: Path,
) -> None:
    """case 83: the session's total is 0.0061 after one prompt, 0.0122 after two, 0.0183 after the resumed third."""
    first = await play("plain", tmp_path, person=saying("again"))
    fold = AttemptFold(reports_cost=True)
    for seq, report in enumerate(first.reports, start=1):
        fold.apply({**report, "seq": seq})
    again = await play("plain", tmp_path, session=first.of_kind("session")[0]["id"])

    before, after = spent(first.reports), spent(again.reports, baseline_of([fold]))
    assert (before["cost_usd"], before["cost_is_complete"], before["turns"]) == ("0.0122", True, 2)
    assert (after["cost_usd"], after["cost_is_complete"], after["turns"]) == ("0.0061", True, 1)
    assert before["tokens"] == {
        "input_tokens": 2000,
        "output_tokens": 100,
        "cache_read_tokens": 600,
        "cache_write_tokens": 400,
    }


# ------------------------------------------------------------------------------------------- what goes wrong

FAILURES: dict[str, tuple[str, str, int | None]] = {
    "nokey": ("auth", "strong", None),
    "auth401": ("auth", "strong", None),
    "auth401mid": ("auth", "strong", 401),
    "auth403": ("other", "strong", 403),
    "bad400": ("invalid", "strong", 400),
    "rate429": ("rate_limit", "strong", None),
    "quota": ("usage_limit", "strong", None),
    "overload": ("overloaded", "strong", 529),
    "refusal": ("other", "strong", None),
    "max_tokens": ("other", "strong", None),
}


@pytest.mark.parametrize("scenario", FAILURES)
async def test_a_failed_request_is_an_error_of_its_class(tmp_path: Path, scenario: str) -> None:
    played = await play(scenario, tmp_path)

    error = played.error
    assert (error["class"], error["strength"], error["status"]) == FAILURES[scenario]
    assert error["message"]
    assert played.adapter.is_over
    assert played.of_kind("output") == []


async def test_when_to_try_again_is_told_where_the_program_tells_it(tmp_path: Path) -> None:
    assert (await play("rate429", tmp_path)).error["retry_after_s"] == 2
    assert (await play("quota", tmp_path)).error["resets_at"] == "2030-01-01T00:00:00Z"


async def test_errors_that_model_and_tools_quote_are_no_errors(tmp_path: Path) -> None:
    """AUT6, case 79."""
    played = await play("quoted", tmp_path)

    assert played.of_kind("error") == []
    assert played.output == "API Error: 401 invalid api key"


async def test_strange_messages_of_an_agent_are_survived(tmp_path: Path) -> None:
    played = await play("strange", tmp_path)

    assert played.output == "Strange, but done."
    assert played.asked("refused") == [{"what": "refused", "code": -32601}]
    assert ("never-announced", "confirmed") in played.effects()


async def test_a_line_of_ten_million_characters_passes(tmp_path: Path) -> None:
    """cases 97 and 98."""
    assert len((await play("long", tmp_path)).output) == 10_000_000


def test_an_agent_that_ends_before_it_answered_has_failed() -> None:
    """Whatever its exit code says."""
    adapter = AcpAdapter({"prompt": "do it"})
    adapter.begin()

    (error,) = adapter.finish()

    assert (error["kind"], error["class"]) == ("error", "other")
    assert not adapter.is_over, "its signal and the money of its turn are not known to be nothing"


@pytest.mark.parametrize(("message", "classes"), [("Aborted", []), ("401 Unauthorized", ["auth"])])
def test_what_an_agent_that_was_told_to_stop_says_of_that_is_no_error(
    message: str, classes: list[str]
) -> None:
    """Qwen answers a cancelled prompt with an error. A refused sign-in is one at any time."""
    adapter = opened()
    adapter.cancel()

    error = {"id": 2, "error": {"code": -32603, "message": message}}
    told = adapter.feed("stdout", json.dumps(error).encode() + b"\n")

    assert [report["class"] for report in told] == classes
    assert adapter.is_over


def test_an_agent_that_was_told_to_stop_may_end_without_an_answer() -> None:
    adapter = AcpAdapter({"prompt": "do it"})
    adapter.begin()
    assert adapter.cancel() == b""

    assert list(adapter.finish()) == []


def test_a_turn_that_no_whole_answer_of_the_model_ended_is_no_success() -> None:
    """Gemini ends so after a connection that broke again and again; what it said is repeated text."""
    adapter = opened()
    told = adapter.feed(
        "stdout",
        b'{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk",'
        b'"content":{"type":"text","text":"Hello Hello "}}}}\n{"id":2,"result":{"stopReason":"end_turn","_meta":'
        b'{"quota":{"token_count":{"input_tokens":0,"output_tokens":0},"model_usage":[]}}}}\n',
    )

    assert [report["kind"] for report in told] == ["turn", "error"]


def test_an_answer_that_is_too_long_to_be_read_is_not_waited_for() -> None:
    adapter = opened()

    told = adapter.feed("stdout", b'{"jsonrpc":"2.0","id":2,"result":{"x":"' + b"x" * (17 << 20) + b'"}}\n')

    assert [report["kind"] for report in told] == ["over_long", "error"]
    assert adapter.is_over


def _codex_says(text: str, **more: str) -> bytes:
    words = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}, **more}
    return json.dumps({"method": "session/update", "params": {"update": words}}).encode() + b"\n"


CODEX_AT_WORK = (
    b'{"method":"session/update","params":{"update":{"sessionUpdate":"session_info_update","_meta":{"codex":'
    b'{"threadStatus":{"type":"active","activeFlags":[]}}}}}}\n'
)
CODEX_NOTICE = (
    "Warning: Falling back from WebSockets to HTTPS transport. Connection refused (os error 111)\n\n"
)


def test_a_notice_of_codex_itself_is_no_word_of_its_model() -> None:
    """Ruling 27, case 71: it is no turn and no sign of life, so that the session is not taken for one that can be continued."""
    adapter = opened("loadSession")
    assert not list(adapter.feed("stdout", CODEX_AT_WORK + _codex_says(CODEX_NOTICE)))
    told = list(adapter.feed("stdout", _codex_says("Hi.", messageId="m-1")))
    assert [report["kind"] for report in told] == ["session", "turn"]
    assert CODEX_NOTICE.strip() in adapter.tail()


def test_a_notice_of_codex_before_it_says_anything_else_is_no_turn_either() -> None:
    """Of codex-acp 2.6.0, whose model it does not know: it is what it says in its first answer, not in this talk."""
    adapter = AcpAdapter({"prompt": "do it", "cwd": "/w"})
    adapter.begin()
    answer = {
        "protocolVersion": 1,
        "agentInfo": {"name": "@agentclientprotocol/codex-acp", "version": "2.6.0"},
    }
    opening = json.dumps({"id": 0, "result": answer}).encode() + b'\n{"id":1,"result":{"sessionId":"s"}}\n'
    list(adapter.feed("stdout", opening))
    assert not list(adapter.feed("stdout", _codex_says("Warning: Model metadata for `m` not found.\n\n")))
    told = list(adapter.feed("stdout", _codex_says("Hi.", messageId="m-1")))
    assert "turn" in [report["kind"] for report in told]


def test_a_notice_among_the_words_of_claude_is_no_turn() -> None:
    adapter = opened()
    said = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": "Switched to another model."},
        "_meta": {"claudeCode": {"kind": "informational"}},
    }
    line = json.dumps({"method": "session/update", "params": {"update": said}}).encode() + b"\n"
    assert not list(adapter.feed("stdout", line))


def test_the_words_of_a_part_of_an_old_talk_can_be_read_again() -> None:
    """As the engine does with the end of a transcript, of whatever session."""
    chunk = '{"method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"agent_message_chunk",%s}}}\n'
    lines = "".join(chunk % f'"content":{{"type":"text","text":"{word}"}}' for word in ("Old ", "words."))
    adapter = AcpAdapter({"prompt": "do it", "session": "s"})

    list(adapter.feed("stdout", f'{lines}{{"id":7,"result":{{"stopReason":"end_turn"}}}}\n'.encode()))

    assert adapter.tail() == "Old words."
