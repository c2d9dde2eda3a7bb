"""A run as its files say: for runs of other processes, of earlier lives, and for recovery. Blocking; writes nothing.

The same folds as in a live run give the same view (design §5): journal first, then each attempt's reports up to its
last counted sequence; later ones are kept aside as late.
"""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.join import run_view
from quarterdeck.domain.reports_fold import AttemptFold, Baseline, baseline_of
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.views import RunView
from quarterdeck.engine.attempt_ends import SILENT_KINDS
from quarterdeck.engine.pinning import PinMissing, read_workflow
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged


def read_state(store: Store, run: RunId) -> RunState:
    """The journal's fold. Raises UnknownRun, StoreDown, StoreDamaged where not even a header can be read."""
    read = store.runs.read(run)
    if not read.entries:
        raise StoreDamaged(str(store.runs.folder(run)), "its journal has no readable header")
    return fold(read.entries)


def read_folds(store: Store, state: RunState, kinds: Mapping[str, str]) -> dict[AttemptId, AttemptFold]:
    """The folds of every attempt, each with what its predecessors of the slot counted as baseline. kinds: {agent: kind}."""
    folds: dict[AttemptId, AttemptFold] = {}
    for slot in state.slots.values():
        before: list[AttemptFold] = []
        for attempt_id in slot.attempts:
            attempt = state.attempts[attempt_id]
            tells_cost = kinds.get(attempt.agent, "command") not in SILENT_KINDS
            folded = read_fold(store, state, attempt, baseline_of(before), tells_cost)
            before.append(folded)
            folds[attempt_id] = folded
    return folds


def read_fold(
    store: Store, state: RunState, attempt: AttemptRecord, baseline: Baseline, reports_cost: bool
) -> AttemptFold:
    """One attempt's reports: those up to `upto` count, later ones are late. reports_cost: whether its kind tells its usage."""
    folded = AttemptFold(baseline, reports_cost=reports_cost)
    reports = store.attempts.reports(state.run_id, attempt.attempt_id).objects
    upto = attempt.ended.upto if attempt.ended is not None else None
    for report in reports:
        if upto is None or report["seq"] <= upto:
            folded.apply(report)
        else:
            folded.apply_late(report)
    if attempt.ended is not None:
        folded.close()
    return folded


def agent_kinds(store: Store, state: RunState) -> Mapping[str, str]:
    """{agent name: kind} from the pinned workflow; empty where the pin is missing (the view then says less)."""
    try:
        workflow = read_workflow(store.objects.get, state.pins.workflow)
    except PinMissing:
        return {}
    return {name: agent.kind for name, agent in workflow.agents.items()}


def read_view(store: Store, run: RunId, *, foreign: bool = False) -> RunView:
    """The run as it stands on disk. Raises UnknownRun, StoreDown, StoreDamaged.

    Whether a live run is being recorded is not known here: its owner knows.
    """
    state = read_state(store, run)
    kinds = agent_kinds(store, state)
    folds = read_folds(store, state, kinds)
    recording = None if state.is_live else True
    owner = store.sessions.kind_of_owner(run) if foreign and state.is_live else ""
    return run_view(state, folds, {}, kinds, foreign=foreign, owner=owner, recording=recording)
