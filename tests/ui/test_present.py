"""What is shown is a pure function of the views, and all parts of it agree (OWN1–OWN6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.money import ZERO
from quarterdeck.domain.practice import Spent, told_apart
from quarterdeck.domain.show import summary_from_json, summary_to_json
from quarterdeck.domain.spend_rows import SpendReport
from quarterdeck.domain.states import AttemptStatus, EffectState, Outcome, Phase
from quarterdeck.domain.views import AttemptView, EffectView, RunView, SittingView, SlotView
from quarterdeck.engine.household import ProcessCount
from quarterdeck.ui.badges import badge_of_run, badge_of_slot, badge_of_word
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.present import (
    Footing,
    Known,
    Looking,
    WindowFacts,
    assign_letters,
    present,
    projected_run,
)
from quarterdeck.ui.present_agent import agent_facts, run_facts
from quarterdeck.ui.present_money import attempt_money, slot_money
from quarterdeck.ui.present_processes import Counted, count_of, footing_words
from quarterdeck.ui.present_spend import Chosen, spend_facts
from quarterdeck.ui.present_timeline import timeline
from quarterdeck.ui.run_time import ran_text
from quarterdeck.ui.runs_filter import RunsFilter
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import short_id
from tests.ui import made

FLOW = made.workflow()
NOW = made.at(1024)


def facts_of(
    *views: RunView, letters: dict[RunId, str] | None = None, run: RunId | None = None
) -> WindowFacts:
    runs = tuple(sorted(map(made.summary, views), key=lambda r: -r.launch_seq))
    live = sorted((v for v in views if v.is_live), key=lambda v: v.launch_seq)
    given = letters if letters is not None else assign_letters({}, [v.run_id for v in live])
    return present(Known(runs, {v.run_id: v for v in views}), Looking(FLOW, run, given), NOW, UTC)


def test_the_newest_live_run_is_shown_and_named_with_the_number_live() -> None:
    """OWN1, OWN6."""
    facts = facts_of(made.run_view(1, {"web": "Running"}), made.run_view(2, {"planner": "Running"}))
    assert facts.title == "Quarterdeck – Ship weekly digest: Running, run B r-27f3, 2 live"
    assert facts.badge_text == "Running · B"
    assert facts.can_stop
    assert [r.letter for r in facts.live] == ["A", "B"]


def test_a_run_that_left_the_store_speaks_for_its_workflow_and_stays_in_the_day_s_spend() -> None:
    """C12, REC13: neither the run before, nor less money, nor an exact sum; the canvas shows the last run that is kept."""
    kept = made.ended(made.run_view(1), end_seq=5)
    gone = made.summary(made.ended(made.run_view(2, cost_usd=None, cost_is_complete=False), end_seq=9))
    gone = replace(gone, phase=Phase.CLOSED, reason="discarded")
    views = {kept.run_id: kept}
    facts = present(Known((made.summary(kept),), views, (gone,)), Looking(FLOW), NOW, UTC)
    assert facts.badge_text == f"{badge_of_run(gone).word}, discarded"
    assert f"discarded, run {short_id(gone.run_id)}" in facts.title
    assert facts.shown == (kept.run_id,)
    assert facts.projected is None
    assert facts.footing.today == "at least $3.21"
    paid = replace(gone, cost_usd=Decimal("0.25"), cost_is_complete=True)
    assert present(Known((), {}, (paid,)), Looking(FLOW), NOW, UTC).footing.today == "$0.25"
    newer = made.ended(made.run_view(3), end_seq=12)
    runs = (made.summary(newer), made.summary(kept))
    after = present(Known(runs, views | {newer.run_id: newer}, (gone,)), Looking(FLOW), NOW, UTC)
    assert after.projected == newer.run_id


def test_when_the_newest_ends_the_older_ones_own_state_is_shown() -> None:
    """OWN3: the survivor's numbers return exactly; the finisher says nothing about the workflow."""
    survivor = made.run_view(1, {"web": "Running"}, cost_usd=Decimal("3.21"))
    alone = facts_of(survivor, letters={survivor.run_id: "A"})
    done = made.ended(made.run_view(2, {"planner": "Failed"}), Outcome.FAILED)
    both = facts_of(survivor, done, letters={survivor.run_id: "A"})
    for part in ("title", "badge", "badge_text", "faces", "can_stop", "agent_rows", "canvas_text"):
        assert getattr(both, part) == getattr(alone, part), part


