"""Which rows of the run list are shown, and what they sum to. Pure; money stays exact."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

from quarterdeck.domain.practice import together
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_money import spent_text
from quarterdeck.ui.present_runs import RunRow
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import size_text

tr = Texts("RunsFilter")


class StateChoice(StrEnum):
    """The states that the list can be narrowed to."""

    ANY = tr.later("Any state")
    LIVE = tr.later("Live")
    NEEDS = tr.later("Needs you")
    DONE = tr.later("Done")
    FAILED = tr.later("Failed")
    STOPPED = tr.later("Stopped")
    INTERRUPTED = tr.later("Stopped: app closed")

    @property
    def words(self) -> str:
        """In the person's language."""
        return tr.find(self.value)


_FAMILIES = {
    StateChoice.NEEDS: Family.NEEDS,
    StateChoice.DONE: Family.DONE,
    StateChoice.FAILED: Family.FAILED,
    StateChoice.STOPPED: Family.NEUTRAL,
    StateChoice.INTERRUPTED: Family.INTERRUPTED,
}


@dataclass(frozen=True, slots=True)
class RunsFilter:
    """What a person narrowed the list to; `workflow` empty: all workflows."""

    state: StateChoice = StateChoice.ANY
    workflow: str = ""
    text: str = ""

    @property
    def is_on(self) -> bool:
        """True where it may leave something out."""
        return self != RunsFilter()

    def fits(self, row: RunRow) -> bool:
        """Whether a run is shown. Every typed word must be in its id, workflow, state or reason, or say whether it is live."""
        if self.workflow and row.workflow_id != self.workflow:
            return False
        if self.state is StateChoice.LIVE and not row.is_live:
            return False
        family = _FAMILIES.get(self.state)
        if family is not None and (row.badge is None or row.badge.family is not family):
            return False
        section = tr("live") if row.is_live else tr("ended")
        whole = f"{row.run_id} {row.spoken} {row.workflow_name} {section}".casefold()
        return all(word in whole for word in self.text.casefold().split())


def filtered(rows: Iterable[RunRow], wanted: RunsFilter) -> tuple[RunRow, ...]:
    """The rows that fit, each section headed with its count; a section without rows is left out."""
    is_on = wanted.is_on
    shown: list[RunRow] = []
    heading: RunRow | None = None
    section: list[RunRow] = []
    for row in (*rows, RunRow(key="end")):
        if row.run_id is not None:
            if not is_on or wanted.fits(row):
                section.append(row)
            continue
        if heading is not None and section:
            words = f"{heading.heading} · {len(section):,}"
            shown += [replace(heading, heading=words, spoken=f"{heading.spoken}, {len(section)}"), *section]
        heading, section = row, []
    return tuple(shown)


def totals_text(rows: Iterable[RunRow], all_runs: int) -> str:
    """`12 of 212 runs · $34.20`: what the shown runs cost, with `at least` where a part is unknown."""
    runs = [row for row in rows if row.run_id is not None]
    count = tr.count("{shown} of {n} runs", "{shown} of {n} run", all_runs, shown=f"{len(runs):,}")
    return f"{count} · {spent_text(together(row.spent for row in runs))}"


def kept_text(runs: int, size_bytes: int | None) -> str:
    """`Kept on this computer only: 212 runs, 41 MB`; the size is left out until it was measured."""
    kept = tr.count("Kept on this computer only: {n} runs", "Kept on this computer only: {n} run", runs)
    return kept if size_bytes is None else f"{kept}, {size_text(size_bytes)}"
