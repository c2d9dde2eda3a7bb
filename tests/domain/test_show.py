"""What a run shows: the documented keys of design §8, the words of ruling 28, and sums that say what is missing."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

from quarterdeck.domain.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AttemptLost,
    AttemptPauseRequested,
    BudgetWarned,
    ClaimRefused,
    EffectSettled,
)
from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.ids import AttemptId, RequestId, SlotId
from quarterdeck.domain.join import LiveTotals, run_view, summary
from quarterdeck.domain.open_questions import request_id_of
from quarterdeck.domain.projection import project
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.show import (
    record_of,
    run_from_record,
    run_to_json,
    status_to_json,
    summary_from_json,
    summary_to_json,
)
from quarterdeck.domain.states import AttemptStatus, EffectState, LeaseStatus, Outcome, SlotState
from quarterdeck.domain.views import RunView, SlotView, warned_view
from tests.domain.build import OWNER, at, claimed, ended, history, reassigned, reports, run_ended, then, usage

KINDS = {"writer": "command", "painter": "practice"}
A, A1 = SlotId("a"), AttemptId("a-1")
STARTING = {"kind": "starting", "boot": "boot-1"}
STARTED = {"kind": "started", "pid": 7, "containment": "pid_namespace", "cwd": "/w"}


def shown(state: RunState, *bodies: dict[str, Any], live: LiveTotals | None = None) -> RunView:
    fold = AttemptFold()
    for report in reports(*bodies):
        fold.apply(report)
    return run_view(state, {A1: fold} if bodies else {}, {A1: live} if live else {}, KINDS)


def first(view: RunView) -> SlotView:
    return view.slots[0]


def test_a_run_shows_every_documented_key() -> None:
    """Design §8."""
    state = history(
        claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED), reassigned("a", 1, "k"), run_ended()
    )
    document = json.loads(json.dumps(run_to_json(shown(state, STARTING, STARTED))))
    assert set(document) >= {
        "run_id", "workflow_id", "workflow_name", "launch_seq", "phase", "outcome", "started_at", "ended_at",
        "sittings", "pins", "turns", "tokens", "cost_usd", "cost_is_complete", "accepted_by", "accepted_at", "slots",
    }  # fmt: skip
    assert set(document["pins"]) == {"package", "workflow", "binding"}
    slot = document["slots"][0]
    assert set(slot) >= {
        "slot", "node_id", "title", "state", "display", "reason", "prior_attempt", "reopened", "attempts",
    }  # fmt: skip
    assert set(slot["reopened"]) >= {"reason", "actor", "at", "agent", "class"}
    assert set(slot["attempts"][0]) >= {
        "attempt_id", "epoch", "agent", "class", "status", "reason", "started_at", "ended_at", "evidence", "turns",
        "cost_usd", "session_id", "exit_code", "effects", "artifacts", "output",
    }  # fmt: skip
    assert document["started_at"] == "2023-11-14T22:13:20.010Z"
    assert document["slots"][1]["reopened"] is None


def test_a_record_names_its_schema_and_the_sequence_that_it_covers() -> None:
    """Ruling 15."""
    view = shown(history(run_ended()))
    record = json.loads(json.dumps(record_of(view)))
    assert (record["schema"], record["covers_seq"]) == (1, view.seq)
    assert run_from_record(record) == view
    assert summary_from_json(summary_to_json(summary(view))) == summary(view)
    assert "slots" not in run_to_json(view, with_slots=False)


def test_a_status_names_its_run_and_the_number_live() -> None:
    """OWN6, design §8."""
    view = shown(history())
    status = status_to_json(project(view.workflow_id, "Works", [summary(view)]))
    assert (status["state"], status["live"], status["shown_run"]) == ("live", 1, view.run_id)
    assert set(status) == {
        "workflow_id",
        "name",
        "live",
        "shown_run",
        "state",
        "outcome",
        "turns",
        "cost_usd",
        "cost_is_complete",
        "cost_source",
    }


def test_each_situation_has_its_word() -> None:
    """Ruling 28; REC11 and REC12: an interrupted agent is Stopped, with its reason."""
    one = claimed("a", 1)
    lost = AttemptLost(A, A1, "it does not answer")
    stop = {"kind": "ending", "reason": "stop"}
    left = {"kind": "exit", "code": 0, "tree_empty": False, "left": [9]}
    closed = ended(
        "a", 1, status=AttemptStatus.INTERRUPTED, lease=LeaseStatus.EXPIRED_PROVED, message="app closed"
    )
    situations: list[tuple[RunState, tuple[dict[str, Any], ...], str]] = [
        (history(), (), "Waiting"),
        (history(run_ended()), (), "Not started"),
        (history(one), (STARTING,), "Starting"),
        (history(one), (STARTED,), "Running"),
        (history(one), (STARTED, {"kind": "paused"}), "Paused"),
        (history(one), (STARTED, {"kind": "approval", "id": "p", "question": "?"}), "Needs you"),
        (history(one), (STARTED, stop), "Stopping"),
        (history(one, lost), (STARTED, stop), "Still ending"),
        (history(one, lost), (STARTED, stop, left), "Could not stop"),
        (history(one, lost, run_ended(Outcome.INTERRUPTED)), (STARTED,), "Still alive"),
        (history(one, closed, run_ended(Outcome.INTERRUPTED)), (STARTED,), "Stopped"),
        (history(one, ended("a", 1)), (STARTED,), "Done"),
        (history(one, closed, reassigned("a", 1, "k")), (STARTED,), "Re-opened, waiting to start"),
        (history(ClaimRefused(A, "E_CRED_REMEMBERED", "its sign-in failed before")), (), "Failed"),
    ]
    for state, bodies, word in situations:
        assert first(shown(state, *bodies)).display == word
    stopped = shown(history(one, closed, run_ended(Outcome.INTERRUPTED)), STARTED)
    assert (first(stopped).state, first(stopped).reason) == (SlotState.RETRY_WAIT, "app closed")
    assert not stopped.is_live


def test_a_lost_view_is_not_a_stopped_agent() -> None:
    """Case 25: the slot stays active while nothing proves an end."""
    view = shown(history(claimed("a", 1), AttemptLost(A, A1, "it does not answer")), STARTED)
    assert (first(view).state, first(view).attempts[0].status) == (SlotState.ACTIVE, AttemptStatus.LOST)


def test_the_clock_of_a_lost_agent_stands_still_and_its_end_is_told_by_its_end() -> None:
    """REC6; a record of an earlier version does not tell when contact was lost: there the run's end is all that is known."""
    lost = history(claimed("a", 1), AttemptLost(A, A1, "still alive"), run_ended(Outcome.INTERRUPTED))
    view = shown(lost, STARTED)
    attempt = first(view).attempts[0]
    assert (attempt.ended_at, attempt.stood_at, attempt.lost_at) == (
        None,
        attempt.lost_at,
        lost.attempts[A1].lost_at,
    )
    told = run_to_json(view)
    assert run_from_record(told) == view
    old = told["slots"][0]["attempts"][0]
    del old["lost_at"], old["lost_clock"]
    assert first(run_from_record(told)).attempts[0].stood_at == view.ended_at
    proved = ended("a", 1, status=AttemptStatus.STOPPED, lease=LeaseStatus.REVOKED, message="stopped by you")
    over = first(
        shown(history(claimed("a", 1), AttemptLost(A, A1, "still alive"), proved), STARTED)
    ).attempts[0]
    assert (over.lost_at, over.stood_at) == (None, over.ended_at)


