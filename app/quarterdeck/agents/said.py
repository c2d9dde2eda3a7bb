"""What a line of a program's own wire says to a person: parts by kind, from one line alone. Pure, tolerant, only for showing.

Beside each adapter lies its reader (`claude_said`, `codex_said`, `opencode_said`, `acp_said`). A reader gets one parsed line and gives
its parts in order; nothing for what is only the wire's own upkeep; None for a kind of line that it does not know, which is then
shown as it is. It keeps nothing between two lines, so that a transcript of any length is read from any place. Facts never come from
here: those are the adapter's reports.

A part is a plain mapping with a `kind`. `session`, `usage`, `progress`, `turn` and `error` are spelled as the lines protocol spells
them; beside these there are:

- `text`, `thinking`, `told` (what the program was told): `text`. `piece`: it goes on in the next part of that kind under the same
  `of`. `draft`: a later part tells it again, whole. `by`: whose words they are where they are not the agent's own.
- `call`: one tool call under its `id`: `name`, `target` (one line), `arguments`, `state` (a CallState), `result`, `at_ms`, `took_ms`.
  A later part under the same id adds what is new; `goes_on` says that it is one.
- `note`: `note` (a few words) and `text`. `settles`: drafts before it are void.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from quarterdeck.domain.call_states import CallState

Part = dict[str, Any]
LineReader = Callable[[Mapping[str, Any]], Sequence[Part] | None]

CALLED, ASKED, RUNNING, DONE, FAILED, REFUSED = CallState
TARGET_FIELDS = (
    "command", "file_path", "filePath", "notebook_path", "path", "url", "pattern", "query", "description", "subagent_type", "skill",
)  # fmt: skip
"""Of the arguments of a call: which one says in a line what it is about."""
_CALL_FIELDS = ("name", "target", "arguments", "state", "result", "at_ms", "took_ms")


def words(kind: str, text: object, **more: Any) -> list[Part]:
    """A part of words; none where they are none."""
    if not isinstance(text, str) or not text:
        return []
    return [{"kind": kind, "text": text, **{name: value for name, value in more.items() if value}}]


def call(call_id: object, *, goes_on: bool = False, **known: Any) -> list[Part]:
    """A part of a tool call, of what is known of it here; none without an id."""
    if not isinstance(call_id, str) or not call_id:
        return []
    assert known.keys() <= set(_CALL_FIELDS), known
    if isinstance(known.get("result"), str):
        known["result"] = known["result"].rstrip("\n")
    part = {"kind": "call", "id": call_id, **{k: v for k, v in known.items() if v not in (None, "")}}
    return [{**part, "goes_on": True} if goes_on else part]


def failure(message: object, error_class: str = "") -> list[Part]:
    """An error in the program's words; none without any."""
    if not isinstance(message, str) or not message:
        return []
    return [{"kind": "error", "class": "" if error_class == "other" else error_class, "message": message}]


def note(title: str, text: str, *, settles: bool = False) -> list[Part]:
    """A few words about the work."""
    part: Part = {"kind": "note", "note": title, "text": text}
    return [{**part, "settles": True} if settles else part]


def session(session_id: object) -> list[Part]:
    """The program's own session."""
    return [{"kind": "session", "id": session_id}] if isinstance(session_id, str) and session_id else []


def usage(report: Mapping[str, Any]) -> list[Part]:
    """Tokens and cost as a report of usage tells them."""
    return [dict(report)]


def target_of(given: object) -> str:
    """What a call is about, in a line; empty where no argument says it."""
    told = given if isinstance(given, Mapping) else {}
    return next((told[name] for name in TARGET_FIELDS if isinstance(told.get(name), str)), "")


def arguments_of(given: object) -> str:
    """The arguments of a call, one below the other: texts as they are, all else as JSON."""
    if isinstance(given, Mapping):
        return "\n".join(f"{name}: {shown(value)}" for name, value in given.items())
    return shown(given) if given else ""


def shown(value: object) -> str:
    """A text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def texts_of(content: object) -> str:
    """The text of a content: a text, or blocks of which those without one are named by their type in brackets."""
    if isinstance(content, str):
        return content
    blocks: Iterable[object] = content if isinstance(content, list) else ()
    return "\n".join(_text_of(block) for block in blocks if isinstance(block, Mapping))


def _text_of(block: Mapping[str, Any]) -> str:
    text = block.get("text")
    return text if isinstance(text, str) else f"[{block.get('type') or 'content'}]"


def moment_ms(value: object) -> int | None:
    """Milliseconds of a point in time as programs write it: ISO text or a number of milliseconds."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    try:
        return round(datetime.fromisoformat(value).timestamp() * 1000) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None
