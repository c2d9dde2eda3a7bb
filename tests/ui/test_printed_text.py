"""What programs print is shown as what it is: colours as looks, everything else that is invisible as an escape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.ui.printed_text import ROW_CHARS_MAX, Hue, Ink, Piece, Printer, broken, raw_line


def text_of(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("printed", "looks"),
    [
        ("\x1b[31mred\x1b[0m plain", [("red", Hue.RED), (" plain", Hue.PLAIN)]),
        ("\x1b[92mok\x1b[39m x", [("ok", Hue.GREEN), (" x", Hue.PLAIN)]),
        ("\x1b[38;5;196mr\x1b[38;5;21mb", [("r", Hue.RED), ("b", Hue.BLUE)]),
        ("\x1b[38;2;0;200;0mg\x1b[m.", [("g", Hue.GREEN), (".", Hue.PLAIN)]),
        ("\x1b[38:2:200:0:200mm", [("m", Hue.MAGENTA)]),
        ("\x1b[48;5;1mon red", [("on red", Hue.PLAIN)]),
        ("\x1b[90mgrey", [("grey", Hue.GREY)]),
        ("\x1b[38;5mcut short", [("cut short", Hue.PLAIN)]),
    ],
)
def test_colours_are_told_apart(printed: str, looks: list[tuple[str, Hue]]) -> None:
    assert [(p.text, p.ink.hue) for p in Printer().line(printed)] == looks


def test_attributes_begin_and_end() -> None:
    pieces = Printer().line("\x1b[1;3;4mall\x1b[22;23mline\x1b[24mnone")
    assert [p.ink for p in pieces] == [
        Ink(is_bold=True, is_italic=True, is_underlined=True),
        Ink(is_underlined=True),
        Ink(),
    ]


def test_a_colour_goes_on_in_the_next_line_until_it_is_ended() -> None:
    printer = Printer()
    printer.line("\x1b[31mbegun")
    assert printer.line("still")[0].ink.hue is Hue.RED
    assert printer.line("\x1b[0mdone")[0].ink.hue is Hue.PLAIN


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2J\x1b[1;1Hmoved\x1b[K", "moved"),
        ("\x1b(Bcharset", "charset"),
        ("10 %\r50 %\r100 %", "100 %"),
        ("windows line\r", "windows line"),
        ("\x1b]0;never ended", "\\x1b]0;never ended"),
        ("bell\x07 and \u202eback\u202c", "bell\\x07 and \\u202eback\\u202c"),
    ],
)
def test_other_sequences_are_left_out_and_nothing_is_hidden(printed: str, shown: str) -> None:
    assert text_of(Printer().line(printed)) == shown


@given(st.text(max_size=300))
def test_whatever_is_printed_is_one_harmless_line(text: str) -> None:
    for pieces in (Printer().line(text.replace("\n", " ")), raw_line(text.encode("utf-8", "surrogatepass"))):
        shown = text_of(pieces)
        assert all(c.isprintable() or c in "\t\n" or c.isspace() for c in shown)
        assert "\x1b" not in shown
        assert "\u202e" not in shown


@given(st.lists(st.integers(0, 3 * ROW_CHARS_MAX), max_size=6))
def test_long_rows_are_broken_and_nothing_is_lost(lengths: list[int]) -> None:
    pieces = tuple(Piece(chr(97 + i) * length) for i, length in enumerate(lengths) if length)
    rows = broken(pieces)
    assert all(len(text_of(row)) <= ROW_CHARS_MAX for row in rows)
    assert "".join(map(text_of, rows)) == text_of(pieces)
    assert rows
