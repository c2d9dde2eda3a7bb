"""What a bounded store keeps and what leaves it (STO6–STO9, ruling 16). Pure: which runs there are, and how large, comes in.

Oldest first by the number of their end. Never: the newest ended run of a workflow and runs that a person pinned, which
outrank every cap, and runs that are spared (live, interrupted and not answered, looked at now). Last: runs with effects of
unknown outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from quarterdeck.domain.ids import RunId, WorkflowId

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Caps of the store; sizes in bytes. Transcripts have a budget of their own and are in no other size."""

    runs: int = 20_000
    size_bytes: int = 4096 * MB
    record_bytes: int = 64 * MB
    transcripts_bytes: int = 4096 * MB


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run in the store. size_bytes: its folder without transcripts. end_seq: None where it never ended."""

    run: RunId
    workflow: WorkflowId
    launch_seq: int
    end_seq: int | None
    size_bytes: int
    transcript_bytes: int = 0
    is_spared: bool = False
    is_too_large: bool = False
    """Its record was larger than a record may be, so none was kept (STO8)."""
    is_pinned: bool = False
    """A person pinned it: it stays with its transcripts, whatever they come to."""


class Why(StrEnum):
    """Why something leaves."""

    COUNT = "count"
    SIZE = "size"
    TOO_LARGE = "too_large"
    TRANSCRIPTS = "transcripts"


@dataclass(frozen=True, slots=True)
class Leaving:
    """A run, or with TRANSCRIPTS its transcripts alone, that leaves; `size_bytes` become free."""

    kept: KeptRun
    why: Why
    size_bytes: int


def newest_of_each_workflow(kept: Iterable[KeptRun]) -> frozenset[RunId]:
    """The pins (STO7): the last ended run of every workflow whose record is kept."""
    newest: dict[WorkflowId, KeptRun] = {}
    for one in kept:
        if one.end_seq is None or one.is_too_large:
            continue
        known = newest.get(one.workflow)
        if known is None or _age(one) > _age(known):
            newest[one.workflow] = one
    return frozenset(one.run for one in newest.values())


def runs_leaving(
    kept: Iterable[KeptRun], limits: Limits, leaves_last: Callable[[RunId], bool]
) -> Iterator[Leaving]:
    """Runs that leave, in this order, until the caps hold or nothing may leave any more.

    leaves_last: whether a run has effects of unknown outcome; asked only of runs whose turn has come.
    """
    known = tuple(kept)
    pins = newest_of_each_workflow(known)
    count, size = len(known), sum(one.size_bytes for one in known)
    free = sorted((one for one in known if _may_leave(one, pins)), key=_age)
    for one in free:
        if one.is_too_large:
            count, size = count - 1, size - one.size_bytes
            yield Leaving(one, Why.TOO_LARGE, one.size_bytes + one.transcript_bytes)
    late: list[KeptRun] = []
    for turn in (free, late):
        for one in turn:
            if count <= limits.runs and size <= limits.size_bytes:
                return
            if one.is_too_large:
                continue
            if turn is free and leaves_last(one.run):
                late.append(one)
                continue
            why = Why.COUNT if count > limits.runs else Why.SIZE
            count, size = count - 1, size - one.size_bytes
            yield Leaving(one, why, one.size_bytes + one.transcript_bytes)


def transcripts_leaving(kept: Iterable[KeptRun], limits: Limits) -> Iterator[Leaving]:
    """Runs that lose their transcripts, oldest first, until the budget holds. The newest
    run of a workflow loses them as well, one that a person pinned does not."""
    known = tuple(kept)
    size = sum(one.transcript_bytes for one in known)
    for one in sorted((one for one in known if _may_leave(one, frozenset())), key=_age):
        if size <= limits.transcripts_bytes:
            return
        if one.transcript_bytes:
            size -= one.transcript_bytes
            yield Leaving(one, Why.TRANSCRIPTS, one.transcript_bytes)


def _may_leave(one: KeptRun, pins: frozenset[RunId]) -> bool:
    is_held = one.is_spared or one.is_pinned or one.run in pins
    return one.end_seq is not None and not is_held


def _age(one: KeptRun) -> tuple[int, int, RunId]:
    return one.end_seq or 0, one.launch_seq, one.run
