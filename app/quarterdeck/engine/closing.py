"""Discard and its undo (A15 row 16, REC13, C7, C12, rulings 15 and 17). Blocking; called from a worker thread.

The place of a run's folder is the truth, and a ledger line follows it: `discard` with the run's one aggregate row, the
same line with `undone` after an undo (of equal keys the last one counts). Spend stays in lines of its own, so totals count
a run once. Whatever a kill leaves between rename and line, `tidy_asides` completes or rolls back.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from typing import Any

from quarterdeck.domain.acts import judge_discard, refuse_discarder
from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.guards import NO_SUCH_RUN, is_other_actor
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.show import summary_to_json
from quarterdeck.domain.states import EffectState, Phase
from quarterdeck.domain.views import RunView
from quarterdeck.engine.closed import DISCARD, EVICTED
from quarterdeck.engine.damage import judge_damage, record_of
from quarterdeck.engine.deaths import Verdict, wait_verdict
from quarterdeck.engine.disk_views import state_of
from quarterdeck.engine.keeping import UNDO_DAYS, Discarded, UnknownEffect
from quarterdeck.engine.publishing import ledger_lines, lines_of_unnamed
from quarterdeck.engine.reading import read_run
from quarterdeck.engine.recovery import UnnamedAttempt
from quarterdeck.engine.reopening import HELD_ELSEWHERE
from quarterdeck.engine.settling import Settlement
from quarterdeck.engine.survivors import command_of
from quarterdeck.engine.unnamed_attempts import unnamed_of
from quarterdeck.shim.marks import RUN_MARK
from quarterdeck.shim.processes import marked
from quarterdeck.store.asides import Aside
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import (
    StoreDamaged,
    StoreDown,
    StoreError,
    StoreTooNew,
    UnknownRun,
    is_odd_entry,
)
from quarterdeck.store.journal import read_journal

log = logging.getLogger(__name__)
UNDO_MS = UNDO_DAYS * 86_400_000
Clock = Callable[[], Moment]


def unknown_effects(
    view: RunView | None, unnamed: Iterable[UnnamedAttempt] = ()
) -> tuple[UnknownEffect, ...]:
    """Effects whose outcome nobody knows and nobody settled, each once, by the newest attempt that told it.

    Those of attempts that no record names have no slot.
    """
    told = [
        UnknownEffect(slot.slot_id, attempt.attempt_id, effect.id, effect.type, effect.target)
        for slot in (view.slots if view is not None else ())
        for attempt in slot.attempts
        for effect in attempt.effects
        if effect.state is EffectState.UNKNOWN
    ]
    found = list({(one.slot, one.id): one for one in told}.values())
    found += [
        UnknownEffect("", one.attempt_id, effect.id, effect.type, effect.target)
        for one in unnamed
        for effect in one.effects
    ]
    return tuple(found)


# ------------------------------------------------------------------------------------------- discard


def discard(store: Store, run: RunId, actor: str, now: Clock) -> Discarded | Refusal:
    """Take an ended run out of the runs. What it refused changed nothing."""
    try:
        owner = store.runs.own_damaged(run)
    except (UnknownRun, ValueError):
        return Refusal(Code.E_RUN, NO_SUCH_RUN, (("run", run),))
    except StoreDown as error:
        return _down(error)
    if owner is None:
        judged = _judge(store, run, actor, now, is_ours=False)
        return judged if isinstance(judged, Refusal) else HELD_ELSEWHERE
    try:
        judged = _judge(store, run, actor, now, is_ours=True)
        return judged if isinstance(judged, Refusal) else _move(store, run, actor, now())
    except StoreDown as error:
        return _down(error)
    finally:
        owner.release()


def _judge(store: Store, run: RunId, actor: str, now: Clock, *, is_ours: bool) -> Refusal | None:
    """The guards; a survivor is looked at once more. A run that cannot be read is judged by its processes (case 20)."""
    try:
        if is_ours and (left := _left_damaged(store, run)) is not None:
            refused = refuse_discarder(left, store.tenant, actor)
            return refused if refused is not None else _judge_unread(store, run, now)
        state = _state(store, run, now, is_ours)
    except StoreTooNew as error:
        return Refusal(Code.E_RUN, str(error), (("run", run),))
    except (StoreDamaged, UnknownRun, DomainError) as error:
        log.info("run %s is discarded unread: %s", run, error)
        return _judge_unread(store, run, now)
    judged = judge_discard(state, store.tenant, actor)
    return judged if isinstance(judged, Refusal) else None


def _left_damaged(store: Store, run: RunId) -> RunState | None:
    """What is left of a run that nobody can carry on: its journal is damaged, and no living session answers for it."""
    record = record_of(store, run)
    read = store.runs.read(run)
    if not read.entries or judge_damage(store, run, read, record) is None:
        return None
    state = fold(read.entries)
    is_answered_for = state.is_live and store.sessions.is_alive(state.sitting.session_id)
    return None if is_answered_for else state


def _state(store: Store, run: RunId, now: Clock, is_ours: bool) -> RunState:
    read = store.runs.read(run)
    if read.unknown is not None:
        raise StoreTooNew(str(store.runs.folder(run)), read.unknown.reason, 1)
    state = state_of(store, run, read)
    if not is_ours or state.is_live or not state.open_attempts:
        return state
    journal = store.runs.open(run)
    try:
        settlement = Settlement(store, run, journal, now)
        settlement.settle_survivors()
    finally:
        journal.close()
    return settlement.state


def _judge_unread(store: Store, run: RunId, now: Clock) -> Refusal | None:
    for attempt in store.attempts.ids(run):
        if wait_verdict(store.attempts, run, attempt).verdict is Verdict.SURVIVOR:
            message = "An agent of this run may still be alive; end its processes first."
            return Refusal(Code.E_SURVIVOR, message, (("attempt", attempt),))
    return None if store.attempts.can_be_listed(run) else _judge_unlisted(run)


def _judge_unlisted(run: RunId) -> Refusal | None:
    """By the run's mark alone where its attempts cannot be named; that they could not be checked one by one is said."""
    left = ", ".join(f"{one.pid} ({command_of(one.pid)[:80]})" for one in marked(run, RUN_MARK))
    if not left:
        log.warning("the attempts of run %s could not be checked; no process carries its mark", run)
        return None
    message = f"The attempts of this run could not be checked, and processes carry its mark: {left}. End them first."
    return Refusal(Code.E_SURVIVOR, message, (("run", run),))


