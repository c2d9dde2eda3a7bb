"""Design §7 to the letter, and every way in which a line can be wrong. No file and no process is needed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.agents.adapter import LINE_BYTES_MAX, LineSplitter
from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.domain.kept_facts import QUESTIONS
from quarterdeck.domain.outputs import lost_words
from quarterdeck.store.lines import frame, unframe


def _feed(*lines: object) -> tuple[list[dict[str, Any]], str]:
    adapter = LinesProtocol()
    content = b"".join(
        (json.dumps(line) if isinstance(line, dict) else str(line)).encode() + b"\n" for line in lines
    )
    return list(adapter.feed("stdout", content)), adapter.tail()


GOOD = [
    ({"type": "session", "id": "s", "resumable": True}, {"kind": "session", "id": "s", "resumable": True}),
    ({"type": "session", "id": "s"}, {"kind": "session", "id": "s", "resumable": False}),
    ({"type": "turn", "unknown": 1}, {"kind": "turn"}),
    (
        {"type": "usage", "input_tokens": 1, "output_tokens": 2, "cache_read_tokens": 3, "cache_write_tokens": 4,
         "cost_usd": "0.10", "model": "m", "message_id": "i", "cumulative": True},
        {"kind": "usage", "input_tokens": 1, "output_tokens": 2, "cache_read_tokens": 3, "cache_write_tokens": 4,
         "cost_usd": "0.1", "source": "reported", "model": "m", "message_id": "i", "cumulative": True},
    ),
    (
        {"type": "usage", "cost_usd": 0.1},
        {"kind": "usage", "input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0,
         "cost_usd": "0.1", "source": "reported", "model": "", "message_id": None, "cumulative": False},
    ),
    (
        {"type": "effect", "id": "e", "state": "sent", "kind": "push", "target": "origin", "detail": "d"},
        {"kind": "effect", "id": "e", "state": "sent", "type": "push", "target": "origin", "detail": "d"},
    ),
    ({"type": "artifact", "name": "a", "path": "x/y"}, {"kind": "artifact", "name": "a", "source": {"path": "x/y"}}),
    ({"type": "artifact", "name": "a", "text": ""}, {"kind": "artifact", "name": "a", "source": {"text": ""}}),
    ({"type": "checkpoint", "step": "1", "data": [1]}, {"kind": "checkpoint", "step": "1", "data": [1]}),
    ({"type": "checkpoint", "step": 1, "path": "p"}, {"kind": "checkpoint", "step": "1", "source": {"path": "p"}}),
    ({"type": "note", "kind": "decision", "text": "t"}, {"kind": "note", "note": "decision", "text": "t"}),
    ({"type": "note", "kind": "odd", "text": "t"}, {"kind": "note", "note": "other", "text": "t"}),
    ({"type": "progress", "done": 1, "total": 2, "label": "l"}, {"kind": "progress", "done": 1, "total": 2, "label": "l"}),
    (
        {"type": "approval", "id": "q", "question": "?", "options": ["a"]},
        {"kind": "approval", "id": "q", "question": "?", "options": ["a"]},
    ),
    (
        {"type": "error", "class": "rate_limit", "message": "m", "retry_after_s": 5, "resets_at": "t"},
        {"kind": "error", "class": "rate_limit", "message": "m", "retry_after_s": 5, "resets_at": "t", "strength": "strong", "status": None},
    ),
    (
        {"type": "error", "class": "spawn", "message": "m"},
        {"kind": "error", "class": "other", "message": "m", "retry_after_s": None, "resets_at": None, "strength": "strong", "status": None},
    ),
    ({"type": "output", "value": None}, {"kind": "output", "value": None}),
]  # fmt: skip


@pytest.mark.parametrize(("line", "report"), GOOD, ids=lambda v: v.get("type") or "")
def test_each_type_becomes_its_report(line: dict[str, Any], report: dict[str, Any]) -> None:
    assert _feed(line)[0] == [report]


WRONG = [
    {"type": "session"}, {"type": "session", "id": ""}, {"type": "session", "id": "x" * 501},
    {"type": "session", "id": "s", "resumable": "yes"}, {"type": "usage", "input_tokens": -1},
    {"type": "usage", "input_tokens": "12"}, {"type": "usage", "input_tokens": True}, {"type": "usage", "input_tokens": 1.5},
    {"type": "usage", "model": 3}, {"type": "usage", "message_id": []}, {"type": "usage", "input_tokens": 10**30},
    {"type": "effect", "id": "e", "state": "unknown"}, {"type": "effect", "id": "e", "state": ["sent"]},
    {"type": "effect", "state": "sent"}, {"type": "artifact", "name": "a"}, {"type": "artifact", "path": "p"},
    {"type": "artifact", "name": "a", "path": "p", "text": "t"}, {"type": "artifact", "name": "a", "path": "p\0q"},
    {"type": "artifact", "name": "a", "path": ""}, {"type": "checkpoint", "data": 1}, {"type": "note", "kind": "other"},
    {"type": "progress", "done": "x"}, {"type": "approval", "id": "q"}, {"type": "approval", "id": "q", "question": 1},
    {"type": "approval", "id": "q", "question": "?", "options": "ab"},
    {"type": "approval", "id": "q", "question": "?", "options": [1]}, {"type": "error", "retry_after_s": "soon"},
    {"type": "output"},
]  # fmt: skip


@pytest.mark.parametrize("line", WRONG, ids=lambda line: str(line)[:60])
def test_a_line_with_a_wrong_field_is_text_and_the_next_line_counts(line: dict[str, Any]) -> None:
    reports, tail = _feed(line, {"type": "turn"})
    assert reports == [{"kind": "turn"}]
    assert tail.strip() == json.dumps(line)[-2000:].strip()


@pytest.mark.parametrize(
    "line",
    [
        "",
        "plain",
        "[1]",
        "{",
        "{}",
        '{"type": 3}',
        '{"type": "strange"}',
        "NaN",
        '{"a":' * 5000,
        "{" + "9" * 5000,
    ],
)
def test_what_is_no_protocol_gives_no_report(line: str) -> None:
    assert _feed(line, {"type": "turn"})[0] == [{"kind": "turn"}]


@pytest.mark.parametrize("cost", ["NaN", "Infinity", "-1", "1e999", '"abc"', "true", '"1e30"', "[]"])
def test_a_cost_that_is_no_amount_is_unknown_and_its_tokens_count(cost: str) -> None:
    """Case 88: never a cap made inactive by NaN."""
    (report,) = _feed(f'{{"type":"usage","input_tokens":5,"cost_usd":{cost}}}')[0]
    assert (report["input_tokens"], report["cost_usd"], report["source"]) == (5, None, "unknown")


@pytest.mark.parametrize("depth", [90, 150, 400, 900, 1100, 5000])
def test_an_output_that_is_nested_too_deep_is_told_as_lost_and_what_is_taken_can_be_framed(
    depth: int,
) -> None:
    line = '{"type":"output","value":' + "[" * depth + "]" * depth + "}"
    reports, _ = _feed(line)
    assert [report.get("problem") for report in reports] == [
        None if depth < 100 else "its JSON cannot be read whole"
    ]
    for report in reports:
        frame({"seq": 1, **report})


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"output","value":{"a":Infinity}}',
        '{"type": "output", "value": [NaN]}',
        '{"type":"output","value":1e999}',
        '{"value":' + "7" * 5000 + ',"type":"output"}',
        '{"ts":1,"type":"output","value":{"x":NaN}}',
        '{"ts":1,"value":' + "[" * 150 + "]" * 150 + ',"type":"output","x":1}',
        '{"typ\\u0065":"output","value":-Infinity}',
    ],
    ids=lambda line: line[:40],
)
def test_an_output_that_cannot_be_read_is_lost_in_words_and_never_another_value(line: str) -> None:
    """Nothing is made up: no null for what is no number, and no good end without the output that was given."""
    (report,) = _feed(line)[0]
    assert lost_words(report) == f"The output of {len(line):,} bytes is lost: its JSON cannot be read whole"
    frame({"seq": 1, **report})


@pytest.mark.parametrize("value", [b"caf\xe9", b"a\tb", b"\x1b[31mred\x1b[0m", b"\xff\xfe"])
def test_an_output_whose_text_is_no_json_text_is_lost_in_words(value: bytes) -> None:
    """What a shell's printf makes of a file name, a tab or a colour: never a good end without the output."""
    adapter = LinesProtocol()
    (report,) = adapter.feed("stdout", b'{"type":"output","value":"' + value + b'"}\n')
    assert "its JSON cannot be read whole" in lost_words(report)


