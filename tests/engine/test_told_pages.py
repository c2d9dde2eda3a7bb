"""Pages of a program's wire: from any place the same parts, each byte once, a text never cut; what is found is what is shown."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest

from quarterdeck.agents.registry import LINE_READERS
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.engine.attempt_details import Sought, TranscriptLine, Way
from quarterdeck.engine.attempt_reading import found_as, page_as
from quarterdeck.engine.last_known import last_lines
from quarterdeck.engine.told_lines import texts_shown
from quarterdeck.engine.told_pages import PAGE_BYTES_MAX
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from tests.agents.told import WIRES, recordings, transcript
from tests.ui.fake_details import BytesSource

SECRET = 'pass"word-1234'


def chunk(text: str, kind: str = "agent_message_chunk") -> bytes:
    update = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return (
        json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}).encode()
        + b"\n"
    )


def acp(seed: int, turns: int) -> bytes:
    """Texts in pieces, thoughts, calls with updates, plain lines."""
    chance, made = random.Random(seed), bytearray()
    for turn in range(turns):
        for piece in range(chance.randrange(1, 90)):
            made += chunk(f"turn {turn} piece {piece} {'x' * chance.randrange(40)} ")
        if chance.random() < 0.5:
            made += chunk("a thought ", "agent_thought_chunk") + chunk("in two", "agent_thought_chunk")
        for status in ("pending", "in_progress", "completed"):
            update = {"sessionUpdate": "tool_call_update", "toolCallId": f"c{turn}", "status": status}
            update |= {"sessionUpdate": "tool_call", "title": f"call {turn}"} if status == "pending" else {}
            made += json.dumps({"method": "session/update", "params": {"update": update}}).encode() + b"\n"
        made += b"" if chance.random() < 0.6 else f"plain {turn}\n".encode()
        made += json.dumps({"id": turn, "result": {"stopReason": "end_turn"}}).encode() + b"\n"
    return bytes(made)


def forward(protocol: str, source: BytesSource) -> list[TranscriptLine]:
    found: list[TranscriptLine] = []
    at = 0
    while at < source.size():
        page = page_as(protocol, source, at, Way.AFTER, False)
        assert page.start == at
        assert page.end > at
        found += page.lines
        at = page.end
    return found


def backward(protocol: str, source: BytesSource) -> list[TranscriptLine]:
    found: list[TranscriptLine] = []
    end = source.size()
    while end > 0:
        page = page_as(protocol, source, end, Way.BEFORE, False)
        assert page.end == end
        assert page.start < end
        found[:0] = page.lines
        end = page.start
    return found


def facts(lines: list[TranscriptLine]) -> list[tuple[int, str, str]]:
    return [
        (one.offset, one.item["kind"] if one.item else "raw", "|".join(texts_shown(one))) for one in lines
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_transcript_reads_the_same_from_its_beginning_and_from_its_end(seed: int) -> None:
    source = BytesSource(acp(seed, 60))
    ahead = forward("acp", source)
    assert facts(backward("acp", source)) == facts(ahead)
    texts = [one.item["text"] for one in ahead if one.item and one.item["kind"] == "text"]
    assert len(texts) == 60
    assert all(text.startswith(f"turn {n} piece 0 ") for n, text in enumerate(texts)), "no text is cut in two"
    calls = [one.item for one in ahead if one.item and one.item["kind"] == "call"]
    assert [(call["target"], call["state"]) for call in calls] == [(f"call {n}", "done") for n in range(60)]


@pytest.mark.parametrize("wire", WIRES)
def test_parts_of_recorded_transcripts_have_bytes_of_their_own(wire: str) -> None:
    for path in recordings(wire):
        source = BytesSource(transcript(path) * 5)
        lines = forward(wire, source)
        assert all(a.end <= b.offset for a, b in itertools.pairwise(lines)), path
        assert all(line.offset < line.end for line in lines)


def test_a_page_around_a_place_holds_its_part_whole() -> None:
    source = BytesSource(acp(9, 40))
    ahead = forward("acp", source)
    chance = random.Random(1)
    for _ in range(60):
        at = chance.randrange(source.size())
        page = page_as("acp", source, at, Way.AROUND, False)
        holds = [one for one in ahead if one.offset <= at < one.end]
        assert facts(holds) == facts([one for one in page.lines if one.offset <= at < one.end])


def test_reading_on_from_a_part_inside_a_line_gives_it_and_what_follows() -> None:
    blocks = [{"type": "text", "text": f"text {n}"} for n in range(3)]
    source = BytesSource(json.dumps({"type": "assistant", "message": {"content": blocks}}).encode() + b"\n")
    first, second, third = page_as("claude", source, 0, Way.AFTER, False).lines
    assert page_as("claude", source, second.offset, Way.AFTER, False).lines == (second, third)
    assert page_as("claude", source, third.offset, Way.BEFORE, False).lines == (first, second)


@pytest.mark.parametrize("words", ["piece 7 ", "PLAIN", "call 1", "turn 3 piece 0 x", "nowhere"])
def test_what_is_found_is_what_is_shown(words: str) -> None:
    """Also over the seam of two pieces; keys of the protocol are found in the raw view alone."""
    source = BytesSource(acp(4, 50))
    wanted = words.lower()
    expected = sum(text.lower().count(wanted) for one in forward("acp", source) for text in texts_shown(one))
    found = found_as("acp", source, Sought(words), 0, 2**40)
    assert found.count == len(found.offsets) == expected
    assert list(found.offsets) == sorted(set(found.offsets))
    assert found.searched_to == source.size()
    assert found_as("acp", source, Sought("sessionUpdate"), 0, 2**40).count == 0
    assert found_as("acp", source, Sought("sessionUpdate", is_raw=True), 0, 2**40).count > 0


def test_a_secret_that_came_in_two_pieces_or_escaped_is_masked() -> None:
    content = chunk("it is " + SECRET[:6]) + chunk(SECRET[6:] + ".") + f"on stderr {SECRET}\n".encode()
    page = page_as("acp", BytesSource(content), 0, Way.AFTER, False, (SECRET,))
    stars = "*" * len(SECRET)
    assert [texts_shown(one) for one in page.lines] == [[f"it is {stars}."], [f"on stderr {stars}"]]


def test_a_page_stays_bounded_where_little_is_shown() -> None:
    """A long text in pieces, each of which is hidden once it came whole: a page reads no more than PAGE_BYTES_MAX and a line."""
    event = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "piece "}}
    piece = json.dumps({"type": "stream_event", "event": event}).encode() + b"\n"
    whole = json.dumps(
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "piece " * 9000}]}}
    )
    source = BytesSource(piece * 9000 + whole.encode() + b"\n" + piece * 9000)
    page = page_as("claude", source, 2**62, Way.BEFORE, False)
    assert page.end - page.start < PAGE_BYTES_MAX + 64 * 1024
    assert page_as("claude", source, 0, Way.AFTER, False).lines == ()


def test_a_line_that_is_too_long_to_be_read_shows_how_it_begins() -> None:
    source = BytesSource(b'{"type":"user","message":"' + b"x" * 3_000_000 + b'"}\n' + b"after\n")
    lines = forward("claude", source)
    assert [len(one.content) < 5_000 for one in lines] == [True, True]
    assert lines[-1].content == b"after"


def test_the_raw_view_has_every_byte() -> None:
    for wire in LINE_READERS:
        content = transcript(recordings(wire)[-1])
        page = page_as(wire, BytesSource(content), 0, Way.AFTER, True)
        assert b"".join(line.content + b"\n" for line in page.lines) == content[: page.end]


def test_the_last_lines_of_a_programs_transcript_are_its_words(tmp_path: Path) -> None:
    """What the prompt after a crash shows of an agent is no line of its wire."""
    store = Store.open(tmp_path, DurableIO())
    run, attempt = RunId("r-" + "1" * 32), AttemptId("a-" + "1" * 32)
    store.attempts.folder(run, attempt).path.parent.mkdir(parents=True)
    made = store.attempts.create(run, attempt, {"schema": 1, "protocol": "acp"})
    made.transcript_path.write_bytes(acp(3, 400) + chunk("the last ") + chunk("words"))
    assert last_lines(store.attempts, run, attempt, 2) == ("ended", "the last words")
