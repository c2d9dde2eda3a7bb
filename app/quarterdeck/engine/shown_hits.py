"""Which places of a search can be seen where a transcript is shown as blocks: words, not the protocol around them. Blocking.

A line of the protocol shows some of its values; its keys, its numbers and what an effect says again are in the raw view alone.
Lines that are no protocol are shown as they are. `ui/transcript_blocks.py` makes blocks of the same values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from quarterdeck.engine.attempt_details import TranscriptLine, Way
from quarterdeck.engine.transcript_pages import page_of
from quarterdeck.store.transcript_file import Source

_SHOWN: Mapping[str, frozenset[str]] = {
    "text": frozenset({"text"}),
    "effect": frozenset({"id", "kind", "state", "target", "detail"}),
    "artifact": frozenset({"name"}),
    "checkpoint": frozenset({"step"}),
    "approval": frozenset({"question", "options"}),
    "error": frozenset({"class", "message"}),
    "output": frozenset({"value"}),
    "note": frozenset({"kind", "text"}),
    "session": frozenset({"id"}),
    "progress": frozenset({"label"}),
    "ignored": frozenset({"type"}),
}
"""{kind of a line: keys whose values are shown}; `usage` and `turn` show figures only, which nobody finds as they are written."""
_DECODER = json.JSONDecoder()


def shown_only(source: Source, offsets: Sequence[int]) -> list[int]:
    """Those of these places, ascending, that lie in what is shown."""
    kept: list[int] = []
    at = 0
    while at < len(offsets):
        page = page_of(source, offsets[at], Way.AROUND, is_protocol=True)
        before: TranscriptLine | None = None
        reached = at
        for line in page.lines:
            inside = reached
            while inside < len(offsets) and offsets[inside] < line.end:
                inside += 1
            if inside > reached:
                spans = _spans(source, line, before)
                kept += [o for o in offsets[reached:inside] if any(a <= o < b for a, b in spans)]
            reached, before = inside, line
        if reached == at:  # nothing there any more
            return [*kept, *offsets[at:]]
        at = reached
    return kept


def _spans(source: Source, line: TranscriptLine, before: TranscriptLine | None) -> list[tuple[int, int]]:
    """Where the shown parts of a line lie in the file."""
    if line.item is None:
        return [(line.offset, line.end)]
    kind = line.item["kind"]
    shown = _SHOWN.get(kind, frozenset())
    repeated: Mapping[str, Any] = {}
    if kind == "effect":
        if before is None and line.offset:
            before = page_of(source, line.offset, Way.BEFORE, is_protocol=True).lines[-1]
        if before is not None and _is_same_effect(before.item, line.item):
            repeated = {key: value for key, _, _, value in _values(before.content)}
    return [
        (line.offset + start, line.offset + end)
        for key, start, end, value in _values(line.content)
        if key in shown and not (key in repeated and repeated[key] == value)
    ]


def _is_same_effect(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> bool:
    return before is not None and before["kind"] == "effect" and before["id"] == now["id"]


def _values(content: bytes) -> Iterator[tuple[str, int, int, Any]]:
    """(key, from, to, value) of each member of the object that the line is; places are bytes."""
    text = content.decode("latin-1")  # one character a byte: keys of the protocol are ASCII
    at = text.index("{") + 1
    while (at := _skip(text, at)) < len(text) and text[at] == '"':
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, at)
        value, end = _DECODER.raw_decode(text, at)
        yield key, at, end, value
        at = end


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,:":
        at += 1
    return at
