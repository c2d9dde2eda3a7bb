"""Real shims, real agents: what a test needs to start one, hear it, and look at what is left. Imports only the client.

Files are read here by naive code of the test's own, so that product and test do not share a mistake.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import socket
import time
import uuid
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quarterdeck.shim.client import ForkServer, ShimHandle, ShimStart

Message = dict[str, Any]


def read_framed(path: Path) -> list[Message]:
    """Objects of a framed file; fails on anything that is no whole, sound line."""
    found = []
    for line in path.read_bytes().splitlines(keepends=True):
        head, _, crc = line.rpartition(b',"crc":"')
        assert line.endswith(b'"}\n'), line[-80:]
        assert int(crc[:8], 16) == zlib.crc32(head)
        found.append(json.loads(head + b"}"))
    return found


def marked(attempt: str) -> list[int]:
    """Pids of living processes that carry the attempt's mark."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"QUARTERDECK_ATTEMPT={attempt}".encode() in environment:
            found.append(int(entry.name))
    return found


def wait_until(condition: Any, deadline_s: float, what: str = "") -> Any:
    """The first true value of `condition`, polled; fails after the deadline."""
    end = time.monotonic() + deadline_s
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {deadline_s} s: {what or condition}"
        select.select([], [], [], 0.01)
    return value


@dataclass
class Running:
    """One attempt that was asked for."""

    attempt: str
    folder: Path
    handle: ShimHandle
    heard: list[Message] = field(default_factory=list)
    rest: bytes = b""
    ended: bool = False

    def say(self, **command: Any) -> None:
        self.handle.socket.sendall(json.dumps(command).encode() + b"\n")

    def hear(self, deadline_s: float) -> bool:
        """Take what comes within the time; False at the end of the socket."""
        ready, _, _ = select.select([self.handle.socket], [], [], max(0.0, deadline_s))
        if not ready:
            return True
        try:
            piece = self.handle.socket.recv(1 << 20)
        except ConnectionResetError:
            piece = b""
        if not piece:
            self.ended = True
            return False
        *lines, self.rest = (self.rest + piece).split(b"\n")
        self.heard.extend(json.loads(line) for line in lines)
        return True

    def facts(self, kind: str) -> list[Message]:
        return [m["fact"] for m in self.heard if m.get("fact", {}).get("kind") == kind]

    def wait_message(self, condition: Any, deadline_s: float = 10.0) -> Message:
        end = time.monotonic() + deadline_s
        while not (found := [m for m in self.heard if condition(m)]):
            assert time.monotonic() < end, [str(m)[:200] for m in self.heard[-5:]]
            assert self.hear(end - time.monotonic()), [str(m)[:300] for m in self.heard[-5:]]
        return found[0]

    def wait_fact(self, kind: str, deadline_s: float = 10.0) -> Message:
        return self.wait_message(lambda m: m.get("fact", {}).get("kind") == kind, deadline_s)["fact"]

    def hear_for(self, duration_s: float) -> None:
        """Listen for so long."""
        end = time.monotonic() + duration_s
        while time.monotonic() < end and self.hear(end - time.monotonic()):
            pass

    def wait_output(self, text: bytes, deadline_s: float = 40.0) -> None:
        """Until the transcript holds it."""
        path = self.folder / "transcript"
        wait_until(
            lambda: path.exists() and text in path.read_bytes(), deadline_s, f"{text!r} in the transcript"
        )

    def wait_end(self, deadline_s: float = 15.0) -> Message:
        """Until the shim's socket ends; returns exit.json."""
        end = time.monotonic() + deadline_s
        while self.hear(end - time.monotonic()):
            assert time.monotonic() < end, (
                f"{self.attempt} is not idle: {[str(m)[:200] for m in self.heard[-3:]]}"
            )
        assert not (self.folder / "shim-error.txt").exists(), (self.folder / "shim-error.txt").read_text()
        return self.exit_file()

    def wait_gone(self, deadline_s: float = 10.0) -> None:
        """Until the shim's process is gone, by its pidfd."""
        assert select.select([self.handle.pidfd], [], [], deadline_s)[0], "the shim lives on"

    def exit_file(self) -> Message:
        (only,) = read_framed(self.folder / "exit.json")
        return only

    def reports(self) -> list[Message]:
        return read_framed(self.folder / "reports.jsonl")

    def of_kind(self, kind: str) -> list[Message]:
        return [r for r in self.reports() if r["kind"] == kind]

    def transcript(self) -> bytes:
        return (self.folder / "transcript").read_bytes()

    def lease_is_free(self) -> bool:
        fd = os.open(self.folder / "lease", os.O_RDWR)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(fd)
        return True

    def close(self) -> None:
        try:
            self.handle.close()
        except OSError:
            return


@dataclass
class Dock:
    """Starts attempts below one folder; `close` lets go of all and waits until their shims are gone."""

    folder: Path
    server: ForkServer
    started: list[Running] = field(default_factory=list)

    def prepare(self, argv: list[str], **fields: Any) -> tuple[str, Path]:
        attempt = "a-" + uuid.uuid4().hex
        folder = self.folder / attempt
        folder.mkdir()
        spec: dict[str, Any] = {
            "schema": 1, "run": "r-1", "slot": "node", "attempt": attempt, "epoch": 3, "node_id": "node", "title": "Node",
            "agent": "agent", "kind": "command", "argv": argv, "protocol": "text", "cwd": str(folder),
            "env": {"PATH": os.environ["PATH"], "HOME": str(folder)}, "secret_names": [], "success_codes": [0],
            "stdin": "null", "prompt": "", "context_path": None, "resume_path": None, "idempotency_key": "r-1/node",
            "grace_s": 1.0, "cap_usd": None, "timeout_s": None, "prices": {}, "containment": "auto",
        }  # fmt: skip
        (folder / "launch.json").write_text(json.dumps({**spec, **fields}))
        return attempt, folder

    def ask(self, argv: list[str], **fields: Any) -> Running:
        """Start the shim; it waits for its secrets."""
        attempt, folder = self.prepare(argv, **fields)
        lease = os.open(folder / "lease", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            fcntl.flock(lease, fcntl.LOCK_EX)
            handle = self.server.spawn(ShimStart(folder / "launch.json", lease))
        finally:
            os.close(lease)
        running = Running(attempt, folder, handle)
        self.started.append(running)
        return running

    def start(self, argv: list[str], secrets: dict[str, str] | None = None, **fields: Any) -> Running:
        running = self.ask(argv, **fields)
        running.say(do="secrets", values=secrets or {})
        return running

    def lines(self, source: str, **fields: Any) -> Running:
        """A Python program that speaks the lines protocol; `say(type, **fields)` is defined for it."""
        return self.python(SAY + source, **{"protocol": "lines", "stdin": "open", **fields})

    def python(self, source: str, **fields: Any) -> Running:
        return self.start([PYTHON, "-I", "-S", "-u", "-c", source], **fields)

    def close(self) -> None:
        for running in self.started:
            try:
                running.handle.socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        for running in self.started:
            try:
                running.wait_gone()
            except (OSError, ValueError):
                continue
        for running in self.started:
            running.close()


PYTHON = os.path.realpath("/proc/self/exe")
SAY = """
import json, sys, os, time, signal
def say(type, **fields):
    fields = {k.rstrip("_"): v for k, v in fields.items()}
    sys.stdout.write(json.dumps({"type": type, **fields}) + "\\n"); sys.stdout.flush()
"""
