"""Pinning a run, and letting go of that (STO7: a person's own pin beside that of the newest run). Blocking.

A pinned run and its transcripts never leave by a cap; a person may discard it all the same, and its pin comes back with
it. Every change, and every eviction, is under one lock: who was told that a run is pinned finds it kept.
"""

from __future__ import annotations

import logging

from quarterdeck.domain.guards import NO_SUCH_RUN
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.store.data_folder import Store

log = logging.getLogger(__name__)


def pin_run(store: Store, run: RunId, actor: str, now: Moment) -> RunId | Refusal:
    """Idempotent. E_RUN where it is not kept. Raises StoreDown."""
    with store.asides.lock():
        if not _is_kept(store, run):
            return _unknown(run)
        store.pinned.add(run, actor, now.wall_ms)
    log.info("run %s was pinned by %s", run, actor)
    return run


def unpin_run(store: Store, run: RunId, actor: str) -> RunId | Refusal:
    """Idempotent; it may leave by a cap from the next time on that room is made. E_RUN, StoreDown as in `pin_run`."""
    with store.asides.lock():
        if not _is_kept(store, run):
            return _unknown(run)
        store.pinned.remove(run)
    log.info("run %s was unpinned by %s", run, actor)
    return run


def forget_lost_pins(store: Store) -> None:
    """Pins of runs that are gone for good; a discarded run keeps its own as long as it can be brought back. StoreDown."""
    if not store.pinned.load():
        return
    with store.asides.lock():
        aside = {one.run for one in (*store.asides.discarded(), *store.asides.leaving())}
        for run in store.pinned.load() - aside:
            if not _is_kept(store, run):
                store.pinned.remove(run)


def _is_kept(store: Store, run: RunId) -> bool:
    try:
        return store.runs.folder(run).is_dir()
    except ValueError:
        return False


def _unknown(run: RunId) -> Refusal:
    return Refusal(Code.E_RUN, NO_SUCH_RUN, (("run", run),))
