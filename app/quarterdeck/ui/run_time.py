"""How long a run ran, for every part of the window: the domain's figure, which prompt and terminal show as well."""

from __future__ import annotations

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.run_time import live_ms
from quarterdeck.domain.views import RunSummary, RunView, is_end_at_least
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import duration_text

__all__ = ["live_ms", "ran_text"]
tr = Texts("RunTime")


def ran_text(run: RunSummary | RunView, now: Moment) -> str:
    """`17m 04s`; `at least 17m 04s` of a run whose end is known only by its last sign (REC6)."""
    ran = duration_text(live_ms(run, now))
    return tr("at least {duration}", duration=ran) if is_end_at_least(run) else ran
