"""The card of a first start: what is open, and an offer to look for agent programs; later the place where they are listed.

Nothing is started before the click. It asks by signals and keeps nothing: whether it was answered is remembered elsewhere.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from quarterdeck.domain.practice import PRACTICE
from quarterdeck.engine.household import AgentProgram, AgentsLooked
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.icons import icon, pixmap
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, button, label, set_text
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import one_line

tr = Texts("FirstCard")

WELCOME = tr.later(
    "Welcome to Quarterdeck. Practice night, in the menu, shows it with practice agents: no key, no model, no cost."
)
LISTED = tr.later("Agent programs on this computer")
OFFER = tr.later(
    "Quarterdeck can look which agent programs are installed here, and ask each for its version and your login shell for its PATH."
)
INDENT = 34


class FirstCard(QFrame):
    """Above the canvas. Hidden until `welcome` or `look_begins`."""

    dismissed = Signal()
    folders_chosen = Signal(object)
    """Tuple of str: folders in which programs are to be looked for too."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_welcome = self._has_keys = False
        self._folders: tuple[str, ...] = ()
        self.setProperty("look", "card")
        self._sign = QLabel(self)
        self.title = label(LISTED, "", self, wrap=True)
        self.said = label(OFFER, "muted", self, wrap=True)
        self.look = button(tr("Look for agent programs"), tr("Look for agent programs"), "", self)
        self.use = button(tr("Look there too"), tr("Look for programs in these folders too"), "", self)
        self._shut = QToolButton(self)
        self._shut.setAccessibleName(tr("Close this card"))
        self._shut.setToolTip(tip(tr("Close this card")))
        self._shut.clicked.connect(self._on_shut)
        self._list = QGridLayout()
        self._list.setHorizontalSpacing(18)
        self._list.setVerticalSpacing(4)
        self._list.setColumnStretch(2, 1)
        self.rows: list[QLabel] = []
        self._lay_out()
        self.use.clicked.connect(self._on_use)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self._name_itself()
        self.use.hide()
        self.hide()

    def welcome(self) -> None:
        """The first start: what is open, and the offer."""
        self._is_welcome = True
        set_text(self.title, WELCOME)
        self._name_itself()
        self.show()

    def show_file(self, file: LoadedWorkflow | BrokenWorkflow | None) -> None:
        """Follow what is open, as long as this is the welcome."""
        if not self._is_welcome:
            return
        is_practice = isinstance(file, LoadedWorkflow) and all(
            agent.kind == PRACTICE for agent in file.workflow.agents.values()
        )
        name = one_line(file.workflow.name, 80) if isinstance(file, LoadedWorkflow) else ""
        opened = tr(
            "{name} is open: its agents are practice agents. They need no key, call no model and cost nothing. Run starts it.",
            name=name,
        )
        set_text(self.title, opened if is_practice else WELCOME)

    def look_begins(self) -> None:
        """The look is under way; the card stands there for its answer."""
        self._has_keys = self.look.hasFocus() or self.use.hasFocus()
        self.look.setEnabled(False)
        self.look.setText(tr("Looking…"))
        self.use.setEnabled(False)
        self.show()

    def show_programs(self, looked: AgentsLooked) -> None:
        """List what was found: name, version, place; which of the known ones were not; and what only the login shell has."""
        for old in self.rows:
            old.hide()
            old.deleteLater()
        self.rows = []
        there = [program for program in looked.programs if program.path]
        for row, program in enumerate(there):
            self._add(row, program)
        self._folders = tuple(dict.fromkeys(one.folder for one in there if one.only_in_login))
        set_text(self.said, _sentences(looked, there))
        self.said.setVisible(bool(self.said.text()))
        self.said.setAccessibleName(self.said.text())
        self.use.setVisible(bool(self._folders))
        self.use.setEnabled(True)
        self.look.setText(tr("Look again"))
        self.look.setEnabled(True)
        if self._has_keys:
            self.look.setFocus(
                Qt.FocusReason.OtherFocusReason
            )  # a button that is disabled loses the keyboard

    def _add(self, row: int, program: AgentProgram) -> None:
        told = program.version or in_words(program.fault)
        place = ElidedLabel("mono", self)
        place.setText(one_line(program.path, 300))
        place.setToolTip(tip(program.path))
        place.setFont(mono_font(12))
        parts = (
            label(program.name, "heading", self),
            label(one_line(told, 120), "value" if program.version else "problem", self, wrap=False),
            place,
        )
        for column, part in enumerate(parts):
            part.setAccessibleName(part.text())
            self._list.addWidget(part, row, column)
        self.rows += parts

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.title, 1)
        head.addWidget(self._shut, 0, Qt.AlignmentFlag.AlignTop)
        foot = QHBoxLayout()
        foot.setContentsMargins(INDENT, 0, 0, 0)
        foot.setSpacing(8)
        foot.addWidget(self.said, 1)
        foot.addWidget(self.use)
        foot.addWidget(self.look)
        self._list.setContentsMargins(INDENT, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 10, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(self._list)
        column.addLayout(foot)

    def _name_itself(self) -> None:
        self.setAccessibleName(tr("Welcome") if self._is_welcome else LISTED.now)

    def _on_shut(self) -> None:
        self._is_welcome = False
        set_text(self.title, LISTED)
        self._name_itself()
        self.hide()
        self.dismissed.emit()

    def _on_use(self) -> None:
        self.folders_chosen.emit(self._folders)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        tone = tokens.tones[Family.RUNNING]
        self._sign.setPixmap(pixmap("graduation-cap", tone.text, 22, self.devicePixelRatioF()))
        self._shut.setIcon(icon("x", tokens.muted))


def _sentences(looked: AgentsLooked, there: list[AgentProgram]) -> str:
    """What the list does not show by itself."""
    only = ", ".join(program.name for program in there if program.only_in_login)
    missing = ", ".join(program.name for program in looked.programs if not program.path)
    said = []
    if only:
        said.append(
            tr("Only your login shell finds {programs}: agents started here would not.", programs=only)
        )
    if not there:
        said.append(tr("None of the agent programs that Quarterdeck knows is installed here."))
    elif missing:
        said.append(tr("Not found: {missing}.", missing=missing))
    if looked.shell_fault:
        said.append(one_line(in_words(looked.shell_fault), 300))
    return " ".join(said)
