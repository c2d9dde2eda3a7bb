"""What a line of `opencode run --format json` says to a person. See `said`. It tells a tool call only when that is over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.agents import said
from quarterdeck.agents.json_stream import count_of, part_of, text_of
from quarterdeck.agents.said import Part
from quarterdeck.domain.money import ZERO, parse_usd, usd_text

Line = Mapping[str, Any]
_STATES = {"completed": said.DONE, "error": said.FAILED, "running": said.RUNNING, "pending": said.CALLED}


def parts_of(line: Line) -> list[Part] | None:
    """The parts of one line; None for a kind that is not known."""
    part = part_of(line, "part")
    match line.get("type"):
        case "step_start":
            return []
        case "text":
            return said.words("text", part.get("text"))
        case "reasoning":
            return said.words("thinking", part.get("text"))
        case "tool_use":
            return _call(part)
        case "step_finish":
            return _usage(part)
        case "error":
            error = part_of(line, "error")
            return said.failure(
                text_of(part_of(error, "data").get("message")) or text_of(error.get("name")) or "failed",
                text_of(error.get("name")),
            )
        case _:
            return None


def _call(part: Line) -> list[Part]:
    state, given, time = (
        part_of(part, "state"),
        part_of(part, "state", "input"),
        part_of(part, "state", "time"),
    )
    began, ended = said.moment_ms(time.get("start")), said.moment_ms(time.get("end"))
    return said.call(
        text_of(part.get("id")) or text_of(part.get("callID")),
        name=text_of(part.get("tool")) or "tool",
        target=said.target_of(given) or text_of(state.get("title")),
        arguments=said.arguments_of(given),
        state=_STATES.get(text_of(state.get("status")), said.DONE),
        result=text_of(state.get("error")) or text_of(state.get("output")),
        took_ms=ended - began if began is not None and ended is not None and ended >= began else None,
    )


def _usage(part: Line) -> list[Part]:
    tokens, cache = part_of(part, "tokens"), part_of(part, "tokens", "cache")
    cost = parse_usd(part.get("cost"))
    return said.usage(
        {
            "kind": "usage",
            "input_tokens": count_of(tokens.get("input")),
            "output_tokens": count_of(tokens.get("output")) + count_of(tokens.get("reasoning")),
            "cache_read_tokens": count_of(cache.get("read")),
            "cache_write_tokens": count_of(cache.get("write")),
            "cost_usd": usd_text(cost) if cost != ZERO else None,
            "source": "reported",
            "cumulative": False,
        }
    )
