"""How long a run ran: the one figure that prompt, list, inspector, timeline, table, cards, terminal and exports show. Pure."""

from __future__ import annotations

from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.views import AttemptView, RunSummary, RunView


def live_ms(run: RunSummary | RunView, now: Moment) -> int:
    """How long a run was live, in milliseconds: its sittings together, what is between them left out. Of one that is not live nothing
    grows (REC6).
    """
    end = now if run.is_live else run.ended_at
    spans = [(s.opened_at, s.ended_at or end) for s in run.sittings] or [(run.started_at, end)]
    return sum(duration_ms(start, over) for start, over in spans if over is not None)


def is_time_at_least(attempt: AttemptView) -> bool:
    """Whether an attempt worked for so long at least: no more is known than its last sign, or when contact was lost (REC6)."""
    return attempt.ended_at_least or (attempt.ended_at is None and attempt.lost_at is not None)
