"""Words in the person's language: every text that the window shows is looked up here, by its English source.

A module that shows text says once which context its words belong to, and asks with literals, so that
`packaging/translations` finds them:

    tr = Texts("Runs")
    tr("Run {letter} has ended", letter=row.letter)
    tr.count("{n} runs", "{n} run", count)
    HEADINGS = tr.later("Run"), tr.later("State")      # translated when it is shown, not when it is imported

Names of people's things, ids, paths and what agents print are put in for placeholders and are never looked up.
A sentence is one text with placeholders, never joined from parts. Without a translation the source is shown, so English
needs no file. What is installed when is `ui/translators.py`.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

_generation = [0]
"""Rises with every change of language, so that nothing looked up before stays."""


class Later(str):
    """An English text that knows its context. As a `str` it is its source; `now` is what is shown."""

    __slots__ = ("context",)
    context: str

    def __new__(cls, text: str, context: str) -> Later:
        made = super().__new__(cls, text)
        made.context = context
        return made

    @property
    def now(self) -> str:
        """In the language in force."""
        return QCoreApplication.translate(self.context, str(self))


class Texts:
    """The texts of one context, which is what translators see them grouped by."""

    def __init__(self, context: str) -> None:
        self.context = context
        self._found: dict[str, str] = {}
        self._generation = 0

    def __call__(self, text: str, **parts: object) -> str:
        """The text in the language in force, with its placeholders filled. Numbers come formatted."""
        found = self.find(text)
        return filled(found, text, parts) if parts else found

    def count(self, many: str, one: str, n: int, **parts: object) -> str:
        """A text that depends on a number, which stands in it as `{n}` with its thousands grouped.

        `many` and `one` are the English forms. A language has as many forms as it needs, in its translation.
        """
        source = one if n == 1 else many
        found = QCoreApplication.translate(self.context, many, one, n)
        parts = {"n": f"{n:,}", **parts}
        return filled(source if found == many else found, source, parts)

    def later(self, text: str) -> Later:
        """For tables that are made before a language is known."""
        return Later(text, self.context)

    def find(self, text: str) -> str:
        """A source text that stands in a table of marked ones, translated; unknown ones come back as they are."""
        if self._generation != _generation[0]:
            self._found.clear()
            self._generation = _generation[0]
        found = self._found.get(text)
        if found is None:
            found = self._found[text] = QCoreApplication.translate(self.context, text)
        return found


def filled(text: str, source: str, parts: dict[str, object]) -> str:
    """A text with its placeholders filled; the source where a translation names one that is not there."""
    try:
        return text.format(**parts)
    except (KeyError, IndexError, ValueError):
        return source.format(**parts)


def shown(text: str) -> str:
    """A text that may be one of a table: translated if it is, else as it is."""
    return text.now if isinstance(text, Later) else text


def forget() -> None:
    """The language has changed: everything is looked up anew."""
    _generation[0] += 1


def generation() -> int:
    """How often the language has changed."""
    return _generation[0]
