"""What an agent is told in words whose program knows nothing of Quarterdeck: the outcome, the inputs, its task, what is attached, and
on a resumed attempt what may have happened before (design §7, EFF5). Pure; the files of design §7 hold the same and more.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

SHOWN_MAX = 40
"""More effects, steps or notes than these are left to the file."""
TEXT_CHARS_MAX = 600
ATTACHED_CHARS_MAX = 200_000
"""What of one attachment stands in the words; the rest is in its file."""
TAKEN_UP = (
    "You are taking up work that was begun before and did not end well. Do not assume that anything of it happened, and do "
    "not assume that it did not: look first."
)


def agent_words(
    prompt: str,
    outcome: str,
    inputs: Mapping[str, Any],
    attached: Sequence[tuple[Mapping[str, Any], str, bytes]],
    left: Mapping[str, Any] | None,
    resume_path: str,
) -> str:
    """attached: (item, file beside the launch, content). left: what `resume_file` gives, None for a first attempt."""
    parts = [] if left is None else [_resumed(left, resume_path)]
    parts.append(prompt.strip() or outcome)
    parts += [_attachment(*one) for one in attached]
    if outcome.strip() and outcome.strip() != prompt.strip():
        parts.append(f"This is one step of a larger piece of work, whose outcome is to be: {outcome.strip()}")
    if inputs:
        told = "\n".join(f"- {name}: {_json(value)}" for name, value in inputs.items())
        parts.append(f"Inputs:\n{told}")
    return "\n\n".join(parts)


def _attachment(item: Mapping[str, Any], file: str, content: bytes) -> str:
    """A text as it is, everything else by its path."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return f"Attached file {item['path']} ({item['role']}): {file}"
    rest = f"\n(the rest is in {file})" if len(text) > ATTACHED_CHARS_MAX else ""
    return f"Attached {item['path']} ({item['role']}):\n{text[:ATTACHED_CHARS_MAX]}{rest}"


def _resumed(left: Mapping[str, Any], path: str) -> str:
    last = left["attempts"][-1] if left["attempts"] else {}
    lines = [
        TAKEN_UP,
        f"Why the last attempt ended: {_cut(last.get('reason') or last.get('status') or 'not known')}",
    ]
    if left.get("reason"):
        lines.append(f"Why it is taken up again: {_cut(left['reason'])}")
    effects = [effect for attempt in left["attempts"] for effect in attempt["effects"]]
    unknown = [effect for effect in effects if effect["state"] in ("intended", "sent", "unknown")]
    done = [effect for effect in effects if effect["state"] not in ("intended", "sent", "unknown")]
    lines += _listed(
        "These calls were begun and their end was never seen. Each may have happened, wholly or in part; find out before you repeat it:",
        map(_effect, unknown),
    )
    lines += _listed("These calls were answered, so do not repeat them without need:", map(_effect, done))
    steps = left["steps"]
    lines += _listed("Saved steps:", (f"{one['step']}: {_saved(one)}" for one in steps["kept"]))
    lines += _listed("Steps to do again:", (f"{one['step']} ({one['why']})" for one in steps["repeat"]))
    lines += _listed("Notes:", (_cut(note["text"]) for one in left["attempts"] for note in one["notes"]))
    files = {name: kept for one in left["attempts"] for name, kept in one["artifacts"].items()}
    lines += _listed("Files it had written, as they were then:", (f"{n}: {p}" for n, p in files.items()))
    if any(one.get("reports_damaged") for one in left["attempts"]):
        lines.append("What was recorded of it is damaged: more may have happened than is listed here.")
    lines += [f"All of this as JSON: {path}", "The task:"]
    return "\n".join(lines)


def _effect(effect: Mapping[str, Any]) -> str:
    what = " ".join(part for part in (effect["type"], effect["target"]) if part)
    detail = f" – {_cut(effect['detail'])}" if effect["detail"] else ""
    settled = effect["settled"]
    said = f" (a person or a probe found: {_cut(_json(settled['value']))})" if settled is not None else ""
    return f"{what}{detail}: {effect['state']}{said}; idempotency key {effect['idempotency_key']}"


def _saved(one: Mapping[str, Any]) -> str:
    return str(one["path"]) if "path" in one else _cut(_json(one["data"]))


def _listed(head: str, items: Any) -> list[str]:
    found = list(items)
    if not found:
        return []
    more = [f"- and {len(found) - SHOWN_MAX} more"] if len(found) > SHOWN_MAX else []
    return [head, *(f"- {item}" for item in found[:SHOWN_MAX]), *more]


def _json(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _cut(text: object) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= TEXT_CHARS_MAX else line[:TEXT_CHARS_MAX] + "…"
