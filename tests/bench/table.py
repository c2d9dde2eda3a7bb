"""The table of figures, as text and as JSON."""

from __future__ import annotations

import os
import platform
from dataclasses import asdict
from typing import Any

from tests.bench.row import BenchRow

VERDICTS = {True: "met", False: "MISSED", None: "–"}


def as_text(rows: list[BenchRow]) -> str:
    """One line a row: name, ratio, goal, verdict, what is compared; the measured values below it."""
    lines = [f"{'':<22}{'ratio':>10}  {'goal':>10}  {'':<7}"]
    for row in rows:
        ratio = "–" if row.ratio is None else f"{row.ratio:,.2f}×"
        sign = "≤" if row.sense == "at most" else "≥"
        lines.append(
            f"{row.name:<22}{ratio:>10}  {sign + ' ' + f'{row.goal:g}×':>10}  {VERDICTS[row.holds]:<7} {row.what}"
        )
        told = [f"{name} {_figure(value)}" for name, value in row.figures.items()]
        if row.note:
            told.append(row.note)
        if told:
            lines.append(" " * 53 + "; ".join(told))
    return "\n".join(lines)


def as_document(rows: list[BenchRow]) -> dict[str, Any]:
    """The same for programs, with the machine that it was measured on."""
    machine = {"cores": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()}
    return {"machine": machine, "rows": [{**asdict(row), "holds": row.holds} for row in rows]}


def _figure(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