def test_what_a_lost_agent_spends_is_not_known_to_the_end() -> None:
    """Ruling 11: its keeper's last word is a lower bound, and no exact sum."""
    usage = {"kind": "usage", "cost_usd": "0.07", "model": "m", "output_tokens": 5}
    known = shown(history(claimed("a", 1)), STARTED, usage)
    assert (known.cost_usd, known.cost_is_complete) == (Decimal("0.07"), True)
    lost = shown(history(claimed("a", 1), AttemptLost(A, A1, "still alive")), STARTED, usage)
    assert (lost.cost_usd, lost.cost_is_complete) == (Decimal("0.07"), False)
    assert first(lost).cost_is_complete is False


def test_a_paused_agent_that_was_interrupted_keeps_that_it_was_paused() -> None:
    """C9."""
    end = ended(
        "a", 1, status=AttemptStatus.INTERRUPTED, lease=LeaseStatus.EXPIRED_PROVED, message="app closed"
    )
    state = history(claimed("a", 1), AttemptPauseRequested(A, A1, OWNER), end)
    assert first(shown(state, STARTED)).reason == "app closed (was paused)"


def test_an_open_question_is_named_by_its_attempt_and_gone_once_answered_or_ended() -> None:
    question = {"kind": "approval", "id": "p", "question": "Push?", "options": ["yes", "no"]}
    state = history(claimed("a", 1))
    (asked,) = first(shown(state, STARTING, STARTED, question)).approvals
    assert (asked.request_id, asked.question, asked.options) == (
        request_id_of(A1, "p"),
        "Push?",
        ("yes", "no"),
    )
    then(state, ApprovalAnswered(A, A1, 1, asked.request_id, "yes", OWNER))
    answered = first(shown(state, STARTING, STARTED, question))
    assert (answered.approvals, answered.display) == ((), "Running")
    done = history(claimed("a", 1), ended("a", 1))
    assert first(shown(done, STARTING, STARTED, question)).approvals == ()


def test_an_approval_node_is_held_without_attempt_also_after_a_restart() -> None:
    """Ruling 6."""
    state = history(ApprovalAsked(A, RequestId("a:approval"), "Ship it?", ("Approve", "Reject")), run_ended())
    slot = first(shown(state))
    assert (slot.state, slot.display, slot.attempts) == (SlotState.HELD, "Needs you", ())
    assert slot.approvals[0].attempt_id is None


