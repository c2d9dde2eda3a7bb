"""AUT6, case 79: nothing that a model, a tool or a file says is taken for a refused sign-in, however perfectly it is quoted."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from quarterdeck.agents.registry import PROGRAMS, adapter_for
from tests.agents.own_lines import FRAMES, OWN_LINES
from tests.agents.quotes import alone, quotes_of, transcript
from tests.agents.wires import CODEX, OPENCODE, WIRES, Wire, line

TRANSCRIPTS = 5_000
BUILT = [wire for wire in WIRES if wire.kind in PROGRAMS]


def _reports(wire: Wire, pieces: list[tuple[str, bytes]]) -> list[dict[str, Any]]:
    adapter = adapter_for(wire.kind, wire.protocol, wire.wire)
    adapter.begin()
    found: list[dict[str, Any]] = []
    for stream, piece in pieces:
        found += adapter.feed(stream, piece)
        adapter.take_input()
    return [*found, *adapter.finish()]


def _is_remembered(report: dict[str, Any]) -> bool:
    return report["kind"] == "error" and report["class"] in ("auth", "rate_limit", "usage_limit")


@pytest.mark.sweep
@pytest.mark.parametrize("wire", BUILT, ids=lambda wire: wire.name)
def test_of_five_thousand_transcripts_that_quote_errors_none_is_remembered(wire: Wire, sweep: int) -> None:
    """Each has its seed: a failure names it."""
    for seed in range(-(-TRANSCRIPTS * sweep // len(BUILT))):
        reports = _reports(wire, transcript(wire, Random(f"{wire.name} {seed}")))
        assert not [report for report in reports if _is_remembered(report)], f"seed {seed}"
        assert [report for report in reports if report["kind"] == "output"], f"seed {seed}"


@pytest.mark.parametrize("wire", BUILT, ids=lambda wire: wire.name)
def test_each_quote_in_each_frame_is_none(wire: Wire) -> None:
    """Also as the last that was said before the run went well, and alone on a line of what a tool or a file says."""
    for quote in quotes_of(wire):
        for frame in (wire.text, wire.tool, wire.file, *FRAMES[wire.name]):
            for said in (quote, f"before\n{quote}\nafter"):
                _is_none(wire, frame(said), [*frame(said), *wire.text(said)])


@pytest.mark.parametrize("wire", BUILT, ids=lambda wire: wire.name)
def test_a_line_of_its_own_before_and_after_the_work_was_done_is_none(wire: Wire) -> None:
    """As printed for another session or request. Of the lines protocol only what others print: its lines are the program's word."""
    for quote in quotes_of(wire):
        told = alone(wire, quote)
        if told is not None:
            _is_none(wire, [told])
            content = b"".join([*wire.head(), *wire.foot(), told])
            assert not [one for one in _reports(wire, [("stdout", content)]) if _is_remembered(one)], quote


def _is_none(wire: Wire, *told: list[bytes]) -> None:
    for frames in told:
        content = b"".join([*wire.head(), *frames, *wire.foot()])
        reports = _reports(wire, [("stdout", content)])
        assert not [one for one in reports if _is_remembered(one)], frames
        assert [one for one in reports if one["kind"] == "output"], frames


@pytest.mark.parametrize("wire", [one for one in BUILT if OWN_LINES[one.name]], ids=lambda wire: wire.name)
def test_the_very_lines_that_are_quoted_are_errors_where_the_program_says_them(wire: Wire) -> None:
    """The corpus quotes what counts: each of these lines, unquoted, is told by the program's own stream."""
    for own in OWN_LINES[wire.name]:
        if any(word in own for word in ("rate_limit_event", "threadStatus")):
            continue  # it belongs to the error that follows
        reports = _reports(wire, [("stdout", b"".join([*wire.head(), own.encode() + b"\n"]))])
        told = [one for one in reports if one["kind"] == "error"]
        assert told, own
        assert "ended before it had answered" not in told[0]["message"], own


@pytest.mark.parametrize("wire", [CODEX, OPENCODE], ids=lambda wire: wire.name)
def test_the_same_words_where_only_the_program_speaks_are_remembered(wire: Wire) -> None:
    """The corpus would see a classifier that remembers, and would not pass one that remembers nothing."""
    own = {
        "codex": [
            line(
                type="turn.failed",
                error={"message": "unexpected status 401 Unauthorized: no, url: https://x"},
            )
        ],
        "opencode": [
            line(type="error", sessionID="s", error={"name": "APIError", "data": {"statusCode": 401}})
        ],
    }[wire.name]
    head = wire.head() if wire.name == "codex" else []
    reports = _reports(wire, [("stdout", b"".join([*head, *own]))])
    assert [report for report in reports if _is_remembered(report)]
