"""The window `Quarterdeck`: lays out the parts, joins their signals, and shows each new `Shown` in all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow, QToolBar, QVBoxLayout, QWidget

from quarterdeck.domain.moment import Moment
from quarterdeck.ui.actions import Actions
from quarterdeck.ui.after_crash import AfterCrash
from quarterdeck.ui.agents_dock import AgentsPanel
from quarterdeck.ui.announce import Announcer
from quarterdeck.ui.banners import Banners
from quarterdeck.ui.bottom.panel import BottomPanel
from quarterdeck.ui.budget_acts import BudgetActs
from quarterdeck.ui.canvas.accessible import forget as forget_accessible
from quarterdeck.ui.canvas.page import NoticeBar
from quarterdeck.ui.canvas.view import CanvasView
from quarterdeck.ui.choices import Choices
from quarterdeck.ui.chosen_acts import ChosenActs
from quarterdeck.ui.conduct import Conduct
from quarterdeck.ui.context_menus import ContextMenus
from quarterdeck.ui.crash_acts import CrashActs
from quarterdeck.ui.docks import Docks
from quarterdeck.ui.doctor.acts import DoctorActs
from quarterdeck.ui.file_watch import FileWatch
from quarterdeck.ui.first_card import FirstCard
from quarterdeck.ui.first_frame import FirstFrame
from quarterdeck.ui.icons import app_icon
from quarterdeck.ui.import_acts import ImportActs
from quarterdeck.ui.inspector import Inspector
from quarterdeck.ui.kept_records import KeptRecords
from quarterdeck.ui.language import Texts
from quarterdeck.ui.layout_watch import LayoutWatch
from quarterdeck.ui.limit_acts import LimitActs
from quarterdeck.ui.link import Link
from quarterdeck.ui.looking_back import LookingBack
from quarterdeck.ui.middle import Middle
from quarterdeck.ui.nothing_yet import none_words
from quarterdeck.ui.opening import Opening
from quarterdeck.ui.parts import name_overflow
from quarterdeck.ui.pin_acts import PinActs
from quarterdeck.ui.process_watch import ProcessWatch
from quarterdeck.ui.rail import Rail
from quarterdeck.ui.records_state import RecordsState
from quarterdeck.ui.run_export import RunExport
from quarterdeck.ui.runs_dock import RunsPanel
from quarterdeck.ui.say_acts import SayActs
from quarterdeck.ui.shell import Shell
from quarterdeck.ui.sign_in_acts import SignInActs
from quarterdeck.ui.status_bar import StatusBar
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.top_bar import TopBar
from quarterdeck.ui.watching import Shown, Watching

tr = Texts("Window")

RECORDS_ONLY = tr.later(
    "Quarterdeck closed unexpectedly three times within five minutes, so no workspace was opened. The records of your runs are here; open a workspace when you want to."
)
LAYOUT_VERSION = 3
RUNS_W, INSPECTOR_W, BOTTOM_H = 292, 376, 200


class Window(FirstFrame):
    """Everything that a person sees. `conduct` holds what the actions do."""

    def __init__(
        self, theme: Theme, link: Link, clock: Callable[[], Moment], settings: QSettings | None = None
    ) -> None:
        super().__init__()
        self.theme, self.link, self.clock = theme, link, clock
        self._settings = settings
        self._is_closing_for_good = False
        self._was_shown = self._is_restored = False
        self.setWindowIcon(app_icon())
        self.setDockOptions(QMainWindow.DockOption.AnimatedDocks | QMainWindow.DockOption.AllowTabbedDocks)
        self.watching = Watching(link, clock, self)
        self.view = CanvasView(theme)
        self.announcer = Announcer(self)
        self.actions_ = Actions(theme, self, self.view)
        self.top = TopBar(theme, self.actions_.menu(self), self)
        of_runs = (
            *("interrupted", "pin_run", "unpin_run", "discard_run"),
            *("discarded_runs", "export_csv", "export_json"),
        )
        self.runs = RunsPanel(theme, [self.actions_[name] for name in of_runs], self)
        self.agents = AgentsPanel(theme, self)
        self.bottom = BottomPanel(theme, link.past, self.agents, self.actions_["toggle_bottom"], self)
        self.inspector = Inspector(theme, link, self)
        self.foot = StatusBar(theme, self)
        self._make_middle(theme)
        self._lay_out()
        self._make_acts(settings)
        self._connect()
        self._restore()
        self._layout_watch = LayoutWatch(self, lambda: self.looking_back.is_open, self._keep_docks)

    @classmethod
    def of(
        cls,
        frame: FirstFrame,
        theme: Theme,
        link: Link,
        clock: Callable[[], Moment],
        settings: QSettings | None,
    ) -> Window:
        """A whole window in the place of the frame that was painted (ADR 0061)."""
        window = cls(theme, link, clock, settings)
        window.is_close_asked = frame.is_close_asked
        window.setGeometry(frame.geometry())
        if frame.isVisible():
            window.setWindowState(frame.windowState())
            window.show()
            # again once it is laid out in the size that the person has given it by now
            QTimer.singleShot(0, window, window._restore_docks)
        frame.hide()
        frame.deleteLater()
        return window

    # ------------------------------------------------------------------ parts

    def _make_acts(self, settings: QSettings | None) -> None:
        """What binds the actions and follows what is shown; each takes the window and touches its own parts of it."""
        theme, link = self.theme, self.link
        self.records = RecordsState(self)
        self.looking_back = LookingBack(self, self.bottom)
        self.doctor = DoctorActs(self)
        self.choices = Choices(theme, self.actions_, link.house, self.notice.say, self)
        self.conduct = Conduct(self)
        self.chosen_acts = ChosenActs(self)
        self.limits = LimitActs(self)
        self.sign_in_acts = SignInActs(self)
        self.says = SayActs(self)
        self.budgets = BudgetActs(self)
        self.shell = Shell(self)
        self.opening = Opening(self, settings)
        self.process_watch = ProcessWatch(self)
        self.file_watch = FileWatch(self)
        self.kept_records = KeptRecords(self)
        self.pin_acts = PinActs(self)
        self.after_crash = AfterCrash(self)
        self.context_menus = ContextMenus(self)
        self.crash_acts = CrashActs(self)
        self.run_export = RunExport(self)
        self.import_acts = ImportActs(self)

    def _make_middle(self, theme: Theme) -> None:
        self.middle = Middle(theme, self.view, self.actions_, self)
        self.canvas_page, self.problems, self.empty = (
            self.middle.canvas,
            self.middle.problems,
            self.middle.empty,
        )
        self.not_recording = NoticeBar(theme, Family.FAILED, "triangle-alert", self, closable=False)
        self.read_only = NoticeBar(theme, Family.NEEDS, "lock", self, closable=False)
        self.discarded = NoticeBar(theme, Family.NEUTRAL, "history", self, closable=True)
        self.notice = NoticeBar(theme, Family.NEEDS, "info", self, closable=True)
        whole = QWidget(self)
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.first_card = FirstCard(theme, self)
        self.banners = Banners(self)
        for part in (self.not_recording, self.read_only, self.discarded, self.notice, self.first_card):
            self.banners.add(part)
        column.addWidget(self.banners)
        column.addWidget(self.middle, 1)
        self.below_banners = (
            column  # whatever takes the middle's place leaves the banners where they are (JNL8)
        )
        self.setCentralWidget(whole)

    def _lay_out(self) -> None:
        bar = QToolBar(tr("Top bar"), self)
        bar.setObjectName("top")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.addWidget(self.top)
        self.addToolBar(Qt.ToolBarArea.TopToolBarArea, bar)
        self.rail = Rail(self.actions_, self)
        self.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self.rail)
        for made in (bar, self.rail):
            name_overflow(made)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        areas, self.docks = Qt.DockWidgetArea, Docks(self)
        add = self.docks.add
        self.runs_dock = add(tr.later("Run list"), self.runs, areas.LeftDockWidgetArea, RUNS_W)
        self.inspector_dock = add(
            tr.later("Inspector"), self.inspector, areas.RightDockWidgetArea, INSPECTOR_W
        )
        self.agents_dock = add(tr.later("Bottom panel"), self.bottom, areas.BottomDockWidgetArea, BOTTOM_H)
        self.setStatusBar(self.foot)
        self.docks.reset()

    def reset_layout(self) -> None:
        """Every dock at its first place and size."""
        self.looking_back.leave()
        self.docks.reset()

    def _connect(self) -> None:
        self.watching.shown_changed.connect(self._on_shown_changed)
        self.watching.files_changed.connect(self.top.show_files)
        self.watching.files_changed.connect(self.middle.show_files)
        self.runs.run_chosen.connect(self.watching.choose_run)
        self.agents.slot_chosen.connect(self._on_slot_chosen)
        self.link.busy_changed.connect(self.top.show_busy)
        self.top.file_chosen.connect(self.watching.choose_file)
        self.canvas_page.switcher.run_picked.connect(self.watching.pick)

    # ------------------------------------------------------------------ showing

    def open_path(self, path: Path | None) -> None:
        """Open a folder or a workflow file; None: what was open last, at first Practice night."""
        self.opening.open(path)

    def _on_shown_changed(self, shown: Shown) -> None:
        facts = shown.facts
        if self.windowTitle() != facts.title:
            self.setWindowTitle(facts.title)
        name = (
            shown.workflow.name if shown.workflow else shown.file.path.name if shown.file is not None else ""
        )
        self.top.show_facts(facts, shown.file.path if shown.file is not None else None, name)
        self.top.picker.show_listed(self.watching.ids, facts.listed)
        self.middle.show_facts(shown)
        self.records.show(facts.footing, shown.now, has_heard=shown.has_heard)
        can_start = not self.records.no_start
        none = none_words(shown, self.actions_, is_unreadable=self.records.is_unreadable, can_start=can_start)
        self.runs.say_none(none.of_runs)
        self.agents.say_none(none.of_agents)
        self.runs.show_rows(facts.run_rows, shown.run)
        chosen = (shown.run, shown.slot) if shown.run is not None and shown.slot is not None else None
        self.agents.show_rows(facts.agent_rows, chosen)
        if shown.has_heard:
            letters = {run.run_id: run.letter for run in facts.live}
            self.announcer.show_views(shown.known.views, letters, shown.now)
        self.inspector.show_facts(shown.agent, shown.now)
        self.rail.show_waiting(len(facts.waiting))
        acts = (self.conduct, self.chosen_acts, self.limits, self.budgets, self.says, self.sign_in_acts)
        rest = (self.shell, self.opening, self.process_watch, self.kept_records, self.pin_acts)
        last = (self.after_crash, self.crash_acts, self.run_export)
        for part in (*acts, *rest, *last):
            part.show(shown)

    def say_cannot_start(self) -> None:
        """The process that starts agents is missing."""
        self.notice.say(
            tr("Agents cannot be started: the process that starts them did not come up. Start again.")
        )

    def say_records_only(self) -> None:
        """Three crashes within five minutes (ruling 19)."""
        self.notice.say(RECORDS_ONLY.now)
        self.middle.say_records_only()

    def _on_slot_chosen(self, key: object) -> None:
        if isinstance(key, tuple):
            self.watching.choose_slot(*key)

    # ------------------------------------------------------------------ opening and closing

    def _restore(self) -> None:
        self.put_in_place(self._settings)
        self._restore_docks()

    def _restore_docks(self) -> None:
        state = self._settings.value("layout") if self._settings is not None else None
        if isinstance(state, QByteArray):
            self._is_restored = self.restoreState(state, LAYOUT_VERSION)
            self.docks.restored()

    def keep_layout(self) -> None:
        """Remember size, place and docks."""
        self.looking_back.leave()
        self._keep_docks()

    def _keep_docks(self) -> None:
        if self._settings is not None:
            self._settings.setValue("geometry", self.saveGeometry())
            self._settings.setValue("layout", self.saveState(LAYOUT_VERSION))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            if not self._is_restored:
                QTimer.singleShot(0, self, self.reset_layout)  # docks take a size once the window has one

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.docks.follow_width(event.size().width())

    def close_for_good(self) -> None:
        """Close without a question: bootstrap has ended everything."""
        self._is_closing_for_good = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._is_closing_for_good:
            self._layout_watch.close()
            self.keep_layout()
            self.watching.close()
            self.shell.close()
            self.process_watch.close()
            self.file_watch.close()
            self.after_crash.close()
            self.top.close_busy()
            forget_accessible(self.view)
            event.accept()
            return
        event.ignore()
        self.conduct.ask_quit()
