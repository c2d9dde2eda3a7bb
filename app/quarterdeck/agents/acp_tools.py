"""Tool calls of an ACP agent: effects with their start and end, the files that they wrote, and what a person is asked.

A call is an effect unless the program itself says that it only looks (EFF1). It is `intended` once it is announced, `sent`
once it runs or was allowed, and what the program says of its end closes it; one that a person denied is `refused`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from quarterdeck.agents import lines_fields
from quarterdeck.agents.acp_wire import Id
from quarterdeck.agents.call_ends import BY_SIGNAL, WITH_ITS_TURN, is_of_signal
from quarterdeck.agents.json_stream import part_of
from quarterdeck.agents.lines_fields import ID_CHARS_MAX
from quarterdeck.domain import kept_facts, reports
from quarterdeck.domain.kept_facts import FirstFacts
from quarterdeck.domain.reports import Report

ONLY_LOOKS = frozenset({"read", "search", "think", "switch_mode"})
WRITES = frozenset({"edit", "delete", "move"})
ALLOW, DENY = "Allow once", "Deny"
FAILED = "it failed"
DETAIL_CHARS_MAX = 2000
FILES_OF_CALL_MAX = 100
FORGOTTEN_AFTER = 10_000
"""So many calls that are still open are known by their id; more are told and forgotten."""
_SIGNALLED = re.compile(
    r"^(?:Exit Code: .*\nSignal: (?!\(none\)).+|Command terminated by signal: .+)$", re.MULTILINE
)
"""How Qwen tells of a command that a signal ended."""


@dataclass(slots=True)
class ToolCall:
    """What was told of one call so far; a later word replaces, silence keeps."""

    id: str
    title: str = ""
    kind: str = ""
    state: str = ""
    """Where it stands; empty: nothing is known yet."""
    is_told: bool = False
    """Whether it was reported as an effect; what was begun as one ends as one."""
    raw: Any = None
    files: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Question:
    """A permission request that nobody has answered. Option ids are the agent's own."""

    request_id: Id
    call: ToolCall
    allow: str | None
    deny: str | None
    names: Mapping[str, str]
    """{what an answer may say, lower case: option id}."""


