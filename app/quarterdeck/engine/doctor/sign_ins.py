"""Sign-ins and the keyring, as the credentials list and the keyring of this system tell of them. No secret is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from quarterdeck.domain.sign_ins import Credential, CredentialKind
from quarterdeck.engine.doctor.findings import Finding, Health
from quarterdeck.engine.secret_vault import SecretVault, VaultFault
from quarterdeck.store.credentials_file import CredentialsNotKept, read_credentials

KIND_WORDS = {
    CredentialKind.API_KEY: "a key",
    CredentialKind.OWN_LOGIN: "the program's own login",
    CredentialKind.ENVIRONMENT: "a variable of the environment",
}

NOT_TESTED = "Whether it works is not tested here: that would send a request."
TO_MEND = "Mend the file, or move it away."


@dataclass(frozen=True, slots=True)
class KeyringState:
    """What keeps secrets here. name: of the keyring, empty where there is none; said: in a sentence, what follows from that."""

    name: str
    said: str
    to_do: str = ""


class SignIns(Protocol):
    """What keeps sign-ins. Nothing of it unlocks or sends anything when it is asked this."""

    def listed(self) -> tuple[Credential, ...]:
        """The credentials list. Raises CredentialsNotKept."""

    def keyring(self) -> KeyringState:
        """What keeps secrets."""


class KeptSignIns:
    """The list in a config folder, and the keyring of this system."""

    def __init__(self, config: Path, vault: SecretVault) -> None:
        self._config, self._vault = config, vault

    def listed(self) -> tuple[Credential, ...]:
        """As the file has it."""
        return tuple(read_credentials(self._config).values())

    def keyring(self) -> KeyringState:
        """What was found; it is looked for and not opened."""
        try:
            found = self._vault.state()
        except VaultFault as fault:
            return KeyringState("", str(fault), "Unlock the keyring of this system, or start it.")
        said = found.words or f"Secrets of the credentials list lie in {found.name}."
        return KeyringState(found.name, said)


def examine_sign_ins(sign_ins: SignIns) -> Iterator[Finding]:
    """Each sign-in that is listed, and the keyring. Blocking; sends nothing: `credentials test` does that."""
    try:
        listed = sign_ins.listed()
    except CredentialsNotKept as fault:
        yield Finding("sign-ins", "Sign-ins", Health.BROKEN, str(fault), TO_MEND)
    else:
        yield from _of_list(listed)
    found = sign_ins.keyring()
    health = Health.FINE if found.name else Health.NOTE
    yield Finding("keyring", "Keyring", health, found.said, found.to_do, {"name": found.name})


def _of_list(listed: tuple[Credential, ...]) -> Iterator[Finding]:
    if not listed:
        said = (
            "No credentials are listed: each program uses its own login, and `env:NAME` a variable of yours."
        )
        yield Finding("sign-ins", "Sign-ins", Health.FINE, said, facts={"listed": 0})
    for one in listed:
        facts = {"program": one.program, "kind": one.kind.value, "endpoint": one.endpoint}
        program, where = one.program or "any program", f", at {one.endpoint}" if one.endpoint else ""
        said = f"For {program}, {KIND_WORDS[one.kind]}{where}. {NOT_TESTED}"
        to_do = f"quarterdeck credentials test {one.name}"
        yield Finding(f"sign-in.{one.name}", one.name, Health.FINE, said, to_do, facts)
