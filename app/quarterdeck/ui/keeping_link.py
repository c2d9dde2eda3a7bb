"""The link's part about keeping: Discard and its undo, pins, how much is kept, what cannot be read, what is looked at.

Verbs return at once; each answer is one past-tense signal with one frozen value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import Door
from quarterdeck.engine.keeping import Discarded, Keeping
from quarterdeck.ui.hiding import Hiding
from quarterdeck.ui.language import Texts
from quarterdeck.ui.recovery_asked import BroughtBack, EffectsRead, PinAnswered, RunsDiscarded, StoreNotes

tr = Texts("KeepingLink")


class KeepingLink(QObject):
    """Made by the link, which runs and guards what is asked."""

    effects_read = Signal(object)
    runs_discarded = Signal(object)
    brought_back = Signal(object)
    discarded_read = Signal(object)
    """Tuple of Discarded, oldest first."""
    notes_read = Signal(object)
    size_read = Signal(object)
    """Kept."""
    pin_answered = Signal(object)
    replaced = Signal()
    """Another engine is asked from now on: what the one before said of the store does not hold any more."""

    def __init__(
        self,
        ask: Callable[..., None],
        door: Callable[[], Door],
        actor: str | None,
        parent: QObject,
        hiding: Hiding,
    ) -> None:
        super().__init__(parent)
        self._ask: Callable[..., None] = ask
        self._door, self._actor, self._hiding = door, actor, hiding
        self._looked_at: frozenset[RunId] = frozenset()

    def _keeping(self) -> Keeping:
        return self._door().keeping

    def forget(self) -> None:
        """The engine was replaced; the new one does not know what is looked at → `replaced`."""
        self._looked_at = frozenset()
        self.replaced.emit()

    def read_effects(self, runs: Iterable[RunId]) -> None:
        """What is to be read before a discard → `effects_read`."""
        self._ask(tr("Reading effects to check"), self._read_effects, tuple(runs))

    def discard(self, runs: Iterable[RunId]) -> None:
        """Take runs out of the list, one by one → `runs_discarded`."""
        self._ask(tr("Discarding records"), self._discard, tuple(runs))

    def bring_back(self, run: RunId) -> None:
        """Undo a discard → `brought_back`."""
        self._ask(tr("Bringing a run back"), self._bring_back, run)

    def pin(self, run: RunId, wanted: bool) -> None:
        """Hold a run above every cap, or let go of it → `pin_answered`."""
        self._ask(tr("Pinning a run") if wanted else tr("Unpinning a run"), self._pin, run, wanted)

    def read_discarded(self) -> None:
        """What can be brought back → `discarded_read`."""
        self._ask(tr("Reading the discarded runs"), self._read_discarded)

    def read_notes(self) -> None:
        """How the store stands → `notes_read`."""
        self._ask(tr("Measuring the records"), self._read_notes)

    def read_size(self) -> None:
        """How much is kept by now; nobody waits for it → `size_read`."""
        self._ask("", self._read_size)

    def look_at(self, runs: Iterable[RunId]) -> None:
        """The runs that are seen here now: none of them is evicted (ruling 16)."""
        wanted = frozenset(runs)
        if wanted != self._looked_at:
            self._looked_at = wanted
            self._ask(tr("Noting what is looked at"), self._look_at, wanted)

    async def _read_effects(self, runs: tuple[RunId, ...]) -> None:
        effects = {run: await self._keeping().unknown_effects(run) for run in runs}
        await self._hiding.learn_of(self._door().recovery, *runs)
        self.effects_read.emit(EffectsRead({run: self._hiding.value(told) for run, told in effects.items()}))

    async def _discard(self, runs: tuple[RunId, ...]) -> None:
        done: list[Discarded] = []
        refused: list[tuple[RunId, Refusal]] = []
        for run in runs:
            await self._hiding.learn_of(self._door().recovery, run)  # once discarded it is not found
            answer = await self._keeping().discard(run, self._actor)
            if isinstance(answer, Refusal):
                refused.append((run, answer))
            else:
                done.append(answer)
        self.runs_discarded.emit(self._hiding.value(RunsDiscarded(tuple(done), tuple(refused))))

    async def _bring_back(self, run: RunId) -> None:
        answer = await self._keeping().undo_discard(run, self._actor)
        self.brought_back.emit(BroughtBack(run, answer if isinstance(answer, Refusal) else None))

    async def _pin(self, run: RunId, wanted: bool) -> None:
        ask = self._keeping().pin if wanted else self._keeping().unpin
        answer = await ask(run, self._actor)
        self.pin_answered.emit(PinAnswered(run, wanted, answer if isinstance(answer, Refusal) else None))

    async def _read_discarded(self) -> None:
        self.discarded_read.emit(self._hiding.value(await self._keeping().discarded()))

    async def _read_notes(self) -> None:
        keeping = self._keeping()
        self.notes_read.emit(StoreNotes(await keeping.kept(), await keeping.unreadable()))

    async def _read_size(self) -> None:
        self.size_read.emit(await self._keeping().kept())

    async def _look_at(self, runs: frozenset[RunId]) -> None:
        await self._keeping().look_at(runs)
