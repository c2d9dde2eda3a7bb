"""The scripted service that fails: every request below `/s/NUMBER` gets the failing answer of that number, over whichever API it comes.

Loopback only, one thread for each connection. What begins well or calls a tool first is made by the wires of `tests/service`.
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.service import anthropic, gemini, openai
from tests.service.answers.told import Failing

RESET = struct.pack("ii", 1, 0)
IN_WHOLE = {"overloaded_error": 529, "api_error": 500, "rate_limit_error": 429}
"""{kind of an error in Anthropic's stream: the status of the same error where no stream was asked for}"""
PLAIN = b'{"error":{"message":"there is no such page"}}'


class FailingService:
    """Made by `failing`. answers: what each number is answered."""

    def __init__(self, answers: Sequence[Failing], certificate: Path | None = None) -> None:
        self.answers = answers
        self.asked = [0] * len(answers)
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.called: set[int] = set()
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.service = self
        self._is_secret = certificate is not None
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._http.socket = context.wrap_socket(
                self._http.socket, server_side=True, do_handshake_on_connect=False
            )

    @property
    def port(self) -> int:
        """The port on loopback."""
        return int(self._http.server_address[1])

    def url(self, number: int) -> str:
        """The address of an answer, without a version behind it."""
        return f"http{'s' if self._is_secret else ''}://127.0.0.1:{self.port}/s/{number}"

    def run(self) -> None:
        """Serve until `close`."""
        self._http.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """No further connection; what hangs is let go."""
        self.is_over.set()
        self._http.shutdown()
        self._http.server_close()

    def calls_tool(self, number: int) -> bool:
        """Whether this answer waits for a tool call that was not served yet; it counts as served then."""
        with self.lock:
            self.asked[number] += 1
            is_first = self.answers[number].mid and number not in self.called
            self.called.add(number)
        return is_first


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    service: FailingService

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A program that goes away, or refuses a certificate, is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http
    timeout = 60

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        self._give(404, {"content-type": "application/json"}, (PLAIN,), "well")

    def do_CONNECT(self) -> None:
        self._give(407, {"proxy-authenticate": 'Basic realm="firm"'}, (), "well")

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(content or b"{}")
        except ValueError:
            body = {}
        _, _, number, *rest = self.path.split("/")
        path = "/" + "/".join(rest)
        if "count_tokens" in path or ":countTokens" in path:
            self._give(
                200, {"content-type": "application/json"}, (b'{"input_tokens":9,"totalTokens":9}',), "well"
            )
            return
        answer = self.server.service.answers[int(number)]
        is_work = bool(body.get("tools")) and not (path.startswith("/v1/messages") and not body.get("stream"))
        if is_work and self.server.service.calls_tool(int(number)):
            self._give(200, {"content-type": "text/event-stream"}, pieces(path, body, "tool"), "well")
        elif answer.begins and path.startswith("/v1/messages") and not body.get("stream"):
            if not answer.body:
                self._break("cut")
                return
            self._give(
                IN_WHOLE.get(_kind_of(answer), 200),
                {"content-type": "application/json"},
                (_whole(answer),),
                answer.ends,
            )
        elif answer.begins:
            good = pieces(path, body, "plain")
            begun = good[: max(1, len(good) // 2)]
            self._give(200, {"content-type": "text/event-stream"}, (*begun, answer.body), answer.ends)
        elif answer.ends in ("cut", "hangs"):
            self._break(answer.ends)
        else:
            self._give(answer.status, answer.headers, (answer.body,), answer.ends)

    def _break(self, ends: str) -> None:
        self.close_connection = True
        if ends == "hangs":
            self.server.service.is_over.wait()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.connection.close()

    def _give(self, status: int, headers: Any, given: Sequence[bytes], ends: str) -> None:
        self.close_connection = True
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        is_stream = "event-stream" in headers.get("content-type", "")
        if is_stream:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(sum(map(len, given))))
        self.send_header("connection", "close")
        self.end_headers()
        for piece in filter(None, given):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if is_stream else piece)
            self.wfile.flush()
        if is_stream and ends == "well":
            self.wfile.write(b"0\r\n\r\n")


def _whole(answer: Failing) -> bytes:
    """What stands in the event of a stream."""
    return answer.body.partition(b"data: ")[2].strip()


def _kind_of(answer: Failing) -> str:
    return str(json.loads(_whole(answer))["error"]["type"])


def pieces(path: str, body: dict[str, Any], scenario: str) -> tuple[bytes, ...]:
    """A good answer over the API of that path."""
    if "enerateContent" in path:
        return gemini.answer(scenario, path, body).pieces
    if path.endswith(("/responses", "/chat/completions")):
        return openai.reply_to(f"/s/{scenario}{path}", body, openai.Books()).pieces
    return anthropic.answer(scenario, "/v1/messages", body).pieces


@contextmanager
def failing(answers: Sequence[Failing], certificate: Path | None = None) -> Iterator[FailingService]:
    """The service for the length of a `with`."""
    service = FailingService(answers, certificate)
    thread = threading.Thread(target=service.run, name="failing service")
    thread.start()
    try:
        yield service
    finally:
        service.close()
        thread.join()
