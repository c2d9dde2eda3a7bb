"""The window's part about interrupted runs: the prompt, raised once after the window is up.

Nothing here acts by itself. The prompt is answered by the person alone; leaving the program while it is open answers
nothing, so that it is asked again (REC3). Dialogs are loaded when one is opened, so that no first paint waits for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.views import RunView
from quarterdeck.engine.recovery import InterruptedAgent, Owed
from quarterdeck.ui.agent_acts import AgentActs
from quarterdeck.ui.not_kept import NotKept
from quarterdeck.ui.present import Known
from quarterdeck.ui.present_gone import gone_words
from quarterdeck.ui.present_leftovers import Leftover
from quarterdeck.ui.present_read_only import only_read
from quarterdeck.ui.present_recovery import RecoveryFacts, recovery_facts
from quarterdeck.ui.recovery_asked import EvidenceRead, ProcessEnded, RunsKept
from quarterdeck.ui.runs_filter import StateChoice
from quarterdeck.ui.watching import Shown

if TYPE_CHECKING:
    from quarterdeck.ui.recovery.dialog import RecoveryDialog
    from quarterdeck.ui.window import Window

LOOKED_AGAIN_MS, LIVING_AGAIN_MS, MOVED_AGAIN_MS = 1_000, 2_000, 300
"""What is owed is read again this often: while an agent is still ending, while a process lives on or effects are being
checked (both only while the prompt can be seen), and at most this often while runs of the prompt move."""


class AfterCrash(QObject):
    """One for each window. `dialog`: the prompt while it is open."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._link = window, window.link.recovery
        self.dialog: RecoveryDialog | None = None
        self.acts, self._not_kept = AgentActs(window), NotKept(window)
        self._owed = Owed(())
        self._taken_up, self._told = set[RunId](), set[RunId]()
        """_told: by this prompt, as what is owed may be read before it is heard that a run left."""
        self._views: Mapping[RunId, RunView] = {}
        """Of its runs, as they were heard last: the link lets go of one that has ended and is not looked at."""
        self._listed: frozenset[RunId] = frozenset()
        self._gone: frozenset[RunId] = frozenset()
        """Runs that left the store while the prompt was open."""
        self._shown: Shown | None = None
        self._was_raised = self._wants_dialog = self._is_asked = self._is_closed = False
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.timeout.connect(self._look_again)
        self._connect()

    def _connect(self) -> None:
        window, link = self._window, self._link
        window.actions_.bind("interrupted", self.ask_interrupted)
        window.actions_.drive("interrupted", window.runs.owed)
        window.kept_records.runs_gone.connect(self._on_runs_gone)
        window.records.read_only_changed.connect(self._show_facts)
        link.owed_read.connect(self._on_owed_read)
        link.runs_kept.connect(self._on_runs_kept)
        link.process_ended.connect(self._on_process_ended)
        link.evidence_read.connect(self._on_evidence_read)
        self.acts.taken_up.connect(self._on_taken_up)
        self.acts.moved.connect(self._on_moved)
        window.link.quit_accepted.connect(self.close)

    def show(self, shown: Shown) -> None:
        """Follow what is shown: how many runs wait for an answer; the prompt is raised at the first news."""
        self._shown = shown
        if not shown.has_heard:
            return
        count = sum(run.unanswered for run in shown.known.runs)
        self._not_kept.follow(shown.known)
        self._window.runs.show_owed(count)
        self._window.actions_.enable("interrupted", count > 0)
        self.acts.show(shown)
        if not self._was_raised:
            self._was_raised = True
            if count:
                self._ask()
        if self.dialog is not None:
            self._follow(shown.known)

    def _follow(self, known: Known) -> None:
        """The runs of the open prompt have moved, or have left the store: here or elsewhere."""
        listed = frozenset(run.run_id for run in known.runs)
        left, self._listed = self._listed - listed, listed
        self._gone = (self._gone | left) - listed
        seen = {**self._views, **known.views}
        views = {run: seen[run] for run in seen if run in listed or run in known.views}
        if gone := tuple(run for run in self._told if run in left):
            self._on_runs_gone(gone)
            here = self._window.kept_records.sent
            self.say(gone_words([run for run in gone if run not in here]), is_news=True)
        if views != self._views:
            before, self._views = self._views, views
            self._show_facts()
            self._on_views_moved(before)

    def say(self, words: str, *, is_news: bool = False) -> None:
        """Where a person looks: in the prompt while it is open, it stands before the window's banners. is_news: it is no failure."""
        if words and is_news and self.dialog is not None:
            self.dialog.tell(words)
        elif words:
            (self.dialog or self._window.notice).say(words)

    def close(self) -> None:
        """The program closes: nothing is answered."""
        self._is_closed = True
        self._again.stop()
        if self.dialog is not None:
            self.dialog.put_away()

    # ------------------------------------------------------------------ the prompt

    def ask_interrupted(self) -> None:
        """Interrupted runs…: what is owed is read, then shown."""
        if self.dialog is not None:
            self.dialog.raise_()
            self.dialog.activateWindow()
            return
        self._is_asked = True
        self._ask()

    def _ask(self) -> None:
        self._wants_dialog = True
        self._link.read_owed()

    def _on_owed_read(self, owed: Owed) -> None:
        self._owed = self._merged(owed)
        self._told.update(run.run_id for run in self._owed.runs)
        # what is asked for is answered
        has_news = self._owed.runs or (self._is_asked and self._owed.unreadable)
        if self.dialog is None and self._wants_dialog and has_news and not self._is_closed:
            self._open_dialog()
        elif self.dialog is not None:
            self._show_facts()
        self._wants_dialog = self._is_asked = False
        self.acts.show_owed(self._owed)
        if self.dialog is not None and (pause := self._pause()) is not None:
            self._again.start(pause)

    def _pause(self) -> int | None:
        """Milliseconds until what is owed is read again; None: only when something moves."""
        agents = [agent for run in self._owed.runs for agent in run.agents]
        if any(agent.still_ending for agent in agents):
            return LOOKED_AGAIN_MS
        is_watched = self.acts.effects is not None or any(a.survivors or a.end_first for a in agents)
        return LIVING_AGAIN_MS if is_watched else None

    def _look_again(self) -> None:
        if self.dialog is None:
            return
        if self.dialog.isVisible() and not self.dialog.isMinimized():
            self._link.read_owed()
        else:
            self._again.start(LIVING_AGAIN_MS)

    def _on_views_moved(self, before: Mapping[RunId, RunView]) -> None:
        """A run of the prompt moved, here or elsewhere: soon, once for all that move together."""
        runs = [run.run_id for run in self._owed.runs]
        is_moved = any(before.get(run) != self._views.get(run) for run in runs)
        if is_moved and not (self._again.isActive() and self._again.remainingTime() <= MOVED_AGAIN_MS):
            self._again.start(MOVED_AGAIN_MS)

    def _merged(self, owed: Owed) -> Owed:
        """What is owed now, and the runs of which an agent was, or is just being, taken up here: their other agents stay in reach."""
        if self.dialog is None:
            self._taken_up.clear()
            return owed
        owed = replace(owed, runs=tuple(run for run in owed.runs if run.run_id not in self._gone))
        now = {run.run_id for run in owed.runs}
        here = self._taken_up | self.acts.under_way
        stay = [r for r in self._owed.runs if r.run_id in here and r.run_id not in now]
        return replace(owed, runs=(*owed.runs, *stay))

    def _open_dialog(self) -> None:
        from quarterdeck.ui.recovery.dialog import RecoveryDialog

        known = self._shown.known if self._shown is not None else Known()
        self._views, self._gone = dict(known.views), frozenset()
        self._listed = frozenset(run.run_id for run in known.runs)
        facts = _facts(self._window, self._owed, self._views, len(self._told))
        self.dialog = dialog = RecoveryDialog(self._window.theme, facts, self._window)
        dialog.kept.connect(self._on_kept)
        dialog.review_asked.connect(self._on_review_asked)
        dialog.discard_asked.connect(self._on_discard_asked)
        dialog.files_asked.connect(self._on_files_asked)
        dialog.file_asked.connect(self._window.shell.show_folder)
        dialog.resume_asked.connect(self._on_resume_asked)
        dialog.look_asked.connect(self._on_look_asked)
        dialog.check_asked.connect(self._on_check_asked)
        dialog.end_asked.connect(self._on_end_asked)
        dialog.finished.connect(self._on_dialog_finished)
        dialog.show()

    def _show_facts(self) -> None:
        if self.dialog is not None:
            self.dialog.show_facts(_facts(self._window, self._owed, self._views, len(self._told)))

    def _on_dialog_finished(self) -> None:
        self.dialog = None
        self._again.stop()
        self._taken_up.clear()
        self._told.clear()

    def _on_kept(self) -> None:
        self._link.keep([r.run_id for r in self._owed.runs if self._waits(r.run_id)])

    def _waits(self, run: RunId) -> bool:
        """Whether it still waits for an answer, so far as is known: not where one of its agents was taken up, here or elsewhere."""
        runs = self._shown.known.runs if self._shown is not None else ()
        found = next((one for one in runs if one.run_id == run), None)
        return run not in self._taken_up and (found is None or found.unanswered)

    def _on_runs_kept(self, news: RunsKept) -> None:
        self._not_kept.say(news.refused)

    def _on_review_asked(self) -> None:
        if self.dialog is not None:
            self.dialog.put_away()
        self._window.runs.head.narrow(StateChoice.INTERRUPTED)
        self._window.actions_["go_runs"].trigger()

    def _on_discard_asked(self) -> None:
        if self.dialog is not None:
            self._window.kept_records.ask_discard(self.dialog.facts.runs, self.dialog)

    def _on_runs_gone(self, runs: tuple[RunId, ...]) -> None:
        if self.dialog is None:
            return
        self._owed = replace(self._owed, runs=tuple(r for r in self._owed.runs if r.run_id not in runs))
        self._taken_up -= set(runs)
        self._show_facts()
        self.acts.show_owed(self._owed)
        if not self._owed.runs:
            self.dialog.put_away()

    def _on_files_asked(self) -> None:
        if self._window.shell.data_folder:
            self._window.shell.show_folder(Path(self._window.shell.data_folder) / "runs")

    # ------------------------------------------------------------------ processes and evidence

    def _on_end_asked(self, asked: Leftover) -> None:
        self._link.end_process(asked.run_id, asked.attempt_id, asked.pid, asked.start_ticks)

    def _on_process_ended(self, news: ProcessEnded) -> None:
        if self.dialog is not None:
            self.dialog.leftovers.show_ended(news)
            self._link.read_owed()

    def _on_look_asked(self, key: tuple[RunId, SlotId]) -> None:
        self._link.look(*key)

    def _on_evidence_read(self, news: EvidenceRead) -> None:
        if self.dialog is not None and not self.acts.awaits(news):
            self.dialog.show_found(news)

    # ------------------------------------------------------------------ one agent

    def _on_resume_asked(self, key: tuple[RunId, SlotId]) -> None:
        found = _find(self._owed, key)
        if self.dialog is not None and found is not None:
            self.acts.ask_resume(key, found.title, self.dialog)

    def _on_taken_up(self, run: RunId) -> None:
        self._taken_up.add(run)

    def _on_moved(self) -> None:
        if self.dialog is not None:
            self._link.read_owed()

    def _on_check_asked(self, key: tuple[RunId, SlotId]) -> None:
        found = _find(self._owed, key)
        if found is not None and self.dialog is not None:
            self.acts.ask_effects(key, found, self.dialog)
            if not self._again.isActive():
                self._again.start(LIVING_AGAIN_MS)


def _facts(window: Window, owed: Owed, views: Mapping[RunId, RunView], told: int) -> RecoveryFacts:
    facts = recovery_facts(owed, window.clock(), views, told=told)
    return only_read(facts, window.records.read_only)


def _find(owed: Owed, key: tuple[RunId, SlotId]) -> InterruptedAgent | None:
    pairs = ((run, agent) for run in owed.runs for agent in run.agents)
    return next((agent for run, agent in pairs if (run.run_id, agent.slot_id) == key), None)
