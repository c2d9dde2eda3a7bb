"""What a person does with the agent or the run that is looked at: its actions, for buttons, menus, keys and palette alike.

Each has one conduct, whoever asks for it, and is enabled exactly where it applies.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.views import RunSummary
from quarterdeck.ui.actions import ACTION
from quarterdeck.ui.dialogs.stop_dialog import StopChoice
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_agent import AgentFacts
from quarterdeck.ui.switch_acts import SwitchActs
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line, short_id

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("ChosenActs")

RUNS_FOLDER = "runs"


class ChosenActs(QObject):
    """One for each window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._link, self._actions = window, window.link, window.actions_
        self._shown: Shown | None = None
        self.switches = SwitchActs(window)
        self._bind()
        self._drive()
        window.inspector.changed.connect(self._enable)
        self._enable()

    def show(self, shown: Shown) -> None:
        """Follow what is looked at."""
        self._shown = shown
        self.switches.show(shown)
        self._enable()

    # ------------------------------------------------------------------ joining

    def _bind(self) -> None:
        inspector = self._window.inspector
        handlers: tuple[tuple[str, Callable[[], object]], ...] = (
            ("pause_agent", self._on_pause),
            ("continue_agent", self._on_continue),
            ("stop_agent", self._on_stop_agent),
            ("stop_run", self._on_stop_run),
            ("copy_run_id", self._on_copy_run_id),
            ("record_files", self._on_record_files),
            ("go_answer", self._on_go_answer),
            ("copy_error", inspector.overview.error.copy_all),
            ("previous_attempt", inspector.attempt.go_previous),
            ("next_attempt", inspector.attempt.go_next),
            ("newest_attempt", inspector.attempt.go_newest),
            ("find_transcript", self._on_find_transcript),
            ("raw_view", self._on_raw_view),
            ("copy_transcript", self._on_copy_transcript),
            ("jump_newest", self._on_jump_newest),
            ("copy_prompt", inspector.prompt.copy_all),
            ("copy_file_path", inspector.files.copy_chosen),
            ("file_folder", inspector.files.open_chosen),
            ("error_details", self._on_error_details),
        )
        for name, handler in handlers:
            self._actions.bind(name, handler)

    def _drive(self) -> None:
        inspector, drive = self._window.inspector, self._actions.drive
        feet, transcript = inspector.feet, inspector.transcript
        feet.stop.clicked.connect(self._on_stop_pressed)
        drive("pause_agent", feet.pause)
        drive("continue_agent", feet.go_on)
        drive("open_transcript", feet.open)
        drive("newest_attempt", inspector.newest_attempt)
        drive("copy_error", inspector.overview.error.copy)
        drive("error_details", inspector.overview.error.details)
        drive("find_transcript", transcript.find_button, follows=True)
        drive("raw_view", transcript.raw_button, follows=True)
        drive("copy_transcript", transcript.copy_button, follows=True)
        drive("jump_newest", transcript.newest)
        drive("copy_prompt", inspector.prompt.copy_button, follows=True)
        drive("copy_file_path", inspector.files.copy_path, follows=True)
        drive("file_folder", inspector.files.open_folder, follows=True)

    def _enable(self) -> None:
        agent, inspector = self._agent, self._window.inspector
        is_agent = agent is not None and agent.slot_id is not None
        has_attempt = agent is not None and agent.attempt_id is not None
        has_error = bool(inspector.overview.error.is_shown)
        run = self._run()
        place, count = inspector.attempt.place if has_attempt else (0, 0)
        for name, can in (
            ("pause_agent", agent is not None and agent.can_pause),
            ("continue_agent", agent is not None and agent.can_continue),
            ("stop_agent", is_agent and agent is not None and agent.can_stop),
            ("stop_run", run is not None and run.is_live),
            ("copy_run_id", run is not None),
            ("record_files", run is not None),
            ("go_answer", agent is not None and bool(agent.questions)),
            ("copy_error", has_error),
            ("error_details", has_error),
            ("previous_attempt", place > 1),
            ("next_attempt", 0 < place < count),
            ("newest_attempt", 0 < place < count),
            ("find_transcript", has_attempt),
            ("raw_view", has_attempt),
            ("copy_transcript", has_attempt),
            ("jump_newest", has_attempt),
            ("copy_prompt", bool(inspector.prompt.text.toPlainText())),
            ("copy_file_path", inspector.files.has_chosen_path),
            ("file_folder", inspector.files.has_chosen_path),
        ):
            self._actions.enable(name, can)
        inspector.stop.setProperty(ACTION, "stop_agent" if is_agent else "stop_run")

    # ------------------------------------------------------------------ what is looked at

    @property
    def _agent(self) -> AgentFacts | None:
        return self._shown.agent if self._shown is not None else None

    def _key(self) -> tuple[RunId, SlotId] | None:
        agent = self._agent
        if agent is None or agent.run_id is None or agent.slot_id is None:
            return None
        return agent.run_id, agent.slot_id

    def _run(self) -> RunSummary | None:
        shown = self._shown
        if shown is None or shown.run is None:
            return None
        return next((run for run in shown.known.runs if run.run_id == shown.run), None)

    # ------------------------------------------------------------------ commands

    def _on_pause(self) -> None:
        if (key := self._key()) is not None:
            self._link.pause(*key)

    def _on_continue(self) -> None:
        if (key := self._key()) is not None:
            self._link.continue_(*key)

    def _on_stop_agent(self) -> None:
        agent, key = self._agent, self._key()
        if agent is not None and key is not None:
            what = one_line(f"{agent.title} · {agent.subtitle}", 120)
            self._window.conduct.ask_stop_of(tr("Stop this agent?"), StopChoice(what, (key[0],), key[1]))

    def _on_stop_pressed(self) -> None:
        """The button stops what is looked at: an agent, else the run."""
        self._actions[self._window.inspector.stop.property(ACTION)].trigger()

    def _on_stop_run(self) -> None:
        run = self._run()
        if run is not None:
            what = f"{short_id(run.run_id)} · {one_line(run.workflow_name, 90)}"
            self._window.conduct.ask_stop_of(tr("Stop this run?"), StopChoice(what, (run.run_id,)))

    # ------------------------------------------------------------------ copies and files

    def _on_copy_run_id(self) -> None:
        run = self._run()
        if run is not None:
            QGuiApplication.clipboard().setText(run.run_id)

    def _on_record_files(self) -> None:
        """The folder of the run's journal, reports and transcripts, in what the system opens folders with."""
        run, folder = self._run(), self._window.shell.data_folder
        if run is None:
            return
        if folder:
            self._window.shell.show_folder(Path(folder) / RUNS_FOLDER / run.run_id)
        else:
            self._window.notice.say(tr("Where the records lie is not known yet."))

    # ------------------------------------------------------------------ places

    def _show_inspector(self) -> None:
        self._window.looking_back.leave()
        self._window.inspector_dock.show()
        self._window.inspector_dock.raise_()

    def _on_go_answer(self) -> None:
        self._show_inspector()
        self._window.inspector.questions.take_focus()

    def _on_find_transcript(self) -> None:
        self._show_transcript()
        self._window.inspector.transcript.find_here()

    def _on_raw_view(self) -> None:
        self._show_transcript()

    def _on_copy_transcript(self) -> None:
        self._show_transcript()
        self._window.inspector.transcript.copy_once_read()

    def _on_jump_newest(self) -> None:
        self._show_transcript()
        self._window.inspector.transcript.pager.go_to_end()

    def _on_error_details(self) -> None:
        self._show_inspector()
        self._window.inspector.open_overview()

    def _show_transcript(self) -> None:
        """The transcript comes forward, and keeps the keyboard where it is if that is inside it."""
        inspector = self._window.inspector
        self._show_inspector()
        if not inspector.transcript.isVisible():
            inspector.open_transcript()
