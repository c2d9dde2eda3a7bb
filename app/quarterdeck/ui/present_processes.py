"""What is said of the processes of agents: how many agents are alive, how many processes they have. Pure, no Qt (cases 52, 139).

The agents are those of the views; the processes were counted on this computer a moment ago, by run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.household import ProcessCount
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present import Footing
from quarterdeck.ui.present_agent import AgentFacts
from quarterdeck.ui.present_process import Fact
from quarterdeck.ui.words import one_line, short_id, size_text

tr = Texts("PresentProcesses")

Counts = Mapping[RunId, ProcessCount]
LINES_MAX = 20
STALE_MS = 7_000
"""Two counts are taken in that time (`process_watch`)."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The processes of all runs that the window knows."""

    of_live: int = 0
    memory_bytes: int = 0
    """Of those."""
    of_ended: int = 0
    """Processes that outlived their run."""
    lines: tuple[str, ...] = ()
    """Each run with its own, in words, newest first."""


def counted(counts: Counts, runs: Iterable[RunSummary], now: Moment) -> Counted:
    """Sorted to the runs; what belongs to another data folder is left out, and what is from before a run's end."""
    counts_now = ((run, count_of(run, counts, now)) for run in runs)
    own = [(run, count) for run, count in counts_now if count is not None]
    live = [count for run, count in own if run.is_live]
    return Counted(
        sum(count.processes for count in live),
        sum(count.memory_bytes for count in live),
        sum(count.processes for run, count in own if not run.is_live),
        tuple(
            tr(
                "Run {run}, {workflow}: {processes}",
                run=short_id(run.run_id),
                workflow=one_line(run.workflow_name, 60),
                processes=count_words(count),
            )
            for run, count in own[:LINES_MAX]
        ),
    )


def count_words(count: ProcessCount) -> str:
    """`9 processes, 180 MB`."""
    processes = tr.count("{n} processes", "{n} process", count.processes)
    return f"{processes}, {size_text(count.memory_bytes)}"


def count_of(run: RunSummary | RunView, counts: Counts, now: Moment) -> ProcessCount | None:
    """The count of a run; of one that has only just ended it may still be from before its end, and says nothing."""
    if run.ended_at is not None and not run.is_live and now.boot_ms - run.ended_at.boot_ms < STALE_MS:
        return None
    return counts.get(run.run_id)


def with_processes(facts: AgentFacts, count: ProcessCount | None) -> AgentFacts:
    """The facts of a run, with its processes where any were counted."""
    if count is None:
        return facts
    said = tr("{count} · {memory}", count=f"{count.processes:,}", memory=size_text(count.memory_bytes))
    return replace(facts, facts=(*facts.facts, Fact(tr("Processes"), said)))


def footing_words(footing: Footing, found: Counted) -> str:
    """The agents of this window; those of runs in other processes are theirs to count. Processes: of all runs."""
    own = tr.count("{n} agents alive", "{n} agent alive", footing.agents)
    if footing.foreign_runs:
        own = tr.count("{n} agents alive here", "{n} agent alive here", footing.agents)
    said = [own]
    if footing.unproved:
        said.append(
            tr.count("{n} not proved to have ended", "{n} not proved to have ended", footing.unproved)
        )
    if footing.foreign_runs:
        said.append(
            tr.count("{n} runs in other processes", "{n} run in another process", footing.foreign_runs)
        )
    if found.of_live:
        said.append(count_words(ProcessCount(found.of_live, found.memory_bytes)))
    if found.of_ended:
        said.append(tr.count("{n} processes of ended runs", "{n} process of an ended run", found.of_ended))
    return " · ".join(said)