class ToolCalls:
    """All calls of one attempt, bounded."""

    def __init__(self, cwd: str) -> None:
        self._cwd = cwd
        self._calls: dict[str, ToolCall] = {}
        self.questions: FirstFacts[Question] = FirstFacts(kept_facts.QUESTIONS)
        """By the id that a person's answer names."""
        self._asked = 0
        self._given_up: list[ToolCall] = []
        """Which failed without a word of how: by themselves, if the agent's model goes on."""

    @property
    def are_open(self) -> bool:
        """Whether a call runs."""
        return any(call.state == "sent" for call in self._calls.values())

    def knows(self, told: Mapping[str, Any]) -> bool:
        """Whether this call was told of before and has not ended."""
        call_id = told.get("toolCallId")
        return isinstance(call_id, str) and clean(call_id)[:ID_CHARS_MAX] in self._calls

    def update(self, told: Mapping[str, Any], *, is_ending: bool) -> Iterator[Report]:
        """A `tool_call` or `tool_call_update`, also for an id that was never announced. is_ending: what ends now may have
        happened in part, so its effect stays open.
        """
        call = self._call(told)
        if call is None:
            return
        status = told.get("status")
        if status in ("completed", "failed"):
            if call.state != "refused" and not is_ending:
                yield from self._ended(call, told, has_failed=status == "failed")
            self._calls.pop(call.id, None)
        elif status == "in_progress" and call.state != "refused":
            yield from self._move(call, "sent")
        else:
            yield from self._move(call, call.state or "intended")

    def went_on(self) -> Iterator[Report]:
        """The agent's model spoke again: what had failed before it was its call's own answer."""
        given_up, self._given_up = self._given_up, []
        for call in given_up:
            if call.state != "refused":
                yield from self._move(call, "confirmed", FAILED)

    def _ended(self, call: ToolCall, told: Mapping[str, Any], *, has_failed: bool) -> Iterator[Report]:
        """codex-acp ends each open call so where its Codex is gone, and then says that the turn failed."""
        if _is_signalled(told):
            yield from self._move(call, "sent", BY_SIGNAL, is_news=True)
        elif has_failed and not _says_how(told):
            self._given_up = [*self._given_up, call][-FILES_OF_CALL_MAX:]
            yield from self._move(call, "sent", WITH_ITS_TURN, is_news=True)
        else:
            yield from self._move(call, "confirmed", FAILED if has_failed else "")
            yield from self._artifacts(call)

    def ask(self, request_id: Id, params: Mapping[str, Any]) -> Iterator[Report]:
        """A permission request; nothing where it offers no choice that can be made for a person. `last_question` tells its id."""
        told, options = params.get("toolCall"), params.get("options")
        call = self._call(told) if isinstance(told, dict) else None
        if call is None or not isinstance(told, dict) or not isinstance(options, list):
            return
        question = _question(request_id, call, options)
        words, action = _words(told, call), _action(told, call)
        self._asked += 1
        name = f"permission-{self._asked}"
        if (question.allow is None and question.deny is None) or not self.questions.put(
            name, question, len(words) + len(action)
        ):
            return
        yield from self._move(call, call.state or "intended")
        yield {
            "kind": reports.APPROVAL,
            "id": name,
            **lines_fields.question({"action": action}, "action"),
            **lines_fields.question({"question": words}, "question"),
            "options": [option for option, has in ((DENY, question.deny), (ALLOW, question.allow)) if has],
            "tool": call.kind or "tool",
            "where": self._cwd,
            "effect": call.id,
        }

    def answered(self, question: Question, option: str | None) -> Iterator[Report]:
        """What an answer makes of the call: None is a denial without words."""
        is_allowed = option is not None and option != question.deny
        self._calls.setdefault(question.call.id, question.call)
        yield from self._move(question.call, "sent" if is_allowed else "refused")

    def _call(self, told: Mapping[str, Any]) -> ToolCall | None:
        call_id = told.get("toolCallId")
        if not isinstance(call_id, str) or not call_id:
            return None
        call_id = clean(call_id)[:ID_CHARS_MAX]
        call = self._calls.get(call_id)
        if call is None:
            call = ToolCall(call_id)
            if len(self._calls) < FORGOTTEN_AFTER:
                self._calls[call_id] = call
        call.title = _text(told.get("title")) or call.title
        call.kind = _text(told.get("kind")) or call.kind
        if told.get("rawInput"):
            call.raw = told["rawInput"]
        _note_files(call, told)
        return call

    def _move(
        self, call: ToolCall, state: str, detail: str = "", *, is_news: bool = False
    ) -> Iterator[Report]:
        """The effect as it stands now, where that is news and it is one. is_news: its detail is, whatever its state was."""
        is_news, call.state = is_news or call.state != state, state
        if not is_news or (call.kind in ONLY_LOOKS and not call.is_told):
            return
        call.is_told = True
        yield {
            "kind": reports.EFFECT,
            "id": call.id,
            "state": state,
            "type": call.kind or "tool",
            "target": (call.title or (call.files[0] if call.files else ""))[:DETAIL_CHARS_MAX],
            "detail": detail or _compact(call.raw)[:DETAIL_CHARS_MAX],
        }

    def _artifacts(self, call: ToolCall) -> Iterator[Report]:
        paths = call.written or (call.files if call.kind in WRITES else [])
        for path in paths:
            whole = os.path.join(self._cwd, path)
            name = os.path.relpath(whole, self._cwd) if self._cwd else path
            name = whole if name.startswith("..") else name
            yield {"kind": reports.ARTIFACT, "name": name[-ID_CHARS_MAX:], "source": {"path": path}}


def option_of(question: Question, answer: object) -> str | None:
    """The agent's option for an answer: the option's own words or id, a kind, yes or no. None is no choice: it is cancelled."""
    if isinstance(answer, bool):
        return question.allow if answer else question.deny
    if isinstance(answer, Mapping):
        answer = answer.get("optionId") or answer.get("answer") or answer.get("choice")
    return question.names.get(str(answer).strip().lower())


