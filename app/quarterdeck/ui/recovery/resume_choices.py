"""What a person decides in the second step of Resume: session, agent, limits, reason, and whether the workflow goes on."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import Choice, label, radio, set_text
from quarterdeck.ui.present_resume import ResumeFacts, amount_of
from quarterdeck.ui.recovery.typed_field import TypedField
from quarterdeck.ui.tips import tip

tr = Texts("ResumeChoices")

REASON_MAX = 2_000


class ResumeChoices(QWidget):
    """Says what was decided; `left`: Enter in one of its fields."""

    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._facts: ResumeFacts | None = None
        self._is_reopened = False
        self._make_session()
        self._make_fields()
        self.go_on = QCheckBox(tr("Let the workflow go on from here"), self)
        self.go_on.setAccessibleName(tr("Let the workflow go on from here"))
        self._alone = label(
            tr("Otherwise only this agent is started; those after it wait for you."), "muted", self, wrap=True
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self.session)
        column.addLayout(self._grid())
        column.addWidget(self.go_on)
        column.addWidget(self._alone)

    # ------------------------------------------------------------------ content

    def show_facts(self, facts: ResumeFacts) -> None:
        """What may be chosen; what was typed and chosen stays."""
        chosen, self._facts = self.agent, facts
        self._is_reopened = self._is_reopened or bool(facts.reopened)
        self.session.setVisible(facts.can_continue_session)
        self.continued.setToolTip(tip(facts.session))
        self.agents.clear()
        for choice in facts.choices:
            self.agents.addItem(choice.words, choice.agent)
        prior = next((place for place, c in enumerate(facts.choices) if c.is_prior), 0)
        kept = self.agents.findData(chosen) if chosen is not None else -1
        self.agents.setCurrentIndex(kept if kept >= 0 else prior)
        is_choice = len(facts.choices) > 1
        self.agents.setVisible(is_choice)
        self._agents_label.setVisible(is_choice)
        if not self.limit.text():
            self.limit.setText(facts.limit)
        set_text(self._left, facts.run_left)
        self._left.setVisible(bool(facts.run_left))
        for part in (self.run_limit, self._run_limit_label):
            part.setVisible(facts.asks_run_limit)
        if facts.asks_run_limit and not self.run_limit.text():
            self.run_limit.setText(facts.run_limit)
        self._on_agent_changed()
        self._say_reason()

    def say_reopened(self) -> None:
        """The slot is re-opened: a reason was given, and another one is no longer needed."""
        self._is_reopened = True
        self._say_reason()

    @property
    def needs_reason(self) -> bool:
        """Whether the slot is to be re-opened: it is not yet, or something else was chosen than its prior agent."""
        return not self._is_reopened or self.agent is not None

    @property
    def agent(self) -> str | None:
        """The chosen agent; None: the same as before."""
        facts = self._facts
        place = self.agents.currentIndex()
        if facts is None or not 0 <= place < len(facts.choices) or facts.choices[place].is_prior:
            return None
        return facts.choices[place].agent

    @property
    def problem(self) -> str:
        """Why the chosen agent cannot start now; empty: it can."""
        facts, place = self._facts, self.agents.currentIndex()
        return facts.choices[place].problem if facts is not None and 0 <= place < len(facts.choices) else ""

    @property
    def continues_session(self) -> bool:
        """Whether it may take up its own session."""
        facts = self._facts
        return (
            facts is not None
            and facts.can_continue_session
            and self.continued.isChecked()
            and self.agent is None
        )

    @property
    def new_limit(self) -> Decimal | None:
        """The limit of this agent, where it was changed."""
        return _changed(self.limit, self._facts.limit if self._facts is not None else "")

    @property
    def new_run_limit(self) -> Decimal | None:
        """The limit of the run, where it was changed."""
        return _changed(self.run_limit, self._facts.run_limit if self._facts is not None else "")

    # ------------------------------------------------------------------ parts

    def _make_session(self) -> None:
        self.session = QWidget(self)
        self.continued = radio(tr("Continue the agent's session"), self.session)
        self.fresh = radio(tr("Start again from saved results"), self.session)
        group = QButtonGroup(self)
        for made in (self.continued, self.fresh):
            group.addButton(made)
        self.continued.setChecked(True)
        row = QVBoxLayout(self.session)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addWidget(self.continued)
        row.addWidget(self.fresh)
        self.session.hide()

    def _make_fields(self) -> None:
        self.reason = TypedField(self)
        self.reason.setMaxLength(REASON_MAX)
        self.reason.setAccessibleName(tr("Reason"))
        self.reason.setPlaceholderText(tr("What you looked at, and why it is to be done again"))
        self.limit = TypedField(self)
        self.limit.setAccessibleName(tr("Spending limit in US dollars"))
        self.limit.setPlaceholderText(tr("none"))
        self.run_limit = TypedField(self)
        self.run_limit.setAccessibleName(tr("The run's own limit in US dollars"))
        for field in (self.limit, self.run_limit):
            field.setMaximumWidth(120)
        for field in (self.reason, self.limit, self.run_limit):
            field.left.connect(self.left)
        self.agents = Choice(self)
        self.agents.setAccessibleName(tr("Agent that takes it up"))
        self.agents.setMinimumContentsLength(12)
        self.agents.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.agents.currentIndexChanged.connect(self._on_agent_changed)
        self._left = label("", "muted", self, wrap=True)
        self._problem = label("", "problem", self, wrap=True)

    def _grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(10)
        grid.setColumnStretch(1, 1)
        self._agents_label = label(tr("Agent"), "", self)
        self._run_limit_label = label(tr("Limit of the run"), "", self)
        self._reason_label: QLabel = label(tr("Reason"), "", self)
        limit = QHBoxLayout()
        limit.setSpacing(12)
        limit.addWidget(self.limit)
        limit.addWidget(self._left, 1)
        limit.addStretch()  # the field stands at the left also where nothing is said beside it
        grid.addWidget(self._reason_label, 0, 0)
        grid.addWidget(self.reason, 0, 1)
        grid.addWidget(self._agents_label, 1, 0)
        grid.addWidget(self.agents, 1, 1)
        grid.addWidget(self._problem, 2, 1)
        grid.addWidget(label(tr("Spending limit"), "", self), 3, 0)
        grid.addLayout(limit, 3, 1)
        grid.addWidget(self._run_limit_label, 4, 0)
        grid.addWidget(self.run_limit, 4, 1, Qt.AlignmentFlag.AlignLeft)
        for part in (self._agents_label, self.agents, self._problem, self._run_limit_label, self.run_limit):
            part.hide()
        return grid

    def _say_reason(self) -> None:
        set_text(self._reason_label, tr("Reason (needed)") if self.needs_reason else tr("Reason"))

    def _on_agent_changed(self) -> None:
        set_text(self._problem, self.problem)
        self._problem.setVisible(bool(self.problem))
        is_same = self.agent is None
        for made in (self.continued, self.fresh):
            made.setEnabled(is_same)
        self._say_reason()


def _changed(field: QLineEdit, before: str) -> Decimal | None:
    amount = amount_of(field.text())
    if not isinstance(amount, Decimal) or amount_of(before) == amount:
        return None
    return amount
