"""Questions by their exact bytes, answers that hold for the run, and messages: the pure rules, against a naive model."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from quarterdeck.domain.errors import IllegalTransition
from quarterdeck.domain.events import ApprovalAnswered, AttemptLost, MessageSent, PermissionWithdrawn
from quarterdeck.domain.fold_check import check
from quarterdeck.domain.ids import AttemptId, MessageId, RequestId, SlotId
from quarterdeck.domain.join import run_view
from quarterdeck.domain.messages import judge_message
from quarterdeck.domain.not_open import why_not_open
from quarterdeck.domain.open_questions import OpenQuestions, exact_of
from quarterdeck.domain.permissions import (
    ALLOW_FOR_RUN,
    PERMISSION_OPTIONS,
    choices_of,
    is_for_run,
    told_to_agent,
)
from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.show import run_from_record, run_to_json
from quarterdeck.domain.states import AttemptStatus, EffectState
from quarterdeck.domain.views import ApprovalView, RunView
from quarterdeck.domain.waits import waits_of
from tests.domain.build import OWNER, at, claimed, ended, entries, history, launched, reports, then

A, A1, A2 = SlotId("a"), AttemptId("a-1"), AttemptId("a-2")
STARTED = {"kind": "started", "pid": 1}


def ask(own: str, question: str, **more: Any) -> dict[str, Any]:
    return {"kind": "approval", "id": own, "question": question, "options": ["Deny", "Allow once"], **more}


def folded(*bodies: dict[str, Any]) -> AttemptFold:
    fold = AttemptFold()
    for report in reports(STARTED, *bodies):
        fold.apply(report)
    return fold


def view_of(state: RunState, **folds: AttemptFold) -> RunView:
    named = {AttemptId(name.replace("_", "-")): fold for name, fold in folds.items()}
    return run_view(state, named, {}, {"worker": "command"})


def open_of(view: RunView) -> list[ApprovalView]:
    return [one for slot in view.slots for one in slot.approvals]


def answer(one: ApprovalView, seq: int, choice: str = ALLOW_FOR_RUN) -> ApprovalAnswered:
    for_run = is_for_run(choice)
    return ApprovalAnswered(
        one.slot_id, one.attempt_id, one.epoch, one.request_id, choice, OWNER, one.exact, seq, for_run
    )


# ------------------------------------------------------------------------------------------- what may be chosen


@pytest.mark.parametrize(
    ("options", "choices"),
    [
        (("Deny", "Allow once"), PERMISSION_OPTIONS),
        (("allow", "deny"), ("allow", "deny", ALLOW_FOR_RUN)),
        (PERMISSION_OPTIONS, PERMISSION_OPTIONS),
        (("Deny", "Allow once", "Allow for run"), ("Deny", "Allow once", "Allow for run")),
        (("yes", "no"), ("yes", "no")),
        ((), ()),
    ],
)
def test_what_can_be_allowed_once_can_be_allowed_for_the_run(
    options: tuple[str, ...], choices: tuple[str, ...]
) -> None:
    assert choices_of(options) == choices
    for choice in choices:
        told = told_to_agent(options, choice)
        assert told in options, "an agent hears one of its own options"
        assert told == choice or is_for_run(choice)


# ------------------------------------------------------------------------------------------- exact bytes


def test_other_bytes_under_a_used_id_are_another_question_and_the_same_bytes_the_same() -> None:
    """Case 122."""
    asked = OpenQuestions()
    for report in reports(ask("q", "ls"), ask("q", "ls"), ask("q", "rm"), ask("r", "ls")):
        asked.ask(report)
    assert [asked.name_of(own) for own in asked] == ["q@3", "r"]
    assert (asked.own_id_of("q@3"), asked.own_id_of("q")) == ("q", None)
    asked.take_answer({"id": "q", "asked_seq": 1})
    assert "q" in asked, "an answer to the older asking closes no newer one"
    asked.take_answer({"id": "q", "asked_seq": 3})
    assert "q" not in asked
    asked.ask({**ask("q", "ls"), "seq": 9})
    assert asked.name_of("q") == "q@9"


@pytest.mark.parametrize(
    "own", ["q; touch /tmp/x #", "q\x1b[31m", "q\u202e", "", "-x", "a b", "$(id)", "q@9", "a-1:q", "q" * 101]
)
def test_a_question_whose_id_cannot_be_typed_is_named_by_its_number(own: str) -> None:
    """Case 122: the name of a question stands in commands that a person pastes, and no agent can make it another's."""
    asked = OpenQuestions()
    for report in reports(ask(own, "ls"), ask("q", "ls")):
        asked.ask(report)
    assert [asked.name_of(one) for one in asked] == ["@1", "q"]
    assert asked.own_id_of("@1") == own
    asked.ask({**ask("q", "rm"), "seq": 9})
    assert asked.name_of("q") == "q@9"


