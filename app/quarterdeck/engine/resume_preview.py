"""What a person should know before an agent is resumed (REC14, PIN6, EFF7). Blocking; changes nothing, executes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quarterdeck.agents.registry import program_name
from quarterdeck.domain.budget import attempt_limit, cap_for_claim
from quarterdeck.domain.commands import ReassignSlot
from quarterdeck.domain.guards import judge_reassign, no_such_node, specs_of
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.pins import SpecRef
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import AttemptRecord, SlotRecord
from quarterdeck.engine.damage import refusal_for_damage
from quarterdeck.engine.interrupted import ReadRun, life_of, past_in, read_whole
from quarterdeck.engine.minting import mint_command_id
from quarterdeck.engine.pinning import PinMissing, agent_of, budget_of, read_spec
from quarterdeck.engine.program_files import compare
from quarterdeck.engine.programs import ProgramProblem, find_folder, find_program, host_path
from quarterdeck.engine.recovery import ResumeChoice, ResumePreview
from quarterdeck.engine.saved_progress import saved_progress
from quarterdeck.engine.slot_past import last_that_ran
from quarterdeck.store.data_folder import Store


def resume_preview(store: Store, run: RunId, slot_id: SlotId, actor: str) -> ResumePreview | Refusal:
    """As the slot stands now. Raises StoreError, DomainError."""
    read = read_whole(store, run)
    state = read.state
    if read.damage:
        return refusal_for_damage(run, read.damage)
    slot = state.slots.get(slot_id)
    if slot is None:
        return no_such_node(state, slot_id)
    if (prior := state.prior_of(slot)) is None:
        return Refusal(Code.E_NO_PRIOR, f"{slot.title} had no attempt yet; start it instead of resuming it.")
    folds = [read.folds[attempt] for attempt in slot.attempts]
    progress = saved_progress(zip(folds, [store.attempts.folder(run, a) for a in slot.attempts], strict=True))
    past = past_in(store, read, slot)
    refs = specs_of(state, slot)
    specs = {ref.spec: _spec(store, ref) for ref in refs}
    pinned = specs.get(prior.spec.spec)
    return ResumePreview(
        run_id=run,
        slot_id=slot_id,
        title=slot.title,
        workflow_name=state.header.workflow_name,
        pins=state.pins,
        next_attempt=len(slot.attempts) + 1,
        choices=tuple(_choice(store, read, slot, prior, ref, specs[ref.spec]) for ref in refs),
        effects=past.to_check,
        outside=past.outside,
        kept_steps=tuple(kept.step for kept in progress.kept),
        repeat=progress.repeat,
        saved=progress.saved,
        session_id=past.session_id,
        can_continue_session=past.session_id is not None,
        limit_usd=attempt_limit(state, slot_id, _budget(pinned)),
        run_left_usd=cap_for_claim(None, state.budget_usd, read.view.cost_usd),
        settled=past.settled,
        unread=past.unread,
        tells=bool(past.effects),
        reopened=slot.reopened is not None,
        refusal=_refusal(store, read, slot, prior, actor),
    )


def _spec(store: Store, ref: SpecRef) -> Mapping[str, Any] | str:
    try:
        return read_spec(store.objects.get, ref.spec)
    except PinMissing as error:
        return str(error)


def _budget(spec: Mapping[str, Any] | str | None) -> Any:
    return None if spec is None or isinstance(spec, str) else budget_of(spec)


def _choice(
    store: Store,
    read: ReadRun,
    slot: SlotRecord,
    prior: AttemptRecord,
    ref: SpecRef,
    spec: Mapping[str, Any] | str,
) -> ResumeChoice:
    is_prior, same_class = ref.agent == prior.agent, ref.worker_class == prior.worker_class
    if isinstance(spec, str):
        why = f"{spec} (E_PIN_MISSING)"
        return ResumeChoice(ref.agent, "", ref.worker_class, "", is_prior, same_class, None, problem=why)
    agent = agent_of(spec)
    last = _last_start(read, slot, ref.agent)
    launch = store.attempts.launch(read.state.run_id, last) if last is not None else None
    program, problem = _program(spec, program_name(agent))
    fold = read.folds.get(last) if last is not None else None
    said = fold.program_version if fold is not None else ""
    return ResumeChoice(
        agent=ref.agent,
        kind=agent.kind,
        worker_class=ref.worker_class,
        model=agent.model or "",
        is_prior=is_prior,
        same_class=same_class,
        budget_usd=budget_of(spec),
        files=compare((launch or {}).get("version"), program, said),
        problem=problem or _folder_problem(launch),
    )


def _last_start(read: ReadRun, slot: SlotRecord, agent: str) -> AttemptId | None:
    """Of this agent: what never started says nothing of the program (PIN6)."""
    own = (one for one in reversed(slot.attempts) if read.state.attempts[one].agent == agent)
    return last_that_ran(read.state, slot, read.folds, agent) or next(own, None)


def _folder_problem(launch: Mapping[str, Any] | None) -> str:
    """Whether the folder in which it ran can be started in now (case 43)."""
    if launch is None:
        return ""
    found = find_folder(str(launch["cwd"]), Path())
    return found.message if isinstance(found, ProgramProblem) else ""


def _program(spec: Mapping[str, Any], wanted: str) -> tuple[str, str]:
    """Where its program is found now, and why it could not be started (case 107); a kind that brings its own has neither."""
    if not wanted:
        return "", ""
    found = find_program(spec["program"] or wanted, Path(spec["folder"]), host_path())
    return ("", found.message) if isinstance(found, ProgramProblem) else (str(found), "")


def _refusal(
    store: Store, read: ReadRun, slot: SlotRecord, prior: AttemptRecord, actor: str
) -> Refusal | None:
    """What the guards of reassign would say now; a survivor is named with its processes (REC9)."""
    life = life_of(store, read.state, prior)
    if life.survivors or not life.evidence:
        pids = ", ".join(f"{one.pid} ({one.command[:80]})" for one in life.survivors) or "not known"
        return Refusal(Code.E_WORKER_NOT_TERMINAL, f"End the old process of {slot.title} first: {pids}.")
    if prior.ended is None:
        return None  # it has died since; that is journaled when the slot is re-opened
    command = ReassignSlot(
        mint_command_id(), store.tenant, read.state.run_id, slot.slot_id, actor, "asked before resuming"
    )
    judged = judge_reassign(read.state, store.tenant, command)
    return judged if isinstance(judged, Refusal) else None
