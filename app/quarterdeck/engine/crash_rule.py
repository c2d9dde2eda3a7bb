"""Three windows that crashed within five minutes: the next one opens records only (ruling 19). Blocking."""

from __future__ import annotations

import logging

from quarterdeck.store.crash_notes import CrashNotes
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError
from quarterdeck.store.machine import now
from quarterdeck.store.sessions import DeadSession

CRASHES_MAX = 3
WITHIN_MS = 5 * 60 * 1000
log = logging.getLogger(__name__)


def _notes(store: Store) -> CrashNotes:
    return CrashNotes(store.io, store.folder / "sessions")


def note_crash(store: Store, dead: DeadSession) -> None:
    """A window that did not end cleanly. A note that cannot be written hinders no settling."""
    if dead.clean or dead.identity is None or dead.identity.kind != "window":
        return
    try:
        _notes(store).note(dead.session_id, now().wall_ms)
    except StoreError as error:
        log.warning("a crash of a window could not be noted: %s", error)


def is_crash_loop(store: Store) -> bool:
    """Whether a window should open no workspace now."""
    return _notes(store).count_within(now().wall_ms, WITHIN_MS) >= CRASHES_MAX
