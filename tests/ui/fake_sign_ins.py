"""Sign-ins in memory, for the fake doors: no keyring, no network. Tests move what stands by `stand`."""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.domain.sign_ins import Credential, CredentialKind
from quarterdeck.engine.sign_ins import Listed, Saved, SignInsListed, SignInTested, Standing


class FakeSignIns:
    """`asked` holds every command; of a secret only whether one came."""

    def __init__(self) -> None:
        self.handed: frozenset[str] = frozenset()
        self.entries: dict[str, Credential] = {}
        self.secrets: set[str] = set()
        self.keyring = "Secret Service"
        self.fault = ""
        self.test_gives = SignInTested("", None, "Nothing was asked.")
        self.asked: list[tuple[object, ...]] = []
        self._standing = Standing()
        self._watchers: list[Callable[[], None]] = []

    async def listed(self) -> SignInsListed:
        if self.fault:
            return SignInsListed(fault=self.fault)
        listed = tuple(Listed(entry, self._has(entry)) for entry in self.entries.values())
        return SignInsListed(listed, "/config/credentials.toml", self.keyring, "")

    def _has(self, entry: Credential) -> bool | None:
        return None if entry.kind is CredentialKind.OWN_LOGIN else entry.name in self.secrets

    async def save(self, entry: Credential, secret: str | None = None) -> Saved:
        self.asked.append(("save", entry, secret is not None))
        if self.fault:
            return Saved(entry.name, self.fault)
        self.entries[entry.name] = entry
        if secret is not None:
            self.secrets.add(entry.name)
        return Saved(entry.name)

    async def remove(self, name: str) -> Saved:
        self.asked.append(("remove", name))
        self.entries.pop(name, None)
        return Saved(name, self.fault)

    async def test(self, name: str) -> SignInTested:
        self.asked.append(("test", name))
        return self.test_gives

    async def signed_in(self, source: str) -> int:
        self.asked.append(("signed_in", source))
        return 0

    async def try_now(self, source: str) -> None:
        self.asked.append(("try_now", source))

    def standing(self) -> Standing:
        return self._standing

    def stand(self, standing: Standing) -> None:
        """What stands in the way of agents is this now."""
        self._standing = standing
        for told in tuple(self._watchers):
            told()

    def watch(self, told: Callable[[], None]) -> Callable[[], None]:
        self._watchers.append(told)
        return lambda: self._watchers.remove(told)
