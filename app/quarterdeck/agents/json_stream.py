"""What the programs that print one JSON object a line, and take nothing on stdin, have in common.

What stands on stderr, and lines that are no object, are text; text never becomes a signal (AUT6).
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from quarterdeck.agents.adapter import LineSplitter, ListensOnly, Tail
from quarterdeck.agents.call_ends import BY_SIGNAL, ENDED_WITH_IT, is_of_signal
from quarterdeck.agents.error_reports import MEDIUM, error_report
from quarterdeck.agents.lines_fields import ID_CHARS_MAX
from quarterdeck.agents.lines_protocol import parse_line
from quarterdeck.agents.text_command import LineLengths, over_long, value_of
from quarterdeck.domain import reports
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

LAST_WORDS_BYTES = 4096
LAST_WORDS_CHARS = 1000
TARGET_CHARS = 2000
COUNT_MAX = 10**15
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class JsonStream(ListensOnly, ABC):
    """One agent whose stdout is JSON lines. `wire`: model, cwd and mark, as `launch.json` carries them."""

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self.model = str(wire.get("model") or "")
        self._cwd = str(wire.get("cwd") or "")
        self._mark = str(wire.get("mark") or "")
        self._lines, self._stderr = LineSplitter(), LineLengths()
        self._tail = Tail()
        self._last_words = b""
        self._has_begun = self._has_spoken = False
        self._lost_line_bytes = 0
        self.is_ending = False
        """The program is being ended: what ends from now on may have happened in part (EFF2)."""

    # ------------------------------------------------------------------ the wire

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        """Reports that these bytes complete."""
        if stream != "stdout":
            self._tail.add(chunk)
            self._last_words = (self._last_words + chunk)[-LAST_WORDS_BYTES:]
            return [over_long(stream, size) for size in self._stderr.count(chunk)]
        return self._reports_of(self._lines.split(chunk))

    def finish(self) -> Iterable[Report]:
        """An unfinished last line counts; then what the end means."""
        found = self._reports_of(self._lines.rest())
        if not self._has_begun and (words := self._words_on_stderr()):
            found.append(error_report(ErrorClass.OTHER, words, MEDIUM))
        return [*found, *self.at_end()]

    def end_begins(self) -> None:
        """From here on no end of a call is its own."""
        self.is_ending = True

    @property
    def has_spoken(self) -> bool:
        """Whether a text of its model came."""
        return self._has_spoken

    def tail(self) -> str:
        """The agent's texts, and what is no protocol."""
        return self._tail.text()

    def _reports_of(self, lines: list[bytes]) -> list[Report]:
        found: list[Report] = []
        for skipped in self._lines.take_over_long():
            self._lost_line_bytes = skipped.size_bytes
            found.append(over_long("stdout", skipped.size_bytes))
        for raw in lines:
            line = parse_line(raw)
            if line is None:
                self.show(raw)
            else:
                self._has_begun = True
                found.extend(self.take(line))
        return found

    def _words_on_stderr(self) -> str:
        """The last line: a program that says nothing else says there why it could not begin."""
        text = _COLOURS.sub("", self._last_words.decode("utf-8", "replace"))
        lines = text.strip().splitlines()
        return lines[-1].strip()[-LAST_WORDS_CHARS:] if lines else ""

    # ------------------------------------------------------------------ for the programs

    @abstractmethod
    def take(self, line: Mapping[str, Any]) -> Iterator[Report]:
        """The reports of one line; of an unknown one none."""

    @abstractmethod
    def at_end(self) -> Iterator[Report]:
        """What only the end of the streams tells."""

    def hear(self, text: str) -> None:
        """Show a text of the model."""
        self._has_spoken = True
        self.show(text)

    def show(self, text: str | bytes) -> None:
        """Put a text into the tail, as a line of its own."""
        piece = text if isinstance(text, bytes) else text.encode("utf-8", "replace")
        self._tail.add(piece if piece.endswith(b"\n") else piece + b"\n")

    def effect(
        self, name: str, state: str, type_: str, target: str, detail: str = "", code: object = None
    ) -> Report:
        """An effect of this attempt: programs count their calls anew in each, so its mark is part of the id. What ends while the
        program is being ended, or by a signal, stays open. code: how its command ended.
        """
        if state == "confirmed" and (self.is_ending or is_of_signal(code)):
            state, detail = "sent", ENDED_WITH_IT if self.is_ending else BY_SIGNAL
        return {
            "kind": reports.EFFECT,
            "id": cut(f"{self._mark}/{name}" if self._mark else name, ID_CHARS_MAX),
            "state": state,
            "type": type_,
            "target": cut(target, TARGET_CHARS),
            "detail": cut(detail, TARGET_CHARS),
        }

    def written(self, path: str) -> Report | None:
        """A file that a tool wrote, by its path inside the agent's folder; None where the path is none."""
        if not path or "\0" in path:
            return None
        inside = os.path.relpath(path, self._cwd) if self._cwd and os.path.isabs(path) else path
        name = path if inside.startswith("..") else inside
        return {"kind": reports.ARTIFACT, "name": cut(name, ID_CHARS_MAX), "source": {"path": path}}

    def output(self, text: str | None) -> Iterator[Report]:
        """The final text as the output: JSON where it is JSON."""
        if text is not None:
            yield {"kind": reports.OUTPUT, "value": value_of(text.strip())}
        elif self._lost_line_bytes:
            problem = "its line is too long to be read"
            size = self._lost_line_bytes
            yield {"kind": reports.OUTPUT, "value": None, "size_bytes": size, "problem": problem}


def cut(text: str, chars: int) -> str:
    """At most so many characters, that UTF-8 can carry; what is left out is shown by an ellipsis."""
    short = text if len(text) <= chars else text[: chars - 1] + "…"
    return text_of(short)[:chars]


def text_of(value: object) -> str:
    """A text that UTF-8 can carry, half a pair as its escape; nothing where it is none."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else ""


def part_of(value: object, *names: str) -> Mapping[str, Any]:
    """The object below these names; an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def count_of(value: object) -> int:
    """A sane count, else 0."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and 0 <= value <= COUNT_MAX else 0  # type: ignore[operator,return-value]
