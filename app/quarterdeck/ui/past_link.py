"""The link's part about the past: spend, waits for a person, the app's log, runs read to be compared.

Verbs return at once; each answer is one past-tense signal with one frozen value.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.views import RunView
from quarterdeck.engine.past import Past
from quarterdeck.ui.language import Texts

tr = Texts("PastLink")


class PastLink(QObject):
    """Made by the link, which runs and guards what is asked."""

    spend_read = Signal(object)
    """SpendReport."""
    waits_read = Signal(object)
    """{RunId: tuple of Wait}: those that were asked for and could be read."""
    log_read = Signal(object)
    """LogTail."""
    views_read = Signal(object)
    """{RunId: RunView}: those that were asked for and could be read."""

    def __init__(
        self,
        ask: Callable[..., None],
        past: Callable[[], Past],
        view: Callable[[RunId], Awaitable[RunView | None]],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._ask: Callable[..., Any] = ask
        self._past, self._view = past, view

    def read_spend(self) -> None:
        """The whole ledger → `spend_read`."""
        self._ask(tr("Reading the ledger"), self._spend)

    def read_waits(self, runs: Iterable[tuple[RunId, int | None]]) -> None:
        """How long these runs waited for a person → `waits_read`. A run is (id, its end_seq; None while live)."""
        self._ask(tr("Reading how long runs waited"), self._waits, tuple(runs))

    def read_log(self) -> None:
        """The newest lines of the app's log → `log_read`."""
        self._ask(tr("Reading the app's log"), self._log)

    def read_views(self, runs: Iterable[RunId]) -> None:
        """Runs in full → `views_read`."""
        self._ask(tr("Reading the runs"), self._views, tuple(runs))

    async def _spend(self) -> None:
        self.spend_read.emit(await self._past().spend())

    async def _waits(self, runs: tuple[tuple[RunId, int | None], ...]) -> None:
        self.waits_read.emit(dict(await self._past().waits(runs)))

    async def _log(self) -> None:
        self.log_read.emit(await self._past().log_tail())

    async def _views(self, runs: tuple[RunId, ...]) -> None:
        found = {run: await self._view(run) for run in runs}
        self.views_read.emit({run: view for run, view in found.items() if view is not None})
