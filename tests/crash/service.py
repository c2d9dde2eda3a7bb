"""A fake service on the loopback with a ledger of its own: an operation under a key happens once, however often it is asked
for. Imports nothing of the product."""

from __future__ import annotations

import http.server
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Service(http.server.ThreadingHTTPServer):
    """asked: how often each key came. happened: what was done, each once."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.happened: list[str] = []
        self.book = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/operation"


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        key = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with self.server.book:
            self.server.asked[key] += 1
            if key not in self.server.happened:
                self.server.happened.append(key)
        self.send_response(202 if "wait=0" in self.path else 200)
        self.end_headers()
        self.wfile.write(b"done")

    def log_message(self, *args: object) -> None:
        return


@contextmanager
def serving() -> Iterator[Service]:
    service = Service()
    thread = threading.Thread(target=service.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield service
    finally:
        service.shutdown()
        thread.join()
        service.server_close()
