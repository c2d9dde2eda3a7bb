"""Any program as an agent: JSON objects, one a line, on stdout (design §7); all other lines are text.

Unknown types and fields are ignored; a known type with a wrong field counts as text. Only stdout speaks the protocol:
what stands on stderr is text whatever it looks like, and text never becomes a signal (AUT6).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from quarterdeck.agents import lines_fields as fields
from quarterdeck.agents.adapter import LineSplitter, ListensOnly, Tail, nests_too_deep
from quarterdeck.agents.error_reports import STRONG, error_report
from quarterdeck.agents.text_command import LineLengths, over_long
from quarterdeck.domain import reports
from quarterdeck.domain.kept_facts import QUESTIONS, FirstFacts, chars_of
from quarterdeck.domain.money import parse_usd, usd_text
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

Line = Mapping[str, Any]
EFFECT_STATES = frozenset({"intended", "sent", "confirmed", "refused"})
_AS_IT_IS = frozenset({"value", "data", "path", "text"})
_CARRY_VALUES = ("output", "checkpoint")
"""What carries a value of the agent's own: never changed, so a number that JSON does not know makes it no such line."""
_BEGINS_OUTPUT = re.compile(rb'\s*\{\s*"type"\s*:\s*"output"')
ERROR_CLASSES = frozenset(ErrorClass) - {ErrorClass.SPAWN, ErrorClass.BEYOND_LIMITS}
NOTE_KINDS = frozenset({"decision", "source", "other"})


class LinesProtocol(ListensOnly):
    """One agent that speaks the lines protocol."""

    def __init__(self) -> None:
        self._lines, self._stderr = LineSplitter(), LineLengths()
        self._tail = Tail()
        self._last_text: str | None = None
        self._has_spoken = False
        self._gave_output = self._takes_messages = False
        self._spelled: FirstFacts[dict[str, str]] = FirstFacts(QUESTIONS)
        """Of open questions that UTF-8 cannot carry: {id as told: {what is told: what the agent wrote}}; as many as are kept."""

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        """The reports of the lines that end in this chunk, in their order."""
        if stream != "stdout":
            self._tail.add(chunk)
            return [over_long(stream, size) for size in self._stderr.count(chunk)]
        return self._reports_of(self._lines.split(chunk))

    def finish(self) -> Iterable[Report]:
        """An unfinished last line counts; the last text is the output where none was given."""
        found = list(self._reports_of(self._lines.rest()))
        if not self._gave_output and self._last_text is not None:
            found.append({"kind": reports.OUTPUT, "value": self._last_text})
        return found

    def answer(self, request_id: str, answer: object) -> bytes | None:
        """The line of an answered approval, in the agent's own spelling."""
        spelled = self._spelled.get(request_id, {})
        self._spelled.drop(request_id)
        line = {
            "type": "approval",
            "id": spelled.get(request_id, request_id),
            "answer": spelled.get(answer, answer) if isinstance(answer, str) else answer,
        }
        return json.dumps(line).encode() + b"\n"

    def say(self, text: str) -> bytes | None:
        """The line of a person's message; None for an agent that has not said that it takes any."""
        if not self._takes_messages:
            return None
        return json.dumps({"type": "message", "text": text}).encode() + b"\n"

    @property
    def has_spoken(self) -> bool:
        """Whether it told a text."""
        return self._has_spoken

    def tail(self) -> str:
        """The agent's texts and its lines that are no protocol."""
        return self._tail.text()

    def _reports_of(self, lines: list[bytes]) -> list[Report]:
        found: list[Report] = []
        for skipped in self._lines.take_over_long():
            found.append(over_long("stdout", skipped.size_bytes))
            if _BEGINS_OUTPUT.match(skipped.head):
                found.append(self._lost_output(skipped.size_bytes, "its line is too long to be read"))
        for line in lines:
            report = self._report_of(line)
            if report is not None:
                found.append(report)
        return found

    def _report_of(self, raw: bytes) -> Report | None:
        inexact: list[str] = []
        line = _parsed(raw, inexact)
        if line is None or (inexact and line.get("type") in _CARRY_VALUES):
            self._say(raw)
            is_lost = _type_of(raw) == reports.OUTPUT
            return self._lost_output(len(raw), "its JSON cannot be read whole") if is_lost else None
        kind = line.get("type")
        if _may_hold_halves(raw):
            line = self._carried(line)
        reader = READERS.get(kind) if isinstance(kind, str) else None
        if kind == "text" and isinstance(line.get("text"), str):
            self._last_text = line["text"]
            self._has_spoken = True
            self._say(self._last_text.encode("utf-8", "replace"))
            return None
        if reader is None:
            return None
        try:
            report = reader(line)
        except fields.WrongField:
            self._say(raw)
            return None
        self._gave_output = self._gave_output or report["kind"] == reports.OUTPUT
        if report["kind"] == reports.SESSION:
            self._takes_messages = bool(report.get("messages"))
        return report

    def _carried(self, line: Line) -> Line:
        """Names and words that UTF-8 cannot carry (half of a pair, as of a file name) as escapes; values and paths as they are."""
        spelled: dict[str, str] = {}
        carried = {
            key: value if key in _AS_IT_IS else _escaped(value, spelled) for key, value in line.items()
        }
        if spelled and line.get("type") == "approval":
            self._spelled.put(str(carried.get("id")), spelled, chars_of(spelled))
        return carried

    def _lost_output(self, size_bytes: int, problem: str) -> Report:
        """An output that was given and cannot be had: the end is no success, and whoever waits for it is not begun."""
        self._gave_output = True
        return {"kind": reports.OUTPUT, "value": None, "size_bytes": size_bytes, "problem": problem}

    def _say(self, text: bytes) -> None:
        self._tail.add(text if text.endswith(b"\n") else text + b"\n")


