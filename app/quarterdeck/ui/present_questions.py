"""What is known of a question beside its words: where it would act, network, writes. Pure, from the view alone.

What nobody told is said to be not told; Quarterdeck itself keeps no agent from network or disk, and says so (ux, Approval).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quarterdeck.domain.ids import RequestId
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import ApprovalView, AttemptView, SlotView
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import one_line, shown_plainly

tr = Texts("PresentQuestions")

NOT_TOLD = tr.later("not told by the agent")
NOBODY_ACTS = tr.later("nothing by itself: the workflow asks, and the agents after it act")
FOLDER_MAX = 400
OPEN = frozenset({EffectState.INTENDED, EffectState.SENT, EffectState.UNKNOWN})


@dataclass(frozen=True, slots=True)
class AskedFact:
    """One line of a card. is_known: told or seen; else it says that it is not."""

    name: str
    value: str
    is_known: bool
    mono: bool = False


def asked_facts(slot: SlotView) -> Mapping[RequestId, tuple[AskedFact, ...]]:
    """{open question of the agent: what is known of what it asks for}."""
    attempts = {attempt.attempt_id: attempt for attempt in slot.attempts}
    return {
        question.request_id: _facts(
            question, attempts.get(question.attempt_id) if question.attempt_id else None
        )
        for question in slot.approvals
    }


def facts_of_all(slots: Iterable[SlotView]) -> Mapping[RequestId, tuple[AskedFact, ...]]:
    """The same for every agent of a run."""
    return {request: facts for slot in slots for request, facts in asked_facts(slot).items()}


def _facts(question: ApprovalView, attempt: AttemptView | None) -> tuple[AskedFact, ...]:
    if question.attempt_id is None:
        return (AskedFact(tr("Does"), NOBODY_ACTS.now, is_known=True),)
    where = attempt.cwd if attempt is not None and attempt.cwd else ""
    facts = [
        AskedFact(tr("Where"), shown_plainly(where[:FOLDER_MAX]), is_known=True, mono=True)
        if where
        else AskedFact(tr("Where"), NOT_TOLD.now, is_known=False),
        AskedFact(tr("Network"), NOT_TOLD.now, is_known=False),
        AskedFact(tr("Writes"), NOT_TOLD.now, is_known=False),
    ]
    announced = [e for e in attempt.effects if e.state in OPEN] if attempt is not None else []
    if announced:
        last = announced[-1]
        words = one_line(f"{last.type} {last.target}", 160)
        facts.append(AskedFact(tr("Announced outside"), words, is_known=True, mono=True))
    return tuple(facts)
