"""What a transcript of each program says to a person: its words, its calls with their results, its errors; nothing raw but the unknown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.agents.registry import LINE_READERS
from tests.agents.told import RECORDED, WIRES, items, recordings, shown, transcript

CASES = [(wire, path) for wire in WIRES for path in recordings(wire)]
FAILURES = {
    "auth401",
    "auth401raw",
    "auth403",
    "bad400",
    "quota",
    "nokey",
    "error500",
    "over529",
    "unknown",
    "nomodel404",
}
SILENT = {("opencode", "over529"), ("opencode", "quota")}
"""It waits for a busy service and says nothing."""
FAILED = [
    (wire, path)
    for wire, path in CASES
    if path.stem in FAILURES and (wire, path.stem) not in SILENT and transcript(path)
]
TOOL = {
    "claude": "claude-2.1.332/tool.jsonl",
    "acp": "gemini-0.61.0/tool_confirmed.jsonl",
    "codex": "codex/tool.json",
    "opencode": "opencode/tool.json",
}
COMMAND = "echo ran >> ran.log; echo tool-output-42"


@pytest.mark.parametrize(("wire", "path"), CASES, ids=lambda part: getattr(part, "stem", part))
def test_no_line_of_a_recorded_transcript_is_left_raw(wire: str, path: Path) -> None:
    """Every kind of line that the programs were seen to print is known."""
    assert [line.content for line in shown(wire, transcript(path)) if line.item is None] == []


@pytest.mark.parametrize("wire", WIRES)
def test_a_tool_call_is_one_part_with_its_name_arguments_state_and_result(wire: str) -> None:
    (call,) = items(wire, transcript(RECORDED / TOOL[wire]), "call")
    assert call["name"] in ("Bash", "execute", "command", "bash")
    assert COMMAND in call["target"]
    assert call["state"] == "done"
    if wire != "acp":  # Gemini does not tell what its tool printed
        assert call["result"] == "tool-output-42"


@pytest.mark.parametrize("wire", WIRES)
def test_the_words_of_the_model_are_whole_and_stand_once(wire: str) -> None:
    said = [item["text"] for item in items(wire, transcript(RECORDED / TOOL[wire]), "text")]
    assert said[-1].strip() in ("All done: the task is finished.", "All done.", "The scripted work is done.")
    assert len(said) == len(set(said))


@pytest.mark.parametrize(("wire", "path"), FAILED, ids=lambda part: getattr(part, "stem", part))
def test_a_run_that_failed_says_why(wire: str, path: Path) -> None:
    errors = items(wire, transcript(path), "error")
    assert errors
    assert all(error["message"] for error in errors)


def test_a_call_that_a_person_denied_is_refused() -> None:
    (call,) = items("claude", transcript(RECORDED / "claude-2.1.332/denied.jsonl"), "call")
    assert call["state"] == "refused"


def line(**parts: Any) -> bytes:
    return json.dumps(parts).encode() + b"\n"


def delta(kind: str, text: str) -> bytes:
    field = "thinking" if kind == "thinking_delta" else "text"
    event = {"type": "content_block_delta", "delta": {"type": kind, field: text}}
    return line(type="stream_event", event=event, parent_tool_use_id=None)


def assistant(*blocks: Any, **more: Any) -> bytes:
    return line(type="assistant", message={"content": list(blocks)}, parent_tool_use_id=None, **more)


def test_pieces_are_shown_until_the_text_comes_whole() -> None:
    pieces = delta("thinking_delta", "hm") + delta("text_delta", "Half ") + delta("text_delta", "a text")
    assert [item.item["text"] for item in shown("claude", pieces) if item.item] == ["hm", "Half a text"]
    whole = pieces + assistant(
        {"type": "thinking", "thinking": "hm."}, {"type": "text", "text": "Half a text."}
    )
    found = [(one.item["kind"], one.item["text"]) for one in shown("claude", whole) if one.item]
    assert found == [("thinking", "hm."), ("text", "Half a text.")]


def test_pieces_of_a_call_that_was_cut_off_are_not_put_before_those_of_the_next_one() -> None:
    retry = line(type="system", subtype="api_retry", error="unknown", attempt=1, max_retries=3)
    content = delta("text_delta", "cut off") + retry + delta("text_delta", "anew")
    assert [item["text"] for item in items("claude", content, "text")] == ["anew"]


def test_the_words_of_a_subagent_are_not_the_agents_own() -> None:
    content = line(
        type="assistant", message={"content": [{"type": "text", "text": "x"}]}, parent_tool_use_id="toolu_1"
    )
    (item,) = items("claude", content, "text")
    assert item["by"] == "subagent"


def test_results_of_calls_side_by_side_stand_where_they_came_under_the_name_of_their_call() -> None:
    uses = [
        {"type": "tool_use", "id": n, "name": n.title(), "input": {"file_path": n}} for n in ("read", "grep")
    ]
    results = b"".join(
        line(
            type="user",
            message={"content": [{"type": "tool_result", "tool_use_id": n, "content": f"of {n}"}]},
        )
        for n in ("read", "grep")
    )
    calls = items("claude", assistant(*uses) + results, "call")
    assert [(c["name"], c.get("result")) for c in calls] == [
        ("Read", None),
        ("Grep", None),
        ("Read", "of read"),
        ("Grep", "of grep"),
    ]


@pytest.mark.parametrize("wire", WIRES)
def test_an_unknown_kind_of_line_is_shown_as_it_is(wire: str) -> None:
    raw = line(type="brand_new", method="brand/new", value=[1, 2])
    (shown_line,) = shown(wire, raw)
    assert shown_line.item is None
    assert shown_line.content == raw.rstrip()


ODD = (
    b'{"type":"assistant","message":null}\n{"type":"assistant","message":{"content":[1,null,{"type":"text"}]}}\n'
    b'{"type":"user","message":{"content":[{"type":"tool_result"}]}}\n{"type":"result"}\n{"type":"system"}\n'
    b'{"type":"item.completed","item":null}\n{"type":"item.started","item":{"type":"file_change","changes":[3]}}\n'
    b'{"type":"tool_use","part":{"state":7}}\n{"type":"error","error":"x","message":9}\n{"id":1,"error":"x"}\n'
    b'{"method":"session/update","params":{"update":{"sessionUpdate":"tool_call","toolCallId":4}}}\n'
    b'{"method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":[]}}}\n'
    b'{"method":"session/request_permission","params":[]}\n{"id":1,"result":[]}\n[1]\nnull\n\n{"type":[]}\n{\xff}\n'
)


@pytest.mark.parametrize("wire", WIRES)
def test_odd_lines_break_nothing(wire: str) -> None:
    assert shown(wire, ODD)
    for raw in ODD.splitlines():
        shown(wire, raw)


def test_there_is_a_reader_for_each_wire_that_a_launch_can_name() -> None:
    assert set(LINE_READERS) == set(WIRES)
