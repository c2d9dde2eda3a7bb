"""AUT6, case 79: nothing that a model, a tool or a file says is taken for a refused sign-in, however perfectly it is quoted."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from quarterdeck.agents.registry import PROGRAMS, adapter_for
from tests.agents.quotes import QUOTES, transcript
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
@pytest.mark.parametrize("quote", QUOTES)
def test_each_quote_in_each_frame_is_none(wire: Wire, quote: str) -> None:
    """Also as the last that was said before the run went well."""
    for frames in (
        wire.text(quote),
        wire.tool(quote),
        wire.file(quote),
        [*wire.tool(quote), *wire.text(quote)],
    ):
        content = b"".join([*wire.head(), *frames, *wire.foot()])
        assert not [report for report in _reports(wire, [("stdout", content)]) if _is_remembered(report)]


@pytest.mark.parametrize("wire", [CODEX, OPENCODE], ids=lambda wire: wire.name)
@pytest.mark.parametrize("quote", QUOTES)
def test_a_line_of_its_own_after_the_work_was_done_is_none(wire: Wire, quote: str) -> None:
    content = b"".join([*wire.head(), *wire.foot()]) + quote.encode() + b"\n"
    assert not [report for report in _reports(wire, [("stdout", content)]) if _is_remembered(report)]


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
