"""What a look found, as frozen values, and the one JSON document made of them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Health(StrEnum):
    """How a thing stands. Only `BROKEN` makes the examination fail."""

    FINE = "fine"
    NOTE = "note"
    """It works; there is something to know."""
    BROKEN = "broken"
    UNCHECKED = "unchecked"
    """Nothing is known of it, and `said` tells why."""


class Part(StrEnum):
    """What can be examined by itself."""

    MACHINE = "machine"
    TRUST = "trust"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    id: stays the same over versions (`disk`, `program.claude`, `trust.twin-runs`). said: what was found, a sentence or more.
    to_do: what a person can do about it, a command line where there is one; empty where nothing is to be done.
    facts: the figures behind it, as JSON.
    """

    id: str
    title: str
    health: Health
    said: str
    to_do: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Examination:
    """All findings, in the order in which they are shown."""

    version: str
    findings: tuple[Finding, ...]

    @property
    def is_healthy(self) -> bool:
        """Nothing that was looked at is broken."""
        return all(one.health is not Health.BROKEN for one in self.findings)


def examination_to_json(examination: Examination) -> dict[str, Any]:
    """The document of `doctor --json`."""
    return {
        "version": examination.version,
        "healthy": examination.is_healthy,
        "checks": [
            {
                "id": one.id,
                "title": one.title,
                "state": one.health.value,
                "said": one.said,
                "do": one.to_do,
                "facts": dict(one.facts),
            }
            for one in examination.findings
        ],
    }


def examination_from_json(document: Mapping[str, Any]) -> Examination:
    """Inverse of `examination_to_json`. Raises KeyError, TypeError or ValueError where it is no such document."""
    return Examination(
        str(document["version"]),
        tuple(
            Finding(
                str(one["id"]),
                str(one["title"]),
                Health(one["state"]),
                str(one["said"]),
                str(one["do"]),
                dict(one["facts"]),
            )
            for one in document["checks"]
        ),
    )
