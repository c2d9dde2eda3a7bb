"""Permission requests of programs, as the engine compares them: the same to the byte, or another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.agents.claude_stream import ClaudeStream
from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.domain.open_questions import exact_of
from quarterdeck.domain.permissions import PERMISSION_OPTIONS, choices_of, told_to_agent


def of_claude(*given: dict[str, Any]) -> list[dict[str, Any]]:
    """The approvals of these inputs of its shell tool, each under ids of its own."""
    adapter = ClaudeStream({"prompt": "p", "session": "s", "cwd": "/work", "is_resumed": False})
    found: list[dict[str, Any]] = []
    for number, one in enumerate(given):
        asked = {"subtype": "can_use_tool", "tool_name": "Bash", "input": one, "tool_use_id": f"t{number}"}
        line = {"type": "control_request", "request_id": f"r{number}", "request": asked}
        found += adapter.feed("stdout", json.dumps(line).encode() + b"\n")
    return [report for report in found if report["kind"] == "approval"]


def test_two_requests_of_claude_for_the_same_are_byte_identical_and_another_command_is_not() -> None:
    one, same, other, longer = of_claude(
        {"command": "git push"},
        {"command": "git push"},
        {"command": "git push -f"},
        {"command": "git push", "timeout": 5},
    )
    assert exact_of(one) == exact_of(same)
    assert len({exact_of(one), exact_of(other), exact_of(longer)}) == 3
    assert choices_of(one["options"]) == PERMISSION_OPTIONS
    assert told_to_agent(one["options"], "Allow for this run") == "Allow once"


def of_lines(**fields: Any) -> dict[str, Any]:
    line = {"type": "approval", "id": "q", "options": ["Allow once"], **fields}
    (report,) = LinesProtocol().feed("stdout", json.dumps(line).encode() + b"\n")
    return report


def test_a_question_that_is_cut_is_still_told_from_another_with_the_same_beginning() -> None:
    long = "x" * 1_000_000
    whole, cut, other = (of_lines(question=long + rest) for rest in ("", "1", "2"))
    assert "whole_chars" not in whole
    assert (cut["whole_chars"], len(cut["question"])) == (1_000_001, 1_000_001)
    assert len({exact_of(whole), exact_of(cut), exact_of(other)}) == 3


@pytest.mark.parametrize("field", ["where", "network", "writes"])
def test_what_a_lines_agent_tells_of_where_network_and_writes_is_reported(field: str) -> None:
    assert of_lines(question="Go?", **{field: "said"})[field] == "said"
    assert field not in of_lines(question="Go?")


@pytest.mark.parametrize(
    ("value", "shown"), [(True, "true"), (["a", "b"], '["a", "b"]'), (None, None), ("", None)]
)
def test_a_question_counts_whatever_stands_beside_it(value: object, shown: str | None) -> None:
    """Fields that a lines agent had for itself take no question away."""
    assert of_lines(question="Go?", network=value).get("network") == shown


def test_a_question_of_which_a_part_cannot_be_shown_whole_says_so() -> None:
    assert of_lines(question="Go?", writes="x" * 70_000)["whole_chars"] == 70_000


def test_a_lines_agent_hears_messages_only_once_it_said_that_it_takes_them() -> None:
    adapter = LinesProtocol()
    assert adapter.say("x") is None
    list(adapter.feed("stdout", b'{"type": "session", "id": "s", "messages": true}\n'))
    assert json.loads(adapter.say("two\nlines ü") or b"") == {"type": "message", "text": "two\nlines ü"}
    list(adapter.feed("stdout", b'{"type": "session", "id": "s"}\n'))
    assert adapter.say("x") is None
