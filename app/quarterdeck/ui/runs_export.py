"""The run list as CSV or JSON, of the newest view where one is known: exact amounts, times in UTC. Pure.

It holds what the list shows, in a form that does not depend on the person's language: `state` is the English word, and
what practice agents pretended stands apart from `cost_usd`, which was paid.

A cell that a spreadsheet would take for a formula is preceded by an apostrophe: names and reasons are foreign text.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from quarterdeck.domain.moment import Moment, iso_utc
from quarterdeck.domain.practice import spent
from quarterdeck.domain.views import RunSummary, RunView
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
    "tokens_cache_read",
    "tokens_cache_write",
    "tokens_out",
    "cost_usd",
    "cost_is_complete",
    "practice_usd",
    "cost_source",
)


Run = RunSummary | RunView


def runs_json(runs: Iterable[Run]) -> str:
    """One object a run in a list; amounts as decimal strings, null where unknown."""
    return json.dumps([_fields(run) for run in runs], indent=2, ensure_ascii=False) + "\n"


def runs_csv(runs: Iterable[Run]) -> str:
    """A heading and one line a run (RFC 4180); unknown amounts are empty."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(FIELDS)
    for run in runs:
        writer.writerow([_cell(value) for value in _fields(run).values()])
    return out.getvalue()


def _fields(run: Run) -> dict[str, Any]:
    cost, tokens = spent(run), run.tokens
    values = (
        run.run_id,
        run.workflow_id,
        run.workflow_name,
        str(badge_of_run(run).state),
        run.reason,
        run.is_live,
        run.foreign,
        _at(run.started_at),
        _at(run.ended_at),
        run.turns,
        tokens.input_tokens,
        tokens.cache_read_tokens,
        tokens.cache_write_tokens,
        tokens.output_tokens,
        _amount(cost.paid),
        cost.complete,
        _amount(cost.practice),
        cost.source,
    )
    return dict(zip(FIELDS, values, strict=True))


def _amount(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"


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
