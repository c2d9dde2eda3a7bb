"""Evidence of one interrupted agent, gathered when a person asks (ruling 25). Blocking; bounded in time and size."""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.domain.guards import no_such_node
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.outputs import transcript_lost
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.views import AttemptView
from quarterdeck.engine.attempt_reading import kept_file
from quarterdeck.engine.changed_files import folder_evidence
from quarterdeck.engine.interrupted import Life, ReadRun, life_of, past_in, read_whole
from quarterdeck.engine.last_known import last_lines
from quarterdeck.engine.recovery import AgentEvidence
from quarterdeck.engine.slot_past import SlotPast
from quarterdeck.store.data_folder import Store

LINES_SHOWN = 12


def gather(store: Store, run: RunId, slot_id: SlotId) -> AgentEvidence | Refusal:
    """Of the slot's newest attempt that ran; effects of all, as what an earlier one left is still unsettled (EFF7).

    Raises StoreError, DomainError.
    """
    read = read_whole(store, run)
    record = read.state.slots.get(slot_id)
    if record is None:
        return no_such_node(read.state, slot_id)
    attempt = read.state.prior_of(record)
    if attempt is None:
        return Refusal(Code.E_NO_PRIOR, f"{record.title} had no attempt yet; there is nothing to look at.")
    past = past_in(store, read, record)
    ran = past.ran or attempt.attempt_id
    view = _view_of(read, slot_id, ran)
    began = view.started_at or read.state.attempts[ran].claimed_at
    life = life_of(store, read.state, attempt)
    artifacts = store.attempts.folder(run, ran).path / "artifacts"
    return AgentEvidence(
        slot_id=slot_id,
        attempt_id=ran,
        last_known=past.last_known,
        last_lines=last_lines(store.attempts, run, ran, LINES_SHOWN),
        in_flight=tuple(_in_flight(read.folds.get(ran), past)),
        effects=past.effects,
        saved=tuple(kept_file(artifacts, artifact) for artifact in view.artifacts),
        folder=folder_evidence(view.cwd, began.wall_ms),
        process=process_words(life),
        survivors=life.survivors,
        transcript_lost=transcript_lost(view.errors),
    )


def _view_of(read: ReadRun, slot_id: SlotId, attempt: AttemptId) -> AttemptView:
    slot = next(one for one in read.view.slots if one.slot_id == slot_id)
    return next(one for one in slot.attempts if one.attempt_id == attempt)


def process_words(life: Life) -> str:
    """Whether the old process lives, and how that is known."""
    if life.survivors:
        pids = ", ".join(str(one.pid) for one in life.survivors)
        return f"still alive: process {pids}"
    if life.still_ending:
        return "still ending: its keeper is closing it"
    return life.evidence or "could not be told: its lease is held, and no process of it can be named"


def _in_flight(folded: AttemptFold | None, past: SlotPast) -> Iterator[str]:
    """What had begun and was not answered when it was cut off, and why there may have been more. folded: of the newest that ran."""
    yield from past.unread
    for effect in past.to_check:
        yield f"{effect.type or 'effect'} {effect.target or effect.id}: {effect.state.value}"
    if folded is None:
        return
    for question in folded.open_questions.values():
        yield f"a question: {str(question.get('question') or '')[:200]}"
    if folded.call_in_flight:
        yield "a request to its model: its cost may be missing"