def test_when_the_older_ends_nothing_of_the_workflow_changes_but_the_number() -> None:
    newest = made.run_view(2, {"planner": "Running"})
    before = facts_of(made.run_view(1, {"web": "Running"}), newest)
    after = facts_of(made.ended(made.run_view(1, {"web": "Done"})), newest, letters={newest.run_id: "B"})
    assert (before.badge, before.badge_text) == (after.badge, after.badge_text)
    assert after.sentence == "Running, run B r-27f3, 1 live"


def test_the_last_finalised_run_is_shown_when_none_is_live() -> None:
    """OWN5, ruling 7: an old long run ends after a newer short one failed."""
    long_one = made.ended(made.run_view(1), Outcome.COMPLETED, 900, end_seq=2)
    short_one = made.ended(made.run_view(2), Outcome.FAILED, 60, end_seq=1)
    facts = facts_of(long_one, short_one)
    assert facts.projected == long_one.run_id
    assert facts.badge.word == "Done"
    assert facts.title.endswith("Done, run r-17f3 of 13:02, none live")
    assert facts.showing_past
    assert not facts.can_stop


@pytest.mark.parametrize("word", ["Paused", "Stopping", "Retrying", "Needs you"])
def test_paused_and_stopping_runs_count_as_live(word: str) -> None:
    """OWN2, ruling 8."""
    facts = facts_of(made.run_view(1, {"web": word}), made.ended(made.run_view(2)))
    assert facts.sentence.endswith("1 live")
    assert facts.can_stop
    assert facts.badge.family is not Family.DONE


@given(st.lists(st.tuples(st.booleans(), st.integers(1, 40)), min_size=0, max_size=12))
def test_projection_equals_the_naive_one(runs: list[tuple[bool, int]]) -> None:
    """OWN1 against a model that sorts."""
    views = []
    for number, (is_live, end_seq) in enumerate(runs, 1):
        view = made.run_view(number)
        views.append(view if is_live else made.ended(view, end_seq=end_seq * 100 + number))
    live = [v for v in views if v.is_live]
    model = live[-1] if live else max(views, key=lambda v: v.end_seq or 0, default=None)
    shown = projected_run(map(made.summary, views))
    assert (shown.run_id if shown else None) == (model.run_id if model else None)


@given(st.lists(st.sets(st.integers(0, 9)), max_size=12))
def test_a_run_keeps_its_letter_for_life_and_no_two_share_one(history: list[set[int]]) -> None:
    letters: dict[RunId, str] = {}
    for alive in history:
        before = dict(letters)
        letters = assign_letters(letters, [RunId(f"r-{n}") for n in sorted(alive)])
        assert len(set(letters.values())) == len(alive)
        assert all(letters[r] == before[r] for r in letters if r in before)


def test_a_node_has_the_newest_two_rows_and_counts_the_others() -> None:
    facts = facts_of(*(made.run_view(n, {"planner": "Running"}) for n in range(1, 6)))
    planner = facts.faces[0]
    assert [r.letter for r in planner.rows] == ["D", "E"]
    assert planner.more == 3
    assert [r.run for r in facts.agent_rows if r.title == "Planner"] == [
        f"{letter} · r-{n}7f3" for n, letter in enumerate("ABCDE", 1)
    ]


def test_rows_speak_of_run_state_and_cost() -> None:
    facts = facts_of(made.run_view(1, {"repo": "Needs you"}), made.run_view(2))
    repo = next(f for f in facts.faces if f.node_id == "repo")
    assert repo.spoken == "Repo researcher, run A needs you, $0.21; run B waiting."
    assert "Ship weekly digest: Running, run B r-27f3, 2 live." in facts.canvas_text


