"""The agents of an interrupted run that were not cut off: one line, and each of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.engine.recovery import OtherAgent
from quarterdeck.ui.badges import badge_of_word
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import one_line

tr = Texts("PresentRest")

NAMED_MAX, TITLE_MAX = 3, 40


def rest_words(rest: Sequence[OtherAgent]) -> tuple[str, tuple[str, ...]]:
    """(`3 more agents: Planner done · Drafter, Reviewer not started`, a line for each)."""
    if not rest:
        return "", ()
    by_state: dict[str, list[str]] = {}
    for agent in rest:
        by_state.setdefault(agent.display, []).append(one_line(agent.title, TITLE_MAX))
    if len(by_state) == 1:
        told = badge_of_word(rest[0].display).inner
    else:
        told = " · ".join(
            tr("{agents} {state}", agents=_named(titles), state=badge_of_word(state).inner)
            for state, titles in by_state.items()
        )
    whole = tr.count("{n} more agents: {told}", "{n} more agent: {told}", len(rest), told=told)
    lines = tuple(
        tr("{agent}: {state}", agent=one_line(a.title, 80), state=badge_of_word(a.display).inner)
        for a in rest
    )
    return whole, lines


def _named(titles: list[str]) -> str:
    if len(titles) == 2:
        return tr("{first} and {second}", first=titles[0], second=titles[1])
    if len(titles) <= NAMED_MAX:
        return ", ".join(titles)
    more = f"{len(titles) - NAMED_MAX + 1:,}"
    return tr("{agents} and {count} more", agents=", ".join(titles[: NAMED_MAX - 1]), count=more)