def _move(store: Store, run: RunId, actor: str, now: Moment) -> Discarded:
    view = _closed(read_run(store, run, is_ours=True))
    unnamed = unnamed_of(store, run)
    effects = unknown_effects(view, unnamed)
    line = _line_of(run, view, effects, actor, now.wall_ms)
    spend = ledger_lines(view) if view is not None else []
    workflow = view.workflow_id if view is not None else WorkflowId("")
    spend += [line for one in unnamed for line in lines_of_unnamed(run, workflow, one)]
    with store.asides.lock():
        aside = store.asides.discard(run, now.wall_ms)
        try:
            store.ledger.append([*spend, line])
        except StoreError:
            store.asides.bring_back(aside)
            raise
    name = view.workflow_name if view is not None else ""
    return Discarded(run, name, now.wall_ms, now.wall_ms + UNDO_MS, view, effects)


def _closed(view: RunView | None) -> RunView | None:
    return None if view is None else replace(view, phase=Phase.CLOSED, unanswered=False, foreign=False)


def _line_of(
    run: RunId, view: RunView | None, effects: tuple[UnknownEffect, ...], actor: str, at_ms: int
) -> dict[str, Any]:
    """The one aggregate row (REC13): workflow, start, end, turns, cost, outcome; and the effects that nobody knows."""
    return {
        "kind": DISCARD,
        "run": run,
        "state": "discarded",
        "at_ms": at_ms,
        "actor": actor,
        "effects": [asdict(effect) for effect in effects],
        "summary": summary_to_json(view) if view is not None else None,
    }


# ------------------------------------------------------------------------------------------- undo


def undo_discard(store: Store, run: RunId, actor: str, now: Clock) -> RunId | Refusal:
    """Bring a discarded run back, with everything that it had."""
    try:
        with store.asides.lock():
            found = [aside for aside in store.asides.discarded() if aside.run == run]
            if not found:
                message = (
                    f"{run} is not among the discarded runs; they can be brought back for {UNDO_DAYS} days."
                )
                return Refusal(Code.E_RUN, message, (("run", run),))
            at = now()
            if is_past_undo(found[-1], at):
                message = (
                    f"{run} was discarded more than {UNDO_DAYS} days ago and cannot be brought back any more."
                )
                return Refusal(Code.E_RUN, message, (("run", run),))
            if (refused := _judge_undo(store, found[-1], actor)) is not None:
                return refused
            _bring_back(store, found[-1], actor, at.wall_ms)
    except StoreDown as error:
        return _down(error)
    return run


def _judge_undo(store: Store, aside: Aside, actor: str) -> Refusal | None:
    if store.runs.folder(aside.run).exists():
        return Refusal(Code.E_RUN, f"A run {aside.run} is there already; nothing was changed.")
    read = read_journal(aside.folder)
    if read is None or not read.entries:
        return None
    try:
        state = fold(read.entries)
    except DomainError:
        return None
    if is_other_actor(state, actor):
        message = f"This run belongs to {state.owner}; only they can bring it back."
        return Refusal(Code.E_ACTOR, message, (("actor", actor),))
    return None


