"""What surrounds the work: palette, settings, keys, About, exports, sizes, notices and tray."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.preferences import Preferences
from quarterdeck.ui.dialogs.about_dialog import AboutDialog
from quarterdeck.ui.dialogs.keys_dialog import KeysDialog
from quarterdeck.ui.dialogs.settings_dialog import SettingsDialog
from quarterdeck.ui.house_link import ProgramAnswered, TextWritten
from quarterdeck.ui.notices import Notices, Notifier, ProgramNotifier
from quarterdeck.ui.pages import FilePlace
from quarterdeck.ui.palette.dialog import PaletteDialog
from quarterdeck.ui.palette.entries import Entry, Kind, action_entries, place_entries
from quarterdeck.ui.present import Known
from quarterdeck.ui.runs_export import runs_csv, runs_json
from quarterdeck.ui.taskbar import TaskBar, desktop_sender, task_progress
from quarterdeck.ui.tray import Tray
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts

tr = Texts("Shell")

EDITOR_LINE = "{line}"


class Shell(QObject):
    """One for each window; binds its actions."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._house = window.link.house
        self._known = Known()
        self._shown: Shown | None = None
        self._data_folder = ""
        self._has_asked_folder = False
        self._export_as = ".csv"
        self.tray = Tray(window.theme, window.actions_, window)
        self.task_bar = TaskBar(desktop_sender(QGuiApplication.desktopFileName()))
        notifier: Notifier = self.tray if self.tray.icon is not None else ProgramNotifier(self._house)
        self.notices = Notices(notifier, self._house, _is_in_front, self._preferences, self)
        self._bind()
        self._connect()

    def show(self, shown: Shown) -> None:
        """Follow what is shown."""
        self._shown = shown
        self.tray.show_facts(shown.facts)
        self.task_bar.show(task_progress(shown.known.views.values()))
        self.notices.show_facts(shown.facts)
        can_export = bool(shown.facts.run_rows)
        for name in ("export_csv", "export_json"):
            self._window.actions_.enable(name, can_export)
        self._window.actions_.enable("edit_workflow", shown.file is not None)
        self._ask_folder_once()

    def close(self) -> None:
        """Nothing further is told."""
        self.notices.close()
        self.tray.close()
        self.task_bar.close()

    # ------------------------------------------------------------------ joining

    def _bind(self) -> None:
        for name, handler in (
            ("palette", self.ask_palette),
            ("settings", self.ask_settings),
            ("keys", self.ask_keys),
            ("about", self.ask_about),
            ("export_csv", self._on_export_csv),
            ("export_json", self._on_export_json),
            ("edit_workflow", self.edit_workflow),
        ):
            self._window.actions_.bind(name, handler)

    def _connect(self) -> None:
        window, house = self._window, self._house
        window.link.runs_changed.connect(self._on_runs_changed)
        window.actions_.drive("palette", window.top.search)
        window.actions_.drive("edit_workflow", window.problems.edit)
        window.actions_.drive("filter_runs", window.runs.head.toggle)
        window.actions_.drive("copy_log", window.bottom.log.copy, follows=True)
        window.actions_.bind("copy_log", window.bottom.log.copy_shown)
        window.bottom.log.has_lines_changed.connect(self._on_log_lines)
        window.actions_.bind("filter_runs", self._on_filter_runs)
        window.actions_.keys_changed.connect(self._on_keys_changed)
        house.folder_known.connect(self._on_folder_known)
        house.text_written.connect(self._on_text_written)
        house.program_answered.connect(self._on_program_answered)

    # ------------------------------------------------------------------ asking

    def edit_workflow(self) -> None:
        """Open the shown workflow's file in the editor, at its chosen problem where it has some."""
        file = self._window.watching.file
        problems = self._window.problems
        if file is not None:
            is_broken = problems.path == file.path and problems.isVisible()
            self.open_in_editor(FilePlace(file.path, problems.chosen_line if is_broken else 0))

    def _on_filter_runs(self) -> None:
        """The list comes forward with its filter open, or the filter is put away."""
        if self._window.actions_["filter_runs"].isChecked():
            self._window.actions_["go_runs"].trigger()
            self._window.runs.find_here()

    def _on_log_lines(self, has_lines: bool) -> None:
        self._window.actions_.enable("copy_log", has_lines)

    def ask_palette(self) -> None:
        """Search or run a command."""
        actions = self._window.actions_
        facts = self._shown.facts if self._shown is not None else None
        commands = action_entries(self._can, actions.key_text, actions.why)
        watching = self._window.watching
        entries = (*commands, *place_entries(watching.files, facts, watching.ids))
        dialog = PaletteDialog(self._window.theme, entries, self._window)
        dialog.chosen.connect(self._on_entry_chosen)
        self._window.conduct.show_dialog(dialog)

    def ask_settings(self) -> None:
        """Settings…"""
        choices = self._window.choices
        dialog = SettingsDialog(
            choices.now,
            choices.place,
            choices.fault,
            choices.scale_in_force,
            choices.no_inhibitor,
            choices.quiet,
            self._window,
        )
        dialog.changed.connect(choices.change)
        dialog.keys_asked.connect(dialog.accept)
        dialog.keys_asked.connect(self.ask_keys)
        self._window.conduct.show_dialog(dialog)

    def ask_keys(self) -> None:
        """Keys…"""
        dialog = KeysDialog(self._window.choices.now.shortcuts, self._window)
        dialog.rebound.connect(self._on_rebound)
        self._window.conduct.show_dialog(dialog)

    def ask_about(self) -> None:
        """About."""
        place = self._window.choices.place
        self._window.conduct.show_dialog(
            AboutDialog(self._window.theme, self._data_folder, place, self._window)
        )

    def _on_export_csv(self) -> None:
        self._ask_export(".csv")

    def _on_export_json(self) -> None:
        self._ask_export(".json")

    def _ask_export(self, suffix: str) -> None:
        self._export_as = suffix
        dialog = QFileDialog(self._window, tr("Export the run list"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(suffix.removeprefix("."))
        dialog.setNameFilter(f"*{suffix}")
        dialog.selectFile(f"runs{suffix}")
        dialog.fileSelected.connect(self.export_to)
        self._window.conduct.show_dialog(dialog)

    def export_to(self, path: str) -> None:
        """Write the runs that the list shows, in its order, to a file."""
        shown = [row.run_id for row in self._window.runs.model.rows if row.run_id is not None]
        by_id = {run.run_id: run for run in self._known.runs}
        views = self._known.views
        runs = [views.get(run) or by_id[run] for run in shown if run in by_id]
        self._house.write(Path(path), runs_json(runs) if self._export_as == ".json" else runs_csv(runs))

    def open_in_editor(self, place: FilePlace) -> None:
        """Open a file with the editor of the settings, else with what the system opens it with."""
        argv = self._preferences().editor
        if not argv:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(place.path)))
            return
        line = str(max(1, place.line))
        filled = [part.replace("{path}", str(place.path)).replace(EDITOR_LINE, line) for part in argv[1:]]
        self._house.start((argv[0], *filled))

    @property
    def data_folder(self) -> str:
        """Where everything is kept; empty until it was asked."""
        return self._data_folder

    def show_folder(self, path: Path) -> None:
        """Open the folder that a file lies in, or the folder itself, with what the system opens folders with."""
        place = path if path.suffix == "" else path.parent
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(place)))

    def _can(self, action_id: str) -> bool:
        return self._window.actions_[action_id].isEnabled()

    def _preferences(self) -> Preferences:
        return self._window.choices.now

    def _ask_folder_once(self) -> None:
        if not self._has_asked_folder:
            self._has_asked_folder = True
            self._house.ask_folder()

    # ------------------------------------------------------------------ news

    def _on_runs_changed(self, known: Known) -> None:
        self._known = known

    def _on_entry_chosen(self, entry: Entry) -> None:
        watching = self._window.watching
        target = entry.target
        if entry.kind is Kind.COMMAND:
            self._window.actions_[str(target)].trigger()
        elif isinstance(target, Path):
            watching.choose_file(target)
        elif isinstance(target, tuple):
            watching.choose_slot(*target)
            self._window.actions_["go_inspector"].trigger()
        else:
            watching.choose_run(RunId(target))
            self._window.actions_["go_runs"].trigger()

    def _on_keys_changed(self) -> None:
        self._window.top.search.show_keys(self._window.actions_.key_text("palette"))

    def _on_rebound(self, shortcuts: dict[str, tuple[str, ...]]) -> None:
        choices = self._window.choices
        choices.change(replace(choices.now, shortcuts=shortcuts))

    def _on_folder_known(self, folder: str) -> None:
        self._data_folder = folder

    def _on_text_written(self, news: TextWritten) -> None:
        if news.fault:
            self._window.notice.say(one_line(in_words(news.fault), 400))
        else:
            self._window.notice.tell(one_line(tr("Written to {path}.", path=news.path), 400))

    def _on_program_answered(self, news: ProgramAnswered) -> None:
        choices = self._window.choices.now
        if news.fault and news.argv[:1] in {choices.notice_command[:1], choices.editor[:1]}:
            self._window.notice.say(one_line(in_words(news.fault), 400))


def _is_in_front() -> bool:
    """Whether any window of ours, a dialog included, has the keyboard."""
    return QApplication.activeWindow() is not None
