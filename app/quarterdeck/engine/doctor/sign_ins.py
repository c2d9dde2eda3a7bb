"""Sign-ins and the keyring, through a small port, so that whoever keeps them can be asked without being known here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from quarterdeck.engine.doctor.findings import Finding, Health


@dataclass(frozen=True, slots=True)
class SignIn:
    """One entry of the credentials list, without its secret. remembered: why it is held to be dead; empty where it is not."""

    name: str
    program: str
    kind: str
    endpoint: str = ""
    remembered: str = ""


@dataclass(frozen=True, slots=True)
class KeyringState:
    """What keeps secrets here. name: of the keyring, empty where there is none; said: in a sentence, what follows from that."""

    name: str
    said: str
    to_do: str = ""


class SignIns(Protocol):
    """What keeps sign-ins. Nothing of it opens, unlocks or sends anything when it is asked this."""

    @property
    def remembers(self) -> bool:
        """Whether a sign-in that failed once is remembered, so that no other agent is launched with it (AUT3)."""

    def listed(self) -> tuple[SignIn, ...]:
        """The credentials list."""

    def keyring(self) -> KeyringState | None:
        """What keeps secrets; None where this version keeps none."""


class NoSignIns:
    """A version without a credentials list."""

    remembers = False

    def listed(self) -> tuple[SignIn, ...]:
        """None."""
        return ()

    def keyring(self) -> KeyringState | None:
        """None."""
        return None


def known_sign_ins() -> SignIns:
    """What this version keeps."""
    return NoSignIns()


def examine_sign_ins(sign_ins: SignIns) -> Iterator[Finding]:
    """Each sign-in that is listed, and the keyring. Blocking; sends nothing: `credentials test` does that."""
    listed = sign_ins.listed()
    if not listed:
        said = (
            "No credentials are listed: each program uses its own login, and `env:NAME` a variable of yours."
        )
        yield Finding("sign-ins", "Sign-ins", Health.FINE, said, facts={"listed": 0})
    for one in listed:
        facts = {"program": one.program, "kind": one.kind, "endpoint": one.endpoint}
        said = f"For {one.program}, {one.kind}{f', at {one.endpoint}' if one.endpoint else ''}."
        if one.remembered:
            to_do = f"quarterdeck credentials test {one.name}"
            yield Finding(
                f"sign-in.{one.name}", one.name, Health.BROKEN, f"{said} {one.remembered}", to_do, facts
            )
        else:
            yield Finding(
                f"sign-in.{one.name}",
                one.name,
                Health.FINE,
                f"{said} Whether it works is not tested here: that would send a request.",
                "",
                facts,
            )
    found = sign_ins.keyring()
    if found is None:
        said = "This version keeps no secrets of its own."
        yield Finding("keyring", "Keyring", Health.UNCHECKED, said)
    else:
        health = Health.FINE if found.name else Health.NOTE
        yield Finding("keyring", "Keyring", health, found.said, found.to_do, {"name": found.name})
