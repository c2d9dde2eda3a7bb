"""What an ACP agent does between its prompt and the answer: words, tool calls, questions, usage, plan; each becomes reports.

Nothing is sent from here, and nothing is known of requests and answers: the adapter hands in what was told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from quarterdeck.agents.acp_tools import Question, ToolCalls, clean
from quarterdeck.agents.acp_turns import Message, Turns
from quarterdeck.agents.acp_usage import Usage, nothing_known
from quarterdeck.agents.acp_wire import Id
from quarterdeck.agents.adapter import Tail
from quarterdeck.agents.codex_errors import PASSING, failed_call, told_of
from quarterdeck.agents.error_reports import MEDIUM, error_report
from quarterdeck.agents.json_stream import part_of, text_of
from quarterdeck.agents.lines_fields import TEXT_CHARS_MAX
from quarterdeck.agents.text_command import value_of
from quarterdeck.domain import reports
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

LABEL_CHARS_MAX = 500
LAST_CALL = "last call"
"""`usage` of the wire, where the answer to a prompt tells the tokens of its last call of the model alone."""


class Work:
    """The work of one session. `tail` also takes what others find worth showing."""

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self.tail = Tail()
        self.usage = Usage()
        self._is_last_call_told = wire.get("usage") == LAST_CALL
        self._calls = 0
        self.is_ending = False
        """What ends from now on may have happened in part."""
        self.is_alive = False
        """Whether the agent has begun to answer."""
        self.has_failed_inside = False
        """Whether the program says that a turn failed which it is about to end well."""
        self._failure = ""
        """What it said after that, which is its own and not the model's."""
        self._is_retry_told = False
        self.is_codex = False
        """codex-acp names each message of its model; what it says without a name is its own ("Warning: Falling back …")."""
        self._tools = ToolCalls(str(wire.get("cwd") or ""))
        self._message, self._turns = Message(), Turns()

    def begin_turn(self) -> None:
        """A prompt goes out."""
        self.has_failed_inside = self._is_retry_told = False
        self._failure, self._calls = "", 0
        self._turns.paused()
        self._message.begin()

    def ended(self, result: Mapping[str, Any]) -> Iterator[Report]:
        """The prompt was answered: what it used. Of a program that tells the tokens of its last call alone, and no cost, the rest
        is not known.
        """
        yield from self.usage.of_answer(result)
        if self._is_last_call_told and self._calls > 1 and not self.usage.has_cost:
            yield nothing_known()

    def failure(self) -> Report:
        """The error of a turn that failed inside: what codex-acp said after it said so, read as Codex's own words are. Of what was
        said before that nothing is read: it may be the model's.
        """
        if own := clean(self._failure.strip()):
            return told_of(failed_call(own))
        return error_report(
            ErrorClass.OTHER, self._message.text().strip() or "The agent says that it failed.", MEDIUM
        )

    def output(self) -> Report:
        """The last message as the output of the node."""
        if self._message.is_cut:
            return {"kind": reports.OUTPUT, "value": self._message.text(), "truncated": True}
        return {"kind": reports.OUTPUT, "value": value_of(self._message.text())}

    def update(self, update: Mapping[str, Any], *, is_own: bool) -> Iterator[Report]:
        """One `session/update`. is_own: of our session; of one that the agent opened for a part of its work only tool calls count."""
        take = UPDATES.get(str(update.get("sessionUpdate")))
        if take is not None and (is_own or take is Work._tool):
            yield from take(self, update)

    # ------------------------------------------------------------------------------------------- questions

    def ask(self, request_id: Id, params: Mapping[str, Any]) -> Iterator[Report]:
        """A permission request; no report where nobody can be asked."""
        told = params.get("toolCall")
        yield from self._tool_began(told if isinstance(told, dict) else {})
        if not self.is_ending:
            yield from self._tools.ask(request_id, params)

    def take_question(self, name: str) -> Question | None:
        """The open question of that name, which is open no more."""
        question = self._tools.questions.get(name)
        self._tools.questions.drop(name)
        return question

    def take_questions(self) -> list[Question]:
        """All open questions, which are open no more."""
        return [q for name in list(self._tools.questions) if (q := self.take_question(name)) is not None]

    def answered(self, question: Question, option: str | None) -> Iterator[Report]:
        """What an answer makes of the tool call; None is a denial without words."""
        yield from self._tools.answered(question, option)
        if not self._tools.are_open:
            self._turns.paused()

    # ------------------------------------------------------------------------------------------- one kind each

    def _text(self, update: Mapping[str, Any]) -> Iterator[Report]:
        meta, content = update.get("_meta"), update.get("content")
        text = content.get("text") if isinstance(content, dict) else None
        if isinstance(text, str) and text:
            self.tail.add(text.encode("utf-8", "replace"))
            if self.has_failed_inside:
                self._failure = (self._failure + text)[:TEXT_CHARS_MAX]
                return
            is_own = self.is_codex and _message_id(update) is None
            if not is_own and not _is_aside(meta):
                yield from self._spoke(update)
            if not _is_aside(meta):
                self._message.add(text, _message_id(update))
        used = list(self.usage.of_chunk(meta))
        if used:  # the end of a model call, also of one without a word
            yield from self._spoke({})
            self._turns.paused()
        yield from used

    def _thought(self, update: Mapping[str, Any]) -> Iterator[Report]:
        yield from self._spoke(update)

    def _spoke(self, update: Mapping[str, Any]) -> Iterator[Report]:
        self.is_alive = True
        if not self.is_ending:
            yield from self._tools.went_on()
        if self._turns.spoke(_message_id(update)):
            self._calls += 1
            yield {"kind": reports.TURN}

    def _tool(self, update: Mapping[str, Any]) -> Iterator[Report]:
        yield from self._tool_began(update)
        yield from self._tools.update(update, is_ending=self.is_ending)
        if update.get("status") in ("completed", "failed") and not self._tools.are_open:
            self._turns.paused()

    def _tool_began(self, told: Mapping[str, Any]) -> Iterator[Report]:
        if self._tools.knows(told):
            return
        self._message.begin()
        self.is_alive = True
        if not self.usage.is_told_by_call:
            yield from self._spoke({})
        self.tail.add(f"\n[{told.get('title') or told.get('kind') or 'tool'}]\n".encode("utf-8", "replace"))

    def _used(self, update: Mapping[str, Any]) -> Iterator[Report]:
        yield from self.usage.of_update(update)

    def _person(self, _update: Mapping[str, Any]) -> Iterator[Report]:
        """History that is told late: what came before it is no answer to our prompt."""
        self._message.begin()
        return iter(())

    def _plan(self, update: Mapping[str, Any]) -> Iterator[Report]:
        entries = update.get("entries")
        steps = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
        current = next((s.get("content") for s in steps if s.get("status") == "in_progress"), "")
        done = sum(step.get("status") == "completed" for step in steps)
        label = clean(current)[:LABEL_CHARS_MAX] if isinstance(current, str) else ""
        yield {"kind": reports.PROGRESS, "done": done, "total": len(steps), "label": label}

    def _info(self, update: Mapping[str, Any]) -> Iterator[Report]:
        """codex-acp says here, before anything else, what it is, and only here that a turn which ends well has failed, and that it
        tries a call again.
        """
        codex = part_of(update, "_meta", "codex")
        self.is_codex = self.is_codex or bool(codex)
        status = part_of(codex, "threadStatus")
        if status:
            self.has_failed_inside = status.get("type") == "systemError"
            self._failure = ""
        error = part_of(codex, "error")
        if error.get("willRetry") is True and not self._is_retry_told:
            call = failed_call(
                clean(text_of(error.get("additionalDetails")) or text_of(error.get("message")))
            )
            if call.error_class in PASSING:
                self._is_retry_told = True
                yield told_of(call, is_passing=True)


UPDATES: Mapping[str, Callable[[Work, Mapping[str, Any]], Iterator[Report]]] = {
    "agent_message_chunk": Work._text,
    "agent_thought_chunk": Work._thought,
    "tool_call": Work._tool,
    "tool_call_update": Work._tool,
    "usage_update": Work._used,
    "user_message_chunk": Work._person,
    "plan": Work._plan,
    "session_info_update": Work._info,
}
"""{`sessionUpdate`: who takes it}; all others are passed over."""


def _message_id(update: Mapping[str, Any]) -> str | None:
    told = update.get("messageId")
    return told if isinstance(told, str) else None


def _is_aside(meta: object) -> bool:
    """A notice of the program itself among the words of the model (claude-agent-acp)."""
    claude = meta.get("claudeCode") if isinstance(meta, dict) else None
    return isinstance(claude, dict) and claude.get("kind") == "informational"
