"""What needs a look: failed agents, questions that nobody reads records of, launches that were refused, files. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.views import RunView
from quarterdeck.engine.keeping import Unreadable
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow, Problem
from quarterdeck.ui.badges import badge_of_slot
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_budgets import nearly_spent, unpriced
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line, short_id

tr = Texts("PresentProblems")

TROUBLE = frozenset({"Failed", "Blocked", "Could not stop", "Still alive"})
SHOWN_MAX = 500


@dataclass(frozen=True, slots=True)
class Said:
    """Something that went wrong once and was told: a refused launch, a request that failed."""

    number: int
    where: str
    words: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """One line. Where it leads: an agent of a run, or a file."""

    key: str
    icon: str
    family: Family
    kind: str
    where: str
    words: str
    run_id: RunId | None = None
    slot_id: SlotId | None = None
    path: Path | None = None
    folder: Path | None = None
    """A file of the records, to be shown where it lies."""

    @property
    def spoken(self) -> str:
        """The line in words."""
        return f"{self.kind}, {self.where}: {self.words}"


def problem_lines(
    views: Mapping[RunId, RunView],
    letters: Mapping[RunId, str],
    files: Iterable[LoadedWorkflow | BrokenWorkflow],
    said: Iterable[Said],
    unreadable: Iterable[Unreadable] = (),
) -> tuple[ProblemLine, ...]:
    """Everything, most urgent first: the store, agents of live runs, limits nearly spent, refusals, files, agents of the past
    run looked at.
    """
    ordered = sorted(views.values(), key=lambda v: (not v.is_live, -v.launch_seq))
    live = [line for view in ordered if view.is_live for line in _of_run(view, letters)]
    past = [line for view in ordered if not view.is_live for line in _of_run(view, letters)]
    near = [line for view in ordered for line in (*_of_limits(view, letters), *_of_unpriced(view, letters))]
    store = [line for view in ordered if view.is_live for line in _of_store(view, letters)]
    refused = [
        ProblemLine(
            f"said/{s.number}", "circle-alert", Family.FAILED, tr("Refused"), s.where, s.words, path=s.path
        )
        for s in sorted(said, key=lambda s: -s.number)
    ]
    damaged = [_of_damage(place, one) for place, one in enumerate(unreadable)]
    of_files = [line for file in files for line in _of_file(file)]
    return tuple((store + live + near + refused + damaged + of_files + past)[:SHOWN_MAX])


def _named(view: RunView, letters: Mapping[RunId, str]) -> str:
    letter = letters.get(view.run_id, "")
    return (
        tr("run {letter} {run}", letter=letter, run=short_id(view.run_id))
        if letter
        else tr("run {run}", run=short_id(view.run_id))
    )


def _of_store(view: RunView, letters: Mapping[RunId, str]) -> Iterator[ProblemLine]:
    if view.recording is False:
        words = tr(
            "Its records cannot be written. No agent is started until they can be; see the free disk space."
        )
        key = f"store/{view.run_id}"
        yield ProblemLine(
            key, "database", Family.FAILED, tr("Records"), _named(view, letters), words, view.run_id
        )
    elif view.fault:
        key = f"fault/{view.run_id}"
        yield ProblemLine(
            key,
            "circle-alert",
            Family.FAILED,
            tr("Fault"),
            _named(view, letters),
            in_words(view.fault),
            view.run_id,
        )


def _of_limits(view: RunView, letters: Mapping[RunId, str]) -> Iterator[ProblemLine]:
    for near in nearly_spent(view):
        run = _named(view, letters)
        yield ProblemLine(
            key=f"limit/{view.run_id}/{near.slot_id or ''}",
            icon="triangle-alert",
            family=Family.NEEDS,
            kind=tr("Limit"),
            where=f"{near.title}, {run}" if near.title else run,
            words=near.words,
            run_id=view.run_id,
            slot_id=near.slot_id,
        )


def _of_unpriced(view: RunView, letters: Mapping[RunId, str]) -> Iterator[ProblemLine]:
    for slot, words in unpriced(view):
        yield ProblemLine(
            key=f"unpriced/{view.run_id}/{slot.slot_id}",
            icon="triangle-alert",
            family=Family.NEEDS,
            kind=tr("Cost unknown"),
            where=f"{one_line(slot.title, 60)}, {_named(view, letters)}",
            words=words,
            run_id=view.run_id,
            slot_id=slot.slot_id,
        )


def _of_damage(place: int, found: Unreadable) -> ProblemLine:
    where = tr("run {run}", run=short_id(RunId(found.run))) if found.run else one_line(found.path.name, 60)
    words = one_line(tr("Cannot be read: {why}", why=in_words(found.why)), 300)
    key = f"damage/{place}/{found.path}"
    return ProblemLine(key, "database", Family.FAILED, tr("Records"), where, words, folder=found.path)


def _of_run(view: RunView, letters: Mapping[RunId, str]) -> Iterator[ProblemLine]:
    for slot in view.slots:
        if slot.display in TROUBLE:
            badge = badge_of_slot(slot)
            last = slot.attempts[-1] if slot.attempts else None
            why = slot.reason or (last.reason if last is not None else "") or tr("no reason is known")
            yield ProblemLine(
                key=f"slot/{view.run_id}/{slot.slot_id}",
                icon=badge.icon,
                family=badge.family,
                kind=badge.word,
                where=f"{one_line(slot.title, 60)}, {_named(view, letters)}",
                words=one_line(in_words(why), 300),
                run_id=view.run_id,
                slot_id=slot.slot_id,
            )


def _of_file(file: LoadedWorkflow | BrokenWorkflow) -> Iterator[ProblemLine]:
    problems: tuple[Problem, ...] = (
        file.problems if isinstance(file, BrokenWorkflow) else file.warnings + file.not_built
    )
    for place, problem in enumerate(problems):
        is_error = isinstance(file, BrokenWorkflow) and not problem.warning
        name = one_line(file.path.name, 60)
        yield ProblemLine(
            key=f"file/{file.path}/{place}",
            icon="x" if is_error else "triangle-alert",
            family=Family.FAILED if is_error else Family.NEEDS,
            kind=tr("File") if is_error else tr("Warning"),
            where=tr("{file}, line {line}", file=name, line=problem.line) if problem.line else name,
            words=one_line(f"{in_words(problem.message)} ({problem.place})", 300),
            path=file.path,
        )
