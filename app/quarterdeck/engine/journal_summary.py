"""The line of a run that has no usable record: folded from its journal and reports. Blocking."""

from __future__ import annotations

import logging
from typing import Any

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.show import run_to_json
from quarterdeck.engine.damage import judge_damage, record_of
from quarterdeck.engine.damaged_runs import damaged_view
from quarterdeck.engine.disk_views import at_least, shown_view
from quarterdeck.engine.left_runs import left_state, view_of_left
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.index import summary_of_record
from quarterdeck.store.journal import JournalRead

log = logging.getLogger(__name__)
LEFT = "is_left"


def summary_of_journal(store: Store, run: RunId, read: JournalRead) -> dict[str, Any]:
    """The line, as `show` documents it, and under LEFT whether settling is still owed. A damage is told to the index, by whoever has the run or not. Raises StoreDamaged where
    the journal cannot be folded: such a run is named, and never as if there were none.
    """
    is_owned = store.runs.is_owned(run)
    damage = None if is_owned else judge_damage(store, run, read, record_of(store, run))
    try:
        if damage is not None:
            store.index.tell_in_part(run, damage.told)
            if damage.record is not None:
                told = summary_of_record(dict(damage.record))
                return told | {"unanswered": False} if damage.answered else told
            return run_to_json(damaged_view(store, run, read, damage), with_slots=False)
        if (left := left_state(store, read)) is not None:
            return run_to_json(view_of_left(store, left), with_slots=False) | {LEFT: left.end_seq is None}
        state = fold(read.entries)
    except DomainError as error:
        log.warning("the journal of run %s cannot be folded: %s", run, error)
        raise StoreDamaged(str(store.runs.folder(run)), f"its journal cannot be followed: {error}") from error
    view = shown_view(store, state, foreign=state.is_live and is_owned)
    return run_to_json(at_least(view) if read.damage else view, with_slots=False)