def _escaped(value: object, spelled: dict[str, str]) -> object:
    if isinstance(value, list):
        return [_escaped(item, spelled) for item in value]
    if not isinstance(value, str):
        return value
    carried = value.encode("utf-8", "backslashreplace").decode("utf-8")
    if carried != value:
        spelled[carried] = value
    return carried


def parse_line(raw: bytes) -> Line | None:
    """The JSON object of a line; None where it is text. Numbers that are not finite become null."""
    return _parsed(raw, [])


def _parsed(raw: bytes, inexact: list[str]) -> Line | None:
    """As `parse_line`; the literals that became null are put into `inexact`."""

    def nothing(literal: str) -> None:
        inexact.append(literal)

    def finite(literal: str) -> float | None:
        value = float(literal)
        if math.isfinite(value):
            return value
        inexact.append(literal)
        return None

    if raw.lstrip()[:1] != b"{":
        return None
    try:
        value = json.loads(raw, parse_constant=nothing, parse_float=finite)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or nests_too_deep(value, raw.count(b"{") + raw.count(b"[")):
        return None
    return value


def _may_hold_halves(raw: bytes) -> bool:
    """Half of a pair stands there escaped, or as bytes that UTF-8 does not know."""
    return b"\\u" in raw or b"\xed" in raw


def _type_of(raw: bytes) -> object:
    """The type of an object that is JSON but for our limits, its encoding or control characters in its texts: numbers are not made,
    however large. None of what is text.
    """
    if raw.lstrip()[:1] != b"{":
        return None
    try:
        text = raw.decode("utf-8", "replace")
        value = json.loads(text, strict=False, parse_int=str, parse_float=str, parse_constant=str)
    except RecursionError:  # a thousand levels and more: then only how it begins can be told
        return reports.OUTPUT if _BEGINS_OUTPUT.match(raw) else None
    except ValueError:
        return None
    return value.get("type") if isinstance(value, dict) else None


# ------------------------------------------------------------------------------------------- one reader a type


def _session(line: Line) -> Report:
    report: Report = {
        "kind": reports.SESSION,
        "id": fields.identifier(line, "id"),
        "resumable": fields.flag(line, "resumable"),
    }
    return {**report, "messages": True} if fields.flag(line, "messages") else report


