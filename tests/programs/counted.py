"""What one attempt asked of the scripted service, and what it was charged: either service, whatever was asked before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.programs.berths import Way

NAMES = {"cache_read_tokens": "cache_read_input_tokens", "cache_write_tokens": "cache_creation_input_tokens"}
"""As Anthropic's wire calls them."""


@dataclass
class Counted:
    """Counts from `begin` on."""

    way: Way
    service: Any
    served: str = ""
    _work_before: int = 0
    _asked_before: int = 0
    _booked_before: dict[str, int] = field(default_factory=dict)

    @property
    def _told(self) -> Any:
        return getattr(self.service, "told", self.service)

    def begin(self, served: str, silent_from: int | None = None) -> None:
        """An attempt is to begin. silent_from: which of its requests for work gets half of an answer, and then silence."""
        self.served = served
        self._work_before, self._asked_before = self.way.asked(self.service), self.requests()
        self._booked_before = self.way.booked(self.service, served)
        if silent_from is not None:
            before = sum(
                one.scenario == served and not getattr(one, "is_side", False) for one in self._told.asked
            )
            self._told.silent_from[served] = before + silent_from

    def requests(self) -> int:
        """Every request that ever came in, of whatever kind."""
        return len(self._told.asked)

    def work(self) -> int:
        """Requests for work of the attempt."""
        return self.way.asked(self.service) - self._work_before

    def booked(self) -> dict[str, int]:
        """What the service charged for whole answers, by kind."""
        now = self.way.booked(self.service, self.served)
        return {kind: count - self._booked_before.get(kind, 0) for kind, count in now.items()}

    def at_most(self) -> dict[str, int]:
        """And for answers that were not taken whole."""
        asked = self._told.asked[self._asked_before :]
        cut = [one.usage for one in asked if getattr(one, "usage", None) and not one.is_whole]
        return {
            kind: whole + sum(one.get(NAMES.get(kind, kind), 0) for one in cut)
            for kind, whole in self.booked().items()
        }
