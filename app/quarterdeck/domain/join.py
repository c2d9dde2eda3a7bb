"""The join: journal fold and report folds together give the view of a run (design §5).

`active`, `held`, `paused`, `stopping` and *Needs you* are projections made here, and so is every word that a person
reads. Nothing here judges by arrival: live view, restored view, record and tests all come from `run_view`.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from quarterdeck.domain.allowed import allowed_of
from quarterdeck.domain.asked import messages_of, open_approvals, waiting_for_leave
from quarterdeck.domain.budget import NO_BUDGETS, NO_LIMITS, Budgets, limit_of
from quarterdeck.domain.budget_words import whose
from quarterdeck.domain.effect_table import NOT_BEGUN, EffectMove, effect_after
from quarterdeck.domain.figures import FiguresTotals, TokenCounts, source_of
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.kept_views import KeptViews
from quarterdeck.domain.last_signs import (
    attempt_end,
    is_attempt_end_at_least,
    report_moment,
    sitting_view,
)
from quarterdeck.domain.messages import takes_messages
from quarterdeck.domain.money import ZERO, sum_known
from quarterdeck.domain.outputs import file_of
from quarterdeck.domain.practice import PRACTICE, told_apart
from quarterdeck.domain.reports_fold import BEYOND_LIMITS, NOTHING_SPENT, AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.shown import attempt_reason, attempt_status, display_of, slot_reason
from quarterdeck.domain.states import AttemptStatus, EffectState, LeaseStatus, SlotState
from quarterdeck.domain.usage_limits import beyond_words
from quarterdeck.domain.views import (
    AnsweredView,
    AttemptView,
    EffectView,
    ErrorView,
    ReopenedView,
    RunSummary,
    RunView,
    SettledView,
    SleepView,
    SlotView,
    warned_view,
)


@dataclass(frozen=True, slots=True)
class LiveTotals:
    """The last running totals that a living attempt's shim sent; shown until its end is journaled."""

    figures: FiguresTotals
    tail: str = ""
    progress: tuple[float, float | None, str] | None = None
    last_output_boot_ms: int | None = None


# ------------------------------------------------------------------------------------------- one attempt


def slot_state(state: RunState, slot: SlotRecord, fold: AttemptFold | None) -> SlotState:
    """The slot's joined state: ACTIVE and HELD come from the reports of its newest attempt (C9)."""
    if slot.is_asking:
        return SlotState.HELD
    attempt = state.prior_of(slot)
    if slot.state is not SlotState.CLAIMED or attempt is None or fold is None or fold.started is None:
        return slot.state
    return SlotState.HELD if fold.paused else SlotState.ACTIVE


def figures_of(attempt: AttemptRecord, fold: AttemptFold | None, live: LiveTotals | None) -> FiguresTotals:
    """Journaled figures after the end; before it the shim's last totals, else what the fold has. What a lost agent that tells
    its cost spends beyond its keeper's last word is not known: "at least" (ruling 11), and so where its reports are damaged.
    """
    if attempt.ended is not None:
        return _at_least(attempt.ended.figures, fold is not None and bool(fold.unread))
    if live is not None:
        figures = live.figures
    else:
        figures = NOTHING_SPENT if fold is None else fold.totals()
    return _at_least(figures, attempt.status is AttemptStatus.LOST)


def _at_least(figures: FiguresTotals, is_untold: bool) -> FiguresTotals:
    return (
        replace(figures, cost_is_complete=False) if is_untold and figures.cost_source != "none" else figures
    )


def effects_of(state: RunState, attempt: AttemptRecord, fold: AttemptFold) -> tuple[EffectView, ...]:
    """Effects as they stand: at the end `sent` becomes unknown (EFF2, ruling 13), but what waited for leave was not begun, however
    its keeper ended; what was settled outranks both.
    """
    views = []
    is_over = attempt.is_terminal or attempt.status is AttemptStatus.LOST
    waited = waiting_for_leave(state, attempt, fold) if is_over else frozenset()
    for effect in fold.effects.values():
        after, detail = effect.state, effect.detail
        if effect.id in waited and after in (EffectState.INTENDED, EffectState.SENT):
            after, detail = effect_after(effect.id, after, EffectMove.REFUSE), NOT_BEGUN
        elif attempt.is_terminal:
            after = effect_after(effect.id, after, EffectMove.END)
        key = (attempt.attempt_id, effect.id)
        settled = state.settled.get(key)
        if settled is not None:
            after = EffectState(settled.state)
        said = None
        if settled is not None:
            said = SettledView(settled.value, settled.reason, settled.actor, state.settled_at[key])
        views.append(EffectView(effect.id, after, effect.type, effect.target, detail, said))
    return tuple(views)


