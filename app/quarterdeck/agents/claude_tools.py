"""Tool calls of Claude Code: effects with start and end, the files that they wrote, and what a person is asked.

A call counts as sent once it is announced: what needs no leave begins at once, and nothing says when. One that asked for leave and
never got an answer has not begun; that is said at the end. Tools that only look are no effects (EFF1). What ends while the program
is being ended may have happened in part: its effect stays open (EFF2, ruling 13).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.agents.call_ends import BY_SIGNAL, is_of_signal
from quarterdeck.agents.lines_fields import ID_CHARS_MAX
from quarterdeck.domain import kept_facts, reports
from quarterdeck.domain.effect_table import NOT_BEGUN
from quarterdeck.domain.kept_facts import FirstFacts
from quarterdeck.domain.reports import Report

ONLY_LOOKS = frozenset(
    {
        "Read", "Glob", "Grep", "LS", "NotebookRead", "BashOutput", "TaskOutput", "TaskGet", "TaskList", "TodoWrite", "TaskCreate",
        "TaskUpdate", "ToolSearch", "ListMcpResources", "ReadMcpResource", "CronList", "EnterPlanMode", "ExitPlanMode",
        "AskUserQuestion", "WebSearch",
    }
)  # fmt: skip
"""Known by name; what is new counts as an effect."""
WRITES: Mapping[str, str] = {
    "Write": "file_path",
    "Edit": "file_path",
    "MultiEdit": "file_path",
    "NotebookEdit": "notebook_path",
}
"""{tool: the field with the file}"""
_TARGETS = (
    "command",
    "file_path",
    "notebook_path",
    "url",
    "pattern",
    "description",
    "subagent_type",
    "skill",
)
DENY: Final = "Deny"
ALLOW: Final = "Allow once"
DETAIL_CHARS_MAX = 2000
CALLS_MAX = 10_000
_EXIT_CODE = re.compile(r"Exit code (-?\d{1,5})(?!\d)")
QUESTION: Final = "AskUserQuestion"


@dataclass(slots=True)
class Call:
    """A call whose end was not told."""

    id: str
    tool: str
    target: str
    input: Mapping[str, Any]
    is_effect: bool
    is_waiting: bool = False
    """Leave was asked for and not given."""
    is_denied: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for leave that nobody has answered. choices: of a question of the agent's own, {shown: what it is told}."""

    request_id: str
    """As the program spells it."""
    call_id: str
    input: Mapping[str, Any]
    choices: Mapping[str, Mapping[str, Any]] | None = None


