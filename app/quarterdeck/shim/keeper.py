"""The loop that keeps one agent: reads it, reports it, obeys the app, and ends its tree. One thread, no blocking disk.

Causes of an end (end of the app's socket, SIGTERM, SIGHUP, stop, cap, turns, time) all meet in `_begin_ending`; the end of
the leader, and of its work, meets in `_tick`. Both lead to `_finish`, once.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable
from typing import Any

from quarterdeck.agents.adapter import Adapter
from quarterdeck.domain import reports
from quarterdeck.shim import ladder
from quarterdeck.shim.bounds import Bounds
from quarterdeck.shim.containment import AgentTree, leader_status
from quarterdeck.shim.conversation import Conversation
from quarterdeck.shim.ending import End, Ending, publish_end, wait_for_disk
from quarterdeck.shim.exit_file import ExitFile
from quarterdeck.shim.ladder import Ladder, Rung
from quarterdeck.shim.launch import CAP_GRACE_S, LaunchSpec
from quarterdeck.shim.relay import Relay
from quarterdeck.shim.report_stream import ReportStream, deadline_after
from quarterdeck.shim.shares import while_ending, while_working
from quarterdeck.shim.streams import InputPipe, OutputPipes
from quarterdeck.shim.teller import Teller
from quarterdeck.shim.time_limit import TimeLimits
from quarterdeck.shim.watch import Watch
from quarterdeck.shim.writer import Writer

DRAIN_S = 1.0
REST_GRACE_S = 1.0
ENDING_ON_DISK_S = 0.05
HELD_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""Held back from before the agent is started until the loop can act on them."""
STOP_REASONS = frozenset(
    {
        "stop",
        "run_budget",
        "workflow_budget",
        "night_budget",
        "cap",
        "turns",
        "timeout",
        "stall",
        "signal",
        "lost_app",
    }
)
"""What `ending` may say; an order to stop that gives another reason, or none, is a plain stop."""


