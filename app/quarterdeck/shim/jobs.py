"""Disk work of the writer's thread that is done in small steps between its writes. Who steps it is the writer alone."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

JOB_ROUND_S = 0.05
JOB_BYTES = 8192
"""What a job counts beside what it holds: more than its memory, so that few enough wait to be done soon after an end."""
Job = Iterator[None]
"""Work in small steps."""


class Jobs:
    """Jobs in the order in which they came. `wake`: the condition on which the thread waits for work."""

    def __init__(self, wake: threading.Condition, notify: Callable[[], None]) -> None:
        self._wake, self._notify = wake, notify
        self._waiting: deque[tuple[Job, int]] = deque()
        self._is_at_work = False
        self.bytes = 0
        """What waits, with what it holds."""
        self.steps = 0
        """How many were made; while this grows, the disk takes what it is given."""
        self.after_round: Callable[[], None] = lambda: None
        """Called on the thread after each round; set before it starts."""

    def put(self, job: Job, held_bytes: int) -> None:
        """Queue a job. `held_bytes`: what it keeps in memory until it is done."""
        with self._wake:
            self._waiting.append((job, held_bytes + JOB_BYTES))
            self.bytes += held_bytes + JOB_BYTES
            self._wake.notify()

    def __bool__(self) -> bool:
        """Whether one is left, or what follows a round; `notify` is called after each."""
        return bool(self._waiting) or self._is_at_work

    def step(self) -> None:
        """One round, a step at a time."""
        if not self._waiting:
            return
        self._is_at_work = True
        end = time.monotonic() + JOB_ROUND_S
        while self._waiting and time.monotonic() < end:
            try:
                next(self._waiting[0][0])
            except StopIteration:
                with self._wake:
                    self.bytes -= self._waiting.popleft()[1]
                self._notify()
            self.steps += 1
        self.after_round()
        self._is_at_work = False
        self._notify()
