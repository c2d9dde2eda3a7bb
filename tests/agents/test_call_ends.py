"""What the end of a tool call is worth, in every adapter: one that a signal made, or that came with the end of its turn, is no answer
(EFF2). The lines are those that the programs printed when a tool, or Codex below codex-acp, was killed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.call_ends import BY_SIGNAL, WITH_ITS_TURN, is_of_signal
from quarterdeck.agents.claude_stream import ClaudeStream
from quarterdeck.agents.codex import CodexStream
from quarterdeck.agents.opencode import OpenCodeStream
from quarterdeck.domain.reports import Report

COMMAND = "echo started >> ran.log; sleep 300; echo finished >> ran.log"
Line = Mapping[str, Any]


def acp() -> Adapter:
    adapter = AcpAdapter({"prompt": "do it", "cwd": "/w"})
    adapter.begin()
    hear(adapter, {"id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}})
    hear(adapter, {"id": 1, "result": {"sessionId": "s"}})
    return adapter


def hear(adapter: Adapter, *lines: Line) -> list[Report]:
    return list(adapter.feed("stdout", b"".join(json.dumps(line).encode() + b"\n" for line in lines)))


def update(**fields: Any) -> Line:
    return {"method": "session/update", "params": {"sessionId": "s", "update": fields}}


def of_acp(**end: Any) -> tuple[Adapter, Line, Line]:
    begun = update(sessionUpdate="tool_call", toolCallId="c", kind="execute", title=COMMAND, status="in_progress", rawInput={"command": COMMAND})  # fmt: skip
    return acp(), begun, update(sessionUpdate="tool_call_update", toolCallId="c", **end)


def of_codex(code: int | None, status: str = "failed") -> tuple[Adapter, Line, Line]:
    item = {"id": "item_1", "type": "command_execution", "command": COMMAND}
    begun = {"type": "item.started", "item": {**item, "exit_code": None, "status": "in_progress"}}
    return CodexStream({}), begun, {"type": "item.completed", "item": {**item, "exit_code": code, "status": status}}  # fmt: skip


def of_opencode(code: int | None) -> tuple[Adapter, Line, Line]:
    state = {"status": "completed", "input": {"command": COMMAND}, "metadata": {"exit": code}}
    begun = {"type": "step_start", "sessionID": "s", "part": {}}
    return OpenCodeStream({}), begun, {"type": "tool_use", "sessionID": "s", "part": {"id": "c", "tool": "bash", "state": state}}  # fmt: skip


def of_claude(content: Any) -> tuple[Adapter, Line, Line]:
    call = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": COMMAND}}
    result = {"type": "tool_result", "tool_use_id": "c", "is_error": True, "content": content}
    begun = {"type": "assistant", "message": {"id": "m", "content": [call]}}
    return ClaudeStream({"cwd": "/w"}), begun, {"type": "user", "message": {"content": [result]}}


def terminal(code: int | None, signal: str | None = None) -> dict[str, Any]:
    return {"terminal_exit": {"exit_code": code, "signal": signal, "terminal_id": "c"}}


def told_by_qwen(signal: str) -> dict[str, Any]:
    text = f"Command: {COMMAND}\nOutput: (empty)\nError: (none)\nExit Code: 0\nSignal: {signal}\nProcess Group PGID: 7"
    return {
        "status": "completed",
        "content": [{"type": "content", "content": {"type": "text", "text": text}}],
    }


SIGNALLED: Mapping[str, Callable[[], tuple[Adapter, Line, Line]]] = {
    "codex-acp": lambda: of_acp(status="failed", _meta=terminal(137)),
    "codex-acp-signal": lambda: of_acp(status="failed", _meta=terminal(None, "SIGKILL")),
    "codex-acp-raw": lambda: of_acp(status="failed", rawOutput={"exit_code": 143}),
    "qwen": lambda: of_acp(**told_by_qwen("9")),
    "qwen-raw": lambda: of_acp(status="completed", rawOutput="Command terminated by signal: 9"),
    "codex": lambda: of_codex(137),
    "codex-below-0": lambda: of_codex(-9),
    "opencode": lambda: of_opencode(137),
    "claude": lambda: of_claude("Exit code 137\nKilled"),
    "claude-parts": lambda: of_claude([{"type": "text", "text": "Exit code 143"}]),
}
ANSWERED: Mapping[str, Callable[[], tuple[Adapter, Line, Line]]] = {
    "codex-acp": lambda: of_acp(status="failed", _meta=terminal(1)),
    "codex-acp-no-reader": lambda: of_acp(status="failed", _meta=terminal(141)),
    "acp-with-words": lambda: of_acp(
        status="failed", content=[{"type": "content", "content": {"type": "text", "text": "no such file"}}]
    ),
    "qwen": lambda: of_acp(**told_by_qwen("(none)")),
    "codex": lambda: of_codex(1),
    "opencode": lambda: of_opencode(1),
    "claude": lambda: of_claude("Exit code 1\nExit code 137"),
    "claude-words": lambda: of_claude("File does not exist."),
}


def last_of_call(told: list[Report]) -> tuple[str, str]:
    effects = [report for report in told if report["kind"] == "effect" and report["type"] != "step"]
    return effects[-1]["state"], effects[-1]["detail"]


@pytest.mark.parametrize("name", SIGNALLED)
def test_a_call_that_a_signal_ended_stays_open(name: str) -> None:
    adapter, begun, ended = SIGNALLED[name]()
    assert last_of_call(hear(adapter, begun, ended)) == ("sent", BY_SIGNAL)


@pytest.mark.parametrize("name", ANSWERED)
def test_a_call_that_ended_by_itself_has_answered_also_where_it_failed(name: str) -> None:
    adapter, begun, ended = ANSWERED[name]()
    assert last_of_call(hear(adapter, begun, ended))[0] == "confirmed"


@pytest.mark.parametrize("fields", [{}, {"_meta": terminal(None)}], ids=["bare", "terminal"])
def test_calls_that_are_given_up_with_their_turn_stay_open(fields: dict[str, Any]) -> None:
    """codex-acp ends each open call so where its Codex was killed, and answers its prompt with that."""
    adapter, begun, ended = of_acp(status="failed", **fields)
    gone = {
        "id": 2,
        "error": {"code": 1001, "message": "The Codex app-server was killed by SIGKILL"},
    }

    told = [*hear(adapter, begun, ended, gone), *adapter.finish()]

    assert last_of_call(told) == ("sent", WITH_ITS_TURN)
    assert [report["class"] for report in told if report["kind"] == "error"] == ["other"]


def test_a_call_that_failed_without_a_word_has_answered_once_the_model_goes_on() -> None:
    """codex-acp tells nothing of why a change of files failed."""
    adapter, begun, ended = of_acp(status="failed")
    words = update(
        sessionUpdate="agent_message_chunk", messageId="m2", content={"type": "text", "text": "It failed."}
    )

    told = hear(adapter, begun, ended, words, words)

    assert last_of_call(told) == ("confirmed", "it failed")
    assert [report["state"] for report in told if report["kind"] == "effect"] == ["sent", "sent", "confirmed"]


@pytest.mark.parametrize("name", ANSWERED)
def test_an_end_while_what_is_left_of_the_agent_is_ended_is_none_of_its_own(name: str) -> None:
    adapter, begun, ended = ANSWERED[name]()
    told = hear(adapter, begun)
    adapter.end_begins()
    told += hear(adapter, ended)
    assert "confirmed" not in [report["state"] for report in told if report["kind"] == "effect"]


def test_who_answers_for_an_agent_whose_leader_is_gone_does_not_end_its_work() -> None:
    adapter = acp()
    adapter.end_begins()

    told = [*hear(adapter, {"id": 2, "result": {"stopReason": "end_turn"}}), *adapter.finish()]

    assert not adapter.is_over
    assert [(report["kind"], report.get("class")) for report in told] == [("error", "other")]


def test_a_reader_that_has_enough_is_no_signal_that_cuts_off() -> None:
    codes = [0, 1, 124, 127, 128, 141, 193, 255, None, "137", True]
    assert [code for code in (*codes, -9, 130, 137, 143) if is_of_signal(code)] == [-9, 130, 137, 143]