class Keeper:
    """One agent from its start to `exit.json`. Built by `shim_main`; `run` returns when all is told."""

    def __init__(
        self,
        spec: LaunchSpec,
        tree: AgentTree,
        adapter: Adapter,
        stream: ReportStream,
        writer: Writer,
        relay: Relay,
        output: OutputPipes,
        stdin: InputPipe | None,
        exit_file: ExitFile,
        wake_r: int,
    ) -> None:
        self._spec, self._tree, self._stdin = spec, tree, stdin
        self._stream, self._writer, self._relay = stream, writer, relay
        self._output, self._exit_file, self._wake_r = output, exit_file, wake_r
        self._talk = Conversation(adapter, stream, stdin)
        self._ladder = Ladder(tree, spec.attempt, self.reap)
        self._watch = Watch()
        self._teller = Teller(relay, writer, stream, adapter)
        self._status: int | None = None
        self._ending: Ending | None = None
        self._bounds = Bounds(spec)
        self._drain_until_s: float | None = None
        self._limits = TimeLimits(spec.timeout_s, spec.stall_timeout_s, now_s := time.monotonic())
        self._signalled = self._was_told_to_stop = False
        self._shares = while_working(tree.leader, spec.autogroup_nice, now_s)

    # ------------------------------------------------------------------ the loop

    def run(self, early: list[dict[str, Any]]) -> None:
        """Until the end is told. `early`: commands that came together with the secrets."""
        self._talk.begin()
        for command in early:
            self.obey(command)
        _let_in(self._on_signal)
        while True:
            wait_s = self._tick(time.monotonic())
            if self._ladder.is_over:
                self._finish()
                return
            self._watch_all(time.monotonic())
            for fd, events in self._watch.wait(wait_s):
                self._handle(fd, events)

    def _on_signal(self, _number: int, _frame: object) -> None:
        self._signalled = True

    def _handle(self, fd: int, events: int) -> None:
        if fd == self._wake_r:
            os.read(fd, 4096)
        elif fd == self._relay.fd:
            if events & selectors.EVENT_WRITE:
                self._relay.flush()
            for command in self._relay.commands():
                self.obey(command)
        elif self._stdin is not None and fd == self._stdin.fd:
            self._stdin.flush()
        else:
            for name, open_fd in list(self._output.open.items()):
                if open_fd == fd:
                    self._output.read(name, self._take_output)

    def _take_output(self, name: str, chunk: bytes) -> None:
        self._writer.put_transcript(chunk)
        self._teller.saw_output()
        self._limits.saw_output(time.monotonic())
        self._talk.hear(name, chunk)

    def _watch_all(self, now_s: float) -> None:
        wanted = {self._wake_r: selectors.EVENT_READ}
        if not self._relay.closed:
            writing = selectors.EVENT_WRITE if self._relay.has_output else 0
            wanted[self._relay.fd] = selectors.EVENT_READ | writing
        if self._stdin is not None and self._stdin.fd is not None and self._stdin.has_waiting:
            wanted[self._stdin.fd] = selectors.EVENT_WRITE
        if self._tree.status is not None and self._status is None:
            wanted[self._tree.status.fileno()] = selectors.EVENT_READ
        if self._output.is_readable_now(now_s):
            wanted.update(dict.fromkeys(self._output.open.values(), selectors.EVENT_READ))
        self._watch.set(wanted)

    # ------------------------------------------------------------------ what is due

    def _tick(self, now_s: float) -> float | None:
        """Everything that time or the last events made due; seconds until something is due again."""
        if self._writer.fault is not None:
            raise self._writer.fault
        self._stream.collect()
        self.reap()
        was_closed = self._relay.closed
        self._judge_causes(now_s)
        self._follow_leader(now_s)
        waits = [self._ladder.step(now_s), self._teller.tell(now_s), self._output.wait_s()]
        if not self._ladder.is_over:
            waits.append(self._step_shares(now_s))
        if self._drain_until_s is not None and self._ladder.rung is Rung.IDLE:
            waits.append(self._drain_until_s - now_s)
        if self._ending is None:
            waits.append(self._limits.wait_s(now_s))
        if self._ladder.rung is Rung.IDLE:
            waits.append(self._talk.wait_s(now_s))
        if self._relay.closed and not was_closed:
            return 0.0  # what was told here met its end: nothing else would wake this loop to judge that
        due = [wait_s for wait_s in waits if wait_s is not None]
        return max(0.0, min(due)) if due else None

    def _judge_causes(self, now_s: float) -> None:
        if self._relay.closed:
            self._begin_ending("lost_app", self._spec.grace_s)
        if self._signalled:
            self._begin_ending("signal", self._spec.grace_s)
        if (over := self._limits.passed(now_s, is_asking=self._stream.is_asking)) is not None:
            self._begin_ending(over, self._spec.grace_s)
        if self._ending is None and (passed := self._bounds.passed(self._stream)) is not None:
            self._begin_ending(passed, min(CAP_GRACE_S, self._spec.grace_s))

    def _begin_ending(self, reason: str, grace_s: float) -> None:
        """`ending` goes to the disk first, but a disk that does not take it never keeps the agent alive."""
        if self._ending is not None or self._ladder.rung is not Rung.IDLE or self.leader_has_ended():
            return
        self._ending = Ending(reason, grace_s)
        self._shares = while_ending(self._tree.leader, time.monotonic())
        self._step_shares(time.monotonic())
        said = {"kind": reports.ENDING, "reason": reason, "grace_s": grace_s, **deadline_after(grace_s)}
        self._writer.wait_durable(self._stream.add(said), ENDING_ON_DISK_S)
        self._talk.cancel()
        self._ladder.begin(time.monotonic(), grace_s, leader_lives=True)

    def _end_tree(self, now_s: float, *, leader_lives: bool) -> None:
        """The attempt has ended, or its work has: what is left of the tree goes, and that is no reason of the end."""
        self._shares = while_ending(self._tree.leader, now_s)
        self._output.take_waiting(self._take_output)
        self._talk.end_begins()
        self._ladder.begin(now_s, min(REST_GRACE_S, self._spec.grace_s), leader_lives=leader_lives)

    def _follow_leader(self, now_s: float) -> None:
        """The leader's end is the attempt's (ruling 21): drain, end what is left. One that stays when its work is over is ended."""
        if self._ladder.rung is not Rung.IDLE:
            return
        is_left = self._talk.is_left(now_s)
        if not self.leader_has_ended():
            if is_left:
                self._end_tree(now_s, leader_lives=True)
            return
        if self._drain_until_s is None:
            self._drain_until_s = now_s + DRAIN_S
        if not self._output.open or now_s >= self._drain_until_s:
            self._end_tree(now_s, leader_lives=False)

    def _step_shares(self, now_s: float) -> float | None:
        if self.leader_has_ended():
            self._shares.forget(self._tree.leader)
        return self._shares.step(now_s)

    def leader_has_ended(self) -> bool:
        """Whether the leader's status is known."""
        self.reap()
        if self._status is None:
            self._status = leader_status(self._tree)
        return self._status is not None

    def reap(self) -> bool:
        """Collect ended children; False where waitpid says that there are none at all."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._tree.leader:
                self._status = status
            elif pid == self._tree.init:
                if self._status is None:
                    self._status = leader_status(self._tree)
                if self._status is None:  # the kernel ended the leader together with its namespace
                    self._status = signal.SIGKILL
                self._tree.init = None

    # ------------------------------------------------------------------ what the app says and hears

    def obey(self, command: dict[str, Any]) -> None:
        """One command of the app; what is unknown is ignored."""
        verbs: dict[str, Callable[[dict[str, Any]], None]] = {
            "stop": self._stop,
            "pause": self._pause,
            "continue": self._continue,
            "answer": self._talk.answer,
            "say": self._talk.say,
            "cap": self._bounds.set_cap,
        }
        verb = verbs.get(str(command.get("do")))
        if verb is not None:
            verb(command)

    def _stop(self, command: dict[str, Any]) -> None:
        self._was_told_to_stop = True
        reason = command.get("reason")
        self._begin_ending(reason if reason in STOP_REASONS else "stop", self._spec.grace_s)

    def _pause(self, _command: dict[str, Any]) -> None:
        if not self._limits.is_held and self._ending is None and not self.leader_has_ended():
            ladder.hold(self._tree, signal.SIGSTOP)
            self._limits.hold(time.monotonic())
            self._stream.add({"kind": reports.PAUSED})

    def _continue(self, _command: dict[str, Any]) -> None:
        if not self._limits.is_held or self._ending is not None:
            return
        self._limits.go_on(time.monotonic())
        ladder.hold(self._tree, signal.SIGCONT)
        self._stream.add({"kind": reports.CONTINUED})

    # ------------------------------------------------------------------ the end

    def _finish(self) -> None:
        self._watch.set({self._wake_r: selectors.EVENT_READ})  # let go of what is closed here
        self._output.drain(self._take_output)
        self._output.close()
        self._talk.finish()
        wait_for_disk(self._writer, self._is_end_wanted, self._hear_for)
        end = End(
            status=self._status,
            ending=self._ending,
            tree_is_empty=self._ladder.rung is Rung.EMPTY,
            killed=self._ladder.killed,
            left=tuple(self._ladder.left),
            is_over=self._talk.is_over,
        )
        publish_end(self._spec, self._stream, self._writer, self._exit_file, end)
        self._teller.tell_last()

    def _is_end_wanted(self) -> bool:
        return self._ending is not None or self._was_told_to_stop or self._signalled or self._relay.closed

    def _hear_for(self, wait_s: float) -> None:
        """What the app says while the disk takes the last of it; the agent is gone."""
        if self._writer.fault is not None:
            raise self._writer.fault
        self._stream.collect()
        tell_s = self._teller.tell(time.monotonic())
        self._watch_all(time.monotonic())
        for fd, events in self._watch.wait(wait_s if tell_s is None else min(wait_s, tell_s)):
            self._handle(fd, events)


def _let_in(heard: Callable[[int, object], None]) -> None:
    """From here on the signals that were held are heard."""
    for number in HELD_SIGNALS:
        signal.signal(number, heard)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_SIGNALS)
