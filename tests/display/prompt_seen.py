"""The prompt as assistive programs are told it, read back into the document that `recover --json` prints, as far as it is shown.

So one judge (`tests.e2e.prompt_judge`) serves terminal and window. Imports nothing of the product.
"""

from __future__ import annotations

import re
from typing import Any

from tests.display.person import Thing

DIALOG = "Interrupted runs"
SENTENCE = "Interrupted agents will not spend or act until you resume them one by one."
_RUN = re.compile(
    r"^(r-[0-9a-f]{4,}) · started .* · (\d+) turns? · (at least )?(?:\$([0-9.,]+)|cost unknown)$"
)
_AGENT = re.compile(r"^attempt (\d+) · (\d+) turns?(?: in all)?$")
_MORE = re.compile(r"and (\d+) more(?! that were settled)")
_FORBIDDEN = re.compile(r"\b([Rr]unning|[Cc]ontinu|[Rr]esuming|(?<!ran for )at least)")


def in_dialog(seen: list[Thing]) -> list[Thing]:
    """Everything in the prompt, depth first."""
    return [t for t in seen if t.path[:1] == (DIALOG,)]


def read_prompt(seen: list[Thing], runs: list[str]) -> tuple[dict[str, Any], list[str]]:
    """(its document, faults in its words). runs: the whole ids that its short ones may mean."""
    names = [t.name for t in seen if t.name]
    faults = [f"it says {name!r}" for name in names if _FORBIDDEN.search(name)]
    if not any(SENTENCE in name for name in names):
        faults.append("its sentence is not there")
    told: list[dict[str, Any]] = []
    agents: list[dict[str, Any]] = []
    for thing in seen:
        if run := _RUN.match(thing.name):
            (whole,) = [one for one in runs if one.startswith(run[1])]
            cost = run[4].replace(",", "") if run[4] else None
            told.append({"run_id": whole, "turns": int(run[2]), "cost_usd": cost, "agents": agents})
            agents = []  # a card tells its rows first
        else:
            _read_agent(thing, agents)
    for agent in (agent for run in told for agent in run["agents"]):
        if not agent["node_id"]:
            faults.append(f"an agent has no way to resume it: {agent}")
    if not told:
        faults.append(f"no run is told of: {names}")
    return {"runs": told, "unreadable": []}, faults


def _read_agent(thing: Thing, agents: list[dict[str, Any]]) -> None:
    """What belongs to the newest agent, in the order in which a row is told."""
    if agent := _AGENT.match(thing.name):
        made = {"attempt": int(agent[1]), "turns": int(agent[2]), "node_id": "", "slot_id": ""}
        agents.append(made | {"effects": 0, "survivors": []})
    elif agents and thing.name.startswith("Outside effects: "):
        rest = _MORE.search(thing.name)
        agents[-1]["effects"] = thing.name.count(" may have happened") + (int(rest[1]) if rest else 0)
    elif agents and thing.role == "push button" and thing.name.startswith("Resume "):
        node = thing.name.removeprefix("Resume ").lower()
        agents[-1] |= {"node_id": node, "slot_id": node}