def test_no_more_questions_are_remembered_than_are_kept_open() -> None:
    """A flood of them must not fill the memory of who reads it; one that was answered makes room."""
    adapter = LinesProtocol()
    for number in range(QUESTIONS.count + 1):
        adapter.feed("stdout", b'{"type":"approval","id":"%d\\udce9","question":"Go?"}\n' % number)
    last = rf"{QUESTIONS.count}\udce9"
    assert json.loads(adapter.answer(last, "yes") or b"")["id"] == last, "it was not kept, nor asked"
    assert json.loads(adapter.answer(r"0\udce9", "yes") or b"")["id"] == "0\udce9"
    adapter.feed("stdout", b'{"type":"approval","id":"again\\udce9","question":"Go?"}\n')
    assert json.loads(adapter.answer(r"again\udce9", "yes") or b"")["id"] == "again\udce9"


def test_halves_of_pairs_as_bytes_are_told_as_those_that_are_escaped() -> None:
    """Python's own surrogatepass, and what other programs call CESU-8."""
    adapter = LinesProtocol()
    raw = b'{"type":"approval","id":"caf\xed\xb3\xa9","question":"Go?","options":["yes"]}\n'
    (report,) = adapter.feed("stdout", raw)
    assert report["id"] == "caf\\udce9"
    assert json.loads(adapter.answer("caf\\udce9", "yes") or b"")["id"] == "caf\udce9"


