"""What window and terminal ask about sign-ins, as a protocol: the credentials list, tests, what is remembered and limited.

No value that comes back holds a secret. The one implementation is `local_sign_ins`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from quarterdeck.domain.sign_ins import Credential, Limited, Remembered


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of the list. has_secret: None where nobody can say, or nothing is to be said (a program's own login)."""

    credential: Credential
    has_secret: bool | None
    words: str = ""
    """Why nobody can say, or where the secret lies."""


@dataclass(frozen=True, slots=True)
class SignInsListed:
    """The list. keyring: its name, empty without one, and then `keyring_words` say what that means. fault: why there is no list."""

    entries: tuple[Listed, ...] = ()
    place: str = ""
    keyring: str = ""
    keyring_words: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """A save or a removal. fault: why it was not done; then nothing was changed or cleared. words: what it means, in sentences.

    cleared: how many remembered failures of this process it cleared.
    """

    name: str
    fault: str = ""
    words: str = ""
    cleared: int = 0


@dataclass(frozen=True, slots=True)
class SignInTested:
    """A test. passed None: it could prove neither. words: what was asked, what came of it, and what that proves."""

    name: str
    passed: bool | None
    words: str
    cleared: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands in the way of agents in this process: failures, oldest first, and limits."""

    remembered: tuple[Remembered, ...] = ()
    limits: tuple[Limited, ...] = ()


class SignIns(Protocol):
    """The part of the door that is about sign-ins. All methods run on the engine's loop."""

    @property
    def handed(self) -> frozenset[str]:
        """Secrets that agents got from this process, so that what they print of them is not shown."""

    async def listed(self) -> SignInsListed:
        """The list, and for each entry whether its secret is there. Asks the keyring, so only on a person's act."""

    async def save(self, entry: Credential, secret: str | None = None) -> Saved:
        """Add or replace an entry. secret None: the one that is kept already. Clears what was remembered of it (AUT5)."""

    async def remove(self, name: str) -> Saved:
        """Take an entry and its secret away. Clears nothing."""

    async def test(self, name: str) -> SignInTested:
        """Test an entry, or `env:NAME`, by a call that costs nothing where one is known. Passed: clears it (AUT5)."""

    async def signed_in(self, source: str) -> int:
        """A person says that they signed in again in the program itself (`login:KIND`): its save. How many it cleared here."""

    async def try_now(self, source: str) -> None:
        """Wait for a limit no longer; one agent tries first."""

    def standing(self) -> Standing:
        """What is remembered and limited in this process now; from memory."""

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called on the loop after every change of `standing`; what comes back ends it."""