def _bring_back(store: Store, aside: Aside, actor: str, at_ms: int) -> None:
    store.asides.bring_back(aside)
    try:
        store.ledger.append([_undone(aside.run, actor, at_ms)])
    except StoreError:
        store.asides.discard(aside.run, aside.at_ms or at_ms)
        raise


def _undone(run: RunId, actor: str, at_ms: int) -> dict[str, Any]:
    return {"kind": DISCARD, "run": run, "state": "undone", "at_ms": at_ms, "actor": actor}


def is_past_undo(aside: Aside, now: Moment) -> bool:
    """Whether its time is over: it is not brought back any more, whether or not it has been deleted yet (ruling 17)."""
    return now.wall_ms - (aside.at_ms or 0) > UNDO_MS


def discarded_runs(store: Store, now: Moment) -> tuple[Discarded, ...]:
    """What can be brought back now."""
    lines = store.ledger.closings(DISCARD)
    found = []
    for aside in store.asides.discarded():
        if is_past_undo(aside, now):
            continue
        summary = lines.get(aside.run, {}).get("summary") or {}
        at_ms = aside.at_ms or 0
        found.append(Discarded(aside.run, str(summary.get("workflow_name") or ""), at_ms, at_ms + UNDO_MS))
    return tuple(found)


# ------------------------------------------------------------------------------------------- what a kill left, and time


def tidy_asides(store: Store, now: Moment) -> None:
    """Complete or roll back every move that was cut off, then delete what is past its time. Raises StoreDown.

    Comes before the ledger is mended: after it nothing tells of lines that were lost.
    """
    discards, leaving = store.asides.discarded(), store.asides.leaving()
    lines = store.ledger.closings(DISCARD)
    is_undone = any(_is_back(store, run, line) for run, line in lines.items())
    if not discards and not leaving and not is_undone:
        return
    with store.asides.lock():
        is_whole = _is_whole(store)
        if not is_whole:
            _say_again(store, now)
        _roll_back(store, now, bring_back=is_whole)
        for aside in store.asides.discarded():
            if is_past_undo(aside, now):
                store.asides.send_off_discarded(aside)
        doomed = store.asides.leaving()
    for aside in doomed:
        store.asides.delete(aside)


def _is_whole(store: Store) -> bool:
    """Whether a line that is not in the ledger was never written."""
    try:
        return not store.ledger.damage()
    except StoreDamaged:
        return False


def _say_again(store: Store, now: Moment) -> None:
    """The lines of what has left, where the ledger is damaged and does not hold them: no decision of a person is undone by
    that. What the line told beside the decision is lost with it.
    """
    evicted, lines = store.ledger.closings(EVICTED), store.ledger.closings(DISCARD)
    lost: list[dict[str, Any]] = []
    for aside in (*store.asides.leaving(), *store.asides.discarded()):
        if aside.at_ms is not None and lines.get(aside.run, {}).get("state") != "discarded":
            lost.append(_line_of(aside.run, None, (), "", aside.at_ms))
        elif aside.at_ms is None and aside.run not in evicted:
            lost.append({"kind": EVICTED, "run": aside.run, "at_ms": now.wall_ms, "effects": []})
    try:
        store.ledger.append(lost)
    except StoreError as error:
        if not is_odd_entry(error):
            raise
        log.warning("what has left cannot be said in the ledger: %s", error)


def _roll_back(store: Store, now: Moment, *, bring_back: bool) -> None:
    """A folder whose line was never written comes back: it is whole, as nothing is deleted before that. An undo whose line
    was never written gets it. bring_back False: it cannot be told which was never written.
    """
    evicted, lines = store.ledger.closings(EVICTED), store.ledger.closings(DISCARD)
    for aside in (*store.asides.leaving(), *store.asides.discarded()):
        if aside.at_ms is None:
            is_said = aside.run in evicted
        else:
            is_said = lines.get(aside.run, {}).get("state") == "discarded"
        if is_said or not bring_back:
            continue
        if store.runs.folder(aside.run).exists():
            log.error("%s is left where it is: a run of that id is there again", aside.folder)
            continue
        store.asides.bring_back(aside)
    for run, line in lines.items():
        if _is_back(store, run, line):
            store.ledger.append([_undone(run, "", now.wall_ms)])


def _is_back(store: Store, run: RunId, line: dict[str, Any]) -> bool:
    try:
        return line.get("state") == "discarded" and store.runs.folder(run).is_dir()
    except ValueError:
        return False


def _down(error: StoreDown) -> Refusal:
    return Refusal(Code.E_STORE, f"The store cannot be written: {error}")
