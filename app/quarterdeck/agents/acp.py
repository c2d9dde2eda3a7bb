"""Any agent that speaks the Agent Client Protocol (version 1): handshake, session, prompt, permissions, messages, cancel.

The order: initialize, open the session (new, resumed or loaded), set mode and model, prompt. What a program tells before its
prompt was sent is its history and counts nothing. When a prompt is answered and no message of a person waits, the work is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from quarterdeck.agents.acp_errors import report_of
from quarterdeck.agents.acp_session import (
    LOAD,
    NEW,
    RESUME,
    SETTINGS,
    CannotOpen,
    Opening,
    Step,
    model_at_work,
)
from quarterdeck.agents.acp_tools import Question, clean, option_of
from quarterdeck.agents.acp_usage import is_without_call
from quarterdeck.agents.acp_wire import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Answer,
    Notice,
    Received,
    Request,
    RpcError,
    RpcWire,
    Text,
    TooLong,
)
from quarterdeck.agents.acp_work import Work
from quarterdeck.agents.adapter import ListensOnly
from quarterdeck.agents.error_reports import MEDIUM, STRONG, error_report
from quarterdeck.agents.json_stream import count_of
from quarterdeck.agents.text_command import LineLengths, over_long
from quarterdeck.agents.told_session import ToldSession
from quarterdeck.domain import reports
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

INITIALIZE, PROMPT, CANCEL = "initialize", "session/prompt", "session/cancel"
MESSAGES_MAX = 100
"""So many messages of a person wait until the agent's turn is over."""
STOPS = {
    "max_tokens": "The agent stopped: its answer reached the longest that its model gives.",
    "max_turn_requests": "The agent stopped: it reached the most requests that it makes in a turn.",
    "refusal": "The agent refused to go on.",
    "cancelled": "The agent says that its work was cancelled.",
}
"""{reason of the end of a turn: words}; `end_turn` is the good one."""
HISTORY = frozenset({"user_message_chunk", "agent_message_chunk", "agent_thought_chunk", "tool_call"})
"""What is told of a session that is loaded."""
UNANSWERED = "The agent ended before it had answered."
NO_ANSWER = "The agent ended its turn without one whole answer of its model; what it said may be a part or a repetition."
NO_COMMAND = "The task:\n"
"""Stands before a text that begins like a command of the program (`/memory`): a prompt is never one."""


