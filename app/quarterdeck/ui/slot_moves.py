"""Whether an agent that moved shows the same on canvas and outline: most of what a flood moves is seen in its transcript alone. Pure.

Every part of a slot counts but the two named here, so that a part that comes later counts by itself
(tests/ui/test_present.py compares a kept board with a fresh one).
"""

from __future__ import annotations

from dataclasses import fields
from operator import attrgetter

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import AttemptView, SlotView
from quarterdeck.ui.silence import silent_minutes

_NOT_ON_THE_BOARD = {"tail", "last_output_at_ms"}
"""The last line printed, and when: the board says of it only for how many minutes there was none."""
_of_slot = attrgetter(*(f.name for f in fields(SlotView) if f.name != "attempts"))
_of_attempt = attrgetter(*(f.name for f in fields(AttemptView) if f.name not in _NOT_ON_THE_BOARD))


def shows_the_same(old: SlotView, new: SlotView, now: Moment) -> bool:
    """Whether the board shows the same of two moments of one slot, both looked at now."""
    return (
        len(old.attempts) == len(new.attempts)
        and _of_slot(old) == _of_slot(new)
        and all(
            a is b or (_of_attempt(a) == _of_attempt(b) and silent_minutes(a, now) == silent_minutes(b, now))
            for a, b in zip(old.attempts, new.attempts, strict=True)
        )
    )
