"""Whether a run is left: live by its journal, its owner gone, and settled by nobody yet. The disk takes nothing, a newer version
wrote the store, or another process is just about it. Such a run is never shown live (REC3, REC6, JNL8).

Every reader that finds a run live asks here. Blocking; writes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quarterdeck.domain.events import Entry, RunEnded, RunLaunched, SittingOpened
from quarterdeck.domain.ids import RunId, SessionId
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import AttemptView, RunView, SlotView
from quarterdeck.engine.disk_views import at_least, shown_view
from quarterdeck.store.data_folder import Store
from quarterdeck.store.journal import JournalRead

CUT_OFF = frozenset({AttemptStatus.INTERRUPTED, AttemptStatus.NEVER_STARTED, AttemptStatus.LOST})


def left_state(store: Store, read: JournalRead) -> RunState | None:
    """The state in which settling would leave the run now (`foreseen`); None where it is not live, or its owner lives.

    read: its journal, with a readable header. Its owner may have ended it since, so it is read once more where that is found
    gone: from then on nobody writes but who settles it or takes it up. Raises StoreError, DomainError.
    """
    run = fold(read.entries[:1]).run_id
    if not _is_left(store, run, read.entries):
        return None
    again = store.runs.read(run).entries
    state = fold(again)
    if not state.is_live:
        return state
    if not _is_left(store, run, again):
        return None
    from quarterdeck.engine.foreseen import foresee  # large, and needed for such runs only

    return foresee(store, state)


def left_view(store: Store, read: JournalRead) -> RunView | None:
    """The view of such a state: nothing proves yet that its figures are all. As `left_state`."""
    state = left_state(store, read)
    return None if state is None else view_of_left(store, state)


def view_of_left(store: Store, state: RunState) -> RunView:
    """Where its end was journaled meanwhile, it is as any other. Else its figures, and those of each agent that settling would
    still have to look at, are the least: run, agent and attempt say so alike.
    """
    view = shown_view(store, state)
    if state.end_seq is not None:
        return view
    return replace(at_least(view), slots=tuple(_slot_at_least(state, slot) for slot in view.slots))


def _slot_at_least(state: RunState, slot: SlotView) -> SlotView:
    attempts = tuple(_attempt_at_least(state, attempt) for attempt in slot.attempts)
    is_whole = slot.cost_is_complete and attempts == slot.attempts
    return replace(slot, attempts=attempts, cost_is_complete=is_whole)


def _attempt_at_least(state: RunState, attempt: AttemptView) -> AttemptView:
    """It was cut off in the sitting that nobody has settled."""
    record = state.attempts[attempt.attempt_id]
    if record.status not in CUT_OFF or record.sitting != state.sitting.number:
        return attempt
    return replace(attempt, figures=replace(attempt.figures, cost_is_complete=False))


def _is_left(store: Store, run: RunId, entries: Sequence[Entry]) -> bool:
    """Whether the sitting has no end, and its session is gone: by the entries that open and end sittings alone."""
    for entry in reversed(entries):
        if isinstance(entry.event, RunEnded):
            return False
        if isinstance(entry.event, (SittingOpened, RunLaunched)):
            return _is_gone(store, entry.event.session_id, run)
    return False


def _is_gone(store: Store, session: SessionId, run: RunId) -> bool:
    """An owner whose session has lost its files lives, and says so by the run's lock; who settles a run has that as well."""
    if store.sessions.is_surely_gone(session):
        return True
    return store.sessions.is_gone(session) and not store.runs.is_owned(run)
