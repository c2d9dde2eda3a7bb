"""Runs that left the store and still speak for their workflow, by their lines of the ledger (C12, STO8). Blocking; light:
every process that lists runs may need it.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from quarterdeck.domain.record import summary_from_json
from quarterdeck.domain.states import Phase
from quarterdeck.domain.views import RunSummary
from quarterdeck.store.data_folder import Store

log = logging.getLogger(__name__)
DISCARD = "discard"
"""Kind of the ledger line of a run that a person discarded, or brought back."""
TOO_LARGE = "too_large"
"""Kind of the ledger line that says: this run was not kept (STO8)."""


def closed_runs(store: Store) -> tuple[RunSummary, ...]:
    """Runs that are not kept but were the last to end (C12, STO8): for projections, never for the list."""
    lines = [
        *((run, line, "discarded") for run, line in store.ledger.closings(DISCARD).items()),
        *((run, line, "not kept: too large") for run, line in store.ledger.closings(TOO_LARGE).items()),
    ]
    found = []
    for run, line, word in lines:
        try:
            if line.get("state") == "undone" or store.runs.folder(run).is_dir() or not line.get("summary"):
                continue
            summary = summary_from_json(line["summary"])
        except (KeyError, TypeError, ValueError) as error:
            log.info("the closing of run %s cannot be read: %s", run, error)
            continue
        found.append(replace(summary, phase=Phase.CLOSED, reason=word, unanswered=False, foreign=False))
    return tuple(found)
