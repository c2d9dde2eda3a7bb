"""What a person who looks elsewhere should hear: from one state of the window to the next, and several said as one. Pure.

A run is told about once for each kind of event, however many of its agents it concerns (case 125), and its end only when
the end is recorded (case 127). What was there when the window opened is no news.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present import WindowFacts
from quarterdeck.ui.present_asking import Waiting
from quarterdeck.ui.present_runs import RunRow
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import one_line

tr = Texts("News")

LISTED_MAX = 4


class NewsKind(StrEnum):
    """Most urgent first."""

    NEEDS = "needs you"
    FAILED = "failed"
    LIMIT = "limit"
    """80 % of a limit of spending is gone."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class News:
    """One event of one run."""

    kind: NewsKind
    run_id: RunId
    name: str
    word: str
    more: str = ""
    """Who asks what, on one line."""

    @property
    def line(self) -> str:
        """In words: which run, and what happened to it."""
        return tr("{run} {what}", run=self.name, what=self.word)


@dataclass(frozen=True, slots=True)
class Notice:
    """What is shown outside the window."""

    title: str
    text: str
    kind: NewsKind


def news_between(before: WindowFacts | None, now: WindowFacts) -> tuple[News, ...]:
    """What happened between two states; nothing where there is no earlier one."""
    if before is None:
        return ()
    rows = {row.run_id: row for row in now.run_rows if row.run_id is not None}
    asked_before = {w.request_id for w in before.waiting}
    asking: dict[RunId, list[Waiting]] = {}
    for asked in now.waiting:
        if asked.request_id not in asked_before:
            asking.setdefault(asked.run_id, []).append(asked)
    told = [
        _news(NewsKind.NEEDS, rows[run], tr("needs you"), _asked(questions))
        for run, questions in asking.items()
        if run in rows
    ]
    near_before = {near.key for near in before.nearly}
    nearing = dict.fromkeys(near.run_id for near in now.nearly if near.key not in near_before)
    told += [
        _news(NewsKind.LIMIT, rows[run], tr("has nearly spent a limit")) for run in nearing if run in rows
    ]
    live_before = {row.run_id for row in before.run_rows if row.is_live}
    known_before = {row.run_id for row in before.run_rows}
    for run, row in rows.items():
        has_ended = not row.is_live and (run in live_before or run not in known_before)
        if has_ended and row.badge is not None and known_before:
            kind = NewsKind.FAILED if row.badge.family is Family.FAILED else NewsKind.ENDED
            why = row.moment if kind is NewsKind.FAILED else ""
            told.append(_news(kind, row, row.badge.inner, why))
    return tuple(told)


def joined(news: Sequence[News]) -> Notice | None:
    """One notice for all of them; None for none. One event kind of one run counts once."""
    once = list(dict.fromkeys((n.kind, n.run_id) for n in news))
    if not once:
        return None
    last = {(n.kind, n.run_id): n for n in news}
    each = [last[key] for key in once]
    kinds = list(NewsKind)
    kind = min((n.kind for n in each), key=kinds.index)
    if len(each) == 1:
        return Notice(each[0].line, each[0].more or "Quarterdeck", kind)
    ordered = sorted(each, key=lambda n: kinds.index(n.kind))
    lines = [n.line for n in ordered[:LISTED_MAX]]
    if len(ordered) > LISTED_MAX:
        lines.append(tr("and {count} more", count=f"{len(ordered) - LISTED_MAX:,}"))
    return Notice(_heading(ordered), "\n".join(lines), kind)


def _heading(news: Sequence[News]) -> str:
    counts = [(kind, sum(n.kind is kind for n in news)) for kind in NewsKind]
    return ", ".join(_counted(kind, count) for kind, count in counts if count)


def _counted(kind: NewsKind, count: int) -> str:
    match kind:
        case NewsKind.NEEDS:
            return tr.count("{n} runs need you", "{n} run needs you", count)
        case NewsKind.FAILED:
            return tr.count("{n} runs failed", "{n} run failed", count)
        case NewsKind.LIMIT:
            return tr.count("{n} runs near a limit", "{n} run near a limit", count)
        case NewsKind.ENDED:
            return tr.count("{n} runs ended", "{n} run ended", count)


def _asked(questions: Sequence[Waiting]) -> str:
    """`Repo researcher asks: git push?`, and how many more."""
    first = questions[0]
    said = tr("{who} asks: {question}", who=one_line(first.title, 60), question=one_line(first.question, 160))
    if len(questions) > 1:
        said = tr("{said} (and {count} more)", said=said, count=f"{len(questions) - 1:,}")
    return said


def _news(kind: NewsKind, row: RunRow, word: str, more: str = "") -> News:
    assert row.run_id is not None
    return News(
        kind,
        row.run_id,
        tr("{workflow}, run {run}", workflow=row.workflow_name, run=row.letter or row.short),
        word,
        more,
    )
