"""What a line of `codex exec --json` says to a person. See `said`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.agents import said
from quarterdeck.agents.codex_errors import failed_call
from quarterdeck.agents.json_stream import count_of, part_of, text_of
from quarterdeck.agents.said import Part

Line = Mapping[str, Any]
_STATES = {
    "in_progress": said.RUNNING,
    "completed": said.DONE,
    "failed": said.FAILED,
    "declined": said.REFUSED,
    "rejected": said.REFUSED,
}
RETRIES = "Reconnecting... "
_CALLS = {
    "command_execution": "command",
    "file_change": "file change",
    "web_search": "web search",
    "mcp_tool_call": "tool",
    "collab_tool_call": "agent",
}


def parts_of(line: Line) -> list[Part] | None:
    """The parts of one line; None for a kind that is not known."""
    match line.get("type"):
        case "thread.started":
            return said.session(line.get("thread_id"))
        case "turn.started":
            return []
        case "item.started" | "item.updated" | "item.completed":
            return _item(part_of(line, "item"), is_over=line["type"] == "item.completed")
        case "turn.completed":
            return _usage(part_of(line, "usage"))
        case "turn.failed":
            return _failed(part_of(line, "error").get("message"))
        case "error":
            return _failed(line.get("message"))
        case _:
            return None


def _item(item: Line, *, is_over: bool) -> list[Part] | None:
    match text_of(item.get("type")):
        case "agent_message":
            return said.words("text", item.get("text")) if is_over else []
        case "reasoning":
            return said.words("thinking", item.get("text")) if is_over else []
        case "error":
            return said.note("Warning", text_of(item.get("message")))
        case "todo_list":
            return _plan(item.get("items"))
        case kind if kind in _CALLS:
            return _call(kind, item, is_over=is_over)
        case _:
            return None


def _call(kind: str, item: Line, *, is_over: bool) -> list[Part]:
    state = _STATES.get(text_of(item.get("status")), said.DONE if is_over else said.RUNNING)
    server, tool = text_of(item.get("server")), text_of(item.get("tool"))
    told = item.get("changes")
    changes = told if isinstance(told, list) else []
    paths = [f"{text_of(part_of(one).get('kind'))} {text_of(part_of(one).get('path'))}" for one in changes]
    target = text_of(item.get("command")) or text_of(item.get("query")) or ", ".join(paths)
    code = item.get("exit_code")
    result = text_of(item.get("aggregated_output")) or said.texts_of(part_of(item, "result").get("content"))
    wrong = text_of(part_of(item, "error").get("message"))
    return said.call(
        item.get("id"),
        goes_on=is_over,
        name=f"{server}/{tool}" if server else tool or _CALLS[kind],
        target=target,
        arguments=said.arguments_of(item.get("arguments")),
        state=said.FAILED if isinstance(code, int) and code else state,
        result="\n".join(filter(None, (result, wrong, f"exit code {code}" if code else ""))),
    )


def _plan(items: object) -> list[Part]:
    steps = [step for step in items if isinstance(step, Mapping)] if isinstance(items, list) else []
    done = sum(step.get("completed") is True for step in steps)
    label = next((text_of(step.get("text")) for step in steps if step.get("completed") is not True), "")
    return [{"kind": "progress", "done": done, "total": len(steps), "label": label}] if steps else []


def _usage(told: Line) -> list[Part]:
    cached = count_of(told.get("cached_input_tokens"))
    written = count_of(told.get("cache_write_input_tokens"))
    return said.usage(
        {
            "kind": "usage",
            "input_tokens": max(0, count_of(told.get("input_tokens")) - cached - written),
            "output_tokens": count_of(told.get("output_tokens")),
            "cache_read_tokens": cached,
            "cache_write_tokens": written,
            "cost_usd": None,
            "cumulative": True,
        }
    )


def _failed(message: object) -> list[Part]:
    text = text_of(message)
    if text.startswith(RETRIES):
        return said.note("Tries again", text, settles=True)
    return said.failure(text, str(failed_call(text).error_class.value) if text else "")
