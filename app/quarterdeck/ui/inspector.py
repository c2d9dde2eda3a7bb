"""The inspector: what is chosen, in full. Header, open questions, facts, error, attempts, latest output, files."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.domain.moment import Moment
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.link import Link
from quarterdeck.ui.parts import Chip, ElidedLabel, button, label, restyle, rule, set_text, tint_button
from quarterdeck.ui.present_agent import AgentFacts, AttemptLine, Fact
from quarterdeck.ui.questions import QuestionCards
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.transcript import TranscriptPanel

OVERVIEW, TRANSCRIPT = 0, 1
WIDTH = 376


class FactValue(QLabel):
    """A value that wraps anywhere; *Copy* in its menu gives the value itself, without the places to wrap."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._value = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setProperty("look", "value")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        copy = QAction("Copy", self)
        copy.triggered.connect(self.copy_value)
        self.addAction(copy)

    def show_fact(self, fact: Fact) -> None:
        """Show the value of this fact."""
        if self._value != fact.value:
            self._value = fact.value
            self.setText(_breakable(fact.value))
            self.setAccessibleName(f"{fact.name}: {fact.value}")
        restyle(self, "look", "mono" if fact.mono else "value")

    def copy_value(self) -> None:
        """Put the value on the clipboard."""
        QGuiApplication.clipboard().setText(self._value)