def attempt_view(
    state: RunState,
    attempt: AttemptRecord,
    fold: AttemptFold | None,
    live: LiveTotals | None,
    kinds: Mapping[str, str],
    budgets: Budgets,
) -> AttemptView:
    """The view of one attempt. Tail, progress and last output are shown while it lives and never after."""
    ended = attempt.ended
    shown_live = live if ended is None else None
    pinned = budgets.get((state.slots[attempt.slot_id].node_id, attempt.agent), NO_LIMITS)
    view = AttemptView(
        attempt_id=attempt.attempt_id,
        epoch=attempt.epoch,
        agent=attempt.agent,
        agent_kind=kinds.get(attempt.agent, ""),
        worker_class=attempt.worker_class,
        status=attempt_status(state, attempt, fold),
        lease=attempt.lease or LeaseStatus.GRANTED,
        reason=attempt_reason(attempt),
        started_at=None,
        ended_at=attempt_end(attempt, fold),
        ended_at_least=is_attempt_end_at_least(attempt, fold),
        lost_at=attempt.lost_at if attempt.status is AttemptStatus.LOST else None,
        evidence=ended.evidence.value if ended is not None else None,
        end_reason=ended.reason if ended is not None else None,
        figures=figures_of(attempt, fold, live),
        upto=ended.upto if ended is not None else 0,
        exit_code=ended.exit_code if ended is not None else None,
        signal=ended.signal if ended is not None else None,
        tail=shown_live.tail if shown_live is not None else "",
        last_output_at_ms=shown_live.last_output_boot_ms if shown_live is not None else None,
        progress=shown_live.progress if shown_live is not None else None,
        budget_usd=limit_of(state, attempt, pinned.usd),
        max_turns=pinned.turns,
        timeout_s=pinned.time_s,
    )
    return view if fold is None else _with_reports(view, state, attempt, fold)


def _with_reports(
    view: AttemptView, state: RunState, attempt: AttemptRecord, fold: AttemptFold
) -> AttemptView:
    started = fold.started or {}
    return replace(
        view,
        started_at=report_moment(fold.started, attempt, fold) if fold.started is not None else None,
        session_id=fold.session_id,
        pid=started.get("pid"),
        containment=started.get("containment"),
        cwd=started.get("cwd"),
        program=str(started.get("program") or ""),
        program_version=fold.program_version,
        progress=None if attempt.ended is not None else view.progress or fold.progress,
        effects=effects_of(state, attempt, fold),
        artifacts=fold.artifacts,
        takes_messages=takes_messages(view.agent_kind, fold.takes_messages),
        messages=messages_of(state, attempt, fold),
        errors=fold.errors
        + tuple(ErrorView(BEYOND_LIMITS, words) for words in beyond_words(view.figures.beyond)),
        output=fold.output,
        has_output=fold.has_output,
        output_file=file_of(fold.output_report),
        late=fold.totals(late=True) if fold.has_late else None,
    )


# ------------------------------------------------------------------------------------------- one slot


def _slot_agent(state: RunState, slot: SlotRecord, attempt: AttemptRecord | None) -> str:
    if slot.reopened is not None:
        return slot.reopened.spec.agent
    if attempt is not None:
        return attempt.agent
    if slot.chosen is not None:
        return slot.chosen.agent
    specs = state.specs.get(slot.node_id)
    return specs[0].agent if specs else ""


def slot_view(
    state: RunState,
    slot: SlotRecord,
    folds: Mapping[AttemptId, AttemptFold],
    live: Mapping[AttemptId, LiveTotals],
    kinds: Mapping[str, str],
    budgets: Budgets,
) -> SlotView:
    """The view of one slot; its sums are those of its attempts, late usage included."""
    attempt = state.prior_of(slot)
    fold = folds.get(attempt.attempt_id) if attempt is not None else None
    views = tuple(
        attempt_view(state, state.attempts[i], folds.get(i), live.get(i), kinds, budgets)
        for i in slot.attempts
    )
    approvals = open_approvals(state, slot, attempt, fold)
    agent, figures = _slot_agent(state, slot, attempt), _all_figures(views)
    return SlotView(
        slot_id=slot.slot_id,
        node_id=slot.node_id,
        title=slot.title,
        state=slot_state(state, slot, fold),
        display=display_of(state, slot, fold, bool(approvals)),
        reason=slot_reason(slot, attempt),
        agent=agent,
        agent_kind=kinds.get(agent, ""),
        prior_attempt=slot.prior,
        reopened=_reopened_view(slot),
        attempts=views,
        approvals=approvals,
        retry_at_ms=slot.retry_at_ms,
        turns=sum(f.turns for f in figures),
        cost_usd=sum_known(f.cost_usd for f in figures),
        cost_is_complete=all(f.cost_is_complete for f in figures),
        cost_source=source_of(f.cost_source for f in figures),
        is_practice=kinds.get(agent) == PRACTICE,
        alternatives=tuple(one.agent for one in state.specs.get(slot.node_id, ()) if one.agent != agent),
        **_said(state, slot),
        raised_to=state.slot_budgets.get(slot.slot_id) if state.is_live else None,
    )