def _is_signalled(told: Mapping[str, Any]) -> bool:
    """Whether the end of a call says that a signal made it."""
    exit_ = _exit(told)
    texts = [_text(part_of(item, "content").get("text")) for item in _items(told.get("content"))]
    return (
        bool(exit_.get("signal"))
        or is_of_signal(exit_.get("exit_code"))
        or any(_SIGNALLED.search(text) for text in (_text(told.get("rawOutput")), *texts))
    )


def _says_how(told: Mapping[str, Any]) -> bool:
    """Whether it says anything of how the call ended."""
    return bool(told.get("content") or told.get("rawOutput")) or _exit(told).get("exit_code") is not None


def _exit(told: Mapping[str, Any]) -> Mapping[str, Any]:
    return part_of(told, "_meta", "terminal_exit") or part_of(told, "rawOutput")


def _question(request_id: Id, call: ToolCall, options: list[Any]) -> Question:
    """Never one of the agent's own lasting permissions where it offers a single one: what a person allows is used once."""
    known = [o for o in options if isinstance(o, dict) and isinstance(o.get("optionId"), str)]
    kinds = {
        kind: [o for o in known if o.get("kind") == kind]
        for kind in ("allow_once", "reject_once", "reject_always")
    }
    allow = kinds["allow_once"][0]["optionId"] if kinds["allow_once"] else None
    denials = kinds["reject_once"] or kinds["reject_always"]
    deny = denials[0]["optionId"] if denials else None
    words = dict.fromkeys((ALLOW.lower(), "allow for this run", "allow", "allow_once", "yes"), allow)
    words |= dict.fromkeys((DENY.lower(), "reject", "reject_once", "no"), deny)
    names = {word: option for word, option in words.items() if option is not None}
    for option in known:
        if option.get("kind") in ("allow_once", "reject_once"):
            names.setdefault(option["optionId"].lower(), option["optionId"])
            names.setdefault(_text(option.get("name")).lower(), option["optionId"])
    return Question(request_id, call, allow, deny, names)


def _action(told: Mapping[str, Any], call: ToolCall) -> str:
    """The exact JSON of what would be done, without ids: equal texts are an equal request, by which it can be told again."""
    asked = {"title": call.title, "kind": call.kind, "input": call.raw, "files": _paths(told)}
    return _compact({**asked, "content": told.get("content")})


def _words(told: Mapping[str, Any], call: ToolCall) -> str:
    """What exactly is asked, and nothing that differs where the same is asked again: equal words are an equal request."""
    parts = [call.title or call.kind or "A tool call"]
    if call.kind:
        parts.append(f"kind: {call.kind}")
    if call.raw:
        parts.append(f"input: {_compact(call.raw)}")
    paths = list(dict.fromkeys(_paths(told)))
    if paths:
        parts.append("files: " + ", ".join(paths))
    for item in _items(told.get("content")):
        if item.get("type") == "diff":
            parts.append(f"{_text(item.get('path'))}:\n{difference(item)}")
        elif isinstance(item.get("content"), dict):
            parts.append(_text(item["content"].get("text")))
    return "\n".join(part for part in parts if part)


def difference(item: Mapping[str, Any]) -> str:
    """A `diff` of a tool call as lines."""
    old, new = _text(item.get("oldText")), _text(item.get("newText"))
    return "\n".join([f"- {line}" for line in old.splitlines()] + [f"+ {line}" for line in new.splitlines()])


def _note_files(call: ToolCall, told: Mapping[str, Any]) -> None:
    for path in _paths(told):
        if path not in call.files and len(call.files) < FILES_OF_CALL_MAX:
            call.files.append(path)
    for item in _items(told.get("content")):
        path = _text(item.get("path"))
        if item.get("type") == "diff" and _is_path(path) and path not in call.written:
            call.written = [*call.written, path][:FILES_OF_CALL_MAX]


def _paths(told: Mapping[str, Any]) -> list[str]:
    return [path for item in _items(told.get("locations")) if _is_path(path := _text(item.get("path")))]


def _is_path(path: str) -> bool:
    return bool(path) and "\0" not in path


def _items(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _compact(value: object) -> str:
    return "" if not value else clean(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def clean(text: str) -> str:
    """With escapes for what UTF-8 cannot carry (half of a pair): every text of a report must be writable."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
