"""Run…: inputs, outcome, and every command that would start and where (ruling 26). Nothing typed is ever lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.planned import FoundSettings, LaunchPreview, LoadedWorkflow, PlannedGrant, TrustAsked
from quarterdeck.ui.asked import LaunchPreviewed, RequestFailed, RunLaunched
from quarterdeck.ui.dialogs.commands_view import CommandsView, command_text
from quarterdeck.ui.dialogs.inputs import InputField
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.link import Link
from quarterdeck.ui.no_start import say_off
from quarterdeck.ui.parts import button, label, resize_within_screen, rule, tint_button
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line

tr = Texts("DialogsRunDialog")

CHECK_AFTER_MS = 250


@dataclass(frozen=True, slots=True)
class Typed:
    """What a person had typed into the dialog, kept by the window until a run was started."""

    inputs: dict[str, Any]
    outcome: str


def also_given(preview: LaunchPreview) -> list[tuple[str, str]]:
    """What agents are handed beside their commands, and which instructions their programs find there."""
    others = [
        (
            tr(
                "{node}, where you give it to {agent}",
                node=one_line(one.node_title, 80),
                agent=one_line(one.agent, 80),
            ),
            tr("{command}; in {folder}", command=command_text(one), folder=one.cwd),
        )
        for one in preview.alternatives
    ]
    grants = [(_grant_title(one), one.text) for one in preview.grants]
    servers = [
        (
            tr("MCP server {name} of {agent}", name=one_line(one.name, 80), agent=one_line(one.agent, 80)),
            one.line,
        )
        for one in preview.servers
    ]
    settings = [(tr("Settings found"), _settings_line(one)) for one in preview.settings]
    return (
        others
        + grants
        + servers
        + settings
        + [(tr("Instructions found"), str(path)) for path in preview.instructions]
    )


def _grant_title(grant: PlannedGrant) -> str:
    agent = one_line(grant.agent, 80)
    match grant.what:
        case "env":
            return tr("Environment of {agent}", agent=agent)
        case "secrets":
            return tr("Secrets of {agent}", agent=agent)
        case "pass_env":
            return tr("Let through to {agent}", agent=agent)
        case "credential":
            return tr("Sign-in of {agent}", agent=agent)
        case _:
            return tr("Permissions of {agent}", agent=agent)


def _settings_line(found: FoundSettings) -> str:
    if not found.is_readable:
        return tr("{path}; what it starts cannot be told", path=found.path)
    if not found.starts:
        return str(found.path)
    more = [tr("and {n} more", n=found.more)] if found.more else []
    return tr("{path}; it starts {commands}", path=found.path, commands="; ".join([*found.starts, *more]))


class RunDialog(QDialog):
    """Window-modal, opened with `open()`; the window hears of the run from the link."""

    typed = Signal(object)
    """Typed: on closing without a run."""

    def __init__(
        self,
        theme: Theme,
        link: Link,
        loaded: LoadedWorkflow,
        kept: Typed | None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._link, self._loaded = link, loaded
        self._ticket = 0
        self._preview: LaunchPreview | None = None
        self._is_sent = False
        self._is_wanted = False
        self._is_touched = False
        self._changed = self._no_start = ""
        workflow = loaded.workflow
        self.setWindowTitle(tr("Run {name}", name=one_line(workflow.name, 80)))
        self.setAccessibleName(tr("Run dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        kept_inputs = kept.inputs if kept else {}
        self.fields = {
            spec.name: InputField(spec, kept_inputs.get(spec.name), self) for spec in workflow.inputs
        }
        self.outcome = QLineEdit(self)
        self.outcome.setAccessibleName(tr("Outcome asked for"))
        self.outcome.setPlaceholderText(one_line(workflow.outcome, 120))
        self.outcome.setText(kept.outcome if kept else "")
        self.commands = CommandsView(theme, self)
        self._make_buttons(theme)
        self._lay_out()
        self._check = QTimer(self)
        self._check.setSingleShot(True)
        self._check.setInterval(CHECK_AFTER_MS)
        self._check.timeout.connect(self._ask_preview)
        self._connect()
        self._ask_preview()

    def request(self) -> LaunchRequest:
        """What is typed now, as a request."""
        values = {name: field.value() for name, field in self.fields.items()}
        given = {name: value for name, value in values.items() if value is not None}
        preview = self._preview
        content = preview.content if preview is not None else None
        agreed = preview.trust.content if preview is not None and preview.trust is not None else None
        outcome = self.outcome.text() or None
        return LaunchRequest(
            self._loaded.path, given, outcome, content=content, asks_trust=True, agreed=agreed
        )

    # ------------------------------------------------------------------ parts

    def _make_buttons(self, theme: Theme) -> None:
        self._said = label("", "problem", self, wrap=True)
        self._note = label("", "muted", self, wrap=True)
        self.cancel = button(tr("Cancel"), tr("Cancel run"), "", self)
        self.start = button(tr("Start run"), tr("Start run"), "primary", self)
        tint_button(self.start, "play", theme, primary=True)
        self.trust = label("", "value", self, wrap=True)
        self.trust.setProperty("tone", str(Family.NEEDS))
        self.trust.hide()
        self._enable_start()

    def _lay_out(self) -> None:
        form = QWidget(self)
        fields = QVBoxLayout(form)
        fields.setContentsMargins(0, 0, 8, 0)
        fields.setSpacing(12)
        for field in self.fields.values():
            fields.addWidget(field)
        fields.addWidget(label(tr("Outcome asked for (optional)"), "muted", form))
        fields.addWidget(self.outcome)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setWidget(form)
        form.setAutoFillBackground(False)
        area.viewport().setAutoFillBackground(False)
        area.setAccessibleName(tr("Inputs"))
        high = form.sizeHint().height() + 4
        area.setMinimumHeight(min(96, high))
        area.setMaximumHeight(min(340, high))
        feet = QHBoxLayout()
        feet.addWidget(self._note, 1)
        feet.addWidget(self.cancel)
        feet.addWidget(self.start)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(tr("Run {name}", name=one_line(self._loaded.workflow.name, 60)), "big", self))
        column.addWidget(area, 6)
        column.addWidget(rule(self))
        column.addWidget(label(tr("What will start, and where"), "heading", self))
        column.addWidget(self.commands, 1)
        column.addWidget(self.trust)
        column.addWidget(self._said)
        column.addLayout(feet)
        resize_within_screen(self, 720, min(720, 431 + 62 * len(self.fields)))

    def _connect(self) -> None:
        for field in self.fields.values():
            field.changed.connect(self._on_edited)
        self.outcome.textEdited.connect(self._on_edited)
        self.cancel.clicked.connect(self.reject)
        self.start.clicked.connect(self._on_start)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.activated.connect(self._on_keys)
        self._link.launch_previewed.connect(self._on_launch_previewed)
        self._link.run_launched.connect(self._on_run_launched)
        self._link.request_failed.connect(self._on_request_failed)

    # ------------------------------------------------------------------ events

    def show_no_start(self, why: str) -> None:
        """Why nothing can be started now; empty: it can. What was typed stays."""
        self._no_start = why
        self._enable_start()

    def _enable_start(self) -> None:
        can = self._preview is not None and not self._is_sent
        usual = tr("Ctrl+Enter, from any field")
        say_off(self.start, self._no_start, can=can, usual=usual, described=self.trust.text())

    def _on_edited(self) -> None:
        self._is_touched = True
        self._preview = None
        self._enable_start()
        self._ticket += 1
        self._check.start()

    def _ask_preview(self) -> None:
        self._ticket += 1
        self._preview = None
        self._show_trust(None)
        self._note.setText(tr("Checking…"))
        self._link.preview(self._ticket, self.request())

    def _on_launch_previewed(self, news: LaunchPreviewed) -> None:
        if news.ticket != self._ticket or self._is_sent:
            return
        self._note.setText("")
        if isinstance(news.result, Refusal):
            self._is_wanted = False
            self._show_refusal(news.result)
            return
        self._preview = news.result
        self._say("")
        for field in self.fields.values():
            field.show_problem("")
        self.commands.show_commands(news.result.commands, also_given(news.result))
        self._note.setText(self._summary(news.result))
        self._show_trust(news.result.trust)
        if self._is_wanted:
            self._is_wanted = False
            self._on_keys()

    def _summary(self, preview: LaunchPreview) -> str:
        count = tr.count("{n} agents", "{n} agent", len(preview.commands))
        asked = one_line(preview.outcome, 90)
        return f"{count} · {asked}" if asked else count

    def _show_trust(self, asked: TrustAsked | None) -> None:
        """What is asked at the first launch of a content from its folder (ruling 26)."""
        words = ""
        if asked is not None:
            words = self._changed or tr(
                "This workflow, as it is now, was never started from {folder}. Read above what it would start, and where: all of it may do there what you may do.",
                folder=one_line(asked.folder, 200),
            )
        self.trust.setText(words)
        self.trust.setVisible(asked is not None)
        self._enable_start()
        self.start.setText(tr("Trust and start") if asked is not None else tr("Start run"))

    def _on_keys(self) -> None:
        """Ctrl+Enter starts what was started before; what was not is read first, and started by its button."""
        if self._preview is not None and self._preview.trust is not None:
            self.commands.text.setFocus()
            self._say(tr("Read what would start, then press “Trust and start”."))
        else:
            self._on_start()

    def _on_start(self) -> None:
        if self._is_sent or self._no_start:
            return
        self._is_touched = True
        if self._preview is None:  # Ctrl+Enter came before the check: start once it has passed
            self._is_wanted = True
            return
        self._is_sent = True
        self._is_wanted = False
        self.start.setEnabled(False)
        self._note.setText(tr("Starting…"))
        self._link.launch(self.request())

    def _on_run_launched(self, news: RunLaunched) -> None:
        if not self._is_sent or news.request.path != self._loaded.path:
            return
        if isinstance(news.result, Refusal):
            self._is_sent = False
            if news.result.code is Code.E_UNTRUSTED:
                self._changed = one_line(in_words(news.result.message), 400)
                self._ask_preview()  # what would start is other by now: it is shown and asked anew
                return
            self._show_refusal(news.result)
            self._enable_start()
        else:
            self.accept()

    def _on_request_failed(self, news: RequestFailed) -> None:
        self._is_sent = self._is_wanted = False
        self._note.setText("")
        self._say(tr("{what} failed: {error}", what=news.what, error=in_words(news.error)))

    def _show_refusal(self, refusal: Refusal) -> None:
        named = {value for _, value in refusal.detail}
        field = next((f for name, f in self.fields.items() if name in named), None)
        self._note.setText("")
        if field is not None and not self._is_touched:
            self._note.setText(one_line(in_words(refusal.message), 200))  # nobody did anything wrong yet
        elif field is not None:
            field.show_problem(one_line(in_words(refusal.message), 400))
            self._say("")
        else:
            self._say(one_line(in_words(refusal.message), 1000))

    def _say(self, words: str) -> None:
        self._said.setText(words)
        self._said.setVisible(bool(words))

    def done(self, result: int) -> None:
        if result == QDialog.DialogCode.Rejected:
            values = {name: field.value() for name, field in self.fields.items()}
            self.typed.emit(Typed(values, self.outcome.text()))
        super().done(result)
