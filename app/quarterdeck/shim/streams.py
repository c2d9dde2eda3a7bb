"""The agent's pipes: reading with a limit on speed and on what waits for the disk, and feeding stdin. No blocking call."""

from __future__ import annotations

import fcntl
import os
import struct
import termios
from collections import deque
from collections.abc import Callable

from quarterdeck.shim.launch import Limits
from quarterdeck.shim.limiter import TokenBucket

CHUNK_BYTES = 64 * 1024
Sink = Callable[[str, bytes], None]


def pipe_ends() -> tuple[int, int]:
    """A close-on-exec pipe (read end, write end); only our ends are later made non-blocking."""
    return os.pipe2(os.O_CLOEXEC)


def stop_blocking(fd: int) -> None:
    """Reads and writes on this end return at once from now on."""
    flags = fcntl.fcntl(fd, fcntl.F_GETFL)
    fcntl.fcntl(fd, fcntl.F_SETFL, flags | os.O_NONBLOCK)


def _waiting_bytes(fd: int) -> int:
    """How much of a pipe nobody has read."""
    counted = fcntl.ioctl(fd, termios.FIONREAD, bytes(struct.calcsize("i")))
    return int(struct.unpack("i", counted)[0])


class OutputPipes:
    """stdout and stderr of one agent; both share one bucket. `queued` says how much waits for the disk."""

    def __init__(self, fds: dict[str, int], limits: Limits, queued: Callable[[], int], now_s: float) -> None:
        self.open = dict(fds)
        for fd in fds.values():
            stop_blocking(fd)
        self._limits, self._queued = limits, queued
        self._bucket = TokenBucket(limits.read_bytes_per_s, limits.burst_bytes, now_s)
        self._held_back = False

    def is_readable_now(self, now_s: float) -> bool:
        """Whether the agent may be read: not too fast, and not while too much waits (with some hysteresis)."""
        queued = self._queued()
        if queued > self._limits.queue_bytes:
            self._held_back = True
        elif queued < self._limits.queue_bytes // 2:
            self._held_back = False
        return bool(self.open) and not self._held_back and self._bucket.may_read(now_s)

    def wait_s(self) -> float | None:
        """Seconds until reading may go on; None where it may now, or where that depends on the disk, which calls."""
        if not self.open or self._held_back:
            return None
        return self._bucket.wait_s()

    def read(self, name: str, sink: Sink) -> bool:
        """One chunk of that stream to the sink; True where it had any. Closes the pipe at its end."""
        fd = self.open.get(name)
        if fd is None:
            return False
        try:
            chunk = os.read(fd, CHUNK_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        if not chunk:
            del self.open[name]
            os.close(fd)
            return False
        self._bucket.took(len(chunk))
        sink(name, chunk)
        return True

    def take_waiting(self, sink: Sink) -> None:
        """What lies in the pipes now, whatever the limits; whoever goes on writing does not keep this going."""
        for name, fd in list(self.open.items()):
            for _ in range(-(-_waiting_bytes(fd) // CHUNK_BYTES)):
                self.read(name, sink)

    def drain(self, sink: Sink) -> None:
        """What still lies in the pipes; the tree is gone, so it is at most what the kernel holds."""
        for name in list(self.open):
            while self.read(name, sink):
                pass

    def close(self) -> None:
        """Close what is still open: somebody outside the tree holds the other end."""
        for fd in self.open.values():
            os.close(fd)
        self.open.clear()


class InputPipe:
    """The agent's stdin: bytes wait until it reads them, however long that takes."""

    def __init__(self, fd: int, *, keep_open: bool) -> None:
        stop_blocking(fd)
        self.fd: int | None = fd
        self._keep_open = keep_open
        self._waiting: deque[tuple[bytes, Callable[[bool], None] | None]] = deque()

    @property
    def has_waiting(self) -> bool:
        """Whether bytes wait to be taken."""
        return bool(self._waiting)

    def put(self, content: bytes, delivered: Callable[[bool], None] | None = None) -> None:
        """Queue bytes; `delivered` hears True once the pipe took them, False where it was closed before."""
        if self.fd is None:
            if delivered:
                delivered(False)
            return
        self._waiting.append((content, delivered))
        self.flush()

    def flush(self) -> None:
        """Hand over what the pipe takes now; close it where nothing more will come."""
        while self.fd is not None and self._waiting:
            content, delivered = self._waiting[0]
            try:
                taken = os.write(self.fd, content) if content else 0
            except BlockingIOError:
                return
            except OSError:  # the agent closed its stdin
                self.close()
                return
            if taken < len(content):
                self._waiting[0] = (content[taken:], delivered)
                continue
            self._waiting.popleft()
            if delivered:
                delivered(True)
        if not self._keep_open:
            self.close()

    def end(self) -> None:
        """End of file for the agent, once it has taken what waits."""
        self._keep_open = False
        self.flush()

    def close(self) -> None:
        """End of file for the agent; what waits is not delivered."""
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None
        while self._waiting:
            delivered = self._waiting.popleft()[1]
            if delivered:
                delivered(False)
