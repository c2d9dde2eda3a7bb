"""What every list of workflows must say of each of them, from the runs alone. Imports nothing of the product.

OWN1, OWN3, REC1: the newest live run speaks, else the one that ended last; also for a workflow that nobody has opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.scenarios.naive_runs import Fact, Run
from tests.scenarios.naive_signs import run_badge
from tests.scenarios.naive_states import badge


def listed(flow: str, runs: Iterable[Run], now: Fact) -> tuple[Any, ...]:
    """Badge, number live and words of one workflow."""
    own = [run for run in runs if run.flow == flow]
    live = [run for run in own if run.live]
    if live:
        newest = max(live, key=lambda run: run.launch_seq)
        said = run_badge(newest, now)
        return said, len(live), f"{said[2]} · {len(live)} live"
    if not own:
        return badge("Not started"), 0, "Not started"
    said = run_badge(max(own, key=lambda run: run.end_seq or 0), now)
    return said, 0, said[2]
