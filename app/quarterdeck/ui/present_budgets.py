"""Limits of spending as a person reads them: how much of one is gone, what was warned of, and what may be raised. Pure.

The warning at 80 % is the journal's (ruling 12); the share that is shown is that of now, so that it agrees with the cost
beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from quarterdeck.domain.budget import WARN_SHARE
from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.money import EXACT
from quarterdeck.domain.views import AttemptView, RunView, SlotView, WarnedView
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_money import attempt_money, run_money
from quarterdeck.ui.words import duration_text, money_text, one_line

tr = Texts("PresentBudgets")


@dataclass(frozen=True, slots=True)
class Nearly:
    """A limit of a live run of which most is spent now, and of which that was said."""

    run_id: RunId
    slot_id: SlotId | None
    """Whose limit; None is the run's own."""
    title: str
    """The agent's; empty for the run."""
    limit_usd: Decimal
    spent: str
    share: str
    said: str = ""
    """What was said where it is a limit that this run shares with others: the amounts are those of then."""

    @property
    def key(self) -> tuple[RunId, SlotId | None, Decimal]:
        """One for each limit: a raised one is another."""
        return self.run_id, self.slot_id, self.limit_usd

    @property
    def words(self) -> str:
        """`82 % of its limit is spent: $4.10 of $5.00`."""
        if self.said:
            return self.said
        limit = money_text(self.limit_usd)
        return tr(
            "{share} of its limit is spent: {spent} of {limit}",
            share=self.share,
            spent=self.spent,
            limit=limit,
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that a person may raise."""

    run_id: RunId
    slot_id: SlotId | None
    title: str
    """Of the agent; empty for the run."""
    limit_usd: Decimal
    spent: str


def nearly_spent(view: RunView) -> Iterator[Nearly]:
    """Limits of a live run that were warned of, still stand, and are nearly or wholly spent."""
    if not view.is_live or not view.warned:
        return
    slots = {slot.slot_id: slot for slot in view.slots}
    for said in view.warned:
        if said.shared not in (None, Shared.RUN):
            share = share_text(said.spent_usd, said.limit_usd)
            words = warned_words(said)
            yield Nearly(view.run_id, None, "", said.limit_usd, money_text(said.spent_usd), share, words)
            continue
        slot = slots.get(said.slot_id) if said.slot_id is not None else None
        limit, spent, words = _standing(view, slot)
        if limit == said.limit_usd and spent is not None and _is_nearly(spent, limit):
            title = one_line(slot.title, 60) if slot is not None else ""
            yield Nearly(view.run_id, said.slot_id, title, limit, words, share_text(spent, limit))


def unpriced(view: RunView) -> Iterator[tuple[SlotView, str]]:
    """Agents of a live run whose cost nobody knows, and what that means for their limits, in words (case 88)."""
    if not view.is_live:
        return
    for slot in view.slots:
        last = slot.attempts[-1] if slot.attempts else None
        if last is not None and last.ended_at is None and last.figures.is_unpriced:
            yield slot, acting_words(last)


def acting_words(attempt: AttemptView) -> str:
    """Which limits act on an agent whose price nobody knows."""
    turns = tr.count("{n} turns", "{n} turn", attempt.max_turns) if attempt.max_turns is not None else ""
    time = duration_text(round(attempt.timeout_s * 1000)) if attempt.timeout_s is not None else ""
    unknown = tr("What it costs is unknown: no spending limit can act on it.")
    if turns and time:
        acts = tr("Its limits of {turns} and of {time} still end it.", turns=turns, time=time)
    elif turns or time:
        acts = tr("Its limit of {limit} still ends it.", limit=turns or time)
    else:
        acts = tr("It has no limit of turns or of time either: nothing but you ends it.")
    return f"{unknown} {acts}"


def limits_of(view: RunView, slot: SlotView | None) -> tuple[Limit, ...]:
    """What may be raised while the run is live: the agent's own limit, and the run's."""
    found = []
    for one in (slot, None) if slot is not None else (None,):
        limit, _, words = _standing(view, one)
        if limit is not None and view.is_live:
            title = one_line(one.title, 60) if one is not None else ""
            found.append(Limit(view.run_id, one.slot_id if one is not None else None, title, limit, words))
    return tuple(found)


def budget_text(limit: Decimal, spent: Decimal | None) -> str:
    """`$5.00`; `$5.00, 82 % of it spent` once that is worth a warning."""
    shown = money_text(limit)
    if spent is None or not _is_nearly(spent, limit):
        return shown
    return tr("{limit}, {share} of it spent", limit=shown, share=share_text(spent, limit))


def share_text(spent: Decimal, limit: Decimal) -> str:
    """Whole percents, rounded down: 100 % is the limit reached."""
    percent = (EXACT.multiply(spent, Decimal(100)) / limit).to_integral_value(ROUND_FLOOR)
    return tr("{percent} %", percent=f"{int(percent):,}")


def warned_words(said: WarnedView) -> str:
    """What was said, with the amounts of then."""
    limit = money_text(said.limit_usd)
    share, spent = share_text(said.spent_usd, said.limit_usd), money_text(said.spent_usd, True, said.source)
    said_of = {
        Shared.WORKFLOW: tr.later(
            "all runs of the workflow together had spent {share} of their limit: {spent} of {limit}"
        ),
        Shared.NIGHT: tr.later(
            "all runs of the night together had spent {share} of their limit: {spent} of {limit}"
        ),
    }
    words = said_of.get(said.shared) if said.shared is not None else None
    if words is not None:
        return words.now.format(share=share, spent=spent, limit=limit)
    return tr("had spent {share} of its limit: {spent} of {limit}", share=share, spent=spent, limit=limit)


def _standing(view: RunView, slot: SlotView | None) -> tuple[Decimal | None, Decimal | None, str]:
    """(limit, spent, spent in words) of the run, or of an agent's newest attempt: the limit as it stands for what comes."""
    if slot is None:
        return view.budget_usd, view.cost_usd, run_money(view)
    if not slot.attempts:
        return None, None, ""
    last = slot.attempts[-1]
    words = attempt_money(last)
    limit = last.budget_usd if slot.raised_to is None else slot.raised_to
    return limit, last.figures.cost_usd, words


def _is_nearly(spent: Decimal, limit: Decimal) -> bool:
    return limit > 0 and spent >= EXACT.multiply(limit, WARN_SHARE)
