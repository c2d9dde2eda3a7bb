"""Ended runs made of files, for stores that hold many: no agent ever lived. And a seam that dies like a killed process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from quarterdeck.domain.events import RunEnded
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.keeping import Limits
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.context import default_actor
from quarterdeck.engine.disk_views import read_view
from quarterdeck.engine.publishing import publish
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from tests.store.builders import AT, header, run_id
from tests.store.faulty_io import UnsyncedIO

BIG = 10**12


def limits(runs: int = 10**9, size: int = BIG, record: int = BIG, transcripts: int = BIG) -> Limits:
    return Limits(runs, size, record, transcripts)


def open_with_list(folder: Path, io: DurableIO | None = None) -> Store:
    """A store whose list is made as the engine makes it."""
    store = Store.open(folder, io or UnsyncedIO())
    Catalog(store)
    return store


def end_run(
    store: Store,
    number: int,
    workflow: str = "w-1",
    *,
    outcome: Outcome = Outcome.COMPLETED,
    transcript: int = 0,
    artifact: int = 0,
    is_published: bool = True,
) -> RunId:
    """A run that was launched and ended, by the engine's own events."""
    run = run_id(number)
    entry = header(number, store.tenant)
    launched = replace(entry.event, workflow_id=WorkflowId(workflow), actor=default_actor())  # type: ignore[type-var]
    journal = store.runs.create(run, replace(entry, event=launched))  # type: ignore[arg-type]
    journal.append(RunEnded(outcome, number, 0, ""), AT, sync=True).result(20)
    journal.close()
    attempt = store.runs.folder(run) / "attempts" / "a-1"
    for name, size in (("transcript", transcript), ("artifact", artifact)):
        if size:
            attempt.mkdir(exist_ok=True)
            (attempt / name).write_bytes(b"x" * size)
    if is_published:
        publish(store, read_view(store, run))
    return run


def content_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but the locks."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock"
    }


class Killed(BaseException):
    """The process is gone: nothing after it is done."""


class DyingIO(UnsyncedIO):
    """From operation number `at` on nothing is done any more, whoever asks: what a SIGKILL leaves on disk."""

    def __init__(self, at: int) -> None:
        self.count, self._at = 0, at

    def before(self, operation: str, target: str) -> None:
        self.count += 1
        if self.count >= self._at:
            raise Killed(f"{operation} {target}")


def killed_at_each_operation(
    template: Path, within: Path, act: Callable[[Store], object], *, least: int
) -> Iterator[Path]:
    """A copy of `template` after `act` died at its first operation, then at its second, until it dies no more; each goes after
    it was looked at. Fails where it died fewer than `least` times."""
    died, is_over = 0, False
    while not is_over:
        folder = within / f"killed-{died + 1}"
        shutil.copytree(template, folder)
        dying = open_with_list(folder, DyingIO(died + 1))
        try:
            act(dying)
            is_over = True
        except Killed:
            died += 1
        finally:
            dying.close()
        yield folder
        shutil.rmtree(folder)
    assert died >= least


def closing_lines(store: Store, kind: str) -> dict[RunId, dict[str, Any]]:
    """The lines of the ledger of that kind, by run, read with all others."""
    return {line["run"]: line for line in store.ledger.load() if line.get("kind") == kind}
