"""The scripted service for OpenAI's wires, on loopback: one thread for each connection, books for each scenario."""

from __future__ import annotations

import json
import socket
import threading
from collections import defaultdict
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.service.openai import Books, Reply, refusal, reply_to

PIECE_BYTES = 64 * 1024
THINKS_S = 0.2
"""No model answers at once."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came."""

    scenario: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@dataclass(slots=True)
class Told:
    """What is served and what was asked. replies: failures of a test's own, by scenario."""

    replies: dict[str, Reply] = field(default_factory=dict)
    books: defaultdict[str, Books] = field(default_factory=lambda: defaultdict(Books))
    asked: list[Asked] = field(default_factory=list)
    instead: dict[str, str] = field(default_factory=dict)
    """{scenario: the one by which it is answered from now on}"""
    silent_from: dict[str, int] = field(default_factory=dict)
    """{scenario: n}: its n-th request, and each later one, gets half of its answer and then silence, and is not charged."""
    is_over: threading.Event = field(default_factory=threading.Event)
    open: list[socket.socket] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenAIService:
    """A context: the service runs from its beginning to its end."""

    def __init__(self) -> None:
        self.told = Told()
        told = self.told

        class Bound(_Handler):
            """The handler with what is served."""

            served = told

        self._server = _Server(("127.0.0.1", 0), Bound)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="scripted service"
        )

    def url(self, scenario: str) -> str:
        """The base URL of a scenario, as programs want it."""
        return f"http://127.0.0.1:{self._server.server_port}/s/{scenario}/v1"

    def books(self, scenario: str) -> Books:
        """What was answered there."""
        return self.told.books[scenario]

    def asked(self, scenario: str) -> list[Asked]:
        """What was asked there."""
        with self.told.lock:
            return [one for one in self.told.asked if one.scenario == scenario]

    def __enter__(self) -> OpenAIService:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.told.is_over.set()
        self._server.shutdown()
        with self.told.lock:
            still_open = list(self.told.open)
        for one in still_open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # its agent is gone
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that an agent left is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served: Told

    def setup(self) -> None:
        super().setup()
        with self.served.lock:
            self.served.open.append(self.connection)

    def finish(self) -> None:
        with self.served.lock:
            self.served.open.remove(self.connection)
        super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Nothing is printed."""

    def do_GET(self) -> None:
        self._send(refusal(404, "there is no such page"))

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.served.is_over.wait(THINKS_S)
        parts = self.path.split("/")
        if len(parts) < 4 or parts[1] != "s":
            self._send(refusal(404, "there is no such page"))
            return
        scenario, body = parts[2], json.loads(content or b"{}")
        with self.served.lock:
            self.served.asked.append(Asked(scenario, self.path, dict(self.headers), body))
            own = self.served.replies.get(scenario) or self._keyless()
            nth = sum(one.scenario == scenario for one in self.served.asked)
            is_silent = nth >= self.served.silent_from.get(scenario, nth + 1)
            books = Books() if is_silent else self.served.books[scenario]
            parts[2] = self.served.instead.get(scenario, scenario)
            reply = reply_to("/".join(parts), body, books, own)
        if is_silent:
            reply = replace(reply, pieces=reply.pieces[: len(reply.pieces) // 2], ends="hangs")
        self._send(reply)

    def _keyless(self) -> Reply | None:
        """What a request without a key is answered."""
        has_key = bool(self.headers.get("authorization", "").removeprefix("Bearer").strip())
        return None if has_key else refusal(401, "You didn't provide an API key.")

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        is_stream = "event-stream" in reply.headers.get("content-type", "")
        if is_stream:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(sum(map(len, reply.pieces))))
        self.end_headers()
        for piece in reply.pieces:
            for start in range(0, len(piece), PIECE_BYTES):
                part = piece[start : start + PIECE_BYTES]
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part) if is_stream else part)
        self.wfile.flush()
        if reply.ends == "hangs":
            self.served.is_over.wait()
        if is_stream and reply.ends == "well":
            self.wfile.write(b"0\r\n\r\n")
        if reply.ends != "well":
            self.close_connection = True
