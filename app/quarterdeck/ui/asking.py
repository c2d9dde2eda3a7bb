"""What was asked of the engine and is not answered yet: one task each, told in words, its failure told and logged."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Awaitable, Callable
from typing import ParamSpec

from PySide6.QtCore import QObject, Signal

from quarterdeck.ui.asked import RequestFailed

P = ParamSpec("P")
log = logging.getLogger(__name__)


class Asking(QObject):
    """Owned by the link. `until`: what every question waits for first, that an engine is bound."""

    busy_changed = Signal(object)
    """Tuple of str: in words, what is owed, oldest first."""
    failed = Signal(object)
    """RequestFailed."""

    def __init__(self, until: asyncio.Event, parent: QObject) -> None:
        super().__init__(parent)
        self._until = until
        self._owed: dict[asyncio.Task[None], str] = {}
        self._is_stopped = False

    def ask(self, what: str, verb: Callable[P, Awaitable[None]], *args: P.args, **named: P.kwargs) -> None:
        """Ask; `what` in words, empty where nobody needs to see that it is under way."""
        task = asyncio.ensure_future(self._guarded(what, functools.partial(verb, *args, **named)))
        self._owed[task] = what
        task.add_done_callback(self._on_answered)
        self._tell_busy()

    async def stop(self) -> None:
        """End every question; answers that are still owed are not given."""
        self._is_stopped = True
        owed = tuple(self._owed)
        for task in owed:
            task.cancel()
        await asyncio.gather(*owed, return_exceptions=True)

    def _on_answered(self, task: asyncio.Task[None]) -> None:
        self._owed.pop(task, None)
        if not self._is_stopped:
            self._tell_busy()

    def _tell_busy(self) -> None:
        self.busy_changed.emit(tuple(what for what in self._owed.values() if what))

    async def _guarded(self, what: str, asked: Callable[[], Awaitable[None]]) -> None:
        try:
            await self._until.wait()
            await asked()
        except Exception as error:  # the last place that can tell a person: logged and shown, not hidden
            log.exception("%s failed", what)
            self.failed.emit(RequestFailed(what, f"{type(error).__name__}: {error}"))
