"""Blocking reads behind the door: workflow files, a run as its files say, parts of a transcript."""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import AttemptId, RunId, WorkflowId
from quarterdeck.domain.overlays import with_refused
from quarterdeck.domain.record import refused_of
from quarterdeck.domain.show import run_from_record
from quarterdeck.domain.views import RunView
from quarterdeck.engine.damage import judge_damage
from quarterdeck.engine.damaged_runs import damaged_view
from quarterdeck.engine.disk_views import view_of_read
from quarterdeck.engine.door import TranscriptChunk
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.launching import loaded_of, problems_of
from quarterdeck.engine.left_runs import left_view
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow, Problem
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, StoreDown, StoreError, UnknownRun
from quarterdeck.store.workflow_file import SUFFIX, BrokenFile, load_workflow

log = logging.getLogger(__name__)


def load_file(path: Path) -> LoadedWorkflow | BrokenWorkflow:
    """One workflow file, checked."""
    where = Path(os.path.abspath(path))
    file = load_workflow(where)
    if isinstance(file, BrokenFile):
        return BrokenWorkflow(where, problems_of(file))
    return loaded_of(where, file)


def workflows_of(folder: Path) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
    """Every workflow file of a folder, sorted by name; none where the folder cannot be read.

    Files with one id are one workflow: a run of one lights the others. A copy says so by a warning (case 1).
    """
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    except OSError:
        return ()
    return _with_shared_ids(tuple(load_file(folder / name) for name in names))


def _with_shared_ids(
    files: tuple[LoadedWorkflow | BrokenWorkflow, ...],
) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
    by_id: defaultdict[WorkflowId, list[str]] = defaultdict(list)
    for file in files:
        if isinstance(file, LoadedWorkflow):
            by_id[file.workflow.id].append(file.path.name)
    return tuple(
        replace(file, warnings=(*file.warnings, _shared_id(file.path.name, by_id[file.workflow.id])))
        if isinstance(file, LoadedWorkflow) and len(by_id[file.workflow.id]) > 1
        else file
        for file in files
    )


def _shared_id(name: str, names: list[str]) -> Problem:
    others = ", ".join(other for other in names if other != name)
    message = f"The same id is in {others}: their runs are shown as runs of one workflow. Give a copy an id of its own."
    return Problem("$.id", 0, message, warning=True)


def read_run(store: Store, run: RunId, *, is_ours: bool = False) -> RunView | None:
    """A run by its files: its record where that covers the whole journal (ruling 15), else the journal's fold. One that is
    damaged and that nobody has is told by all of its files (`damaged_runs`).

    is_ours: the caller holds it and carries nothing on.
    """
    refused: dict[AttemptId, int] = {}
    record: dict[str, Any] | None = None
    try:
        record = store.records.read(run)
        refused = refused_of(record)
        view = run_from_record(record) if record is not None else None
    except StoreDown:
        raise
    except (StoreError, KeyError, TypeError, ValueError) as error:
        log.info("the record of run %s is not used: %s", run, error)  # The journal is the truth (ruling 15).
        record = view = None
    try:
        return _read_run(store, run, record, view, is_ours) or _by_journal(store, run, refused, is_ours)
    except StoreDown:
        raise
    except (StoreError, DomainError, ValueError) as error:
        log.info("run %s cannot be read: %s", run, error)
        return None


def _read_run(
    store: Store, run: RunId, record: dict[str, Any] | None, view: RunView | None, is_ours: bool
) -> RunView | None:
    """By what stands beside the journal, or in spite of it; None: by the journal. view: of the record."""
    try:
        read = store.runs.read(run)
    except UnknownRun:
        if view is None:
            raise
        return view  # a record is all that is left
    last = read.entries[-1].seq if read.entries else 0
    recorded = view if record is not None and record["covers_seq"] >= last else None
    try:
        is_owned = not is_ours and store.runs.is_owned(run)
        damage = None if is_owned else judge_damage(store, run, read, record)
    except StoreError as error:
        if recorded is None:
            raise
        log.info("run %s is told by its record alone: %s", run, error)
        return recorded
    if damage is not None and damage.record is None and read.entries:
        return damaged_view(store, run, read, damage)
    if damage is not None and recorded is not None:
        return replace(recorded, damaged=True, unanswered=recorded.unanswered and not damage.answered)
    return recorded


def _by_journal(store: Store, run: RunId, refused: dict[AttemptId, int], is_ours: bool) -> RunView:
    read = store.runs.read(run)
    left = None if is_ours or not read.entries else left_view(store, read)
    view = left if left is not None else view_of_read(store, run, read, foreign=store.runs.is_owned(run))
    return with_refused(view, refused)


def read_transcript(store: Store, run: RunId, attempt: AttemptId, offset: int, limit: int) -> TranscriptChunk:
    """Part of a raw transcript; missing is said as missing. Raises StoreUnusable."""
    try:
        found = store.attempts.transcript(run, attempt, offset, limit)
    except (StoreDamaged, ValueError):
        found = None
    except StoreError as error:
        raise StoreUnusable(f"The transcript of run {run} cannot be read: {error}") from error
    if found is None:
        return TranscriptChunk(0, b"", 0, missing=True)
    start, content, size = found
    return TranscriptChunk(start, content, size)
