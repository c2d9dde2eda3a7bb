"""A proxy that leads nowhere: it refuses every request and keeps which host was asked for, so that a test sees whom a program calls."""

from __future__ import annotations

import socket
import threading
from types import TracebackType
from typing import Self

HEAD_BYTES = 8192
REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class RefusingProxy:
    """On loopback, for the life of a `with`. `asked`: the first line of each request."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    @property
    def environment(self) -> dict[str, str]:
        """What leads a program to it, for all but loopback."""
        url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
        return {
            **dict.fromkeys(names, url),
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

    def hosts(self) -> set[str]:
        """The hosts that were asked for."""
        return {line.split(" ")[1] for line in self.asked if line.count(" ") > 1}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                talk, _ = self._listener.accept()
            except OSError:
                return
            with talk:
                talk.settimeout(5)
                try:
                    self.asked.append(talk.recv(HEAD_BYTES).split(b"\r\n")[0].decode("latin-1"))
                    talk.sendall(REFUSED)
                except OSError:
                    continue
