"""What the palette can find: commands, workflows, runs and agents, as frozen entries, and how they are ranked. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from quarterdeck.domain.ids import RunId, SlotId, WorkflowId
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.action_specs import SPECS
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.palette.fuzzy import score
from quarterdeck.ui.present import WindowFacts
from quarterdeck.ui.present_statuses import Listed
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line

tr = Texts("PaletteEntries")

SHOWN_MAX = 60
RUNS_MAX = 5000


class Kind(StrEnum):
    """What an entry is."""

    COMMAND = tr.later("Command")
    WORKFLOW = tr.later("Workflow")
    RUN = tr.later("Run")
    AGENT = tr.later("Agent")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to go to or to do. `target`: an action's id, a path, a run, or a run with a slot."""

    kind: Kind
    target: str | Path | RunId | tuple[RunId, SlotId]
    title: str
    detail: str = ""
    keys: str = ""
    icon: str = ""
    family: Family | None = None
    can: bool = True
    said: str = ""
    why: str = ""
    """Why it cannot be done though it applies; empty: it can, or it does not apply."""

    @property
    def kind_words(self) -> str:
        """What it is, in the person's language."""
        return tr.find(self.kind.value)

    @property
    def key(self) -> tuple[Kind, object]:
        """Unique in the list."""
        return self.kind, self.target


def action_entries(
    can: Callable[[str], bool], key_text: Callable[[str], str], why: Callable[[str], str]
) -> tuple[Entry, ...]:
    """Every action of the registry but the palette itself."""
    return tuple(
        Entry(
            Kind.COMMAND,
            spec.id,
            spec.words,
            spec.menu_words,
            key_text(spec.id),
            spec.icon or "command",
            can=can(spec.id),
            why=why(spec.id),
            said=shown(spec.said),
        )
        for spec in SPECS
        if spec.id != "palette"
    )


def place_entries(
    files: Sequence[LoadedWorkflow | BrokenWorkflow],
    facts: WindowFacts | None,
    ids: Mapping[Path, WorkflowId],
) -> tuple[Entry, ...]:
    """Workflows of the folder with their status, the agents shown, and every known run. ids: which workflow a file is."""
    listed = facts.listed if facts is not None else {}
    made = [_file_entry(file, listed.get(ids.get(file.path, WorkflowId("")))) for file in files]
    if facts is not None:
        made += [
            Entry(
                Kind.AGENT,
                row.key,
                one_line(row.title, 80),
                tr("Run {run}", run=row.run),
                icon=row.badge.icon,
                family=row.badge.family,
                said=row.badge.word,
            )
            for row in facts.agent_rows
        ]
        made += [
            Entry(
                Kind.RUN,
                row.run_id,
                f"{row.letter} · {row.short}" if row.letter else row.short,
                f"{row.badge.word} · {row.when}" if row.badge else row.when,
                icon=row.badge.icon if row.badge else "history",
                family=row.badge.family if row.badge else None,
                said=row.run_id,
            )
            for row in facts.run_rows[:RUNS_MAX]
            if row.run_id is not None
        ]
    return tuple(made)


def ranked(entries: Iterable[Entry], typed: str) -> tuple[Entry, ...]:
    """Those that fit, best first, at most SHOWN_MAX; with nothing typed, what can be done now in its own order.

    What was named stands before what fits loosely, also where it cannot be done now: Enter must not do something else instead.
    """
    if not typed.strip():
        return tuple(e for e in entries if e.can and e.kind is Kind.COMMAND)[:SHOWN_MAX]
    found: list[tuple[bool, bool, int, int, Entry]] = []
    for place, entry in enumerate(entries):
        best = _fit(entry, typed)
        if best is not None:
            found.append((not _is_named(entry, typed), not entry.can, -best, place, entry))
    return tuple(entry for *_, entry in sorted(found, key=lambda f: f[:4])[:SHOWN_MAX])


def _is_named(entry: Entry, typed: str) -> bool:
    """Each typed word begins a word of the title."""
    begun = [word.strip("…&") for word in entry.title.casefold().split()]
    return all(any(word.startswith(part) for word in begun) for part in typed.casefold().split())


def _fit(entry: Entry, typed: str) -> int | None:
    title = score(typed, entry.title)
    if title is not None:
        return title * 2
    return score(typed, f"{entry.title} {entry.detail} {entry.kind_words} {entry.said}")


def _file_entry(file: LoadedWorkflow | BrokenWorkflow, status: Listed | None) -> Entry:
    if isinstance(file, LoadedWorkflow):
        made = Entry(
            Kind.WORKFLOW, file.path, one_line(file.workflow.name, 80), file.path.name, icon="workflow"
        )
    else:
        made = Entry(
            Kind.WORKFLOW,
            file.path,
            file.path.name,
            tr("does not load"),
            icon="circle-alert",
            family=Family.FAILED,
        )
    if status is None:
        return made
    detail = f"{status.words} · {made.detail}"
    return replace(made, detail=detail, icon=status.badge.icon, family=status.badge.family)
