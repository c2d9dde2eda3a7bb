"""Bytes of a workflow file to a JSON document, with every fault of the text named by its place and line.

The fast path is the standard library's reader; places and lines are looked up only for faults, by a second, slower
and never recursive reading of the same text. What the document means is not judged here.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.workflow import FILE_BYTES_MAX

Path = tuple[str | int, ...]
"""`("nodes", 2, "agent")`; empty for the whole document."""

DEPTH_MAX = 64
DIGITS_MAX = 40
PROBLEMS_MAX = 100


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One fault: `place` is a JSON path such as `$.nodes[2].agent`; `line` counts from 1, 0 where there is no line."""

    place: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault whose line is not looked up yet."""

    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class DocumentRead:
    """A sound JSON text and its value."""

    text: str
    value: Any


def place_of(path: Path) -> str:
    """`$.nodes[2].agent`; a key that is no plain word is quoted: `$.agents["my agent"]`."""
    parts = ["$"]
    for step in path:
        if isinstance(step, int):
            parts.append(f"[{step}]")
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,99}", step):
            parts.append(f".{step}")
        else:
            parts.append(f"[{json.dumps(step[:100])}]")
    return "".join(parts)


def locate(text: str, faults: Iterable[Fault]) -> tuple[FileProblem, ...]:
    """The faults with their lines, in the order of the file; at most PROBLEMS_MAX, then one that counts the rest."""
    listed = list(dict.fromkeys(faults))
    shown = listed[:PROBLEMS_MAX]
    lines = lines_of(text, {fault.path for fault in shown}) if shown else {}
    problems = [FileProblem(place_of(f.path), lines[f.path], f.message) for f in shown]
    problems.sort(key=lambda problem: problem.line)
    if len(listed) > len(shown):
        problems.append(FileProblem("$", 0, f"and {len(listed) - len(shown):,} more like these"))
    return tuple(problems)


def read_document(
    content: bytes, too_large: Callable[[Any], Fault | None]
) -> DocumentRead | tuple[FileProblem, ...]:
    """The text and its JSON value, or all faults of the text. Never raises on any input.

    `too_large` judges the value before it is looked through, so that a hostile file costs little.
    """
    if len(content) > FILE_BYTES_MAX:
        said = f"the file has {len(content):,} bytes; at most {FILE_BYTES_MAX:,} are read"
        return (FileProblem("$", 0, said),)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        said = f"byte {error.start} (0x{content[error.start]:02x}) is not UTF-8; save the file as UTF-8"
        return (FileProblem("$", line, said),)
    seen = _Seen()
    try:
        value = json.loads(
            text,
            object_pairs_hook=seen.object,
            parse_constant=seen.constant,
            parse_int=seen.integer,
            parse_float=seen.number,
        )
    except json.JSONDecodeError as error:
        return (FileProblem("$", error.lineno, _syntax_words(error)),)
    except RecursionError:
        return (FileProblem("$", 0, f"the file is nested more than {DEPTH_MAX} levels deep"),)
    oversize = too_large(value)
    if oversize is not None:
        return locate(text, [oversize])
    faults = [*_duplicates(text)] if seen.has_duplicates else []
    faults += _value_faults(value)
    return locate(text, faults) if faults else DocumentRead(text, value)


class _Bad:
    """Stands for a number that is refused, until its place is known."""

    __slots__ = ("message",)

    def __init__(self, message: str) -> None:
        self.message = message


class _Seen:
    """Hooks of the reader."""

    def __init__(self) -> None:
        self.has_duplicates = False

    def object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            self.has_duplicates = True
        return made

    def constant(self, word: str) -> _Bad:
        return _Bad(f"{word} is not a number that JSON knows")

    def integer(self, digits: str) -> Any:
        if len(digits) > DIGITS_MAX:
            return _Bad(f"a number of {len(digits):,} digits is too long (at most {DIGITS_MAX})")
        return int(digits)

    def number(self, digits: str) -> Any:
        if len(digits) > DIGITS_MAX:
            return _Bad(f"a number of {len(digits):,} characters is too long (at most {DIGITS_MAX})")
        value = float(digits)
        return value if math.isfinite(value) else _Bad(f"{digits} is too large a number")


_SURROGATE = re.compile("[\ud800-\udfff]")


def _value_faults(document: Any) -> list[Fault]:
    """Depth, refused numbers, and text that is none; the reading stops at PROBLEMS_MAX faults."""
    faults: list[Fault] = []
    stack: list[tuple[Any, Path]] = [(document, ())]
    while stack and len(faults) < PROBLEMS_MAX:
        value, path = stack.pop()
        if isinstance(value, str):
            said = _text_fault(value)
            if said:
                faults.append(Fault(path, said))
        elif isinstance(value, _Bad):
            faults.append(Fault(path, value.message))
        elif isinstance(value, dict | list):
            if len(path) >= DEPTH_MAX:
                return [Fault(path[:4], f"this is nested more than {DEPTH_MAX} levels deep")]
            steps = value.items() if isinstance(value, dict) else enumerate(value)
            for key, inner in steps:
                if isinstance(key, str) and _text_fault(key):
                    faults.append(Fault(path, "a key holds a character that is no text"))
                elif not isinstance(inner, int | float | None):
                    stack.append((inner, (*path, key)))
    return faults[::-1]


def _text_fault(text: str) -> str | None:
    if not text.isascii() and _SURROGATE.search(text):
        return "the text holds half of a character (a lone surrogate)"
    if "\x00" in text:
        return "the text holds the NUL character"
    return None


def _syntax_words(error: json.JSONDecodeError) -> str:
    message = error.msg
    words = {
        "Expecting ',' delimiter": "a comma (or the closing bracket) is missing here",
        "Expecting ':' delimiter": "a colon is missing here",
        "Expecting value": "a value is missing here",
        "Expecting property name enclosed in double quotes": 'a name in "double quotes" is missing here',
        "Extra data": "the file goes on after its end",
    }
    for start, said in words.items():
        if message.startswith(start):
            message = said
    if error.pos == 0 and not error.doc.strip():
        message = "the file is empty"
    return f"the file is not valid JSON: {message[:1].lower()}{message[1:]} (column {error.colno})"


# ------------------------------------------------------------------------------------------- places

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def _walk(text: str, depth_max: int) -> Iterator[tuple[Path, int, bool]]:
    """(path, offset, is_key) of every member and element of valid JSON down to a depth, without recursion."""
    path: list[str | int] = []
    kinds: list[str] = []
    expects_key = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        first = token[0]
        if first in "{[":
            if kinds and kinds[-1] == "[" and len(path) <= depth_max:
                yield tuple(path), match.start(), False
            kinds.append(first)
            path.append("" if first == "{" else 0)
            expects_key = first == "{"
        elif first in "}]":
            kinds.pop()
            path.pop()
            expects_key = False
        elif first == ",":
            expects_key = kinds[-1] == "{"
            if kinds[-1] == "[":
                path[-1] = int(path[-1]) + 1
        elif expects_key:
            path[-1] = json.loads(token, strict=False)
            expects_key = False
            if len(path) <= depth_max:
                yield tuple(path), match.start(), True
        elif first != ":" and kinds and kinds[-1] == "[" and len(path) <= depth_max:
            yield tuple(path), match.start(), False


def member_span(text: str, path: Path) -> tuple[int, int]:
    """Start and end of the value that a member of valid JSON has. KeyError where there is no such member."""
    for found, offset, is_key in _walk(text, len(path)):
        if is_key and found == path:
            decoder = json.JSONDecoder(strict=False)
            _, after_key = decoder.raw_decode(text, offset)
            start = text.index(":", after_key) + 1
            start += len(text[start:]) - len(text[start:].lstrip())
            return start, decoder.raw_decode(text, start)[1]
    raise KeyError(place_of(path))


def lines_of(text: str, wanted: set[Path]) -> dict[Path, int]:
    """The line of each path, or of the nearest part around it that the text has."""
    prefixes = {path[:length] for path in wanted for length in range(1, len(path) + 1)}
    found: dict[Path, int] = {(): 1}
    line, upto = 1, 0
    for path, offset, _ in _walk(text, max(map(len, wanted))):
        if path in prefixes and path not in found:
            line += text.count("\n", upto, offset)
            upto = offset
            found[path] = line
    return {
        path: found[next(path[:n] for n in range(len(path), -1, -1) if path[:n] in found)] for path in wanted
    }


def _duplicates(text: str) -> Iterator[Fault]:
    seen: set[Path] = set()
    told: set[Path] = set()
    for path, offset, is_key in _walk(text, DEPTH_MAX):
        if is_key and path in seen and path not in told:
            told.add(path)
            line = text.count("\n", 0, offset) + 1
            yield Fault(path, f"the key {json.dumps(path[-1])[:100]} stands twice (again in line {line})")
            if len(told) >= PROBLEMS_MAX:
                return
        elif is_key:
            seen.add(path)
