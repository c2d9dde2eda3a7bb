"""The line of a run that has no usable record: folded from its journal and reports. Blocking."""

from __future__ import annotations

import logging
from typing import Any

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.show import run_to_json
from quarterdeck.engine.disk_views import at_least, shown_view
from quarterdeck.store.data_folder import Store
from quarterdeck.store.journal import JournalRead

log = logging.getLogger(__name__)


def summary_of_journal(store: Store, run: RunId, read: JournalRead) -> dict[str, Any] | None:
    """The line, as `show` documents it; None where the journal cannot be folded, which is logged."""
    try:
        state = fold(read.entries)
    except DomainError as error:
        log.warning("the journal of run %s cannot be folded: %s", run, error)
        return None
    foreign = state.is_live and store.runs.is_owned(run)
    view = shown_view(store, state, foreign=foreign)
    return run_to_json(at_least(view) if read.damage else view, with_slots=False)
