"""The share of the processor of agents and keepers: whose is changed when, and whose never (ID5, ADR 0060)."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.shim import kernel
from quarterdeck.shim.shares import AGAIN_AFTER_S, while_ending
from tests.shim.harness import Dock, wait_until

AGENT = 2**22 + 1
"""Beyond every pid of this system."""
LEAVES_ONE_BEHIND = """
import os, signal, time
if os.fork() == 0:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True: time.sleep(0.05)
"""


def test_a_process_that_was_collected_is_never_changed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be another program's by then (ID5)."""
    tried: list[int | str] = []
    monkeypatch.setattr(kernel, "set_autogroup", lambda pid, nice: tried.append(pid))
    change = while_ending(AGENT, 0.0)
    assert change.step(0.0) == AGAIN_AFTER_S
    assert AGENT in tried, "refused once, so it is owed"
    change.forget(AGENT)
    tried.clear()
    assert change.step(AGAIN_AFTER_S) == AGAIN_AFTER_S
    assert AGENT not in tried
    assert tried, "the keeper's own share is still tried"


def test_who_ends_what_a_leader_left_behind_has_its_full_share_too(dock: Dock) -> None:
    """The leader ended by itself and something of its tree did not: that is ended as on any other way (ID5)."""
    if not Path("/proc/self/autogroup").exists():
        pytest.skip("a kernel without autogroups")

    def is_given_back() -> bool:
        """Looked at until the attempt has ended; the system may refuse a change, so another attempt may follow."""
        running = dock.python(LEAVES_ONE_BEHIND)
        share = Path(f"/proc/{running.handle.pid}/autogroup")
        found = False
        while running.hear(0.01):
            found = found or _niceness(share) == "0"
        running.wait_end()
        return found

    wait_until(is_given_back, 30)


def _niceness(share: Path) -> str:
    try:
        return share.read_text().split()[-1]
    except OSError:
        return ""
