"""A keeper that ends by itself says so, whatever made it end; one that is killed cannot. So the app tells one from the other (ADR 0192)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from tests.shim.harness import Dock, Running, wait_until

SLEEPS = ["sleep", "300"]


def ends_by_itself(dock: Dock) -> Running:
    return dock.start(["true"])


def is_stopped(dock: Dock) -> Running:
    running = dock.start(SLEEPS)
    running.wait_fact("started")
    running.say(do="stop", reason="stop")
    return running


def is_stopped_before_its_start(dock: Dock) -> Running:
    running = dock.ask(SLEEPS)
    running.handle.socket.sendall(b'{"do": "secrets", "values": {}}\n{"do": "stop", "reason": "stop"}\n')
    return running


def is_signalled(dock: Dock) -> Running:
    running = dock.start(SLEEPS)
    running.wait_fact("started")
    os.kill(running.handle.pid, signal.SIGTERM)
    return running


def has_no_program(dock: Dock) -> Running:
    return dock.start(["/nowhere/agent"])


def has_no_disk(dock: Dock) -> Running:
    running = dock.ask(SLEEPS)
    (running.folder / "reports.jsonl").mkdir()
    running.say(do="secrets", values={})
    return running


def meets_a_fault_of_ours(dock: Dock) -> Running:
    return dock.start(SLEEPS, kind="nonsense")


@pytest.mark.parametrize(
    "end",
    [
        ends_by_itself,
        is_stopped,
        is_stopped_before_its_start,
        is_signalled,
        has_no_program,
        has_no_disk,
        meets_a_fault_of_ours,
    ],
)
def test_a_keeper_says_last_of_all_that_it_leaves(dock: Dock, end: Callable[[Dock], Running]) -> None:
    running = end(dock)
    wait_until(lambda: not running.hear(0.1), 15.0, "the end of its socket")
    running.wait_gone()
    assert running.heard[-1] == {"leaves": True}
    assert running.heard.count({"leaves": True}) == 1


@pytest.mark.parametrize("containment", ["auto", "tree"])
def test_a_keeper_that_is_killed_says_nothing(dock: Dock, containment: str) -> None:
    running = dock.start(SLEEPS, containment=containment)
    running.wait_fact("started")
    os.kill(running.handle.pid, signal.SIGKILL)
    wait_until(lambda: not running.hear(0.1), 15.0, "the end of its socket")
    running.wait_gone()
    assert {"leaves": True} not in running.heard