class FactsGrid(QWidget):
    """Names at the left, values at the right; labels are kept and only their texts change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(1, 1)
        self._lines: list[tuple[QLabel, FactValue]] = []

    def show_facts(self, facts: tuple[Fact, ...]) -> None:
        """Show these lines."""
        while len(self._lines) < len(facts):
            self._add_line()
        for place, (name, value) in enumerate(self._lines):
            name.setVisible(place < len(facts))
            value.setVisible(place < len(facts))
            if place < len(facts):
                set_text(name, facts[place].name)
                value.show_fact(facts[place])

    def _add_line(self) -> None:
        name, value = label("", "muted", self), FactValue(self)
        place = len(self._lines)
        self._grid.addWidget(name, place, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, place, 1)
        self._lines.append((name, value))


class AttemptsList(QWidget):
    """The attempts of a slot, oldest first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: tuple[AttemptLine, ...] = ()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(8)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_attempts(self, lines: tuple[AttemptLine, ...]) -> None:
        """Show these attempts; nothing is rebuilt while nothing changed."""
        if lines == self._shown:
            return
        self._shown = lines
        self._build()

    def _build(self) -> None:
        while (item := self._layout.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.hide()
                old.deleteLater()
        for line in self._shown:
            self._layout.addWidget(self._row(line))

    def _row(self, line: AttemptLine) -> QWidget:
        row = QWidget(self)
        grid = QGridLayout(row)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        sign = QLabel(row)
        tone = self._theme.tokens.tones[line.badge.family]
        sign.setPixmap(pixmap(line.badge.icon, tone.text, 16, self.devicePixelRatioF()))
        title = label(line.title, "", row)
        title.setProperty("tone", str(line.badge.family))
        grid.addWidget(sign, 0, 0)
        grid.addWidget(title, 0, 1)
        grid.addWidget(label(line.line, "muted", row, wrap=True), 1, 1)
        return row

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._build()


class Inspector(QWidget):
    """Dock content. It asks by signals; what an action may do is said by the facts."""

    answered = Signal(object)
    pause_asked = Signal()
    continue_asked = Signal()
    stop_asked = Signal()

    def __init__(self, theme: Theme, link: Link, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: AgentFacts | None = None
        self.setProperty("look", "sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._make_head()
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName("Agent facts")
        self.tabs.setDocumentMode(True)
        self.transcript = TranscriptPanel(theme, link.attempts, self)
        self.tabs.addTab(self._overview(), "Overview")
        self.tabs.addTab(self.transcript, "Transcript")
        self.tabs.tabBar().setAccessibleTabName(TRANSCRIPT, "Transcript page")
        self._make_buttons()
        self._lay_out()
        self.questions.answered.connect(self.answered)
        theme.theme_changed.connect(self._on_theme_changed)
        self.show_facts(None, None)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 640)

    # ------------------------------------------------------------------ content

    def show_facts(self, facts: AgentFacts | None, now: Moment | None) -> None:
        """Show an agent or a run; None: nothing is chosen."""
        before, self._facts = self._facts, facts
        self._body.setVisible(facts is not None)
        self._nothing.setVisible(facts is None)
        if facts is None or now is None:
            self.transcript.show_attempt(None, is_live=False)
            return
        if before is None or before.icon != facts.icon:
            self._tint()
        set_text(self._title, facts.title)
        self._title.setToolTip("")
        set_text(self._subtitle, facts.subtitle)
        self._chip.show_badge(facts.badge)
        set_text(self._reason, facts.reason)
        self._reason.setVisible(bool(facts.reason))
        self.questions.show_questions(facts.questions, now)
        self._grid.show_facts(facts.facts)
        self._show_error(facts.error)
        self._show_rest(facts)
        self._show_buttons(facts)
        attempt = (facts.run_id, facts.attempt_id) if facts.run_id and facts.attempt_id else None
        self.transcript.show_attempt(attempt, is_live=facts.is_attempt_live)

    def open_transcript(self) -> None:
        """Bring the transcript forward."""
        self.tabs.setCurrentIndex(TRANSCRIPT)
        self.transcript.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_error(self, error: str) -> None:
        self._error_card.setVisible(bool(error))
        if self._error.toPlainText() != error:
            self._error.setPlainText(error)
            lines = error.count("\n") + 1 + len(error) // 42
            self._error.setFixedHeight(min(140, 18 + lines * 17))

    def _show_rest(self, facts: AgentFacts) -> None:
        self._attempts.show_attempts(facts.attempts)
        self._attempts_box.setVisible(bool(facts.attempts))
        set_text(self._latest, facts.latest.strip()[-600:])
        self._latest_box.setVisible(bool(facts.latest.strip()))
        set_text(self._files, "\n".join(facts.artifacts))
        self._files_box.setVisible(bool(facts.artifacts))

    def _show_buttons(self, facts: AgentFacts) -> None:
        is_agent = facts.slot_id is not None
        self.stop.setVisible(facts.can_stop)
        set_text(self.stop, "Stop agent…" if is_agent else "Stop run…")
        self.pause.setVisible(facts.can_pause)
        self.go_on.setVisible(facts.can_continue)
        self.open.setVisible(is_agent and facts.attempt_id is not None)
        self.tabs.setTabEnabled(TRANSCRIPT, is_agent)

    # ------------------------------------------------------------------ parts

    def _make_head(self) -> None:
        self._tile = QLabel(self)
        self._title = ElidedLabel("title", self)
        self._subtitle = ElidedLabel("muted", self)
        self._chip = Chip(self._theme, self)

    def _overview(self) -> QScrollArea:
        page = QWidget(self)
        page.setProperty("look", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 12, 8, 12)
        column.setSpacing(12)
        self._reason = label("", "muted", page, wrap=True)
        self._grid = FactsGrid(page)
        self._attempts = AttemptsList(self._theme, page)
        self._latest = label("", "", page, wrap=True)
        self._files = label("", "", page, wrap=True)
        for text in (self._latest, self._files):
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            text.setMinimumWidth(10)
        self._latest.setFont(mono_font(11))
        self._make_error(page)
        self._attempts_box = _box("Attempts", self._attempts, page)
        self._latest_box = _box("Latest output", _inset(self._latest, page), page)
        self._files_box = _box("Files", self._files, page)
        column.addWidget(self._reason)
        column.addWidget(self._error_card)
        column.addWidget(self._grid)
        for box in (self._attempts_box, self._latest_box, self._files_box):
            column.addWidget(box)
        column.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(page)
        area.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        area.setAccessibleName("Overview")
        return area

    def _make_error(self, page: QWidget) -> None:
        self._error_card = QFrame(page)
        self._error_card.setProperty("notice", str(Family.FAILED))
        self._error = QPlainTextEdit(self._error_card)
        self._error.setReadOnly(True)
        self._error.setFont(mono_font())
        self._error.setAccessibleName("Error")
        self._error.setTabChangesFocus(True)
        copy = button("Copy", "Copy error", "", self._error_card)
        copy.clicked.connect(self._on_copy_clicked)
        head = QHBoxLayout()
        title = label("Error", "", self._error_card)
        title.setProperty("tone", str(Family.FAILED))
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(copy)
        layout = QVBoxLayout(self._error_card)
        layout.setContentsMargins(12, 8, 12, 12)
        layout.addLayout(head)
        layout.addWidget(self._error)

    def _make_buttons(self) -> None:
        self.stop = button("Stop agent…", "Stop chosen", "danger", self)
        self.stop.setProperty("quiet", True)
        self.pause = button("Pause", "Pause agent", "", self)
        self.pause.setToolTip("Holds the agent. A request that was already sent may still be billed.")
        self.go_on = button("Continue", "Continue agent", "primary", self)
        self.open = button("Open transcript", "Open transcript", "", self)
        for made in (self.stop, self.pause, self.go_on, self.open):
            made.hide()  # all four at once would widen the dock for good
        self.stop.clicked.connect(self.stop_asked)
        self.pause.clicked.connect(self.pause_asked)
        self.go_on.clicked.connect(self.continue_asked)
        self.open.clicked.connect(self.open_transcript)

    def _lay_out(self) -> None:
        self.questions = QuestionCards(self._theme, self)
        head = QHBoxLayout()
        names = QVBoxLayout()
        names.setSpacing(1)
        names.addWidget(self._title)
        names.addWidget(self._subtitle)
        head.addWidget(self._tile, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(names, 1)
        head.addWidget(self._chip, 0, Qt.AlignmentFlag.AlignTop)
        feet = QHBoxLayout()
        feet.addWidget(self.stop)
        feet.addStretch(1)
        for made in (self.pause, self.go_on, self.open):
            feet.addWidget(made)
        self._body = QWidget(self)
        column = QVBoxLayout(self._body)
        column.setContentsMargins(16, 14, 12, 12)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.questions)
        column.addWidget(self.tabs, 1)
        column.addLayout(feet)
        self._nothing = label("Choose a run or an agent to see its facts.", "muted", self, wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._body)
        outer.addWidget(self._nothing)

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._error.toPlainText())

    def _tint(self) -> None:
        if self._facts is not None:
            drawn = pixmap(self._facts.icon, self._theme.tokens.text, 18, self.devicePixelRatioF())
            self._tile.setPixmap(drawn)
        tint_button(self.stop, "square", self._theme)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()


def _box(title: str, content: QWidget, parent: QWidget) -> QWidget:
    box = QWidget(parent)
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    layout.addWidget(rule(box))
    layout.addWidget(label(title, "heading", box))
    layout.addWidget(content)
    return box


def _inset(content: QWidget, parent: QWidget) -> QFrame:
    frame = QFrame(parent)
    frame.setProperty("look", "inset")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(10, 8, 10, 8)
    layout.addWidget(content)
    return frame


def _breakable(text: str) -> str:
    """Let long words and paths wrap: a label's width must not follow foreign text."""
    if max(map(len, text.split()), default=0) < 24:
        return text
    return "".join(f"{c}\u200b" if c in "/._-" or i % 16 == 15 else c for i, c in enumerate(text))
