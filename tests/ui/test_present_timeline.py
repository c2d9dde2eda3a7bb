"""The timeline as values: bars, waits, gaps, axis (ux, Timeline; Airflow's chart broke on running runs)."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.domain.ids import AttemptId, RequestId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.states import AttemptStatus, Outcome, Phase
from quarterdeck.domain.views import AttemptView, RunView, SittingView, SleepView
from quarterdeck.ui.present_timeline import TimelineFacts, timeline
from quarterdeck.ui.timeline_axis import Axis, Clockwork, ticks
from tests.ui import made, past_made
from tests.ui.past_made import wait


def with_attempts(slot_id: str, *attempts: AttemptView, word: str = "Running", **changes: object) -> RunView:
    view = made.run_view(1, {slot_id: word})
    slots = tuple(replace(s, attempts=attempts, **changes) if s.slot_id == slot_id else s for s in view.slots)
    return replace(view, slots=slots)


def lane(facts: TimelineFacts, slot_id: str) -> list[tuple[int, int, str, str]]:
    found = next(x for x in facts.lanes if x.slot_id == slot_id)
    return [(b.start, b.end, b.badge.word, b.words) for b in found.bars]


def test_a_live_bar_grows_and_ends_at_now() -> None:
    view = with_attempts("web", made.attempt(1, start=10))
    first, second = timeline(view, (), made.at(100)), timeline(view, (), made.at(400))
    assert lane(first, "web") == [(10_000, 100_000, "Running", "Attempt 1")]
    assert lane(second, "web") == [(10_000, 400_000, "Running", "Attempt 1")]
    assert second.bars[0].is_live
    assert second.bars[0].ended == "now"
    assert (first.length, first.now_at, second.now_at) == (100_000, 100_000, 400_000)


def test_the_bar_of_a_lost_attempt_ends_where_contact_was_lost() -> None:
    """REC6: also in a run that has ended, and in a record that does not tell when that was; nothing there grows."""
    lost = made.attempt(1, AttemptStatus.LOST, start=10, lost_at=made.at(70))
    live = with_attempts("web", lost)
    over = made.ended(live, Outcome.INTERRUPTED, 100)
    old = made.ended(with_attempts("web", replace(lost, lost_at=None)), Outcome.INTERRUPTED, 100)
    for view, end in ((live, 70_000), (over, 70_000), (old, 100_000)):
        first, second = timeline(view, (), made.at(400)), timeline(view, (), made.at(90_000))
        assert lane(first, "web") == lane(second, "web") == [(10_000, end, "Contact lost", "Attempt 1")]
        (bar,) = second.bars
        assert (bar.is_live, "now" in bar.spoken) == (False, False)
    assert timeline(over, (), made.at(400)).bars[0].took == "at least 1m 00s"


def test_a_silent_agent_has_a_bar_that_says_so() -> None:
    quiet = made.attempt(1, start=10, last_output_at_ms=made.at(100).boot_ms)
    facts = timeline(with_attempts("web", quiet), (), made.at(400))
    assert lane(facts, "web") == [(10_000, 400_000, "Silent 5 min", "Attempt 1")]
    assert facts.badge.word == "Silent 5 min"


def test_a_run_that_has_only_begun_has_lanes_and_no_bar_that_is_negative() -> None:
    """Started in this instant; one agent is starting and has no process yet."""
    view = with_attempts("web", made.attempt(1, AttemptStatus.STARTING, started_at=None), word="Starting")
    facts = timeline(view, (), view.started_at)
    assert len(facts.lanes) == 5
    assert facts.length >= 1000
    assert [(b.start, b.end, b.began) for b in facts.bars] == [(0, 0, "")]


def test_the_drawings_run_has_its_bars_waits_and_the_closed_app() -> None:
    """Five agents, eight attempts; recovery found the end at 17.3 min, the last sign of life was at 11."""
    view, waits = past_made.resumed_run()
    facts = timeline(view, waits, made.at(3 * past_made.DAY_S), zone=UTC)
    assert [len(x.bars) for x in facts.lanes] == [1, 2, 4, 1, 1]  # the repo's retry is told by itself
    closed = facts.gaps[0]
    assert (closed.title, closed.is_closed) == ("App closed", True)
    assert (closed.true_start, closed.true_end) == (11 * 60_000, round(17.3 * 60_000))
    assert closed.words == "13:13 to 13:19"
    repo = next(x for x in facts.lanes if x.slot_id == "repo")
    second = next(b for b in repo.bars if b.words == "Attempt 2")
    assert [(p.is_wait, p.badge.word) for p in second.pieces] == [
        (False, "Stopped"),
        (True, "Waited for you"),
        (False, "Stopped"),
    ]
    assert "8 attempts by 5 agents" in facts.line


def test_after_a_sitting_whose_owner_was_lost_the_app_was_closed_until_it_was_settled() -> None:
    """REC6: its bar and length end with its last sign, however late somebody looked."""
    cut = made.attempt(1, AttemptStatus.INTERRUPTED, 1, 60)
    lost = SittingView(made.at(0), made.at(60), "ana", settled_at=made.at(660))
    view = replace(with_attempts("web", cut), sittings=(lost,), ended_at=made.at(60), phase=Phase.ENDED)
    alone = timeline(view, (), made.at(4100), zone=UTC)
    assert (alone.gaps, alone.length) == ((), 60_000)
    again = replace(view, sittings=(lost, SittingView(made.at(4000), None, "ana")), phase=Phase.LIVE)
    facts = timeline(again, (), made.at(4100), zone=UTC)
    assert [(g.title, g.is_closed, g.true_start, g.true_end) for g in facts.gaps] == [
        ("App closed", True, 60_000, 660_000),
        ("Not live", False, 660_000, 4_000_000),
    ]


def test_a_sitting_that_was_stopped_and_taken_up_again_is_not_called_closed() -> None:
    view = with_attempts("web", made.attempt(1, AttemptStatus.STOPPED, 1, 60))
    sittings = (SittingView(made.at(0), made.at(61), "ana"), SittingView(made.at(4000), None, "ana"))
    facts = timeline(replace(view, sittings=sittings), (), made.at(4100), zone=UTC)
    assert [(g.title, g.is_closed, g.true_start, g.true_end) for g in facts.gaps] == [
        ("Not live", False, 61_000, 4_000_000)
    ]


def test_an_open_question_is_amber_to_now_and_an_answered_one_to_its_answer() -> None:
    view = with_attempts("repo", made.attempt(1, start=0), word="Needs you")
    asked = made.question(view.run_id, asked_at=made.at(50), request_id=RequestId("a-1:2"))
    slots = tuple(replace(s, approvals=(asked,)) if s.slot_id == "repo" else s for s in view.slots)
    facts = timeline(replace(view, slots=slots), (wait("repo", "a-1", 10, 20),), made.at(90))
    (bar,) = facts.bars
    assert bar.badge.word == "Needs you"
    assert [(p.start, p.end, p.is_wait) for p in bar.pieces] == [
        (0, 10_000, False),
        (10_000, 20_000, True),
        (20_000, 50_000, False),
        (50_000, 90_000, True),
    ]


def test_the_question_of_an_approval_node_is_a_bar_without_an_attempt() -> None:
    """Ruling 6."""
    view = made.run_view(1, {"repo": "Waiting"})
    facts = timeline(view, (wait("repo", None, 5, 45),), made.at(100))
    assert lane(facts, "repo") == [(5_000, 45_000, "Waited for you", "Question")]
    assert facts.bars[0].attempt_id is None


def test_a_wait_for_a_retry_is_shown_with_what_is_left_of_it() -> None:
    failed = made.attempt(1, AttemptStatus.FAILED, 0, 30)
    view = with_attempts("web", failed, word="Retrying", retry_at_ms=made.at(75).boot_ms)
    facts = timeline(view, (), made.at(40))
    assert lane(facts, "web")[1] == (30_000, 40_000, "Retrying", "Retry")
    assert facts.bars[1].reason == "next attempt in 0m 35s"


def test_a_wall_clock_that_is_set_back_moves_nothing() -> None:
    """One boot: the boot clock alone counts (LSE5)."""
    ended = Moment(made.BOOT, made.at(60).boot_ms, made.at(60).wall_ms - 3_600_000)
    view = with_attempts("web", made.attempt(1, AttemptStatus.SUCCEEDED, 10, 60, ended_at=ended), word="Done")
    assert lane(timeline(view, (), made.at(90)), "web")[0][:2] == (10_000, 60_000)


def test_another_boot_is_placed_by_the_wall_clock() -> None:
    again = past_made.later(7200, "boot-2")
    view = with_attempts(
        "web",
        made.attempt(1, AttemptStatus.INTERRUPTED, 10, 60),
        made.attempt(
            2,
            AttemptStatus.SUCCEEDED,
            started_at=again,
            ended_at=replace(again, boot_ms=again.boot_ms + 9_000),
        ),
        word="Done",
    )
    sittings = (SittingView(made.at(0), made.at(60), "ana"), SittingView(again, None, "ana"))
    facts = timeline(replace(view, sittings=sittings), (), replace(again, boot_ms=again.boot_ms + 20_000))
    (gap,) = facts.gaps
    assert (gap.true_start, gap.true_end) == (60_000, 7_200_000)
    _first, second = lane(facts, "web")
    assert second[0] == gap.end
    assert second[1] - second[0] == 9_000
    assert facts.length < 200_000, "two hours of nothing do not take the room of the work"


MOMENTS = st.builds(
    lambda boot, boot_s, skew: Moment(
        f"boot-{boot}", 1_000_000 + boot_s * 1000, made.START_MS + boot * 10**7 + skew * 1000
    ),
    st.integers(1, 3),
    st.integers(-50, 5000),
    st.integers(-4000, 9000),
)


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), MOMENTS), st.one_of(st.none(), MOMENTS), st.sampled_from(AttemptStatus)
        ),
        max_size=6,
    ),
    MOMENTS,
    st.booleans(),
    st.lists(st.tuples(MOMENTS, st.one_of(st.none(), MOMENTS)), max_size=4),
)
def test_no_bar_is_ever_negative_and_pieces_fill_their_bar(
    spans: list[tuple[Moment | None, Moment | None, AttemptStatus]],
    now: Moment,
    is_live: bool,
    asked: list[tuple[Moment, Moment | None]],
) -> None:
    """Whatever the clocks say: boots in any order, ends before starts, waits outside of their attempt."""
    attempts = tuple(
        made.attempt(n, status, started_at=a, ended_at=b) for n, (a, b, status) in enumerate(spans, 1)
    )
    view = with_attempts("web", *attempts)
    view = replace(
        view,
        sittings=(
            SittingView(view.started_at, spans[0][1] if spans else None, "ana"),
            SittingView(now, None, "ana"),
        ),
    )
    if not is_live:
        view = made.ended(view, Outcome.INTERRUPTED, 77)
    waits = [
        replace(wait("web", "a-1", 0, 1, n), asked_at=a, answered_at=b) for n, (a, b) in enumerate(asked)
    ]
    facts = timeline(view, waits, now)
    for bar in facts.bars:
        assert 0 <= bar.start <= bar.end <= facts.length
        assert bar.pieces[0].start == bar.start
        assert bar.pieces[-1].end == bar.end
        assert all(a.end == b.start for a, b in zip(bar.pieces, bar.pieces[1:], strict=False))
        assert all(p.start <= p.end for p in bar.pieces)
    for gap in facts.gaps:
        assert 0 <= gap.start <= gap.end <= facts.length


@pytest.mark.parametrize("seed", range(20))
def test_the_axis_rises_and_its_ticks_tell_true_times(seed: int) -> None:
    chance = random.Random(seed)
    edges = sorted(chance.sample(range(1, 100_000_000), 6))
    axis = Axis(edges[5] + 1000, [(edges[0], edges[1]), (edges[2], edges[3])])
    places = [axis.place(t) for t in range(0, edges[5], max(1, edges[5] // 500))]
    assert places == sorted(places)
    assert axis.place(0) == 0
    assert axis.place(edges[5] + 1000) == axis.length
    for tick in ticks(axis.stretches, max(1, axis.length // 10)):
        part = next(
            s
            for s in axis.stretches
            if s.at <= tick.at <= s.end and s.end - s.at == s.true_end_ms - s.true_ms
        )
        assert axis.place(part.true_ms + tick.at - part.at) == tick.at


def test_clockwork_never_runs_backwards_between_boots() -> None:
    start = made.at(0)
    second = Moment("boot-2", 0, made.START_MS - 500_000)  # the wall clock was set back before
    clocks = Clockwork(start, [made.at(100), second])
    assert clocks.at(second) >= clocks.at(made.at(100))


def test_a_run_of_a_thousand_agents_has_a_bar_for_each() -> None:
    flow = made.workflow("Big", 1000)
    view = made.run_view(1, {f"n{i}": "Running" for i in range(1000)}, flow)
    facts = timeline(view, (), made.at(500))
    assert len(facts.bars) == 1000


def test_ids_lead_back_to_the_agent() -> None:
    view = with_attempts("web", made.attempt(3, start=1))
    bar = timeline(view, (), made.at(9)).bars[0]
    assert (bar.run_id, bar.slot_id, bar.attempt_id) == (view.run_id, SlotId("web"), AttemptId("a-3"))
    assert "Web researcher, Attempt 1, Running" in bar.spoken


def test_a_sleep_of_the_computer_is_a_band_across_the_lanes_drawn_shorter_than_it_was() -> None:
    """LSE5: the bar goes on through it, and nothing else changes."""
    view = with_attempts("web", made.attempt(1, start=10))
    slept = replace(view, sleeps=(SleepView(made.at(100), made.at(100 + 8 * 3600)),))
    facts = timeline(slept, (), made.at(200 + 8 * 3600), zone=UTC)
    (gap,) = facts.gaps
    assert (gap.title, gap.is_closed) == ("Computer asleep", False)
    assert (gap.true_start, gap.true_end) == (100_000, 100_000 + 8 * 3_600_000)
    assert gap.end - gap.start < gap.true_end - gap.true_start
    assert facts.bars[0].is_live
    assert facts.bars[0].ended == "now"
