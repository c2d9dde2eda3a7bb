"""A transcript in words for a terminal: each part of it as a few lines. Pure; what it gives is not escaped yet.

The parts are the window's (`engine.attempt_details`), so that terminal and window show the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.cli.plain_text import duration_text, money_text
from quarterdeck.domain.call_states import CallState
from quarterdeck.domain.money import parse_usd
from quarterdeck.engine.attempt_details import TranscriptLine

INDENT = "    "
STATES: Mapping[str, str] = {
    CallState.CALLED: "called",
    CallState.ASKED: "asked for leave",
    CallState.RUNNING: "at work",
}
Item = Mapping[str, Any]


def text_of(line: TranscriptLine) -> str:
    """What a part says, with a newline at its end; empty where there is nothing to say."""
    if line.item is None:
        return line.content.decode("utf-8", "backslashreplace") + "\n"
    shown = _SHOWN.get(line.item["kind"])
    text = shown(line.item) if shown is not None else f"[{line.item.get('type', line.item['kind'])}]"
    return text.rstrip("\n") + "\n" if text else ""


def _words(item: Item) -> str:
    by = f"[{item['by']}] " if item.get("by") else ""
    return f"{by}{item['text']}"


def _named(name: str) -> Callable[[Item], str]:
    def show(item: Item) -> str:
        return f"[{name}]\n{_indented(str(item['text']))}"

    return show


def _call(item: Item) -> str:
    is_rest = item.get("goes_on") and not item.get("arguments") and not item.get("target")
    name = str(item.get("name") or "tool")
    state = str(item.get("state") or CallState.CALLED)
    took = f", {duration_text(item['took_ms'])}" if item.get("took_ms", 0) >= 1000 else ""
    about = f" {str(item['target']).strip()}" if item.get("target") else ""
    head = f"[{'result of ' if is_rest else ''}{name}: {STATES.get(state, state)}{took}]{about}"
    given = str(item.get("arguments") or "")
    parts = [head, _indented(given) if "\n" in given else "", _indented(str(item.get("result") or ""))]
    return "\n".join(filter(None, parts))


def _effect(item: Item) -> str:
    return " ".join(filter(None, (f"[{item['type'] or 'effect'}: {item['state']}]", item["target"])))


def _error(item: Item) -> str:
    return f"[error] {': '.join(filter(None, (str(item['class']), str(item['message']))))}"


def _question(item: Item) -> str:
    options = " / ".join(map(str, item["options"]))
    return f"[question]\n{_indented(item['question'])}" + (f"\n{INDENT}({options})" if options else "")


def _output(item: Item) -> str:
    value = item["value"]
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
    return f"[result]\n{_indented(told)}"


def _usage(item: Item) -> str:
    sent = item["input_tokens"] + item["cache_read_tokens"] + item["cache_write_tokens"]
    cost = parse_usd(item["cost_usd"])
    told = [f"{sent:,} in", f"{item['output_tokens']:,} out"]
    told += [money_text(cost, True)] if cost is not None else []
    return f"[usage{' so far' if item['cumulative'] else ''}] {', '.join(told)}"


def _progress(item: Item) -> str:
    done = "" if item["done"] is None else f"{item['done']:g}"
    whole = f"{done} of {item['total']:g}" if done and item["total"] is not None else done
    return f"[progress] {' '.join(filter(None, (whole, item['label'])))}"


def _indented(text: str) -> str:
    return "\n".join(INDENT + line for line in text.rstrip("\n").split("\n")) if text else ""


_SHOWN: Mapping[str, Callable[[Item], str]] = {
    "text": _words,
    "thinking": _named("thinking"),
    "told": _named("told"),
    "call": _call,
    "effect": _effect,
    "error": _error,
    "approval": _question,
    "output": _output,
    "usage": _usage,
    "progress": _progress,
    "note": lambda item: f"[{item['note']}] {item['text']}",
    "session": lambda item: f"[session] {item['id']}",
    "artifact": lambda item: f"[saved] {item['name']}",
    "checkpoint": lambda item: f"[checkpoint] {item['step']}",
    "turn": lambda _item: "[turn]",
}
