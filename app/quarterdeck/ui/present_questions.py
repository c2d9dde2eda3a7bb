"""What is known of a question beside its words: where it would act, network, writes. Pure, from the view alone.

What nobody told is said to be not told; Quarterdeck itself keeps no agent from network or disk, and says so (ux, Approval).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quarterdeck.domain.ids import RequestId, RunId
from quarterdeck.domain.permissions import gives_leave
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import ApprovalView, AttemptView, RunView, SlotView
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import one_line, short_id, shown_plainly

tr = Texts("PresentQuestions")

NOT_TOLD = tr.later("not told by the agent")
NOBODY_ACTS = tr.later("nothing by itself: the workflow asks, and the agents after it act")
TOLD_MAX = 4_000
TITLE_MAX = 200
OPEN = frozenset({EffectState.INTENDED, EffectState.SENT, EffectState.UNKNOWN})


@dataclass(frozen=True, slots=True)
class AskedFact:
    """One line of a card. is_known: told or seen; else it says that it is not."""

    name: str
    value: str
    is_known: bool
    mono: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """One card: the question, who asks (empty where that is said above), and what is known of it."""

    question: ApprovalView
    asker: str = ""
    facts: tuple[AskedFact, ...] = ()


def key_of(question: ApprovalView) -> tuple[RunId, RequestId]:
    """What tells a question from every other: nodes of two runs may ask under one id."""
    return question.run_id, question.request_id


@dataclass(frozen=True, slots=True)
class Reading:
    """What a card shows of a question, harmless. text: never shortened, the bytes on which an answer rests. title: above it, what
    it comes to, where the program told that beside the bytes. other: another reading of the same that can be asked for, whole.
    is_exact: text is what was sent for machines, other its words; False where it is the other way round.
    """

    title: str
    text: str
    other: str = ""
    is_exact: bool = True


def reading_of(question: ApprovalView) -> Reading:
    """The exact action once, under the first line of its words; a question that gives no leave is its words."""
    words, action = shown_plainly(question.question), shown_plainly(question.action)
    if not action or action == words:
        return Reading("", words)
    if not gives_leave(question.options):
        return Reading("", words, action, is_exact=False)
    first = words.lstrip("\n").split("\n", 1)[0]
    title = first if len(first) <= TITLE_MAX else f"{first[: TITLE_MAX - 1]}…"
    return Reading(title, action, "" if title == words else words)


def queue_of(views: Iterable[RunView], letters: Mapping[RunId, str]) -> tuple[Asked, ...]:
    """Every open question of every live run, the one that was asked first first: the one queue."""
    found = [
        (question, _asker(view, slot, letters), facts.get(question.request_id, ()))
        for view in views
        if view.is_live
        for slot in view.slots
        if slot.approvals
        for facts in (asked_facts(slot),)
        for question in slot.approvals
    ]
    found.sort(key=lambda one: (one[0].asked_at.wall_ms, one[0].run_id, one[0].request_id))
    return tuple(Asked(*one) for one in found)


def _asker(view: RunView, slot: SlotView, letters: Mapping[RunId, str]) -> str:
    run = letters.get(view.run_id) or short_id(view.run_id)
    workflow = one_line(view.workflow_name, 60)
    return tr("{agent} ({workflow}, run {run})", agent=one_line(slot.title, 60), workflow=workflow, run=run)


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
    folder = attempt.cwd if attempt is not None and attempt.cwd else ""
    facts = [
        _told(tr("Where"), question.where or folder),
        _told(tr("Network"), question.network),
        _told(tr("Writes"), question.writes),
    ]
    if question.tool:
        facts.insert(0, _told(tr("With"), question.tool))
    if question.whole_chars:
        words = tr("only the start of {count} characters", count=f"{question.whole_chars:,}")
        facts.append(AskedFact(tr("Shown"), words, is_known=False))
    announced = [e for e in attempt.effects if e.state in OPEN] if attempt is not None else []
    if announced:
        last = announced[-1]
        words = one_line(f"{last.type} {last.target}", 160)
        facts.append(AskedFact(tr("Announced outside"), words, is_known=True, mono=True))
    return tuple(facts)


def _told(name: str, said: str) -> AskedFact:
    """What the agent said, whole as far as a card goes; else that it did not."""
    if not said:
        return AskedFact(name, NOT_TOLD.now, is_known=False)
    return AskedFact(name, shown_plainly(said[:TOLD_MAX]), is_known=True, mono=True)
