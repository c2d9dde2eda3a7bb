"""Claude Code's own wire, both ways: JSON lines on stdout and stdin (`--output-format stream-json --input-format stream-json`).

The prompt is the first message. Requests of the program (`control_request`) are answered: leave for a tool by a person, all else
by saying that we do not have it. After its result it waits for more; then its work is over. Messages that a person sent before that
are worked on all the same, as a further turn with a further result. Unknown lines are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from quarterdeck.agents.adapter import LineSplitter, ListensOnly, Tail
from quarterdeck.agents.claude_errors import report_of, retry_report, tells_error
from quarterdeck.agents.claude_tools import ToolCalls, escaped
from quarterdeck.agents.claude_usage import Spending
from quarterdeck.agents.lines_fields import ID_CHARS_MAX
from quarterdeck.agents.lines_protocol import parse_line
from quarterdeck.agents.text_command import LineLengths, over_long, value_of
from quarterdeck.agents.told_session import ToldSession
from quarterdeck.domain import reports
from quarterdeck.domain.reports import Report

Line = Mapping[str, Any]
_AS_IT_IS = frozenset({"value", "source"})
_RESULT_HEAD = b'{"type":"result"'


class ClaudeStream(ListensOnly):
    """One attempt. wire: prompt, session, cwd, is_resumed, as `launch.json` carries them."""

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self._prompt = str(wire.get("prompt") or "")
        self._tools = ToolCalls(str(wire.get("cwd") or ""))
        self._spending = Spending()
        self._lines, self._stderr = LineSplitter(), LineLengths()
        self._tail = Tail()
        self._owed: list[bytes] = []
        self._session = ToldSession(wire.get("session") if wire.get("is_resumed") else None)
        """Which began here. What is told before one has begun is the program's own."""
        self._is_over = self._has_streamed = False
        self._failure: Line | None = None
        """A message of the program's own that tells an error; its result, which follows, knows the status."""
        self._resets_at: object = None
        self._readers: Mapping[str, Callable[[Line], Iterator[Report]]] = {
            "system": self._system,
            "assistant": self._assistant,
            "user": self._user,
            "stream_event": self._event,
            "result": self._result,
            "control_request": self._request,
            "control_cancel_request": self._withdrawn,
            "rate_limit_event": self._limit,
        }

    # ------------------------------------------------------------------ to the program

    def begin(self) -> bytes:
        """The prompt."""
        return _message(self._prompt)

    def take_input(self) -> bytes:
        """Replies to its requests."""
        owed, self._owed = b"".join(self._owed), []
        return owed

    def answer(self, request_id: str, answer: object) -> bytes | None:
        """The reply to a request for leave."""
        told = self._tools.answer(request_id, answer)
        return None if told is None else _reply(told[0], {"subtype": "success", "response": told[1]})

    def say(self, text: str) -> bytes | None:
        """A message while it works; it is read with the next tool result, or after the turn."""
        return None if self._is_over else _message(text)

    def end_begins(self) -> None:
        """From here on no end of a call is its own."""
        self._tools.is_ending = True

    @property
    def is_over(self) -> bool:
        """It gave its result and began nothing since."""
        return self._is_over

    # ------------------------------------------------------------------ from the program

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        """The reports of the lines that end in this chunk, in their order."""
        if stream != "stdout":
            self._tail.add(chunk)
            return [over_long(stream, size) for size in self._stderr.count(chunk)]
        return list(self._reports_of(self._lines.split(chunk)))

    def finish(self) -> Iterable[Report]:
        """An unfinished last line counts; what waited for leave was not begun; an error whose result never came stands."""
        found = list(self._reports_of(self._lines.rest()))
        if self._failure is not None:
            found.append(_carried(self._failed(None, _text_of(self._failure))))
        return [*found, *map(_carried, self._tools.at_end())]

    def tail(self) -> str:
        """Its texts and calls, and what is no protocol."""
        return self._tail.text()

    def _reports_of(self, lines: list[bytes]) -> Iterator[Report]:
        for skipped in self._lines.take_over_long():
            yield over_long("stdout", skipped.size_bytes)
            if skipped.head.startswith(_RESULT_HEAD):
                self._is_over = True
                problem = "its line is too long to be read"
                yield {
                    "kind": reports.OUTPUT,
                    "value": None,
                    "size_bytes": skipped.size_bytes,
                    "problem": problem,
                }
        for raw in lines:
            line = parse_line(raw)
            if line is None:
                self._show(raw.decode("utf-8", "replace"))
                continue
            yield from map(_carried, self._told(line))

    def _told(self, line: Line) -> Iterator[Report]:
        if self._is_of_another(line):
            self._show("A line of another session.")
            return
        yield from self._enter(line)
        reader = self._readers.get(str(line.get("type")))
        if reader is not None:
            yield from reader(line)

    def _is_of_another(self, line: Line) -> bool:
        """Printed by a tool, as it stood in the log of another talk (AUT6): an error that names no session of this attempt, or that
        talk's own beginning.
        """
        told = line.get("session_id")
        if not self._session.id or (isinstance(told, str) and told[:ID_CHARS_MAX] == self._session.id):
            return False
        return tells_error(line) or _begins(line)

    def _enter(self, line: Line) -> Iterator[Report]:
        """The session, as soon as a line names it; whatever follows a result begins something new."""
        if line.get("type") in ("assistant", "stream_event"):
            self._is_over = False
        session = line.get("session_id")
        if not isinstance(session, str) or not session or session == self._session.id:
            return
        if not _begins(line):
            return  # only a session that has begun can be taken up
        version = line.get("claude_code_version")
        told: dict[str, Any] = {"version": version[:ID_CHARS_MAX]} if isinstance(version, str) else {}
        yield self._session.opened(session[:ID_CHARS_MAX], messages=True, **told)

    def _system(self, line: Line) -> Iterator[Report]:
        subtype = line.get("subtype")
        if subtype == "init":
            self._is_over = False
            self._spending.model = str(line.get("model") or "")[:ID_CHARS_MAX]
        elif subtype == "api_retry":
            yield retry_report(line)

    def _event(self, line: Line) -> Iterator[Report]:
        event = _part(line, "event")
        parent = _parent(line)
        if (
            event.get("type") == "content_block_stop"
        ):  # a part of an answer, whole: one that was cut may be kept nowhere
            yield from self._session.answered()
        yield from self._spending.stream(event, parent)
        delta = _part(event, "delta")
        if parent is None and delta.get("type") == "text_delta" and isinstance(delta.get("text"), str):
            self._has_streamed = True
            self._tail.add(delta["text"].encode("utf-8", "replace"))
        elif event.get("type") == "content_block_stop" and self._has_streamed:
            self._tail.add(b"\n")

    def _assistant(self, line: Line) -> Iterator[Report]:
        message = _part(line, "message")
        if line.get("error") is not None:
            self._failure = line
            self._show(_text_of(line))
            return
        yield from self._session.answered()
        yield from self._spending.message(message, _parent(line))
        for block in _blocks(message):
            if block.get("type") == "tool_use":
                yield from self._call(block)
            elif (
                block.get("type") == "text" and not self._has_streamed and isinstance(block.get("text"), str)
            ):
                self._show(block["text"])

    def _call(self, block: Line) -> Iterator[Report]:
        for report in self._tools.begin(block):
            self._show(f"{report['type']}: {report['target']}")
            yield report

    def _user(self, line: Line) -> Iterator[Report]:
        for block in _blocks(_part(line, "message")):
            if block.get("type") == "tool_result":
                yield from self._tools.end(block)

    def _result(self, line: Line) -> Iterator[Report]:
        yield from self._spending.result(line)
        self._is_over = True
        text = line.get("result")
        if line.get("is_error") is True or line.get("subtype") != "success":
            yield self._failed(line, text if isinstance(text, str) else _errors(line))
        elif isinstance(text, str):
            yield {"kind": reports.OUTPUT, "value": value_of(text)}

    def _failed(self, result: Line | None, message: str) -> Report:
        failure, self._failure = self._failure, None
        status, error_type = (
            next((line[name] for line in (result, failure) if line and line.get(name) is not None), None)
            for name in ("api_error_status", "api_error_type")
        )
        word: object = None if failure is None else failure.get("error")
        if failure is None and status is None and result is not None:
            word = "invalid_request" if not result.get("num_turns") else None
        return report_of(word, status, message, error_type=error_type, resets_at=self._resets_at)

    def _request(self, line: Line) -> Iterator[Report]:
        request_id, request = line.get("request_id"), _part(line, "request")
        if not isinstance(request_id, str) or not request_id or len(request_id) > ID_CHARS_MAX:
            return
        if request.get("subtype") == "can_use_tool":
            yield from self._tools.ask(request_id, request)
        else:
            problem = f"{str(request.get('subtype'))[:100]} is not known here"
            self._owed.append(_reply(request_id, {"subtype": "error", "error": problem}))

    def _withdrawn(self, line: Line) -> Iterator[Report]:
        yield from self._tools.withdraw(str(line.get("request_id") or ""))

    def _limit(self, line: Line) -> Iterator[Report]:
        """What is left of a subscription; at its end the reset time belongs to the error that follows."""
        info = _part(line, "rate_limit_info")
        self._resets_at = info.get("resetsAt") if info.get("status") == "rejected" else None
        yield from ()

    def _show(self, text: str) -> None:
        self._tail.add(text.encode("utf-8", "replace") + (b"" if text.endswith("\n") else b"\n"))


