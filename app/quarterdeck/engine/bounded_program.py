"""Asking a program for a short answer: an argument list, no shell, no input, bounded in time and size. Blocking."""

from __future__ import annotations

import os
import select
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """code None: it was not waited for to its end. fault: why there is no whole answer, in words; empty otherwise."""

    code: int | None
    out: bytes = b""
    error: str = ""
    fault: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether it ended by itself, well, and all of its answer is here."""
        return self.code == 0 and not self.fault


def ask(argv: tuple[str, ...], env: Mapping[str, str], within_s: float, bytes_max: int = 1_000_000) -> Answer:
    """Start it in a session of its own and read what it says; what takes too long, or says too much, is killed."""
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Answer(None, fault=f"{argv[0]} did not start: {getattr(error, 'strerror', None) or error}")
    try:
        said, fault = _read(child, time.monotonic() + within_s, bytes_max)
        if not fault and not _has_ended(child, max(0.1, within_s)):
            fault = f"it did not end within {within_s:g} s"
    finally:
        code = _end(child)
    complaint = said[1][:2_000].decode("utf-8", "replace").strip()
    return Answer(None if fault else code, bytes(said[0]), complaint, fault)


def _read(child: subprocess.Popen[bytes], until_s: float, bytes_max: int) -> tuple[list[bytearray], str]:
    """Both streams up to their ends: (what was read, why it was given up)."""
    said = [bytearray(), bytearray()]
    with selectors.DefaultSelector() as selector:
        for index, stream in enumerate((child.stdout, child.stderr)):
            assert stream is not None
            selector.register(stream, selectors.EVENT_READ, index)
        while selector.get_map():
            ready = selector.select(max(0.0, until_s - time.monotonic()))
            if not ready:
                return said, "it did not answer in time"
            for key, _ in ready:
                block = os.read(key.fd, 65_536)
                if not block:
                    selector.unregister(key.fileobj)
                said[key.data] += block
            if len(said[0]) + len(said[1]) > bytes_max:
                return said, f"it said more than {bytes_max:,} bytes"
    return said, ""


def _has_ended(child: subprocess.Popen[bytes], within_s: float) -> bool:
    """Waits for its end and does not reap it: until then its number is nobody else's."""
    pidfd = os.pidfd_open(child.pid)
    try:
        return bool(select.select((pidfd,), (), (), within_s)[0])
    finally:
        os.close(pidfd)


def _end(child: subprocess.Popen[bytes]) -> int:
    """Whatever is left of it and of what it started in its session is killed, and then it is reaped."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # nothing of the group is left to be ended
    code = child.wait()
    for stream in (child.stdout, child.stderr):
        assert stream is not None
        stream.close()
    return code
