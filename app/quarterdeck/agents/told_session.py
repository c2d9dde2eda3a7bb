"""When the session of an agent is said to be kept, for every adapter: one that is only opened stands in no file of its program yet,
and cannot be taken up again (case 71).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quarterdeck.domain import reports
from quarterdeck.domain.reports import Report


class ToldSession:
    """The session of one attempt. taken_up: the one that the program was launched to continue."""

    def __init__(self, taken_up: object = None) -> None:
        self._taken_up = taken_up
        self._is_kept = False
        self._fields: dict[str, Any] = {}
        self.id = ""
        """Empty until it is opened."""

    def opened(self, session: str, *, is_proved: bool = True, **fields: Any) -> Report:
        """The program named it: kept where it is the very one that was taken up. is_proved: something of it was seen."""
        self.id, self._fields = session, fields
        self._is_kept = is_proved and session == self._taken_up
        return self._report()

    def answered(self) -> Iterator[Report]:
        """The program's model began to answer in it: told once more, as kept."""
        if self.id and not self._is_kept:
            self._is_kept = True
            yield self._report()

    def _report(self) -> Report:
        return {"kind": reports.SESSION, "id": self.id, "resumable": self._is_kept, **self._fields}
