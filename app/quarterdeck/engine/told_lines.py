"""From the raw lines of a program's wire to what is shown of them, each part a `TranscriptLine` with bytes of its own. Pure.

A line may say several things: its parts take its bytes one after the other, the last one what is left, so that each has a place
that nothing else has. Pieces of one text become one part. What only keeps the wire going has no part at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from quarterdeck.agents.lines_protocol import parse_line
from quarterdeck.agents.said import LineReader, Part
from quarterdeck.domain.call_states import ENDED
from quarterdeck.engine.attempt_details import TranscriptLine
from quarterdeck.engine.redacting import masked, masked_text
from quarterdeck.store.transcript_file import RawLine

RAW_CHARS_MAX = 4_000
"""Of a line that is shown as it is; all of it stands in the raw view."""
_WORDS = frozenset({"text", "thinking", "told"})
_SETTLES = frozenset({"text", "thinking", "call", "usage", "error"})


def told(raw: RawLine, read: LineReader, secrets: Iterable[str]) -> list[TranscriptLine]:
    """What one line says; nothing for the wire's upkeep, and for what goes on of a line that is too long to be read."""
    if not raw.starts or not raw.content.strip():
        return []
    line = parse_line(raw.content) if raw.ends else None
    parts = read(line) if line is not None else None
    if parts is None:
        return [_as_it_is(raw, secrets)]
    if not parts:
        return []
    places = [raw.offset + number for number in range(len(parts))]
    ends = [*places[1:], raw.end]
    return [
        TranscriptLine(at, end, b"", item=part) for part, at, end in zip(parts, places, ends, strict=True)
    ]


def _as_it_is(raw: RawLine, secrets: Iterable[str]) -> TranscriptLine:
    content = masked(raw.content, secrets)
    if len(content) > RAW_CHARS_MAX:
        content = content[:RAW_CHARS_MAX].decode("utf-8", "ignore").encode() + " …".encode()
    return TranscriptLine(raw.offset, raw.end, content, raw.starts, raw.ends)


def is_clean_start(lines: Sequence[TranscriptLine], place: int) -> bool:
    """Whether nothing before this part belongs to it, as far as these lines tell."""
    item = lines[place].item
    if item is None or (item["kind"] != "call" and not item.get("piece")):
        return True
    if item["kind"] == "call":
        return not item.get("goes_on")
    return place > 0 and not _joins(lines[place - 1].item, item)


def is_open(lines: Sequence[TranscriptLine]) -> bool:
    """Whether more of the last part may follow: a piece of a text, or a call that has not ended."""
    item = lines[-1].item if lines else None
    if item is None or item["kind"] != "call":
        return item is not None and bool(item.get("piece"))
    return item.get("state") not in ENDED


def joined(lines: Sequence[TranscriptLine], secrets: Sequence[str], *, is_end: bool) -> list[TranscriptLine]:
    """As it is shown: pieces put together, what follows each other of one call too, drafts left out that were told whole.

    is_end: these lines reach the end of the file; elsewhere nobody knows yet what became of a draft.
    """
    shown: list[TranscriptLine] = []
    names: dict[str, str] = {}
    for line in _without_drafts(lines, is_end=is_end):
        item = line.item
        before = shown[-1] if shown else None
        if item is None:
            shown.append(line)
        elif before is not None and before.item is not None and (one := _one(before.item, item)) is not None:
            shown[-1] = replace(before, end=line.end, item=one)
        else:
            shown.append(replace(line, item=_named(item, names)))
    last = shown[-1].item if shown else None
    if last is not None and last.get("piece"):
        shown[-1] = replace(shown[-1], item={**last, "grows": True})
    return [line if line.item is None else replace(line, item=_masked(line.item, secrets)) for line in shown]


def _without_drafts(lines: Sequence[TranscriptLine], *, is_end: bool) -> Iterator[TranscriptLine]:
    """Drafts that something settled are told again behind them, or came to nothing."""
    settled = len(lines) if not is_end else _last_settling(lines)
    for place, line in enumerate(lines):
        if place >= settled or line.item is None or not line.item.get("draft"):
            yield line


def _last_settling(lines: Sequence[TranscriptLine]) -> int:
    for place in range(len(lines) - 1, -1, -1):
        item = lines[place].item
        if item is not None and not item.get("draft") and (item["kind"] in _SETTLES or item.get("settles")):
            return place
    return 0


def _joins(before: Mapping[str, Any] | None, item: Mapping[str, Any]) -> bool:
    if before is None or not before.get("piece") or not item.get("piece"):
        return False
    return bool(before["kind"] == item["kind"] and before.get("of", "") == item.get("of", ""))


def _one(before: Mapping[str, Any], item: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Both as one part; None where they are two."""
    if _joins(before, item):
        return {**before, "text": str(before["text"]) + str(item["text"])}
    if before["kind"] == item["kind"] == "error":
        return before if before == item else None
    if not before["kind"] == item["kind"] == "call" or before["id"] != item["id"]:
        return None
    took = {}
    if "at_ms" in before and "at_ms" in item and item["at_ms"] >= before["at_ms"]:
        took = {"took_ms": item["at_ms"] - before["at_ms"]}
    fresh = {name: value for name, value in item.items() if name not in ("at_ms", "goes_on")}
    return {**before, **took, **fresh}


def _named(item: Mapping[str, Any], names: dict[str, str]) -> Mapping[str, Any]:
    if item["kind"] != "call":
        return item
    name = str(item.get("name") or names.get(item["id"], ""))
    names[item["id"]] = name
    return {**item, "name": name}


def _masked(value: Any, secrets: Sequence[str]) -> Any:
    """Once more, where a secret came in pieces or as JSON escapes it."""
    if not secrets:
        return value
    match value:
        case str():
            return masked_text(value, secrets)
        case dict():
            return {name: _masked(one, secrets) for name, one in value.items()}
        case _:
            return value


# ------------------------------------------------------------------------------------------- what can be found


def texts_shown(line: TranscriptLine) -> list[str]:
    """The texts of a part that a reader sees once it is open; figures and our own words about it are not among them."""
    item = line.item
    if item is None:
        return [line.content.decode("utf-8", "replace")]
    kind = item["kind"]
    if kind in _WORDS or kind == "note":
        return [str(item["text"])]
    fields = {
        "call": ("name",),
        "error": ("message",),
        "session": ("id",),
        "progress": ("label",),
    }.get(kind, ())
    found = [str(item[name]) for name in fields if item.get(name)]
    return found + call_texts(item) if kind == "call" else found


def call_texts(item: Part | Mapping[str, Any]) -> list[str]:
    """What stands below a call once it is open: its arguments (else what it is about), and its result."""
    told = item.get("arguments") or item.get("target")
    return [str(text) for text in (told, item.get("result")) if text]
