"""One rule for every program: a session is kept once its model answered in it, or where it is the very one that was taken up (case 71)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.claude_stream import ClaudeStream
from quarterdeck.agents.codex import CodexStream
from quarterdeck.agents.launching import Ask
from quarterdeck.agents.opencode import OpenCodeStream
from quarterdeck.agents.registry import launch_of
from quarterdeck.domain.workflow import AgentSpec
from tests.agents.test_claude_stream import stdout_of

PROGRAMS = ("claude", "codex", "opencode", "acp")


def adapter_of(program: str, taken_up: str | None) -> Adapter:
    if program == "acp":
        return AcpAdapter({"prompt": "do it", "cwd": "/w", "session": taken_up})
    if program == "claude":
        return ClaudeStream({"session": taken_up or "s", "is_resumed": taken_up is not None})
    return {"codex": CodexStream, "opencode": OpenCodeStream}[program]({"session": taken_up})


def opening(program: str, *, session: str = "s") -> list[dict[str, Any]]:
    """What it prints before its model was asked."""
    can = {"loadSession": False, "sessionCapabilities": {"resume": {}}}
    return {
        "claude": [{"type": "system", "subtype": "init", "session_id": session}],
        "codex": [{"type": "thread.started", "thread_id": session}, {"type": "turn.started"}],
        "opencode": [{"type": "text", "sessionID": session, "part": {}}],
        "acp": [
            {"id": 0, "result": {"protocolVersion": 1, "agentCapabilities": can}},
            {"id": 1, "result": {"sessionId": session}},
        ],
    }[program]


def answering(program: str) -> dict[str, Any]:
    """The first that its model says."""
    words = {
        "sessionUpdate": "agent_message_chunk",
        "messageId": "m",
        "content": {"type": "text", "text": "Yes."},
    }
    return {
        "claude": {"type": "stream_event", "session_id": "s", "event": {"type": "content_block_stop"}},
        "codex": {"type": "item.completed", "item": {"type": "agent_message", "text": "Yes."}},
        "opencode": {"type": "step_start", "sessionID": "s", "part": {}},
        "acp": {"method": "session/update", "params": {"sessionId": "s", "update": words}},
    }[program]


def sessions(adapter: Adapter, *lines: dict[str, Any]) -> list[bool]:
    """What is said of the session, in order: whether it is kept."""
    adapter.begin()
    told = [report for line in lines for report in adapter.feed("stdout", json.dumps(line).encode() + b"\n")]
    return [report["resumable"] for report in told if report["kind"] == "session"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_session_is_kept_once_its_model_answers(program: str) -> None:
    answer = answering(program)
    assert sessions(adapter_of(program, None), *opening(program)) == [False]
    assert sessions(adapter_of(program, None), *opening(program), answer, answer) == [False, True]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_session_that_was_taken_up_is_kept_from_its_beginning(program: str) -> None:
    assert sessions(adapter_of(program, "s"), *opening(program), answering(program)) == [True]


@pytest.mark.parametrize("program", ["claude", "codex", "opencode"])
def test_another_session_than_the_one_that_was_to_be_taken_up_is_new(program: str) -> None:
    assert sessions(adapter_of(program, "old"), *opening(program)) == [False]


@pytest.mark.parametrize("scenario", ["nokey", "auth401", "auth403", "bad400", "quota", "over529"])
def test_claude_code_without_an_answer_has_kept_nothing(scenario: str) -> None:
    """Without a key it ends before it has written a file of the session that it named."""
    adapter = ClaudeStream({"session": "s", "is_resumed": False})
    told = [*adapter.feed("stdout", stdout_of(scenario)), *adapter.finish()]
    assert {report["resumable"] for report in told if report["kind"] == "session"} == {False}


@pytest.mark.parametrize("kind", ["codex", "opencode"])
@pytest.mark.parametrize("session", [None, "old"])
def test_a_launch_tells_its_adapter_which_session_is_taken_up(kind: str, session: str | None) -> None:
    spec = AgentSpec("writer", kind=kind, permissions="full")
    launch = launch_of(Ask(spec, (f"/bin/{kind}",), f"/bin/{kind}", "Do it.", "/home/ada", session, "new"))
    assert launch.wire["session"] == session


def test_an_answer_that_was_cut_off_has_kept_nothing() -> None:
    """The same whether its first words came through or not: a connection that is lost decides nothing."""
    cut = {"type": "stream_event", "session_id": "s", "event": {"type": "message_start"}}
    words = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Y"}}
    adapter = adapter_of("claude", None)
    assert sessions(adapter, *opening("claude"), cut, {**cut, "event": words}) == [False]
