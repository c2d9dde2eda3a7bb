"""A run as its files say: for runs of other processes, of earlier lives, and for recovery. Blocking; writes nothing.

The same folds as in a live run give the same view (design §5): journal first, then each attempt's reports up to its
last counted sequence; later ones are kept aside as late.
"""

from __future__ import annotations

from dataclasses import replace

from quarterdeck.domain.budget import NO_BUDGETS, pinned_budgets
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.join import run_view
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.views import RunView
from quarterdeck.engine.live_signs import live_signs
from quarterdeck.engine.pinning import PinMissing, read_workflow
from quarterdeck.engine.recalled import recall_effects
from quarterdeck.engine.report_folds import report_fold, upto_of
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.journal import JournalRead
from quarterdeck.store.machine import now


def read_state(store: Store, run: RunId) -> RunState:
    """The journal's fold. Raises UnknownRun, StoreDown, StoreDamaged where not even a header can be read."""
    return state_of(store, run, store.runs.read(run))


def state_of(store: Store, run: RunId, read: JournalRead) -> RunState:
    """The fold of a journal that was read. Raises StoreDamaged where not even a header can be read."""
    if not read.entries:
        raise StoreDamaged(str(store.runs.folder(run)), "its journal has no readable header")
    return fold(read.entries)


def read_folds(store: Store, state: RunState) -> dict[AttemptId, AttemptFold]:
    """The folds of every attempt, with the effects that the record knows of one whose reports are damaged."""
    folds = {
        attempt: report_fold(store.attempts, state.run_id, attempt, upto_of(record))
        for attempt, record in state.attempts.items()
    }
    recall_effects(store, state.run_id, folds)
    return folds


def shown_view(
    store: Store,
    state: RunState,
    *,
    foreign: bool = False,
    recording: bool | None = True,
    seen_at: Moment | None = None,
) -> RunView:
    """The view of a state that was read, with its attempts' reports. What a missing pin would tell is left out.

    seen_at: tell as well when its living agents printed last, and what, as their files say by then.
    """
    try:
        workflow = read_workflow(store.objects.get, state.pins.workflow)
    except PinMissing:
        kinds, budgets = {}, NO_BUDGETS
    else:
        kinds = {name: agent.kind for name, agent in workflow.agents.items()}
        budgets = pinned_budgets(workflow)
    folds = read_folds(store, state)
    live = live_signs(store, state, folds, seen_at) if seen_at is not None and state.is_live else {}
    owner = store.sessions.kind_of_owner(state.run_id) if foreign and state.is_live else ""
    return run_view(
        state, folds, live, kinds, budgets=budgets, foreign=foreign, owner=owner, recording=recording
    )


def read_view(store: Store, run: RunId, *, foreign: bool = False) -> RunView:
    """The run as it stands on disk. Raises UnknownRun, StoreDown, StoreDamaged.

    Whether a live run is being recorded is not known here: its owner knows.
    """
    return view_of_read(store, run, store.runs.read(run), foreign=foreign)


def view_of_read(store: Store, run: RunId, read: JournalRead, *, foreign: bool) -> RunView:
    """As `read_view`, of a journal that was read."""
    state = state_of(store, run, read)
    recording = None if state.is_live else True
    view = shown_view(store, state, foreign=foreign, recording=recording, seen_at=now() if foreign else None)
    return at_least(view) if read.damage else view


def at_least(view: RunView) -> RunView:
    """The view of what comes before a damage: there may have been more (JNL6)."""
    return replace(view, cost_is_complete=False)
