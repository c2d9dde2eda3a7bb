"""What Gemini 0.61.0 wrote on its wire (recorded by tests/programs/test_gemini_live.py), read again, and the table in the docs.

The agent's side alone is recorded: what is sent to it follows from what it says.
"""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.domain.reports import Report
from tests.agents.acp_played import spent

RECORDED = Path(__file__).with_name("recorded") / "gemini-0.61.0"
PAGE = Path(__file__).parents[2] / "docs" / "agent-client-protocol.md"
NAMES = sorted(path.stem for path in RECORDED.glob("*.jsonl"))
WORDS = {
    "plain": "a prompt without tools",
    "tool_confirmed": "a shell command, allowed once",
    "tool_refused": "a shell command, denied",
    "tool_full": "a shell command, permissions `full`",
    "write": "a file written, permissions `edits`",
    "auth401": "a key that the service does not know",
    "auth401raw": "401",
    "auth401mid": "401 after a tool call",
    "auth403": "403",
    "quota": "429, the quota of the day",
    "bad400": "400",
    "drop": "the connection cut in each answer",
    "nokey": "no key",
    "unknown_session": "a session that is not there",
    "kill_midtool": "SIGKILL in a tool call",
    "resume_after_kill": "its session taken up again",
}
MODES = {"tool_full": "yolo", "auth401mid": "yolo", "write": "autoEdit"}
SESSIONS = {"unknown_session", "resume_after_kill"}


def told(name: str, sizes: list[int] | None = None) -> tuple[AcpAdapter, list[Report]]:
    """The reports of a recording, in chunks of these sizes, or by the line; what is asked is answered at once."""
    stream = (RECORDED / f"{name}.jsonl").read_bytes()
    wire: dict[str, Any] = {
        "prompt": "Do it.",
        "cwd": "/home/ada/project",
        "mode": MODES.get(name, "default"),
    }
    session = re.search(rb'"sessionId": "([^"]+)"', stream)
    if name in SESSIONS:
        wire["session"] = session[1].decode() if session else "00000000-91c5-46c7-91cb-fee4f341cebc"
    adapter, reports, start = AcpAdapter(wire), [], 0
    adapter.begin()
    ends = [m.end() for m in re.finditer(rb"\n", stream)]
    if sizes is not None:  # an agent that asks says nothing more before it is answered
        asked = [m.end() for m in re.finditer(rb"request_permission.*\n", stream)]
        ends = sorted({*_ends(sizes, len(stream)), *asked})
    for end in ends:
        for report in adapter.feed("stdout", stream[start:end]):
            reports.append(report)
            if report["kind"] == "approval":
                assert adapter.answer(report["id"], "Deny" if name == "tool_refused" else "Allow once")
                reports += adapter.take_due()
        start = end
    return adapter, [*reports, *adapter.finish()]


def _ends(sizes: list[int], length: int) -> list[int]:
    ends, at, turn = [], 0, 0
    while at < length:
        at = min(length, at + sizes[turn % len(sizes)])
        ends.append(at)
        turn += 1
    return ends


def row(name: str) -> str:
    """One line of the table."""
    _, reports = told(name)
    figures = spent(reports)
    tokens = figures["tokens"]
    effects = [report["state"] for report in reports if report["kind"] == "effect"]
    errors = [
        f"{e['class']}, {e['strength']}" + (f", {e['status']}" if e["status"] else "")
        for e in reports
        if e["kind"] == "error"
    ]
    outputs = [report["value"] for report in reports if report["kind"] == "output"]
    cells = (
        WORDS[name],
        str(figures["turns"]),
        f"{tokens['input_tokens']} / {tokens['output_tokens']}",
        " → ".join(effects) or "–",
        "; ".join(errors) or "–",
        f"“{outputs[-1]}”" if outputs else "–",
    )
    return "| " + " | ".join(cells) + " |"


def test_every_recording_stands_in_the_table() -> None:
    assert set(NAMES) == set(WORDS)


@pytest.mark.parametrize("name", WORDS)
def test_the_page_says_what_the_recording_gives(name: str) -> None:
    assert row(name) in PAGE.read_text().splitlines()


@pytest.mark.parametrize("name", WORDS)
def test_chunks_may_end_anywhere(name: str) -> None:
    dice = random.Random(name)
    whole = told(name)[1]

    for _ in range(5):
        assert told(name, [dice.randrange(1, 3000) for _ in range(20)])[1] == whole


@pytest.mark.parametrize("name", WORDS)
def test_its_session_is_told_and_resumable_once_it_answered(name: str) -> None:
    _, reports = told(name)
    sessions = [report for report in reports if report["kind"] == "session"]
    has_answered = any(report["kind"] == "turn" for report in reports)

    assert len({one["id"] for one in sessions}) == (0 if name in ("nokey", "unknown_session") else 1)
    assert [one["resumable"] for one in sessions][-1:] == ([has_answered] if sessions else [])
    assert all(one["version"] == "0.61.0" for one in sessions)
