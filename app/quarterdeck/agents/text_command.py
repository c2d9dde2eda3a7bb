"""A command that knows nothing of Quarterdeck: its output is its final text, or JSON where it gives JSON."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable

from quarterdeck.agents.adapter import (
    LINE_BYTES_MAX,
    OUTPUT_BYTES_MAX,
    ListensOnly,
    Tail,
    nests_too_deep,
)
from quarterdeck.domain.reports import OUTPUT, OVER_LONG, Report

PLAIN_BYTES_MAX = 128 * 1024


class TextCommand(ListensOnly):
    """Keeps at most OUTPUT_BYTES_MAX bytes of stdout; stderr goes to the transcript and the tail only."""

    def __init__(self) -> None:
        self._kept = KeptOutput()
        self._seen_bytes = 0
        self._lengths = {"stdout": LineLengths(), "stderr": LineLengths()}
        self._tail = Tail()

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        """No reports but for over-long lines."""
        self._tail.add(chunk)
        if stream == "stdout":
            self._kept.add(chunk)
            self._seen_bytes += len(chunk)
        return [over_long(stream, size) for size in self._lengths[stream].count(chunk)]

    def finish(self) -> Iterable[Report]:
        """The output: JSON where stdout as a whole is a JSON object or list, else its text without the last newlines."""
        reports = [over_long(stream, size) for stream, n in self._lengths.items() for size in n.rest()]
        text = self._kept.take().decode("utf-8", "replace").rstrip("\r\n")
        output: Report = {"kind": OUTPUT, "value": text}
        if self._seen_bytes > self._kept.size_bytes:
            output["truncated"] = True
        else:
            output["value"] = value_of(text)
        return [*reports, output]

    def tail(self) -> str:
        """The end of stdout and stderr as they came."""
        return self._tail.text()


class KeptOutput:
    """The first OUTPUT_BYTES_MAX bytes of a stream. Beyond PLAIN_BYTES_MAX they are kept packed: forty agents that flood are
    kept within a few megabytes each (P12), and what they print packs well. It costs ten milliseconds for each megabyte.
    """

    def __init__(self) -> None:
        self.size_bytes = 0
        self._pieces: list[bytes] = []
        self._packer: zlib._Compress | None = None

    def add(self, chunk: bytes) -> None:
        """Keep what there is room for."""
        piece = chunk[: OUTPUT_BYTES_MAX - self.size_bytes]
        self.size_bytes += len(piece)
        if self._packer is not None:
            piece = self._packer.compress(piece)
        if piece:
            self._pieces.append(piece)
        if self._packer is None and self.size_bytes > PLAIN_BYTES_MAX:
            self._packer = zlib.compressobj(1, wbits=13, memLevel=6)
            self._pieces = [self._packer.compress(b"".join(self._pieces))]

    def take(self) -> bytes:
        """All that was kept; nothing is kept afterwards."""
        pieces, self._pieces = self._pieces, []
        if self._packer is None:
            return b"".join(pieces)
        unpacker = zlib.decompressobj(wbits=13)
        pieces.append(self._packer.flush())
        return b"".join(map(unpacker.decompress, pieces))


class LineLengths:
    """Finds over-long lines without keeping any. A chunk is never longer than LINE_BYTES_MAX."""

    def __init__(self) -> None:
        self._open = 0

    def count(self, chunk: bytes) -> list[int]:
        """Sizes of the over-long lines that end in this chunk."""
        last = chunk.rfind(b"\n")
        if last < 0:
            self._open += len(chunk)
            return []
        size, self._open = self._open + chunk.find(b"\n"), len(chunk) - last - 1
        return [size] if size > LINE_BYTES_MAX else []

    def rest(self) -> list[int]:
        """The size of the unfinished last line, where it is over-long."""
        return [self._open] if self._open > LINE_BYTES_MAX else []


def over_long(stream: str, size: int) -> Report:
    """The report of ruling 22."""
    return {"kind": OVER_LONG, "stream": stream, "size_bytes": size}


def value_of(text: str) -> object:
    """The JSON object or list that the text is, else the text itself."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        value = json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return text
    return text if nests_too_deep(value, text.count("{") + text.count("[")) else value


def _no_json(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")
