"""The lookup itself, the table of what domain and engine say, and that every text can be found and translated."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

from quarterdeck.domain import shown, states
from quarterdeck.ui import language, translators
from quarterdeck.ui.badges import badge_of_word
from quarterdeck.ui.domain_words import VALUES, WHOLE
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.pseudo import pseudo

TOP = Path(__file__).resolve().parents[2]
APP = TOP / "app" / "quarterdeck"
HOLE = "\0"

NOT_SHOWN = {
    "domain/errors.py": "an illegal transition is our bug; it goes to the log",
    "domain/moment.py": "a fault of a file",
    "domain/permissions.py": "options as agents spell them; the one of ours is looked up on its card",
    "domain/show.py": "keys of JSON",
}
"""Modules of the domain whose sentences no window shows."""
FRAGMENTS = {
    "not started",
    "only a running agent can be paused",
    "only a paused agent can go on",
    "there is nothing to stop",
    "cannot start: the run is being stopped.",
    "cannot start by itself: the run is over.",
    "cannot start: the run is complete or was discarded.",
    "waits for an answer, not for an agent.",
    "cannot start yet: what it depends on is not done.",
    "has no agent.",
    "was re-opened again since; use the newest re-opening.",
    "waits for a person: re-open it first.",
    f"is {HOLE}.",
    f"{HOLE} is {HOLE}; {HOLE}.",
    f"{HOLE} (was paused)",
    f"{HOLE}; stopped before its next try",
}
"""Parts of sentences: the whole ones stand in the table, or `in_words` puts them together."""


class Echo(QTranslator):
    """Answers with the context, the text and the number, so that a test sees what was asked."""

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, text: str, note: str | None = None, n: int = -1) -> str:
        return f"{context}|{text}|{n}"


@pytest.fixture
def echo(qapp: QApplication) -> Iterator[None]:
    translator = Echo(qapp)
    QCoreApplication.installTranslator(translator)
    language.forget()
    yield
    translators.remove((translator,))


@pytest.fixture(scope="module")
def finder() -> ModuleType:
    """`packaging/translations.py`, which is no part of the product."""
    place = TOP / "packaging" / "translations.py"
    spec = importlib.util.spec_from_file_location("translations", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["translations"] = module
    spec.loader.exec_module(module)
    return module


# ------------------------------------------------------------------ the lookup


def test_without_a_translation_the_source_is_shown_with_its_placeholders_filled() -> None:
    tr = language.Texts("Somewhere")
    assert tr("Run {letter} has ended", letter="{A}") == "Run {A} has ended"
    assert tr("{title} and {text} are filled in.") == "{title} and {text} are filled in."
    assert [tr.count("{n} runs", "{n} run", n) for n in (0, 1, 2, 4096)] == [
        "0 runs",
        "1 run",
        "2 runs",
        "4,096 runs",
    ]


def test_a_text_is_looked_up_by_context_source_and_number(echo: None) -> None:
    tr = language.Texts("Somewhere")
    assert tr("Run {letter}", letter="A") == "Somewhere|Run A|-1"
    assert tr.count("{n} runs", "{n} run", 3) == "Somewhere|3 runs|3"
    assert tr.later("State").now == "Somewhere|State|-1"


def test_a_table_made_before_the_language_is_known_is_translated_when_it_is_shown(echo: None) -> None:
    assert badge_of_word("Running").word == "States|Running|-1"
    assert badge_of_word("Running").state == "Running"


def test_a_translation_with_a_wrong_placeholder_shows_the_source() -> None:
    assert language.filled("{wrong} läuft", "{agent} runs", {"agent": "Lint"}) == "Lint runs"
    assert language.filled("{agent läuft", "{agent} runs", {"agent": "Lint"}) == "Lint runs"


def test_the_pseudo_locale_keeps_placeholders_and_is_a_third_longer() -> None:
    made = pseudo("Run {letter} has ended, %1 <b>now</b>")
    assert all(part in made for part in ("{letter}", "%1", "<b>", "</b>"))
    assert made.startswith("[")
    assert made.endswith("]")
    assert len(made) >= 1.2 * len("Run {letter} has ended, %1 <b>now</b>")
    assert pseudo("") == ""


def test_english_is_always_there_and_an_unknown_language_is_english(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(translators.VARIABLE, raising=False)
    assert "en" in translators.languages()
    installed = translators.install(qapp, "tlh")
    try:
        assert language.Texts("Badges").count("{n} runs", "{n} run", 1) == "1 run"
    finally:
        translators.remove(installed)


# ------------------------------------------------------------------ what domain and engine say


def _skeleton(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(str(v.value) if isinstance(v, ast.Constant) else HOLE for v in node.values)


def _sentences(room: str) -> Iterator[tuple[str, str]]:
    """(place, text with holes) of everything with a space in it that is neither a docstring nor raised nor logged."""
    for path in sorted((APP / room).rglob("*.py")):
        place = str(path.relative_to(APP))
        if place in NOT_SHOWN:
            continue
        yield from (
            (f"{place}:{node.lineno}", _skeleton(node))
            for node in _spoken(ast.parse(path.read_text("utf-8")))
        )


def _spoken(node: ast.AST) -> Iterator[ast.JoinedStr | ast.Constant]:
    match node:
        case ast.Raise() | ast.Expr(value=ast.Constant()):
            return
        case ast.JoinedStr():
            if re.search("[a-z]{2}", _skeleton(node)) and " " in _skeleton(node):
                yield node
            for value in node.values:
                yield from _spoken(value) if isinstance(value, ast.FormattedValue) else ()
            return
        case ast.Constant(value=str(text)) if " " in text.strip() and re.search("[a-z]{2}", text):
            yield node
        case _:
            pass
    for child in ast.iter_child_nodes(node):
        yield from _spoken(child)


def test_every_sentence_of_the_domain_stands_in_the_table() -> None:
    known = {re.sub(r"\{\w+\}", HOLE, text) for text in WHOLE} | FRAGMENTS
    known |= {word for word in _shown_words() if " " in word}
    missing = [(place, text) for place, text in _sentences("domain") if text not in known]
    assert not missing, "\n".join(f"{place}: {text!r}" for place, text in missing)


def _shown_words() -> set[str]:
    """The words of slots, as the domain's source has them."""
    tree = ast.parse(Path(shown.__file__).read_text("utf-8"))
    return {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def test_every_word_of_a_slot_has_a_badge_of_its_own() -> None:
    words = {w for w in _shown_words() if re.fullmatch(r"[A-Z][a-z-]+(,? [a-z]+)*", w)}
    assert {"Running", "Needs you", "Re-opened, waiting to start"} <= words
    assert not [w for w in words if badge_of_word(w).icon == "info"]


def test_every_value_of_the_state_enumerations_stands_in_the_table() -> None:
    kinds = (
        states.Phase, states.Outcome, states.SlotState, states.AttemptStatus, states.LeaseStatus,
        states.EffectState, states.Evidence,
    )  # fmt: skip
    values = {
        str(value.value).replace("_", " ") for kind in kinds for value in kind if isinstance(value, Enum)
    }
    assert values <= set(map(str, VALUES))


def test_no_text_of_the_table_stands_there_without_a_source() -> None:
    rooms = ("domain", "engine", "store")
    sources = {text for room in rooms for _, text in _sentences(room)}
    whole = "\n".join(path.read_text("utf-8") for room in rooms for path in (APP / room).rglob("*.py"))
    stale = []
    for text in WHOLE:
        if text in VALUES or re.sub(r"\{\w+\}", HOLE, text) in sources:
            continue
        pieces = [p.strip(" .;()") for p in re.split(r"\{\w+\}", text) if len(p.strip(" .;()")) > 3]
        if not all(piece in whole for piece in pieces):
            stale.append(text)
    assert not stale


def test_what_the_domain_says_is_found_with_its_parts(echo: None) -> None:
    language.forget()
    assert in_words("app closed") == "Reasons|app closed|-1"
    assert in_words("exit 3") == "Reasons|exit 3|-1"
    assert in_words("Lint: exit 3") == "Lint: Reasons|exit 3|-1"
    two = in_words("exit 3; the retries for its credential are used up")
    assert two == "Reasons|exit 3|-1; Reasons|the retries for its credential are used up|-1"
    assert in_words("app closed (was paused)") == "Reasons|app closed|-1 (Reasons|was paused|-1)"
    assert in_words("Writer has an agent already.") == "Reasons|Writer has an agent already.|-1"
    assert in_words("HTTP 529 from the service") == "HTTP 529 from the service"


# ------------------------------------------------------------------ finding and compiling


def test_every_text_is_a_literal_with_the_placeholders_of_its_other_form(finder: ModuleType) -> None:
    found = finder.texts()
    assert len(found) > 800
    for text in found:
        assert text.text.strip() == text.text, text
        if text.one:
            assert set(re.findall(r"\{\w+\}", text.one)) <= set(re.findall(r"\{\w+\}", text.text)), text


def test_a_text_that_is_no_literal_is_named(finder: ModuleType, tmp_path: Path) -> None:
    place = tmp_path / "wrong.py"
    place.write_text('tr = Texts("Wrong")\ntr(f"Run {letter}")\n', "utf-8")
    with pytest.raises(finder.NotFound, match=r"wrong\.py:2"):
        finder.texts(tmp_path)


def test_the_english_forms_are_up_to_date(finder: ModuleType) -> None:
    """Else: .venv/bin/python packaging/translations.py"""
    file = (TOP / "resources" / "translations" / "quarterdeck_en.ts").read_text("utf-8")
    plural = {(text.context, text.text) for text in finder.texts() if text.one}
    assert file.count("<message") == len(plural)
    assert (TOP / "resources" / "translations" / "quarterdeck_en.qm").stat().st_size > 1000


def test_a_new_language_is_begun_translated_compiled_and_shown(
    finder: ModuleType, tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = finder.update("de", finder.texts(), tmp_path)
    text = source.read_text("utf-8")
    assert text.count("<message") == len({(t.context, t.text, t.one) for t in finder.texts()})
    done = text.replace(
        '<source>Running</source>\n        <translation type="unfinished"></translation>',
        "<source>Running</source>\n        <translation>Läuft</translation>",
    )
    assert done != text
    source.write_text(done, "utf-8")
    finder.compile_(source)
    monkeypatch.delenv(translators.VARIABLE, raising=False)
    monkeypatch.setattr(translators, "folder", lambda: tmp_path)
    before = translators.QLocale()
    installed = translators.install(qapp, "de")
    try:
        assert translators.languages() == ("de", "en")
        assert badge_of_word("Running").word == "Läuft"
        assert badge_of_word("Waiting").word == "Waiting"
    finally:
        translators.remove(installed)
        translators.QLocale.setDefault(before)


def test_a_foreign_text_of_any_length_is_shown_as_it_is_and_looked_through_no_further() -> None:
    """Cases 94, 126: an agent's own error of 64 KB, with a thousand colons or semicolons, on the window's thread."""
    for piece in ("a: ", "a; ", "x"):
        text = piece * (65_536 // len(piece))
        assert in_words(text) == text
    short = "a; " * 300
    assert in_words(short) == short
    assert in_words("Lint: Deploy: exit 1") == "Lint: Deploy: exit 1"
