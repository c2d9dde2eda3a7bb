"""What stands between agents and a person, joined from journal and reports: open questions, messages. Pure.

A later byte-identical request of the same slot, after an answer "for this run", is no open question: the answer is on its
way to the agent, and nobody is asked (`covering`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quarterdeck.domain.events import ApprovalAnswered
from quarterdeck.domain.ids import RequestId
from quarterdeck.domain.last_signs import report_moment
from quarterdeck.domain.open_questions import request_id_of
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.views import ApprovalView, MessageView


def unanswered(state: RunState, attempt: AttemptRecord, fold: AttemptFold) -> Iterator[tuple[RequestId, str]]:
    """(request, the agent's own id) of each question that no journaled answer was given to."""
    for own in fold.open_questions:
        request = request_id_of(attempt.attempt_id, fold.open_questions.name_of(own))
        if request not in state.answers:
            yield request, own


def waiting_for_leave(state: RunState, attempt: AttemptRecord, fold: AttemptFold) -> frozenset[str]:
    """Ids of the effects whose question nobody has answered: what waits for leave is not begun."""
    asked = (fold.open_questions[own].get("effect") for _, own in unanswered(state, attempt, fold))
    return frozenset(str(effect) for effect in asked if effect)


def covering(state: RunState, attempt: AttemptRecord, fold: AttemptFold, own: str) -> ApprovalAnswered | None:
    """The answer "for this run" that answers this request as well: of the same slot, the same bytes, asked later."""
    if not any(slot == attempt.slot_id for slot, _ in state.standing):
        return None
    answer = state.standing.get((attempt.slot_id, fold.open_questions.exact(own)))
    if answer is None:
        return None
    is_later = (attempt.epoch, int(fold.open_questions[own]["seq"])) > (answer.epoch, answer.asked_seq)
    return answer if is_later else None


def open_approvals(
    state: RunState, slot: SlotRecord, attempt: AttemptRecord | None, fold: AttemptFold | None
) -> tuple[ApprovalView, ...]:
    """The questions of a slot that wait for a person, oldest first."""
    if slot.is_asking and slot.asked is not None and slot.asked_at is not None:
        asked = slot.asked
        return (
            ApprovalView(
                asked.request_id,
                state.run_id,
                slot.slot_id,
                None,
                slot.epoch,
                asked.question,
                asked.options,
                slot.asked_at,
            ),
        )
    if attempt is None or attempt.ended is not None or fold is None:
        return ()
    return tuple(
        _view(state, attempt, fold, request, own)
        for request, own in unanswered(state, attempt, fold)
        if covering(state, attempt, fold, own) is None
    )


def _view(
    state: RunState, attempt: AttemptRecord, fold: AttemptFold, request: RequestId, own: str
) -> ApprovalView:
    report: Mapping[str, Any] = fold.open_questions[own]
    return ApprovalView(
        request,
        state.run_id,
        attempt.slot_id,
        attempt.attempt_id,
        attempt.epoch,
        str(report.get("question") or ""),
        tuple(str(option) for option in report.get("options") or ()),
        report_moment(report, attempt, fold),
        tool=str(report.get("tool") or ""),
        action=str(report.get("action") or ""),
        where=str(report.get("where") or ""),
        network=str(report.get("network") or ""),
        writes=str(report.get("writes") or ""),
        whole_chars=int(report.get("whole_chars") or 0),
        exact=fold.open_questions.exact(own),
    )


def messages_of(state: RunState, attempt: AttemptRecord, fold: AttemptFold) -> tuple[MessageView, ...]:
    """What a person said to the agent, and whether it was handed to it. Of one that is over nothing waits any more: what was not told
    to be taken was not (case 70).
    """
    found = []
    unheard = False if attempt.ended is not None or attempt.is_terminal or fold.exit is not None else None
    for sent, at in state.messages.get(attempt.attempt_id, ()):
        heard = fold.messages.get(sent.message_id)
        delivered = unheard if heard is None else bool(heard.get("delivered"))
        at_byte = None if heard is None else heard.get("at_byte")
        found.append(MessageView(sent.message_id, sent.text, sent.actor, at, delivered, at_byte))
    return tuple(found)
