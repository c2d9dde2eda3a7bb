"""The palette (ux, State palette): contrast of every text, and difference of the families for every kind of sight.

The figures are those that were measured when the palette was made, to one decimal.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from quarterdeck.ui.tokens import CONTRAST, DARK, LIGHT, Tokens
from tests.ui.colour_math import MACHADO, ciede2000, contrast, seen_as

THEMES = (LIGHT, DARK, CONTRAST)
APART_MIN = {"light": 9.8, "dark": 13.3, "contrast": 14.0}


def test_the_difference_is_that_of_the_published_pairs() -> None:
    """Sharma, Wu and Dalal's test data: pairs 1, 7, 17 and 25."""
    for one, other, expected in (
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ):
        assert ciede2000(one, other) == pytest.approx(expected, abs=0.0001)


@pytest.mark.parametrize("tokens", THEMES, ids=lambda t: t.name)
def test_every_state_word_can_be_read_on_its_chip_and_on_every_surface(tokens: Tokens) -> None:
    least_on_chip, least_on_surface = (7.0, 7.0) if tokens is CONTRAST else (4.7, 4.8)
    for family, tone in tokens.tones.items():
        assert round(contrast(tone.text, tone.tint), 1) >= least_on_chip, family
        for surface in (tokens.card, tokens.window):
            assert round(contrast(tone.text, surface), 1) >= least_on_surface, (family, surface)


@pytest.mark.parametrize("tokens", THEMES, ids=lambda t: t.name)
def test_every_text_can_be_read_where_it_stands(tokens: Tokens) -> None:
    for text in (tokens.text, tokens.muted, tokens.faint):
        for surface in (tokens.card, tokens.window, tokens.field):
            assert contrast(text, surface) >= 4.5, (text, surface)
    assert contrast(tokens.on_accent, tokens.accent) >= 4.5
    assert contrast(tokens.text, tokens.hover) >= 4.5


def least_apart(tokens: Tokens) -> tuple[float, str]:
    """The two families that are hardest to tell apart by their text colour, over all kinds of sight."""
    return min(
        (
            ciede2000(seen_as(tokens.tones[a].text, sight), seen_as(tokens.tones[b].text, sight)),
            f"{a} {b} {sight}",
        )
        for sight in MACHADO
        for a, b in combinations(tokens.tones, 2)
    )


@pytest.mark.parametrize("tokens", THEMES, ids=lambda t: t.name)
def test_families_differ_for_normal_protan_deutan_and_tritan_sight(tokens: Tokens) -> None:
    apart, which = least_apart(tokens)
    assert round(apart, 1) >= APART_MIN[tokens.name], which
