"""The table of `docs/agents.md` that says what is told after every kill: `python -m tests.programs.kills_table` writes it from the records
that `test_killed_live.py` keeps (`tests/programs/killed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tests.programs.berths import WAYS
from tests.programs.kills_kept import Record, kept, path_of
from tests.programs.moments import MOMENTS, Victim, words_of
from tests.programs.table import PAGE, page_with

BEGIN, END = "<!-- made by python -m tests.programs.kills_table -->\n", "<!-- end of the kills -->\n"
COSTS = {"whole": "whole cost", "at least": "cost at least", "unknown": "cost unknown"}
SESSIONS = {"kept": "session kept", "begun": "session begun", "none": "no session"}
Kept = Mapping[str, Mapping[str, Mapping[str, Record]]]


def records() -> Kept:
    """{program: {moment: {victim: what was told}}}"""
    return {name: kept(path_of(name, way.version)) for name, way in WAYS.items()}


def section(all_kept: Kept) -> str:
    """How many were killed, and the table, between the marks."""
    heads = ["killed", *(f"{WAYS[name].title} {WAYS[name].version}" for name in all_kept)]
    lines = [heads, ["---"] * len(heads), ["pairs", *map(_count, all_kept.values())]]
    for moment in MOMENTS:
        lines.append([words_of(moment), *(cell(seen.get(moment, {})) for seen in all_kept.values())])
    return BEGIN + "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n" + END


def _count(seen: Mapping[str, Mapping[str, Record]]) -> str:
    every = [record for by_victim in seen.values() for record in by_victim.values()]
    last = f"; the last process gone after {max(one['gone_s'] for one in every)} s at most" if every else ""
    trees = sum(one["containment"] == "tree" for one in every)
    return f"{len(every)} of {len(MOMENTS) * len(Victim)}, {trees} of them without a namespace{last}"


def cell(seen: Mapping[str, Record]) -> str:
    """What was told of one moment: how it ended by who was killed, its effects, cost and session."""
    if not seen:
        return "not played"
    by_end: dict[str, list[str]] = {}
    for victim in Victim:
        if victim in seen:
            by_end.setdefault(_end(seen[victim]), []).append(victim)
    ends = ", ".join(f"{end} ({', '.join(victims)})" for end, victims in by_end.items())
    told = [seen[victim] for victim in Victim if victim in seen]
    effects = _either(", ".join(one["effects"]) for one in told)
    costs, sessions = (
        _either(COSTS[one["cost"]] for one in told),
        _either(SESSIONS[one["session"]] for one in told),
    )
    return "; ".join(part for part in (ends, effects, costs, sessions) if part)


def _end(record: Record) -> str:
    return f"{record['end']} before the kill" if record["had_ended"] else str(record["end"])


def _either(words: Iterable[str]) -> str:
    return " or ".join(dict.fromkeys(filter(None, words)))


if __name__ == "__main__":
    PAGE.write_text(page_with(PAGE.read_text("utf-8"), section(records()), BEGIN, END), "utf-8")
