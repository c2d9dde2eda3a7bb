"""What a person who looks elsewhere should hear: from one state of the window to the next, and several said as one. Pure.

A run is told about once for each kind of event, however many of its agents it concerns (case 125), and its end only when
the end is recorded (case 127). What was there when the window opened is no news.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.present import WindowFacts
from quarterdeck.ui.present_runs import RunRow
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import count_text

LISTED_MAX = 4


class NewsKind(StrEnum):
    """Most urgent first."""

    NEEDS = "needs you"
    FAILED = "failed"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class News:
    """One event of one run."""

    kind: NewsKind
    run_id: RunId
    name: str
    word: str


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
    asking = dict.fromkeys(w.run_id for w in now.waiting if w.request_id not in asked_before)
    told = [_news(NewsKind.NEEDS, rows[run], "needs you") for run in asking if run in rows]
    live_before = {row.run_id for row in before.run_rows if row.is_live}
    known_before = {row.run_id for row in before.run_rows}
    for run, row in rows.items():
        has_ended = not row.is_live and (run in live_before or run not in known_before)
        if has_ended and row.badge is not None and known_before:
            kind = NewsKind.FAILED if row.badge.family is Family.FAILED else NewsKind.ENDED
            told.append(_news(kind, row, row.badge.word.lower()))
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
        return Notice(f"{each[0].name} {each[0].word}", "Quarterdeck", kind)
    ordered = sorted(each, key=lambda n: kinds.index(n.kind))
    lines = [f"{n.name} {n.word}" for n in ordered[:LISTED_MAX]]
    if len(ordered) > LISTED_MAX:
        lines.append(f"and {count_text(len(ordered) - LISTED_MAX, 'more', 'more')}")
    return Notice(_heading(ordered), "\n".join(lines), kind)


def _heading(news: Sequence[News]) -> str:
    counts = [(kind, sum(n.kind is kind for n in news)) for kind in NewsKind]
    words = [
        f"{count_text(count, 'run', 'runs')} {'need' if kind is NewsKind.NEEDS and count > 1 else ''}"
        f"{' you' if kind is NewsKind.NEEDS and count > 1 else str(kind)}"
        for kind, count in counts
        if count
    ]
    return ", ".join(words)


def _news(kind: NewsKind, row: RunRow, word: str) -> News:
    assert row.run_id is not None
    return News(kind, row.run_id, f"{row.workflow_name}, run {row.letter or row.short}", word)
