"""What a line of Claude Code's stream says to a person. See `said`.

A text comes twice: in pieces while it is made, which are drafts, and then whole. Words of agents that it sent out itself are told
apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.agents import said
from quarterdeck.agents.claude_errors import report_of
from quarterdeck.agents.json_stream import count_of, part_of, text_of
from quarterdeck.agents.said import Part

Line = Mapping[str, Any]
SUBAGENT = "subagent"
_UPKEEP = frozenset({"control_response", "control_cancel_request", "keep_alive", "prompt_suggestion"})
_QUIET_SYSTEM = frozenset(
    {"status", "hook_started", "hook_response", "hook_progress", "files_persisted", "session_state_changed"}
)


def parts_of(line: Line) -> list[Part] | None:
    """The parts of one line; None for a kind that is not known."""
    kind = text_of(line.get("type"))
    if kind in _UPKEEP:
        return []
    reader = _READERS.get(kind)
    return None if reader is None else reader(line)


def _system(line: Line) -> list[Part] | None:
    subtype = text_of(line.get("subtype"))
    if subtype == "init":
        version, model = text_of(line.get("claude_code_version")), text_of(line.get("model"))
        names = " · ".join(filter(None, (f"Claude Code {version}" if version else "", model)))
        return [*said.session(line.get("session_id")), *(said.note("Program", names) if names else [])]
    if subtype == "api_retry":
        why = text_of(line.get("error")) or "the call failed"
        status, attempt = line.get("error_status"), line.get("attempt")
        told = f"{why}{f' ({status})' if status is not None else ''}, attempt {attempt} of {line.get('max_retries')}"
        return said.note("Tries again", told, settles=True)
    if subtype == "compact_boundary":
        return said.note("Compacted", "What was said before was made shorter for the model.")
    return [] if subtype in _QUIET_SYSTEM else None


def _event(line: Line) -> list[Part]:
    if line.get("parent_tool_use_id") is not None:
        return []
    delta = part_of(line, "event", "delta")
    if delta.get("type") == "text_delta":
        return said.words("text", delta.get("text"), piece=True, draft=True)
    if delta.get("type") == "thinking_delta":
        return said.words("thinking", delta.get("thinking"), piece=True, draft=True)
    return []


def _assistant(line: Line) -> list[Part]:
    if line.get("error") is not None:
        message = "\n".join(text_of(block.get("text")) for block in _blocks(line)).strip()
        report = report_of(line.get("error"), line.get("api_error_status"), message)
        return said.failure(report["message"], str(report["class"]))
    by = SUBAGENT if line.get("parent_tool_use_id") is not None else ""
    found: list[Part] = []
    for block in _blocks(line):
        match block.get("type"):
            case "text":
                found += said.words("text", block.get("text"), by=by)
            case "thinking":
                found += said.words("thinking", block.get("thinking"), by=by)
            case "redacted_thinking":
                found += said.words("thinking", "[redacted]", by=by)
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                found += _call(block, line)
            case kind:
                found += said.note(text_of(kind) or "block", said.shown(block))
    return found


def _call(block: Line, line: Line) -> list[Part]:
    given = block.get("input")
    return said.call(
        block.get("id"),
        name=text_of(block.get("name")),
        target=said.target_of(given),
        arguments=said.arguments_of(given),
        state=said.CALLED,
        at_ms=said.moment_ms(line.get("timestamp")),
    )


def _user(line: Line) -> list[Part]:
    content = part_of(line, "message").get("content")
    if isinstance(content, str):
        return said.words("told", content)
    found: list[Part] = []
    for block in _blocks(line):
        if block.get("type") == "tool_result":
            is_refused = _is_refused(line, block.get("tool_use_id"))
            state = said.FAILED if block.get("is_error") is True else said.DONE
            found += said.call(
                block.get("tool_use_id"),
                goes_on=True,
                state=said.REFUSED if is_refused else state,
                result=said.texts_of(block.get("content")),
                at_ms=said.moment_ms(line.get("timestamp")),
            )
        elif block.get("type") == "text":
            found += said.words("told", block.get("text"))
    return found


def _is_refused(line: Line, call_id: object) -> bool:
    told = line.get("tool_result_meta")
    metas = [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []
    return any(
        one.get("id") == call_id and part_of(one, "permission_decision").get("decision") == "reject"
        for one in metas
    )


def _result(line: Line) -> list[Part]:
    """The words of a result stand before it already: of a good one as text, of a failed call as an error."""
    found: list[Part] = []
    if line.get("subtype") != "success":
        errors = line.get("errors")
        told = [text for text in errors if isinstance(text, str)] if isinstance(errors, list) else []
        found += said.failure("; ".join(told) or text_of(line.get("subtype")))
    used = part_of(line, "usage")
    report = {
        "kind": "usage",
        "input_tokens": count_of(used.get("input_tokens")),
        "output_tokens": count_of(used.get("output_tokens")),
        "cache_read_tokens": count_of(used.get("cache_read_input_tokens")),
        "cache_write_tokens": count_of(used.get("cache_creation_input_tokens")),
        "cost_usd": line.get("total_cost_usd"),
        "source": "reported",
        "cumulative": True,
    }
    return [*found, *said.usage(report)]


def _request(line: Line) -> list[Part] | None:
    request = part_of(line, "request")
    if request.get("subtype") != "can_use_tool":
        return None
    given = request.get("input")
    return said.call(
        request.get("tool_use_id") or line.get("request_id"),
        goes_on=True,
        name=text_of(request.get("tool_name")),
        target=said.target_of(given),
        arguments=said.arguments_of(given),
        state=said.ASKED,
    )


def _limit(line: Line) -> list[Part]:
    info = part_of(line, "rate_limit_info")
    status = text_of(info.get("status"))
    if status in ("", "allowed"):
        return []
    kind = text_of(info.get("rateLimitType")).replace("_", " ")
    return said.note("Usage limit", " ".join(filter(None, (status.replace("_", " "), kind))))


def _blocks(line: Line) -> list[Line]:
    content = part_of(line, "message").get("content")
    return [block for block in content if isinstance(block, Mapping)] if isinstance(content, list) else []


_READERS: Mapping[str, Callable[[Line], list[Part] | None]] = {
    "system": _system,
    "stream_event": _event,
    "assistant": _assistant,
    "user": _user,
    "result": _result,
    "control_request": _request,
    "rate_limit_event": _limit,
}
