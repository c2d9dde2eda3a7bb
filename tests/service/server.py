"""A scripted model service on loopback: answers by scenario, keeps books of what it was asked. Knows no wire by itself.

`service.url("tool")` is the base address of one scenario; `"rate429,plain"` answers the first request by the first word and
all later ones by the last. A wire (`tests/service/anthropic.py` and its neighbours) is pure: scenario, path and body in, an
answer out. Standard library only; imports nothing of the product; never leaves loopback.
"""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Protocol

HOST = "127.0.0.1"
PREFIX = "/s/"


class AnswerLike(Protocol):
    """What a wire gives; a wire may have its own type with these fields, `pause_s` and `usage` among them where it likes."""

    @property
    def status(self) -> int: ...
    @property
    def pieces(self) -> tuple[bytes, ...]: ...
    @property
    def headers(self) -> Mapping[str, str]: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """status, headers and the pieces of the body. `drops`: the connection is cut after them; `hangs`: it stays silent then.

    usage: what the service charges for it, by the names of the wire; None where it charges nothing. pause_s: before each piece.
    """

    status: int
    pieces: tuple[bytes, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    drops: bool = False
    hangs: bool = False
    pause_s: float = 0.0
    usage: Mapping[str, int] | None = None


class Wire(NamedTuple):
    """One API. fits: whether a path is its own. is_side: whether a request is beside the work (a title, a count of tokens): such
    do not move a scenario of several words on.
    """

    fits: Callable[[str], bool]
    answer: Callable[[str, str, Mapping[str, Any]], AnswerLike]
    is_side: Callable[[str, Mapping[str, Any]], bool] = lambda path, body: False


@dataclass(slots=True)
class Asked:
    """One request as it came and what became of it. is_silent: only half of its answer is sent. is_whole: the whole was taken."""

    at_s: float
    scenario: str
    word: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    is_side: bool
    is_silent: bool = False
    status: int = 0
    usage: Mapping[str, int] | None = None
    is_whole: bool = False


class ModelService:
    """Made by `serving`. `asked` holds every request in order; used from several threads, guarded by `_changed`."""

    def __init__(self, wires: Sequence[Wire]) -> None:
        self.wires = tuple(wires)
        self.asked: list[Asked] = []
        self.instead: dict[str, str] = {}
        """{scenario: the words it answers by from now on}: a sign-in that dies, or is mended, while programs use the address."""
        self.silent_from: dict[str, int] = {}
        """{scenario: n}: its n-th request for work, and each later one, gets half of its answer and then silence."""
        self.is_closing = threading.Event()
        self._changed = threading.Condition()
        self._open: set[socket.socket] = set()
        self._http = _Http((HOST, 0), _Handler)
        self._http.service = self

    @property
    def port(self) -> int:
        """The port on loopback."""
        return int(self._http.server_address[1])

    def url(self, scenario: str) -> str:
        """The base address of a scenario, without a slash at its end."""
        return f"http://{HOST}:{self.port}{PREFIX}{scenario}"

    def work(self, scenario: str | None = None) -> list[Asked]:
        """Requests that were no side requests, of one scenario or of all."""
        with self._changed:
            return [one for one in self.asked if not one.is_side and scenario in (None, one.scenario)]

    def wait(self, condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
        """Until the condition holds; looked at after each request. Raises TimeoutError."""
        until_s = time.monotonic() + timeout_s
        with self._changed:
            while not condition():
                if not self._changed.wait(until_s - time.monotonic()):
                    raise TimeoutError(f"not within {timeout_s} s; asked: {[one.path for one in self.asked]}")

    def note(self, scenario: str, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Asked:
        """Book a request, and by which word of its scenario it is answered."""
        wire = self.wire_of(path)
        is_side = wire is None or wire.is_side(path, body)
        with self._changed:
            before = sum(1 for one in self.asked if one.scenario == scenario and not one.is_side)
            words = self.instead.get(scenario, scenario).split(",")
            word = words[min(before, len(words) - 1)]
            is_silent = not is_side and before + 1 >= self.silent_from.get(scenario, before + 2)
            asked = Asked(time.monotonic(), scenario, word, path, headers, body, is_side, is_silent)
            self.asked.append(asked)
            self._changed.notify_all()
        return asked

    def settle(self, asked: Asked, answer: AnswerLike, *, is_whole: bool) -> None:
        """Book what became of a request."""
        with self._changed:
            asked.status, asked.is_whole = answer.status, is_whole
            asked.usage = getattr(answer, "usage", None)
            self._changed.notify_all()

    def wire_of(self, path: str) -> Wire | None:
        """The wire that a path belongs to."""
        return next((wire for wire in self.wires if wire.fits(path)), None)

    def hold(self, connection: socket.socket) -> None:
        """A connection is open."""
        with self._changed:
            self._open.add(connection)

    def let_go(self, connection: socket.socket) -> None:
        """A connection is closed."""
        with self._changed:
            self._open.discard(connection)

    def run(self) -> None:
        """Serve until `close`."""
        self._http.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """End every connection and wait for their threads."""
        self.is_closing.set()
        self._http.shutdown()
        with self._changed:
            left = list(self._open)
        for connection in left:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # it is closed already
                continue
        self._http.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 128
    service: ModelService

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A program that goes away in the middle of an answer is part of the scenarios."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http
    timeout = 60

    def setup(self) -> None:
        super().setup()
        self.server.service.hold(self.connection)

    def finish(self) -> None:
        self.server.service.let_go(self.connection)
        try:
            super().finish()
        except OSError:  # the other end is gone
            return

    def log_message(self, *_: Any) -> None:
        """The books are the log."""

    def do_GET(self) -> None:
        self._serve({})

    def do_HEAD(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(content or b"{}")
        except ValueError:
            body = {}
        self._serve(body if isinstance(body, dict) else {})

    def _serve(self, body: Mapping[str, Any]) -> None:
        service = self.server.service
        scenario, _, rest = self.path.removeprefix(PREFIX).partition("/")
        path = "/" + rest
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = service.note(scenario, path, headers, body)
        wire = service.wire_of(path)
        answer: AnswerLike = Answer(404) if wire is None else wire.answer(asked.word, path, body)
        if asked.is_silent:
            half = answer.pieces[: len(answer.pieces) // 2]
            answer = Answer(answer.status, half, answer.headers, hangs=True)
        is_whole = False
        try:
            self._give(answer)
            is_whole = not getattr(answer, "drops", False) and not getattr(answer, "hangs", False)
        except OSError:  # the program did not wait for the end
            is_whole = False
        finally:
            self.close_connection = True
            service.settle(asked, answer, is_whole=is_whole)

    def _give(self, answer: AnswerLike) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if not any(name.lower() == "content-type" for name in answer.headers):
            self.send_header("content-type", "application/json")
        self.send_header("transfer-encoding", "chunked")
        self.send_header("connection", "close")
        self.end_headers()
        for piece in answer.pieces:
            if self._is_left(getattr(answer, "pause_s", 0.0)):
                raise OSError("nobody listens")
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if getattr(answer, "hangs", False):
            while not self._is_left(0.1):
                pass
        if getattr(answer, "drops", False):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        elif not getattr(answer, "hangs", False):
            self.wfile.write(b"0\r\n\r\n")

    def _is_left(self, wait_s: float) -> bool:
        """Whether the program went away, or the service ends, within that time."""
        if self.server.service.is_closing.is_set():
            return True
        readable, _, _ = select.select([self.connection], [], [], wait_s)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)


@contextmanager
def serving(wires: Iterable[Wire]) -> Iterator[ModelService]:
    """A service for the length of a `with`; no thread of it is left afterwards."""
    service = ModelService(tuple(wires))
    thread = threading.Thread(target=service.run, name="model-service")
    thread.start()
    try:
        yield service
    finally:
        service.close()
        thread.join()
