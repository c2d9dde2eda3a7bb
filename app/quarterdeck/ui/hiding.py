"""Secrets that agents of this computer got, as asterisks in all that comes to the window: what agents tell is kept raw, and shown without
them. Where and how it is hidden stands in `engine/redacting`; what is sent back to the engine stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.views import RunSummary, RunView, SlotView
from quarterdeck.engine.recovery import Recovery
from quarterdeck.engine.redacting import Told, with_asterisks

T = TypeVar("T")


class Hiding:
    """One for each link. What did not move is not looked through again: a slot, an attempt, an effect that is the same object."""

    def __init__(self) -> None:
        self._secrets: frozenset[str] = frozenset()
        self._kept: dict[tuple[RunId, SlotId], tuple[SlotView, SlotView, Told]] = {}

    def learn(self, secrets: Iterable[str]) -> None:
        """Hide these too from now on, also as JSON writes them."""
        known = frozenset(secrets)
        if known <= self._secrets:
            return
        written = (
            json.dumps(one, ensure_ascii=is_ascii)[1:-1] for one in known for is_ascii in (True, False)
        )
        self._secrets |= known | frozenset(written)
        self._kept.clear()

    async def learn_of(self, recovery: Recovery, *runs: RunId) -> None:
        """Hide what is known of these runs' secrets too."""
        for run in runs:
            self.learn(await recovery.known_secrets(run))

    def run(self, view: RunView) -> RunView:
        """A run without them."""
        if not self._secrets:
            return view
        slots = tuple(self._slot(view.run_id, slot) for slot in view.slots)
        if any(slot is not before for slot, before in zip(slots, view.slots, strict=True)):
            view = replace(view, slots=slots)
        told = {
            name: with_asterisks(getattr(view, name), self._secrets)
            for name in ("reason", "fault", "waits_for")
        }
        return replace(view, **told) if any(told[name] is not getattr(view, name) for name in told) else view

    def seen(self, view: RunView | None) -> RunView | None:
        """The same where there may be none."""
        return None if view is None else self.run(view)

    def runs(self, runs: tuple[RunSummary, ...], handed: Iterable[str]) -> tuple[RunSummary, ...]:
        """Lines of the list without them. handed: what is to be hidden from now on too."""
        self.learn(handed)
        if not self._secrets:
            return runs
        return tuple(
            self.value(run) if any(one in run.reason for one in self._secrets) else run for run in runs
        )

    def value(self, value: T) -> T:
        """Any other answer of the engine without them."""
        return with_asterisks(value, self._secrets)

    def forget_all_but(self, runs: Iterable[RunId]) -> None:
        """Those runs are seen; of no others anything is kept."""
        seen = frozenset(runs)
        self._kept = {key: pair for key, pair in self._kept.items() if key[0] in seen}

    def _slot(self, run: RunId, slot: SlotView) -> SlotView:
        kept = self._kept.get((run, slot.slot_id))
        if kept is None or kept[0] is not slot:
            found: Told = {}
            before = kept[2] if kept is not None else None
            told = with_asterisks(slot, self._secrets, before, found)
            kept = self._kept[run, slot.slot_id] = (slot, told, found)
        return kept[1]
