"""The engine's end of one shim's socket: facts, totals and durable marks in, orders out.

One task reads one socket. What arrives is posted to the run's actor; totals are conflated there. Raw agent output
never passes here (performance limit 1).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.reports import FACT_BYTES_MAX, Report
from quarterdeck.shim.client import ShimHandle
from quarterdeck.store.json_text import message_loads

log = logging.getLogger(__name__)
LINE_BYTES_MAX = 4 * FACT_BYTES_MAX


@dataclass(frozen=True, slots=True)
class FactArrived:
    """One report of the attempt; it may not be durable yet."""

    attempt_id: AttemptId
    report: Report


@dataclass(frozen=True, slots=True)
class TotalsArrived:
    """Running totals, at most ten times a second."""

    attempt_id: AttemptId
    totals: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DurableReached:
    """All reports up to `seq` are on disk."""

    attempt_id: AttemptId
    seq: int


@dataclass(frozen=True, slots=True)
class RecordingChanged:
    """The shim's disk failed or works again."""

    attempt_id: AttemptId
    recording: bool


ShimMail = FactArrived | TotalsArrived | DurableReached | RecordingChanged


class ShimLink:
    """Owns one shim's socket and pidfd from `run` until the shim is gone. Orders may be sent before that (case 59).

    `wait_room` returns when the actor's box takes more facts; until then the socket is not read.
    """

    def __init__(
        self,
        attempt_id: AttemptId,
        post: Callable[[ShimMail], None],
        wait_room: Callable[[], Awaitable[None]],
    ) -> None:
        self.attempt_id = attempt_id
        self._post, self._wait_room = post, wait_room
        self._writer: asyncio.StreamWriter | None = None
        self._unsent: list[dict[str, Any]] = []
        self.is_broken = False
        """Whether a line came that is none of ours, so that the shim was let go."""
        self.has_taken_leave = False
        """Whether the shim said that it ends by itself: one that is killed says nothing."""

    def send_first(self, order: dict[str, Any]) -> None:
        """Send an order before those that wait for the socket."""
        self._unsent.insert(0, order)

    def send(self, order: dict[str, Any]) -> None:
        """Send an order; kept until the socket is set up, dropped when the shim is gone (its end is news enough)."""
        if self._writer is None:
            self._unsent.append(order)
        elif not self._writer.is_closing():
            self._writer.write(json.dumps(order).encode() + b"\n")

    async def run(self, handle: ShimHandle) -> None:
        """Read until the shim is gone. On cancel the socket closes: the shim ends its tree.

        A line that is none of ours means that the other end cannot be trusted: the socket is closed, with the same effect.
        """
        handle.socket.setblocking(False)
        try:
            reader, self._writer = await asyncio.open_connection(sock=handle.socket, limit=LINE_BYTES_MAX)
            for order in self._unsent:
                self.send(order)
            self._unsent.clear()
            await self._read(reader)
            self._writer.close()
            await _wait_process_ended(handle.pidfd)
        finally:
            if self._writer is None:
                handle.socket.close()
            else:
                self._writer.close()
            os.close(handle.pidfd)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            with contextlib.suppress(ConnectionError):
                # A line without its end was cut off by that of the shim.
                while (line := await reader.readline()).endswith(b"\n"):
                    self._take(line)
                    await self._wait_room()
        except (ValueError, TypeError, KeyError) as error:
            self.is_broken = True
            log.error("the shim of attempt %s sent a line that cannot be taken: %s", self.attempt_id, error)

    def _take(self, line: bytes) -> None:
        said = message_loads(line)
        if "fact" in said:
            self._post(FactArrived(self.attempt_id, said["fact"]))
        elif "totals" in said:
            self._post(TotalsArrived(self.attempt_id, said["totals"]))
        elif "durable" in said:
            self._post(DurableReached(self.attempt_id, said["durable"]))
        elif "recording" in said:
            self._post(RecordingChanged(self.attempt_id, bool(said["recording"])))
        elif "leaves" in said:
            self.has_taken_leave = True


async def _wait_process_ended(pidfd: int) -> None:
    """A pidfd becomes readable when its process has ended; the engine is not the parent and never waits on it."""
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    loop.add_reader(pidfd, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(pidfd)
