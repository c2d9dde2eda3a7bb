"""Whether the records can be read and written at all, told in every part of the window that would else claim something."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.moment import Moment
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts, filled
from quarterdeck.ui.present import Footing
from quarterdeck.ui.words import UNREADABLE, one_line

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("Window")

READING_ONLY = tr.later(
    "Nothing can be recorded, so no run can be started; what was recorded is shown. {why} It is tried again by itself."
)
RECORDING_STOPPED = tr.later(
    "Recording stopped: the records cannot be written. No agent is started until they can be; see the free disk space."
)


class RecordsState(QObject):
    """One for each window."""

    retry_asked = Signal()
    """Open the records again, now."""
    read_only_changed = Signal()
    """`read_only` says something else."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self.is_unreadable = False
        self._why_reading_only = self._told_read_only = ""
        self._is_stopped = False
        window.actions_.bind("try_again", self.retry_asked.emit)
        for made in (window.empty.retry, window.not_recording.act):
            window.actions_.drive("try_again", made)
        self._enable()

    def say_unreadable(self, reason: str) -> None:
        """The records could not be opened: every part of the window says so, and none claims more."""
        self.is_unreadable = True
        self._enable()
        window = self._window
        words = tr("{why} It is tried again by itself.", why=_sentence(reason))
        window.empty.show_words(tr("The records cannot be opened"), words, can_open=False, can_retry=True)
        window.foot.say_unreadable()
        for panel in (window.runs, window.agents):
            panel.say_none(UNREADABLE)

    @property
    def read_only(self) -> str:
        """Why nothing can be written, so that nothing is offered that would be; empty: it can (JNL8, JNL9)."""
        why = self._why_reading_only or self._told_read_only
        return why or (RECORDING_STOPPED.now if self._is_stopped else "")

    @property
    def no_start(self) -> str:
        """Why no run and no attempt can be started: the banner's sentences; empty: the records take one (JNL8, JNL9)."""
        if self._why_reading_only:
            return filled(READING_ONLY.now, READING_ONLY, {"why": _sentence(self._why_reading_only)})
        return _sentence(self.read_only) if self.read_only else ""

    def say_read_only(self, why: str) -> None:
        """The store itself is only read, as one that a newer version wrote; empty: it is not."""
        if why != self._told_read_only:
            self._told_read_only = why
            self._window.watching.refresh()
            self.read_only_changed.emit()

    def say_opened(self, why_reading_only: str) -> None:
        """The records are open: for reading only where a reason is given, else whole. Before, they may not have been."""
        was_unreadable, self.is_unreadable = self.is_unreadable, False
        self._why_reading_only = why_reading_only
        self._told_read_only = ""  # another engine says it for itself
        self._is_stopped = False  # its runs say so anew
        self._enable()
        if was_unreadable:
            self._window.empty.show_words(
                tr("Opening…"), tr("Reading the folder's workflows."), can_open=False
            )
        self._say_notice(is_recording=True)
        self._window.watching.refresh()
        self.read_only_changed.emit()

    def _enable(self) -> None:
        can = self.is_unreadable or bool(self._why_reading_only)
        self._window.actions_.enable("try_again", can)

    def show(self, footing: Footing, now: Moment, *, has_heard: bool) -> None:
        """Follow the facts: a run of this process that cannot be recorded is told as well, and when its records were saved."""
        if has_heard:
            is_recording = False if self._why_reading_only else footing.recording
            saved_ms = self._window.link.last_saved_ms() if footing.own_runs else None
            age_ms = max(0, now.boot_ms - saved_ms) if saved_ms is not None else None
            is_read_only = bool(self._told_read_only)
            self._window.foot.show_footing(
                replace(footing, recording=is_recording), age_ms, is_read_only=is_read_only
            )
        is_stopped = footing.recording is False
        self._say_notice(is_recording=not is_stopped)
        if self._is_stopped is not is_stopped:
            self._is_stopped = is_stopped
            self.read_only_changed.emit()

    def _say_notice(self, *, is_recording: bool) -> None:
        notice = self._window.not_recording
        if self._why_reading_only:
            notice.offer(self.no_start, tr("Try again"))
        else:
            notice.say("" if is_recording else RECORDING_STOPPED.now)


def _sentence(reason: str) -> str:
    said = one_line(in_words(reason), 400)
    return said if said.endswith((".", "!", "?")) else f"{said}."
