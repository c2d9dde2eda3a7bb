"""Foreign text as it is shown: honest emoji stay whole, and a joiner anywhere else is seen."""

from __future__ import annotations

import pytest

from quarterdeck.cli.plain_text import clipped
from quarterdeck.domain.text import escaped
from quarterdeck.ui.words import one_line

JOINER = "\u200d"
CODER = "\U0001f469\u200d\U0001f4bb"
KISS = "\U0001f469\u200d\u2764\ufe0f\u200d\U0001f48b\u200d\U0001f468"
HONEST = (
    CODER,
    KISS,
    "\U0001f469\U0001f3fd\u200d\U0001f680",
    "\U0001f3f3\ufe0f\u200d\U0001f308",
    "\U0001f3c3\U0001f3fe\u200d\u2640\ufe0f\u200d\u27a1\ufe0f",
    "\u26f9\ufe0f\u200d\u2642\ufe0f",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
)


@pytest.mark.parametrize("emoji", HONEST)
def test_an_emoji_that_is_joined_of_several_is_shown_as_it_is(emoji: str) -> None:
    for text in (emoji, f"Review {emoji} code", f"a\n{emoji}{emoji}"):
        assert escaped(text, keep="\n") == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ad\u200dmin", "ad\\u200dmin"),
        ("\u200d", "\\u200d"),
        ("\U0001f469\u200d", "\U0001f469\\u200d"),
        ("\u200d\U0001f4bb", "\\u200d\U0001f4bb"),
        ("\U0001f469\u200d\u200d\U0001f4bb", "\U0001f469\\u200d\\u200d\U0001f4bb"),
        ("\U0001f469\u200dx", "\U0001f469\\u200dx"),
        ("1\u200d2", "1\\u200d2"),
        ("\U0001f469\u200b\u200d\U0001f4bb", "\U0001f469\\u200b\\u200d\U0001f4bb"),
        ("\u202e" + CODER, "\\u202e" + CODER),
        ("\u0928\u094d\u200d", "\u0928\u094d\\u200d"),
    ],
)
def test_a_joiner_that_joins_no_emoji_is_seen(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_chain_longer_than_any_emoji_does_not_hide_what_it_says() -> None:
    assert "\\u200d" in escaped(JOINER.join(["\U0001f469"] * 9))


def test_a_cut_in_the_middle_of_an_emoji_leaves_no_joiner_behind() -> None:
    assert one_line(f"ab{CODER}cd", 5) == "ab\U0001f469…"
    assert clipped(f"ab{CODER}cd", 5) == "ab\U0001f469…"