@pytest.mark.parametrize(
    "line",
    [
        'user said: {"type":"output"}',
        'Write a line such as {"value": 3, "type": "output"}',
        '{"type":"output","value": <any JSON>}  is the line',
        '{"type":"output","value":"cut',
        '{"a":{"type":"output"},"n":' + "7" * 5000 + "}",
    ],
)
def test_text_that_speaks_of_an_output_is_text(line: str) -> None:
    """AUT6: text never becomes a signal."""
    assert _feed(line)[0] == []


def test_an_output_whose_line_is_too_long_is_lost_in_words() -> None:
    """Ruling 22: it is in the transcript, and not parsed."""
    adapter = LinesProtocol()
    line = b'{"type":"output","value":"' + b"y" * LINE_BYTES_MAX + b'"}\n'
    kinds = [(one["kind"], one["size_bytes"]) for one in adapter.feed("stdout", line)]
    assert kinds == [("over_long", len(line) - 1), ("output", len(line) - 1)]
    assert adapter.finish() == []


def test_a_checkpoint_with_a_number_that_json_does_not_know_is_text() -> None:
    assert _feed('{"type":"checkpoint","step":"s","data":[Infinity]}', {"type": "turn"})[0] == [
        {"kind": "turn"}
    ]


def test_names_that_no_file_can_hold_are_told_as_escapes_and_answered_in_the_agents_own_spelling() -> None:
    """Half of a pair is what Python makes of a file name that is no UTF-8. Two such names stay two."""
    adapter = LinesProtocol()
    asks = [
        {"type": "approval", "id": name, "question": name, "options": [name, "no"]}
        for name in ("caf\udce9", "caf\udce8")
    ]
    reports = list(adapter.feed("stdout", "".join(json.dumps(line) + "\n" for line in asks).encode()))
    assert [one["id"] for one in reports] == ["caf\\udce9", "caf\\udce8"]
    assert reports[0]["options"] == ["caf\\udce9", "no"]
    told = [
        json.loads(adapter.answer("caf\\udce9", "caf\\udce9") or b""),
        json.loads(adapter.answer("caf\\udce8", "no") or b""),
    ]
    assert [(line["id"], line["answer"]) for line in told] == [
        ("caf\udce9", "caf\udce9"),
        ("caf\udce8", "no"),
    ]
    kept = _feed(
        '{"type":"output","value":"\\udce9"}', '{"type":"artifact","name":"n\\udce9","path":"p\\udce9"}'
    )[0]
    assert kept[0]["value"] == "\udce9"
    assert (kept[1]["name"], kept[1]["source"]) == ("n\\udce9", {"path": "p\udce9"})


