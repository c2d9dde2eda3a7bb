"""Settings (Ctrl+,): looks, notices, quitting, sleep, what is kept, programs, editor, keys. Each change holds at once and is kept at once."""

from __future__ import annotations

import shlex
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.domain.looks import SCALE_PERCENT_MAX, SCALE_PERCENT_MIN, SYSTEM_LANGUAGE, Scheme
from quarterdeck.domain.preferences import QUIT_MINUTES_MAX, Preferences, QuietProgram
from quarterdeck.ui.dialogs.keeping_fields import AwakeField, KeepingFields
from quarterdeck.ui.dialogs.quiet_fields import QuietFields
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.parts import Choice, button, label, resize_within_screen, restyle, set_text
from quarterdeck.ui.translators import languages, own_name

tr = Texts("DialogsSettingsDialog")

SCHEMES = {
    Scheme.SYSTEM: tr.later("As the system says"),
    Scheme.LIGHT: tr.later("Light"),
    Scheme.DARK: tr.later("Dark"),
    Scheme.CONTRAST: tr.later("High contrast"),
}
SCALE_STEP = 25
NAMES_W = 128
NOTICE_PARTS = tr.later("{title} and {text} are filled in.")
EDITOR_PARTS = tr.later("{path} and {line} are filled in. Empty: what the system opens such files with.")


