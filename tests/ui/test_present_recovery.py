"""What the recovery dialog says: figures, unknowns, processes, hostile names (REC3, REC4, REC9, REC11, JNL5)."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from datetime import UTC
from decimal import Decimal

import pytest

from quarterdeck.domain.ids import AttemptId, SlotId, WorkflowId
from quarterdeck.domain.practice import Spent
from quarterdeck.domain.states import AttemptStatus, EffectState
from quarterdeck.domain.views import EffectView, SettledView, SittingView
from quarterdeck.engine.recovery import Outside, Owed, Survivor
from quarterdeck.ui.present_agent import run_facts
from quarterdeck.ui.present_recovery import Going, RecoveryFacts, recovery_facts
from quarterdeck.ui.present_resume import amount_of, resume_facts
from tests.ui import interrupted_made as left
from tests.ui import made

NOW = made.at(2000)


def facts_of(owed: Owed, **views: object) -> RecoveryFacts:
    return recovery_facts(owed, NOW, {}, UTC)


def texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for one in value for t in texts(one)]
    if is_dataclass(value):
        return [t for f in fields(value) for t in texts(getattr(value, f.name))]
    return []


def test_the_head_sums_up_what_was_kept() -> None:
    facts = facts_of(left.owed_two())
    assert facts.title == "Quarterdeck closed while 2 runs were live"
    assert [(t.value, t.caption) for t in facts.totals] == [
        ("3", "agents interrupted"),
        ("83", "turns kept"),
        ("$3.45", "recorded spend"),
        ("13:19:04", "last record written"),
    ]


def test_runs_stand_in_the_order_of_their_letters_with_their_own_figures() -> None:
    """REC4: name, start, turns, cost of each; two runs of one workflow are told apart."""
    facts = facts_of(left.owed_two())
    assert [(c.letter, c.line) for c in facts.cards] == [
        ("A", "r-7f3c · started today 13:02 · ran 17m 04s · 82 turns · $3.41"),
        ("B", "r-9b21 · started today 13:18 · ran 0m 13s · 1 turn · $0.04"),
    ]
    assert facts.cards[0].rest == "3 more agents: Planner done · Drafter and Reviewer not started"
    assert facts.cards[1].rest == "4 more agents: not started"


def test_turns_of_all_attempts_are_not_told_as_those_of_the_newest() -> None:
    agents = (left.agent("a", "A", 2, 21), left.agent("b", "B", 1, 3))
    card = facts_of(Owed((left.run(left.FIRST, 0, 60, agents),))).cards[0]
    assert [one.subtitle for one in card.agents] == ["attempt 2 · 21 turns in all", "attempt 1 · 3 turns"]


def test_a_torn_tail_is_at_least_and_an_unknown_cost_is_never_nought() -> None:
    """JNL5, REC4."""
    agents = (left.agent("a", "A", cost_is_complete=False), left.agent("b", "B"))
    torn = replace(left.run(left.FIRST, 0, 60, agents), torn=True, cost_is_complete=False)
    unknown = replace(torn, torn=False, cost_usd=None)
    line = facts_of(Owed((torn,))).cards[0].line
    assert "at least 62 turns" in line
    assert "at least $3.41" in line
    assert "· ran 1m 00s ·" in line, "how long it ran is told by its end, not by a cut report"
    subtitles = [one.subtitle for one in facts_of(Owed((torn,))).cards[0].agents]
    assert subtitles == ["attempt 1 · at least 31 turns", "attempt 1 · 31 turns"]
    facts = facts_of(Owed((unknown,)))
    assert facts.cards[0].line.endswith("cost unknown")
    assert facts.totals[2].value == "unknown"
    assert "$0" not in " ".join(texts(facts))


@pytest.mark.parametrize("is_found_late", [False, True])
def test_prompt_list_and_inspector_say_one_run_time(is_found_late: bool) -> None:
    """JNL5: "at least" in all of them where nobody saw the end."""
    told = left.run(left.FIRST, 0, 95, (left.agent("a", "A"),), ran_at_least=is_found_late)
    view = left.view_of(told)
    end = made.at(95)
    sitting = SittingView(made.at(0), end, "ana", made.at(500) if is_found_late else None)
    view = replace(view, sittings=(sitting,), started_at=made.at(0), ended_at=end)
    ran = "at least 1m 35s" if is_found_late else "1m 35s"
    assert {f.name: f.value for f in run_facts(view, "", made.at(900)).facts}["Ran for"] == ran
    line = facts_of(Owed((told,))).cards[0].line
    assert f"· {'ran for ' if is_found_late else 'ran '}{ran} ·" in line


def test_a_day_that_is_over_is_named() -> None:
    early = left.run(left.FIRST, -90_000, 60, ())
    facts = facts_of(Owed((early,)))
    assert "started yesterday 12:02" in facts.cards[0].line
    assert facts.totals[3].caption != "last record written"


def test_what_lives_on_is_named_and_its_agent_waits_for_its_end() -> None:
    """REC9."""
    facts = facts_of(left.owed_two())
    one = facts.leftovers.alive[0]
    assert (one.pid, one.start_ticks, one.command) == (48213, 991, "codex exec --json")
    assert "Repo researcher" in one.words
    repo = facts.cards[0].agents[0]
    assert (repo.going, repo.note) == (Going.END_FIRST, "End the old process first")
    assert facts.cards[0].agents[1].going is Going.RESUME


@pytest.mark.parametrize(
    ("changes", "words", "is_sure"),
    [
        ({}, "Checked: no trace of the 2 agent processes was found.", True),
        ({"evidence": "its keeper recorded that everything had ended"}, "Checked: the 2 agent processes have ended.", True),
        ({"evidence": "never started"}, "", True),
        ({"evidence": "", "end_first": True}, "Could not check whether 2 agent processes have ended.", False),
        ({"evidence": "", "end_first": True, "still_ending": True}, "2 agent processes are still ending; their agents can be resumed when they have.", False),
    ],
)  # fmt: skip
def test_what_was_checked_is_said_and_no_more(changes: dict[str, object], words: str, is_sure: bool) -> None:
    """Ruling 24, REC9: the weakest statement that holds of all."""
    agents = tuple(left.agent(name, name, **changes) for name in ("a", "b"))
    found = facts_of(Owed((left.run(left.FIRST, 0, 60, agents),))).leftovers
    assert (found.checked, found.is_sure) == (words, is_sure)


def test_none_in_flight_is_said_only_where_it_is_proved() -> None:
    sure, untold = left.agent("a", "A"), left.agent("b", "B", outside=Outside.NOT_TOLD)
    agents = facts_of(Owed((left.run(left.FIRST, 0, 60, (sure, untold)),))).cards[0].agents
    assert agents[0].is_clear
    assert agents[0].checks == ("None in flight",)
    assert not agents[1].is_clear
    assert "Not told" in agents[1].checks[0]
    effects = tuple(replace(left.PUSH, id=f"e{n}", target=f"t{n}") for n in range(5))
    many = left.agent("c", "C", outside=Outside.TO_CHECK, effects=effects)
    told = facts_of(Owed((left.run(left.FIRST, 0, 60, (many,)),))).cards[0].agents[0].checks
    assert told == (
        "Unknown: git push t0 may have happened",
        "Unknown: git push t1 may have happened",
        "and 3 more",
    )


@pytest.mark.parametrize("effects", [(), (left.PUSH,)])
def test_a_damaged_report_file_is_told_in_the_prompt_and_in_the_second_step(
    effects: tuple[EffectView, ...],
) -> None:
    """CON3, EFF7: what is told of effects is not all, and it is not the agent that tells nothing."""
    outside = Outside.TO_CHECK if effects else Outside.NOT_TOLD
    agent = left.agent("a", "A", outside=outside, effects=effects, unread="damaged at byte 9")
    rows = facts_of(Owed((left.run(left.FIRST, 0, 60, (agent,)),))).cards[0].agents
    second = resume_facts(left.preview(outside=outside, effects=effects, unread=("damaged at byte 9",)), None)
    for told in (" ".join(rows[0].checks), " ".join(check.words for check in second.checks)):
        assert "damaged" in told
        assert ("git push" in told) is bool(effects)
        assert "does not say" not in told


def test_what_was_settled_is_told_with_who_and_why_and_the_agent_is_not_said_to_tell_nothing() -> None:
    """Ruling 13: what a person said, or a probe found, stays to be read where the run is answered."""
    said = SettledView("happened", "it is in the tracker", "ana", made.at(70))
    settled = replace(left.PUSH, state=EffectState.ACCEPTED_BY_PERSON, settled=said)
    agent = left.agent("a", "A", outside=Outside.NOT_TOLD, settled=(settled,))
    checks = facts_of(Owed((left.run(left.FIRST, 0, 60, (agent,)),))).cards[0].agents[0].checks
    assert checks[0] == "Not known: whether it did more outside"
    assert checks[1].startswith("git push origin digest: Happened (ana, ")
    assert checks[1].endswith(": it is in the tracker)")


def test_button_names_are_unique_and_begin_with_the_title() -> None:
    """Ruling 28."""
    runs = tuple(
        left.run(run, 0, 9, (left.agent("a", "Planner"), left.agent("b", "Planner")))
        for run in (left.FIRST, left.SECOND)
    )
    names = [a.name for c in facts_of(Owed(runs)).cards for a in c.agents]
    assert names[0] == "Resume Planner"
    assert len(set(names)) == len(names) == 4
    assert all(name.startswith("Resume Planner") for name in names)


def test_hostile_names_are_plain_and_short() -> None:
    """REC4: HTML, bidi, ten thousand letters."""
    evil = "<img src=x onerror=alert(1)> \u202egnirts " + "W" * 10_000
    agent = left.agent(
        "a",
        evil,
        last_known=f"in {evil}: {evil}",
        survivors=(Survivor(1, 2, evil, evil),),
        effects=(replace(left.PUSH, target=evil),),
        outside=Outside.TO_CHECK,
    )
    told = replace(left.run(left.FIRST, 0, 9, (agent,)), workflow_name=evil)
    for text in texts(facts_of(Owed((told,)))):
        assert "\u202e" not in text
        assert len(text) < 400, text


def test_what_moved_since_outranks_what_was_told_when_the_dialog_opened() -> None:
    """SLT16, SLT17: re-opened is shown as that, and a new attempt as what it is."""
    told = left.owed_two().runs[0]
    view = left.view_of(told)
    reopened = made.reopened(view, SlotId("planner"), "again")
    facts = recovery_facts(Owed((told,)), NOW, {told.run_id: reopened}, UTC)
    line = facts.cards[0].agents[0]
    assert (line.going, line.badge.word) == (Going.REOPENED, "Re-opened, waiting to start")
    slots = tuple(
        replace(s, display="Running", attempts=(*s.attempts, made.attempt(2, AttemptStatus.RUNNING, attempt_id=AttemptId("a-new"))))
        if s.slot_id == "planner" else s
        for s in view.slots
    )  # fmt: skip
    facts = recovery_facts(Owed((told,)), NOW, {told.run_id: replace(view, slots=slots)}, UTC)
    line = facts.cards[0].agents[0]
    assert (line.going, line.note) == (Going.TAKEN_UP, "Attempt 2: running")


def test_a_resumed_run_is_said_to_run_and_its_row_stays_the_record_of_the_attempt_that_was_cut_off() -> None:
    """REC11: the row tells of one attempt, its note of the other."""
    told = left.owed_two().runs[0]
    view = left.view_of(told)
    card = recovery_facts(Owed((told,)), NOW, {told.run_id: view}, UTC).cards[0]
    assert (card.badge.word, card.stands) == ("Stopped", "Stopped, restored")
    new = made.attempt(2, AttemptStatus.RUNNING, attempt_id=AttemptId("a-new"))
    slots = tuple(
        replace(s, display="Running", attempts=(*s.attempts, new)) if s.slot_id == "planner" else s
        for s in view.slots
    )
    live = replace(made.run_view(1, {}, made.workflow(), run_id=told.run_id), slots=slots)
    card = recovery_facts(Owed((told,)), NOW, {told.run_id: live}, UTC).cards[0]
    assert (card.badge.word, card.stands) == ("Running", "Running")
    line = card.agents[0]
    assert (line.badge.word, line.subtitle) == ("Stopped", "attempt 1 · 1 turn")
    assert line.last_known == told.agents[0].last_known
    assert line.note == "Attempt 2: running"


def test_no_word_of_the_prompt_says_that_something_goes_on() -> None:
    """REC11: restored things are records."""
    for owed in (left.owed_two(), left.owed_one(), left.owed_crowd()):
        for text in texts(facts_of(owed)):
            assert not re.search(r"\b(running|continues|resuming)\b", text, re.I), text


def test_the_second_step_says_what_is_pinned_to_check_and_done_again() -> None:
    """REC14, PIN6."""
    facts = resume_facts(left.preview(), None)
    told = {fact.name: fact.value for fact in facts.facts}
    assert facts.start == "Start attempt 2"
    assert told["Agent"] == "researcher, claude-code, opus-5, as launched"
    assert told["Will be done again"] == "draft (its saved file is damaged)"
    assert told["Saved steps"] == "sources read, outline"
    assert facts.checks[0].words == "Unknown: git push origin digest may have happened"
    assert "another version" in facts.choices[0].differs[0]
    assert (facts.limit, facts.asks_run_limit) == ("$2.00", False)
    none_left = resume_facts(left.preview(run_left_usd=Decimal("-0.10")), None)
    assert none_left.asks_run_limit
    assert "$0.00" in none_left.run_left


@pytest.mark.parametrize(("typed", "amount"), [("2.50", Decimal("2.50")), (" $3 ", Decimal(3)), ("", None)])
def test_a_limit_is_an_amount_or_nothing(typed: str, amount: Decimal | None) -> None:
    assert amount_of(typed) == amount


@pytest.mark.parametrize("typed", ["0", "-1", "NaN", "inf", "two", "1,5"])
def test_anything_else_is_no_limit(typed: str) -> None:
    assert "amount in US dollars" in str(amount_of(typed))


def test_what_practice_agents_pretended_is_told_as_practice_and_adds_to_no_recorded_spend() -> None:
    """Of a run with both, and of one where nobody was paid; as list and inspector have it."""
    planner = (left.agent("planner", "Planner", 1, 1),)
    both = left.run(
        left.FIRST,
        0,
        60,
        planner,
        cost_usd=Decimal("3.41"),
        practice=Spent(Decimal("3"), True, Decimal("0.41")),
    )
    alone = left.run(
        left.SECOND,
        60,
        60,
        planner,
        cost_usd=Decimal("0.28"),
        practice=Spent(Decimal(0), True, Decimal("0.28")),
    )
    facts = facts_of(Owed((both, alone)))
    assert [card.line.split(" · ")[-1] for card in facts.cards] == [
        "$3.00 and $0.41 practice",
        "$0.28 practice",
    ]
    assert facts.totals[2].value == "$3.00 and $0.69 practice"
    torn = facts_of(Owed((replace(alone, cost_is_complete=False),)))
    assert torn.cards[0].line.endswith("at least $0.28 practice")
    assert torn.totals[2].value == "at least $0.28 practice"


def test_where_workflows_differ_no_two_runs_of_the_prompt_have_one_letter() -> None:
    """Two cards with a tile `A` cannot be told apart by it."""
    other = replace(left.run(left.SECOND, 0, 60, ()), workflow_id=WorkflowId("w-other"))
    facts = facts_of(Owed((left.run(left.FIRST, 10, 60, ()), other)))
    assert sorted(card.letter for card in facts.cards) == ["A", "B"]


def test_where_every_agent_of_the_prompt_is_a_practice_agent_that_is_known() -> None:
    """So that nothing is said of money; one paid agent, or one that no record names, and it is."""
    practice, paid = left.agent("a", "A", is_practice=True), left.agent("b", "B")
    for agents, is_practice in (((practice,), True), ((practice, paid), False), ((), False)):
        facts = facts_of(Owed((left.run(left.FIRST, 0, 60, agents),)))
        assert facts.is_practice is is_practice


def test_a_practice_agent_is_resumed_without_a_word_of_money() -> None:
    choices = left.preview().choices
    paid = resume_facts(left.preview(), None)
    practice = resume_facts(left.preview(choices=tuple(replace(c, kind="practice") for c in choices)), None)
    assert "may cost money" in paid.costs
    assert "money" not in practice.costs
    assert "Practice agents cost nothing." in practice.costs
