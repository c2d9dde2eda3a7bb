"""Effects of an agent in words: what it did outside, what may have happened, what was found or said since. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo

from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import AttemptView, EffectView
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import exact_time_text, one_line, shown_plainly

tr = Texts("PresentEffects")

TARGET_SHOWN_MAX, LINES_MAX = 160, 200
_UNKNOWN = Badge(Family.NEEDS, "circle-alert", tr.later("Unknown"))
_LOOKS = {
    EffectState.CONFIRMED: Badge(Family.DONE, "circle-check", tr.later("Happened")),
    EffectState.REFUSED: Badge(Family.NEUTRAL, "circle-slash", tr.later("Refused")),
    EffectState.ABSENT: Badge(Family.NEUTRAL, "circle-slash", tr.later("Did not happen")),
}


@dataclass(frozen=True, slots=True)
class EffectLine:
    """One effect. can_settle: a person or a probe may say what became of it (again, too)."""

    id: str
    badge: Badge
    title: str
    target: str
    said: str
    can_settle: bool


def effect_phrase(effect: EffectView) -> str:
    """`git push origin digest may have happened`."""
    return tr("{effect} may have happened", effect=effect_name(effect))


def effect_name(effect: EffectView) -> str:
    """What kind, and on what; foreign text."""
    return one_line(" ".join(part for part in (effect.type, effect.target or effect.id) if part), 100)


def settled_phrase(effect: EffectView, zone: tzinfo | None = None) -> str:
    """`git push origin digest: Happened (you, 14:02:11: it is there)`."""
    found = _badge(effect, is_ended=True).word
    return tr("{effect}: {found} ({said})", effect=effect_name(effect), found=found, said=_said(effect, zone))


def effect_lines(
    attempt: AttemptView | None, *, is_ended: bool, zone: tzinfo | None = None
) -> tuple[EffectLine, ...]:
    """Those to check first, then the others; those of an agent at work cannot be settled by anybody else."""
    if attempt is None:
        return ()
    ordered = sorted(attempt.effects, key=lambda e: (not _is_open(e), e.settled is None))
    return tuple(effect_line(e, is_ended=is_ended, zone=zone) for e in ordered[:LINES_MAX])


def earlier_effect_lines(
    attempts: Sequence[AttemptView], told: Collection[str], zone: tzinfo | None = None
) -> tuple[EffectLine, ...]:
    """Effects that only earlier attempts told of, each as the last of them told it: what is not known of them is not known still.

    attempts: all before the newest, oldest first; they have ended. told: ids that the newest told itself (EFF4).
    """
    found: dict[str, tuple[int, EffectView]] = {}
    for number, attempt in enumerate(attempts, start=1):
        found.update({effect.id: (number, effect) for effect in attempt.effects if effect.id not in told})
    ordered = sorted(found.values(), key=lambda one: (not _is_open(one[1]), one[1].settled is None))
    return tuple(_earlier_line(number, effect, zone) for number, effect in ordered[:LINES_MAX])


def _earlier_line(number: int, effect: EffectView, zone: tzinfo | None) -> EffectLine:
    line = effect_line(effect, is_ended=True, zone=zone)
    return replace(line, title=tr("{effect} of attempt {number}", effect=line.title, number=f"{number:,}"))


def effects_to_check(effects: Iterable[EffectView]) -> tuple[EffectLine, ...]:
    """Lines of effects that are known to be unsettled."""
    return tuple(effect_line(effect, is_ended=True, zone=None) for effect in effects)


def effect_line(effect: EffectView, *, is_ended: bool, zone: tzinfo | None) -> EffectLine:
    """One line."""
    can = is_ended and (effect.settled is not None or _is_open(effect))
    return EffectLine(
        id=effect.id,
        badge=_badge(effect, is_ended=is_ended),
        title=one_line(effect.type or tr("effect"), 60),
        target=shown_plainly(effect.target or effect.id)[:TARGET_SHOWN_MAX],
        said=_said(effect, zone),
        can_settle=can,
    )


def _is_open(effect: EffectView) -> bool:
    return effect.state in IN_FLIGHT_AT_END


def _badge(effect: EffectView, *, is_ended: bool) -> Badge:
    if effect.settled is not None and effect.settled.value in {"happened", "confirmed"}:
        return _LOOKS[EffectState.CONFIRMED]
    if effect.settled is not None and effect.settled.value == "absent":
        return _LOOKS[EffectState.ABSENT]
    if _is_open(effect) and not is_ended:
        return Badge(Family.NEUTRAL, "clock", tr.later("In flight"))
    return _LOOKS.get(effect.state, _UNKNOWN)


def _said(effect: EffectView, zone: tzinfo | None) -> str:
    settled = effect.settled
    if settled is None:
        return one_line(effect.detail, TARGET_SHOWN_MAX)
    is_word = effect.state is EffectState.ACCEPTED_BY_PERSON
    who = one_line(settled.actor, 60) if is_word else tr("a probe")
    reason = settled.reason if is_word else settled.value
    return tr(
        "{who}, {time}: {reason}",
        who=who,
        time=exact_time_text(settled.at, zone),
        reason=one_line(in_words(reason), TARGET_SHOWN_MAX),
    )
