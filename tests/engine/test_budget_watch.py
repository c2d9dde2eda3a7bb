"""The watch over shared budgets, without any run: what it says while it cannot look."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.engine import budget_watch
from quarterdeck.engine.budget_watch import BudgetWatch


class Broken:
    """Budgets that cannot be read, each time for the reason that is next."""

    def __init__(self, *reasons: str) -> None:
        self.reasons = list(reasons)

    def refresh(self) -> None:
        if reason := self.reasons.pop(0):
            raise RuntimeError(reason)

    def standings(self) -> tuple[()]:
        return ()


async def test_what_keeps_it_from_looking_is_told_once_and_not_at_each_look(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(budget_watch, "LOOK_EVERY_S", 0)
    actor: Any = SimpleNamespace(
        book=SimpleNamespace(state=SimpleNamespace(header=SimpleNamespace(workflow_id="w"))),
        shared=SimpleNamespace(is_due=lambda _: False),
    )
    budgets: Any = Broken("first", "first", "first", "second", "second", "", "second")
    watch = BudgetWatch(budgets, lambda: [actor] if budgets.reasons else [])
    with caplog.at_level(logging.INFO, budget_watch.__name__):
        await watch._look()
    told = [(one.levelname, str(one.exc_info[1]) if one.exc_info else "") for one in caplog.records]
    assert told == [("ERROR", "first"), ("ERROR", "second"), ("INFO", ""), ("ERROR", "second")]