class ToolCalls:
    """All calls of one attempt, bounded."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._calls: dict[str, Call] = {}
        self._asked: FirstFacts[Asked] = FirstFacts(kept_facts.QUESTIONS)
        self.is_ending = False
        """The program is being ended: an end that it tells from now on is of our making."""

    def begin(self, block: Mapping[str, Any]) -> Iterator[Report]:
        """A `tool_use` block of a whole message."""
        call_id, tool = block.get("id"), block.get("name")
        if not isinstance(call_id, str) or not call_id or not isinstance(tool, str) or call_id in self._calls:
            return
        told = block.get("input")
        given: Mapping[str, Any] = told if isinstance(told, dict) else {}
        call = Call(call_id[:ID_CHARS_MAX], tool, _target(tool, given), given, tool not in ONLY_LOOKS)
        if len(self._calls) >= CALLS_MAX:
            del self._calls[next(iter(self._calls))]
        self._calls[call_id] = call
        if call.is_effect:
            yield _effect(call, "sent", "")

    def end(self, block: Mapping[str, Any]) -> Iterator[Report]:
        """A `tool_result` block."""
        call = self._calls.get(str(block.get("tool_use_id") or ""))
        if call is None or (self.is_ending and not call.is_denied):
            return
        del self._calls[str(block["tool_use_id"])]
        failed = block.get("is_error") is True
        if call.is_effect and failed and not call.is_denied and is_of_signal(_exit_code(block)):
            yield _effect(call, "sent", BY_SIGNAL)
        elif call.is_effect:
            detail = "it ended with an error" if failed else ""
            yield _effect(call, "refused" if call.is_denied else "confirmed", detail)
        path = call.input.get(WRITES.get(call.tool, ""))
        if not failed and isinstance(path, str) and path and "\0" not in path:
            yield {"kind": reports.ARTIFACT, "name": self._name(path), "source": {"path": path}}

    def ask(self, request_id: str, request: Mapping[str, Any]) -> Iterator[Report]:
        """`can_use_tool`: a person is asked for leave, by the exact JSON of what would be done."""
        told, tool = request.get("input"), str(request.get("tool_name") or "")
        given: Mapping[str, Any] = told if isinstance(told, dict) else {}
        call = self._calls.get(str(request.get("tool_use_id") or ""))
        if call is not None:
            call.is_waiting = True
        action = json.dumps({"tool": tool, "input": given}, ensure_ascii=False, sort_keys=True)
        choices = _choices(given) if tool == QUESTION else None
        asked = Asked(request_id, "" if call is None else call.id, given, choices)
        request_id = escaped(request_id)
        self._asked.put(request_id, asked, len(action))
        yield {
            "kind": reports.APPROVAL,
            "id": request_id,
            "question": _question(given) if choices is not None else _words(tool, given),
            "options": list(choices) if choices is not None else [DENY, ALLOW],
            "tool": tool,
            "action": action,
            "where": self._cwd,
            "effect": "" if call is None or not call.is_effect else call.id,
        }

    def answer(self, request_id: str, answer: object) -> tuple[str, dict[str, Any]] | None:
        """(its own id of the request, what it is told); None where nothing is asked under that id."""
        asked = self._asked.get(request_id)
        if asked is None:
            return None
        self._asked.drop(request_id)
        call = self._calls.get(asked.call_id)
        said = answer if isinstance(answer, str) else ""
        if asked.choices is not None and said in asked.choices:
            told: dict[str, Any] = {
                "behavior": "allow",
                "updatedInput": {**asked.input, "answers": asked.choices[said]},
            }
        elif asked.choices is None and said.casefold().startswith("allow"):
            told = {"behavior": "allow", "updatedInput": dict(asked.input)}
        else:
            told = {"behavior": "deny", "message": "A person looked at this and denied it."}
        if call is not None:
            call.is_waiting, call.is_denied = False, told["behavior"] == "deny"
        return asked.request_id, told

    def withdraw(self, request_id: str) -> Iterator[Report]:
        """The program does not want an answer any more."""
        request_id = escaped(request_id)
        if self._asked.get(request_id) is not None:
            self._asked.drop(request_id)
            yield {"kind": reports.APPROVAL_ANSWERED, "id": request_id, "answer": None, "delivered": False}

    def at_end(self) -> Iterator[Report]:
        """What waited for leave when the program ended was not begun."""
        for call in self._calls.values():
            if call.is_waiting and call.is_effect:
                yield _effect(call, "refused", NOT_BEGUN)

    def _name(self, path: str) -> str:
        inside = os.path.relpath(path, self._cwd) if os.path.isabs(path) and self._cwd else path
        return (path if inside.startswith("..") else inside)[-ID_CHARS_MAX:]


def escaped(text: str) -> str:
    """With escapes for what UTF-8 cannot carry (half of a pair)."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _exit_code(block: Mapping[str, Any]) -> int | None:
    """Of a command that failed, as the program puts it in front of what the command printed."""
    content = block.get("content")
    if isinstance(content, list):
        content = next((part.get("text") for part in content if isinstance(part, dict)), None)
    found = _EXIT_CODE.match(content) if isinstance(content, str) else None
    return None if found is None else int(found[1])


def _effect(call: Call, state: str, detail: str) -> Report:
    return {
        "kind": reports.EFFECT,
        "id": call.id,
        "state": state,
        "type": call.tool[:ID_CHARS_MAX],
        "target": call.target,
        "detail": detail,
    }


def _target(tool: str, given: Mapping[str, Any]) -> str:
    """What it is done to, as one text."""
    for name in _TARGETS:
        if isinstance(value := given.get(name), str) and value:
            return value[:DETAIL_CHARS_MAX]
    return json.dumps(given, ensure_ascii=False)[:DETAIL_CHARS_MAX] if given else ""


def _words(tool: str, given: Mapping[str, Any]) -> str:
    """Every field whole, the one that matters first: a person answers what stands there."""
    first = [name for name in _TARGETS if isinstance(given.get(name), str)][:1]
    rest = [name for name in given if name not in first]
    lines = [f"{tool}: {given[name]}" for name in first] or [tool]
    lines += [f"{name}: {_shown(given[name])}" for name in rest]
    return "\n".join(lines)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _question(given: Mapping[str, Any]) -> str:
    question = given["questions"][0]
    options = [one for one in question["options"] if one.get("description")]
    return "\n".join(
        [str(question["question"]), *(f"{one['label']}: {one['description']}" for one in options)]
    )


def _choices(given: Mapping[str, Any]) -> dict[str, Mapping[str, Any]] | None:
    """{option: the answers that it stands for} of one question with one answer; None for all else, which can be denied."""
    match given.get("questions"):
        case [{"question": str(text), "options": [*options], **rest}] if not rest.get("multiSelect"):
            labels = [one.get("label") for one in options if isinstance(one, dict)]
            found: dict[str, Mapping[str, Any]] = {
                label: {text: label} for label in labels if isinstance(label, str) and label
            }
            return found if len(found) == len(options) and found else None
        case _:
            return None
