"""The window's part about what is kept: Discard and its undo, discarded runs, the foot's figures, unreadable files, read-only.

Also says to the engine which runs are seen here, so that none of them leaves the store while it is looked at (ruling 16).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from quarterdeck.domain.figures import source_of
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.views import RunSummary
from quarterdeck.engine.keeping import Discarded, Kept
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.recovery_asked import BroughtBack, EffectsRead, RunsDiscarded, StoreNotes
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import day_name, money_text, month_name, one_line, short_id

if TYPE_CHECKING:
    from quarterdeck.ui.recovery.discard_dialog import DiscardDialog, Going
    from quarterdeck.ui.recovery.discarded_dialog import DiscardedDialog, DiscardedLine
    from quarterdeck.ui.window import Window

tr = Texts("KeptRecords")

MEASURED_AFTER_MS = 1_000
"""The store is measured so long after a run began or ended: several changes are one measuring."""
MEASURED_LIVE_MS = 5_000
"""So often while a run is live, as its files grow and the window is seen."""


class KeptRecords(QObject):
    """One for each window."""

    runs_gone = Signal(object)
    """Tuple of RunId: they were discarded."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._link = window, window.link.keeping
        self._shown: Shown | None = None
        self._asking: tuple[tuple[Going, ...], str, QWidget] | None = None
        self._dialog: tuple[DiscardDialog, tuple[RunId, ...], QWidget] | None = None
        """The open question, the runs that it asks about, and what it stands over."""
        self.sent: set[RunId] = set()
        """Runs that a person discards here: that they leave is no news of elsewhere."""
        self._undo: list[RunId] = []
        self._left: set[RunId] = set()
        """Of these, runs that were seen to have left the list: one that is there again was brought back elsewhere."""
        self._list: DiscardedDialog | None = None
        self._counted: tuple[int, int, int] | None = None
        """Runs, those that are live, and those whose end is in no journal, when the store was measured last; None: it is to be
        measured at once.
        """
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(MEASURED_AFTER_MS)
        self._due.timeout.connect(self._link.read_notes)
        self._growing, self._is_measuring = QTimer(self), False
        self._growing.setInterval(MEASURED_LIVE_MS)
        self._growing.timeout.connect(self._measure_growing)
        self._link.size_read.connect(self._on_size_read)
        for name, handler in (
            ("discard_run", self.ask_discard_chosen),
            ("discarded_runs", self.ask_discarded),
            ("undo_discard", self._on_undo),
        ):
            window.actions_.bind(name, handler)
        self._link.effects_read.connect(self._on_effects_read)
        self._link.runs_discarded.connect(self._on_runs_discarded)
        self._link.brought_back.connect(self._on_brought_back)
        self._link.discarded_read.connect(self._on_discarded_read)
        self._link.notes_read.connect(self._on_notes_read)
        self._link.replaced.connect(self._on_replaced)
        window.actions_.drive("undo_discard", window.discarded.act)
        for name in ("discard_run", "undo_discard"):
            window.actions_.enable(name, False)

    def show(self, shown: Shown) -> None:
        """Follow what is shown."""
        self._shown = shown
        if not shown.has_heard:
            return
        run = self._chosen()
        self._window.actions_.enable("discard_run", run is not None and not run.is_live)
        seen = {run for run in (shown.run, shown.picked, *shown.facts.shown) if run is not None}
        self._link.look_at(seen)
        self._forget_undone({run.run_id for run in shown.known.runs})
        self._measure_if_due(shown.known.runs)
        self._follow_dialog({run.run_id for run in shown.known.runs})

    # ------------------------------------------------------------------ discard

    def ask_discard_chosen(self) -> None:
        """Discard the run looked at…"""
        run = self._chosen()
        if run is not None:
            self.ask_discard([run.run_id], self._window)

    def ask_discard(self, runs: Iterable[RunId], parent: QWidget) -> None:
        """Discard…: first what may have happened outside is read, then the person is asked."""
        wanted = set(runs)
        known = [run for run in self._runs() if run.run_id in wanted]
        if not known or self._asking is not None:
            return
        from quarterdeck.ui.recovery.discard_dialog import Going

        pinned = self._shown.known.pinned if self._shown is not None else frozenset()
        self._asking = (
            tuple(Going(run.run_id, run.workflow_name, run.run_id in pinned) for run in known),
            _spend(known),
            parent,
        )
        self._link.read_effects([run.run_id for run in known])

    def _on_effects_read(self, news: EffectsRead) -> None:
        if self._asking is None:
            return
        (going, spend, parent), self._asking = self._asking, None
        from quarterdeck.ui.recovery.discard_dialog import DiscardDialog

        dialog = DiscardDialog(going, spend, news, parent)
        dialog.discard_asked.connect(self._on_discard_asked)
        dialog.finished.connect(self._on_dialog_finished)
        self._dialog = dialog, tuple(one.run for one in going), parent
        if parent is self._window:
            self._window.conduct.show_dialog(dialog)
        else:
            dialog.open()
        if not dialog.isVisible():
            self._dialog = None  # another question was open

    def _follow_dialog(self, listed: set[RunId]) -> None:
        """What was discarded elsewhere is not asked about any more: the question is put anew for what is left."""
        if self._dialog is None:
            return
        dialog, runs, parent = self._dialog
        rest = [run for run in runs if run in listed]
        if len(rest) < len(runs):
            dialog.reject()
            self.ask_discard(rest, parent)

    def _on_dialog_finished(self) -> None:
        self._dialog = None

    def _on_discard_asked(self, runs: tuple[RunId, ...]) -> None:
        self.sent.update(runs)
        self._link.discard(runs)

    def _on_runs_discarded(self, news: RunsDiscarded) -> None:
        if news.done:
            self._undo = [one.run for one in news.done]
            words = tr.count("{n} runs were discarded.", "{n} run was discarded.", len(news.done))
            until = _day_of(max(one.until_ms for one in news.done))
            kept = tr.count(
                "They can be brought back until {day}.",
                "It can be brought back until {day}.",
                len(news.done),
                day=until,
            )
            self._left.clear()
            self._window.actions_.enable("undo_discard", True)
            self._window.discarded.offer(f"{words} {kept}", tr("Undo discard"))
            self._counted = None
            self.runs_gone.emit(tuple(self._undo))
        self.sent.difference_update(run for run, _ in news.refused)
        if news.refused:
            run, refusal = news.refused[0]
            words = in_words(refusal.message)
            self._window.after_crash.say(
                tr("{run} was not discarded: {why}", run=short_id(run), why=one_line(words, 300))
            )

    def _forget_undone(self, listed: set[RunId]) -> None:
        """Nothing is offered for runs that another window or a terminal brought back."""
        self._left.update(run for run in self._undo if run not in listed)
        rest = [run for run in self._undo if run not in listed or run not in self._left]
        if self._undo and not rest:
            self._window.actions_.enable("undo_discard", False)
            self._window.discarded.say("")
        self._undo = rest

    def _on_undo(self) -> None:
        undo, self._undo = self._undo, []
        self.sent.difference_update(undo)
        self._window.actions_.enable("undo_discard", False)
        self._window.discarded.say("")
        for run in undo:
            self._link.bring_back(run)

    # ------------------------------------------------------------------ discarded runs

    def ask_discarded(self) -> None:
        """Discarded runs…"""
        from quarterdeck.ui.recovery.discarded_dialog import DiscardedDialog

        self._list = DiscardedDialog((), self._window)
        self._list.back_asked.connect(self._link.bring_back)
        self._list.finished.connect(self._on_list_closed)
        self._window.conduct.show_dialog(self._list)
        self._link.read_discarded()

    def _on_list_closed(self) -> None:
        self._list = None

    def _on_discarded_read(self, found: tuple[Discarded, ...]) -> None:
        if self._list is not None:
            self._list.show_lines([_line(one) for one in reversed(found)])

    def _on_brought_back(self, news: BroughtBack) -> None:
        self._counted = None
        words = one_line(in_words(news.refusal.message), 300) if news.refusal is not None else ""
        if self._list is not None:
            self._list.say(words)
            self._link.read_discarded()
        elif words:
            self._window.notice.say(words)

    # ------------------------------------------------------------------ notes

    def _measure_growing(self) -> None:
        """A store that takes its time, or cannot be measured, is not asked again before it has answered."""
        if self._is_measuring or not self._window.isVisible() or self._window.isMinimized():
            return
        self._is_measuring = True
        self._link.read_size()

    def _on_size_read(self, kept: Kept) -> None:
        self._is_measuring = False
        self._window.runs.show_size(kept.size_bytes)

    def _measure_if_due(self, runs: Sequence[RunSummary]) -> None:
        is_live = any(run.is_live for run in runs)
        if is_live != self._growing.isActive():
            self._growing.start() if is_live else self._growing.stop()
        counted = (len(runs), sum(run.is_live for run in runs), sum(run.end_seq is None for run in runs))
        if counted == self._counted:
            return
        is_first, self._counted = self._counted is None, counted
        if is_first:
            self._link.read_notes()
        elif not self._due.isActive():
            self._due.start()

    def _on_replaced(self) -> None:
        self._counted = None

    def _on_notes_read(self, notes: StoreNotes) -> None:
        self._window.runs.show_size(notes.kept.size_bytes)
        self._window.read_only.say(one_line(in_words(notes.kept.read_only), 400))
        self._window.records.say_read_only(notes.kept.read_only)
        self._window.bottom.problems.show_unreadable(notes.unreadable)

    def _chosen(self) -> RunSummary | None:
        wanted = self._shown.run if self._shown is not None else None
        return next((run for run in self._runs() if run.run_id == wanted), None)

    def _runs(self) -> tuple[RunSummary, ...]:
        return self._shown.known.runs if self._shown is not None else ()


def _spend(runs: Sequence[RunSummary]) -> str:
    known = [run.cost_usd for run in runs if run.cost_usd is not None]
    is_whole = len(known) == len(runs) and all(run.cost_is_complete for run in runs)
    return money_text(
        sum(known, Decimal(0)) if known else None, is_whole, source_of(run.cost_source for run in runs)
    )


def _day_of(wall_ms: int) -> str:
    at = datetime.fromtimestamp(wall_ms / 1000, tz=UTC).astimezone().date()
    return tr("{weekday} {day} {month}", weekday=day_name(at), day=at.day, month=month_name(at))


def _line(one: Discarded) -> DiscardedLine:
    from quarterdeck.ui.recovery.discarded_dialog import DiscardedLine

    name = one_line(one.workflow_name, 80) or tr("its files cannot be read")
    words = tr(
        "{run} · discarded {day} · kept until {until}",
        run=short_id(one.run),
        day=_day_of(one.at_ms),
        until=_day_of(one.until_ms),
    )
    return DiscardedLine(one.run, name, words)
