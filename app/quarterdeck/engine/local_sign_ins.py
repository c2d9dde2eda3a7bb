"""The sign-ins of this computer (`engine.sign_ins.SignIns`): list and vault, tests, the memory of this process and of others.

What is cleared here is told to every living session of the data folder over its socket (ruling 27); nothing is started by it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarterdeck.agents.sign_ins import provider_of
from quarterdeck.domain.ids import SessionId
from quarterdeck.domain.sign_ins import ENV_PREFIX, LOGIN_PREFIX, Cleared, Credential, CredentialKind, Shape
from quarterdeck.engine.agent_secrets import SecretMissing
from quarterdeck.engine.owner_socket import AnotherVersion, OwnerSilent, ask_owner
from quarterdeck.engine.secret_vault import VaultFault, VaultState
from quarterdeck.engine.sign_in_memory import SignInMemory
from quarterdeck.engine.sign_in_reading import KeyCall, SignInReading
from quarterdeck.engine.sign_ins import Listed, Saved, SignInsListed, SignInTested, Standing
from quarterdeck.store.credentials_file import (
    FILE_NAME,
    CredentialsNotKept,
    fault_of,
    read_credentials,
    remove_credential,
    write_credential,
)
from quarterdeck.store.errors import StoreError
from quarterdeck.store.machine import now
from quarterdeck.store.sessions import Sessions

if TYPE_CHECKING:
    from quarterdeck.engine.sign_in_probe import Probed

log = logging.getLogger(__name__)
CLEARED = "sign_in_cleared"
"""The verb between processes."""
SECRET_CHARS_MAX = 16_384
NO_ENTRY = "There is no credential “{name}” in the list; `quarterdeck credentials list` shows them."
LOGIN_UNPROVED = (
    "Nothing was asked: {program} signs in by itself, and what it says of its own sign-in is not checked with the service. "
    "Sign in again with the program, then save this entry; the next agent shows whether it works."
)
NO_CALL = (
    "Nothing was asked: no call is known that asks as its agents do. Start one of them yourself (`claim`, or Resume…): that is the "
    "test, and it clears what is remembered as soon as the agent works."
)
_LEFT = {
    CredentialKind.API_KEY: "So is a key that was kept for it.",
    CredentialKind.ENVIRONMENT: "The variable {variable} stays as it is.",
    CredentialKind.OWN_LOGIN: "{program} stays signed in.",
}
"""What becomes of the secret of an entry that is taken out."""
UNTOLD = (
    "{count} other process of Quarterdeck could not be told; what it remembers stays there until it closes."
)


@dataclass(frozen=True, slots=True)
class _Test:
    """What came of asking, and what it clears where it passed."""

    probed: Probed
    clears: Cleared


class LocalSignIns:
    """See `SignIns`. own: this process's session, None where it has none."""

    def __init__(
        self,
        reading: SignInReading,
        memory: SignInMemory,
        sessions: Sessions,
        own: SessionId | None,
        config: Path,
    ) -> None:
        self.memory = memory
        self._reading, self._sessions, self._own, self._config = reading, sessions, own, config
        self._saving = asyncio.Lock()

    @property
    def handed(self) -> frozenset[str]:
        """From memory."""
        return self._reading.handed

    async def listed(self) -> SignInsListed:
        """The list."""
        return await asyncio.to_thread(self._list)

    async def save(self, entry: Credential, secret: str | None = None) -> Saved:
        """Save it, then clear and tell."""
        async with self._saving:
            try:
                state, mark = await asyncio.to_thread(self._save, entry, secret)
            except (CredentialsNotKept, VaultFault, SecretMissing) as error:
                return Saved(entry.name, str(error))
            cleared = _cleared_by_save(entry, mark)
            if cleared is None:
                return Saved(entry.name, words="Its variable is read anew for each agent; a test clears it.")
            gone, untold = await self._clear(cleared)
        words = state.words if entry.kind is CredentialKind.API_KEY else ""
        return Saved(entry.name, "", " ".join(part for part in (words, untold) if part), gone)

    async def remove(self, name: str) -> Saved:
        """Remove it."""
        async with self._saving:
            try:
                gone = await asyncio.to_thread(self._remove, name)
            except (CredentialsNotKept, VaultFault) as error:
                return Saved(name, str(error))
        if gone is None:
            return Saved(name, NO_ENTRY.format(name=name))
        words = _LEFT[gone.kind].format(variable=gone.variable, program=gone.program)
        return Saved(name, words=words)

    async def test(self, name: str) -> SignInTested:
        """Test it."""
        used = self.memory.shapes_of(name)
        try:
            tests = await asyncio.to_thread(self._test, name, used)
        except (CredentialsNotKept, VaultFault, SecretMissing) as error:
            return SignInTested(name, False, str(error))
        gone, words = 0, [test.probed.words for test in tests]
        for test in tests:
            if test.probed.passed:
                cleared, untold = await self._clear(test.clears)
                gone += cleared
                words.append(untold)
        told = [test.probed.passed for test in tests]
        passed = False if False in told else None if None in told else True
        return SignInTested(name, passed, " ".join(dict.fromkeys(filter(None, words))), gone)

    async def signed_in(self, source: str) -> int:
        """Clear a program's own login."""
        if not source.startswith(LOGIN_PREFIX):
            return 0
        return (await self._clear(Cleared(source=source)))[0]

    async def try_now(self, source: str) -> None:
        """Wait no longer."""
        self.memory.try_now(source)

    def standing(self) -> Standing:
        """What stands now."""
        return Standing(self.memory.remembered(), self.memory.limits(now().boot_ms))

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        """Tell of changes."""
        return self.memory.watch(told)

    # ------------------------------------------------------------------------------- the list, blocking

    def _list(self) -> SignInsListed:
        place = str(self._config / FILE_NAME)
        try:
            entries = read_credentials(self._config)
        except CredentialsNotKept as error:
            return SignInsListed(place=place, fault=str(error))
        try:
            state = self._reading.vault.state()
        except VaultFault as error:
            state = VaultState("", str(error))
        listed = tuple(self._listed(entry) for entry in entries.values())
        return SignInsListed(listed, place, state.name, state.words)

    def _listed(self, entry: Credential) -> Listed:
        if entry.kind is CredentialKind.OWN_LOGIN:
            return Listed(entry, None, "the program's own login")
        try:
            self._reading.of_source(entry.name, entry)
        except SecretMissing:
            return Listed(entry, False)
        except VaultFault as error:
            return Listed(entry, None, str(error))
        return Listed(entry, True)

    def _save(self, entry: Credential, secret: str | None) -> tuple[VaultState, str]:
        """What holds the secret, and its hash. The list is written last; where it is not, the earlier secret is put back."""
        wrong = fault_of(entry) or (_fault_of_secret(secret) if secret is not None else "")
        if wrong:
            raise CredentialsNotKept(wrong)
        if entry.kind is not CredentialKind.API_KEY:
            if secret is not None:
                raise CredentialsNotKept("Only an API key is given a secret; this kind takes none.")
            if entry.kind is CredentialKind.OWN_LOGIN and not entry.program:
                raise CredentialsNotKept("Name the program whose own login it is.")
            write_credential(self._config, entry)
            return VaultState(""), ""
        read_credentials(self._config)  # a list that is wrong is told before a secret is put anywhere
        vault = self._reading.vault
        before = vault.get(entry.name)
        kept = before if secret is None else secret
        if kept is None:
            raise CredentialsNotKept(f"There is no secret of “{entry.name}” yet; give it one.")
        state = vault.put(entry.name, kept)
        try:
            write_credential(self._config, entry)
        except CredentialsNotKept:
            if before is None:
                vault.remove(entry.name)
            else:
                vault.put(entry.name, before)
            raise
        return state, self._reading.fingerprint(kept)

    def _remove(self, name: str) -> Credential | None:
        """The entry that was taken out; None where there was none."""
        entry = read_credentials(self._config).get(name)
        if entry is not None and entry.kind is CredentialKind.API_KEY:
            self._reading.vault.remove(name)
        return entry if remove_credential(self._config, name) else None

    def _test(self, name: str, used: Sequence[Shape]) -> list[_Test]:
        """Each sign-in that was used under that name is asked as it was used; where none was, the entry as it stands. Blocking."""
        from quarterdeck.engine.sign_in_probe import (
            Probed,
            probe_key,
        )  # a window at its start needs no web client

        entry = self._entry(name)
        if entry.kind is CredentialKind.OWN_LOGIN:
            return [_Test(Probed(None, LOGIN_UNPROVED.format(program=entry.program)), Cleared())]
        secret = self._reading.of_source(name, entry)
        mark = self._reading.fingerprint(secret)
        known = [shape for shape in used if shape.fingerprint == mark and shape in self._reading.calls]
        if not known:
            probed = probe_key(provider_of(entry.program, entry.variable), entry.endpoint, secret)
            return [_Test(probed, Cleared(mark, entry.endpoint, entry.account))]
        asked: dict[KeyCall | None, Probed] = {}
        for call in dict.fromkeys(self._reading.calls[shape] for shape in known):
            if call is None and entry.kind is CredentialKind.ENVIRONMENT:
                asked[call] = Probed(None, NO_CALL)
            else:
                provider, endpoint = (None, "") if call is None else (call.provider, call.endpoint)
                asked[call] = probe_key(provider, endpoint, secret)
        return [
            _Test(asked[self._reading.calls[shape]], Cleared(mark, shape.endpoint, shape.account))
            for shape in known
        ]

    def _entry(self, name: str) -> Credential:
        if name.startswith(ENV_PREFIX):
            return Credential(name, CredentialKind.ENVIRONMENT, variable=name.removeprefix(ENV_PREFIX))
        found = read_credentials(self._config).get(name)
        if found is None:
            raise CredentialsNotKept(NO_ENTRY.format(name=name))
        return found

    # ------------------------------------------------------------------------------- clearing, here and elsewhere

    async def _clear(self, cleared: Cleared) -> tuple[int, str]:
        """How many failures it cleared here, and in a sentence whom it did not reach."""
        gone = self.memory.clear(cleared)
        try:
            living = await asyncio.to_thread(self._sessions.living)
        except StoreError as error:
            log.warning("other processes were not told of a cleared sign-in: %s", error)
            return gone, ""
        others = [session for session in living if session != self._own]
        told = await asyncio.gather(*(self._tell(session, cleared) for session in others))
        untold = told.count(False)
        return gone, UNTOLD.format(count=untold) if untold else ""

    async def _tell(self, session: SessionId, cleared: Cleared) -> bool:
        try:
            path = self._sessions.socket_path(session)
            answer = await ask_owner(path, {"verb": CLEARED, **asdict(cleared)})
        except (OwnerSilent, AnotherVersion) as error:
            log.warning("session %s was not told of a cleared sign-in: %s", session, error)
            return False
        return answer.get("ok") is True  # an earlier version does not know the word


def cleared_of(asked: Mapping[str, Any]) -> Cleared:
    """What another process cleared; values that are no text are none."""
    names = ("fingerprint", "endpoint", "account", "source")
    return Cleared(**{name: value for name in names if isinstance(value := asked.get(name), str)})


def _cleared_by_save(entry: Credential, mark: str) -> Cleared | None:
    """None: a save says nothing new of it (ruling 27: `env:` clears on a new value or a passed test)."""
    match entry.kind:
        case CredentialKind.API_KEY:
            return Cleared(mark, entry.endpoint, entry.account, entry.name)
        case CredentialKind.OWN_LOGIN:
            return Cleared(source=LOGIN_PREFIX + entry.program)
        case CredentialKind.ENVIRONMENT:
            return None


def _fault_of_secret(secret: str) -> str:
    if not secret.strip():
        return "The secret is empty; nothing was kept."
    if len(secret) > SECRET_CHARS_MAX or "\0" in secret or "\n" in secret or "\r" in secret:
        return "The secret is too long, or has more than one line; nothing was kept."
    return ""
