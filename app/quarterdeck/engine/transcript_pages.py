"""Pages of a transcript with the lines of the protocol read as its adapter reads them. Blocking; it only reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quarterdeck.agents.lines_fields import WrongField
from quarterdeck.agents.lines_protocol import READERS, parse_line
from quarterdeck.engine.attempt_details import TranscriptLine, TranscriptPage, Way
from quarterdeck.engine.redacting import masked
from quarterdeck.store.transcript_file import RawLine, Source, page_after, page_around, page_before


def page_of(
    source: Source, at: int, way: Way, is_protocol: bool, secrets: Iterable[str] = ()
) -> TranscriptPage:
    """A page of a source, its protocol lines parsed. secrets: shown as asterisks; the file stays as the agent wrote it."""
    reader = {Way.AFTER: page_after, Way.BEFORE: page_before, Way.AROUND: page_around}[way]
    raw = reader(source, at)
    lines = tuple(_line(line, is_protocol, secrets) for line in raw.lines)
    return TranscriptPage(raw.start, raw.end, raw.size_bytes, lines, is_protocol=is_protocol)


def _line(raw: RawLine, is_protocol: bool, secrets: Iterable[str]) -> TranscriptLine:
    content = masked(raw.content, secrets)
    item = protocol_item(content) if is_protocol and raw.starts and raw.ends else None
    return TranscriptLine(raw.offset, raw.end, content, raw.starts, raw.ends, item)


def protocol_item(content: bytes) -> Mapping[str, Any] | None:
    """The line as the protocol's reader understands it, with its `kind`; None where it counts as text."""
    line = parse_line(content)
    kind = line.get("type") if line is not None else None
    if line is None or not isinstance(kind, str):
        return None
    if kind == "text":
        return {"kind": "text", "text": line["text"]} if isinstance(line.get("text"), str) else None
    reader = READERS.get(kind)
    try:
        return reader(line) if reader is not None else {"kind": "ignored", "type": kind}
    except WrongField:
        return None
