"""Sums of what runs share: by workflow and by night, against a naive sum; live runs in place of what is recorded of them."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.figures import source_of
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.shared_limits import Books, Part, SharedLimits, Sum, minute_of_day

NIGHT_MS = 1_000
WORKFLOWS = [WorkflowId(name) for name in ("w1", "w2")]
amounts = st.none() | st.decimals(0, 10, places=18)


@st.composite
def part(draw: st.DrawFn, *, is_live: bool) -> Part:
    run = draw(st.sampled_from(["r1", "r2", "r3", "r4"]))
    ended = draw(st.none() | st.integers(0, 2_000)) if is_live else draw(st.integers(0, 2_000))
    source = draw(st.sampled_from(["reported", "estimated", "mixed"]))
    workflow = WORKFLOWS[int(run[1]) % 2]
    return Part(RunId(run), workflow, ended, draw(amounts), draw(st.booleans()), source)


def naive(parts: list[Part]) -> tuple[Decimal, bool]:
    return (
        sum((one.cost_usd or Decimal(0) for one in parts), Decimal(0)),
        all(one.complete and one.cost_usd is not None for one in parts),
    )


@given(st.lists(part(is_live=False)), st.lists(part(is_live=True)))
def test_every_limit_counts_each_attempt_once(recorded: list[Part], live: list[Part]) -> None:
    """I5. A run that lives counts as it stands, and by nothing that is recorded of it."""
    limits = SharedLimits(Decimal(5), "18:00", {WORKFLOWS[0]: Decimal(1), WORKFLOWS[1]: Decimal(7)})
    standings = Books(recorded, NIGHT_MS).standings(limits, live)
    counted = [one for one in recorded if one.run not in {two.run for two in live}] + live
    tonight = [one for one in counted if one.ended_ms is None or one.ended_ms >= NIGHT_MS]
    wanted = [tonight, *([one for one in counted if one.workflow == name] for name in WORKFLOWS)]
    assert [(one.spent.cost_usd, one.spent.complete) for one in standings] == list(map(naive, wanted))
    assert [one.is_spent for one in standings] == [
        naive(parts)[0] >= limit for parts, limit in zip(wanted, (5, 1, 7), strict=True)
    ]
    assert all(one.left_usd == max(Decimal(0), one.limit_usd - one.spent.cost_usd) for one in standings)
    for one, parts in zip(standings, wanted, strict=True):
        assert one.spent.source == (source_of(part.source for part in parts) if parts else "none")


def test_no_limit_is_no_standing_and_another_night_is_another_limit() -> None:
    assert Books((), NIGHT_MS).standings(SharedLimits(), ()) == ()
    limits = SharedLimits(Decimal(5))
    tonight, tomorrow = (Books((), since).standings(limits, ())[0] for since in (1, 2))
    assert (tonight.scope, tonight.spent) == (Shared.NIGHT, Sum())
    assert tonight.key != tomorrow.key


def test_an_estimate_among_what_is_reported_is_partly_one() -> None:
    assert source_of(["reported", "none", "unknown"]) == "reported"
    assert source_of(["estimated", "none"]) == "estimated"
    assert source_of(["estimated", "reported"]) == source_of(["mixed", "estimated"]) == "mixed"
    assert source_of(["none"]) == source_of([]) == "none"
    assert source_of(["unknown", "none"]) == "unknown"


def test_a_time_of_day_is_hours_and_minutes() -> None:
    assert [minute_of_day(text) for text in ("00:00", "18:30", "23:59")] == [0, 1110, 1439]
    assert [minute_of_day(text) for text in ("24:00", "6:00", "18:60", "18", "", "١٨:٠٠")] == [None] * 6