def test_the_last_text_is_the_output_of_an_agent_that_gave_none() -> None:
    adapter = LinesProtocol()
    assert not adapter.feed("stdout", b'{"type":"text","text":"one"}\n{"type":"text","text":"two"}')
    assert adapter.finish() == [{"kind": "output", "value": "two"}]
    given_one = LinesProtocol()
    given_one.feed("stdout", b'{"type":"output","value":1}\n{"type":"text","text":"bye"}\n')
    assert given_one.finish() == []


def test_stderr_never_speaks_the_protocol() -> None:
    adapter = LinesProtocol()
    assert list(adapter.feed("stderr", b'{"type":"error","class":"auth","message":"401"}\n')) == []
    assert "401" in adapter.tail()


def test_an_answer_is_one_line() -> None:
    line = LinesProtocol().answer("q\n1", "yes\nno")
    assert line is not None
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"type": "approval", "id": "q\n1", "answer": "yes\nno"}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**4000)])
    | st.floats()
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TYPES = [
    "session",
    "turn",
    "usage",
    "text",
    "effect",
    "artifact",
    "checkpoint",
    "note",
    "progress",
    "approval",
    "error",
    "output",
]
NAMES = ["id", "resumable", "input_tokens", "cost_usd", "model", "message_id", "cumulative", "text", "state", "kind", "name",
         "path", "step", "data", "done", "total", "question", "options", "class", "retry_after_s", "resets_at", "value"]  # fmt: skip


@given(st.sampled_from(TYPES), st.dictionaries(st.sampled_from(NAMES), json_values, max_size=6))
def test_no_line_breaks_the_adapter_and_every_report_can_be_framed(kind: str, fields: dict[str, Any]) -> None:
    reports, _ = _feed({"type": kind, **fields})
    for report in reports:
        assert unframe(frame({"seq": 1, **report}))["kind"] == report["kind"]


@given(st.binary(max_size=300), st.lists(st.integers(min_value=1, max_value=40)))
def test_the_splitter_gives_the_same_lines_however_the_bytes_are_cut(content: bytes, cuts: list[int]) -> None:
    limit = 20
    splitter, lines, sizes, at = LineSplitter(limit), [], [], 0
    for cut in [*cuts, 400]:
        lines += splitter.split(content[at : at + cut])
        sizes += [skipped.size_bytes for skipped in splitter.take_over_long()]
        at += cut
    lines += splitter.rest()
    sizes += [skipped.size_bytes for skipped in splitter.take_over_long()]
    pieces = content.split(b"\n")
    pieces = pieces[:-1] if pieces[-1] == b"" else pieces
    assert lines == [p for p in pieces if len(p) <= limit]
    assert sizes == [len(p) for p in pieces if len(p) > limit]
