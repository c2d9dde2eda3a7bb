"""The app goes away in the very moment in which its shim tells it something: that is judged at once."""

from __future__ import annotations

import socket
from types import SimpleNamespace

from quarterdeck.shim.keeper import Keeper
from quarterdeck.shim.ladder import Rung
from quarterdeck.shim.relay import Relay


class Telling(Keeper):
    """A keeper of nothing, of which nothing is due but what it tells."""

    def __init__(self, relay: Relay) -> None:
        self._relay, self.judged = relay, []
        still = lambda *_: None  # noqa: E731
        self._writer = SimpleNamespace(fault=None)
        self._stream = SimpleNamespace(collect=still)
        self._ladder = SimpleNamespace(step=still, is_over=False, rung=Rung.IDLE)
        self._teller = SimpleNamespace(tell=lambda _: relay.durable(1) or None)
        self._output, self._talk, self._limits = (SimpleNamespace(wait_s=still) for _ in range(3))
        self._drain_until_s = self._ending = None

    def reap(self) -> bool:
        return False

    def _judge_causes(self, now_s: float) -> None:
        self.judged.append(self._relay.closed)

    def _follow_leader(self, now_s: float) -> None:
        """It lives."""

    def _step_shares(self, now_s: float) -> float | None:
        return None


def test_an_app_that_is_gone_when_it_is_told_something_is_judged_at_once_and_not_waited_for() -> None:
    """Nothing else wakes the loop: the socket is watched no more, and the agent may say nothing for ever."""
    ours, theirs = socket.socketpair()
    with ours:
        keeper = Telling(Relay(ours))
        assert keeper._tick(0.0) is None, "the app is there: nothing is due"
        theirs.close()
        assert keeper._tick(1.0) == 0.0
        keeper._tick(1.0)
        assert keeper.judged == [False, False, True]
