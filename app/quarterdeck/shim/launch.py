"""The launch specification of one attempt, as the engine wrote it to `launch.json` (docs/architecture.md, shim).

`baseline`, `limits`, `prices` and `wire` are optional: baseline is domain.spend's; wire is what the agent's adapter needs to know; limits is {"read_bytes_per_s", "burst_bytes", "queue_bytes"}; prices is
{model: {"input", "output", "cache_read", "cache_write", "above"}}, each US dollars per million tokens as a decimal string (`above`: shim.pricing).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.spend import EMPTY, Baseline
from quarterdeck.shim.errors import LaunchUnreadable
from quarterdeck.shim.kernel import AUTOGROUP_NICE
from quarterdeck.shim.marks import ATTEMPT_MARK, RUN_MARK
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular

SCHEMA = 1
GRACE_S = 4.0
CAP_GRACE_S = 2.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How fast an agent is read, and how much may wait for the disk before it is not read at all."""

    read_bytes_per_s: int = 1_000_000
    burst_bytes: int = 2_000_000
    queue_bytes: int = 8_000_000


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """Everything that a shim needs to know; secrets are not in it, they come over the socket."""

    folder: Path
    run: str
    slot: str
    attempt: str
    epoch: int
    kind: str
    protocol: str
    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]
    stdin: str
    prompt: str
    idempotency_key: str
    context_path: str | None = None
    resume_path: str | None = None
    grace_s: float = GRACE_S
    cap_usd: Decimal | None = None
    cap_of: str = "cap"
    """What `ending` says at the cap: `cap`, or which limit of many runs it is the rest of."""
    timeout_s: float | None = None
    stall_timeout_s: float | None = None
    """How long it may print nothing; time in which it waits for a person does not count."""
    max_turns: int | None = None
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    containment: str = "auto"
    limits: Limits = Limits()
    baseline: Baseline = EMPTY
    wire: Mapping[str, Any] = field(default_factory=dict)
    program_version: str = ""
    """As the place of the program told it when it was launched; empty where it did not."""
    autogroup_nice: int = AUTOGROUP_NICE
    """Not from the file: how many agents live beside this one decides it when it is started."""

    @property
    def reports_cost(self) -> bool:
        """Whether agents of this kind tell their usage; one that does not and reports none costs a known 0."""
        return self.kind not in ("command", "practice")


def read_launch(path: Path) -> LaunchSpec:
    """The specification in that file; its folder is the attempt's folder. Raises LaunchUnreadable."""
    try:
        raw = json.loads(read_regular(path))
        if raw.get("schema") != SCHEMA:
            raise LaunchUnreadable(str(path), f"schema {raw.get('schema')!r} is not {SCHEMA}")
        return _spec(path.parent, raw)
    except (OSError, StoreDamaged, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LaunchUnreadable(str(path), f"{type(error).__name__}: {error}") from error


def _spec(folder: Path, raw: Mapping[str, Any]) -> LaunchSpec:
    return LaunchSpec(
        folder=folder,
        run=str(raw["run"]),
        slot=str(raw["slot"]),
        attempt=str(raw["attempt"]),
        epoch=int(raw["epoch"]),
        kind=str(raw.get("kind", "command")),
        protocol=str(raw.get("protocol", "text")),
        argv=tuple(str(item) for item in raw["argv"]),
        cwd=str(raw["cwd"]),
        env={str(name): str(value) for name, value in raw.get("env", {}).items()},
        stdin=str(raw.get("stdin", "null")),
        prompt=str(raw.get("prompt") or ""),
        idempotency_key=str(raw.get("idempotency_key") or ""),
        context_path=raw.get("context_path"),
        resume_path=raw.get("resume_path"),
        grace_s=float(raw.get("grace_s", GRACE_S)),
        cap_usd=parse_usd(raw.get("cap_usd")),
        cap_of=str(raw.get("cap_of") or "cap"),
        timeout_s=None if raw.get("timeout_s") is None else float(raw["timeout_s"]),
        stall_timeout_s=None if raw.get("stall_timeout_s") is None else float(raw["stall_timeout_s"]),
        max_turns=None if raw.get("max_turns") is None else int(raw["max_turns"]),
        prices=raw.get("prices") or {},
        containment=str(raw.get("containment", "auto")),
        limits=Limits(**(raw.get("limits") or {})),
        baseline=Baseline.from_json(raw.get("baseline")),
        wire=dict(raw.get("wire") or {}),
        program_version=str(((raw.get("version") or {}).get("program") or {}).get("version") or ""),
    )


def agent_marks(spec: LaunchSpec) -> dict[str, str]:
    """The variables that every agent gets (design §7)."""
    marks = {
        RUN_MARK: spec.run,
        "QUARTERDECK_SLOT": spec.slot,
        ATTEMPT_MARK: spec.attempt,
        "QUARTERDECK_EPOCH": str(spec.epoch),
        "QUARTERDECK_IDEMPOTENCY_KEY": spec.idempotency_key,
    }
    if spec.context_path:
        marks["QUARTERDECK_CONTEXT"] = spec.context_path
    if spec.resume_path:
        marks["QUARTERDECK_RESUME"] = spec.resume_path
    return marks