@pytest.mark.parametrize("field", ["question", "options", "tool", "action", "where", "network", "writes"])
def test_everything_that_a_person_is_shown_is_a_part_of_what_is_asked(field: str) -> None:
    one = ask("q", "ls", tool="t", action="a", where="w", network="n", writes="x")
    other = {**one, field: ["Allow once"] if field == "options" else "another"}
    assert exact_of(one) != exact_of(other)
    assert exact_of(one) == exact_of({**one, "id": "r", "seq": 7, "boot_ms": 1})


def test_an_answer_is_journaled_once_and_a_second_one_is_no_entry() -> None:
    state = history(claimed("a", 1))
    (one,) = open_of(view_of(state, a_1=folded(ask("q", "ls"))))
    then(state, answer(one, 2, "Deny"))
    with pytest.raises(IllegalTransition):
        check(state, answer(one, 2), at=at(1))


# ------------------------------------------------------------------------------------------- what waited for leave


def _over(how: str, *before: Any) -> RunState:
    end = {
        "lost": AttemptLost(A, A1, "no trace of it was found"),
        "interrupted": ended("a", 1, status=AttemptStatus.INTERRUPTED),
    }
    return history(claimed("a", 1), *before, end[how])


def _effects(state: RunState, fold: AttemptFold) -> list[tuple[str, str, str]]:
    (slot,) = (one for one in view_of(state, a_1=fold).slots if one.slot_id == A)
    return [(one.id, one.state.value, one.detail) for one in slot.attempts[0].effects]


@pytest.mark.parametrize("how", ["lost", "interrupted"])
@pytest.mark.parametrize("reported", ["intended", "sent"])
def test_a_call_that_waited_for_leave_when_its_keeper_was_killed_was_not_begun(
    how: str, reported: str
) -> None:
    """EFF2, EFF7: neither its agent nor its keeper could say so any more, but nobody had given leave."""
    fold = folded(
        {"kind": "effect", "id": "t0", "state": reported},
        {"kind": "effect", "id": "t1", "state": reported},
        ask("q", "rm", effect="t1"),
    )
    state = _over(how)
    told = _effects(state, fold)
    assert told[1] == ("t1", "refused", "nobody answered whether it may; it was not begun")
    assert told[0][1] in ("intended", "sent", "unknown")
    to_check = [id_ for id_, now, _ in told if EffectState(now) in IN_FLIGHT_AT_END]
    assert to_check == ["t0"], "only what may have happened is to be checked"


@pytest.mark.parametrize("how", ["lost", "interrupted"])
def test_a_call_that_leave_was_given_for_may_have_happened(how: str) -> None:
    """The answer is in the journal before the agent hears it: whether it heard it is not known."""
    fold = folded({"kind": "effect", "id": "t1", "state": "sent"}, ask("q", "rm", effect="t1"))
    (one,) = open_of(view_of(history(claimed("a", 1)), a_1=fold))
    told = _effects(_over(how, answer(one, 3, "Allow once")), fold)
    assert told[0][1] in ("sent", "unknown")


def test_what_its_agent_said_of_a_call_outranks_its_question() -> None:
    fold = folded(ask("q", "rm", effect="t1"), {"kind": "effect", "id": "t1", "state": "confirmed"})
    assert _effects(_over("interrupted"), fold)[0][1] == "confirmed"


# ------------------------------------------------------------------------------------------- for the run