def _said(state: RunState, slot: SlotRecord) -> dict[str, Any]:
    """What a person answered and allowed, and why its last claim was refused."""
    return {
        "answers": _answers(slot),
        "allowed": allowed_of(state, slot.slot_id),
        "refused": slot.refusal.code if slot.refusal is not None else "",
    }


def _answers(slot: SlotRecord) -> tuple[AnsweredView, ...]:
    return tuple(AnsweredView(e.request_id, e.choice, e.actor, at, e.because) for e, at in slot.answered)


def _slot_of(
    state: RunState,
    folds: Mapping[AttemptId, AttemptFold],
    live: Mapping[AttemptId, LiveTotals],
    kinds: Mapping[str, str],
    budgets: Budgets,
    slot: SlotRecord,
) -> SlotView:
    return slot_view(state, slot, folds, live, kinds, budgets)


def _reopened_view(slot: SlotRecord) -> ReopenedView | None:
    reopened = slot.reopened
    if reopened is None:
        return None
    spec = reopened.spec
    return ReopenedView(reopened.reason, reopened.actor, reopened.at, spec.agent, spec.worker_class)


def _all_figures(views: tuple[AttemptView, ...]) -> list[FiguresTotals]:
    return [f for view in views for f in (view.figures, view.late) if f is not None]


# ------------------------------------------------------------------------------------------- the run


def run_view(
    state: RunState,
    folds: Mapping[AttemptId, AttemptFold],
    live: Mapping[AttemptId, LiveTotals],
    kinds: Mapping[str, str],
    *,
    budgets: Budgets = NO_BUDGETS,
    foreign: bool = False,
    owner: str = "",
    recording: bool | None = True,
    kept: KeptViews | None = None,
) -> RunView:
    """The whole run. kinds: {agent name: agent kind}; kept: keeps the views of slots that did not change, no more."""
    make = functools.partial(_slot_of, state, folds, live, kinds, budgets)
    slots = (kept or KeptViews()).views(state, folds, live, (kinds, budgets), make)
    return RunView(
        run_id=state.run_id,
        workflow_id=state.header.workflow_id,
        workflow_name=state.header.workflow_name,
        launch_seq=state.header.launch_seq,
        end_seq=state.end_seq,
        phase=state.phase,
        outcome=state.outcome,
        reason=state.message,
        exit_code=state.exit_code,
        **_run_course(state, folds),
        pins=state.pins,
        **_run_sums(slots),
        budget_usd=state.budget_usd,
        accepted_by=state.header.actor,
        accepted_at=state.launched_at,
        outcome_asked=state.header.outcome_asked,
        slots=slots,
        stopping=state.is_live and state.stop_requested is not None,
        recording=recording,
        foreign=foreign,
        owner=owner,
        seq=state.seq,
        unanswered=state.is_unanswered,
    )


def _run_course(state: RunState, folds: Mapping[AttemptId, AttemptFold]) -> dict[str, Any]:
    sittings = tuple(sitting_view(state, sitting, folds) for sitting in state.sittings)
    sleeps = tuple(SleepView(s.began_at, s.ended_at) for s in state.sleeps)
    times = {"started_at": state.launched_at, "ended_at": sittings[-1].ended_at}
    warned = tuple(
        warned_view(whose(scope), spent, limit, at, source)
        for (scope, limit), (spent, at, source) in state.warned.items()
    )
    return {**times, "sittings": sittings, "sleeps": sleeps, "warned": warned}


def _run_sums(slots: tuple[SlotView, ...]) -> dict[str, Any]:
    figures = [f for slot in slots for f in _all_figures(slot.attempts)]
    return {
        "practice": told_apart(attempt for slot in slots for attempt in slot.attempts),
        "turns": sum(f.turns for f in figures),
        "tokens": sum((f.tokens for f in figures), TokenCounts()),
        "cost_usd": sum_known(f.cost_usd for f in figures) if figures else ZERO,
        "cost_is_complete": all(f.cost_is_complete for f in figures),
        "cost_source": source_of(f.cost_source for f in figures),
    }


def summary(view: RunView) -> RunSummary:
    """The line of the run list for a view."""
    return RunSummary(
        run_id=view.run_id,
        workflow_id=view.workflow_id,
        workflow_name=view.workflow_name,
        launch_seq=view.launch_seq,
        end_seq=view.end_seq,
        phase=view.phase,
        outcome=view.outcome,
        reason=view.reason,
        started_at=view.started_at,
        ended_at=view.ended_at,
        turns=view.turns,
        tokens=view.tokens,
        cost_usd=view.cost_usd,
        cost_is_complete=view.cost_is_complete,
        cost_source=view.cost_source,
        foreign=view.foreign,
        owner=view.owner,
        sittings=view.sittings,
        pins=view.pins,
        accepted_by=view.accepted_by,
        accepted_at=view.accepted_at,
        unanswered=view.unanswered,
        practice=view.practice,
    )
