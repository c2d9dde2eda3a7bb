"""The table of what is killed when: each scenario has moments, each moment four victims. Pure.

What is played of it is another part each day, so that every pair comes by.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from tests.programs.scenarios import KILLED, RESUMED, SCENARIOS


class Victim(StrEnum):
    """Who is killed. WRAPPER: the program's own launcher where it has one, else a script of a person's around it."""

    APP = "app"
    SHIM = "shim"
    WRAPPER = "wrapper"
    AGENT = "agent"


class Sign(StrEnum):
    """What is waited for before the kill."""

    STARTED = "started"
    """The agent's process was begun."""
    ASKED = "asked"
    """So many requests for work are at the service."""
    QUESTION = "question"
    """A question waits for a person."""
    TOOL = "tool"
    """Its tool runs, and it has told all that it tells of it."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a scenario. words: for the table.

    nth: of the request for work that is waited for. is_cut: that request gets half of its answer and then silence, so that it is in
    flight. up_to_s: the kill comes at a time drawn from 0 to so much after the sign; whatever the program was at by then, what is told
    must be true. asks: the agent is launched with permissions by which it asks.
    """

    scenario: str
    words: str
    sign: Sign = Sign.ASKED
    nth: int = 1
    is_cut: bool = False
    up_to_s: float = 0.0
    asks: bool = False


CONTAINMENTS = ("auto", "tree")
REFUSED_S = 2.0
"""Programs try again, give up, tell it and end within that."""
_REFUSALS = ("auth401", "auth403", "bad400", "rate429", "rate429ra", "quota", "over529")
MOMENTS: Mapping[str, Moment] = {
    "plain": Moment("plain", "in the middle of its answer", is_cut=True),
    "tool": Moment("tool", "after the tool, in the middle of the next answer", nth=2, is_cut=True),
    "question": Moment("tool", "while its question waits", Sign.QUESTION, asks=True),
    "write": Moment("write", "after the file, in the middle of the next answer", nth=2, is_cut=True),
    "flood": Moment("flood", "in the middle of the flood", is_cut=True),
    "nokey": Moment("nokey", "up to 2 s after its start", Sign.STARTED, up_to_s=REFUSED_S),
    **{name: Moment(name, "up to 2 s after the first refusal", up_to_s=REFUSED_S) for name in _REFUSALS},
    "auth401mid": Moment("auth401mid", "up to 2 s after the refusal", nth=2, up_to_s=REFUSED_S),
    "drop": Moment("drop", "up to 2 s after the first break", up_to_s=REFUSED_S),
    "hang": Moment("hang", "while it waits"),
    "unknown": Moment("unknown", "up to 2 s after its start", Sign.STARTED, up_to_s=REFUSED_S),
    KILLED: Moment(KILLED, "while its tool runs", Sign.TOOL),
    RESUMED: Moment(RESUMED, "in the middle of its answer", is_cut=True),
}


NEVER = frozenset({("codex", "question")})
"""(program, moment) that is never come to: Codex asks nobody; a person is asked by codex-acp."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One kill. moment: a key of MOMENTS. containment: `auto` or `tree`."""

    program: str
    moment: str
    victim: Victim
    containment: str

    def __str__(self) -> str:
        return f"{self.program}-{self.moment}-{self.victim}-{self.containment}"


def whole_table(program: str) -> list[Pair]:
    """Every moment with every victim, once each, mixed; half of them in either containment."""
    both = [(moment, victim) for moment in MOMENTS for victim in Victim]
    random.Random(program).shuffle(both)
    return [Pair(program, *one, CONTAINMENTS[nth % 2]) for nth, one in enumerate(both)]


def part_of(number: int, program: str, size: int) -> list[Pair]:
    """The part of that number, from 0: after the last part every pair came by, and the next begins again, each in the other
    containment.
    """
    whole = whole_table(program)
    round_, first = divmod(number * size, len(whole))
    return [
        _turned(whole[nth % len(whole)], round_ + nth // len(whole)) for nth in range(first, first + size)
    ]


def _turned(pair: Pair, times: int) -> Pair:
    nth = CONTAINMENTS.index(pair.containment) + times
    return replace(pair, containment=CONTAINMENTS[nth % 2])


def pair_of(text: str) -> Pair:
    """As it is printed."""
    left, _, containment = text.rpartition("-")
    left, _, victim = left.rpartition("-")
    program, _, moment = left.rpartition("-")
    return Pair(program, moment, Victim(victim), containment)


def words_of(moment: str) -> str:
    """How the table calls it."""
    one = MOMENTS[moment]
    return f"{SCENARIOS[one.scenario].words}: {one.words}"
