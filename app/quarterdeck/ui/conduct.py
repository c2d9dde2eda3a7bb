"""What the actions of the window do: dialogs are opened here, commands go to the link, refusals come back as words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QFileDialog

from quarterdeck.domain.ids import RequestId, RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.ui.asked import CommandAnswered, Quit, QuitAsked, RequestFailed, RunLaunched
from quarterdeck.ui.canvas.view import NodeChosen
from quarterdeck.ui.dialogs.quit_dialog import ClosingDialog, Held, QuitDialog, held_now
from quarterdeck.ui.dialogs.run_dialog import RunDialog, Typed
from quarterdeck.ui.dialogs.stop_dialog import StopChoice, StopDialog
from quarterdeck.ui.inspector_feet import paused_words
from quarterdeck.ui.places import Places
from quarterdeck.ui.stop_question import StopQuestion, live_choices, workflow_of
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts

tr = Texts("Conduct")


class Conduct(QObject):
    """One for each window; keeps what was typed, the open dialogs and the last state shown."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._link = window.link
        self._shown: Shown | None = None
        self._folder: Path | None = None
        self._typed: dict[Path, Typed] = {}
        self._dialogs: list[QDialog] = []
        self._closing: ClosingDialog | None = None
        self._stopping: StopQuestion | None = None
        self._places = Places(window)
        self._bind()
        self._connect()
        for name in ("run", "stop", "next_waiting", "open_transcript"):
            window.actions_.enable(name, False)  # until something is known
        window.top.stop.setEnabled(False)

    def show(self, shown: Shown) -> None:
        """Follow what is shown: whether each action can be done."""
        self._shown = shown
        actions = self._window.actions_
        can_run = shown.has_heard and isinstance(shown.file, LoadedWorkflow) and self._closing is None
        why = self._window.records.no_start
        actions.allow("run", can_run, why)
        if isinstance(self._open, RunDialog):
            self._open.show_no_start(why)
        actions.enable("stop", shown.facts.can_stop)
        actions.enable("next_waiting", bool(shown.facts.waiting))
        actions.enable("open_transcript", shown.agent is not None and shown.agent.attempt_id is not None)
        if self._closing is not None:
            self._closing.show_live(shown.live_own)
        if self._stopping is not None:
            self._stopping.show(shown)
        if isinstance(self._open, QuitDialog):
            self._open.show_live(shown.live_own, held_now(shown.known))

    @property
    def shown(self) -> Shown | None:
        """The last state shown."""
        return self._shown

    # ------------------------------------------------------------------ joining

    def _bind(self) -> None:
        actions = self._window.actions_
        for name, handler in (
            ("open_folder", self.ask_folder),
            ("reload", self.reload),
            ("quit", self.ask_quit),
            ("run", self.ask_run),
            ("stop", self.ask_stop),
        ):
            actions.bind(name, handler)
        top = self._window.top
        actions.drive("run", top.run, follows=True)
        actions.drive("stop", top.stop)
        actions.drive("next_waiting", top.waiting)
        actions.drive("reload", self._window.problems.reload)
        actions.drive("open_folder", self._window.empty.open)

    def _connect(self) -> None:
        window = self._window
        window.view.node_chosen.connect(self._on_node_chosen)
        window.inspector.answered.connect(self._on_answered)
        window.bottom.questions.answered.connect(self._on_answered)
        self._link.command_answered.connect(self._on_command_answered)
        self._link.run_launched.connect(self._on_run_launched)
        self._link.request_failed.connect(self._on_request_failed)
        self._link.quit_accepted.connect(self._on_quit_accepted)
        self._link.quit_taken_back.connect(self._on_quit_taken_back)

    # ------------------------------------------------------------------ asking

    def open_workspace(self, path: Path) -> None:
        """Read a folder or file."""
        self._folder = path
        self._link.open_workspace(path)

    def reload(self) -> None:
        """Read the open folder again, the chosen file staying chosen."""
        if self._folder is not None:
            file = self._window.watching.file
            self._link.open_workspace(file.path if file is not None else self._folder)

    def reload_unasked(self) -> None:
        """Its files changed: as `reload`, and also a run from elsewhere stays shown."""
        if self._folder is not None:
            file = self._window.watching.file
            self._link.open_workspace(file.path if file is not None else self._folder, unasked=True)

    def ask_folder(self) -> None:
        """Open folder…"""
        dialog = QFileDialog(self._window, tr("Open a folder with workflows"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._on_folder_selected)
        self.show_dialog(dialog)

    def ask_run(self) -> None:
        """Run…"""
        file = self._window.watching.file
        if not isinstance(file, LoadedWorkflow) or self._closing is not None:
            return
        dialog = RunDialog(self._window.theme, self._link, file, self._typed.get(file.path), self._window)
        dialog.setProperty("path", file.path)
        dialog.typed.connect(self._on_typed)
        self.show_dialog(dialog)

    def ask_stop(self) -> None:
        """Stop…: of the live runs of the shown workflow."""
        if self._shown is None or not self._shown.facts.live:
            return
        choices = live_choices(self._shown)
        preferred = next((i for i, c in enumerate(choices) if c.runs == (self._shown.run,)), 0)
        dialog = StopDialog(tr("Stop which run?"), choices, preferred, self._window)
        self._ask_stop(StopQuestion(dialog, workflow_of(self._shown)))

    def ask_quit(self) -> None:
        """Quit: asks where runs of this process are live (REC16), closes at once otherwise."""
        if self._closing is not None:
            return
        live = self._shown.live_own if self._shown is not None else 0
        if live == 0:
            self._link.quit(QuitAsked(Quit.STOP))
            return
        held = held_now(self._shown.known) if self._shown is not None else Held()
        minutes = self._window.choices.now.quit_minutes
        dialog = QuitDialog(live, minutes, self._open or self._window, held)
        dialog.quit_asked.connect(self._link.quit)
        self.show_dialog(dialog, over=not isinstance(self._open, QuitDialog))

    @property
    def _open(self) -> QDialog | None:
        """The dialog in front."""
        return self._dialogs[-1] if self._dialogs else None

    def show_dialog(self, dialog: QDialog, *, over: bool = False) -> None:
        """One dialog at a time, deleted when it closes; the open one comes forward instead of another. over: it is asked
        over the open one, whose child it then is.
        """
        if self._open is not None and not over:
            dialog.deleteLater()
            self._open.raise_()
            self._open.activateWindow()
            return
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._dialogs.append(dialog)
        dialog.finished.connect(self._on_dialog_finished)
        dialog.open()

    def _on_dialog_finished(self) -> None:
        closed = self.sender()
        place = next((n for n, one in enumerate(self._dialogs) if one is closed), len(self._dialogs))
        del self._dialogs[place:]  # what was asked over it goes with it

    # ------------------------------------------------------------------ answers of a person

    def _on_folder_selected(self, folder: str) -> None:
        self.open_workspace(Path(folder))

    def _on_typed(self, typed: Typed) -> None:
        sender = self.sender()
        if sender is not None:
            self._typed[sender.property("path")] = typed

    def ask_stop_of(self, title: str, choice: StopChoice) -> None:
        """Stop…: of one agent or one run, after a question."""
        dialog = StopDialog(title, [choice], 0, self._window)
        self._ask_stop(StopQuestion(dialog, None, (choice,)))

    def _ask_stop(self, question: StopQuestion) -> None:
        question.dialog.chosen.connect(self._on_stop_chosen)
        self.show_dialog(question.dialog)
        if self._open is question.dialog:
            self._stopping = question
            question.dialog.finished.connect(self._on_stop_finished)

    def _on_stop_finished(self) -> None:
        self._stopping = None

    def _on_stop_chosen(self, choice: StopChoice) -> None:
        for run in choice.runs:
            if choice.slot is None:
                self._link.stop_run(run)
            else:
                self._link.stop_slot(run, choice.slot)

    def _on_node_chosen(self, chosen: NodeChosen) -> None:
        self._window.watching.choose_node(chosen)
        if chosen.is_opened:
            self._places.go_inspector()

    def _on_answered(self, answer: tuple[RunId, RequestId, str]) -> None:
        self._link.answer(*answer)

    def _on_stop_all_asked(self) -> None:
        for run in self._shown.facts.run_rows if self._shown is not None else ():
            if run.is_live and not run.foreign and run.run_id is not None:
                self._link.stop_run(run.run_id)

    # ------------------------------------------------------------------ answers of the engine

    def _on_command_answered(self, news: CommandAnswered) -> None:
        if news.refusal is None:
            if news.verb == "pause":
                self._window.notice.say(paused_words())
            elif self._window.notice.words == paused_words():
                self._window.notice.say("")
            return
        words = one_line(in_words(news.refusal.message), 400)
        if news.request is not None:
            for cards in (self._window.inspector.questions, self._window.bottom.questions.cards):
                cards.refuse((news.run, news.request), words)
        self._window.notice.say(words)

    def _on_run_launched(self, news: RunLaunched) -> None:
        if isinstance(news.result, Refusal):
            return  # the dialog says it
        self._typed.pop(news.request.path, None)
        self._window.notice.say("")

    def _on_request_failed(self, news: RequestFailed) -> None:
        self._window.notice.say(
            tr("{what} failed: {error}", what=news.what, error=one_line(in_words(news.error), 300))
        )

    def _on_quit_accepted(self, asked: QuitAsked) -> None:
        self._closing = ClosingDialog(asked, self._window)
        self._closing.stop_asked.connect(self._on_stop_all_asked)
        self._closing.keep_asked.connect(self._link.take_back_quit)
        if self._shown is not None:
            self.show(self._shown)
        self._closing.show()

    def _on_quit_taken_back(self) -> None:
        if self._closing is not None:
            self._closing.accept()
            self._closing = None
        if self._shown is not None:
            self.show(self._shown)
