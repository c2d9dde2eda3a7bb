"""The runs that a person has not answered, as the prompt tells them (REC4, JNL5). Blocking; reads our own store and /proc.

Nothing is written, started or connected here. Every figure is that of the run's own view: one fold, also here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from quarterdeck.domain.guards import no_such_node
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.outputs import transcript_lost
from quarterdeck.domain.practice import PRACTICE, Spent, is_practice_alone
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.run_time import live_ms
from quarterdeck.domain.shown import EVIDENCE_WORDS
from quarterdeck.domain.states import Evidence
from quarterdeck.domain.views import AttemptView, RunView, SlotView, is_end_at_least
from quarterdeck.engine.damaged_runs import LONG_DEAD_MS, known_run, view_of_damaged
from quarterdeck.engine.deaths import DeathWatch, Verdict
from quarterdeck.engine.disk_views import read_folds, shown_view
from quarterdeck.engine.last_known import last_lines
from quarterdeck.engine.left_runs import CUT_OFF, view_of_left
from quarterdeck.engine.pinning import pinned_spec
from quarterdeck.engine.recovery import (
    InterruptedAgent,
    InterruptedRun,
    OtherAgent,
    Survivor,
    UnnamedAttempt,
)
from quarterdeck.engine.report_folds import unread_words
from quarterdeck.engine.slot_past import SlotPast, never_ran, past_of
from quarterdeck.engine.survivors import survivors_of
from quarterdeck.engine.unnamed_attempts import unnamed_attempts
from quarterdeck.store.data_folder import Store

NOT_KNOWN = "Not known"
_WEAKEST_FIRST = (
    "",
    *(
        EVIDENCE_WORDS[one]
        for one in (
            Evidence.NO_TRACE,
            Evidence.NAMESPACE_GONE,
            Evidence.OTHER_BOOT,
            Evidence.EXIT_FILE,
            Evidence.NEVER_STARTED,
        )
    ),
)


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run as its files say, with what its files say of themselves."""

    state: RunState
    folds: Mapping[AttemptId, AttemptFold]
    view: RunView
    torn: Mapping[AttemptId, str]
    """Attempts whose reports are not all there, or whose file ends in a cut or damaged line, each with what is said of it."""
    is_torn: bool
    """Some file of the run does, or its journal is damaged."""
    damage: str
    """What is wrong with the journal of a run that nobody has now: there was more than it tells. Empty: nothing."""
    unnamed: tuple[UnnamedAttempt, ...] = ()


def read_whole(store: Store, run: RunId) -> ReadRun:
    """The journal and the reports. Raises StoreError, DomainError."""
    state, damage, read, is_left = known_run(store, run)
    folds = read_folds(store, state)
    told = {one: unread_words(store.attempts, run, one, folded) for one, folded in folds.items()}
    torn = {one: words for one, words in told.items() if words}
    is_torn = bool(torn or read.torn_bytes or read.damage or damage)
    if is_left:
        view = view_of_left(store, state)
    else:
        view = shown_view(store, state) if damage is None else view_of_damaged(store, state)
    words, unnamed = "" if damage is None else damage.words, unnamed_attempts(store, state, damage)
    return ReadRun(state, folds, view, torn, is_torn, words, unnamed)


def interrupted_run(store: Store, run: RunId) -> InterruptedRun | None:
    """What the prompt tells of one run; None where nothing is owed for it any more. Raises StoreError, DomainError."""
    read = read_whole(store, run)
    if not read.state.is_unanswered:
        return None
    agents = [_agent(store, read, slot) for slot in read.view.slots if _is_cut_off(read.state, slot)]
    view = read.view
    return InterruptedRun(
        run_id=run,
        workflow_id=view.workflow_id,
        workflow_name=view.workflow_name,
        workflow_folder=read.state.header.workflow_folder,
        started_at=view.started_at,
        ended_at=view.ended_at,
        last_record_at=view.sittings[-1].ended_at,
        ran_for_ms=live_ms(view, view.ended_at or view.started_at),
        ran_at_least=is_end_at_least(view),
        turns=view.turns,
        cost_usd=view.cost_usd,
        cost_is_complete=view.cost_is_complete
        and not read.is_torn
        and all(agent.cost_is_complete for agent in agents),
        cost_source=view.cost_source,
        practice=_practice(read),
        torn=read.is_torn,
        damage=read.damage,
        unnamed=read.unnamed,
        agents=tuple(agents),
        rest=tuple(_other(read, slot) for slot in view.slots if not _is_cut_off(read.state, slot)),
    )


def _practice(read: ReadRun) -> Spent | None:
    """What was cut off of a file may have been paid, or pretended where nobody was paid."""
    told = read.view.practice
    if told is None or not read.is_torn:
        return told
    return replace(told, complete=told.complete and is_practice_alone(read.view), practice_is_complete=False)


def _is_cut_off(state: RunState, slot: SlotView) -> bool:
    """An attempt was, or the next try of one that had failed was not made (C4)."""
    if not slot.attempts:
        return False
    return slot.attempts[-1].status in CUT_OFF or state.is_retry_owed(state.slots[slot.slot_id])


