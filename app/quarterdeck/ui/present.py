"""From views to what the window shows: pure functions, no Qt. Every visual reads the one `WindowFacts` (OWN1–OWN6).

Title, badge, chips, switcher, run list, canvas rows, outline, Stop and status bar are parts of the same frozen value,
worked out in one pass over the same views; so they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from enum import StrEnum
from functools import partial

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.practice import spent, together
from quarterdeck.domain.projection import newest_end
from quarterdeck.domain.states import AttemptStatus, Phase, SlotState
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.ui.badges import NEVER_RUN, Badge
from quarterdeck.ui.language import Texts
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.present_asking import Waiting, waiting_of
from quarterdeck.ui.present_board import Board, Boarded
from quarterdeck.ui.present_budgets import Nearly, nearly_spent
from quarterdeck.ui.present_graph import Drawn, Graphs, drawn_words
from quarterdeck.ui.present_money import run_money, spent_text
from quarterdeck.ui.present_nodes import AgentRow, NodeFace
from quarterdeck.ui.present_runs import RunRow, closed_runs, past_runs, run_rows
from quarterdeck.ui.present_statuses import Listed, ended_word, listed
from quarterdeck.ui.present_wires import Passed
from quarterdeck.ui.run_time import live_ms
from quarterdeck.ui.silence import run_badge_at
from quarterdeck.ui.words import (
    duration_text,
    local_time,
    one_line,
    short_id,
    time_text,
)

tr = Texts("Present")

RUNNING_PROCESS = frozenset(
    {AttemptStatus.RUNNING, AttemptStatus.PAUSED, AttemptStatus.STOPPING, AttemptStatus.STARTING}
)
NAME_SHOWN_MAX = 80


@dataclass(frozen=True, slots=True)
class Known:
    """What the link last heard: every run's summary, newest launch first, and the views of those looked at."""

    runs: tuple[RunSummary, ...] = ()
    views: Mapping[RunId, RunView] = field(default_factory=dict)
    closed: tuple[RunSummary, ...] = ()
    """Runs that left the store: they speak for the state of their workflow and are in the day's spend (C12), and in no list."""
    graphs: Graphs = field(default_factory=dict)
    """The workflows of these views as they were launched; one that is not here was not read yet."""
    pinned: frozenset[RunId] = frozenset()
    """Runs that a person pinned."""


class FileState(StrEnum):
    """How the file of the shown workflow stands."""

    OPEN = "open"
    BROKEN = "broken"
    """It was read before and cannot be read now."""
    ABSENT = "absent"
    """It is not in the open folder."""


@dataclass(frozen=True, slots=True)
class Looking:
    """What the person looks at: a workflow, one of its runs (None: all live ones), and the letters in use."""

    workflow: Workflow | None = None
    run: RunId | None = None
    letters: Mapping[RunId, str] = field(default_factory=dict)
    file: FileState = FileState.OPEN
    """What `workflow` is: what its file says, said when it could be read, or no more than its name."""
    listed: tuple[WorkflowId, ...] = ()
    """The workflows of the open folder."""

    @property
    def workflow_id(self) -> WorkflowId | None:
        """Which workflow is shown."""
        return self.workflow.id if self.workflow is not None else None


@dataclass(frozen=True, slots=True)
class LiveRun:
    """One live run of the shown workflow, oldest launch first: a place in the switcher and a choice of Stop…"""

    run_id: RunId
    letter: str
    short: str
    badge: Badge
    elapsed: str
    started: str
    spend: str
    foreign: bool


@dataclass(frozen=True, slots=True)
class Footing:
    """The status bar: recording, this day's spend, agents alive."""

    recording: bool | None
    """False where a live run is not recorded; None where all live runs are of other processes, which alone know (JNL8)."""
    today: str
    agents: int
    """Those of runs of this process that have a process."""
    foreign_runs: int
    """Live runs of other processes, whose agents are not counted here."""
    unproved: int = 0
    """Agents of live and shown runs whose end is not proved: *Still alive*, *Still ending*, *Could not stop*."""
    own_runs: int = 0
    """Live runs of this process: what is recorded here."""
    recorders: frozenset[str] = frozenset()
    """The kinds of other processes that record live runs, as `RunView.owner`."""


@dataclass(frozen=True, slots=True)
class WindowFacts:
    """All that the window says at one moment."""

    workflow_name: str
    badge: Badge
    badge_text: str
    title: str
    sentence: str
    """The projected status in words, with the run and the number live (OWN6)."""
    live: tuple[LiveRun, ...]
    live_elsewhere: int
    waiting: tuple[Waiting, ...]
    projected: RunId | None
    """None also where the run that speaks for the workflow left the store."""
    shown: tuple[RunId, ...]
    """Runs with a row on the canvas, oldest launch first; one past run where none is live."""
    showing_past: bool
    can_run: bool
    can_stop: bool
    run_rows: tuple[RunRow, ...]
    faces: tuple[NodeFace, ...]
    passed: Passed
    drawn: Drawn
    """What is on the canvas whatever the shown runs do: their workflow as they began with it."""
    drawn_note: str
    """How that differs from what the file says now, in sentences; empty where it does not."""
    agent_rows: tuple[AgentRow, ...]
    canvas_text: str
    footing: Footing
    nearly: tuple[Nearly, ...] = ()
    """Limits of spending of all live runs that are nearly spent, as was warned (ruling 12)."""
    listed: Mapping[WorkflowId, Listed] = field(default_factory=dict)
    """The status of each workflow of the open folder (OWN3, REC1)."""

    @property
    def asking(self) -> int:
        """How many agents, and approval nodes, have an open question; each counts once, whatever it asks."""
        return len({(one.run_id, one.slot_id) for one in self.waiting})