def test_costs_that_are_not_known_are_not_shown_as_nothing() -> None:
    view = made.run_view(1, {"web": "Running"})
    slots = tuple(
        replace(s, cost_usd=None, cost_is_complete=False) if s.slot_id == "web" else s for s in view.slots
    )
    facts = facts_of(replace(view, slots=slots, cost_usd=None, cost_is_complete=False))
    web = next(f for f in facts.faces if f.node_id == "web")
    assert web.rows[0].cost == "$?"
    assert facts.footing.today == "at least $0.00"
    assert facts.run_rows[1].spend == "unknown"


def test_what_practice_agents_pretend_is_told_apart_and_adds_to_no_spend() -> None:
    """JNL5: practice costs nothing; it is labelled wherever it shows, and a run keeps that after it is a line."""
    all_practice = made.run_view(1, cost_usd=Decimal("0.28"), practice=Spent(ZERO, True, Decimal("0.28")))
    mixed = made.run_view(
        2, cost_usd=Decimal("1.34"), practice=Spent(Decimal("1.06"), False, Decimal("0.28"))
    )
    plain = made.run_view(3, cost_usd=Decimal("0.586"))
    facts = facts_of(all_practice, mixed, plain)
    assert [row.spend for row in facts.run_rows if row.run_id] == [
        "$0.586",
        "at least $1.06 and $0.28 practice",
        "$0.28 practice",
    ]
    assert facts.footing.today == "at least $1.64 and $0.56 practice"
    assert summary_from_json(summary_to_json(mixed)).practice == mixed.practice
    attempt = made.attempt(agent_kind="practice", figures=made.figures("0.21", 3))
    slot = replace(plain.slots[0], attempts=(attempt,), cost_usd=Decimal("0.21"))
    assert slot_money(slot) == "$0.21 practice"


def test_what_was_pretended_is_at_least_so_much_in_every_place_where_a_part_of_it_was_lost() -> None:
    """JNL5, ruling 11: list, foot, agent, attempt and node say the same of it."""
    lost = replace(made.figures("0.21", 3), cost_is_complete=False)
    view = made.run_view(1, {"web": "Running"})
    web = next(slot for slot in view.slots if slot.node_id == "web")
    attempt = replace(web.attempts[0], agent_kind="practice", figures=lost)
    slot = replace(web, attempts=(attempt,), cost_usd=Decimal("0.21"), cost_is_complete=False)
    slots = tuple(slot if one is web else replace(one, attempts=()) for one in view.slots)
    view = replace(view, slots=slots, practice=told_apart([attempt]))
    facts = facts_of(view)
    (row,) = (row for row in facts.run_rows if row.run_id)
    node = next(face for face in facts.faces if face.node_id == "web").rows[0]
    assert {row.spend, facts.footing.today, slot_money(slot), attempt_money(attempt)} == {
        "at least $0.21 practice"
    }
    assert node.cost == "≥ $0.21"
    assert summary_from_json(summary_to_json(view)).practice == view.practice


def test_an_interrupted_agent_is_stopped_with_the_unplug_icon() -> None:
    """Ruling 28."""
    view = made.run_view(1, {"web": "Stopped"})
    web = next(s for s in view.slots if s.slot_id == "web")
    cut = replace(web, attempts=(replace(web.attempts[0], status=AttemptStatus.INTERRUPTED),))
    assert (badge_of_slot(cut).word, badge_of_slot(cut).icon) == ("Stopped", "unplug")
    assert badge_of_slot(web).icon == "square"
    assert badge_of_run(made.ended(view, Outcome.INTERRUPTED)).family is Family.INTERRUPTED


def test_edges_are_passed_once_the_source_is_done_and_the_target_began() -> None:
    facts = facts_of(made.run_view(1, {"planner": "Done", "web": "Running"}))
    assert facts.passed.went == facts.passed.green == {("planner", "web")}