def test_effects_are_unknown_after_the_end_until_they_are_settled() -> None:
    """EFF2, EFF3, ruling 13: a normal exit, too, leaves them unknown."""
    sent = {"kind": "effect", "id": "push", "state": "sent", "type": "git", "target": "origin"}
    state = history(claimed("a", 1))
    assert first(shown(state, STARTED, sent)).attempts[0].effects[0].state is EffectState.SENT
    then(state, ended("a", 1))
    assert first(shown(state, STARTED, sent)).attempts[0].effects[0].state is EffectState.UNKNOWN
    then(state, EffectSettled(A, A1, "push", "accepted_by_person", "42", "seen on the server", OWNER))
    assert first(shown(state, STARTED, sent)).attempts[0].effects[0].state is EffectState.ACCEPTED_BY_PERSON


def test_a_living_attempt_shows_its_shims_totals_and_an_ended_one_its_own() -> None:
    live = LiveTotals(FiguresTotals(3, cost_usd=Decimal("0.5")), "last words", (1, 2, "files"), 77)
    state = history(claimed("a", 1))
    view = shown(state, STARTED, live=live)
    assert run_from_record(json.loads(json.dumps(run_to_json(view)))) == view
    attempt = first(view).attempts[0]
    assert (attempt.figures.turns, attempt.tail, attempt.progress, attempt.last_output_at_ms) == (
        3, "last words", (1, 2, "files"), 77,
    )  # fmt: skip
    figures = FiguresTotals(5, cost_usd=Decimal("0.7"), cost_is_complete=True)
    then(state, ended("a", 1, figures=figures))
    attempt = first(shown(state, STARTED, live=live)).attempts[0]
    assert (attempt.figures, attempt.tail, attempt.progress, attempt.last_output_at_ms) == (
        figures,
        "",
        None,
        None,
    )


def test_sums_are_of_what_is_known_and_say_when_a_part_is_not() -> None:
    """Ruling 11: unstarted slots add nothing; unknown never voids; nothing known is null."""
    known = FiguresTotals(1, TokenCounts(5), Decimal("0.05"), True, "reported")
    unknown = FiguresTotals(2)
    both = history(
        claimed("a", 1), ended("a", 1, figures=known), claimed("b", 2), ended("b", 2, figures=unknown)
    )
    view = shown(both)
    assert (view.turns, view.tokens, view.cost_usd, view.cost_is_complete) == (
        3, TokenCounts(5), Decimal("0.05"), False,
    )  # fmt: skip
    one = shown(history(claimed("a", 1), ended("a", 1, figures=unknown)))
    assert (one.cost_usd, one.cost_is_complete) == (None, False)
    alone = shown(history(claimed("a", 1), ended("a", 1, figures=known)))
    assert (alone.cost_usd, alone.cost_is_complete, alone.slots[1].cost_usd) == (Decimal("0.05"), True, None)
    assert (shown(history()).cost_usd, shown(history()).cost_is_complete) == (0, True)


def test_late_usage_counts_in_the_run_marked_and_not_in_the_attempts_figures() -> None:
    """Ruling 9."""
    state = history(claimed("a", 1), ended("a", 1, upto=1, figures=FiguresTotals(0, cost_usd=Decimal(0))))
    fold = AttemptFold()
    first_, late = reports(STARTED, usage("0.07"))
    fold.apply(first_)
    fold.close()
    fold.apply_late(late)
    view = run_view(state, {A1: fold}, {}, KINDS)
    attempt = view.slots[0].attempts[0]
    assert attempt.late is not None
    assert (attempt.figures.cost_usd, attempt.late.cost_usd, attempt.late.late) == (0, Decimal("0.07"), True)
    assert view.cost_usd == view.slots[0].cost_usd == Decimal("0.07")


def test_practice_agents_are_labelled_as_practice() -> None:
    state = history(claimed("a", 1, agent="painter", worker_class="image"))
    assert [slot.is_practice for slot in shown(state).slots] == [True, False]


def test_a_warning_of_spending_is_shown_with_its_moment_and_comes_back_from_the_record() -> None:
    """Ruling 12; a record of an earlier version has none."""
    state = history(
        BudgetWarned("a", Decimal("0.85"), Decimal(1)),
        BudgetWarned("run", Decimal(8), Decimal(10)),
        run_ended(),
    )
    view = shown(state)
    assert [(w.slot_id, w.spent_usd, w.limit_usd) for w in view.warned] == [
        (A, Decimal("0.85"), Decimal(1)),
        (None, Decimal(8), Decimal(10)),
    ]
    record = json.loads(json.dumps(record_of(view)))
    assert run_from_record(record) == view
    del record["warned"]
    assert run_from_record(record).warned == ()


def test_a_warning_of_a_node_called_run_comes_back_from_the_record_as_its_own() -> None:
    warned = warned_view(SlotId("run"), Decimal(8), Decimal(10), at(5), "reported")
    view = replace(shown(history(run_ended())), warned=(warned,))
    assert run_from_record(json.loads(json.dumps(record_of(view)))).warned == (warned,)