class SettingsDialog(QDialog):
    """Opened with `open()`; `changed` gives the Preferences after each change."""

    changed = Signal(object)
    keys_asked = Signal()

    def __init__(
        self,
        now: Preferences,
        place: str,
        fault: str,
        scale: int,
        no_inhibitor: str = "",
        quiet: tuple[QuietProgram, ...] = (),
        parent: QWidget | None = None,
    ) -> None:
        """scale: percent, as it is in force. no_inhibitor: why the computer cannot be kept awake; empty: it can. quiet: programs
        that are started with switches of ours.
        """
        super().__init__(parent)
        self.setWindowTitle(tr("Settings"))
        self.setAccessibleName(tr("Settings dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._now = now
        self._scale_in_force = scale
        self.awake = AwakeField(now.keep_awake, no_inhibitor, self)
        self.keeping = KeepingFields(now.limits, self)
        self.quiet = QuietFields(quiet, now.telemetry, self)
        self._make_fields(now)
        self._lay_out(place, fault)
        self._connect()
        resize_within_screen(self, 600, 660)
        self.scheme.setFocus()

    # ------------------------------------------------------------------ parts

    def _make_fields(self, now: Preferences) -> None:
        self.scheme = Choice(self)
        for scheme, words in SCHEMES.items():
            self.scheme.addItem(shown(words), str(scheme))
        self.scheme.setCurrentIndex(list(SCHEMES).index(now.scheme))
        self.language = _languages(self, now.language)
        self.scale = _number(self, SCALE_PERCENT_MIN, SCALE_PERCENT_MAX, now.scale_percent, " %")
        self.scale.setSingleStep(SCALE_STEP)
        self.motion = QCheckBox(tr("Reduce motion"), self)
        self.motion.setChecked(now.reduce_motion)
        self.notices = QCheckBox(tr("Tell me when a run needs me, fails or ends"), self)
        self.notices.setChecked(now.notices)
        self.command = _command(self, now.notice_command, "notify-me {title} {text}")
        self.minutes = _number(self, 1, QUIT_MINUTES_MAX, now.quit_minutes, f" {tr('min')}")
        self.editor = _command(self, now.editor, "code --goto {path}:{line}")
        self.keys = button(tr("Keys…"), tr("Change keys"), "", self)
        for part, name in (
            (self.scheme, tr("Colours")),
            (self.language, tr("Language")),
            (self.scale, tr("Scale")),
            (self.motion, tr("Reduce motion")),
            (self.notices, tr("Desktop notices")),
            (self.command, tr("Command when a run needs somebody")),
            (self.minutes, tr("Minutes to finish at quitting")),
            (self.editor, tr("Editor")),
        ):
            part.setAccessibleName(name)

    def _lay_out(self, place: str, fault: str) -> None:
        self.said = label("", "problem", self, wrap=True)
        self.scale_note = label("", "muted", self, wrap=True)
        page = QWidget(self)
        page.setProperty("look", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(24, 22, 24, 8)
        column.setSpacing(14)
        column.addWidget(label(tr("Settings"), "big", page))
        if fault:
            words = tr(
                "Only the looks that can be read are used of the file, and it stays as it is; "
                "changes hold until Quarterdeck closes. {fault}",
                fault=fault,
            )
            column.addWidget(label(words, "problem", page, wrap=True))
        for title, rows in self._groups(page):
            column.addLayout(_group(title, rows, page))
        column.addStretch(1)
        self._frame(page, place)

    def _groups(self, page: QWidget) -> tuple[tuple[str, tuple[tuple[str, QWidget], ...]], ...]:
        def note(words: str) -> tuple[str, QWidget]:
            return "", label(words, "muted", page, wrap=True)

        looks = (
            (tr("Colours"), self.scheme),
            (tr("Language"), self.language),
            note(tr("In force from the next start.")),
            (tr("Scale"), self.scale),
            ("", self.scale_note),
            ("", self.motion),
        )
        notices = (
            ("", self.notices),
            note(tr("Shown only while this window is not in front; several at once become one.")),
            (tr("Also start"), self.command),
            note(
                f"{tr('When a run needs somebody, also while this window is in front. No shell.')} {NOTICE_PARTS.now}"
            ),
        )
        return (
            (tr("Looks"), looks),
            (tr("Notices"), notices),
            (tr("Quitting"), ((tr("Let runs finish for"), self.minutes),)),
            (tr("Sleep"), self.awake.rows(page)),
            (tr("Kept on this computer"), self.keeping.rows(page)),
            *(
                ((tr("Telemetry and updates of programs"), self.quiet.rows(page)),)
                if self.quiet.boxes
                else ()
            ),
            (tr("Editor"), ((tr("Open files with"), self.editor), note(EDITOR_PARTS))),
            (tr("Keys"), (("", self.keys),)),
        )

    def _frame(self, page: QWidget, place: str) -> None:
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        kept = label(tr("Kept in {place}", place=place) if place else "", "muted", self, wrap=True)
        self.shut = button(tr("Close"), tr("Close settings"), "primary", self)
        feet = QHBoxLayout()
        feet.setContentsMargins(24, 8, 24, 18)
        feet.addWidget(kept, 1)
        feet.addWidget(self.shut)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area, 1)
        self.said.setContentsMargins(24, 0, 24, 0)
        whole.addWidget(self.said)
        whole.addLayout(feet)

    def _connect(self) -> None:
        self.scheme.activated.connect(self._on_changed)
        self.language.activated.connect(self._on_changed)
        self.scale.valueChanged.connect(self._on_changed)
        self.motion.clicked.connect(self._on_changed)
        self.notices.clicked.connect(self._on_changed)
        self.minutes.valueChanged.connect(self._on_changed)
        self.awake.box.clicked.connect(self._on_changed)
        for box in self.quiet.boxes.values():
            box.clicked.connect(self._on_changed)
        for part in self.keeping.parts:
            part.valueChanged.connect(self._on_changed)
        self.command.editingFinished.connect(self._on_changed)
        self.editor.editingFinished.connect(self._on_changed)
        self.keys.clicked.connect(self.keys_asked)
        self.shut.clicked.connect(self.accept)
        self._note_scale()

    # ------------------------------------------------------------------ changes

    def _on_changed(self) -> None:
        command, editor = _parsed(self.command), _parsed(self.editor)
        wrong = command is None or editor is None
        set_text(self.said, tr("A quotation mark is not closed; this command is not kept.") if wrong else "")
        wanted = replace(
            self._now,
            scheme=Scheme(str(self.scheme.currentData())),
            language=str(self.language.currentData()),
            scale_percent=self.scale.value(),
            reduce_motion=self.motion.isChecked(),
            notices=self.notices.isChecked(),
            notice_command=self._now.notice_command if command is None else command,
            quit_minutes=self.minutes.value(),
            keep_awake=self.awake.box.isChecked(),
            limits=self.keeping.limits,
            telemetry=self.quiet.allowed,
            editor=self._now.editor if editor is None else editor,
        )
        self._note_scale()
        if wanted != self._now:
            self._now = wanted
            self.changed.emit(wanted)

    def reject(self) -> None:
        """Closing keeps what was typed last, as leaving a field does."""
        self._on_changed()
        super().reject()

    def _note_scale(self) -> None:
        differs = self.scale.value() != self._scale_in_force
        set_text(
            self.scale_note,
            tr("In force from the next start.") if differs else tr("On top of the system's own scale."),
        )


def _languages(parent: QWidget, now: str) -> Choice:
    """Those that there is a translation for; one of the settings that there is none for stays chosen."""
    made = Choice(parent)
    for name in dict.fromkeys((SYSTEM_LANGUAGE, *languages(), now)):
        made.addItem(tr("As the system says") if name == SYSTEM_LANGUAGE else own_name(name), name)
    made.setCurrentIndex(made.findData(now))
    return made


def _number(parent: QWidget, least: int, most: int, now: int, suffix: str) -> QSpinBox:
    made = QSpinBox(parent)
    made.setRange(least, most)
    made.setValue(now)
    made.setSuffix(suffix)
    made.setKeyboardTracking(False)
    made.lineEdit().setTextMargins(7, 0, 0, 0)  # a style sheet does not reach the field inside
    return made


def _command(parent: QWidget, now: tuple[str, ...], example: str) -> QLineEdit:
    made = QLineEdit(parent)
    made.setText(shlex.join(now))
    made.setPlaceholderText(example)
    made.setMaxLength(4000)
    return made


def _parsed(field: QLineEdit) -> tuple[str, ...] | None:
    """The argument list of a typed line; None where a quotation mark is not closed."""
    try:
        parts: tuple[str, ...] | None = tuple(shlex.split(field.text()))
    except ValueError:
        parts = None
    restyle(field, "wrong", "true" if parts is None else "false")
    return parts


def _group(title: str, rows: tuple[tuple[str, QWidget], ...], parent: QWidget) -> QVBoxLayout:
    """A heading and its fields, each beside its name; words under a field have a row of their own."""
    column = QVBoxLayout()
    column.setSpacing(6)
    column.addWidget(label(title, "heading", parent))
    for words, field in rows:
        row = QHBoxLayout()
        row.setSpacing(16)
        name = label(words, "muted", parent, wrap=True)
        name.setFixedWidth(NAMES_W)
        row.addWidget(name, 0)
        if isinstance(field, QSpinBox | QPushButton | QComboBox):
            row.addWidget(field, 0)
            row.addStretch(1)
        else:
            row.addWidget(field, 1)
        if not isinstance(field, QLabel):
            name.setBuddy(field)
        column.addLayout(row)
    return column
