"""Lowering the scheduling of an agent's session and of its shim's, as fast as the kernel admits it."""

from __future__ import annotations

from quarterdeck.shim import kernel

AGAIN_AFTER_S = 0.5


class ShareLowering:
    """The kernel admits one change of an autogroup every tenth of a second to all of a user's processes together."""

    def __init__(self, pids: tuple[int, ...], now_s: float) -> None:
        self._left, self._due_s = list(pids), now_s

    def step(self, now_s: float) -> float | None:
        """Try what is due; seconds until the next try, None where all is lowered."""
        if not self._left:
            return None
        if now_s >= self._due_s:
            self._due_s = now_s + AGAIN_AFTER_S
            self._left = [pid for pid in self._left if not kernel.lower_autogroup(pid)]
        return self._due_s - now_s
