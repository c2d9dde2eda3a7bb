"""Runs that nobody owns and no session answers for: the file of their session is gone (REC6, case 44). Blocking.

They are taken from the list of runs, which has read them anyway: no journal is opened for this alone.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import RunId
from quarterdeck.engine.disk_views import read_state
from quarterdeck.engine.settling import Clock, LeftAlone, settle_owned
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import OF_THE_DISK, StoreDamaged, StoreDown, StoreTooNew, UnknownRun

log = logging.getLogger(__name__)


def settle_unowned(store: Store, runs: Iterable[RunId], now: Clock, left: LeftAlone) -> tuple[RunId, ...]:
    """Settle those that no session lists, living or dead, and that nobody holds; returns the runs that were touched.

    One that cannot be settled hinders no other. Raises StoreDown where the disk as a whole does not take it.
    """
    touched: list[RunId] = []
    for run in runs:
        if run in left.for_good:
            continue
        try:
            if _settle(store, run, now):
                touched.append(run)
        except UnknownRun:
            continue  # it was discarded or evicted meanwhile
        except (StoreDamaged, StoreTooNew, DomainError) as error:
            left.give_up(run, error)
        except Exception as error:
            if isinstance(error, (StoreDown, OSError)) and error.errno in OF_THE_DISK:
                raise
            left.tell(f"run {run}", error)
    return tuple(touched)


def _settle(store: Store, run: RunId, now: Clock) -> bool:
    if store.sessions.may_list(run):
        return False
    owner = store.runs.own(run)
    if owner is None:
        return False
    try:
        state = read_state(store, run)
        if not state.is_live or store.sessions.is_alive(state.sitting.session_id):
            return False  # ended meanwhile; or its owner has journaled it and not locked it yet
        settle_owned(store, run, now)
        log.warning("run %s was left by session %s, whose file is gone", run, state.sitting.session_id)
    finally:
        owner.release()
    return True
