"""Spend as CSV for a spreadsheet, and two runs side by side. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

from quarterdeck.domain.moment import Moment, iso_utc
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.spend_rows import HOUR_MS, SpendRow
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import RunView
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.badges import badge_of_slot
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_cards import waited_ms
from quarterdeck.ui.present_money import run_money, slot_money
from quarterdeck.ui.run_time import ran_text
from quarterdeck.ui.silence import run_badge_at
from quarterdeck.ui.words import (
    day_text,
    duration_text,
    one_line,
    short_id,
    time_text,
    tokens_text,
)

tr = Texts("SpendExport")

HEADINGS = (
    "hour_utc",
    "run",
    "workflow",
    "agent",
    "agent_kind",
    "model",
    "turns",
    "cost_usd",
    "complete",
    "source",
)
NAMES_SHOWN_MAX = 40


def spend_csv(rows: Iterable[SpendRow]) -> str:
    """One line a row, amounts exact, an unknown one empty. Text that a spreadsheet would run is written behind a `'`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(HEADINGS)
    for row in sorted(rows, key=lambda r: (r.hour, r.run, r.agent, r.model)):
        words = (row.run, row.workflow, row.agent, row.agent_kind, row.model)
        amount = usd_text(row.cost_usd) or ""
        complete = "yes" if row.complete else "no"
        writer.writerow(
            [iso_utc(row.hour * HOUR_MS), *map(_harmless, words), row.turns, amount, complete, row.source]
        )
    return out.getvalue()


def _harmless(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


@dataclass(frozen=True, slots=True)
class Compared:
    """One fact of two runs."""

    key: str
    left: str
    right: str
    is_name: bool = False
    """Which run it is; two runs always differ there."""

    @property
    def differs(self) -> bool:
        """Whether the two say something else."""
        return self.left != self.right


def compare(
    left: RunView, right: RunView, waits: tuple[tuple[Wait, ...], tuple[Wait, ...]], now: Moment
) -> tuple[Compared, ...]:
    """Two runs, fact by fact; then each agent that either has, by its title."""
    facts = [dict(_facts(view, asked, now)) for view, asked in zip((left, right), waits, strict=True)]
    names = list(dict.fromkeys([*facts[0], *facts[1]]))
    return tuple(
        Compared(name, facts[0].get(name, "–"), facts[1].get(name, "–"), place == 0)
        for place, name in enumerate(names)
    )


def _facts(view: RunView, waits: tuple[Wait, ...], now: Moment) -> Iterable[tuple[str, str]]:
    badge = run_badge_at(view, now)
    tokens = view.tokens
    sent = tokens.input_tokens + tokens.cache_read_tokens + tokens.cache_write_tokens
    yield tr("Run"), short_id(view.run_id)
    yield tr("State"), f"{badge.word} · {one_line(in_words(view.reason), 120)}" if view.reason else badge.word
    yield tr("Started"), f"{day_text(view.started_at, now)} {time_text(view.started_at)}"
    yield tr("Time"), ran_text(view, now)
    yield tr("Waited for you"), duration_text(waited_ms(waits, now))
    yield tr("Turns"), f"{view.turns:,}"
    yield (
        tr("Tokens"),
        tr(
            "{sent} in · {got} out",
            sent=tokens_text(sent),
            got=tokens_text(tokens.output_tokens),
        ),
    )
    yield tr("Spend"), run_money(view)
    yield (
        tr("Agents done"),
        tr(
            "{done} of {count}",
            done=sum(s.state is SlotState.DONE for s in view.slots),
            count=len(view.slots),
        ),
    )
    yield tr("Attempts"), str(sum(len(s.attempts) for s in view.slots))
    yield tr("Workflow"), f"{one_line(view.workflow_name, 60)} · {view.pins.workflow[:8]}"
    yield tr("Asked for"), one_line(view.outcome_asked, 200)
    yield tr("Inputs"), view.pins.package[:8]
    yield tr("Agents as pinned"), view.pins.binding[:8]
    for slot in view.slots[:NAMES_SHOWN_MAX]:
        attempts = tr.count("{n} attempts", "{n} attempt", len(slot.attempts))
        cost = slot_money(slot) or "–"
        yield one_line(slot.title, 60), f"{badge_of_slot(slot).word} · {attempts} · {cost}"