def test_runs_of_other_processes_are_marked_and_not_ours_to_count() -> None:
    view = made.run_view(1, {"web": "Running"}, foreign=True)
    facts = facts_of(view)
    assert "in another process" in facts.run_rows[1].when
    owned = replace(view, owner="terminal")
    assert facts_of(owned).run_rows[1].when.endswith(" · terminal")
    assert run_facts(owned, "A", made.at(1024)).subtitle.endswith(" · terminal")
    assert agent_facts(owned, owned.slots[0], "A", made.at(1024)).subtitle.endswith(" · terminal")
    assert facts.footing.agents == 0
    assert facts.can_stop


def test_a_store_that_cannot_be_written_is_said() -> None:
    """JNL8."""
    assert not facts_of(made.run_view(1, recording=False)).footing.recording
    assert facts_of(made.run_view(1)).footing.recording


def test_agent_facts_say_where_the_cost_comes_from_and_that_silence_is_not_death() -> None:
    """LSE1: alive, no output for n minutes."""
    view = made.run_view(1, {"repo": "Running"})
    slot = next(s for s in view.slots if s.slot_id == "repo")
    printed = replace(slot.attempts[-1], last_output_at_ms=made.at(0).boot_ms)
    slot = replace(slot, attempts=(printed,))
    facts = agent_facts(view, slot, "A", NOW, UTC)
    said = {f.name: f.value for f in facts.facts}
    assert said["Cost (reported)"] == "$0.21"
    assert said["Process"] == "pid 48001 · alive, no output for 17 min"
    assert said["Elapsed"] == "17m 04s"
    assert said["Tokens"] == "41.2k in · 3.1k out"
    assert (facts.can_pause, facts.can_continue, facts.can_stop) == (True, False, True)


@pytest.mark.parametrize(
    ("own", "of_run", "is_priced", "said"),
    [
        ("2", None, True, "$2.00"),
        ("2", "5", False, "$2.00, cannot act here: the price of its model is unknown"),
        (None, "5", False, "$5.00 for the run, cannot act here: the price of its model is unknown"),
        (None, "5", True, None),
        (None, None, False, None),
    ],
)
def test_the_inspector_says_where_a_limit_cannot_act_because_a_price_is_unknown(
    own: str | None, of_run: str | None, is_priced: bool, said: str | None
) -> None:
    """Case 88, R3."""
    cost = Decimal("0.1") if is_priced else None
    figures = FiguresTotals(2, TokenCounts(10, 3), cost, is_priced, "reported" if is_priced else "unknown")
    view = made.run_view(1, {"repo": "Running"}, budget_usd=Decimal(of_run) if of_run else None)
    slot = next(s for s in view.slots if s.slot_id == "repo")
    last = replace(slot.attempts[-1], figures=figures, budget_usd=Decimal(own) if own else None)
    facts = agent_facts(view, replace(slot, attempts=(last,)), "A", NOW, UTC)
    assert {f.name: f.value for f in facts.facts}.get("Budget") == said


@pytest.mark.parametrize(
    ("word", "can"),
    [("Paused", (False, True, True)), ("Done", (False, False, False)), ("Waiting", (False, False, False))],
)
def test_what_can_be_done_to_an_agent_follows_its_state(word: str, can: tuple[bool, bool, bool]) -> None:
    view = made.run_view(1, {"repo": word})
    slot = next(s for s in view.slots if s.slot_id == "repo")
    facts = agent_facts(view, slot, "A", NOW, UTC)
    assert (facts.can_pause, facts.can_continue, facts.can_stop) == can


def test_an_ended_run_offers_nothing_to_stop() -> None:
    facts = run_facts(made.ended(made.run_view(1)), "", NOW, UTC)
    assert not facts.can_stop
    assert {f.name: f.value for f in facts.facts}["Ran for"] == "1m 00s"


def test_a_run_whose_owner_was_lost_ran_at_least_until_its_last_sign() -> None:
    """REC6: not until somebody looked."""
    lost = SittingView(made.at(0), made.at(5), "ana", settled_at=made.at(600))
    run = made.ended(made.run_view(1), Outcome.INTERRUPTED, 5, sittings=(lost,))
    facts = run_facts(run, "", NOW, UTC)
    assert {f.name: f.value for f in facts.facts}["Ran for"] == "at least 0m 05s"
    assert ran_text(run, NOW) == "at least 0m 05s", "table, timeline and comparison say it as well"


