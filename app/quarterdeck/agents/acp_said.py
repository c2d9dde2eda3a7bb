"""What a line of an agent that speaks the Agent Client Protocol says to a person. See `said`.

Only the agent's side is there: what it tells, what it asks, and its answers, which are told apart by what they hold. Words come in
pieces and never whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.agents import said
from quarterdeck.agents.acp_errors import report_of
from quarterdeck.agents.acp_tools import difference
from quarterdeck.agents.acp_wire import error_of
from quarterdeck.agents.json_stream import part_of, text_of
from quarterdeck.agents.said import Part

Line = Mapping[str, Any]
_STATES = {
    "pending": said.CALLED,
    "in_progress": said.RUNNING,
    "completed": said.DONE,
    "failed": said.FAILED,
}
_UPKEEP = frozenset(
    {
        "available_commands_update",
        "current_mode_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
    }
)


def parts_of(line: Line) -> list[Part] | None:
    """The parts of one line; None for a kind that is not known."""
    method = line.get("method")
    if method == "session/update":
        return _update(part_of(line, "params", "update"))
    if method == "session/request_permission":
        return _tool(part_of(line, "params", "toolCall"), state=said.ASKED)
    if method is not None:
        return None
    if line.get("error") is not None:
        report = report_of(error_of(line["error"]))
        return said.failure(report["message"] or "The request failed.", str(report["class"]))
    return _answer(part_of(line, "result")) if "result" in line else None


def _answer(result: Line) -> list[Part]:
    agent = part_of(result, "agentInfo")
    name = text_of(agent.get("title")) or text_of(agent.get("name"))
    reason = text_of(result.get("stopReason"))
    if name:
        return said.note("Program", f"{name} {text_of(agent.get('version'))}".strip())
    if reason:
        return said.note("Turn", "ended" if reason == "end_turn" else f"ended: {reason.replace('_', ' ')}")
    if "sessionId" not in result and ("modes" in result or "models" in result):
        return said.note("Session", "continued")
    return said.session(result.get("sessionId"))


def _update(update: Line) -> list[Part] | None:
    kind = text_of(update.get("sessionUpdate"))
    if kind in _UPKEEP:
        return []
    reader = _UPDATES.get(kind)
    return None if reader is None else reader(update)


def _words(kind: str) -> Callable[[Line], list[Part]]:
    def read(update: Line) -> list[Part]:
        content = part_of(update, "content")
        text = content.get("text") if isinstance(content.get("text"), str) else f"[{content.get('type')}]"
        return said.words(kind, text if content else "", piece=True, of=text_of(update.get("messageId")))

    return read


def _told(update: Line) -> list[Part]:
    state = _STATES.get(text_of(update.get("status")), "")
    return _tool(update, state=state or (said.CALLED if update.get("sessionUpdate") == "tool_call" else ""))


def _tool(told: Line, *, state: str) -> list[Part]:
    is_update = told.get("sessionUpdate") == "tool_call_update" or state == said.ASKED
    given = told.get("rawInput")
    title, kind = text_of(told.get("title")), text_of(told.get("kind"))
    locations = told.get("locations")
    places = [one for one in locations if isinstance(one, Mapping)] if isinstance(locations, list) else []
    where = ", ".join(path for one in places if (path := text_of(one.get("path"))))
    content = _content(told.get("content"))
    is_over = state in (said.DONE, said.FAILED)
    asked = ("" if is_over else content, f"files: {where}" if where else "")
    return said.call(
        told.get("toolCallId"),
        goes_on=is_update,
        name=kind or ("" if is_update else "tool"),
        target=title or said.target_of(given) or where,
        arguments="\n".join(filter(None, (said.arguments_of(given), *asked))),
        state=state,
        result=(content if is_over else "") or said.arguments_of(told.get("rawOutput")),
    )


def _content(content: object) -> str:
    items = [item for item in content if isinstance(item, Mapping)] if isinstance(content, list) else []
    return "\n".join(filter(None, map(_content_item, items)))


def _content_item(item: Line) -> str:
    if item.get("type") == "diff":
        return f"{text_of(item.get('path'))}:\n{difference(item)}"
    inner = part_of(item, "content")
    return text_of(inner.get("text")) or (f"[{inner.get('type')}]" if inner else "")


def _plan(update: Line) -> list[Part]:
    entries = update.get("entries")
    steps = [one for one in entries if isinstance(one, Mapping)] if isinstance(entries, list) else []
    done = sum(step.get("status") == "completed" for step in steps)
    now = next((text_of(s.get("content")) for s in steps if s.get("status") == "in_progress"), "")
    return [{"kind": "progress", "done": done, "total": len(steps), "label": now}] if steps else []


_UPDATES: Mapping[str, Callable[[Line], list[Part]]] = {
    "agent_message_chunk": _words("text"),
    "agent_thought_chunk": _words("thinking"),
    "user_message_chunk": _words("told"),
    "tool_call": _told,
    "tool_call_update": _told,
    "plan": _plan,
}
