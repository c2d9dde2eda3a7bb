"""What all attempts of one slot left together: effects, whether any may be in flight, the newest that ran, the session to go on with.

The one place that prompt, evidence and the second step of Resume take it from: what an earlier attempt left unsettled stays
unsettled (EFF7), and an attempt that never ran says nothing of the agent. Pure but for the pinned nodes, which are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.join import effects_of
from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.states import AttemptStatus, EndReason
from quarterdeck.domain.views import EffectView
from quarterdeck.engine.last_known import effects_to_check, last_known, outside_of
from quarterdeck.engine.recovery import Outside

_RANK = (Outside.TO_CHECK, Outside.NOT_TOLD, Outside.NONE)


@dataclass(frozen=True, slots=True)
class SlotPast:
    """effects: of all attempts, one for each id, as the key of an effect is the slot's. ran: the newest attempt that ran.

    outside: NONE only where that is proved of every attempt. unread: of each attempt of which not all can be read, why.
    session_id: what a claim would hand on to the agent of the newest attempt; None: nothing.
    """

    effects: tuple[EffectView, ...]
    outside: Outside
    ran: AttemptId | None
    last_known: str
    unread: tuple[str, ...]
    session_id: str | None

    @property
    def to_check(self) -> tuple[EffectView, ...]:
        """Those that may have happened, and that neither the agent nor a probe nor a person has answered for."""
        return tuple(one for one in self.effects if one.state in IN_FLIGHT_AT_END)

    @property
    def settled(self) -> tuple[EffectView, ...]:
        """Those that a probe or a person has answered for, so that they are not to be checked any more."""
        return tuple(
            one for one in self.effects if one.settled is not None and one.state not in IN_FLIGHT_AT_END
        )


def past_of(
    state: RunState,
    slot: SlotRecord,
    folds: Mapping[AttemptId, AttemptFold],
    torn: Mapping[AttemptId, str],
    declared: Callable[[AttemptRecord], object],
) -> SlotPast:
    """torn: attempts whose reports are not all there. declared: what the pinned node of an attempt says of its effects."""
    attempts = [state.attempts[one] for one in slot.attempts]
    told = [(one, folds.get(one.attempt_id)) for one in attempts]
    outside = {
        outside_of(
            folded,
            effects_to_check(state, one, folded),
            declared=declared(one),
            is_torn=one.attempt_id in torn,
        )
        for one, folded in told
    }
    return SlotPast(
        effects=one_each(effects_of(state, one, folded) for one, folded in told if folded is not None),
        outside=next((one for one in _RANK if one in outside), Outside.NONE),
        ran=last_that_ran(state, slot, folds),
        last_known=_last_known(state, slot, folds),
        unread=tuple(torn[one] for one in slot.attempts if one in torn),
        session_id=_session(attempts, folds),
    )


def one_each(told: Iterable[tuple[EffectView, ...]]) -> tuple[EffectView, ...]:
    """told: by attempt, oldest first. Of the effects of one id one that is to be checked, else the newest."""
    found: dict[str, EffectView] = {}
    for effects in told:
        for one in effects:
            known = found.get(one.id)
            if known is None or one.state in IN_FLIGHT_AT_END or known.state not in IN_FLIGHT_AT_END:
                found[one.id] = one
    return tuple(found.values())


def last_that_ran(
    state: RunState, slot: SlotRecord, folds: Mapping[AttemptId, AttemptFold], agent: str | None = None
) -> AttemptId | None:
    """The newest attempt of which a program was begun. agent: only its attempts."""
    for one in reversed(slot.attempts):
        attempt = state.attempts[one]
        if agent in (None, attempt.agent) and not never_ran(attempt, folds.get(one)):
            return one
    return None


def never_ran(attempt: AttemptRecord, folded: AttemptFold | None) -> bool:
    """Its program was never begun; what cannot be read may have been more (JNL6)."""
    if folded is not None and folded.unread:
        return False
    return never_began(attempt) or (folded is not None and folded.started is None)


def never_began(attempt: AttemptRecord) -> bool:
    """So the journal says: nothing of it was started, or its program could not be."""
    reason = attempt.ended.reason if attempt.ended is not None else None
    return attempt.status is AttemptStatus.NEVER_STARTED or reason is EndReason.SPAWN


def _last_known(state: RunState, slot: SlotRecord, folds: Mapping[AttemptId, AttemptFold]) -> str:
    """Of the newest attempt that ran, where the newest did not: with its number."""
    if not slot.attempts:
        return ""
    newest = slot.attempts[-1]
    chosen = last_that_ran(state, slot, folds) or newest
    attempt, folded = state.attempts[chosen], folds.get(chosen)
    words = last_known(attempt, folded, effects_to_check(state, attempt, folded))
    if chosen == newest:
        return words
    number = slot.attempts.index(chosen) + 1
    return f"attempt {len(slot.attempts)} had not started; attempt {number}: {words}"


def _session(attempts: list[AttemptRecord], folds: Mapping[AttemptId, AttemptFold]) -> str | None:
    own = [folds.get(one.attempt_id) for one in reversed(attempts) if one.agent == attempts[-1].agent]
    return next((one.session_id for one in own if one and one.resumable and one.session_id), None)
