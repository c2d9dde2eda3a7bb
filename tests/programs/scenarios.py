"""The one list of what every program is played in, and what a row of the table in `docs/agents.md` is called. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

KILLED, RESUMED = "killed", "resumed"
"""Played together: a session is killed in a tool call, then taken up by its id."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """words: for the table. served: what the scripted service answers; empty: as the scenario is called."""

    words: str
    served: str = ""
    has_key: bool = True
    is_of_unknown_session: bool = False


SCENARIOS: Mapping[str, Scenario] = {
    "plain": Scenario("an answer without tools"),
    "tool": Scenario("a shell command"),
    "write": Scenario("a file written"),
    "flood": Scenario("a flood of words"),
    "nokey": Scenario("no key", "plain", has_key=False),
    "auth401": Scenario("key refused at the start"),
    "auth401mid": Scenario("401 after a tool call"),
    "auth403": Scenario("403"),
    "bad400": Scenario("400"),
    "rate429": Scenario("429"),
    "rate429ra": Scenario("429 with `retry-after: 2`"),
    "quota": Scenario("quota used up"),
    "over529": Scenario("overloaded (529, 503)"),
    "drop": Scenario("connection dropped in each answer"),
    "hang": Scenario("the service never answers"),
    "unknown": Scenario("an unknown session", "plain", is_of_unknown_session=True),
    KILLED: Scenario("SIGKILL in a tool call", "slowtool"),
    RESUMED: Scenario("its session taken up again", "plain"),
}
PLAYED = tuple(name for name in SCENARIOS if name != RESUMED)
"""What is played, each once; `killed` gives the row of `resumed` as well."""
