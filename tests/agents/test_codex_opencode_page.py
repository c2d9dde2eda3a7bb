"""The table of `docs/codex-and-opencode.md` is what the recorded runs come to: `python -m tests.agents.test_codex_opencode_page` prints it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.replays import FOLDER, fold_of, of_kind, recording, reports_of

PAGE = Path(__file__).parents[2] / "docs" / "codex-and-opencode.md"
HEAD = "| scenario | exit | turns | tokens in / cached / out | cost | effects | error | output |\n|---|---|---|---|---|---|---|---|\n"
NOTHING = "–"


def table(program: str) -> str:
    """One row for each recording, by name."""
    return HEAD + "".join(_row(program, path.stem) for path in sorted((FOLDER / program).glob("*.json")))


def _row(program: str, scenario: str) -> str:
    recorded = recording(program, scenario)
    reports = reports_of(recorded)
    fold = fold_of(reports, code=recorded.code if recorded.code >= 0 else None)
    figures = fold.totals()
    tokens = figures.tokens
    counted = f"{tokens.input_tokens} / {tokens.cache_read_tokens} / {tokens.output_tokens}"
    errors = [_error(error) for error in of_kind(reports, "error")]
    cells = [
        scenario,
        str(recorded.code) if recorded.code >= 0 else "killed",
        str(fold.turns or NOTHING),
        counted if any((tokens.input_tokens, tokens.output_tokens)) else NOTHING,
        NOTHING if figures.cost_usd is None else f"${figures.cost_usd}",
        ", ".join(f"{effect.type} {effect.state}" for effect in fold.effects.values()) or NOTHING,
        "; ".join(errors) or NOTHING,
        "yes" if fold.has_output else NOTHING,
    ]
    return f"| {' | '.join(cells)} |\n"


def _error(error: dict[str, object]) -> str:
    more = [str(error[name]) for name in ("strength", "status") if error[name] is not None]
    return f"{error['class']} ({', '.join(more)})" if more else str(error["class"])


@pytest.mark.parametrize("program", ["codex", "opencode"])
def test_the_table_of_the_page_is_what_the_recordings_give(program: str) -> None:
    assert table(program) in PAGE.read_text("utf-8")


if __name__ == "__main__":
    for name in ("codex", "opencode"):
        print(table(name))
