"""Opening an ended run again for a person's reassign, claim or answer: its lock, journal, folds and pins. Blocking.

A run that its dead owner left live is settled first; attempts that were alive when it ended are looked at once more.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.guards import NO_SUCH_RUN
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.record import refused_of
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_state import RunState
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.damage import damage_of, refusal_for_damage
from quarterdeck.engine.disk_views import read_folds
from quarterdeck.engine.pinning import PinMissing
from quarterdeck.engine.run_plan import RunPlan, read_plan
from quarterdeck.engine.settling import Settlement
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, StoreDown, StoreTooNew, UnknownRun
from quarterdeck.store.journal import Journal
from quarterdeck.store.locks import HeldLock

log = logging.getLogger(__name__)
HELD_ELSEWHERE = Refusal(
    Code.E_OWNER, "Another Quarterdeck process has this run; ask there, or try again once it ended."
)


@dataclass(frozen=True, slots=True)
class Reopened:
    """An ended run in this session's hands."""

    state: RunState
    journal: Journal
    owner: HeldLock
    plan: RunPlan
    folds: Mapping[AttemptId, AttemptFold]
    refused: Mapping[AttemptId, int]
    """How many reports each attempt had that were refused, as the run's record knows it."""


def reopen_run(context: EngineContext, run: RunId) -> Reopened | Refusal:
    """Take the run's lock and read everything; the session lists the run before that (ruling 18), so that whoever finds
    the lock held may leave the run to this session.
    """
    context.budgets.refresh()
    try:
        if not context.store.runs.folder(run).is_dir():
            raise UnknownRun(run)
        context.session.list_run(run)
        owner = context.store.runs.own(run)
    except (UnknownRun, ValueError):
        return Refusal(Code.E_RUN, NO_SUCH_RUN)
    except StoreDown as error:
        return Refusal(Code.E_STORE, f"The run cannot be opened: {error}")
    if owner is None:
        context.session.forget_run(run)
        return HELD_ELSEWHERE
    try:
        opened = _read(context, run, owner)
    except PinMissing as error:
        opened = Refusal(Code.E_PIN_MISSING, str(error))
    except (UnknownRun, StoreDamaged, StoreTooNew, DomainError) as error:
        opened = Refusal(Code.E_RUN, f"The run cannot be opened: {error}")
    except StoreDown as error:
        opened = Refusal(Code.E_STORE, f"The run cannot be opened: {error}")
    except BaseException:
        owner.release()
        raise
    if isinstance(opened, Refusal):
        owner.release()
        context.session.forget_run(run)
    return opened


def _read(context: EngineContext, run: RunId, owner: HeldLock) -> Reopened | Refusal:
    store = context.store
    state = fold(store.runs.read(run).entries)
    holder = state.sitting.session_id
    if state.is_live and holder != context.session_id and store.sessions.is_alive(holder):
        return HELD_ELSEWHERE
    if state.tenant != context.tenant:
        return Refusal(Code.E_TENANT, NO_SUCH_RUN)
    if words := damage_of(store, run):
        return refusal_for_damage(run, words)
    plan, refused = read_plan(store.objects.get, state.header), _refused_before(store, run)
    journal = store.runs.open(run)
    try:
        settlement = Settlement(store, run, journal, context.now)
        if state.is_live:
            settlement.settle()
        else:
            settlement.settle_survivors()
        folds = read_folds(store, settlement.state)
    except BaseException:
        journal.close()
        raise
    return Reopened(settlement.state, journal, owner, plan, folds, refused)


def _refused_before(store: Store, run: RunId) -> dict[AttemptId, int]:
    try:
        return refused_of(store.records.read(run))
    except (StoreDamaged, StoreTooNew) as error:
        log.info("the record of run %s is not used: %s", run, error)  # The journal is the truth (ruling 15).
        return {}
