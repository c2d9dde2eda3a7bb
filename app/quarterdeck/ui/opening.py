"""What a start opens, and the card of the first one: no wizard, and no program is started before a click (ruling 25).

A path of the command line, else the workspace that was open last, else Practice night. Opening reads files and starts
nothing. After three crashes within five minutes nothing is opened (ruling 19): then nobody asks here.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSettings, QTimer

from quarterdeck.engine.household import AgentsLooked
from quarterdeck.ui.asked import WorkspaceLoaded
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.remembered import Remembered
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("Opening")


class Opening(QObject):
    """One for each window; binds *Open Practice night* and *Look for agent programs*."""

    def __init__(self, window: Window, settings: QSettings | None) -> None:
        super().__init__(window)
        self._window = window
        self._house = window.link.house
        self._remembered = Remembered(settings)
        self._again: Path | None = None
        """The workspace of the last start, until it is read."""
        self._showed: Path | None = None
        self._instead = False
        """Practice night was asked for by nobody: it is not what the person opened last."""
        self._unasked: Path | None = None
        """Its folder, while it is open so."""
        self._looks_once_kept = False
        self._seeking: Path | None = None
        """The file that is shown of a folder just opened, until it is known whether another was interrupted."""
        window.actions_.bind("open_practice", self._on_practice_asked)
        window.actions_.bind("look_agents", self.look)
        window.watching.files_changed.connect(self._on_files_changed)
        window.actions_.drive("look_agents", window.first_card.look)
        window.first_card.dismissed.connect(self._remembered.welcome)
        window.first_card.folders_chosen.connect(self._on_folders_chosen)
        self._house.preferences_kept.connect(self._on_preferences_kept)
        self._house.practice_ready.connect(self._on_practice_ready)
        self._house.agents_found.connect(self._on_agents_found)

    def open(self, path: Path | None) -> None:
        """What the command line names, or None."""
        if not self._remembered.is_welcomed:
            self._window.first_card.welcome()
        last = self._remembered.folder
        if path is not None:
            self._window.conduct.open_workspace(path)
        elif last is not None:
            self._again = last
            self._window.conduct.open_workspace(last)
        else:
            self._open_practice_unasked()

    def show(self, shown: Shown) -> None:
        """Follow what is shown."""
        self._window.first_card.show_file(shown.file)
        if shown.has_heard and self._seeking is not None:
            # what is shown is being told just now: another choice is told after it
            QTimer.singleShot(0, self, self._show_interrupted)
        path = shown.file.path if shown.file is not None else None
        if path is not None and path != self._showed and path.parent == self._remembered.folder:
            self._showed = path
            self._remembered.showed(path)

    def look(self) -> None:
        """Look for agent programs: on a click, or from menu and search."""
        self._remembered.welcome()
        self._window.looking_back.leave()  # the card stands above the canvas
        self._window.first_card.look_begins()
        self._house.look_for_agents()

    def _open_practice_unasked(self) -> None:
        self._instead = True
        self._house.open_practice()

    def _on_practice_asked(self) -> None:
        self._instead = False
        self._house.open_practice()

    def _on_practice_ready(self, folder: Path) -> None:
        self._unasked, self._instead = (folder if self._instead else None), False
        self._window.conduct.open_workspace(folder)

    def _on_files_changed(self, news: WorkspaceLoaded) -> None:
        was_again, self._again = news.folder == self._again, None
        if news.error:
            if was_again:
                self._say_gone(news)
            return
        if news.folder != self._unasked:
            self._unasked = None
            self._remembered.opened(news.folder)
        last = self._remembered.workflow
        if was_again and last is not None and any(file.path == last for file in news.files):
            self._window.watching.choose_file(last)
        if news.chosen is None and not news.unasked and self._window.watching.file is not None:
            self._seeking = self._window.watching.file.path

    def _show_interrupted(self) -> None:
        """A folder opens on what was interrupted in it and waits for an answer, the newest first; not where a person has
        chosen meanwhile.
        """
        seeking, self._seeking = self._seeking, None
        watching, shown = self._window.watching, self._window.conduct.shown
        if seeking is None or shown is None or shown.file is None or shown.file.path != seeking:
            return
        paths = {workflow: path for path, workflow in watching.ids.items()}
        owed = [run for run in shown.known.runs if run.unanswered and run.workflow_id in paths]
        if owed and watching.ids.get(seeking) not in {run.workflow_id for run in owed}:
            watching.choose_file(paths[max(owed, key=lambda run: run.launch_seq).workflow_id])

    def _say_gone(self, news: WorkspaceLoaded) -> None:
        """It stays remembered until another is opened: a drive may be plugged in again."""
        self._window.notice.say(
            tr(
                "The workspace that was open last could not be opened, so Practice night is open. {why}",
                why=one_line(in_words(news.error), 400),
            )
        )
        self._open_practice_unasked()

    def _on_agents_found(self, looked: AgentsLooked) -> None:
        self._window.first_card.show_programs(looked)

    def _on_folders_chosen(self, folders: tuple[str, ...]) -> None:
        """Programs are looked for there too from now on (ADR 0010); the next look shows it."""
        choices = self._window.choices
        if choices.fault:
            self._window.notice.say(one_line(in_words(choices.fault), 400))
            return
        wanted = tuple(dict.fromkeys((*choices.now.program_folders, *folders)))
        if wanted == choices.now.program_folders:
            self.look()
            return
        self._looks_once_kept = True
        choices.change(replace(choices.now, program_folders=wanted))

    def _on_preferences_kept(self) -> None:
        if self._looks_once_kept:
            self._looks_once_kept = False
            self.look()
