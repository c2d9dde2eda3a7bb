"""How fast an agent is read: a token bucket, so that short outputs are immediate and a flood is slowed. Pure."""

from __future__ import annotations


class TokenBucket:
    """`rate` bytes a second sustained, `burst` bytes at once. Times are seconds of one clock, passed in."""

    def __init__(self, rate: int, burst: int, now_s: float) -> None:
        self._rate, self._burst = float(rate), float(burst)
        self._tokens, self._at_s = float(burst), now_s

    def may_read(self, now_s: float) -> bool:
        """Whether anything may be read now."""
        self._tokens = min(self._burst, self._tokens + (now_s - self._at_s) * self._rate)
        self._at_s = now_s
        return self._tokens > 0

    def took(self, count: int) -> None:
        """So many bytes were read; the bucket may go below zero by the last chunk."""
        self._tokens -= count

    def wait_s(self) -> float | None:
        """Seconds until reading is worth while again (a few milliseconds' worth, so that wake-ups stay rare).

        None where reading is allowed already: then it is the bytes that wake the reader.
        """
        if self._tokens > 0:
            return None
        worth = min(self._burst, self._rate * 0.02)
        return max(0.0, (worth - self._tokens) / self._rate)
