"""The file that `QUARTERDECK_RESUME` names: what a slot's earlier attempts left for their successor (design §7, CON3).

Saved progress guides, it is no proof (EFF5): effects are told by what is known of each, and what was saved and is missing
or damaged is told as a step to be done again, never handed on (CON4). Blocking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quarterdeck.domain.effect_table import EffectMove, effect_after
from quarterdeck.domain.events import EffectSettled
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.engine.attempt_details import KeptState
from quarterdeck.engine.attempt_reading import kept_file
from quarterdeck.engine.report_folds import unread_words
from quarterdeck.engine.saved_progress import saved_progress
from quarterdeck.store.attempts import AttemptFolder
from quarterdeck.store.data_folder import Store

NOT_PROVED = (
    "Everything after the last kept step is to be done again. Saved progress guides and is no proof: look before you act. "
    "An effect that is unknown may have happened; use its idempotency_key, so that the service can tell a second time."
)


REPORTS_DAMAGED = (
    " The reports of an earlier attempt are damaged (`reports_damaged`): it told more than is listed here. Effects, saved files "
    "and steps may be missing; take none of it for the whole."
)


@dataclass(frozen=True, slots=True)
class EarlierAttempt:
    """An ended attempt of the same slot. settled: what a probe or a person said of its effects, by effect id."""

    attempt_id: AttemptId
    status: str
    message: str
    upto: int | None = None
    """The last report that counts."""
    settled: Mapping[str, EffectSettled] = field(default_factory=dict)


def resume_file(
    store: Store,
    run: RunId,
    slot: SlotId,
    earlier: Sequence[EarlierAttempt],
    folds: Sequence[AttemptFold],
    reason: str,
    *,
    continue_session: bool,
) -> dict[str, Any]:
    """folds: of `earlier`, from their whole report files. continue_session: the agent's own session may be taken up."""
    folders = [store.attempts.folder(run, attempt.attempt_id) for attempt in earlier]
    progress = saved_progress(zip(folds, folders, strict=True))
    key = f"{run}/{slot}"
    pairs = zip(earlier, folds, strict=True)
    unread = [unread_words(store.attempts, run, one.attempt_id, fold) for one, fold in pairs]
    told = zip(earlier, folds, folders, unread, strict=True)
    return {
        "attempts": [
            _attempt(one, fold, folder, key, continue_session) | {"reports_damaged": words or None}
            for one, fold, folder, words in told
        ],
        "reason": reason,
        "continue_session": continue_session,
        "steps": {
            "kept": [
                {"step": kept.step, **({"path": kept.path} if kept.path else {"data": kept.data})}
                for kept in progress.kept
            ],
            "repeat": [{"step": step.step, "why": step.why} for step in progress.repeat],
        },
        "note": NOT_PROVED + (REPORTS_DAMAGED if any(unread) else ""),
    }


def _attempt(
    earlier: EarlierAttempt, fold: AttemptFold, folder: AttemptFolder, key: str, continue_session: bool
) -> dict[str, Any]:
    saved = [kept_file(folder.path / "artifacts", artifact) for artifact in fold.artifacts]
    usable = (KeptState.KEPT, KeptState.NOT_KEPT)
    return {
        "attempt": earlier.attempt_id,
        "status": earlier.status,
        "reason": earlier.message,
        "session_id": fold.session_id if fold.resumable and continue_session else None,
        "artifacts": {one.artifact.name: one.path or "" for one in saved if one.state in usable},
        "damaged": {one.artifact.name: one.state.value for one in saved if one.state not in usable},
        "effects": [_effect(earlier, one.id, one, key) for one in fold.effects.values()],
        "checkpoints": list(fold.checkpoints.values()),
        "notes": fold.notes,
    }


def _effect(earlier: EarlierAttempt, effect_id: str, fact: Any, key: str) -> dict[str, Any]:
    """By state as everybody sees it: sent and never answered is unknown (EFF2); what was settled outranks it."""
    settled = earlier.settled.get(effect_id)
    state = (
        settled.state if settled is not None else effect_after(effect_id, fact.state, EffectMove.END).value
    )
    return {
        "id": effect_id,
        "state": str(state),
        "type": fact.type,
        "target": fact.target,
        "detail": fact.detail,
        "idempotency_key": f"{key}:{effect_id}",
        "settled": None
        if settled is None
        else {"value": settled.value, "reason": settled.reason, "actor": settled.actor},
    }