def test_the_newest_attempt_stands_as_its_agent_does_while_a_person_is_asked() -> None:
    """Header, node and list say Needs you: an attempt that runs beside it would be another story."""
    view = made.run_view(1, {"repo": "Needs you"})
    slot = next(s for s in view.slots if s.slot_id == "repo")
    facts = agent_facts(view, slot, "A", NOW, UTC)
    assert [line.badge.state for line in facts.attempts][-1] == "Needs you"
    assert facts.attempts[-1].title.endswith("needs you")


def test_a_count_from_before_the_end_of_a_run_is_not_said_of_it_afterwards() -> None:
    counts = {made.run_view(1).run_id: ProcessCount(2, 28_000_000)}
    run = made.ended(made.run_view(1), end=1000)
    assert count_of(run, counts, made.at(1003)) is None
    assert count_of(run, counts, made.at(1060)) == ProcessCount(2, 28_000_000)
    assert count_of(made.run_view(1), counts, made.at(1000)) is not None


def test_every_word_of_the_contract_has_an_icon_of_its_own_or_a_word_beside_it() -> None:
    """Never colour alone: each shown word is known, and its icon exists."""
    from quarterdeck.domain import views
    from quarterdeck.ui.resources import icon_source

    words: Any = views.__doc__
    for word in (
        "Not started",
        "Waiting",
        "Starting",
        "Running",
        "Paused",
        "Needs you",
        "Retrying",
        "Stopping",
        "Done",
    ):
        assert word in words
    for word in (
        "Failed",
        "Stopped",
        "Skipped",
        "Re-opened, waiting to start",
        "Could not stop",
        "Still ending",
        "Still alive",
    ):
        badge = badge_of_word(word)
        assert badge.icon != "info"
        assert icon_source(badge.icon)


@given(
    st.lists(
        st.tuples(
            st.integers(1, 3), st.sampled_from(["Running", "Done", "Needs you", "Waiting"]), st.integers(0, 5)
        ),
        max_size=10,
    )
)
def test_what_is_remembered_from_before_never_shows(steps: list[tuple[int, str, int]]) -> None:
    """The memo saves work and changes nothing: each state shown with it equals the one worked out afresh."""
    memo, views = Memo(), {}
    for number, word, seconds in steps:
        view = made.run_view(number, {"planner": word})
        views[view.run_id] = made.ended(view, end_seq=number) if word == "Done" else view
        runs = tuple(sorted(map(made.summary, views.values()), key=lambda r: -r.launch_seq))
        letters = assign_letters({}, [r.run_id for r in reversed(runs) if r.is_live])
        now = made.at(1000 + seconds)
        asked = (Known(runs, dict(views)), Looking(FLOW, None, letters), now, UTC)
        assert present(*asked, memo=memo) == present(*asked)
        memo.forget_unused()


def test_an_agent_whose_end_is_not_proved_is_counted_beside_the_processes() -> None:
    """Cases 52, 139: *Still alive* and "0 agent processes" together were a contradiction."""
    run = made.run_view(1, {"web": "Running", "repo": "Running"})

    def lost(view: RunView) -> RunView:
        slots = tuple(
            replace(
                s,
                display="Still alive",
                attempts=tuple(replace(a, status=AttemptStatus.LOST) for a in s.attempts),
            )
            if s.slot_id == "web"
            else s
            for s in view.slots
        )
        return replace(view, slots=slots)

    def foot(view: RunView) -> tuple[int, int]:
        known = Known((made.summary(view),), {view.run_id: view})
        footing = present(known, Looking(made.workflow()), made.at(2000)).footing
        return footing.agents, footing.unproved

    assert foot(run) == (2, 0)
    assert foot(lost(run)) == (1, 1)
    assert foot(made.ended(lost(run), Outcome.INTERRUPTED))[1] == 1, "also of the past run that is shown"
    assert foot(replace(lost(run), foreign=True)) == (0, 0), "another process has them"
    bar = Footing(recording=True, today="$0.00", agents=1, foreign_runs=1, unproved=2)
    words = "1 agent alive here · 2 not proved to have ended · 1 run in another process"
    assert footing_words(bar, Counted()) == words


