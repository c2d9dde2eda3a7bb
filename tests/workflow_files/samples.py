"""Builders of workflow files for these tests: a sound one, and the bytes of any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quarterdeck.store.workflow_file import BrokenFile, WorkflowFile, load_workflow, parse_workflow


def sound() -> dict[str, Any]:
    """A small workflow that uses most parts of the format."""
    return {
        "format": "quarterdeck.workflow/1",
        "id": "w-1",
        "name": "Sound",
        "outcome": "About {{ inputs.topic }}",
        "inputs": [
            {"name": "topic", "type": "text", "required": True},
            {"name": "size", "type": "choice", "options": ["s", "m"], "default": "m"},
        ],
        "agents": {
            "echo": {"kind": "command", "argv": ["echo", "{{ inputs.topic }}"], "budget_usd": "0.10"},
            "other": {"kind": "practice", "class": "play"},
        },
        "nodes": [
            {"id": "first", "title": "First", "agent": "echo", "position": [0, 0]},
            {
                "id": "second",
                "agent": "other",
                "alternatives": ["echo"],
                "prompt": "Use {{ nodes.first.output }}",
                "retry": {"max_attempts": 2},
                "position": [320, 0],
            },
            {"id": "ask", "kind": "approval", "question": "Go on with {{ nodes.second.output }}?"},
        ],
        "edges": [{"from": "first", "to": "second"}, {"from": "second", "to": "ask", "when": "always"}],
        "limits": {"max_parallel": 2, "budget_usd": "5.00"},
    }


def written(document: Any) -> bytes:
    """As a file: one thing a line."""
    return json.dumps(document, indent=2, ensure_ascii=False).encode()


def parsed(document: Any, folder: Path | None = None) -> WorkflowFile | BrokenFile:
    return parse_workflow(written(document), folder)


def loads(document: Any, folder: Path | None = None) -> WorkflowFile:
    found = parsed(document, folder)
    assert isinstance(found, WorkflowFile), found
    return found


def problems(document: Any, folder: Path | None = None) -> list[tuple[str, str]]:
    """(place, message) of every fault."""
    found = parsed(document, folder)
    assert isinstance(found, BrokenFile), "the file loads"
    return [(problem.place, problem.message) for problem in found.problems]


def problems_of_bytes(content: bytes) -> list[tuple[str, int, str]]:
    found = parse_workflow(content, None)
    assert isinstance(found, BrokenFile), "the file loads"
    return [(problem.place, problem.line, problem.message) for problem in found.problems]


__all__ = ["load_workflow", "loads", "parsed", "problems", "problems_of_bytes", "sound", "written"]
