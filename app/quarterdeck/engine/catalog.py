"""Every run that is known: ended ones from the index, live ones of this process from memory, live ones of others from disk.

The list is a cache of what files say; `refresh` is blocking and runs in a worker thread. Nobody writes a status here:
a workflow's status is projected each time it is asked for (OWN1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.join import run_view, summary
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.show import run_to_json, summary_from_json
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.disk_views import agent_kinds, read_folds
from quarterdeck.store.data_folder import Store
from quarterdeck.store.journal import JournalRead


class Catalog:
    """Summaries by run id. `live` is asked for the views of this process's runs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[RunId, RunSummary] = {}
        store.index.summarise_journal = self._summarise

    def refresh(self) -> frozenset[RunId]:
        """Read the list anew; returns the runs whose line changed. Raises StoreError."""
        fresh = {run: _summary(line) for run, line in self._store.index.load().items()}
        changed = {run for run, line in fresh.items() if self._known.get(run) != line}
        changed |= self._known.keys() - fresh.keys()
        self._known = fresh
        return frozenset(changed)

    def put(self, view: RunView) -> None:
        """A run of this process ended; its line is known without reading."""
        self._known[view.run_id] = summary(view)

    def all(self, own: Iterable[RunView]) -> tuple[RunSummary, ...]:
        """Every run, newest launch first; this process's live views outrank what was read."""
        merged = dict(self._known)
        for view in own:
            merged[view.run_id] = summary(view)
        return tuple(sorted(merged.values(), key=lambda line: -line.launch_seq))

    def find(self, start: str, own: Iterable[RunView]) -> RunId | Refusal:
        """The one run whose id is or begins so, with or without `r-`."""
        wanted = start.strip().lower()
        ids = [line.run_id for line in self.all(own)]
        if wanted in ids:
            return RunId(wanted)
        bare = wanted.removeprefix("r-")
        fits = [run for run in ids if bare and run.removeprefix("r-").startswith(bare)]
        if len(fits) == 1:
            return fits[0]
        if not fits:
            return Refusal(
                Code.E_RUN, f"There is no run {start!r}. `quarterdeck runs` lists those that are kept here."
            )
        named = ", ".join(fits[:5])
        return Refusal(Code.E_AMBIGUOUS, f"{start!r} fits {len(fits)} runs ({named}); write more of the id.")

    def _summarise(self, run: RunId, read: JournalRead) -> dict[str, Any] | None:
        """The line of a run without a usable record: by its journal and reports."""
        if not read.entries:
            return None
        state = fold(read.entries)
        foreign = state.is_live and self._store.runs.is_owned(run)
        view = run_view(
            state, read_folds(self._store, state), {}, agent_kinds(self._store, state), foreign=foreign
        )
        return run_to_json(view, with_slots=False)


def _summary(line: Mapping[str, Any]) -> RunSummary:
    return summary_from_json(dict(line))