def test_a_node_is_silent_only_where_every_agent_of_it_that_runs_is() -> None:
    """LSE1: the row of a node with several slots; whoever prints is the one that stands for it."""
    slot = next(s for s in made.run_view(1, {"web": "Running"}).slots if s.slot_id == "web")

    def printed(seconds: float, slot_id: str) -> SlotView:
        last = replace(slot.attempts[-1], last_output_at_ms=made.at(seconds).boot_ms)
        return replace(slot, slot_id=SlotId(slot_id), attempts=(last,))

    def row(*slots: SlotView) -> tuple[str, str, bool]:
        view = replace(made.run_view(1), slots=slots)
        face = next(f for f in facts_of(view).faces if f.node_id == "web")
        return face.rows[0].badge.word, face.rows[0].slot_id, face.rows[0].badge.is_turning

    assert row(printed(100, "web/0"), printed(1020, "web/1")) == ("Running", "web/1", True)
    assert row(printed(100, "web/0"), printed(200, "web/1")) == ("Silent 13 min", "web/1", False), (
        "as a whole"
    )


def test_whether_the_process_of_another_window_lives_is_not_claimed() -> None:
    view = made.run_view(1, {"web": "Running"}, foreign=True)
    slot = next(s for s in view.slots if s.slot_id == "web")
    said = {f.name: f.value for f in agent_facts(view, slot, "A", NOW, UTC).facts}
    assert said["Process"] == "pid 48001"


def test_a_run_that_was_taken_up_again_has_one_time_everywhere_that_of_its_sittings() -> None:
    """Two sittings of a minute, two days apart: the list and the inspector said that it ran for two days."""
    day = 86_400.0
    sittings = (
        SittingView(made.at(0), made.at(60), "ana"),
        SittingView(made.at(2 * day), made.at(2 * day + 60), "ana"),
    )
    done = made.ended(made.run_view(1, sittings=sittings), end=2 * day + 60)
    now = made.at(3 * day)
    known = Known((made.summary(done),), {done.run_id: done})
    row = next(r for r in present(known, Looking(FLOW), now, UTC).run_rows if r.run_id)
    assert row.when.endswith("· 2m 00s")
    assert {f.name: f.value for f in run_facts(done, "", now, UTC).facts}["Ran for"] == "2m 00s"
    assert "· 2m 00s ·" in timeline(done, (), now).line
    assert spend_facts(known, SpendReport(), {}, Chosen(days=None), now, UTC).lines[0].time == "2m 00s"

    again = replace(
        done, sittings=(sittings[0], replace(sittings[1], ended_at=None)), ended_at=None, phase=Phase.LIVE
    )
    known = Known((made.summary(again),), {again.run_id: again})
    shown = present(known, Looking(FLOW), made.at(2 * day + 30), UTC)
    assert shown.live[0].elapsed == "1m 30s"
    assert "· 1m 30s" in next(r for r in shown.run_rows if r.run_id).when
    assert {f.name: f.value for f in run_facts(again, "A", made.at(2 * day + 30)).facts}[
        "Elapsed"
    ] == "1m 30s"


def test_usage_that_came_late_and_reports_that_were_refused_are_named_where_the_attempt_is() -> None:
    """Ruling 9: late usage counts, marked so. ID4: a refused report is counted."""
    slot = next(s for s in made.run_view(1, {"repo": "Done"}).slots if s.slot_id == "repo")
    late = replace(made.figures("5.00"), turns=2)
    last = replace(slot.attempts[-1], late=late, refused_reports=3, figures=made.figures("0.21"))
    marked = agent_facts(made.run_view(1), replace(slot, attempts=(last,)), "A", NOW, UTC)
    said = {f.name: f.value for f in marked.facts}
    assert said["Came late, and counts"] == "2 turns · $5.00"
    assert said["Refused reports"] == "3, they count nowhere"
    assert marked.attempts[0].line.endswith("$0.21 · late, and counted: 2 turns · $5.00")
    plain = {f.name for f in agent_facts(made.run_view(1), slot, "A", NOW, UTC).facts}
    assert not plain & {"Came late, and counts", "Refused reports"}


