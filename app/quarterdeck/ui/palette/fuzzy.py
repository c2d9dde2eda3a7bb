"""How well typed letters fit a text. Pure."""

from __future__ import annotations

WORD_START, RUN_ON, FIRST, GAP = 8, 6, 10, 1
GAP_MAX = 6


def score(typed: str, text: str) -> int | None:
    """A number that is higher the better all letters of `typed` are found in order in `text`; None where they are not.

    Beginnings of words and letters in a row count most. Words of `typed` may come in any order.
    """
    total = 0
    for word in typed.casefold().split():
        best = _score_word(word, text.casefold())
        if best is None:
            return None
        total += best
    return total


def _score_word(word: str, text: str) -> int | None:
    place = text.find(word)
    if place >= 0:
        whole = len(word) * (RUN_ON + 1)
        at_start = place == 0 or not text[place - 1].isalnum()
        return whole + (WORD_START if at_start else 0) + (FIRST if place == 0 else 0)
    total, last = 0, -1
    for letter in word:
        place = _next(letter, text, last + 1)
        if place < 0:
            return None
        is_start = place == 0 or not text[place - 1].isalnum()
        total += 1 + (WORD_START if is_start else 0) + (RUN_ON if place == last + 1 else 0)
        total -= min(GAP_MAX, (place - last - 1) * GAP)
        last = place
    return total


def _next(letter: str, text: str, start: int) -> int:
    """The next place of a letter; one at the beginning of a word before a nearer one inside."""
    nearest = text.find(letter, start)
    place = nearest
    while place >= 0:
        if place == 0 or not text[place - 1].isalnum():
            return place
        place = text.find(letter, place + 1)
    return nearest
