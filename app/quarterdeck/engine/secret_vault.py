"""Where secrets lie: the keyring of this system behind a port, and without one the memory of this process (libraries: keyring).

Never a file of ours. Everything here blocks and may wait for a person who unlocks a keyring, so it runs in a worker thread, and
no call waits longer than WITHIN_S. No error carries a secret.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")
SERVICE = "quarterdeck"
WITHIN_S = 30.0
"""A keyring may ask its person for a password; a launch does not wait for that for ever."""
KNOWN_BACKENDS = ("keyring.backends.",)
"""Backends that come with the library speak to the system's own keyring. Others may write files, in clear for some of them."""
NO_KEYRING = "This computer has no keyring that can be used here, so a secret is held until Quarterdeck closes and no longer."


class VaultFault(Exception):
    """The keyring did not do it: locked, refused, silent. One sentence for a person."""


class Keyring(Protocol):
    """The part of a keyring that is used; `keyring.backend.KeyringBackend` has it."""

    def get_password(self, service: str, username: str) -> str | None: ...

    def set_password(self, service: str, username: str, password: str) -> None: ...

    def delete_password(self, service: str, username: str) -> None: ...


@dataclass(frozen=True, slots=True)
class VaultState:
    """What holds secrets here. name: the keyring's, empty without one; words: what that means for a person."""

    name: str
    words: str = ""


def system_keyring() -> Keyring | None:
    """The keyring of this system; None where there is none that can be used. May talk to the session's bus."""
    import keyring
    from keyring.backend import KeyringBackend

    chosen = keyring.get_keyring()
    parts = getattr(chosen, "backends", None) or (chosen,)
    for one in parts:
        is_known = type(one).__module__.startswith(KNOWN_BACKENDS)
        if isinstance(one, KeyringBackend) and is_known and type(one).priority > 0:
            found: Keyring = one
            return found
    return None


class SecretVault:
    """The keyring, looked for when it is first needed, and beside it what this process alone holds. Safe for threads."""

    def __init__(
        self, find: Callable[[], Keyring | None] = system_keyring, within_s: float = WITHIN_S
    ) -> None:
        self._find, self._within_s = find, within_s
        self._turn = threading.Lock()
        """One question at a time: a keyring that asks its person asks once. Nobody waits longer for it than for an answer."""
        self._keyring: Keyring | None = None
        self._has_looked = False
        self._held: dict[str, str] = {}

    def state(self) -> VaultState:
        """What holds secrets here."""
        found = self._system()
        return VaultState("", NO_KEYRING) if found is None else VaultState(_name_of(found))

    def get(self, name: str) -> str | None:
        """The secret of an entry; None where there is none. Raises VaultFault."""
        held = self._held.get(name)
        found = self._system() if held is None else None
        return held if found is None else self._ask(lambda: found.get_password(SERVICE, name))

    def put(self, name: str, secret: str) -> VaultState:
        """Keep a secret; what holds it now. Raises VaultFault, and then the one that was there stays."""
        found = self._system()
        if found is None:
            self._held[name] = secret
            return VaultState("", NO_KEYRING)
        self._ask(lambda: found.set_password(SERVICE, name, secret))
        self._held.pop(name, None)
        return VaultState(_name_of(found))

    def remove(self, name: str) -> None:
        """Forget the secret of an entry; nothing where there is none. Raises VaultFault."""
        self._held.pop(name, None)
        found = self._system()
        if found is not None and self._ask(lambda: found.get_password(SERVICE, name)) is not None:
            self._ask(lambda: found.delete_password(SERVICE, name))

    def _system(self) -> Keyring | None:
        if not self._has_looked:
            self._keyring = self._ask(lambda: self._keyring if self._has_looked else self._find())
            self._has_looked = True
        return self._keyring

    def _ask(self, do: Callable[[], T]) -> T:
        """In a thread of its own: one that waits for a person for ever keeps nobody but itself, and who waits behind another waits
        no longer than that one, WITHIN_S in all.
        """
        until_s = time.monotonic() + self._within_s
        if not self._turn.acquire(timeout=self._within_s):
            raise self._silent()
        try:
            return self._answer(do, until_s)
        finally:
            self._turn.release()

    def _answer(self, do: Callable[[], T], until_s: float) -> T:
        answer: Future[T] = Future()

        def asking() -> None:
            try:
                answer.set_result(do())
            except BaseException as error:  # noqa: BLE001 - handed to who asked, below
                answer.set_exception(error)

        threading.Thread(target=asking, name="quarterdeck-keyring", daemon=True).start()
        try:
            return answer.result(max(0.0, until_s - time.monotonic()))
        except TimeoutError:
            raise self._silent() from None
        except Exception as error:  # noqa: BLE001 - backends raise what their systems do; only its kind is told, never its text
            raise VaultFault(
                f"The keyring refused ({type(error).__name__}); unlock it and try again."
            ) from None

    def _silent(self) -> VaultFault:
        return VaultFault(f"The keyring did not answer within {self._within_s:g} s.")


def _name_of(found: Keyring) -> str:
    return str(getattr(found, "name", "") or type(found).__name__)
