"""The link's part about sign-ins: the list, saves and tests, and what stands in the way of agents now.

Verbs return at once; each answer is one past-tense signal with one frozen value. A secret passes through here once, to the
engine, and is kept nowhere.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.sign_ins import Credential
from quarterdeck.engine.sign_ins import SignIns, Standing
from quarterdeck.ui.hiding import Hiding
from quarterdeck.ui.language import Texts

tr = Texts("SignInLink")


class SignInLink(QObject):
    """Made by the link, which runs and guards what is asked."""

    standing_changed = Signal(object)
    """Standing: which sign-ins fail or are limited, in the window's process."""
    listed = Signal(object)
    """SignInsListed."""
    saved = Signal(object)
    """Saved: of a save or a removal."""
    tested = Signal(object)
    """SignInTested."""

    def __init__(
        self, ask: Callable[..., None], sign_ins: Callable[[], SignIns], parent: QObject, hiding: Hiding
    ) -> None:
        super().__init__(parent)
        self._hiding = hiding
        self._ask: Callable[..., None] = ask
        self._sign_ins = sign_ins
        self._end_watch: Callable[[], None] | None = None
        self._told = Standing()

    def follow(self, sign_ins: SignIns) -> None:
        """Tell of every change from now on; of another engine's before, no more."""
        if self._end_watch is not None:
            self._end_watch()
        self._end_watch = sign_ins.watch(self._on_moved)
        self._on_moved()

    def close(self) -> None:
        """Nothing further is told."""
        if self._end_watch is not None:
            self._end_watch()
            self._end_watch = None

    def read(self) -> None:
        """The list → `listed`."""
        self._ask(tr("Reading the sign-ins"), self._read)

    def save(self, entry: Credential, secret: str | None) -> None:
        """Add or replace an entry → `saved`."""
        self._ask(tr("Saving the sign-in"), self._save, entry, secret)

    def remove(self, name: str) -> None:
        """Take an entry away → `saved`."""
        self._ask(tr("Removing the sign-in"), self._remove, name)

    def test(self, name: str) -> None:
        """Test an entry → `tested`."""
        self._ask(tr("Testing the sign-in"), self._test, name)

    def say_signed_in(self, source: str) -> None:
        """The person signed in again in the program itself → `standing_changed`."""
        self._ask(tr("Clearing the sign-in"), self._signed_in, source)

    def try_now(self, source: str) -> None:
        """Wait for a limit no longer → `standing_changed`."""
        self._ask(tr("Trying again"), self._try_now, source)

    def _on_moved(self) -> None:
        self._hiding.learn(self._sign_ins().handed)
        standing = self._hiding.value(self._sign_ins().standing())
        if standing != self._told:
            self._told = standing
            self.standing_changed.emit(standing)

    async def _read(self) -> None:
        self.listed.emit(await self._sign_ins().listed())

    async def _save(self, entry: Credential, secret: str | None) -> None:
        self.saved.emit(await self._sign_ins().save(entry, secret))

    async def _remove(self, name: str) -> None:
        self.saved.emit(await self._sign_ins().remove(name))

    async def _test(self, name: str) -> None:
        self.tested.emit(await self._sign_ins().test(name))

    async def _signed_in(self, source: str) -> None:
        await self._sign_ins().signed_in(source)

    async def _try_now(self, source: str) -> None:
        await self._sign_ins().try_now(source)
