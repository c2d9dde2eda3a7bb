"""The second step of Resume: what is pinned, what to check, what will be done again, and what a person decides.

Cancel is the default. One press starts one attempt: the button is gone until the answer comes, and the commands carry ids.
What was typed stays when something is refused.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from quarterdeck.domain.ids import CommandId, RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.no_start import say_off
from quarterdeck.ui.parts import button, enter_is_harmless, label, resize_within_screen, rule, set_text
from quarterdeck.ui.present_evidence import Part, folder_parts
from quarterdeck.ui.present_resume import ResumeFacts, amount_of, resume_facts
from quarterdeck.ui.recovery.resume_choices import ResumeChoices
from quarterdeck.ui.recovery.resume_told import ResumeTold
from quarterdeck.ui.recovery_asked import EvidenceRead, Resumed, ResumeIds, ResumeOrder, ResumeRead, Stage
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.words import one_line

tr = Texts("ResumeDialog")

WIDTH, HEIGHT = 640, 760


class ResumeDialog(QDialog):
    """Opened with `open()`, before its facts are known. mint: gives ids for the commands of one try."""

    started = Signal(object)
    """ResumeOrder."""
    read_asked = Signal(object)
    """(RunId, SlotId): what stood in the way is to be looked at anew."""

    def __init__(
        self,
        theme: Theme,
        key: tuple[RunId, SlotId],
        title: str,
        mint: Callable[[], CommandId],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        enter_is_harmless(self)
        self.key = key
        self._mint = mint
        self._ids = self._new_ids()
        self._facts: ResumeFacts | None = None
        self._is_sent = self._is_looking = self._can_start = False
        self._no_start = ""
        self.setWindowTitle(tr("Resume one agent"))
        self.setAccessibleName(tr("Resume dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._title = label(tr("Resume {agent}", agent=one_line(title, 80)), "big", self, wrap=True)
        self._subtitle = label(tr("Reading its pins and what it left…"), "muted", self, wrap=True)
        self.told = ResumeTold(theme, self)
        self.choices = ResumeChoices(self)
        self.choices.setEnabled(False)
        self._said = label("", "problem", self, wrap=True)
        self._said.hide()
        self._lay_out()
        self.choices.left.connect(self.start.setFocus)
        self.cancel.setFocus()

    # ------------------------------------------------------------------ news

    def show_read(self, news: ResumeRead) -> None:
        """What a person should know before. Read anew for a press of *Start*: that press counts if nothing else moved."""
        if self._is_sent:
            return
        was_looking, self._is_looking = self._is_looking, False
        if isinstance(news.result, Refusal):
            self.say(in_words(news.result.message))
            set_text(self._subtitle, "")
            return
        before, facts = self._facts, resume_facts(news.result, news.view)
        self._facts = facts
        set_text(self._title, facts.title)
        set_text(self._subtitle, facts.subtitle)
        set_text(self._costs, facts.costs)
        self.told.show_facts(facts)
        self.choices.show_facts(facts)
        set_text(self.start, facts.start)
        self.start.setAccessibleName(facts.start)
        self.say(facts.refusal)
        can = not facts.refusal
        self.choices.setEnabled(can)
        self._enable_start(can)
        if was_looking and can and not self._no_start:
            self._go_on(
                facts, is_same=before is not None and facts.without_problems == before.without_problems
            )

    def show_gone(self) -> None:
        """Its run left the store: nothing of it can be started, and what was typed can still be read."""
        if not self._is_sent:
            self._facts, self._is_looking = None, False
            self.choices.setEnabled(False)
            self._enable_start(False)
            self.cancel.setFocus()
            self.say(
                tr("This run was discarded meanwhile: it must be brought back before it can be resumed.")
            )

    def show_evidence(self, news: EvidenceRead) -> None:
        """What is seen in its working folder now."""
        if isinstance(news.result, Refusal):
            words = one_line(in_words(news.result.message), 300)
            self.told.show_folder((Part(tr("Its working folder"), (words,)),))
        else:
            self.told.show_folder(folder_parts(news.result.folder))

    def show_answer(self, news: Resumed) -> None:
        """The attempt exists, and the dialog closes; or it says what was refused, and what stands now."""
        if news.attempt is not None:
            self.accept()
            return
        assert news.refusal is not None
        self._is_sent, self._ids = False, self._new_ids()
        words = one_line(in_words(news.refusal.message), 400)
        if news.is_reopened:
            self.choices.say_reopened()
            what = tr("Its limit was not set.") if news.stage is Stage.LIMIT else tr("It was not started.")
            words = f"{what} {words} {tr('It is re-opened and waits to start; nothing else has changed.')}"
        self.say(words)
        self.choices.setEnabled(True)
        self._enable_start(True)
        self.cancel.setEnabled(True)

    def show_no_start(self, why: str) -> None:
        """Why nothing can be started now; empty: it can. What was typed stays."""
        self._no_start = why
        self._enable_start(self._can_start)

    def _enable_start(self, can: bool) -> None:
        self._can_start = can
        say_off(self.start, self._no_start, can=can and not self._is_sent)

    def say(self, words: str) -> None:
        """What stands in the way; empty: nothing."""
        set_text(self._said, words)
        self._said.setVisible(bool(words))

    # ------------------------------------------------------------------ parts

    def _lay_out(self) -> None:
        page = QWidget(self)
        page.setProperty("look", "page")
        inner = QVBoxLayout(page)
        inner.setContentsMargins(24, 20, 24, 16)
        inner.setSpacing(12)
        self._costs = label("", "muted", page, wrap=True)
        for part in (self._title, self._subtitle, self.told, rule(page), self.choices, self._costs):
            inner.addWidget(part)
        inner.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        scroll.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(scroll, 1)
        whole.addWidget(rule(self))
        whole.addWidget(self._make_feet())
        resize_within_screen(self, WIDTH, HEIGHT)

    def _make_feet(self) -> QWidget:
        feet = QWidget(self)
        feet.setProperty("look", "sheet")
        feet.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.cancel = button(tr("Cancel"), tr("Cancel resume"), "", feet)
        self.cancel.setDefault(True)
        self.start = button(tr("Start attempt"), tr("Start attempt"), "primary", feet)
        self.start.setEnabled(False)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.start)
        column = QVBoxLayout(feet)
        column.setContentsMargins(24, 12, 24, 12)
        column.setSpacing(8)
        column.addWidget(self._said)
        column.addLayout(row)
        self.cancel.clicked.connect(self.reject)
        self.start.clicked.connect(self._on_start)
        return feet

    # ------------------------------------------------------------------ asking

    def reject(self) -> None:
        """Not while an attempt is being started: its answer is still to come."""
        if not self._is_sent:
            super().reject()

    def _on_start(self) -> None:
        facts = self._facts
        if facts is None or self._is_sent:
            return
        problem = self._problem(facts)
        if not problem and self.choices.problem:
            self._is_looking = True
            self.say(tr("Looking again…"))
            self.read_asked.emit(self.key)
            return
        self.say(problem)
        if not problem:
            self._send()

    def _go_on(self, facts: ResumeFacts, *, is_same: bool) -> None:
        """What was read for a press: it starts, unless something still stands in the way or is new to the person."""
        problem = self._problem(facts) or self.choices.problem
        if not problem and not is_same:
            problem = tr("Something else has changed meanwhile. Look at it, then start.")
        self.say(problem)
        if not problem:
            self._send()

    def _send(self) -> None:
        self._is_sent = True
        for part in (self.start, self.choices, self.cancel):
            part.setEnabled(False)
        self.started.emit(self._order())

    def _problem(self, facts: ResumeFacts) -> str:
        """What is missing, in words."""
        if self.choices.needs_reason and not self.choices.reason.text().strip():
            self.choices.reason.setFocus(Qt.FocusReason.OtherFocusReason)
            return tr("Say in a few words why it is to be done again.")
        for field, before in ((self.choices.limit, facts.limit), (self.choices.run_limit, facts.run_limit)):
            amount = amount_of(field.text())
            if isinstance(amount, str):
                field.setFocus(Qt.FocusReason.OtherFocusReason)
                return amount
            if amount is None and before:
                field.setFocus(Qt.FocusReason.OtherFocusReason)
                return tr("A limit can be changed, not taken away. It was {amount}.", amount=before)
        return ""

    def _order(self) -> ResumeOrder:
        choices = self.choices
        run, slot = self.key
        return ResumeOrder(
            run=run,
            slot=slot,
            reason=choices.reason.text().strip(),
            ids=self._ids,
            agent=choices.agent,
            continue_session=choices.continues_session,
            limit_usd=choices.new_limit,
            run_limit_usd=choices.new_run_limit,
            go_on=choices.go_on.isChecked(),
            reopens=choices.needs_reason or bool(choices.reason.text().strip()),
        )

    def _new_ids(self) -> ResumeIds:
        return ResumeIds(self._mint(), self._mint(), self._mint(), self._mint())
