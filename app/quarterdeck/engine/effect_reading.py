"""Finding the effect that `NODE#id` names, in every attempt of the slot that it concerns (design §8). Blocking.

The key of an effect is that of its slot, so what several attempts told under one id is one effect (EFF4).
"""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.domain.guards import no_such_node
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import EffectView, RunView
from quarterdeck.engine.disk_views import read_state
from quarterdeck.engine.interrupted import read_whole
from quarterdeck.store.data_folder import Store


@dataclass(frozen=True, slots=True)
class EffectPlace:
    """An effect with where and since when its agent worked."""

    attempt_id: AttemptId
    effect: EffectView
    cwd: str | None
    since_wall_ms: int


def find_effect(
    store: Store, run: RunId, slot_id: SlotId, effect_id: str, live: RunView | None
) -> tuple[EffectPlace, ...] | Refusal:
    """Where it is to be settled, newest first; where it is nowhere, what was settled last, with what was settled by the same word.

    Raises StoreError, DomainError. live: the run as this process has it where it is live: that is ahead of the files.
    """
    if live is not None and live.is_live:
        view, state = live, None
    else:
        read = read_whole(store, run)
        view, state = read.view, read.state
    slot = next((one for one in view.slots if one.slot_id == slot_id), None)
    if slot is None:
        return no_such_node(state or read_state(store, run), slot_id)
    places = [
        EffectPlace(
            attempt.attempt_id,
            effect,
            attempt.cwd,
            (attempt.started_at or view.started_at).wall_ms,
        )
        for attempt in reversed(slot.attempts)
        for effect in attempt.effects
        if effect.id == effect_id
    ]
    if not places:
        known = ", ".join(sorted({e.id for a in slot.attempts for e in a.effects})[:20]) or "none"
        words = f"{slot.title} reported no effect “{effect_id}”; it reported: {known}."
        return Refusal(Code.E_EFFECT, words, (("slot", slot_id), ("effect", effect_id)))
    return _one_effect(places)


def _one_effect(places: list[EffectPlace]) -> tuple[EffectPlace, ...]:
    """places: newest first. A word that was said of an earlier try stays, where another was said of a later one."""
    if to_settle := tuple(place for place in places if place.effect.state in IN_FLIGHT_AT_END):
        return to_settle
    settled = [place for place in places if place.effect.settled is not None]
    newest = (settled or places)[0]
    return (newest, *(one for one in settled[1:] if _word(one) == _word(newest)))


def _word(place: EffectPlace) -> tuple[str, str, str] | None:
    said = place.effect.settled
    return None if said is None else (said.value, said.reason, said.actor)
