"""What is said between one agent and its shim: its bytes become reports, what its wire owes it goes to its stdin.

The adapter knows the words, this module the order: what the adapter owes is asked for after everything that the agent or a
person said. An agent whose work is over and that only waits is let go: end of file, then PATIENCE_S to end by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from quarterdeck.agents.adapter import Adapter
from quarterdeck.domain import reports
from quarterdeck.shim.report_stream import ReportStream
from quarterdeck.shim.streams import InputPipe

PATIENCE_S = 2.0
"""How long an agent whose work is over may take to end by itself."""


class Conversation:
    """One adapter between the agent's pipes and the reports. Main thread only."""

    def __init__(self, adapter: Adapter, stream: ReportStream, stdin: InputPipe | None) -> None:
        self._adapter, self._stream, self.stdin = adapter, stream, stdin
        self._let_go_s: float | None = None
        self._waiting: deque[dict[str, Any]] = deque()
        """Messages of a person that the adapter keeps until the agent's turn is over."""

    def begin(self) -> None:
        """The agent has started: the first words go to it."""
        self._give(self._adapter.begin())
        self._give_owed()

    def hear(self, name: str, chunk: bytes) -> None:
        """The agent wrote these bytes on that stream."""
        for report in self._adapter.feed(name, chunk):
            self._stream.take(report)
        self._give_owed()

    def answer(self, command: dict[str, Any]) -> None:
        """Hand over the answer to a question, and say whether the agent got it.

        What is asked now must be what was answered: an agent may have asked something else under that id since.
        """
        request_id, answer = str(command.get("id")), command.get("answer")
        asked_seq = int(command.get("asked_seq") or 0)
        said = {"kind": reports.APPROVAL_ANSWERED, "id": request_id, "answer": answer}
        if asked_seq:
            said["asked_seq"] = asked_seq
        is_stale = asked_seq > 0 and self._stream.asked_seq(request_id) != asked_seq
        line = None if is_stale else self._adapter.answer(request_id, answer)
        for report in self._adapter.take_due():
            self._stream.take(report)
        self._deliver(line, said)

    def end_begins(self) -> None:
        """What is left of the agent is ended without a word to it, as nobody is there who would hear."""
        self._adapter.end_begins()

    def cancel(self) -> None:
        """The agent is about to be ended: where its wire has words for that, they go first, and end of file behind them."""
        content = self._adapter.cancel()
        if content and self.stdin is not None:
            self.stdin.put(content)
            self.stdin.end()

    def say(self, command: dict[str, Any]) -> None:
        """Hand over a person's message, and say whether the agent got it; where it waits, that is said when it no longer does."""
        text = str(command.get("text") or "")
        said = {"kind": reports.SAID, "id": str(command.get("id") or ""), "text": text}
        line = self._adapter.say(text)
        if line == b"" and self.stdin is not None:
            self._waiting.append(said)
            self._give_owed()
        else:
            self._deliver(line, said)

    def is_left(self, now_s: float) -> bool:
        """Whether its work is over and it has not ended by itself in time. Closes its stdin as soon as the work is over; where it
        takes up what it was told before that, its time begins anew when that is over.
        """
        if not self._adapter.is_over:
            self._let_go_s = None
            return False
        if self._let_go_s is None:
            self._let_go_s = now_s
            if self.stdin is not None:
                self.stdin.end()
        return now_s >= self._let_go_s + PATIENCE_S

    @property
    def is_over(self) -> bool:
        """Whether the work was over before the program ended: how it ends then says nothing about it."""
        return self._adapter.is_over

    def wait_s(self, now_s: float) -> float | None:
        """Seconds until `is_left` may become true; None where that does not depend on time."""
        return None if self._let_go_s is None else max(0.0, self._let_go_s + PATIENCE_S - now_s)

    def finish(self) -> None:
        """The streams have ended."""
        for report in self._adapter.finish():
            self._stream.take(report)
        if self.stdin is not None:
            self.stdin.close()
        while self._waiting:
            self._stream.add({**self._waiting.popleft(), "delivered": False})

    def _deliver(self, line: bytes | None, said: dict[str, Any]) -> None:
        if line is None or self.stdin is None:
            self._stream.add({**said, "delivered": False})
        else:
            self.stdin.put(line, lambda taken: self._stream.note({**said, "delivered": taken}))
        self._give_owed()

    def _give_owed(self) -> None:
        content = self._adapter.take_input()
        said = [self._waiting.popleft() for _ in range(min(self._adapter.take_said(), len(self._waiting)))]
        self._give(content, lambda taken: self._note_said(said, is_delivered=taken))

    def _note_said(self, said: Iterable[dict[str, Any]], *, is_delivered: bool) -> None:
        for one in said:
            self._stream.note({**one, "delivered": is_delivered})

    def _give(self, content: bytes, delivered: Callable[[bool], None] | None = None) -> None:
        if content and self.stdin is not None:
            self.stdin.put(content, delivered)
