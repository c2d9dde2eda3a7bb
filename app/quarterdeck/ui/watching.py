"""What the person looks at, and the one place where views become what is shown: every part of the window hears it here.

Keeps the choice (workflow, run, slot) and the letters of live runs; asks `present` for everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from quarterdeck.domain.ids import NodeId, RunId, SlotId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.asked import RunLaunched, WorkspaceLoaded
from quarterdeck.ui.canvas.view import NodeChosen
from quarterdeck.ui.link import Link
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.open_files import OpenFiles
from quarterdeck.ui.present import Known, Looking, WindowFacts, assign_letters, present
from quarterdeck.ui.present_agent import AgentFacts, agent_facts, run_facts
from quarterdeck.ui.present_definition import definition_facts
from quarterdeck.ui.present_processes import Counts, count_of, with_processes

TICK_MS = 1000


@dataclass(frozen=True, slots=True)
class Shown:
    """One state of the whole window."""

    facts: WindowFacts
    workflow: Workflow | None
    file: LoadedWorkflow | BrokenWorkflow | None
    agent: AgentFacts | None
    run: RunId | None
    """The run looked at: its row is marked, its letter filled."""
    slot: SlotId | None
    node: NodeId | None
    """The chosen node: that of the slot, or one that no shown run has."""
    picked: RunId | None
    """The run to which the canvas is narrowed; None: all live ones."""
    live_own: int
    """Live runs of this process, of all workflows: what quitting would end."""
    now: Moment
    known: Known
    """What all of it was made from."""
    has_heard: bool
    """The engine has told its runs at least once; before that `known` is empty and says nothing."""


class Watching(QObject):
    """Owned by the window."""

    shown_changed = Signal(object)
    """Shown."""
    files_changed = Signal(object)
    """WorkspaceLoaded: the workflows of the open folder."""

    def __init__(self, link: Link, clock: Callable[[], Moment], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link, self._clock = link, clock
        self._known = Known()
        self._memo = Memo()
        self.counts: Counts = {}
        """How many processes each run has; shown with the next look."""
        self._has_heard = False
        self._open = OpenFiles()
        self._letters: dict[WorkflowId, dict[RunId, str]] = {}
        self._run: RunId | None = None
        self._slot: SlotId | None = None
        self._node: NodeId | None = None
        """A chosen node of which no slot is chosen, as long as no shown run has it."""
        self._picked: RunId | None = None
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        link.runs_changed.connect(self._on_runs_changed)
        link.workspace_loaded.connect(self._on_workspace_loaded)
        link.run_launched.connect(self._on_run_launched)

    # ------------------------------------------------------------------ choices

    @property
    def file(self) -> LoadedWorkflow | BrokenWorkflow | None:
        """The chosen workflow file."""
        return self._open.chosen

    @property
    def files(self) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
        """The workflow files of the open folder."""
        return self._open.files

    @property
    def ids(self) -> Mapping[Path, WorkflowId]:
        """Which workflow each of them is, as far as that is known."""
        return self._open.ids

    def choose_file(self, path: Path) -> None:
        """Show another workflow of the folder."""
        if self._open.choose(path):
            self._look_at_nothing()
            self.refresh()

    def choose_run(self, run: RunId) -> None:
        """A row of the run list: look at it; an ended run takes the canvas, a live one joins the others there."""
        summary = self._summary(run)
        if summary is None:
            return
        self._open.show_workflow_of(summary)
        is_inside = self._run == run and self._has_slot(run, self._slot)
        self._look_at(run, None if is_inside else self._asking_slot(run))
        self._picked = None if summary.is_live else run
        self.refresh()

    def choose_slot(self, run: RunId, slot: SlotId) -> None:
        """Look at one agent of one run."""
        self._look_at(run, slot)
        self.refresh()

    def choose_node(self, chosen: NodeChosen) -> None:
        """A node of the canvas: its row's run, else the run looked at, else the newest shown run; else its definition."""
        self._slot, self._node = None, chosen.node
        self._find_slot(chosen.run or self._run)
        self.refresh()

    def _look_at(self, run: RunId | None, slot: SlotId | None) -> None:
        self._run, self._slot, self._node = run, slot, None

    def _look_at_nothing(self) -> None:
        self._look_at(None, None)
        self._picked = None

    def _find_slot(self, wanted: RunId | None) -> None:
        """The slot of the chosen node in this run, else in the newest shown one that has it."""
        if self._node is None:
            return
        views = [v for v in map(self._known.views.get, self._present().shown) if v is not None]
        for view in sorted(views, key=lambda v: (v.run_id == wanted, v.launch_seq), reverse=True):
            slot = next((s for s in view.slots if s.node_id == self._node), None)
            if slot is not None:
                self._look_at(view.run_id, slot.slot_id)
                return

    def pick(self, run: RunId | None) -> None:
        """The switcher: narrow the canvas to one run, or show all live ones."""
        self._picked = run
        if run is not None:
            self._look_at(run, self._slot if self._has_slot(run, self._slot) else None)
        self.refresh()

    def step_run(self, step: int) -> None:
        """The next or previous place of the switcher: all, A, B, …"""
        live = [None, *(r.run_id for r in self._present().live)]
        place = live.index(self._picked) if self._picked in live else 0
        self.pick(live[(place + step) % len(live)])

    def next_waiting(self) -> None:
        """Go to the next open question after the one looked at."""
        waiting = self._present().waiting
        if not waiting:
            return
        here = next(
            (i for i, w in enumerate(waiting) if (w.run_id, w.slot_id) == (self._run, self._slot)), -1
        )
        there = waiting[(here + 1) % len(waiting)]
        if (summary := self._summary(there.run_id)) is not None:
            self._open.show_workflow_of(summary)
        self._picked = None
        self.choose_slot(there.run_id, there.slot_id)

    # ------------------------------------------------------------------ news

    def _on_runs_changed(self, known: Known) -> None:
        self._known = known
        self._has_heard = True
        picked = self._summary(self._picked)
        if picked is not None and not picked.is_live and self._run != self._picked:
            self._picked = None
        self.refresh()

    def _on_workspace_loaded(self, news: WorkspaceLoaded) -> None:
        if self._open.take(news):
            self._look_at_nothing()
        self.files_changed.emit(news)
        self.refresh()

    def _on_run_launched(self, news: RunLaunched) -> None:
        if isinstance(news.result, str) and news.request.path == self._open.path:
            self._look_at(RunId(news.result), None)
            self._picked = None
            self.refresh()

    def _on_tick(self) -> None:
        self.refresh()

    # ------------------------------------------------------------------ showing

    def refresh(self) -> None:
        """Work out and tell what is shown now."""
        self._find_slot(self._run)
        was_picked_live = self._picked is not None and self._picked in self._letters_now()
        now = self._now()
        facts = self._present(now)
        if was_picked_live and self._picked not in {r.run_id for r in facts.live}:
            self._picked = None  # the run that the canvas was narrowed to has ended: nothing goes dark
            facts = self._present(now)
        run = self._looked_at(facts)
        workflow = self._open.workflow
        self._link.watch(workflow.id if workflow else None, [r for r in (run, self._picked) if r is not None])
        view = self._known.views.get(run) if run is not None else None
        slot = self._slot_of(view)
        slot_node = next((s.node_id for s in view.slots if s.slot_id == slot), None) if view else None
        definition = self._definition(facts)
        self._run_tick(facts)
        self._memo.forget_unused()
        self.shown_changed.emit(
            Shown(
                facts=facts,
                workflow=workflow,
                file=self._open.shown,
                agent=definition or self._agent(view, now),
                run=run,
                slot=slot,
                node=self._node if definition is not None else slot_node,
                picked=self._picked,
                live_own=sum(r.is_live and not r.foreign for r in self._known.runs),
                now=now,
                known=self._known,
                has_heard=self._has_heard,
            )
        )

    def _now(self) -> Moment:
        """This whole second: what was kept since it began and what is made now say the same times, in every place."""
        now = self._clock()
        return Moment(now.boot, now.boot_ms - now.boot_ms % 1000, now.wall_ms)

    def _present(self, now: Moment | None = None) -> WindowFacts:
        workflow = self._open.workflow
        if workflow is not None:
            live = [r for r in self._known.runs if r.is_live and r.workflow_id == workflow.id]
            live.sort(key=lambda r: r.launch_seq)
            letters = assign_letters(self._letters.get(workflow.id, {}), [r.run_id for r in live])
            self._letters[workflow.id] = letters
        return present(self._known, self._looking(), now or self._now(), memo=self._memo)

    def _looking(self) -> Looking:
        ids = tuple(dict.fromkeys(self._open.ids.values()))
        return Looking(self._open.workflow, self._picked, self._letters_now(), self._open.state, ids)

    def _letters_now(self) -> dict[RunId, str]:
        workflow = self._open.workflow
        return self._letters.get(workflow.id, {}) if workflow is not None else {}

    def _looked_at(self, facts: WindowFacts) -> RunId | None:
        if self._run is not None and self._summary(self._run) is not None:
            return self._run
        return facts.projected or next(iter(facts.shown), None)

    def _agent(self, view: RunView | None, now: Moment) -> AgentFacts | None:
        if view is None:
            return None
        letter = self._letters_now().get(view.run_id, "")
        slot = next((s for s in view.slots if s.slot_id == self._slot), None)
        if slot is not None:
            return agent_facts(view, slot, letter, now)
        return with_processes(run_facts(view, letter, now), count_of(view, self.counts, now))

    def _definition(self, facts: WindowFacts) -> AgentFacts | None:
        """Of the chosen node, where no shown run has it."""
        if self._node is None:
            return None
        return definition_facts(facts.drawn, self._node, has_runs=bool(facts.shown))

    def _slot_of(self, view: RunView | None) -> SlotId | None:
        return self._slot if view is not None and self._has_slot(view.run_id, self._slot) else None

    def _has_slot(self, run: RunId, slot: SlotId | None) -> bool:
        view = self._known.views.get(run)
        return view is not None and any(s.slot_id == slot for s in view.slots)

    def _asking_slot(self, run: RunId) -> SlotId | None:
        """The agent of this run that needs the person, the one that has asked longest first."""
        return next((w.slot_id for w in self._present().waiting if w.run_id == run), None)

    def _summary(self, run: RunId | None) -> RunSummary | None:
        return next((r for r in self._known.runs if r.run_id == run), None)

    def _run_tick(self, facts: WindowFacts) -> None:
        """Elapsed times need a tick only while something is live."""
        moves = bool(facts.live) or facts.live_elsewhere > 0
        if moves and not self._tick.isActive():
            self._tick.start()
        elif not moves and self._tick.isActive():
            self._tick.stop()

    def close(self) -> None:
        """No further tick."""
        self._tick.stop()
