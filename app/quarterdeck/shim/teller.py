"""What the app hears besides facts: durable marks, whether recording works, and totals at most ten times a second."""

from __future__ import annotations

from typing import Any

from quarterdeck.agents.adapter import Adapter
from quarterdeck.shim.relay import TOTALS_EVERY_S, Relay
from quarterdeck.shim.report_stream import ReportStream
from quarterdeck.shim.writer import Writer
from quarterdeck.store.machine import boot_ms


class Teller:
    """Compares what is with what was told."""

    def __init__(self, relay: Relay, writer: Writer, stream: ReportStream, adapter: Adapter) -> None:
        self._relay, self._writer, self._stream, self._adapter = relay, writer, stream, adapter
        self._told_durable = writer.durable_seq
        self._told_errno: int | None = None
        self._totals_due_s = 0.0
        self._last_output_boot_ms = boot_ms()

    def saw_output(self) -> None:
        """The agent wrote something."""
        self._last_output_boot_ms = boot_ms()
        self._stream.changed = True

    def tell(self, now_s: float) -> float | None:
        """Tell what is due; seconds until totals may be told, None where nothing waits to be told."""
        self._tell_disk()
        if not self._stream.changed or self._relay.closed:
            return None
        if now_s < self._totals_due_s:
            return self._totals_due_s - now_s
        if self._relay.say({"totals": self._totals()}):
            self._stream.changed = False
            self._totals_due_s = now_s + TOTALS_EVERY_S
            return None
        return TOTALS_EVERY_S

    def tell_last(self) -> None:
        """At the end, whatever the time."""
        self._tell_disk()
        self._relay.say({"totals": self._totals()})

    def _tell_disk(self) -> None:
        writer = self._writer
        if writer.durable_seq > self._told_durable:
            self._told_durable = writer.durable_seq
            self._relay.durable(self._told_durable)
        errno = writer.errno
        if errno != self._told_errno and self._relay.say({"recording": errno is None, "errno": errno}):
            self._told_errno = errno

    def _totals(self) -> dict[str, Any]:
        return {
            "figures": self._stream.figures(),
            "tail": self._adapter.tail(),
            "has_spoken": self._adapter.has_spoken,
            "progress": self._stream.progress,
            "written_seq": self._writer.written_seq,
            "durable_seq": self._writer.durable_seq,
            "last_output_boot_ms": self._last_output_boot_ms,
            "transcript_bytes": self._writer.transcript_bytes,
            "recording": self._writer.errno is None,
        }
