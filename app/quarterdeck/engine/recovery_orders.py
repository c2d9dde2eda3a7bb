"""What a person says of an interrupted run, journaled in the run's own turn; starts nothing and opens no sitting.

Each method answers None for done, or a Refusal, which is journaled as well (ruling 14).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from quarterdeck.domain.events import Event
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.recovery_acts import (
    EndResult,
    Found,
    Said,
    judge_keep,
    judge_probed,
    judge_process_end,
    judge_settle,
)
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.run_book import RunBook

RECOVERY_VERBS = frozenset({"keep", "settle", "probed", "process_end"})
_SAID = ("happened", "absent")
_FOUND = ("confirmed", "absent", "unknown")
_RESULTS = ("ended", "killed", "still_alive")
NOT_UNDERSTOOD = Refusal(Code.E_OWNER, "The process that owns this run does not understand this request.")

Refuse = Callable[[str, SlotId | None, Refusal, str], Awaitable[Refusal]]


class RecoveryOrders:
    """Of one run. refuse: journals a refusal and gives it back."""

    def __init__(self, book: RunBook, refuse: Refuse) -> None:
        self._book, self._refuse = book, refuse

    async def carry_out(self, asked: Mapping[str, Any], slot: SlotId | None, actor: str) -> Refusal | None:
        """One of RECOVERY_VERBS, as a request says it; also one of another process."""
        verb = str(asked["verb"])
        judged = (
            judge_keep(self._book.state, actor) if verb == "keep" else self._judge(verb, asked, slot, actor)
        )
        if isinstance(judged, Refusal):
            return await self._refuse(verb, slot, judged, actor)
        if judged is not None:
            await self._book.record(judged)
        return None

    def _judge(
        self, verb: str, asked: Mapping[str, Any], slot: SlotId | None, actor: str
    ) -> Refusal | Event | None:
        state, attempt, effect = (
            self._book.state,
            AttemptId(str(asked.get("attempt"))),
            str(asked.get("effect")),
        )
        said, reason = asked.get("said"), str(asked.get("reason") or "")
        fold = self._book.folds.get(attempt)
        match verb:
            case "settle" if slot is not None and said in _SAID:
                return judge_settle(state, slot, attempt, fold, effect, cast(Said, said), reason, actor)
            case "probed" if slot is not None and said in _FOUND:
                return judge_probed(state, slot, attempt, fold, effect, cast(Found, said), reason, actor)
            case "process_end" if slot is not None and said in _RESULTS:
                pid, ticks = int(asked.get("pid") or 0), int(asked.get("start_ticks") or 0)
                return judge_process_end(state, slot, attempt, pid, ticks, cast(EndResult, said), actor)
            case _:
                return NOT_UNDERSTOOD
