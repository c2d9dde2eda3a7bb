"""The projection of a workflow's status (OWN1–OWN5, ID2, I4) against a naive one."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from quarterdeck.domain.figures import TokenCounts
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.projection import project
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.domain.views import RunSummary
from tests.domain.build import at

W = WorkflowId("w-1")


def run(
    launch_seq: int, end_seq: int | None = None, outcome: Outcome | None = None, **changes: Any
) -> RunSummary:
    ended = end_seq is not None
    values: dict[str, Any] = {
        "run_id": RunId(f"r-{launch_seq}"),
        "workflow_id": W,
        "workflow_name": "Works",
        "launch_seq": launch_seq,
        "end_seq": end_seq,
        "phase": Phase.ENDED if ended else Phase.LIVE,
        "outcome": (outcome or Outcome.COMPLETED) if ended else None,
        "reason": "",
        "started_at": at(0),
        "ended_at": at(9) if ended else None,
        "turns": launch_seq,
        "tokens": TokenCounts(),
        "cost_usd": Decimal(launch_seq),
        "cost_is_complete": True,
    }
    return RunSummary(**{**values, **changes})


@st.composite
def histories(draw: st.DrawFn) -> list[RunSummary]:
    """Runs with distinct launch and end numbers; the wall clock says anything."""
    count = draw(st.integers(0, 8))
    ends = draw(st.permutations(range(1, count + 1)))
    runs = []
    for launch, end in enumerate(ends, 1):
        live = draw(st.booleans())
        wall = at(draw(st.integers(-(10**9), 10**9)))
        other = draw(st.sampled_from([W, W, W, WorkflowId("w-2")]))
        resumed = draw(st.booleans())  # a live run may have ended before: it keeps its end_seq of then
        changes: dict[str, Any] = {"started_at": wall, "workflow_id": other}
        if live:
            runs.append(run(launch, end, **changes, phase=Phase.LIVE) if resumed else run(launch, **changes))
        else:
            closed = draw(st.sampled_from([Phase.ENDED, Phase.ENDED, Phase.CLOSED]))
            runs.append(run(launch, end, draw(st.sampled_from(list(Outcome))), phase=closed, **changes))
    return draw(st.permutations(runs))


def naive(runs: list[RunSummary]) -> tuple[str, str | None, int]:
    """(state, shown run, number live), in the words of OWN1."""
    own = [r for r in runs if r.workflow_id == W]
    live = sorted((r for r in own if r.phase == "live"), key=lambda r: r.launch_seq)
    if live:
        return "live", live[-1].run_id, len(live)
    done = sorted(own, key=lambda r: r.end_seq or 0)
    return ("ended", done[-1].run_id, 0) if done else ("never_run", None, 0)


@given(histories())
def test_any_live_run_shows_the_newest_live_one_else_the_last_finalised(runs: list[RunSummary]) -> None:
    """OWN1, OWN5, rulings 1, 7, 8: whatever order the runs come in, and whatever the clocks say (ID2)."""
    status = project(W, "Works", runs)
    assert (status.state, status.shown_run, status.live) == naive(runs)
    shown = next((r for r in runs if r.run_id == status.shown_run), None)
    if shown is None:
        assert (status.turns, status.cost_usd, status.outcome) == (0, None, None)
    else:
        assert (status.turns, status.cost_usd) == (shown.turns, shown.cost_usd)
        assert status.outcome == (shown.outcome if status.state == "ended" else None)


@given(histories(), st.integers(0, 7))
def test_a_completion_changes_nothing_while_another_run_is_live(runs: list[RunSummary], which: int) -> None:
    """OWN2, OWN3: the finisher may not overwrite; the survivor's own numbers are shown."""
    live = [r for r in runs if r.workflow_id == W and r.is_live]
    if len(live) < 2:
        return
    finisher = live[which % len(live)]
    after = [r for r in runs if r is not finisher]
    after.append(run(finisher.launch_seq, 99, Outcome.FAILED))
    status = project(W, "Works", after)
    assert status.state == "live"
    assert status.shown_run != finisher.run_id
    assert status.live == len(live) - 1


def test_the_outcome_of_the_last_finisher_is_shown_though_it_is_older() -> None:
    """OWN5: an old long run ends after a newer short one failed."""
    status = project(W, "Works", [run(1, 2, Outcome.COMPLETED), run(2, 1, Outcome.FAILED)])
    assert (status.shown_run, status.outcome) == ("r-1", Outcome.COMPLETED)


def test_a_resumed_older_run_does_not_take_over_from_a_newer_live_one() -> None:
    """C2."""
    status = project(W, "Works", [run(2), run(1, 1, phase=Phase.LIVE)])
    assert (status.shown_run, status.live) == ("r-2", 2)


def test_a_discarded_run_is_shown_and_not_silently_the_one_before() -> None:
    """C12."""
    status = project(W, "Works", [run(1, 1), run(2, 2, Outcome.INTERRUPTED, phase=Phase.CLOSED)])
    assert (status.shown_run, status.outcome) == ("r-2", Outcome.INTERRUPTED)


def test_a_run_whose_end_got_no_number_counts_as_ended_after_all_that_were_launched_before_it() -> None:
    """A damaged run that nobody has (JNL6): its end is not in its journal, and it is not passed over for an older one."""
    cut_off = replace(run(2, 1, Outcome.INTERRUPTED), end_seq=None)
    older, newer = run(1, 5, Outcome.COMPLETED), run(3, 6, Outcome.FAILED)
    assert project(W, "Works", [older, cut_off]).shown_run == cut_off.run_id
    assert project(W, "Works", [cut_off]).state == "ended"
    assert project(W, "Works", [newer, cut_off, older]).shown_run == newer.run_id
