"""How long a run ran: the one figure that prompt, list, inspector, timeline, table, cards, terminal and exports show. Pure."""

from __future__ import annotations

from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.views import RunSummary, RunView


def live_ms(run: RunSummary | RunView, now: Moment) -> int:
    """How long a run was live, in milliseconds: its sittings together, what is between them left out."""
    if not run.sittings:
        return duration_ms(run.started_at, run.ended_at or now)
    return sum(duration_ms(s.opened_at, s.ended_at or now) for s in run.sittings)