def _carried(report: Report) -> Report:
    """With escapes for what UTF-8 cannot carry (half of a pair); values and paths as they are."""
    return {name: value if name in _AS_IT_IS else _escaped(value) for name, value in report.items()}


def _escaped(value: object) -> object:
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return escaped(value) if isinstance(value, str) else value


def _message(text: str) -> bytes:
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "user", "message": message}).encode() + b"\n"


def _reply(request_id: str, response: Mapping[str, Any]) -> bytes:
    line = {"type": "control_response", "response": {**response, "request_id": request_id}}
    return json.dumps(line).encode() + b"\n"


def _begins(line: Line) -> bool:
    return line.get("type") == "system" and line.get("subtype") == "init"


def _part(line: Line, name: str) -> Line:
    value = line.get(name)
    return value if isinstance(value, dict) else {}


def _parent(line: Line) -> str | None:
    value = line.get("parent_tool_use_id")
    return value[:ID_CHARS_MAX] if isinstance(value, str) else None


def _blocks(message: Line) -> list[Line]:
    content = message.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _text_of(line: Line) -> str:
    texts = [block.get("text") for block in _blocks(_part(line, "message"))]
    return "\n".join(text for text in texts if isinstance(text, str))


def _errors(line: Line) -> str:
    told = line.get("errors")
    texts = [text for text in told if isinstance(text, str)] if isinstance(told, list) else []
    return "; ".join(texts) or str(line.get("subtype") or "")
