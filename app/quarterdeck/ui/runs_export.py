"""The run list as CSV or JSON, from the summaries: exact amounts, times in UTC. Pure.

A cell that a spreadsheet would take for a formula is preceded by an apostrophe: names and reasons are foreign text.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from quarterdeck.domain.moment import Moment, iso_utc
from quarterdeck.domain.views import RunSummary
from quarterdeck.ui.badges import badge_of_run

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
FIELDS = (
    "run_id",
    "workflow_id",
    "workflow_name",
    "state",
    "reason",
    "is_live",
    "in_another_process",
    "started_at",
    "ended_at",
    "turns",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "cost_is_complete",
)


def runs_json(runs: Iterable[RunSummary]) -> str:
    """One object a run in a list; amounts as decimal strings, null where unknown."""
    return json.dumps([_fields(run) for run in runs], indent=2, ensure_ascii=False) + "\n"


def runs_csv(runs: Iterable[RunSummary]) -> str:
    """A heading and one line a run (RFC 4180); unknown amounts are empty."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(FIELDS)
    for run in runs:
        writer.writerow([_cell(value) for value in _fields(run).values()])
    return out.getvalue()


def _fields(run: RunSummary) -> dict[str, Any]:
    values = (
        run.run_id,
        run.workflow_id,
        run.workflow_name,
        badge_of_run(run).word,
        run.reason,
        run.is_live,
        run.foreign,
        _at(run.started_at),
        _at(run.ended_at),
        run.turns,
        run.tokens.input_tokens,
        run.tokens.output_tokens,
        None if run.cost_usd is None else f"{run.cost_usd:f}",
        run.cost_is_complete,
    )
    return dict(zip(FIELDS, values, strict=True))


def _at(moment: Moment | None) -> str | None:
    return iso_utc(moment.wall_ms) if moment is not None else None


def _cell(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str() if value.startswith(FORMULA_STARTS):
            return f"'{value}"
        case _:
            return str(value)
