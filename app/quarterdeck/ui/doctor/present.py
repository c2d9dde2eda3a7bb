"""What the doctor found, as rows for the page and as text for the clipboard. Pure; no Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quarterdeck.engine.doctor.findings import Examination, Finding, Health, Part
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line

tr = Texts("Doctor")

STATES: Mapping[Health, tuple[str, str, Family]] = {
    Health.FINE: (tr.later("fine"), "circle-check", Family.DONE),
    Health.NOTE: (tr.later("to know"), "info", Family.NEEDS),
    Health.BROKEN: (tr.later("broken"), "circle-alert", Family.FAILED),
    Health.UNCHECKED: (tr.later("not checked"), "circle-question-mark", Family.NEUTRAL),
}
"""{health: (its word, its sign, its colours)}."""
SAID_MAX = 1_000
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One finding as it is shown; all in the person's language."""

    title: str
    state: str
    sign: str
    family: Family
    said: str
    to_do: str

    @property
    def accessible(self) -> str:
        """The whole row, as it is read aloud."""
        return ". ".join(part.rstrip(".") for part in (self.title, self.state, self.said, self.to_do) if part)


def rows_of(examination: Examination) -> tuple[FindingRow, ...]:
    """In the order in which it was found."""
    return tuple(_row(one) for one in examination.findings)


def in_sentences(text: str) -> str:
    """The text in the person's language; where it is not known as a whole, each of its sentences that is."""
    whole = in_words(text)
    return whole if whole != text else " ".join(map(in_words, _SENTENCE_END.split(text)))


def _row(finding: Finding) -> FindingRow:
    word, sign, family = STATES[finding.health]
    return FindingRow(
        one_line(in_words(finding.title), 80),
        shown(word),
        sign,
        family,
        one_line(in_sentences(finding.said), SAID_MAX),
        one_line(in_words(finding.to_do), SAID_MAX),
    )


def summary(part: Part, result: Examination | str) -> str:
    """One sentence about a part."""
    if isinstance(result, str):
        return one_line(in_words(result), SAID_MAX)
    broken = sum(one.health is Health.BROKEN for one in result.findings)
    if broken:
        return tr.count("{n} things are broken.", "{n} thing is broken.", broken)
    unchecked = sum(one.health is Health.UNCHECKED for one in result.findings)
    if part is Part.TRUST and not unchecked:
        return tr("All three promises hold on this computer.")
    return tr("Nothing is broken.")


def as_text(rows: Iterable[FindingRow]) -> str:
    """For the clipboard, one finding a line."""
    return "\n".join(row.accessible for row in rows)