class AcpAdapter(ListensOnly):
    """One connection to one agent, for one session and one attempt.

    wire: `prompt`, `cwd`; optional `session` (to continue), `mode`, `model`, `mcp_servers` (as the protocol spells them), `first_id`.
    Nobody is signed in here: what a program makes of a key that it is told to sign in with may be a file.
    """

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self._opening, self._rpc = Opening(wire), RpcWire(count_of(wire.get("first_id")))
        self._work = Work(wire)
        self._texts = [str(wire.get("prompt") or "")]
        """What is still to be sent: the prompt, then a person's messages."""
        self._stderr, self._session, self._said = LineLengths(), self._opening.session, 0
        self._told_session = ToldSession(self._opening.session)
        self._open_step: Step | None = None
        self._settings: list[Step] = []
        self._due: list[Report] = []
        self._is_prompted = self._is_over = self._is_cancelled = self._has_begun = False
        """Where the handshake never began, a part of an old talk is read again, for its words alone (engine/live_signs)."""
        self._needs_history = False
        """The session was loaded, and nothing was told of it so far."""

    # ------------------------------------------------------------------------------------------- the shim's side

    def begin(self) -> bytes:
        """The handshake."""
        self._has_begun = True
        self._rpc.ask(INITIALIZE, self._opening.hello())
        return self._rpc.take()

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        """Reports of the lines that end in this chunk."""
        if stream != "stdout":
            self._work.tail.add(chunk)
            return [over_long(stream, size) for size in self._stderr.count(chunk)]
        return [report for received in self._rpc.receive(chunk) for report in self._judge(received)]

    def take_input(self) -> bytes:
        """Requests of ours and answers to the agent's, since the last call."""
        return self._rpc.take()

    def answer(self, request_id: str, answer: object) -> bytes | None:
        """What a person chose; what is none of the choices is a denial. None where nobody asks (any more)."""
        question = self._work.take_question(request_id)
        if question is None:
            return None
        option = option_of(question, answer) or question.deny
        self._due += self._work.answered(question, option)
        self._choose(question, option)
        return self._rpc.take()

    def take_due(self) -> Iterable[Report]:
        """What the answers since the last call made of their tool calls."""
        due, self._due = self._due, []
        return due

    def say(self, text: str) -> bytes | None:
        """A person's message: the next prompt, once the turn is over. None where the work is over or too many wait."""
        if self._is_over or self._work.is_ending or len(self._texts) >= MESSAGES_MAX:
            return None
        self._texts.append(text)
        return b""

    def take_said(self) -> int:
        """A message goes out as a prompt of its own."""
        said, self._said = self._said, 0
        return said

    def end_begins(self) -> None:
        """What ends from now on may have happened in part; what is answered now does not tell of work that was done."""
        self._work.is_ending = True

    def cancel(self) -> bytes:
        """What the agent is told before it is ended: to stop its tools."""
        self.end_begins()
        self._is_cancelled = True
        if self._rpc.is_waiting_for(PROMPT):
            self._rpc.tell(CANCEL, {"sessionId": self._session})
            self._leave_unanswered(tell=True)
        return self._rpc.take()

    @property
    def is_over(self) -> bool:
        """The last prompt is answered, or what was asked of the agent failed."""
        return self._is_over

    def finish(self) -> Iterable[Report]:
        """An agent that ended before it answered failed, whatever its exit code says; nor is its work over, so that its signal counts."""
        told = [report for received in self._rpc.receive_rest() for report in self._judge(received)]
        self._leave_unanswered(tell=False)
        told += self.take_due()
        if not self._is_over and not self._is_cancelled:
            told.append(error_report(ErrorClass.OTHER, UNANSWERED, MEDIUM))
        return told

    def tail(self) -> str:
        """What the agent says, the titles of its tool calls, and its lines that are no protocol."""
        return self._work.tail.text()

    # ------------------------------------------------------------------------------------------- what the agent says

    def _judge(self, received: Received) -> Iterable[Report]:
        match received:
            case Answer() if self._work.is_ending and not self._is_cancelled:
                pass  # its leader is gone: whoever answers while the rest is ended does not answer for it
            case Answer():
                return list(self._answered(received))
            case Notice(method="session/update", params=params):
                return list(self._updated(params))
            case Request(method="session/request_permission"):
                return list(self._asked(received))
            case Request(id=request_id, method=method):
                self._rpc.refuse(request_id, METHOD_NOT_FOUND, f"Method not found: {clean(method)[:200]}")
            case TooLong(size_bytes):
                return [over_long("stdout", size_bytes)]
            case Text(line):
                self._work.tail.add(line + b"\n")
            case Notice():
                pass
        return ()

    def _answered(self, answer: Answer) -> Iterator[Report]:
        error = answer.error
        if error is not None:
            yield from self._failed(answer.asked, error)
            return
        result = answer.result if isinstance(answer.result, dict) else {}
        try:
            if answer.asked == INITIALIZE:
                self._open(self._opening.first(result))
            elif answer.asked in (NEW, RESUME, LOAD):
                yield from self._opened(answer.asked, result)
            elif answer.asked in SETTINGS:
                self._go_on()
            elif answer.asked == PROMPT:
                yield from self._turn_ended(result)
        except CannotOpen as problem:
            yield from self._fail(error_report(ErrorClass.INVALID, str(problem), STRONG))

    def _failed(self, asked: str, error: RpcError) -> Iterator[Report]:
        other = self._opening.other_way(self._open_step) if self._open_step is not None else None
        if asked == RESUME and error.code == METHOD_NOT_FOUND and other is not None:
            self._open(other)
            return
        report = report_of(error)
        if asked in (RESUME, LOAD) and report["class"] in ("other", "overloaded", "invalid"):
            words = f"The session {self._session} cannot be continued: {report['message']}"
            report |= {"class": "invalid", "message": words}
        elif asked in SETTINGS:
            report["message"] = f"The agent does not take its setting ({asked}): {report['message']}"
        yield from self._fail(report)

    def _fail(self, report: Report) -> Iterator[Report]:
        self._is_over = True
        if report["class"] != "other" or not self._is_cancelled:  # what it says of its stop is no error
            yield report

    def _open(self, step: Step) -> None:
        self._open_step = step
        self._needs_history = step[0] == LOAD
        self._rpc.ask(*step)

    def _opened(self, asked: str, result: Mapping[str, Any]) -> Iterator[Report]:
        told = result.get("sessionId")
        if not self._session:
            self._session = told if isinstance(told, str) else ""
        if not self._session:
            raise CannotOpen("The agent opened a session without an id.")
        self._work.usage.model, self._work.is_codex = model_at_work(result), self._opening.is_codex
        version = {"version": self._opening.version} if self._opening.version else {}
        yield self._told_session.opened(clean(self._session), is_proved=not self._needs_history, **version)
        self._settings = self._opening.settings(result, self._session, after_load=asked == LOAD)
        self._needs_history = self._needs_history and bool(self._settings)
        self._go_on()

    def _go_on(self) -> None:
        """The next setting, or the next prompt. Raises CannotOpen where an empty session was loaded: Qwen makes one of an unknown id."""
        if self._settings:
            self._rpc.ask(*self._settings.pop(0))
            return
        if self._needs_history:
            raise CannotOpen(f"The session {self._session} cannot be continued: the agent has nothing of it.")
        text = self._texts.pop(0)
        if text.lstrip()[:1] in ("/", "$"):
            text = NO_COMMAND + text
        self._said += self._is_prompted
        self._is_prompted = True
        self._work.begin_turn()
        self._rpc.ask(PROMPT, {"sessionId": self._session, "prompt": [{"type": "text", "text": text}]})

    def _turn_ended(self, result: Mapping[str, Any]) -> Iterator[Report]:
        yield from self._work.ended(result)
        reason = str(result.get("stopReason"))
        if self._is_cancelled:
            self._is_over = True
        elif self._work.has_failed_inside:
            yield from self._fail(self._work.failure())
        elif reason in STOPS:
            yield from self._fail(error_report(ErrorClass.OTHER, STOPS[reason], STRONG))
        elif is_without_call(result):
            yield from self._fail(error_report(ErrorClass.OTHER, NO_ANSWER, MEDIUM))
        elif self._texts:
            self._go_on()
        else:
            self._is_over = True
            yield self._work.output()

    def _updated(self, params: Mapping[str, Any]) -> Iterator[Report]:
        update = params.get("update")
        if not isinstance(update, dict):
            return
        if self._has_begun and not self._is_prompted:
            self._needs_history = self._needs_history and update.get("sessionUpdate") not in HISTORY
            return
        is_own = not self._has_begun or params.get("sessionId") in (self._session, None)
        told = list(self._work.update(update, is_own=is_own))
        yield from self._answering()
        yield from told

    def _answering(self) -> Iterator[Report]:
        """The session, once more, as soon as the agent has begun to answer in it."""
        if self._work.is_alive and self._opening.can_continue:
            yield from self._told_session.answered()

    def _asked(self, request: Request) -> Iterator[Report]:
        """A question for a person. Nobody is asked where the agent offers no choice, or is being ended."""
        if not isinstance(request.params.get("toolCall"), dict):
            self._rpc.refuse(request.id, INVALID_PARAMS, "A permission request names its tool call.")
            return
        told = list(self._work.ask(request.id, request.params))
        if not any(report["kind"] == reports.APPROVAL for report in told):
            self._rpc.reply(request.id, {"outcome": {"outcome": "cancelled"}})
        yield from self._answering()
        yield from told

    # ------------------------------------------------------------------------------------------- small parts

    def _leave_unanswered(self, *, tell: bool) -> None:
        """What waited for leave was not begun. tell: the agent lives, and must not wait for an answer."""
        for question in self._work.take_questions():
            self._due += self._work.answered(question, None)
            if tell:
                self._choose(question, None)

    def _choose(self, question: Question, option: str | None) -> None:
        selected = {"outcome": "cancelled"} if option is None else {"outcome": "selected", "optionId": option}
        self._rpc.reply(question.request_id, {"outcome": selected})