def projected_run(runs: Iterable[RunSummary]) -> RunSummary | None:
    """OWN1: the newest live run of these; else the one that was finalised last; None where there is none."""
    living, ended = _apart(tuple(runs))
    return max(living, key=lambda run: run.launch_seq) if living else newest_end(ended)


def assign_letters(previous: Mapping[RunId, str], live: Iterable[RunId]) -> dict[RunId, str]:
    """Letters of live runs: one that has a letter keeps it, a new one takes the first that is free (A…Z, AA…)."""
    ids = tuple(live)
    kept = {run: previous[run] for run in ids if run in previous}
    used = set(kept.values())
    free = (letter for letter in _letters() if letter not in used)
    return {run: kept[run] if run in kept else next(free) for run in ids}


def present(
    known: Known, looking: Looking, now: Moment, zone: tzinfo | None = None, memo: Memo | None = None
) -> WindowFacts:
    """Everything that the window shows of these views at this moment. `memo` saves work and changes nothing."""
    memo = memo if memo is not None else Memo()
    workflow, shown_id = looking.workflow, looking.workflow_id
    living, past = _apart(known.runs)
    live = tuple(sorted((r for r in living if r.workflow_id == shown_id), key=lambda r: r.launch_seq))
    last, projected = _speaking(known, live, past, shown_id, memo)
    shown = _shown(_chosen(known.runs, shown_id, looking.run), live, last)
    views = tuple(known.views[r.run_id] for r in shown if r.run_id in known.views)
    name = one_line(workflow.name, NAME_SHOWN_MAX) if workflow else tr("No workflow")
    badge = _badge(known, now, projected)
    sentence = _sentence(badge, projected, looking.letters, len(live), zone)
    board, note = _board(known, looking, views, now, memo)
    return WindowFacts(
        workflow_name=name,
        badge=badge,
        badge_text=_badge_text(badge, projected, looking.letters),
        title=f"Quarterdeck – {name}: {sentence}" if workflow else "Quarterdeck",
        sentence=sentence,
        live=tuple(_live_run(known, run, looking, now, zone) for run in live),
        live_elsewhere=len(living) - len(live),
        waiting=waiting_of(known.views.values()),
        projected=projected.run_id if projected and projected.phase is not Phase.CLOSED else None,
        shown=tuple(r.run_id for r in shown),
        showing_past=bool(shown) and not any(r.is_live for r in shown),
        can_run=workflow is not None,
        can_stop=bool(live),
        run_rows=run_rows(living, past, known.pinned, known.views, looking, now, zone, memo),
        faces=board.faces,
        passed=board.passed,
        drawn=board.drawn,
        drawn_note=note,
        agent_rows=board.agents,
        canvas_text=_canvas_text(name, sentence, note, board.faces),
        footing=_footing(known, living, past, views, now, zone, memo),
        nearly=tuple(near for view in known.views.values() for near in nearly_spent(view)),
        listed=_listed(known, looking, living, past, now, memo),
    )


def _speaking(
    known: Known,
    live: tuple[RunSummary, ...],
    past: tuple[RunSummary, ...],
    workflow: WorkflowId | None,
    memo: Memo,
) -> tuple[tuple[RunSummary, ...], RunSummary | None]:
    """The last run of the workflow that is kept, if any, and the run that speaks for it: one that is gone may (C12)."""
    last = past_runs(memo).last_of(workflow, past)
    return last, projected_run((*live, *last, *closed_runs(memo).last_of(workflow, known.closed)))


def _board(
    known: Known, looking: Looking, views: tuple[RunView, ...], now: Moment, memo: Memo
) -> tuple[Boarded, str]:
    """What the canvas and the outline show, and how that differs from the file, in words."""
    file = looking.workflow if looking.file is not FileState.ABSENT else None
    board = memo.keeper("board", Board).show(file, views, looking.letters, now, known.graphs)
    is_broken = looking.file is FileState.BROKEN
    return board, drawn_words(board.drawn, views, looking.letters, is_file_broken=is_broken)


def _letters() -> Iterable[str]:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    yield from alphabet
    for first in alphabet:
        yield from (first + second for second in alphabet)
    raise AssertionError("more than 702 live runs of one workflow")


def _chosen(
    runs: tuple[RunSummary, ...], workflow: WorkflowId | None, chosen: RunId | None
) -> tuple[RunSummary, ...]:
    if chosen is None:
        return ()
    return tuple(r for r in runs if r.run_id == chosen and r.workflow_id == workflow)


