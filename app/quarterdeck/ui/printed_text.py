"""What a program printed, as it may be shown: colours as looks, everything else that is invisible as an escape. Pure.

Only the select-graphic-rendition sequence is understood, and of it what a text can show; titles, links, cursor moves and
other sequences are left out, and a line that was overwritten (carriage return) shows its last state. The raw view shows
every character.
"""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from quarterdeck.ui.words import shown_plainly

ROW_CHARS_MAX = 2_000
"""Longer lines are broken for display: a paragraph of megabytes stops any text view."""


class Hue(StrEnum):
    """The colours that are told apart; the theme says how each looks, so that all can be read."""

    PLAIN = ""
    RED = "red"
    GREEN = "green"
    YELLOW = "yellow"
    BLUE = "blue"
    MAGENTA = "magenta"
    CYAN = "cyan"
    GREY = "grey"


@dataclass(frozen=True, slots=True)
class Ink:
    """How a piece of text looks. `role`: what it is in its block (`mono`, `body`, `head`, `muted`, …)."""

    role: str = "mono"
    hue: Hue = Hue.PLAIN
    is_bold: bool = False
    is_dim: bool = False
    is_italic: bool = False
    is_underlined: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of one row."""

    text: str
    ink: Ink = Ink()


_SEQUENCE = re.compile(
    r"\x1b\[(?P<sgr>[0-9;:]*)m"
    r"|\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]P^_X][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[ -/]+[0-~]|\x1b[0-Z\\^-~]"
)
_BASIC = (Hue.GREY, Hue.RED, Hue.GREEN, Hue.YELLOW, Hue.BLUE, Hue.MAGENTA, Hue.CYAN, Hue.PLAIN)
_ATTRIBUTES: Mapping[int, Callable[[Ink], Ink]] = {
    1: lambda ink: replace(ink, is_bold=True),
    2: lambda ink: replace(ink, is_dim=True),
    3: lambda ink: replace(ink, is_italic=True),
    4: lambda ink: replace(ink, is_underlined=True),
    22: lambda ink: replace(ink, is_bold=False, is_dim=False),
    23: lambda ink: replace(ink, is_italic=False),
    24: lambda ink: replace(ink, is_underlined=False),
}


class Printer:
    """Turns lines into pieces; a colour that was not ended goes on in the next line."""

    def __init__(self, role: str = "mono") -> None:
        self._plain = Ink(role)
        self._ink = self._plain

    def line(self, content: bytes | str) -> tuple[Piece, ...]:
        """One line without its newline."""
        text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
        if "\r" in text:
            text = next((part for part in reversed(text.split("\r")) if part), "")
        if "\x1b" not in text:
            return (Piece(shown_plainly(text), self._ink),) if text else ()
        return tuple(self._pieces(text))

    def _pieces(self, text: str) -> Iterator[Piece]:
        place = 0
        for found in _SEQUENCE.finditer(text):
            if found.start() > place:
                yield Piece(shown_plainly(text[place : found.start()]), self._ink)
            if found["sgr"] is not None:
                self._ink = _moved(self._ink, found["sgr"], self._plain)
            place = found.end()
        if place < len(text):
            yield Piece(shown_plainly(text[place:]), self._ink)


def _moved(ink: Ink, parameters: str, plain: Ink) -> Ink:
    codes = [int(code[:4]) if code else 0 for code in re.split("[;:]", parameters)] if parameters else [0]
    place = 0
    while place < len(codes):
        code = codes[place]
        place += 1
        if code == 0:
            ink = plain
        elif code in _ATTRIBUTES:
            ink = _ATTRIBUTES[code](ink)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            ink = replace(ink, hue=_BASIC[code % 10] if code != 90 else Hue.GREY)
        elif code == 39:
            ink = replace(ink, hue=plain.hue)
        elif code in {38, 48}:
            hue, used = _wide_colour(codes[place:])
            place += used
            ink = replace(ink, hue=hue) if code == 38 else ink
    return ink


def _wide_colour(codes: list[int]) -> tuple[Hue, int]:
    """Colour of `5;n` or `2;r;g;b`, and how many codes it took."""
    if codes[:1] == [5] and len(codes) >= 2:
        return _of_palette(codes[1]), 2
    if codes[:1] == [2] and len(codes) >= 4:
        return _nearest(*codes[1:4]), 4
    return Hue.PLAIN, len(codes)


def _of_palette(number: int) -> Hue:
    if number < 16:
        return Hue.GREY if number == 8 else _BASIC[number % 8]
    if number >= 232:
        return Hue.GREY if number < 250 else Hue.PLAIN
    red, green, blue = (number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6
    return _nearest(red * 51, green * 51, blue * 51)


def _nearest(red: int, green: int, blue: int) -> Hue:
    hue, light, strength = colorsys.rgb_to_hls(*(min(255, part) / 255 for part in (red, green, blue)))
    if strength < 0.2 or light < 0.08 or light > 0.94:
        return Hue.PLAIN if light > 0.7 else Hue.GREY
    around = (Hue.RED, Hue.YELLOW, Hue.GREEN, Hue.CYAN, Hue.BLUE, Hue.MAGENTA)
    return around[round(hue * 6) % 6]


def raw_line(content: bytes) -> tuple[Piece, ...]:
    """One line with every character visible."""
    text = content.decode("utf-8", "backslashreplace")
    return (Piece(shown_plainly(text), Ink()),) if text else ()


def broken(pieces: tuple[Piece, ...]) -> list[tuple[Piece, ...]]:
    """Rows of at most ROW_CHARS_MAX characters; at least one."""
    if sum(len(piece.text) for piece in pieces) <= ROW_CHARS_MAX:
        return [pieces]
    rows: list[tuple[Piece, ...]] = []
    row: list[Piece] = []
    room = ROW_CHARS_MAX
    for piece in pieces:
        text = piece.text
        while text:
            row.append(Piece(text[:room], piece.ink))
            text, room = text[room:], room - min(room, len(text))
            if room == 0:
                rows.append(tuple(row))
                row, room = [], ROW_CHARS_MAX
    return [*rows, tuple(row)] if row else rows
