"""The table of `docs/agents.md` is what the recorded runs come to: `python -m tests.agents.test_agents_page` prints it."""

from __future__ import annotations

from pathlib import Path

from tests.agents.test_claude_stream import NAMES, books_of, folded, stdout_of, told

PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
HEAD = "| scenario | exit | turns | tokens in / cached / out | cost | effects | error | output |\n|---|---|---|---|---|---|---|---|\n"
NOTHING = "–"


def table() -> str:
    """One row for each recording, by name."""
    return HEAD + "".join(map(_row, NAMES))


def _row(name: str) -> str:
    reports = told(stdout_of(name), answer="Deny" if name == "denied" else "Allow once")
    fold = folded(reports)
    figures = fold.totals()
    counted = [figures.tokens.input_tokens, figures.tokens.cache_read_tokens, figures.tokens.output_tokens]
    cells = [
        name,
        str(books_of(name)["code"]),
        str(fold.turns or NOTHING),
        " / ".join(map(str, counted)) if any(counted) else NOTHING,
        f"${figures.cost_usd}" if figures.cost_usd else NOTHING,
        ", ".join(f"{effect.type} {effect.state}" for effect in fold.effects.values()) or NOTHING,
        "; ".join(map(_error, (one for one in reports if one["kind"] == "error"))) or NOTHING,
        "yes" if fold.has_output else NOTHING,
    ]
    return f"| {' | '.join(cells)} |\n"


def _error(error: dict[str, object]) -> str:
    more = [str(error[name]) for name in ("strength", "status") if error[name] is not None]
    words = "tries again" if error.get("passing") else ""
    return f"{error['class']} ({', '.join([*more, *([words] if words else [])])})"


def test_the_table_of_the_page_is_what_the_recordings_give() -> None:
    assert table() in PAGE.read_text("utf-8")


if __name__ == "__main__":
    print(table(), end="")
