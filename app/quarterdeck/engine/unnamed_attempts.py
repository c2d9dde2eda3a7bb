"""Attempts that have reported and that nothing names: not their run's journal, and their own launch file is lost (JNL6).

Of which agent one was is not known, so it has no place among the slots. What its own files tell is told apart: folder,
figures, effects that may have happened, and what lives of it (REC9). Blocking; writes nothing.
"""

from __future__ import annotations

import logging

from quarterdeck.domain.effect_table import OPEN_EFFECT
from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.shown import EVIDENCE_WORDS
from quarterdeck.domain.states import EffectState, Evidence
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.damage import Damage, judge_damage, record_of
from quarterdeck.engine.damaged_runs import LONG_DEAD_MS, damaged_state
from quarterdeck.engine.deaths import DeathWatch, Verdict
from quarterdeck.engine.last_known import last_lines
from quarterdeck.engine.recovery import UnnamedAttempt
from quarterdeck.engine.report_folds import report_fold, upto_told
from quarterdeck.engine.survivors import survivors_of
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDown, StoreError

log = logging.getLogger(__name__)


def unnamed_attempts(store: Store, state: RunState, damage: Damage | None) -> tuple[UnnamedAttempt, ...]:
    """Those that `damaged_runs` could put into no slot, by name. Raises StoreError."""
    if damage is None:
        return ()
    return tuple(_told(store, state.run_id, one) for one in damage.unnamed if one not in state.attempts)


def unnamed_of(store: Store, run: RunId) -> tuple[UnnamedAttempt, ...]:
    """Of a run that the caller holds or that nobody has; none where it is sound or cannot be read at all. Raises StoreDown."""
    try:
        read = store.runs.read(run)
        damage = judge_damage(store, run, read, record_of(store, run)) if read.entries else None
        return (
            () if damage is None else unnamed_attempts(store, damaged_state(store, run, read, damage), damage)
        )
    except StoreDown:
        raise
    except (StoreError, DomainError) as error:
        log.info("attempts of run %s that no record names cannot be told: %s", run, error)
        return ()


def _told(store: Store, run: RunId, attempt: AttemptId) -> UnnamedAttempt:
    found = DeathWatch(store.attempts, run, attempt).look(LONG_DEAD_MS)
    folded = report_fold(store.attempts, run, attempt, upto_told(found.exit_file))
    totals = folded.totals()
    is_dead = found.verdict is Verdict.DEAD
    lines = last_lines(store.attempts, run, attempt, 1)
    return UnnamedAttempt(
        attempt_id=attempt,
        folder=store.attempts.folder(run, attempt).path,
        turns=totals.turns,
        cost_usd=totals.cost_usd,
        effects=_open_effects(folded),
        survivors=() if is_dead else survivors_of(store.attempts, run, attempt),
        still_ending=found.verdict is Verdict.STILL_ENDING,
        evidence=EVIDENCE_WORDS[found.evidence or Evidence.NO_TRACE] if is_dead else "",
        last_line=lines[-1] if lines else "",
        upto=folded.upto,
        wall_ms=int((folded.last or {}).get("wall_ms") or 0),
        figures=totals,
        unread=folded.unread,
    )


def _open_effects(folded: AttemptFold) -> tuple[EffectView, ...]:
    """Those that were sent and that it never answered for: as at any end, nobody knows their outcome (EFF2)."""
    return tuple(
        EffectView(one.id, EffectState.UNKNOWN, one.type, one.target, one.detail)
        for one in folded.effects.values()
        if one.state in OPEN_EFFECT
    )
