"""The table of `docs/agents.md` that says what every program gives in every scenario: `python -m tests.programs.table` writes it
from the records that the live tests keep (`tests/programs/seen`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.programs.berths import WAYS
from tests.programs.scenarios import SCENARIOS
from tests.programs.seen import KINDS, Record, kept, path_of

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
BEGIN, END = "<!-- made by python -m tests.programs.table -->\n", "<!-- its end -->\n"
NOTHING = "–"
STOPPED = "does not end by itself: stopped by a person"
Records = Mapping[str, Mapping[str, Record]]


def records() -> Records:
    """{program: {scenario: what was seen}}"""
    return {name: kept(path_of(name, way.version)) for name, way in WAYS.items()}


def section(all_seen: Records) -> str:
    """Both tables, between the marks."""
    parts = (
        "How it ends, and which error is told:\n",
        _table(all_seen, end_cell),
        "What is counted and kept (tokens in / cached / out):\n",
        _table(all_seen, figures_cell),
    )
    return BEGIN + "\n".join(("", *parts)) + "\n" + END


def _table(all_seen: Records, cell: Callable[[Record], str]) -> str:
    heads = ["scenario", *(f"{WAYS[name].title} {WAYS[name].version}" for name in all_seen)]
    lines = [heads, ["---"] * len(heads)]
    for scenario, told in SCENARIOS.items():
        cells = (cell(seen[scenario]) if scenario in seen else "not played" for seen in all_seen.values())
        lines.append([told.words, *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def end_cell(seen: Record) -> str:
    """How it ended, and its errors."""
    is_stopped = seen["exit"] == "stopped by a person"
    how = STOPPED if is_stopped else "done" if seen["end"] == "succeeded" else seen["end"]
    if seen["exit"].startswith("SIG"):
        how += f", {seen['exit']}"
    return "; ".join([how, *seen["errors"]])


def figures_cell(seen: Record) -> str:
    """Turns, tokens, cost, effects, files, output, session."""
    turns = seen["turns"]
    said = [f"{turns} turn{'s' * (turns != 1)}"] if turns else []
    if any(seen["tokens"].values()) or any(seen["booked"].values()):
        said += [_tokens(seen), _cost(seen)]
    said += [", ".join(seen["effects"])] if seen["effects"] else []
    said += [f"asked {seen['questions']}×"] if seen["questions"] else []
    said += [f"file {name}" for name in seen["files"]]
    said += ["output"] if seen["output"] else []
    said += [{"kept": "session kept", "begun": "session begun", "none": "no session"}[seen["session"]]]
    return "; ".join(said)


def _tokens(seen: Record) -> str:
    counted, booked = (_three(seen[name]) for name in ("tokens", "booked"))
    return counted if seen["tokens"] == seen["booked"] else f"{counted} of {booked} booked"


def _three(tokens: Mapping[str, int]) -> str:
    fresh, read, written, given = (tokens[kind] for kind in KINDS)
    return f"{fresh} / {read}{f' + {written} written' if written else ''} / {given}"


def _cost(seen: Record) -> str:
    if seen["cost_usd"] is None:
        return "cost unknown"
    least = "" if seen["cost_is_complete"] else "at least "
    return f"{least}${seen['cost_usd']} {seen['cost_source']}"


def page_with(text: str, made: str, begin: str = BEGIN, end: str = END) -> str:
    """The page with the section in its place. Raises ValueError where the marks are not there."""
    before, found, rest = text.partition(begin)
    _, ends, after = rest.partition(end)
    if not found or not ends:
        raise ValueError(f"no marks in {PAGE}")
    return before + made + after


if __name__ == "__main__":
    PAGE.write_text(page_with(PAGE.read_text("utf-8"), section(records())), "utf-8")
