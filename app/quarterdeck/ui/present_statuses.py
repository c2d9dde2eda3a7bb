"""What is said of each workflow where workflows are listed: the picker and the search (OWN3, REC1). Pure, no Qt.

The run that speaks for a workflow and its badge are found as for the workflow that is shown, by the functions that
`present` gives; so a list says of it what its badge says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.projection import newest_end
from quarterdeck.domain.states import Phase
from quarterdeck.domain.views import RunSummary
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.memo import Memo

tr = Texts("PresentStatuses")


@dataclass(frozen=True, slots=True)
class Listed:
    """The status of one workflow of a list."""

    badge: Badge
    live: int
    words: str
    """`Running · 2 live`, `Done`, `Not started`, `Interrupted, discarded`."""


class LastEnds:
    """Kept while the ended runs are the same: {workflow: its run that was finalised last}."""

    def __init__(self) -> None:
        self._asked: tuple[RunSummary, ...] = ()
        self._last: dict[WorkflowId, RunSummary] = {}

    def of(self, ended: tuple[RunSummary, ...]) -> Mapping[WorkflowId, RunSummary]:
        """One look at all of them."""
        if ended != self._asked:
            by_workflow: dict[WorkflowId, list[RunSummary]] = {}
            for run in ended:
                by_workflow.setdefault(run.workflow_id, []).append(run)
            found = {workflow: newest_end(runs) for workflow, runs in by_workflow.items()}
            self._last = {workflow: run for workflow, run in found.items() if run is not None}
            self._asked = ended
        return self._last


def listed(
    workflows: Iterable[WorkflowId],
    living: tuple[RunSummary, ...],
    past: tuple[RunSummary, ...],
    closed: tuple[RunSummary, ...],
    projected: Callable[[Iterable[RunSummary]], RunSummary | None],
    badge_of: Callable[[RunSummary | None], Badge],
    memo: Memo,
) -> dict[WorkflowId, Listed]:
    """One status for each of these workflows. Runs of others are passed over, so that no sibling speaks (ID4)."""
    kept = memo.keeper("ends of past", LastEnds).of(past)
    gone = memo.keeper("ends of closed", LastEnds).of(closed)
    made: dict[WorkflowId, Listed] = {}
    for workflow in workflows:
        live = [run for run in living if run.workflow_id == workflow]
        ends = [run for run in (kept.get(workflow), gone.get(workflow)) if run is not None]
        run = projected((*live, *ends))
        badge = badge_of(run)
        made[workflow] = Listed(badge, len(live), _words(badge, run, len(live)))
    return made


def ended_word(badge: Badge, run: RunSummary) -> str:
    """`Done`; of a run that left the store with why: `Interrupted, discarded` (C12)."""
    return f"{badge.word}, {in_words(run.reason)}" if run.phase is Phase.CLOSED else badge.word


def _words(badge: Badge, run: RunSummary | None, live: int) -> str:
    if live:
        return tr("{state} · {count} live", state=badge.word, count=f"{live:,}")
    return ended_word(badge, run) if run is not None else badge.word