def _shown(
    picked: tuple[RunSummary, ...], live: tuple[RunSummary, ...], last: tuple[RunSummary, ...]
) -> tuple[RunSummary, ...]:
    return picked or live or last


def _fullest(known: Known, run: RunSummary) -> RunSummary | RunView:
    return known.views.get(run.run_id, run)


def _badge(known: Known, now: Moment, run: RunSummary | None) -> Badge:
    """Of a workflow for which this run speaks: the one that is shown, and each of a list."""
    return run_badge_at(_fullest(known, run), now) if run else NEVER_RUN


def _listed(
    known: Known,
    looking: Looking,
    living: tuple[RunSummary, ...],
    past: tuple[RunSummary, ...],
    now: Moment,
    memo: Memo,
) -> dict[WorkflowId, Listed]:
    badge_of = partial(_badge, known, now)
    return listed(looking.listed, living, past, known.closed, projected_run, badge_of, memo)


def _live_run(known: Known, run: RunSummary, looking: Looking, now: Moment, zone: tzinfo | None) -> LiveRun:
    full = _fullest(known, run)
    return LiveRun(
        run_id=run.run_id,
        letter=looking.letters.get(run.run_id, "?"),
        short=short_id(run.run_id),
        badge=run_badge_at(full, now),
        elapsed=duration_text(live_ms(run, now)),
        started=time_text(run.started_at, zone),
        spend=run_money(full),
        foreign=run.foreign,
    )


def _sentence(
    badge: Badge, run: RunSummary | None, letters: Mapping[RunId, str], live: int, zone: tzinfo | None
) -> str:
    """`Running, run A r-7f3c, 2 live`; `Done, run r-6a10 of 09:30, none live`; `Not started, no runs`; a run that is not
    kept any more with why.
    """
    if run is None:
        return tr("{state}, no runs yet", state=badge.word)
    if run.is_live:
        return tr(
            "{state}, run {letter} {run}, {count} live",
            state=badge.standing,
            letter=letters.get(run.run_id, "?"),
            run=short_id(run.run_id),
            count=f"{live:,}",
        )
    return tr(
        "{state}, run {run} of {time}, none live",
        state=ended_word(badge, run),
        run=short_id(run.run_id),
        time=time_text(run.started_at, zone),
    )


def _badge_text(badge: Badge, run: RunSummary | None, letters: Mapping[RunId, str]) -> str:
    if run is None:
        return badge.word
    if run.phase is Phase.CLOSED:
        return ended_word(badge, run)
    name = letters.get(run.run_id, "") if run.is_live else short_id(run.run_id)
    return f"{badge.word} · {name}"


def _canvas_text(name: str, sentence: str, note: str, faces: tuple[NodeFace, ...], said_max: int = 60) -> str:
    """What a screen reader hears of the canvas: each node with its runs' states, without ticking durations."""
    said = [f"{name}: {sentence}.", *filter(None, [note])] + [face.spoken for face in faces[:said_max]]
    if len(faces) > said_max:
        said.append(
            tr.count(
                "And {n} more nodes: see Agents.", "And {n} more node: see Agents.", len(faces) - said_max
            )
        )
    return " ".join(said)


def _apart(runs: tuple[RunSummary, ...]) -> tuple[tuple[RunSummary, ...], tuple[RunSummary, ...]]:
    return tuple([r for r in runs if r.is_live]), tuple([r for r in runs if not r.is_live])


def _footing(
    known: Known,
    living: tuple[RunSummary, ...],
    past: tuple[RunSummary, ...],
    shown: tuple[RunView, ...],
    now: Moment,
    zone: tzinfo | None,
    memo: Memo,
) -> Footing:
    day = local_time(now, zone).date()
    of_past = past_runs(memo).spent_on(day, past, known.views, zone)
    of_closed = closed_runs(memo).spent_on(day, known.closed, known.views, zone)
    of_live = [spent(_fullest(known, r)) for r in living]
    live = [v for v in known.views.values() if v.is_live]
    own_runs = sum(not r.foreign for r in living)
    is_seen = own_runs > 0 or not living
    return Footing(
        recording=False if any(v.recording is False for v in live) else True if is_seen else None,
        today=spent_text(together([of_past, of_closed, *of_live])),
        agents=sum(_has_process(v) for v in live if not v.foreign),
        foreign_runs=sum(r.foreign for r in living),
        own_runs=own_runs,
        recorders=frozenset(r.owner for r in living if r.foreign),
        unproved=sum(_unproved(v) for v in (*live, *(v for v in shown if not v.is_live)) if not v.foreign),
    )


def _unproved(view: RunView) -> int:
    return sum(slot.attempts[-1].status is AttemptStatus.LOST for slot in view.slots if slot.attempts)


def _has_process(view: RunView) -> int:
    return sum(
        a.pid is not None and a.status in RUNNING_PROCESS
        for slot in view.slots
        if slot.state not in {SlotState.PENDING, SlotState.DONE}
        for a in slot.attempts[-1:]
    )
