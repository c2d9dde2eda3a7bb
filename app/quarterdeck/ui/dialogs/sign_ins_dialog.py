"""Sign-ins…: the credentials list, what is remembered of sign-ins, and the form of one entry.

A key is typed into a field that hides it, leaves with the save and is gone from here; no field is ever filled with one.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.sign_ins import LOGIN_PREFIX, Credential, CredentialKind
from quarterdeck.engine.sign_ins import Saved, SignInsListed, SignInTested, Standing
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.parts import Choice, button, grow_with_words, label, resize_within_screen, rule, set_text
from quarterdeck.ui.present_sign_ins import entry_words, failure_words, source_words
from quarterdeck.ui.words import one_line

tr = Texts("SignInsDialog")

KINDS = {
    CredentialKind.API_KEY: tr.later("API key, in the keyring"),
    CredentialKind.OWN_LOGIN: tr.later("The program's own login"),
    CredentialKind.ENVIRONMENT: tr.later("Environment variable"),
}
NEW = tr.later("A new one…")
NAMES_W = 128
PLACEHOLDERS = {
    "program": "claude-code",
    "endpoint": "https://",
    "variable": "ANTHROPIC_API_KEY",
}


class SignInsDialog(QDialog):
    """Window-modal, opened with `open()`; it asks, and shows what comes back."""

    list_asked = Signal()
    saved = Signal(object)
    """(Credential, secret or None)."""
    removed = Signal(str)
    test_asked = Signal(str)
    signed_in = Signal(str)
    """A source, `login:KIND`."""

    def __init__(
        self, standing: Standing, clock: Callable[[], Moment], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Sign-ins"))
        self.setAccessibleName(tr("Sign-ins dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._clock = clock
        self._listed = SignInsListed()
        self._wanted = ""
        self._login = ""
        self._make_fields()
        self._lay_out()
        self._connect()
        self.show_standing(standing)
        self._show_entry()
        resize_within_screen(self, 600, 620)
        self.chosen.setFocus()

    # ------------------------------------------------------------------ parts

    def _make_fields(self) -> None:
        self.chosen, self.kind = Choice(self), Choice(self)
        self.chosen.addItem(NEW.now, "")
        for kind, words in KINDS.items():
            self.kind.addItem(shown(words), kind.value)
        self.name, self.program, self.endpoint = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.variable, self.account, self.key = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        for part, name in (
            (self.chosen, tr("Sign-in")),
            (self.kind, tr("Kind of sign-in")),
            (self.name, tr("Name of the sign-in")),
            (self.program, tr("Program or provider")),
            (self.endpoint, tr("Endpoint")),
            (self.variable, tr("Variable")),
            (self.account, tr("Account")),
            (self.key, tr("Key")),
        ):
            part.setAccessibleName(name)
        for line, example in (
            (self.program, "program"),
            (self.endpoint, "endpoint"),
            (self.variable, "variable"),
        ):
            line.setPlaceholderText(PLACEHOLDERS[example])

    def _lay_out(self) -> None:
        self.standing = label("", "problem", self, wrap=True)
        self.again = button(tr("I signed in again"), tr("I signed in again"), "", self)
        self.again.hide()
        self.state = label("", "muted", self, wrap=True)
        self.keeper = label("", "muted", self, wrap=True)
        self.said = label("", "", self, wrap=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 18)
        column.setSpacing(8)
        column.addWidget(label(tr("Sign-ins"), "big", self))
        about = tr(
            "What agents sign in with. A workflow names an entry in “credential”; its key is never in a file of ours."
        )
        column.addWidget(label(about, "muted", self, wrap=True))
        column.addWidget(self.standing)
        column.addWidget(self.again, 0, Qt.AlignmentFlag.AlignLeft)
        column.addLayout(self._row("", self.chosen))
        column.addWidget(self.state)
        column.addWidget(rule(self))
        for words, field in (
            (tr("Name"), self.name),
            (tr("Kind"), self.kind),
            (tr("Program"), self.program),
            (tr("Endpoint"), self.endpoint),
            (tr("Variable"), self.variable),
            (tr("Account"), self.account),
            (tr("Key"), self.key),
        ):
            column.addLayout(self._row(words, field))
        column.addWidget(self.keeper)
        column.addWidget(self.said)
        column.addStretch(1)
        column.addLayout(self._feet())

    def _row(self, words: str, field: QWidget) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(16)
        if words:
            name = label(words, "muted", self)
            name.setFixedWidth(NAMES_W)
            name.setBuddy(field)
            row.addWidget(name)
        row.addWidget(field, 1)
        return row

    def _feet(self) -> QHBoxLayout:
        self.remove = button(tr("Remove"), tr("Remove sign-in"), "danger", self)
        self.test = button(tr("Test"), tr("Test sign-in"), "", self)
        self.save = button(tr("Save"), tr("Save sign-in"), "primary", self)
        self.shut = button(tr("Close"), tr("Close sign-ins"), "", self)
        feet = QHBoxLayout()
        feet.addWidget(self.remove)
        feet.addStretch(1)
        for made in (self.test, self.save, self.shut):
            feet.addWidget(made)
        return feet

    def _connect(self) -> None:
        self.chosen.activated.connect(self._show_entry)
        self.kind.activated.connect(self._follow_kind)
        self.save.clicked.connect(self._on_save)
        self.test.clicked.connect(self._on_test)
        self.remove.clicked.connect(self._on_remove)
        self.again.clicked.connect(self._on_again)
        self.shut.clicked.connect(self.reject)

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            grow_with_words(self)
        return done

    # ------------------------------------------------------------------ news

    def show_list(self, listed: SignInsListed) -> None:
        """The list was read."""
        self._listed = listed
        wanted = self._wanted or str(self.chosen.currentData() or "")
        self.chosen.clear()
        for one in listed.entries:
            self.chosen.addItem(one_line(one.credential.name, 80), one.credential.name)
        self.chosen.addItem(NEW.now, "")
        place = self.chosen.findData(wanted) if wanted else 0
        self.chosen.setCurrentIndex(max(0, place))
        keeps = tr("Keys are kept in {keyring}.", keyring=listed.keyring)
        set_text(self.keeper, keeps if listed.keyring else in_words(listed.keyring_words))
        if listed.fault:
            set_text(self.said, in_words(listed.fault))
        self._wanted = ""
        self._show_entry()

    def show_saved(self, done: Saved) -> None:
        """An entry was saved or removed, or was not."""
        set_text(self.said, in_words(done.fault) or f"{tr('Done.')} {in_words(done.words)}".strip())
        if not done.fault:
            self.key.clear()
            self._wanted = done.name
            self.list_asked.emit()

    def show_tested(self, tested: SignInTested) -> None:
        """A test came back."""
        verdict = {
            True: tr("The test passed."),
            False: tr("The test failed."),
            None: tr("The test proved nothing."),
        }
        set_text(self.said, f"{verdict[tested.passed]} {in_words(tested.words)}")

    def show_standing(self, standing: Standing) -> None:
        """What is remembered of sign-ins, as it stands."""
        set_text(self.standing, failure_words(standing.remembered, self._clock(), on_page=True))
        self.standing.setVisible(bool(standing.remembered))
        logins = [one.use.source for one in standing.remembered if one.use.source.startswith(LOGIN_PREFIX)]
        self._login = logins[0] if logins else ""
        self.again.setVisible(bool(self._login))
        if self._login:
            set_text(self.again, tr("I signed in again: {name}", name=source_words(self._login)))

    # ------------------------------------------------------------------ the form

    def _show_entry(self) -> None:
        name = str(self.chosen.currentData() or "")
        found = next((one for one in self._listed.entries if one.credential.name == name), None)
        entry = found.credential if found is not None else Credential("")
        for line, text in (
            (self.name, entry.name),
            (self.program, entry.program),
            (self.endpoint, entry.endpoint),
            (self.variable, entry.variable),
            (self.account, entry.account),
            (self.key, ""),
        ):
            line.setText(text)
        self.kind.setCurrentIndex(list(KINDS).index(entry.kind))
        set_text(self.state, entry_words(found) if found is not None else "")
        self.state.setVisible(found is not None)
        self.name.setReadOnly(found is not None)
        for made in (self.test, self.remove):
            made.setEnabled(found is not None)
        self._follow_kind()

    def _follow_kind(self) -> None:
        takes_key = self._kind is CredentialKind.API_KEY
        self.key.setEnabled(takes_key)
        is_known = bool(self.chosen.currentData())
        self.key.setPlaceholderText(tr("empty: the one that is kept stays") if takes_key and is_known else "")

    @property
    def _kind(self) -> CredentialKind:
        return CredentialKind(str(self.kind.currentData()))

    def _on_save(self) -> None:
        entry = Credential(
            self.name.text().strip(),
            self._kind,
            self.program.text().strip(),
            self.endpoint.text().strip(),
            self.variable.text().strip(),
            self.account.text().strip(),
        )
        typed = self.key.text().strip() if self._kind is CredentialKind.API_KEY else ""
        set_text(self.said, "")
        self.saved.emit((entry, typed or None))

    def _on_test(self) -> None:
        set_text(self.said, tr("Asking…"))
        self.test_asked.emit(str(self.chosen.currentData()))

    def _on_remove(self) -> None:
        self.removed.emit(str(self.chosen.currentData()))

    def _on_again(self) -> None:
        self.signed_in.emit(self._login)
