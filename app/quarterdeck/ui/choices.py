"""The settings in force: read from the engine, applied to looks and keys at once, and kept again when they change.

A settings file that is wrong is told and left as it is; changes then last until the window closes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.looks import Scheme
from quarterdeck.domain.preferences import Preferences, PreferencesRead, QuietProgram
from quarterdeck.ui.actions import Actions
from quarterdeck.ui.house_link import HouseLink, PreferencesKept
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.theme import Theme, system_reduces_motion
from quarterdeck.ui.translators import speaks
from quarterdeck.ui.words import one_line

tr = Texts("Choices")


class Choices(QObject):
    """Owned by the window. `say` tells a fault to the person."""

    changed = Signal(object)
    """Preferences: now in force."""

    def __init__(
        self, theme: Theme, actions: Actions, house: HouseLink, say: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._theme, self._actions, self._house, self._say = theme, actions, house, say
        self.now = Preferences(scheme=theme.scheme, reduce_motion=theme.is_motion_reduced)
        self.place = ""
        self.fault = ""
        self.no_inhibitor = ""
        self.quiet: tuple[QuietProgram, ...] = ()
        self.scale_in_force = self.now.scale_percent
        """Percent, as the program was started with: Qt takes no other while it runs."""
        self._has_read = False
        house.preferences_read.connect(self._on_preferences_read)
        house.preferences_kept.connect(self._on_preferences_kept)
        for scheme in Scheme:
            actions.bind(f"scheme_{scheme}", getattr(self, f"_on_{scheme.name.lower()}_chosen"))
        actions.bind("reduce_motion", self._on_reduce_motion)
        self._mark()

    def change(self, wanted: Preferences) -> None:
        """Put these settings in force and keep them."""
        if wanted == self.now:
            return
        self._take(wanted)
        if not self.fault:
            self._house.keep(wanted)

    def _take(self, wanted: Preferences) -> None:
        before, self.now = self.now, wanted
        app = QApplication.instance()
        system = isinstance(app, QApplication) and system_reduces_motion(app)
        self._theme.is_motion_reduced = wanted.reduce_motion or system
        if wanted.scheme is not self._theme.scheme:
            self._theme.choose(wanted.scheme)
        if wanted.shortcuts != before.shortcuts:
            self._actions.rebind(wanted.shortcuts)
        self._mark()
        self.changed.emit(wanted)

    def _mark(self) -> None:
        self._actions[f"scheme_{self.now.scheme}"].setChecked(True)
        self._actions["reduce_motion"].setChecked(self.now.reduce_motion)

    def _on_preferences_read(self, read: PreferencesRead) -> None:
        self.place, self.fault, self.no_inhibitor = read.place, read.fault, read.no_inhibitor
        self.quiet = read.quiet
        is_first = not self._has_read
        if is_first:
            self._has_read, self.scale_in_force = True, read.preferences.scale_percent
        if read.fault:
            self._say(
                tr(
                    "Of the settings only what can be read of theme, size, motion and language is used; "
                    "their file stays as it is. {fault}",
                    fault=in_words(read.fault),
                )
            )
            return
        self._take(read.preferences)
        if is_first and read.unknown:
            self._say(
                tr(
                    "These settings are not known, so they do nothing: {names}. They stand in {place}.",
                    names=one_line(", ".join(read.unknown)),
                    place=read.place,
                )
            )
        if is_first and not speaks(read.preferences.language):
            language = one_line(read.preferences.language, 40)
            self._say(
                tr(
                    "There is no translation for the language “{language}” of the settings; English is shown.",
                    language=language,
                )
            )

    def _on_preferences_kept(self, news: PreferencesKept) -> None:
        if news.fault:
            self.fault = news.fault
            self._say(
                tr(
                    "The settings hold until Quarterdeck closes; they were not saved. {fault}",
                    fault=in_words(news.fault),
                )
            )

    def _on_system_chosen(self) -> None:
        self.change(replace(self.now, scheme=Scheme.SYSTEM))

    def _on_light_chosen(self) -> None:
        self.change(replace(self.now, scheme=Scheme.LIGHT))

    def _on_dark_chosen(self) -> None:
        self.change(replace(self.now, scheme=Scheme.DARK))

    def _on_contrast_chosen(self) -> None:
        self.change(replace(self.now, scheme=Scheme.CONTRAST))

    def _on_reduce_motion(self) -> None:
        self.change(replace(self.now, reduce_motion=self._actions["reduce_motion"].isChecked()))
