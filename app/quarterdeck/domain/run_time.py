"""How long a run ran: the one figure that prompt, list, inspector, timeline, table, cards, terminal and exports show. Pure."""

from __future__ import annotations

from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.views import RunSummary, RunView


def live_ms(run: RunSummary | RunView, now: Moment) -> int:
    """How long a run was live, in milliseconds: its sittings together, what is between them left out. Of one that is not live nothing
    grows (REC6).
    """
    end = now if run.is_live else run.ended_at
    spans = [(s.opened_at, s.ended_at or end) for s in run.sittings] or [(run.started_at, end)]
    return sum(duration_ms(start, over) for start, over in spans if over is not None)
