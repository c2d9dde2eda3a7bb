"""Runs that left the store and still speak for their workflow or stand in the day's sums, by their lines of the ledger
(C12, STO8, REC13). Blocking; light: every process that lists runs may need it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.record import summary_from_json
from quarterdeck.domain.states import Phase
from quarterdeck.domain.views import RunSummary
from quarterdeck.store import machine
from quarterdeck.store.data_folder import Store

log = logging.getLogger(__name__)
DISCARD = "discard"
"""Kind of the ledger line of a run that a person discarded, or brought back."""
TOO_LARGE = "too_large"
"""Kind of the ledger line that says: this run was not kept (STO8)."""
EVICTED = "evicted"
"""Kind of the ledger line of a run that left so that the store stays within its caps."""
EVICTED_WITHIN_MS = 48 * 3_600_000
"""Evicted runs are told for so long: they may have been launched today. None of them speaks for its workflow."""


def closed_runs(store: Store) -> tuple[RunSummary, ...]:
    """Runs that are not kept but were the last to end (C12, STO8), or were evicted a short while ago: for projections and
    sums, never for the list.
    """
    lines = [
        *((RunId(str(line.get("run"))), line, "not kept any more") for line in _evicted(store)),
        *((run, line, "discarded") for run, line in store.ledger.closings(DISCARD).items()),
        *((run, line, "not kept: too large") for run, line in store.ledger.closings(TOO_LARGE).items()),
    ]
    found: dict[RunId, RunSummary] = {}
    for run, line, word in lines:
        try:
            if line.get("state") == "undone" or store.runs.folder(run).is_dir() or not line.get("summary"):
                continue
            summary = summary_from_json(line["summary"])
        except (KeyError, TypeError, ValueError) as error:
            log.info("the closing of run %s cannot be read: %s", run, error)
            continue
        found[run] = replace(summary, phase=Phase.CLOSED, reason=word, unanswered=False, foreign=False)
    return tuple(found.values())


def _evicted(store: Store) -> Iterator[dict[str, Any]]:
    since_ms = machine.now().wall_ms - EVICTED_WITHIN_MS
    return takewhile(lambda line: int(line.get("at_ms") or 0) >= since_ms, store.ledger.newest(EVICTED))
