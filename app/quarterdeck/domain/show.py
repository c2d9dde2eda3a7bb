"""Views as JSON: what `show --json`, `runs --json`, `status --json` print, and what a record holds (design §8).

Every documented key stands under its documented name. What a view has beyond them stands under further keys (clocks, for
one: a moment is an ISO text, and beside it `..._clock` as [boot, boot_ms, wall_ms]), so that `run_from_record` gives the
equal view back, field by field (REC2). Money is decimal text, or null where nothing is known.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.domain.allowed import AllowedView
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.figures_json import figures_to_json, tokens_to_json
from quarterdeck.domain.moment import Moment, iso_utc
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.practice import spent_to_json
from quarterdeck.domain.projection import WorkflowStatus
from quarterdeck.domain.record import run_from_record, summary_from_json
from quarterdeck.domain.views import (
    AnsweredView,
    ApprovalView,
    ArtifactView,
    AttemptView,
    EffectView,
    MessageView,
    OutputFileView,
    RunSummary,
    RunView,
    SettledView,
    SittingView,
    SlotView,
    WarnedView,
)

__all__ = [
    "RECORD_SCHEMA",
    "approval_to_json",
    "attempt_to_json",
    "pins_to_json",
    "record_of",
    "run_from_record",
    "run_to_json",
    "slot_to_json",
    "status_to_json",
    "summary_from_json",
    "summary_to_json",
]

RECORD_SCHEMA = 1


def _at(name: str, moment: Moment | None) -> dict[str, Any]:
    if moment is None:
        return {f"{name}_at": None, f"{name}_clock": None}
    return {
        f"{name}_at": iso_utc(moment.wall_ms),
        f"{name}_clock": _clock(moment),
    }


def summary_to_json(run: RunSummary | RunView) -> dict[str, Any]:
    """A line of `runs --json`: what `show --json` documents, without its slots."""
    return {
        "run_id": run.run_id,
        "workflow_id": run.workflow_id,
        "workflow_name": run.workflow_name,
        "launch_seq": run.launch_seq,
        "end_seq": run.end_seq,
        "phase": run.phase.value,
        "outcome": run.outcome.value if run.outcome is not None else None,
        "reason": run.reason,
        **_at("started", run.started_at),
        **_at("ended", run.ended_at),
        "turns": run.turns,
        "tokens": tokens_to_json(run.tokens),
        "cost_usd": usd_text(run.cost_usd),
        "cost_is_complete": run.cost_is_complete,
        "cost_source": run.cost_source,
        "foreign": run.foreign,
        "unanswered": run.unanswered,
        "owner": run.owner or None,
        "sittings": [_sitting(sitting) for sitting in run.sittings],
        "pins": pins_to_json(run.pins) if run.pins is not None else None,
        "accepted_by": run.accepted_by,
        **_at("accepted", run.accepted_at),
        "practice": spent_to_json(run.practice),
    }


def run_to_json(view: RunView, with_slots: bool = True) -> dict[str, Any]:
    """`show --json`, with slots or without."""
    shown = {
        **summary_to_json(view),
        "exit_code": view.exit_code,
        "outcome_asked": view.outcome_asked,
        "budget_usd": usd_text(view.budget_usd),
        "stopping": view.stopping,
        "recording": view.recording,
        "waits_for": view.waits_for,
        "fault": view.fault,
        "seq": view.seq,
        "sleeps": [{**_at("began", s.began_at), **_at("ended", s.ended_at)} for s in view.sleeps],
        "warned": [_warned(one) for one in view.warned],
    }
    if with_slots:
        shown["slots"] = [slot_to_json(slot) for slot in view.slots]
    return shown


def record_of(view: RunView) -> dict[str, Any]:
    """The content of `record.json`: the run as shown, its schema, and the journal sequence that it covers (ruling 15)."""
    return {"schema": RECORD_SCHEMA, "covers_seq": view.seq, **run_to_json(view)}


def status_to_json(status: WorkflowStatus) -> dict[str, Any]:
    """A line of `status --json`."""
    closed = {"closed": status.closed} if status.closed else {}
    return {
        "workflow_id": status.workflow_id,
        "name": status.workflow_name,
        "live": status.live,
        "shown_run": status.shown_run,
        "state": status.state,
        "outcome": status.outcome.value if status.outcome is not None else None,
        "turns": status.turns,
        "cost_usd": usd_text(status.cost_usd),
        "cost_is_complete": status.cost_is_complete,
        "cost_source": status.cost_source,
        **closed,
    }


def pins_to_json(pins: Pins) -> dict[str, str]:
    """The three revisions by name."""
    return {"package": pins.package, "workflow": pins.workflow, "binding": pins.binding}


def slot_to_json(slot: SlotView) -> dict[str, Any]:
    """One entry of `slots`."""
    reopened = slot.reopened
    return {
        "slot": slot.slot_id,
        "node_id": slot.node_id,
        "title": slot.title,
        "state": slot.state.value,
        "display": slot.display,
        "reason": slot.reason,
        "refused": slot.refused or None,
        "alternatives": list(slot.alternatives),
        "prior_attempt": slot.prior_attempt,
        "reopened": None
        if reopened is None
        else {
            "reason": reopened.reason,
            "actor": reopened.actor,
            "at": iso_utc(reopened.at.wall_ms),
            "at_clock": _clock(reopened.at),
            "agent": reopened.agent,
            "class": reopened.worker_class,
        },
        "attempts": [attempt_to_json(attempt) for attempt in slot.attempts],
        "agent": slot.agent,
        "agent_kind": slot.agent_kind,
        "is_practice": slot.is_practice,
        "approvals": [approval_to_json(approval) for approval in slot.approvals],
        "answers": [_answered(one) for one in slot.answers],
        "allowed": [_allowed(one) for one in slot.allowed],
        "retry_at_ms": slot.retry_at_ms,
        "turns": slot.turns,
        "cost_usd": usd_text(slot.cost_usd),
        "cost_is_complete": slot.cost_is_complete,
        "cost_source": slot.cost_source,
    }


def attempt_to_json(attempt: AttemptView) -> dict[str, Any]:
    """One entry of `attempts`. turns and cost_usd are those of `figures`."""
    return {
        "attempt_id": attempt.attempt_id,
        "epoch": attempt.epoch,
        "agent": attempt.agent,
        "agent_kind": attempt.agent_kind,
        "class": attempt.worker_class,
        "status": attempt.status.value,
        "lease": attempt.lease.value,
        "reason": attempt.reason,
        **_at("started", attempt.started_at),
        **_at("ended", attempt.ended_at),
        "ended_at_least": attempt.ended_at_least,
        **_at("lost", attempt.lost_at),
        "evidence": attempt.evidence,
        "end_reason": attempt.end_reason.value if attempt.end_reason is not None else None,
        "upto": attempt.upto,
        **_spent(attempt.figures),
        "figures": figures_to_json(attempt.figures),
        "late": figures_to_json(attempt.late) if attempt.late is not None else None,
        "session_id": attempt.session_id,
        **_process(attempt),
        "progress": list(attempt.progress) if attempt.progress is not None else None,
        "tail": attempt.tail,
        "last_output_at_ms": attempt.last_output_at_ms,
        "effects": [_effect(effect) for effect in attempt.effects],
        "artifacts": [_artifact(artifact) for artifact in attempt.artifacts],
        "errors": [{"class": e.error_class, "message": e.message} for e in attempt.errors],
        "output": attempt.output,
        "has_output": attempt.has_output,
        "output_file": _output_file(attempt.output_file),
        **_limits(attempt),
        **_conversation(attempt),
        "refused_reports": attempt.refused_reports,
    }


def _process(attempt: AttemptView) -> dict[str, Any]:
    return {
        "exit_code": attempt.exit_code,
        "signal": attempt.signal,
        "pid": attempt.pid,
        "containment": attempt.containment,
        "cwd": attempt.cwd,
        "program": attempt.program,
        "program_version": attempt.program_version,
    }


def _spent(figures: FiguresTotals) -> dict[str, Any]:
    return {
        "turns": figures.turns,
        "cost_usd": usd_text(figures.cost_usd),
        "cost_source": figures.cost_source,
    }


def _limits(attempt: AttemptView) -> dict[str, Any]:
    """What may end it: money, which can act only where a price is known, turns and time (case 88)."""
    return {
        "budget_usd": usd_text(attempt.budget_usd),
        "budget_can_act": not attempt.figures.is_unpriced,
        "max_turns": attempt.max_turns,
        "timeout_s": attempt.timeout_s,
    }


def _output_file(kept: OutputFileView | None) -> dict[str, Any] | None:
    if kept is None:
        return None
    return {"stored": kept.stored, "size_bytes": kept.size_bytes, "sha256": kept.sha256}


def _effect(effect: EffectView) -> dict[str, Any]:
    return {
        "id": effect.id,
        "state": effect.state.value,
        "type": effect.type,
        "target": effect.target,
        "detail": effect.detail,
        "settled": _settled(effect.settled),
    }


def _settled(settled: SettledView | None) -> dict[str, Any] | None:
    if settled is None:
        return None
    said = {"value": settled.value, "reason": settled.reason, "actor": settled.actor}
    return {**said, "at": iso_utc(settled.at.wall_ms), "at_clock": _clock(settled.at)}


def _clock(moment: Moment) -> list[Any]:
    return [moment.boot, moment.boot_ms, moment.wall_ms]


def _artifact(artifact: ArtifactView) -> dict[str, Any]:
    return {
        "name": artifact.name,
        "sha256": artifact.sha256,
        "size_bytes": artifact.size_bytes,
        "path": artifact.path,
        "stored": artifact.stored,
    }


def approval_to_json(approval: ApprovalView) -> dict[str, Any]:
    """One open question."""
    return {
        "request_id": approval.request_id,
        "run_id": approval.run_id,
        "slot": approval.slot_id,
        "attempt_id": approval.attempt_id,
        "epoch": approval.epoch,
        "question": approval.question,
        "options": list(approval.options),
        "choices": list(approval.choices),
        "tool": approval.tool,
        "action": approval.action,
        "where": approval.where,
        "network": approval.network,
        "writes": approval.writes,
        "whole_chars": approval.whole_chars,
        "exact": approval.exact,
        **_at("asked", approval.asked_at),
    }


def _answered(said: AnsweredView) -> dict[str, Any]:
    return {
        "request_id": said.request_id,
        "choice": said.choice,
        "actor": said.actor,
        "because": said.because,
        **_at("answered", said.at),
    }


def _allowed(one: AllowedView) -> dict[str, Any]:
    return {
        "request_id": one.request_id,
        "question": one.question,
        "choice": one.choice,
        "actor": one.actor,
        "exact": one.exact,
        **_at("allowed", one.at),
    }


def _conversation(attempt: AttemptView) -> dict[str, Any]:
    return {
        "takes_messages": attempt.takes_messages,
        "messages": [_message(one) for one in attempt.messages],
    }


def _message(said: MessageView) -> dict[str, Any]:
    return {
        "message_id": said.message_id,
        "text": said.text,
        "actor": said.actor,
        "delivered": said.delivered,
        "at_byte": said.at_byte,
        **_at("sent", said.at),
    }


def _warned(said: WarnedView) -> dict[str, Any]:
    return {
        "slot": said.slot_id,
        "shared": said.shared.name.lower() if said.shared is not None else None,
        "spent_usd": usd_text(said.spent_usd),
        "spent_source": said.source,
        "limit_usd": usd_text(said.limit_usd),
        "at": iso_utc(said.at.wall_ms),
        "at_clock": _clock(said.at),
    }


def _sitting(sitting: SittingView) -> dict[str, Any]:
    return {
        **_at("opened", sitting.opened_at),
        **_at("ended", sitting.ended_at),
        **_at("settled", sitting.settled_at),
        "actor": sitting.actor,
    }
