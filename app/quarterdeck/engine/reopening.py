"""Opening an ended run again for a person's reassign or claim: its lock, its journal, its folds, its pins. Blocking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quarterdeck.domain.guards import NO_SUCH_RUN
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_state import RunState
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.disk_views import read_folds
from quarterdeck.engine.pinning import PinMissing
from quarterdeck.engine.run_plan import RunPlan, read_plan
from quarterdeck.store.errors import StoreDamaged, StoreDown, UnknownRun
from quarterdeck.store.journal import Journal
from quarterdeck.store.locks import HeldLock


@dataclass(frozen=True, slots=True)
class Reopened:
    """An ended run in this session's hands."""

    state: RunState
    journal: Journal
    owner: HeldLock
    plan: RunPlan
    folds: Mapping[AttemptId, AttemptFold]


def reopen_run(context: EngineContext, run: RunId) -> Reopened | Refusal:
    """Take the run's lock and read everything; the session lists the run before its journal is opened (ruling 18)."""
    try:
        owner = context.store.runs.own(run)
    except (UnknownRun, ValueError):
        return Refusal(Code.E_RUN, NO_SUCH_RUN)
    except StoreDown as error:
        return Refusal(Code.E_STORE, f"The run cannot be opened: {error}")
    if owner is None:
        return Refusal(
            Code.E_OWNER, "Another Quarterdeck process has this run; ask there, or try again once it ended."
        )
    try:
        opened = _read(context, run, owner)
    except PinMissing as error:
        opened = Refusal(Code.E_PIN_MISSING, str(error))
    except (UnknownRun, StoreDamaged) as error:
        opened = Refusal(Code.E_RUN, f"The run cannot be read: {error}")
    except StoreDown as error:
        opened = Refusal(Code.E_STORE, f"The run cannot be opened: {error}")
    if isinstance(opened, Refusal):
        owner.release()
    return opened


def _read(context: EngineContext, run: RunId, owner: HeldLock) -> Reopened | Refusal:
    context.session.list_run(run)
    state = fold(context.store.runs.read(run).entries)
    plan = read_plan(context.store.objects.get, state.header)
    folds = read_folds(context.store, state)
    return Reopened(state, context.store.runs.open(run), owner, plan, folds)
