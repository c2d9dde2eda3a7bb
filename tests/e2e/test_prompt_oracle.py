"""The oracle of the prompt sees each lie that it is there for, and is silent where nothing is wrong."""

from __future__ import annotations

import copy
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.prompt_judge import judge_prompt

NODES = ("a", "b")
PRINTED: list[dict[str, Any]] = [
    {"type": "turn"},
    {"type": "usage", "cost_usd": "0.05", "message_id": "m"},
    {"type": "effect", "id": "e1", "state": "sent"},
    {"type": "effect", "id": "e1", "state": "confirmed"},
    {"type": "effect", "id": "e2", "state": "sent"},
]


def framed(*lines: dict[str, Any]) -> bytes:
    """Lines with their checksum as the last key, written here by hand."""
    told = b""
    for line in lines:
        head = json.dumps(line, separators=(",", ":")).encode()[:-1]
        told += head + b',"crc":"%08x"}\n' % zlib.crc32(head)
    return told


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A run whose agent `a` was cut off; `b` had not begun."""
    run, work = tmp_path / "store" / "runs" / "r-1", tmp_path / "work"
    place = run / "attempts" / "a-1"
    place.mkdir(parents=True)
    work.mkdir()
    claim = {"seq": 2, "kind": "attempt_claimed", "attempt_id": "a-1", "slot_id": "a"}
    (run / "journal.jsonl").write_bytes(framed({"seq": 1, "kind": "run_launched"}, claim))
    reports = [{"seq": n, "kind": line["type"]} for n, line in enumerate(PRINTED, 1)]
    ends = [{"seq": 6, "kind": "ending"}, {"seq": 7, "kind": "exit", "code": 0}]
    (place / "reports.jsonl").write_bytes(framed(*reports, *ends))
    lines = b"".join(json.dumps(line).encode() + b"\n" for line in PRINTED)
    (place / "transcript").write_bytes(lines)
    (work / "said.a-1.log").write_bytes(lines)
    return tmp_path


def prompt() -> dict[str, Any]:
    """The true one."""
    agent = {
        "node_id": "a",
        "slot_id": "a",
        "turns": 1,
        "cost_usd": "0.05",
        "effects_unknown": [{"id": "e2"}],
        "survivors": [],
    }
    return {"runs": [{"run_id": "r-1", "turns": 1, "cost_usd": "0.05", "agents": [agent]}], "unreadable": []}


LIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "not owed": lambda told: told["runs"].clear(),
    "a phantom": lambda told: told["runs"].append({**told["runs"][0], "run_id": "r-2"}),
    "an agent is missing": lambda told: told["runs"][0]["agents"].clear(),
    "an agent too many": lambda told: told["runs"][0]["agents"].append(
        {**told["runs"][0]["agents"][0], "node_id": "b"}
    ),
    "turns of the run": lambda told: told["runs"][0].update(turns=2),
    "cost of the run": lambda told: told["runs"][0].update(cost_usd="0.10"),
    "cost of the agent": lambda told: told["runs"][0]["agents"][0].update(cost_usd=None),
    "an effect is missing": lambda told: told["runs"][0]["agents"][0]["effects_unknown"].clear(),
    "a settled effect": lambda told: told["runs"][0]["agents"][0]["effects_unknown"].append({"id": "e1"}),
    "a survivor": lambda told: told["runs"][0]["agents"][0]["survivors"].append({"pid": 1}),
    "unreadable": lambda told: told["unreadable"].append({"run_id": "r-1"}),
}


def test_a_true_prompt_has_no_fault(home: Path) -> None:
    assert judge_prompt(home, NODES, prompt()) == []


@pytest.mark.parametrize("lie", LIES)
def test_each_lie_is_a_fault(home: Path, lie: str) -> None:
    told = copy.deepcopy(prompt())
    LIES[lie](told)
    assert judge_prompt(home, NODES, told)


def test_a_report_that_was_printed_and_lost_is_a_fault(home: Path) -> None:
    place = home / "store" / "runs" / "r-1" / "attempts" / "a-1"
    with (place / "transcript").open("ab") as transcript:
        transcript.write(b'{"type": "turn"}\n')
    told = prompt()
    told["runs"][0]["turns"] = told["runs"][0]["agents"][0]["turns"] = 2
    assert judge_prompt(home, NODES, told)


def test_a_whole_run_that_is_asked_about_is_a_fault(home: Path) -> None:
    place = home / "store" / "runs" / "r-1" / "attempts" / "a-1"
    (place / "reports.jsonl").write_bytes(framed({"seq": 1, "kind": "exit", "code": 0}))
    assert judge_prompt(home, ("a",), prompt())
    assert judge_prompt(home, ("a",), {"runs": [], "unreadable": []}) == []