class Naive:
    """What is open, by a list of everything that was asked and answered. Imports nothing."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answered: set[str] = set()
        self.allowed: list[tuple[Any, tuple[int, int]]] = []

    def ask(self, attempt: str, epoch: int, seq: int, own: str, content: Any) -> None:
        mine = [one for one in self.asked if one["attempt"] == attempt and one["own"] == own]
        if mine and mine[-1]["is_open"] and mine[-1]["content"] == content:
            return
        name = f"{attempt}:{own}" + (f"@{seq}" if mine else "")
        for one in mine:
            one["is_open"] = False
        place = (epoch, seq)
        self.asked.append(
            {
                "attempt": attempt,
                "own": own,
                "content": content,
                "name": name,
                "place": place,
                "is_open": True,
            }
        )

    def open(self, attempt: str) -> list[str]:
        return [
            one["name"]
            for one in self.asked
            if one["attempt"] == attempt and one["is_open"] and one["name"] not in self.answered
            if not any(
                content == one["content"] and one["place"] > place for content, place, _ in self.allowed
            )
        ]

    def answer(self, name: str, for_run: bool) -> None:
        self.answered.add(name)
        one = next(one for one in self.asked if one["name"] == name)
        if for_run:
            self.allowed = [kept for kept in self.allowed if kept[0] != one["content"]]
            self.allowed.append((one["content"], one["place"], name))

    def withdraw(self, name: str) -> None:
        self.allowed = [kept for kept in self.allowed if kept[2] != name]


def test_what_is_open_is_what_a_naive_model_says_in_random_histories() -> None:
    """Asked, said again, replaced, answered once or for the run, over two attempts of a slot."""
    seen_covered = 0
    for seed in range(150):
        random, naive = Random(seed), Naive()
        state = history(claimed("a", 1))
        for epoch, attempt in ((1, A1), (2, A2)):
            if epoch == 2:
                then(state, ended("a", 1, status=AttemptStatus.FAILED))
                _take_up(state)
            fold, seq = folded(), 1
            for _ in range(14):
                standing = run_view(state, {}, {}, {}).slots[0].allowed
                assert sorted(one.request_id for one in standing) == sorted(kept[2] for kept in naive.allowed)
                if standing and random.random() < 0.1:
                    one_allowed = random.choice(standing)
                    then(state, PermissionWithdrawn(A, one_allowed.request_id, OWNER))
                    naive.withdraw(one_allowed.request_id)
                elif random.random() < 0.6:
                    seq += 1
                    own, words = random.choice("qr"), random.choice(["ls", "rm"])
                    fold.apply({**ask(own, words), "seq": seq, "epoch": epoch, "boot_ms": 1, "wall_ms": 1})
                    naive.ask(attempt, epoch, seq, own, words)
                else:
                    shown = open_of(view_of(state, **{attempt.replace("-", "_"): fold}))
                    if shown:
                        one = random.choice(shown)
                        own = one.request_id.partition(":")[2].partition("@")[0]
                        for_run = random.random() < 0.4
                        choice = ALLOW_FOR_RUN if for_run else "Deny"
                        then(state, answer(one, int(fold.open_questions[own]["seq"]), choice))
                        naive.answer(one.request_id, for_run)
                shown = open_of(view_of(state, **{attempt.replace("-", "_"): fold}))
                assert sorted(one.request_id for one in shown) == sorted(naive.open(attempt)), seed
                seen_covered += len(fold.open_questions) - len(shown)
    assert seen_covered > 100, "the histories must reach what is covered"


def _take_up(state: RunState) -> None:
    from tests.domain.build import reassigned

    then(state, reassigned("a", 1, "k-1"), claimed("a", 2, 2, token="k-1", cause="person"))


def test_an_answer_for_the_run_leaves_other_slots_and_earlier_requests_open() -> None:
    state = history(claimed("a", 1), claimed("b", 2))
    fold = folded(ask("q", "ls"), ask("r", "ls"))
    shown = open_of(view_of(state, a_1=fold, a_2=folded(ask("q", "ls"))))
    assert len(shown) == 3
    then(state, answer(next(one for one in shown if one.request_id == f"{A1}:r"), 3))
    left = open_of(view_of(state, a_1=fold, a_2=folded(ask("q", "ls"))))
    assert [one.request_id for one in left] == [f"{A1}:q", f"{A2}:q"]


def test_waits_tell_each_asking_apart_and_one_that_was_replaced_ends_then() -> None:
    journal = entries(launched(["a"]), claimed("a", 1))
    said = [
        {"kind": "starting", "boot": "boot-1", "seq": 1, "boot_ms": 1, "wall_ms": 1},
        *({**ask("q", words), "seq": n, "boot_ms": n, "wall_ms": n} for n, words in ((2, "ls"), (3, "rm"))),
        {"kind": "approval_answered", "id": "q", "asked_seq": 3, "seq": 4, "boot_ms": 9, "wall_ms": 9},
    ]
    older, newer = waits_of(journal, {A1: said})
    assert (older.question, older.was_answered, older.answered_at and older.answered_at.boot_ms) == (
        "ls",
        False,
        3,
    )
    assert (newer.question, newer.was_answered, newer.request_id) == ("rm", True, f"{A1}:q@3")


# ------------------------------------------------------------------------------------------- explained


def test_why_a_question_is_not_open_is_said_for_each_reason() -> None:
    state = history(claimed("a", 1))
    fold = folded(ask("q", "ls"))
    (one,) = open_of(view_of(state, a_1=fold))
    assert "not open" in why_not_open(view_of(state, a_1=fold), "else")
    assert one.request_id in why_not_open(view_of(state, a_1=fold), "a", (one, one))
    assert "something else came in its place" in why_not_open(view_of(state, a_1=folded()), one.request_id)
    then(state, answer(one, 2))
    assert "answered “Allow for this run” by " in why_not_open(view_of(state, a_1=fold), one.request_id)
    again = ApprovalAnswered(
        A, A1, 1, RequestId(f"{A1}:r"), ALLOW_FOR_RUN, OWNER, one.exact, 3, False, one.request_id
    )
    then(state, again)
    assert "as was allowed for this run" in why_not_open(view_of(state, a_1=fold), "r")
    then(state, ended("a", 1))
    assert "has ended" in why_not_open(view_of(state, a_1=fold), f"{A1}:s")


# ------------------------------------------------------------------------------------------- messages


def _living(**changes: Any) -> tuple[RunState, Any]:
    state = history(claimed("a", 1))
    fold = folded({"kind": "session", "id": "s", "resumable": False, "messages": True})
    newest = view_of(state, a_1=fold).slots[0].attempts[-1]
    assert newest.takes_messages
    return state, replace(newest, **changes)


def test_a_message_goes_as_it_is_to_an_agent_at_work_that_takes_it() -> None:
    state, newest = _living()
    sent = judge_message(state, A, newest, " Look!\n", OWNER, MessageId("m-1"))
    assert sent == MessageSent(A, A1, 1, MessageId("m-1"), " Look!\n", OWNER)


@pytest.mark.parametrize(
    ("changes", "text", "code", "words"),
    [
        ({"status": AttemptStatus.PAUSED}, "x", Code.E_ATTEMPT_STATE, "is paused"),
        ({"status": AttemptStatus.STOPPING}, "x", Code.E_ATTEMPT_STATE, "is stopping"),
        ({"takes_messages": False}, "x", Code.E_ATTEMPT_STATE, "takes no messages"),
        (
            {"takes_messages": False, "session_id": None},
            "x",
            Code.E_ATTEMPT_STATE,
            "has not said yet that it takes messages: it may be starting",
        ),
        ({}, " \n", Code.E_INPUT, "Say something"),
        ({}, "x" * 100_001, Code.E_INPUT, "100,000"),
    ],
)
def test_a_message_that_cannot_be_taken_is_refused_in_words(
    changes: dict[str, Any], text: str, code: Code, words: str
) -> None:
    state, newest = _living(**changes)
    refused = judge_message(state, A, newest, text, OWNER, MessageId("m-1"))
    assert isinstance(refused, Refusal)
    assert (refused.code, words in refused.message) == (code, True)


def test_messages_are_the_persons_turns_kept_in_view_and_record_and_counted_nowhere() -> None:
    state = history(claimed("a", 1))
    then(state, *(MessageSent(A, A1, 1, MessageId(f"m-{n}"), f"word {n}", OWNER) for n in range(3)))
    fold = folded(
        {"kind": "said", "id": "m-0", "text": "word 0", "delivered": True, "at_byte": 7},
        {"kind": "said", "id": "m-1", "text": "word 1", "delivered": False, "at_byte": 9},
    )
    view = view_of(state, a_1=fold)
    told = view.slots[0].attempts[-1].messages
    assert [(one.text, one.delivered, one.at_byte) for one in told] == [
        ("word 0", True, 7),
        ("word 1", False, 9),
        ("word 2", None, None),
    ]
    assert view.turns == 0
    assert run_from_record(run_to_json(view)) == view


@pytest.mark.parametrize("is_known", [True, False])
def test_a_message_that_still_waited_when_its_agent_ended_was_not_delivered(is_known: bool) -> None:
    """Case 70: also where the app was restarted, and the shim could not tell any more what became of it."""
    state = history(claimed("a", 1))
    then(state, MessageSent(A, A1, 1, MessageId("m-0"), "word", OWNER))
    reports = ({"kind": "exit", "code": 0, "reason": "exit"},) if is_known else ()
    if not is_known:
        then(state, ended("a", 1))
    [told] = view_of(state, a_1=folded(*reports)).slots[0].attempts[-1].messages
    assert told.delivered is False