def _turn(_line: Line) -> Report:
    return {"kind": reports.TURN}


def _usage(line: Line) -> Report:
    cost_usd = parse_usd(line.get("cost_usd"))
    message_id = None if line.get("message_id") is None else fields.identifier(line, "message_id")
    return {
        "kind": reports.USAGE,
        "input_tokens": fields.count(line, "input_tokens"),
        "output_tokens": fields.count(line, "output_tokens"),
        "cache_read_tokens": fields.count(line, "cache_read_tokens"),
        "cache_write_tokens": fields.count(line, "cache_write_tokens"),
        "cost_usd": usd_text(cost_usd),
        "source": "unknown" if cost_usd is None else "reported",
        "model": fields.label(line, "model"),
        "message_id": message_id,
        "cumulative": fields.flag(line, "cumulative"),
    }


def _effect(line: Line) -> Report:
    return {
        "kind": reports.EFFECT,
        "id": fields.identifier(line, "id"),
        "state": fields.one_of(line, "state", EFFECT_STATES),
        "type": fields.text(line, "kind", ""),
        "target": fields.text(line, "target", ""),
        "detail": fields.text(line, "detail", ""),
    }


def _artifact(line: Line) -> Report:
    path, content = fields.whole_text(line, "path"), fields.whole_text(line, "text")
    if (path is None) == (content is None) or (path is not None and ("\0" in path or not path)):
        raise fields.WrongField("path")
    source = {"text": content} if path is None else {"path": path}
    return {"kind": reports.ARTIFACT, "name": fields.identifier(line, "name"), "source": source}


def _checkpoint(line: Line) -> Report:
    path = fields.whole_text(line, "path")
    report: Report = {"kind": reports.CHECKPOINT, "step": fields.identifier(line, "step")}
    if path is None:
        report["data"] = line.get("data")
    elif not path or "\0" in path:
        raise fields.WrongField("path")
    else:
        report["source"] = {"path": path}
    return report


def _note(line: Line) -> Report:
    kind = line.get("kind")
    note = kind if isinstance(kind, str) and kind in NOTE_KINDS else "other"
    return {"kind": reports.NOTE, "note": note, "text": fields.text(line, "text")}


def _progress(line: Line) -> Report:
    return {
        "kind": reports.PROGRESS,
        "done": fields.number(line, "done"),
        "total": fields.number(line, "total"),
        "label": fields.label(line, "label"),
    }


def _approval(line: Line) -> Report:
    report: Report = {
        "kind": reports.APPROVAL,
        "id": fields.identifier(line, "id"),
        **fields.question(line, "question"),
        "options": fields.texts(line, "options"),
    }
    for name in ("where", "network", "writes"):
        report |= fields.told(line, name)
    return report


def _error(line: Line) -> Report:
    kind = line.get("class")
    return error_report(
        kind if isinstance(kind, str) and kind in ERROR_CLASSES else ErrorClass.OTHER,
        fields.text(line, "message", ""),
        STRONG,  # who writes a line of the protocol says it on purpose
        retry_after_s=fields.number(line, "retry_after_s"),
        resets_at=_reset_time(line),
    )


def _reset_time(line: Line) -> str | int | float | None:
    """As it was said; what is no time takes nothing away from the error."""
    if isinstance(line.get("resets_at"), str):
        return fields.text(line, "resets_at")
    try:
        return fields.number(line, "resets_at")
    except fields.WrongField:
        return None


def _output(line: Line) -> Report:
    if "value" not in line:
        raise fields.WrongField("value")
    return {"kind": reports.OUTPUT, "value": line["value"]}


READERS: Mapping[str, Callable[[Line], Report]] = {
    "session": _session,
    "turn": _turn,
    "usage": _usage,
    "effect": _effect,
    "artifact": _artifact,
    "checkpoint": _checkpoint,
    "note": _note,
    "progress": _progress,
    "approval": _approval,
    "error": _error,
    "output": _output,
}
"""{`type` on the wire: its reader}; `text` has no report of its own."""