def _other(read: ReadRun, slot: SlotView) -> OtherAgent:
    """An agent without an attempt may be one of those that no record names."""
    return OtherAgent(slot.title, NOT_KNOWN if read.unnamed and not slot.attempts else slot.display)


@dataclass(frozen=True, slots=True)
class Life:
    """Whether the old processes of an attempt live, and how that is known."""

    survivors: tuple[Survivor, ...]
    still_ending: bool
    evidence: str
    """In words; empty while something lives."""


def life_of(store: Store, state: RunState, attempt: AttemptRecord) -> Life:
    """By the journal where the death is proved there; else by a look now."""
    if attempt.ended is not None and attempt.ended.evidence is not Evidence.COULD_NOT_STOP:
        return Life((), False, EVIDENCE_WORDS[attempt.ended.evidence])
    found = DeathWatch(store.attempts, state.run_id, attempt.attempt_id).look(LONG_DEAD_MS)
    if found.verdict is Verdict.DEAD:
        return Life((), False, EVIDENCE_WORDS[found.evidence or Evidence.NO_TRACE])
    alive = survivors_of(store.attempts, state.run_id, attempt.attempt_id)
    return Life(alive, found.verdict is Verdict.STILL_ENDING, "")


def _life_of_slot(store: Store, read: ReadRun, slot: SlotRecord) -> Life:
    """Of the newest attempt; how its end is known is the weakest of all attempts that ran (REC9): an attempt whose program was never
    begun says nothing of the processes of the former ones.
    """
    attempts = [read.state.attempts[one] for one in slot.attempts]
    newest = life_of(store, read.state, attempts[-1])
    if not newest.evidence:
        return newest
    ran = [one for one in attempts[:-1] if not never_ran(one, read.folds.get(one.attempt_id))]
    known = [newest.evidence, *(life_of(store, read.state, one).evidence for one in ran)]
    return replace(newest, evidence=min(known, key=_strength))


def _strength(evidence: str) -> int:
    """Least for the weakest. Nothing that is known at all is the weakest, and of what never started there is least to doubt."""
    return _WEAKEST_FIRST.index(evidence) if evidence in _WEAKEST_FIRST else 0


def survivors_of_slot(store: Store, run: RunId, slot_id: SlotId) -> tuple[Survivor, ...] | Refusal:
    """Of the newest attempt; none where its death is proved. Raises StoreError, DomainError."""
    state = known_run(store, run).state
    slot = state.slots.get(slot_id)
    if slot is None:
        return no_such_node(state, slot_id)
    attempt = state.prior_of(slot)
    return () if attempt is None else life_of(store, state, attempt).survivors


def past_in(store: Store, read: ReadRun, slot: SlotRecord) -> SlotPast:
    """What all attempts of the slot left."""
    return past_of(read.state, slot, read.folds, read.torn, lambda one: declared_effects(store, one))


def _agent(store: Store, read: ReadRun, slot: SlotView) -> InterruptedAgent:
    """How it ended is the newest attempt's; whether its processes live, what it did and was in is told of all of them (EFF7)."""
    shown: AttemptView = slot.attempts[-1]
    attempt = read.state.attempts[shown.attempt_id]
    folded = read.folds.get(shown.attempt_id)
    past = past_in(store, read, read.state.slots[slot.slot_id])
    life = _life_of_slot(store, read, read.state.slots[slot.slot_id])
    may_live = bool(life.survivors) or not life.evidence  # and may be spending
    lines = last_lines(store.attempts, read.state.run_id, past.ran or shown.attempt_id, 1)
    return InterruptedAgent(
        slot_id=slot.slot_id,
        node_id=slot.node_id,
        title=slot.title,
        agent=shown.agent,
        agent_kind=shown.agent_kind,
        is_practice=slot.is_practice,
        attempt_id=shown.attempt_id,
        attempt_number=len(slot.attempts),
        display=slot.display,
        reason=slot.reason,
        turns=slot.turns,
        cost_usd=slot.cost_usd,
        cost_is_complete=slot.cost_is_complete and not (past.unread or may_live),
        cost_source=slot.cost_source,
        last_known=past.last_known,
        last_line=lines[-1] if lines else "",
        was_paused=attempt.pause_requested or (folded is not None and folded.paused),
        outside=past.outside,
        effects=past.to_check,
        survivors=life.survivors,
        end_first=may_live,
        still_ending=life.still_ending,
        evidence=life.evidence,
        can_continue_session=past.session_id is not None,
        settled=past.settled,
        tells=bool(past.effects),
        unread="; ".join(past.unread),
        transcript_lost=transcript_lost(shown.errors),
        reopened=slot.reopened is not None,
    )


def declared_effects(store: Store, attempt: AttemptRecord) -> object:
    """What the pinned node says of its effects; None where it says nothing, or the pin is missing. A practice agent does nothing
    outside, also where nobody says so.
    """
    spec = pinned_spec(store.objects.get, attempt.spec.spec)
    agent = spec.get("agent")
    is_practice = isinstance(agent, dict) and agent.get("kind") == PRACTICE
    said: object = spec.get("effects")
    return "none" if said is None and is_practice else said
