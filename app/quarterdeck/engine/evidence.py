"""Evidence of one interrupted agent, gathered when a person asks (ruling 25). Blocking; bounded in time and size."""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.domain.guards import no_such_node
from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.join import effects_of
from quarterdeck.domain.outputs import transcript_lost
from quarterdeck.domain.recovery_acts import IN_FLIGHT_AT_END
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.views import AttemptView, EffectView
from quarterdeck.engine.attempt_reading import kept_file
from quarterdeck.engine.changed_files import folder_evidence
from quarterdeck.engine.interrupted import Life, ReadRun, life_of, read_whole
from quarterdeck.engine.last_known import effects_to_check, last_known, last_lines
from quarterdeck.engine.recovery import AgentEvidence
from quarterdeck.store.data_folder import Store

LINES_SHOWN = 12


def gather(store: Store, run: RunId, slot_id: SlotId) -> AgentEvidence | Refusal:
    """Of the slot's newest attempt. Raises StoreError, DomainError."""
    read = read_whole(store, run)
    record = read.state.slots.get(slot_id)
    if record is None:
        return no_such_node(read.state, slot_id)
    attempt = read.state.prior_of(record)
    if attempt is None:
        return Refusal(Code.E_NO_PRIOR, f"{record.title} had no attempt yet; there is nothing to look at.")
    view = _view_of(read, slot_id)
    folded = read.folds.get(attempt.attempt_id)
    effects = effects_of(read.state, attempt, folded) if folded is not None else ()
    began = view.started_at or attempt.claimed_at
    life = life_of(store, read.state, attempt)
    artifacts = store.attempts.folder(run, attempt.attempt_id).path / "artifacts"
    return AgentEvidence(
        slot_id=slot_id,
        attempt_id=attempt.attempt_id,
        last_known=last_known(attempt, folded, effects_to_check(read.state, attempt, folded)),
        last_lines=last_lines(store.attempts, run, attempt.attempt_id, LINES_SHOWN),
        in_flight=tuple(_in_flight(folded, effects, read.torn.get(attempt.attempt_id, ""))),
        effects=effects,
        saved=tuple(kept_file(artifacts, artifact) for artifact in view.artifacts),
        folder=folder_evidence(view.cwd, began.wall_ms),
        process=process_words(life),
        survivors=life.survivors,
        transcript_lost=transcript_lost(view.errors),
    )


def _view_of(read: ReadRun, slot_id: SlotId) -> AttemptView:
    slot = next(one for one in read.view.slots if one.slot_id == slot_id)
    return slot.attempts[-1]


def process_words(life: Life) -> str:
    """Whether the old process lives, and how that is known."""
    if life.survivors:
        pids = ", ".join(str(one.pid) for one in life.survivors)
        return f"still alive: process {pids}"
    if life.still_ending:
        return "still ending: its keeper is closing it"
    return life.evidence or "could not be told: its lease is held, and no process of it can be named"


def _in_flight(folded: AttemptFold | None, effects: tuple[EffectView, ...], unread: str) -> Iterator[str]:
    """What had begun and was not answered when it was cut off. unread: why there may have been more."""
    if folded is None:
        return
    if unread:
        yield unread
    for effect in effects:
        if effect.state in IN_FLIGHT_AT_END:
            yield f"{effect.type or 'effect'} {effect.target or effect.id}: {effect.state.value}"
    for question in folded.open_questions.values():
        yield f"a question: {str(question.get('question') or '')[:200]}"
    if folded.call_in_flight:
        yield "a request to its model: its cost may be missing"
