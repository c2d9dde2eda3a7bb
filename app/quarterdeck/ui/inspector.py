"""The inspector: what is chosen, in full. Header, open questions, then pages: Overview, Transcript, Files, Prompt.

Facts come as values; the transcript, the files' state and what an attempt was told are asked for when they are seen. An
earlier attempt stays addressable: chosen in the list, everything here is of that attempt (SLT2).
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTabWidget, QVBoxLayout, QWidget

from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.engine.attempt_details import KeptFile
from quarterdeck.ui.attempt_head import AttemptHead, attempt_title
from quarterdeck.ui.attempt_link import FilesChecked, LaunchRead
from quarterdeck.ui.files_page import FilesPage
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.inspector_feet import InspectorFeet
from quarterdeck.ui.language import Texts
from quarterdeck.ui.link import Link
from quarterdeck.ui.message_row import MessageRow
from quarterdeck.ui.overview_page import OverviewPage
from quarterdeck.ui.parts import Chip, ElidedLabel, label, set_text
from quarterdeck.ui.present_agent import AgentFacts, cards_of, facts_of_attempt
from quarterdeck.ui.present_details import file_rows, files_said, files_title, pinned_facts, prompt_facts
from quarterdeck.ui.prompt_page import PromptPage
from quarterdeck.ui.question_cards import QuestionCards
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens
from quarterdeck.ui.transcript import TranscriptPanel

tr = Texts("Inspector")

OVERVIEW, TRANSCRIPT, FILES, PROMPT = range(4)
WIDTH = 376
Shown = tuple[RunId, SlotId, AttemptId | None]


class Inspector(QWidget):
    """Dock content. It asks by signals; what an action may do is said by the facts."""

    answered = Signal(object)
    changed = Signal()
    """What is shown, or what of it can be copied or gone to, is another now."""
    probe_asked = Signal(object)
    settle_asked = Signal(object)

    def __init__(self, theme: Theme, link: Link, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._link = link.attempts
        self._facts: AgentFacts | None = None
        self._chosen: AttemptId | None = None
        self._told: LaunchRead | None = None
        self._told_of: Shown | None = None
        self._checked: tuple[KeptFile, ...] = ()
        self._checked_of: object = None
        self.setProperty("look", "sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._make_head()
        self._make_pages(link)
        self.message = MessageRow(self)
        self.feet = self._feet = InspectorFeet(theme, self)
        self.stop, self.pause = self._feet.stop, self._feet.pause
        self.go_on, self.open, self.resume = self._feet.go_on, self._feet.open, self._feet.resume
        self._lay_out()
        self._connect()
        self.show_facts(None, None)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 640)

    # ------------------------------------------------------------------ content

    def show_facts(self, facts: AgentFacts | None, now: Moment | None) -> None:
        """Show an agent or a run; None: nothing is chosen."""
        before = self._facts
        if (
            facts is None
            or before is None
            or facts.slot_id != before.slot_id
            or facts.run_id != before.run_id
        ):
            self._chosen = None
        self._facts = facts = facts_of_attempt(facts, self._chosen) if facts is not None else None
        self._body.setVisible(facts is not None)
        self._nothing.setVisible(facts is None)
        if facts is None or now is None:
            self.overview.error.show_card(None)
            self.transcript.show_attempt(None, is_live=False)
            self.changed.emit()
            return
        if before is None or before.icon != facts.icon:
            self._tint()
        set_text(self._title, facts.title)
        set_text(self._subtitle, facts.subtitle)
        self._chip.show_badge(facts.badge)
        asked_at = facts.stood_at or now
        self.questions.show_questions(cards_of(facts), asked_at)
        self._show_buttons(facts)
        self._show_pages(facts)
        self.changed.emit()

    def _show_pages(self, facts: AgentFacts) -> None:
        attempt = (facts.run_id, facts.attempt_id) if facts.run_id and facts.attempt_id else None
        self.transcript.show_attempt(attempt, is_live=facts.is_attempt_live)
        self.transcript.show_messages(facts.messages)
        self.transcript.show_lost(facts.transcript_lost)
        self._ask_launch()
        self._show_told()
        self._show_files(facts)
        self.attempt.show_facts(facts)

    def choose_attempt(self, attempt: AttemptId) -> None:
        """Show another attempt of the agent; the newest one is followed again."""
        facts = self._facts
        if facts is None or facts.source is None:
            return
        newest = facts.source.slot.attempts[-1].attempt_id
        self._chosen = None if attempt == newest else attempt
        self.show_facts(facts_of_attempt(facts, attempt), facts.source.now)

    def open_overview(self) -> None:
        """Bring the overview forward."""
        self.tabs.setCurrentIndex(OVERVIEW)

    def open_transcript(self) -> None:
        """Bring the transcript forward."""
        self.tabs.setCurrentIndex(TRANSCRIPT)
        self.transcript.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def find_here(self) -> None:
        """Find in the transcript (Ctrl+F), where there is one."""
        if self.tabs.isTabEnabled(TRANSCRIPT):
            self.tabs.setCurrentIndex(TRANSCRIPT)
            self.transcript.find_here()

    def _show_buttons(self, facts: AgentFacts) -> None:
        self.message.show_facts(facts)
        self._feet.show_facts(facts, self.tabs.currentIndex() == TRANSCRIPT)
        for page in (TRANSCRIPT, FILES, PROMPT):
            self.tabs.setTabEnabled(page, facts.slot_id is not None)

    # ------------------------------------------------------------------ what was told, what was saved

    def _shown(self) -> Shown | None:
        facts = self._facts
        if facts is None or facts.run_id is None or facts.slot_id is None:
            return None
        return facts.run_id, facts.slot_id, facts.attempt_id

    def _ask_launch(self) -> None:
        shown = self._shown()
        if shown is not None and shown != self._told_of:
            self._told_of = shown
            self._link.read_launch(*shown)

    def _on_launch_read(self, news: LaunchRead) -> None:
        if (news.run, news.slot, news.attempt) == self._told_of:
            self._told = news
            self._show_told()
            self.changed.emit()

    def _show_told(self) -> None:
        facts = self._facts
        if facts is None:
            return
        told = self._told
        is_of_it = told is not None and (told.run, told.slot, told.attempt) == self._shown()
        words = told.words if told is not None and is_of_it else None
        self.overview.show_facts(facts, pinned_facts(words))
        self.prompt.show_facts(prompt_facts(words, attempt_title(facts)) if words is not None else None)
        self.transcript.show_prompt(words.prompt if words is not None and words.is_rendered else "")

    def _show_files(self, facts: AgentFacts) -> None:
        shown = (facts.run_id, facts.attempt_id, facts.artifacts)
        if self._checked_of is not None and self._checked_of != shown:
            self._checked_of, self._checked = None, ()
        self.files.show_rows(file_rows(facts.artifacts, self._checked))
        title = files_title(len(facts.artifacts))
        if self.tabs.tabText(FILES) != title:
            self.tabs.setTabText(FILES, title)
            self.tabs.tabBar().setAccessibleTabName(FILES, files_said(len(facts.artifacts)))
        self._check_files()

    def _check_files(self) -> None:
        """Ask how the files stand, once, and only while they are looked at."""
        facts = self._facts
        if facts is None or facts.run_id is None or facts.attempt_id is None or not facts.artifacts:
            return
        shown = (facts.run_id, facts.attempt_id, facts.artifacts)
        if self.tabs.currentIndex() == FILES and self._checked_of != shown:
            self._checked_of = shown
            self._link.check_files(facts.run_id, facts.attempt_id, facts.artifacts)

    def _on_files_checked(self, news: FilesChecked) -> None:
        facts = self._facts
        if facts is not None and (news.run, news.attempt) == (facts.run_id, facts.attempt_id):
            self._checked = news.files
            self.files.show_rows(file_rows(facts.artifacts, self._checked))
            self.changed.emit()

    # ------------------------------------------------------------------ parts

    def _make_head(self) -> None:
        self._tile = QLabel(self)
        self._title = ElidedLabel("title", self)
        self._subtitle = ElidedLabel("muted", self)
        self._chip = Chip(self._theme, self)
        self.attempt = AttemptHead(self)
        self.newest_attempt = self.attempt.newest
        self.questions = QuestionCards(self._theme, self)

    def _make_pages(self, link: Link) -> None:
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(tr("Agent facts"))
        self.tabs.setDocumentMode(True)
        self.overview = OverviewPage(self._theme, self)
        self.transcript = TranscriptPanel(self._theme, link.attempts, self)
        self.files = FilesPage(self._theme, self)
        self.prompt = PromptPage(self._theme, self)
        self.tabs.addTab(self.overview, tr("Overview"))
        self.tabs.addTab(self.transcript, tr("Transcript"))
        self.tabs.addTab(self.files, tr("Files"))
        self.tabs.addTab(self.prompt, tr("Prompt"))
        bar = self.tabs.tabBar()
        for place, name in (
            (TRANSCRIPT, tr("Transcript page")),
            (FILES, tr("Files page")),
            (PROMPT, tr("Prompt page")),
        ):
            bar.setAccessibleTabName(place, name)

    def _connect(self) -> None:
        self.questions.answered.connect(self.answered)
        self.attempt.attempt_chosen.connect(self.choose_attempt)
        for part in (self.questions, self.attempt, self.message, self._feet):
            part.focus_left.connect(self.tabs.setFocus)  # what was pressed is gone: stay here
        self.overview.effects.probe_asked.connect(self.probe_asked)
        self.overview.effects.settle_asked.connect(self.settle_asked)
        self.overview.attempt_chosen.connect(self.choose_attempt)
        self.files.chosen_changed.connect(self.changed)
        self.tabs.currentChanged.connect(self._on_page_changed)
        self._link.launch_read.connect(self._on_launch_read)
        self._link.files_checked.connect(self._on_files_checked)
        self._theme.theme_changed.connect(self._on_theme_changed)

    def _lay_out(self) -> None:
        head, names = QHBoxLayout(), QVBoxLayout()
        names.setSpacing(1)
        names.addWidget(self._title)
        names.addWidget(self._subtitle)
        head.addWidget(self._tile, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(names, 1)
        head.addWidget(self._chip, 0, Qt.AlignmentFlag.AlignTop)
        self._body = QWidget(self)
        column = QVBoxLayout(self._body)
        column.setContentsMargins(16, 14, 12, 12)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.questions)
        column.addWidget(self.attempt)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.message)
        column.addWidget(self._feet)
        self._nothing = label(tr("Choose a run or an agent to see its facts."), "muted", self, wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._body)
        outer.addWidget(self._nothing)

    # ------------------------------------------------------------------ events

    def _on_page_changed(self) -> None:
        self._check_files()
        if self._facts is not None:
            self._show_buttons(self._facts)

    def _tint(self) -> None:
        if self._facts is not None:
            drawn = pixmap(self._facts.icon, self._theme.tokens.text, 18, self.devicePixelRatioF())
            self._tile.setPixmap(drawn)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()