def test_a_run_is_found_by_whether_it_is_live() -> None:
    views = (made.ended(made.run_view(1)), made.run_view(2))
    rows = [row for row in facts_of(*views).run_rows if row.run_id is not None]
    assert [row.run_id for row in rows if RunsFilter(text="live").fits(row)] == [views[1].run_id]
    assert [row.run_id for row in rows if RunsFilter(text="ended").fits(row)] == [views[0].run_id]


def test_an_attempt_shows_its_program_and_that_its_version_is_another_than_before() -> None:
    """PIN6: with path and version, in the Overview; of practice there is no program to name."""
    attempts = (
        made.attempt(1, AttemptStatus.FAILED, 0, 10, program="/opt/claude", program_version="2.1.197"),
        made.attempt(2, program="/opt/claude", program_version="2.1.332"),
    )
    view = made.run_view(1, {"repo": "Running"})
    slot = replace(next(s for s in view.slots if s.slot_id == SlotId("repo")), attempts=attempts)

    def told(attempt: str, of: SlotView = slot) -> dict[str, str]:
        facts = agent_facts(view, of, "A", made.at(20), attempt=AttemptId(attempt)).facts
        return {fact.name: fact.value for fact in facts if fact.name in ("Program", "Version")}

    assert told("a-1") == {"Program": "/opt/claude", "Version": "2.1.197"}
    assert told("a-2") == {
        "Program": "/opt/claude",
        "Version": "2.1.332, another than attempt 1 (2.1.197)",
    }
    practice = replace(slot, attempts=tuple(replace(one, agent_kind="practice") for one in attempts))
    assert told("a-2", practice) == {}


def test_the_inspector_shows_what_only_earlier_attempts_did_outside_and_that_one_never_ran() -> None:
    """EFF4, EFF7: after a second attempt that never started, the push of the first is to be checked still."""
    push = EffectView("push", EffectState.UNKNOWN, "git push", "origin digest", "")
    mail = EffectView("mail", EffectState.CONFIRMED, "mail", "team", "")
    none = FiguresTotals(0, TokenCounts(), Decimal(0), True, "none")
    first = made.attempt(1, AttemptStatus.INTERRUPTED, end=60, effects=(mail, push))
    never = made.attempt(2, AttemptStatus.NEVER_STARTED, end=70, started_at=None, figures=none)
    again = made.attempt(3, AttemptStatus.RUNNING, start=80, effects=(replace(push, state=EffectState.SENT),))
    view = made.ended(made.run_view(1, {"web": "Stopped"}), Outcome.INTERRUPTED)

    def lines(*attempts: AttemptView, of: AttemptId | None = None) -> list[tuple[str, str, bool]]:
        slot = replace(next(s for s in view.slots if s.slot_id == "web"), attempts=attempts)
        facts = agent_facts(view, slot, "", NOW, UTC, of)
        return [(one.title, one.badge.word, one.can_settle) for one in facts.effects]

    assert lines(first, never) == [
        ("git push of attempt 1", "Unknown", True),
        ("mail of attempt 1", "Happened", False),
    ]
    assert lines(first, never, of=first.attempt_id) == [
        ("git push", "Unknown", True),
        ("mail", "Happened", False),
    ]
    assert lines(first, never, again) == [
        ("git push", "In flight", False),
        ("mail of attempt 1", "Happened", False),
    ], "what the newest tells itself is its own"
    slot = replace(next(s for s in view.slots if s.slot_id == "web"), attempts=(first, never))
    names = [fact.name for fact in agent_facts(view, slot, "", NOW, UTC).facts]
    assert "Cost (never ran)" in names
    assert "Cost (reports no usage)" not in names
