"""JSON-RPC 2.0 over lines, as ACP agents speak it: bytes become messages, messages become bytes. Knows no method by name.

Tolerant where agents are: a line that is no message is text, a message without `jsonrpc` counts, ids and error codes may be
anything, an answer to what was never asked is dropped. Everything here comes from an untrusted program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from quarterdeck.agents.adapter import LineSplitter, OverLong
from quarterdeck.agents.lines_protocol import parse_line

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
_ANSWER_HEAD = re.compile(
    rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,9})\s*,\s*"(?:result|error)"'
)

Id = int | str | None


@dataclass(frozen=True, slots=True)
class Request:
    """The agent wants an answer."""

    id: Id
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Notice:
    """The agent tells something."""

    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RpcError:
    """Why a request failed, in the program's own fields. `data` is what it says beside it, {} where that is no object."""

    code: int | None
    message: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent answers a request of ours. `asked` is the method of that request."""

    asked: str
    result: Any = None
    error: RpcError | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A line that is no message."""

    line: bytes


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was not kept (ruling 22)."""

    size_bytes: int


Received = Request | Notice | Answer | Text | TooLong


class RpcWire:
    """One connection: what we asked and is not answered, and what is to be written.

    first_id: of our first request. Each attempt has its own, so that an answer which an agent's tool prints, as it stood in the log of
    another talk, answers nothing here (AUT6).
    """

    def __init__(self, first_id: int = 0) -> None:
        self._lines = LineSplitter()
        self._asked: dict[int, str] = {}
        self._next_id = first_id
        self._owed = bytearray()

    def receive(self, chunk: bytes) -> Iterator[Received]:
        """What the lines say that end in this chunk, in their order; over-long ones come first."""
        yield from self._read(self._lines.split(chunk))

    def receive_rest(self) -> Iterator[Received]:
        """The unfinished last line, at the end of the stream."""
        yield from self._read(self._lines.rest())

    def ask(self, method: str, params: Mapping[str, Any]) -> None:
        """Owe the agent a request; its answer comes as an `Answer` that names the method."""
        self._asked[self._next_id] = method
        self._write({"id": self._next_id, "method": method, "params": params})
        self._next_id += 1

    def is_waiting_for(self, method: str) -> bool:
        """Whether a request of that method is not answered yet."""
        return method in self._asked.values()

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Owe the agent a notice."""
        self._write({"method": method, "params": params})

    def reply(self, request_id: Id, result: Mapping[str, Any]) -> None:
        """Owe the agent the answer to its request."""
        self._write({"id": request_id, "result": result})

    def refuse(self, request_id: Id, code: int, message: str) -> None:
        """Owe the agent an error for its request."""
        self._write({"id": request_id, "error": {"code": code, "message": message}})

    def take(self) -> bytes:
        """What is owed since the last call."""
        owed, self._owed = bytes(self._owed), bytearray()
        return owed

    def _write(self, message: dict[str, Any]) -> None:
        self._owed += json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n"

    def _read(self, lines: list[bytes]) -> Iterator[Received]:
        for skipped in self._lines.take_over_long():
            yield from self._skipped(skipped)
        for line in lines:
            if not line.strip():
                continue
            message = parse_line(line)
            received = Text(line) if message is None else self._judge(message)
            if received is not None:
                yield received

    def _skipped(self, line: OverLong) -> Iterator[Received]:
        """An answer that is too long to be read must not be waited for."""
        yield TooLong(line.size_bytes)
        head = _ANSWER_HEAD.match(line.head)
        asked = None if head is None else self._asked.pop(int(head[1]), None)
        if asked is not None:
            yield Answer(asked, error=RpcError(None, "Its answer is too long to be read."))

    def _judge(self, message: Mapping[str, Any]) -> Received | None:
        """None for an answer to what was never asked."""
        method, params = message.get("method"), message.get("params")
        if isinstance(method, str):
            known = params if isinstance(params, dict) else {}
            if "id" not in message:
                return Notice(method, known)
            return Request(_id_of(message["id"]), method, known)
        if "result" not in message and "error" not in message:
            return Notice("", {})
        asked = self._asked.pop(message["id"], None) if _is_own_id(message.get("id")) else None
        if asked is None:
            return None
        error = message.get("error")
        return Answer(asked, message.get("result"), None if error is None else error_of(error))


def _is_own_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _id_of(value: object) -> Id:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def error_of(value: object) -> RpcError:
    """What stands under `error`, whatever it is."""
    if not isinstance(value, dict):
        return RpcError(None, str(value)[:1000])
    code, message, data = value.get("code"), value.get("message"), value.get("data")
    return RpcError(
        int(code) if isinstance(code, int | float) and not isinstance(code, bool) else None,
        message if isinstance(message, str) else "",
        data if isinstance(data, dict) else {"details": data} if isinstance(data, str) else {},
    )
