"""The recovery dialog where nothing can be written: it shows the same, and offers nothing that would be. Pure (JNL8, JNL9)."""

from __future__ import annotations

from dataclasses import replace

from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_recovery import Going, RecoveryFacts, RunCard
from quarterdeck.ui.words import one_line

tr = Texts("PresentReadOnly")

WHY_MAX = 400


def only_read(facts: RecoveryFacts, why: str) -> RecoveryFacts:
    """The same while nothing can be written. why: in a sentence; empty: it can, and nothing changes."""
    if not why:
        return facts
    return replace(
        facts,
        read_only=one_line(in_words(why), WHY_MAX),
        cards=tuple(_only_read(card) for card in facts.cards),
    )


def _only_read(card: RunCard) -> RunCard:
    """Nobody is resumed and nothing settled; what else stands in the way is still said."""
    agents = tuple(
        replace(one, going=Going.READ_ONLY, can_check=False, note=tr("Read only"))
        if one.going in (Going.RESUME, Going.REOPENED)
        else replace(one, can_check=False)
        for one in card.agents
    )
    return replace(card, agents=agents)
