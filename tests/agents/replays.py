"""What real programs printed (`recorded/`, made by `tests/service/recording.py`), and what an adapter makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.registry import adapter_for
from quarterdeck.domain.reports_fold import EMPTY, AttemptFold, Baseline

FOLDER = Path(__file__).parent / "recorded"
PROJECT = "/home/ada/project"
Report = dict[str, Any]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
"""Whatever may stand in a field."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One run of one program. code: its exit code, or minus the signal. booked: what the service answered, in tokens."""

    program: str
    scenario: str
    code: int
    stdout: bytes
    stderr: bytes
    booked: tuple[dict[str, int], ...]

    def owed(self, name: str) -> int:
        """All that was booked of one kind."""
        return sum(one[name] for one in self.booked)


def recording(program: str, scenario: str) -> Recording:
    """The recording of that name."""
    return _read(program, scenario, json.loads((FOLDER / program / f"{scenario}.json").read_text("utf-8")))


def failures(program: str) -> Iterator[tuple[str, Recording]]:
    """(the class that it is, what was printed) of each failure that was recorded; the scenario is its name."""
    path = FOLDER / f"{program}-failures.jsonl"
    for line in path.read_text("utf-8").splitlines():
        told = json.loads(line)
        yield told["is_a"], _read(program, f"{told['name']} ({told['when']})", told)


def _read(program: str, scenario: str, told: dict[str, Any]) -> Recording:
    stdout, stderr = ("".join(f"{line}\n" for line in told[name]).encode() for name in ("stdout", "stderr"))
    return Recording(program, scenario, told["code"], stdout, stderr, tuple(told.get("booked", ())))


def adapter_of(program: str, mark: str = "one") -> Adapter:
    """A fresh adapter as the shim makes it, for the program's own stream."""
    return adapter_for(program, program, {"model": "scripted-model", "cwd": PROJECT, "mark": mark})


def reports_of(recorded: Recording, size: int = 1 << 20, mark: str = "one") -> list[Report]:
    """All reports, fed in pieces of that size."""
    adapter = adapter_of(recorded.program, mark)
    assert adapter.begin() == b""
    found: list[Report] = []
    for stream, content in (("stderr", recorded.stderr), ("stdout", recorded.stdout)):
        for start in range(0, len(content), size):
            found += adapter.feed(stream, content[start : start + size])
            assert adapter.take_input() == b""
            assert not adapter.is_over
    return [*found, *adapter.finish()]


def feed(adapter: Adapter, *lines: Any) -> list[Report]:
    """What it tells of these lines of JSON."""
    return list(adapter.feed("stdout", b"".join(json.dumps(line).encode() + b"\n" for line in lines)))


def fold_of(reports: list[Report], baseline: Baseline = EMPTY, code: int | None = 0) -> AttemptFold:
    """The fold of an attempt that began, told this, and ended with that exit code (None: it was killed)."""
    fold = AttemptFold(baseline, reports_cost=True)
    ended = {"kind": "exit", "code": code, "signal": 9 if code is None else None}
    for seq, report in enumerate([{"kind": "started", "pid": 1}, *reports, ended], 1):
        fold.apply({**report, "seq": seq})
    return fold


def of_kind(reports: list[Report], kind: str) -> list[Report]:
    """Those of one kind, in order."""
    return [report for report in reports if report["kind"] == kind]
