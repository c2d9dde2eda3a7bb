"""The shim's side of the app's socket: facts one by one, all else as totals ten times a second (design §4).

Never blocks and never grows: an app that is frozen costs a bounded buffer. What did not fit is not sent later; the app
is told from which sequence to which one the file is to be read (`{"fact": {"kind": "reread", "seq": n, "upto": m, "in_file":
true}}`), as soon as the file has it: the durable mark says when.
"""

from __future__ import annotations

import json
import select
import socket
from collections.abc import Iterator
from typing import Any

from quarterdeck.domain.reports import FACT_BYTES_MAX, Report

TOTALS_EVERY_S = 0.1
BUFFER_BYTES_MAX = 1024 * 1024
COMMAND_BYTES_MAX = 4 * 1024 * 1024
READ_BYTES = 64 * 1024


def encode(message: dict[str, Any]) -> bytes:
    """One message as a JSON line (pure ASCII)."""
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"


class Relay:
    """Owns the socket to the app. `closed` is True once its end was seen."""

    def __init__(self, app: socket.socket) -> None:
        app.setblocking(False)
        self._app = app
        self._out = bytearray()
        self._in = bytearray()
        self._reread: tuple[int, int] | None = None
        self._durable: int | None = None
        self.closed = False

    @property
    def fd(self) -> int:
        """For the selector."""
        return self._app.fileno()

    @property
    def has_output(self) -> bool:
        """Whether bytes wait for the app."""
        return bool(self._out)

    def fact(self, report: Report) -> None:
        """Send one report, or say where it lies."""
        if self.closed:
            return
        if len(self._out) > BUFFER_BYTES_MAX:
            first, _ = self._reread or (report["seq"], 0)
            self._reread = first, report["seq"]
            return
        message = encode({"fact": report})
        if len(message) > FACT_BYTES_MAX:
            message = encode({"fact": {"kind": report["kind"], "seq": report["seq"], "in_file": True}})
        self._out += message
        self.flush()

    def durable(self, seq: int) -> None:
        """Say that reports up to `seq` are on the disk; the newest mark stands for all before it."""
        self._durable = seq
        self.flush()

    def say(self, message: dict[str, Any]) -> bool:
        """Send a message that may be left out: only when nothing waits. False where it was left out."""
        if self.closed or self._out:
            return False
        self._out += encode(message)
        self.flush()
        return True

    def flush(self) -> None:
        """Hand the socket what it takes now."""
        while not self.closed:
            if not self._out:
                self._refill()
            if not self._out:
                return
            try:
                sent = self._app.send(self._out[:READ_BYTES])
            except BlockingIOError:
                return
            except OSError:  # the other end is gone
                self.closed = True
                return
            del self._out[:sent]

    def _refill(self) -> None:
        if self._durable is not None:
            self._out += encode({"durable": self._durable})
            self._durable = None
        if self._reread is not None:
            first, last = self._reread
            self._out += encode({"fact": {"kind": "reread", "seq": first, "upto": last, "in_file": True}})
            self._reread = None

    def commands(self) -> Iterator[dict[str, Any]]:
        """Commands that have arrived; sets `closed` at the end of the socket. Never blocks."""
        while not self.closed:
            try:
                piece = self._app.recv(READ_BYTES)
            except BlockingIOError:
                break
            except OSError:
                piece = b""
            if not piece:
                self.closed = True
                break
            self._in += piece
            if len(self._in) > COMMAND_BYTES_MAX and b"\n" not in self._in:
                self.closed = True  # nobody whom we could trust is at the other end
        while (end := self._in.find(b"\n")) >= 0:
            line = bytes(self._in[:end])
            del self._in[: end + 1]
            try:
                command = json.loads(line)
            except ValueError:  # whoever is at the other end is not our engine
                self.closed = True
                return
            if isinstance(command, dict):
                yield command

    def wait_command(self) -> dict[str, Any] | None:
        """Block until the first command; None where the socket ended before."""
        while True:
            for command in self.commands():
                return command
            if self.closed:
                return None
            select.select([self._app], [], [])

    def close(self, timeout_s: float) -> None:
        """Give the app what still waits and say that this keeper leaves by itself, for at most so long; then close."""
        if not self.closed:
            self._app.settimeout(timeout_s)
            try:
                self._app.sendall(self._out)
                self._out.clear()
                self._refill()
                self._app.sendall(self._out + encode({"leaves": True}))
            except OSError:  # the app is gone or frozen: it will read the files
                self.closed = True
        self._app.close()
