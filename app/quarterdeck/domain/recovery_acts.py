"""Guards of what a person says of an interrupted run: it stays as it is, what became of an effect, a process was ended.

As in `domain.acts`, a guard changes nothing: it answers with the event to journal, with a refusal in words, or with None
where the same was said before.
"""

from __future__ import annotations

from typing import Literal

from quarterdeck.domain.effect_table import OPEN_EFFECT
from quarterdeck.domain.events import EffectSettled, ProcessEndTried, RunAnswered
from quarterdeck.domain.guards import is_other_actor, no_such_node, too_long
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.join import effects_of
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.text import has_visible_text
from quarterdeck.domain.views import EffectView

Found = Literal["confirmed", "absent", "unknown"]
Said = Literal["happened", "absent"]
EndResult = Literal["ended", "killed", "still_alive"]

_ANSWERED_BY_AGENT = frozenset({EffectState.CONFIRMED, EffectState.REFUSED})
IN_FLIGHT_AT_END = frozenset({*OPEN_EFFECT, EffectState.INTENDED})
"""States in which an effect may have happened: also one that was only intended, as the agent may have died in between."""


def judge_keep(state: RunState, actor: str) -> Refusal | RunAnswered | None:
    """Ruling 19: the run stays stopped, and its prompt is answered. None: it was answered before, or owes no prompt."""
    if is_other_actor(state, actor):
        return _others_run(state, actor)
    if state.is_live:
        return Refusal(Code.E_ATTEMPT_STATE, "The run is live; there is nothing to be answered.")
    return RunAnswered(actor) if state.is_unanswered else None


def judge_settle(
    state: RunState,
    slot_id: SlotId,
    attempt_id: AttemptId,
    fold: AttemptFold | None,
    effect_id: str,
    said: Said,
    reason: str,
    actor: str,
) -> Refusal | EffectSettled:
    """Ruling 13: a person says what became of an effect whose outcome is not known; may be said again."""
    found = _effect(state, slot_id, attempt_id, fold, effect_id, actor)
    if isinstance(found, Refusal):
        return found
    if not has_visible_text(reason):
        return Refusal(Code.E_REASON, "Say in a few words how that is known.")
    if (refused := too_long(reason)) is not None:
        return refused
    return EffectSettled(slot_id, attempt_id, effect_id, "accepted_by_person", said, reason.strip(), actor)


def judge_probed(
    state: RunState,
    slot_id: SlotId,
    attempt_id: AttemptId,
    fold: AttemptFold | None,
    effect_id: str,
    found: Found,
    words: str,
    actor: str,
) -> Refusal | EffectSettled:
    """A15 row 15: what a probe found, with its time; may be repeated (EFF6)."""
    effect = _effect(state, slot_id, attempt_id, fold, effect_id, actor)
    if isinstance(effect, Refusal):
        return effect
    return EffectSettled(slot_id, attempt_id, effect_id, found, words, "probe", actor)


def judge_process_end(
    state: RunState,
    slot_id: SlotId,
    attempt_id: AttemptId,
    pid: int,
    ticks: int,
    result: EndResult,
    actor: str,
) -> Refusal | ProcessEndTried:
    """What was tried on a process that outlived its attempt's owner."""
    attempt = _attempt(state, slot_id, attempt_id)
    if isinstance(attempt, Refusal):
        return attempt
    return ProcessEndTried(slot_id, attempt_id, pid, ticks, result, actor)


def _attempt(state: RunState, slot_id: SlotId, attempt_id: AttemptId) -> Refusal | AttemptRecord:
    if slot_id not in state.slots:
        return no_such_node(state, slot_id)
    attempt = state.attempts.get(attempt_id)
    if attempt is None or attempt.slot_id != slot_id:
        return Refusal(Code.E_SLOT, f"{state.slots[slot_id].title} has no attempt {attempt_id}.")
    return attempt


def _effect(
    state: RunState,
    slot_id: SlotId,
    attempt_id: AttemptId,
    fold: AttemptFold | None,
    effect_id: str,
    actor: str,
) -> Refusal | EffectView:
    attempt = _attempt(state, slot_id, attempt_id)
    if isinstance(attempt, Refusal):
        return attempt
    if is_other_actor(state, actor):
        return _others_run(state, actor)
    known = effects_of(state, attempt, fold) if fold is not None else ()
    effect = next((one for one in known if one.id == effect_id), None)
    title = state.slots[slot_id].title
    if effect is None:
        ids = ", ".join(one.id for one in known[:20]) or "none"
        return Refusal(Code.E_EFFECT, f"{title} reported no effect “{effect_id}”; it reported: {ids}.")
    if not attempt.is_terminal:
        words = f"{title} has not ended and may still answer for “{effect_id}” itself."
        return Refusal(Code.E_ATTEMPT_STATE, words, (("status", attempt.status.value),))
    if effect.settled is None and effect.state in _ANSWERED_BY_AGENT:
        words = f"{title} itself reported “{effect_id}” as {effect.state.value}; there is nothing to settle."
        return Refusal(Code.E_EFFECT, words, (("state", effect.state.value),))
    return effect


def _others_run(state: RunState, actor: str) -> Refusal:
    return Refusal(
        Code.E_ACTOR, f"This run belongs to {state.owner}; only they can do that.", (("actor", actor),)
    )
