"""The leader was killed, and the program that it stood before lives on for a moment: what that tells of its own end is no answer."""

from __future__ import annotations

import os
import signal

import pytest

from quarterdeck.shim.launch import Limits
from quarterdeck.shim.streams import CHUNK_BYTES, OutputPipes
from tests.shim.harness import PYTHON, Dock

WRAPPER = """
import subprocess, sys
sys.exit(subprocess.run(sys.argv[1:]).returncode)
"""
PROGRAM = """
import json, signal, sys, time
def tell(kind, status, code):
    item = {"id": "item_1", "type": "command_execution", "command": "push", "status": status, "exit_code": code}
    print(json.dumps({"type": kind, "item": item}), flush=True)
def end(number, frame):
    tell("item.completed", "completed", 0)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
tell("item.started", "in_progress", None)
while True:
    time.sleep(60)
"""


def test_a_call_that_ends_while_what_its_leader_left_is_ended_stays_open(dock: Dock) -> None:
    """EFF2: the wrapper was killed; its program is told to end, and ends its call."""
    program = [PYTHON, "-I", "-S", "-c", PROGRAM]
    running = dock.start([PYTHON, "-I", "-S", "-c", WRAPPER, *program], kind="codex", protocol="codex")
    leader = int(running.wait_fact("started")["pid"])
    running.wait_output(b"item.started")

    os.kill(leader, signal.SIGKILL)

    end = running.wait_end(60)
    assert (end["signal"], end["after_ending"]) == (signal.SIGKILL, False)
    assert [report["state"] for report in running.of_kind("effect")] == ["sent", "sent"]
    assert b"item.completed" in running.transcript()


@pytest.fixture
def limits() -> Limits:
    return Limits(read_bytes_per_s=1, burst_bytes=1, queue_bytes=1)


def test_what_lies_in_the_pipes_is_taken_whatever_the_limits_and_no_more(limits: Limits) -> None:
    """What was told before the end began is the agent's own; who goes on writing does not keep that going."""
    read_fd, write_fd = os.pipe()
    pipes = OutputPipes({"stdout": read_fd}, limits, lambda: 0, 0.0)
    os.write(write_fd, b"x" * 100)
    heard: list[bytes] = []

    def hear(name: str, chunk: bytes) -> None:
        heard.append(chunk)
        os.write(write_fd, b"more")

    pipes.take_waiting(hear)

    assert heard == [b"x" * 100]
    assert len(heard[0]) < CHUNK_BYTES
    os.close(write_fd)
    pipes.close()
