"""Who lives and prints nothing, and which limits are nearly spent, as a person must be told. Imports nothing of the product.

Written from LSE1, ruling 12, ux.md and the glossary: an agent is silent from a minute on; a run where all of its agents at
work are. A limit is told of where 80 % were said to be spent, it still stands, and so much is spent now.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal
from typing import Any

from tests.scenarios.naive_runs import Fact, Run, Slot, Tried
from tests.scenarios.naive_states import Badge, badge, badge_of_run, badge_of_slot
from tests.scenarios.naive_words import money, paid_money

CLOCK_SET_MS = 5_000


def last_output_ms(run: Run, tried: Tried, now: Fact) -> int | None:
    """When it printed last. Of another process only the age of a file tells, which nobody can read once the clock was set."""
    if not run.foreign:
        return tried.printed_told
    kept, begun = tried.last("starting"), tried.last("started")
    if kept is None or begun is None or tried.printed is None:
        return None
    was_set = abs((now["wall"] - now["ms"]) - (kept["wall"] - kept["ms"])) > CLOCK_SET_MS
    told = tried.printed["wall"] - (now["wall"] - now["ms"]) // 1000 * 1000
    if was_set or told > now["ms"] + CLOCK_SET_MS:
        return None
    return max(told, begun["ms"])


def silent_minutes(run: Run, slot: Slot, now: Fact) -> int:
    if run.word(slot) != "Running":
        return 0
    said = last_output_ms(run, slot.tries[-1], now)
    return 0 if said is None or now["ms"] - said < 60_000 else (now["ms"] - said) // 60_000


def quiet(shown: Badge, minutes: int) -> Badge:
    return (shown[0], "ellipsis", f"Silent {minutes:,} min") if minutes else shown


def slot_badge(run: Run, slot: Slot, now: Fact) -> Badge:
    return quiet(badge_of_slot(run, slot), silent_minutes(run, slot, now))


def run_silence(run: Run, now: Fact) -> int:
    """Minutes for which nothing came of any agent at work; 0 where one prints, begins or is being ended, or none works."""
    if not run.live or badge_of_run(run) != badge("Running"):
        return 0
    at_work = [s for s in run.slots.values() if run.word(s) in ("Starting", "Running", "Stopping")]
    return min((silent_minutes(run, slot, now) for slot in at_work), default=0)


def run_badge(run: Run, now: Fact) -> Badge:
    return quiet(badge_of_run(run), run_silence(run, now))


def nearly_spent(run: Run) -> list[tuple[Any, ...]]:
    """(run, slot or None, title, limit, what is spent of it, its share) of each limit that is nearly spent."""
    found = []
    for scope, limit in run.warned if run.live else ():
        slot = run.slots.get(scope)
        spent, words = _spent(run, slot)
        if run.limits.get(scope) == limit and spent is not None and spent >= limit * Decimal("0.8"):
            share = (spent * 100 / limit).to_integral_value(ROUND_FLOOR)
            title = slot.title if slot is not None else ""
            found.append((run.id, slot and slot.id, title, limit, words, f"{int(share):,} %"))
    return found


def _spent(run: Run, slot: Slot | None) -> tuple[Decimal | None, str]:
    """Of a slot its newest attempt counts: what is known now of all, less what was known of those before."""
    if slot is None:
        return run.total()[1], paid_money(*run.paid(list(run.slots.values())))
    if not slot.tries:
        return None, ""
    _, cost, whole = run.spent_of_newest(slot)
    if slot.tries[-1].kind == "practice":
        return cost, f"{money(cost, whole)} practice" if cost is not None else ""
    return cost, money(cost, whole)
