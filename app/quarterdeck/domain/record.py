"""Views from their JSON: the inverse of `domain.show`, for records and for runs that another process owns.

A document that does not fit raises KeyError, ValueError or TypeError: the store quarantines such a record and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quarterdeck.domain.allowed import AllowedView
from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.figures_json import figures_from_json, tokens_from_json
from quarterdeck.domain.ids import (
    AttemptId,
    MessageId,
    NodeId,
    RequestId,
    Revision,
    RunId,
    SlotId,
    WorkflowId,
)
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import parse_usd_exact
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.practice import spent_from_json
from quarterdeck.domain.states import (
    AttemptStatus,
    EffectState,
    EndReason,
    LeaseStatus,
    Outcome,
    Phase,
    SlotState,
)
from quarterdeck.domain.views import (
    AnsweredView,
    ApprovalView,
    ArtifactView,
    AttemptView,
    EffectView,
    ErrorView,
    MessageView,
    OutputFileView,
    ReopenedView,
    RunSummary,
    RunView,
    SettledView,
    SittingView,
    SleepView,
    SlotView,
    WarnedView,
    warned_view,
)

Json = Mapping[str, Any]


def run_from_record(value: Json) -> RunView:
    """The view that `run_to_json` or `record_of` was made from."""
    return RunView(
        **_summary_fields(value),
        exit_code=value["exit_code"],
        budget_usd=parse_usd_exact(value["budget_usd"]),
        outcome_asked=value["outcome_asked"],
        slots=tuple(_slot(one, _moment(value["ended_clock"])) for one in value["slots"]),
        stopping=value["stopping"],
        recording=value["recording"],
        waits_for=value.get("waits_for", ""),
        fault=value.get("fault", ""),
        seq=value["seq"],
        sleeps=tuple(
            SleepView(_need(s["began_clock"]), _need(s["ended_clock"])) for s in value.get("sleeps", ())
        ),
        warned=tuple(map(_warned, value.get("warned", ()))),  # a record of an earlier version has none
    )


def _limits(value: Json) -> dict[str, Any]:
    """Of an attempt; an earlier version told the first, or none."""
    budget = parse_usd_exact(value.get("budget_usd"))
    return {"budget_usd": budget, "max_turns": value.get("max_turns"), "timeout_s": value.get("timeout_s")}


def _warned(value: Json) -> WarnedView:
    slot = value["slot"]
    source = str(value.get("spent_source", "reported"))
    spent, limit = parse_usd_exact(value["spent_usd"]), parse_usd_exact(value["limit_usd"])
    if spent is None or limit is None:
        raise ValueError("a warning without its amounts")
    # an earlier version knew the run's limit alone
    shared = Shared[str(value.get("shared") or "run").upper()]
    return warned_view(
        shared if slot is None else SlotId(slot), spent, limit, _need(value["at_clock"]), source
    )


def summary_from_json(value: Json) -> RunSummary:
    """The line of the run list that `summary_to_json` was made from; further keys are passed over."""
    return RunSummary(**_summary_fields(value))


def _summary_fields(value: Json) -> dict[str, Any]:
    return {
        "run_id": RunId(value["run_id"]),
        "workflow_id": WorkflowId(value["workflow_id"]),
        "workflow_name": value["workflow_name"],
        "launch_seq": value["launch_seq"],
        "end_seq": value["end_seq"],
        "phase": Phase(value["phase"]),
        "outcome": Outcome(value["outcome"]) if value["outcome"] is not None else None,
        "reason": value["reason"],
        "started_at": _need(value["started_clock"]),
        "ended_at": _moment(value["ended_clock"]),
        "turns": value["turns"],
        "tokens": tokens_from_json(value["tokens"]),
        "cost_usd": parse_usd_exact(value["cost_usd"]),
        "cost_is_complete": value["cost_is_complete"],
        "cost_source": value.get("cost_source", "reported"),  # not told by an earlier version
        "foreign": value.get("foreign", False),
        "unanswered": value.get("unanswered", False),
        "owner": value.get("owner") or "",
        "sittings": tuple(_sitting(one) for one in value["sittings"]),
        "pins": Pins(*(Revision(value["pins"][name]) for name in ("package", "workflow", "binding"))),
        "accepted_by": value["accepted_by"],
        "accepted_at": _need(value["accepted_clock"]),
        "practice": spent_from_json(value.get("practice")),
    }


def _moment(clock: list[Any] | None) -> Moment | None:
    return None if clock is None else _need(clock)


def _need(clock: list[Any]) -> Moment:
    boot, boot_ms, wall_ms = clock
    return Moment(str(boot), int(boot_ms), int(wall_ms))


def _sitting(value: Json) -> SittingView:
    return SittingView(
        _need(value["opened_clock"]),
        _moment(value["ended_clock"]),
        value["actor"],
        _moment(value.get("settled_clock")),  # not in a record of an earlier version
    )


def _slot(value: Json, run_ended_at: Moment | None) -> SlotView:
    reopened = value["reopened"]
    prior = value["prior_attempt"]
    return SlotView(
        slot_id=SlotId(value["slot"]),
        node_id=NodeId(value["node_id"]),
        title=value["title"],
        state=SlotState(value["state"]),
        display=value["display"],
        reason=value["reason"],
        agent=value["agent"],
        agent_kind=value["agent_kind"],
        prior_attempt=AttemptId(prior) if prior is not None else None,
        reopened=_reopened(reopened) if reopened is not None else None,
        attempts=tuple(_attempt(one, run_ended_at) for one in value["attempts"]),
        approvals=tuple(_approval(one) for one in value["approvals"]),
        retry_at_ms=value["retry_at_ms"],
        turns=value["turns"],
        cost_usd=parse_usd_exact(value["cost_usd"]),
        cost_is_complete=value["cost_is_complete"],
        cost_source=value.get("cost_source", "reported"),
        is_practice=value["is_practice"],
        answers=tuple(map(_answered, value.get("answers", ()))),  # not in a record of an earlier version
        refused=value.get("refused") or "",  # nor this
        allowed=tuple(map(_allowed, value.get("allowed", ()))),  # nor this
        alternatives=tuple(value.get("alternatives", ())),  # nor this
    )


def _allowed(value: Json) -> AllowedView:
    said = value["question"], value["choice"], value["actor"], _need(value["allowed_clock"])
    return AllowedView(RequestId(value["request_id"]), *said, value["exact"])


def _answered(value: Json) -> AnsweredView:
    at = _need(value["answered_clock"])
    because = value.get("because")
    first = RequestId(because) if because is not None else None
    return AnsweredView(RequestId(value["request_id"]), value["choice"], value["actor"], at, first)


def _told_since(value: Json) -> dict[str, Any]:
    """What a record of an earlier version does not have."""
    return {
        "refused_reports": value.get("refused_reports", 0),
        "ended_at_least": value.get("ended_at_least", False),
        "takes_messages": value.get("takes_messages", False),
        "messages": tuple(map(_message, value.get("messages", ()))),
        "program": value.get("program", ""),
        "program_version": value.get("program_version", ""),
    }


def _message(value: Json) -> MessageView:
    at = _need(value["sent_clock"])
    said = value["text"], value["actor"], at, value["delivered"], value["at_byte"]
    return MessageView(MessageId(value["message_id"]), *said)


def _reopened(value: Json) -> ReopenedView:
    return ReopenedView(
        value["reason"], value["actor"], _need(value["at_clock"]), value["agent"], value["class"]
    )


def _attempt(value: Json, run_ended_at: Moment | None) -> AttemptView:
    return AttemptView(
        attempt_id=AttemptId(value["attempt_id"]),
        epoch=value["epoch"],
        agent=value["agent"],
        agent_kind=value["agent_kind"],
        worker_class=value["class"],
        status=AttemptStatus(value["status"]),
        lease=LeaseStatus(value["lease"]),
        reason=value["reason"],
        started_at=_moment(value["started_clock"]),
        ended_at=_moment(value["ended_clock"]),
        lost_at=_lost_at(value, run_ended_at),
        evidence=value["evidence"],
        end_reason=EndReason(end) if (end := value.get("end_reason")) else None,
        upto=value["upto"],
        figures=figures_from_json(value["figures"]),
        session_id=value["session_id"],
        exit_code=value["exit_code"],
        signal=value["signal"],
        pid=value["pid"],
        containment=value["containment"],
        cwd=value["cwd"],
        progress=_progress(value["progress"]),
        tail=value["tail"],
        last_output_at_ms=value["last_output_at_ms"],
        effects=tuple(map(_effect, value["effects"])),
        artifacts=tuple(map(_artifact, value["artifacts"])),
        errors=tuple(ErrorView(e["class"], e["message"]) for e in value["errors"]),
        output=value["output"],
        has_output=value["has_output"],
        output_file=_output_file(value.get("output_file")),
        late=figures_from_json(value["late"]) if value["late"] is not None else None,
        **_limits(value),
        **_told_since(value),
    )


def _artifact(value: Json) -> ArtifactView:
    return ArtifactView(value["name"], value["sha256"], value["size_bytes"], value["path"], value["stored"])


def _progress(value: Sequence[Any] | None) -> tuple[Any, Any, Any] | None:
    return (value[0], value[1], value[2]) if value is not None else None


def _lost_at(value: Json, run_ended_at: Moment | None) -> Moment | None:
    """A record of an earlier version says only that it was lost."""
    if "lost_clock" in value:
        return _moment(value["lost_clock"])
    return run_ended_at if value["status"] == AttemptStatus.LOST.value else None


def _effect(value: Json) -> EffectView:
    said = value.get("settled")
    settled = None
    if said is not None:
        settled = SettledView(said["value"], said["reason"], said["actor"], _need(said["at_clock"]))
    return EffectView(
        value["id"], EffectState(value["state"]), value["type"], value["target"], value["detail"], settled
    )


def refused_of(record: Json | None) -> dict[AttemptId, int]:
    """{attempt: reports that were refused}, as a record knows it, also one that is behind: no other file tells it."""
    slots = record.get("slots", ()) if record is not None else ()
    attempts = (attempt for slot in slots for attempt in slot["attempts"])
    return {AttemptId(a["attempt_id"]): n for a in attempts if (n := a.get("refused_reports", 0))}


def _output_file(value: Json | None) -> OutputFileView | None:
    """None also in a record of an earlier version."""
    return None if value is None else OutputFileView(value["stored"], value["size_bytes"], value["sha256"])


def _approval(value: Json) -> ApprovalView:
    attempt_id = value["attempt_id"]
    return ApprovalView(
        RequestId(value["request_id"]),
        RunId(value["run_id"]),
        SlotId(value["slot"]),
        AttemptId(attempt_id) if attempt_id is not None else None,
        value["epoch"],
        value["question"],
        tuple(value["options"]),
        _need(value["asked_clock"]),
        tool=value.get("tool", ""),
        action=value.get("action", ""),
        where=value.get("where", ""),  # this and the next not in a record of an earlier version
        network=value.get("network", ""),
        writes=value.get("writes", ""),
        whole_chars=value.get("whole_chars", 0),
        exact=value.get("exact", ""),
    )
