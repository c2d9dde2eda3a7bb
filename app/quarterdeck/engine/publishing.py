"""The end of a run on disk: its record, its line in the index, its lines in the ledger. Blocking; any order of crashes
leaves a state from which the journal alone rebuilds the same three (rulings 15, STO3, STO10).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.show import record_of, summary_to_json
from quarterdeck.domain.views import AttemptView, RunView, SlotView
from quarterdeck.engine.closed import TOO_LARGE
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import probe_path, replace_file
from quarterdeck.store.errors import RecordTooLarge, StoreError, disk_errors, is_odd_entry
from quarterdeck.store.limits_file import read_limits
from quarterdeck.store.settings_part import FILE_NAME

if TYPE_CHECKING:
    from quarterdeck.engine.recovery import UnnamedAttempt

log = logging.getLogger(__name__)
HOUR_MS = 3_600_000


def publish(store: Store, view: RunView) -> str:
    """Make the ended run visible: record first, then index, then ledger. Doing it again is harmless.

    A record above the limit is not written at all: the ledger says so, and the run leaves the store (STO8).
    Raises StoreDown where the disk does not take it. Where something else lies in the place of record or ledger, no
    waiting helps: that is logged and left out. Returns why something was left out, in words; empty where all is kept.
    """
    record = record_of(view)
    limit = read_limits(store.config() / FILE_NAME).record_bytes
    try:
        no_record = _kept_or_odd(lambda: store.records.publish(view.run_id, record, limit))
    except RecordTooLarge as error:
        tombstone = _tombstone(view, error)
        no_record = _kept_or_odd(lambda: store.ledger.append([tombstone]))
    try:
        store.index.append(record)
    except StoreError as error:  # it is a cache: the next load finds the run by its record or journal
        log.warning("run %s is not in the index now: %s", view.run_id, error)
    no_spend = _kept_or_odd(lambda: store.ledger.append(ledger_lines(view)))
    lost = [
        f"{what} is not kept: {why}"
        for what, why in (("Its record", no_record), ("Its spend", no_spend))
        if why
    ]
    for words in lost:
        log.error("run %s: %s", view.run_id, words)
    return " ".join(f"{words}." for words in lost)


def _kept_or_odd(write: Callable[[], object]) -> str:
    """Why it cannot be written for good; empty where it was written. Raises StoreDown where the disk does not take it."""
    try:
        write()
    except StoreError as error:
        if not is_odd_entry(error):
            raise
        return str(error)
    return ""


def _tombstone(view: RunView, error: RecordTooLarge) -> dict[str, Any]:
    about = {"kind": TOO_LARGE, "run": view.run_id, "seq": view.seq}
    sizes = {"size_bytes": error.size_bytes, "limit_bytes": error.limit_bytes}
    return {**about, **sizes, "summary": summary_to_json(view)}


def probe_disk(store: Store) -> None:
    """Whether the disk takes and keeps a file. Raises StoreDown where it does not."""
    path = probe_path(store.folder)
    with disk_errors(path):
        replace_file(store.io, path, b"probe")
        store.io.unlink(path)


def ledger_lines(view: RunView) -> list[dict[str, Any]]:
    """Spend by attempt and model, keyed by (attempt, model, hour, upto) so that settling twice adds nothing.

    What came beyond an attempt's end stands in lines of its own kind, `spend_late` (ruling 9).
    """
    return [
        line
        for slot in view.slots
        for attempt in slot.attempts
        if attempt.ended_at is not None
        for line in _attempt_lines(view, slot, attempt)
    ]


def lines_of_unnamed(run: RunId, workflow: WorkflowId, one: UnnamedAttempt) -> list[dict[str, Any]]:
    """What an attempt spent of which no record names the agent; counted to the hour of its last report."""
    common = {
        "kind": "spend",
        "run": run,
        "workflow": workflow,
        "slot": "",
        "attempt": one.attempt_id,
        "agent": "unknown",
        "agent_kind": "",
        "hour": one.wall_ms // HOUR_MS,
        "upto": one.upto,
        "ended_ms": one.wall_ms,
    }
    return list(_spend_lines(common, one.figures))


def _attempt_lines(view: RunView, slot: SlotView, attempt: AttemptView) -> Iterable[dict[str, Any]]:
    assert attempt.ended_at is not None
    common = {
        "run": view.run_id,
        "workflow": view.workflow_id,
        "slot": slot.slot_id,
        "attempt": attempt.attempt_id,
        "agent": attempt.agent,
        "agent_kind": attempt.agent_kind,
        "hour": attempt.ended_at.wall_ms // HOUR_MS,
        "upto": attempt.upto,
        "ended_ms": attempt.ended_at.wall_ms,
    }
    yield from _spend_lines(common | {"kind": "spend"}, attempt.figures)
    if attempt.late is not None:
        yield from _spend_lines(common | {"kind": "spend_late"}, attempt.late)


def _spend_lines(common: dict[str, Any], figures: FiguresTotals) -> Iterable[dict[str, Any]]:
    common = common | {"complete": figures.cost_is_complete, "source": figures.cost_source}
    if not figures.by_model:
        yield common | {"model": "", "cost_usd": usd_text(figures.cost_usd), "turns": figures.turns}
    for index, spend in enumerate(figures.by_model):
        turns = figures.turns if index == 0 else 0
        yield common | {"model": spend.model, "cost_usd": usd_text(spend.cost_usd), "turns": turns}
