"""The one declared policy of retries and of shared limits (AUT8, C4, rulings 1 and 4). No other loop retries anything.

Retried: passing errors (`rate_limit`, `overloaded`, `other`), a non-zero exit without a told class, and a time-out.
Never: a dead sign-in, a usage limit (its reset time is shown instead, case 80), an invalid request, a program that could
not be started, a cap, a stop, results that are not durable, and any attempt that left an effect sent or unknown.

What a sign-in's limit means for the other agents that use it, and how many retries they have together, stands here too
(`SharedPolicy`): they wait without asking, and one of them tries first.
"""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.domain.states import EndReason, Hold

RETRIED_CLASSES = frozenset({"", "other", "rate_limit", "overloaded"})
RETRIED_REASONS = frozenset({EndReason.EXIT, EndReason.AGENT_ERROR, EndReason.TIMEOUT})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Delays in milliseconds: `first_ms` doubled each time up to `longest_ms`, half of it by chance (jitter).

    asked_longest_ms: a service that asks to wait longer than this is not waited for; a person decides.
    """

    first_ms: int = 2_000
    factor: int = 2
    longest_ms: int = 60_000
    asked_longest_ms: int = 900_000

    def delay_ms(self, attempts_made: int, jitter: float, retry_after_s: float | None = None) -> int:
        """Wait before the next attempt, after `attempts_made` ≥ 1. jitter in [0, 1). Never less than was asked for."""
        growth = int(self.factor ** min(attempts_made - 1, 32))
        whole = min(self.longest_ms, self.first_ms * growth)
        asked = int((retry_after_s or 0) * 1000)
        return max(asked, whole // 2 + int(whole / 2 * jitter))


POLICY = RetryPolicy()


@dataclass(frozen=True, slots=True)
class SharedPolicy:
    """What the users of one sign-in share. Milliseconds, by the boot clock.

    canary_ms: how long others wait for the first user's sign of life (ruling 27), from its start on; then one more tries, and is
    waited for as long, then two, then four. retries within window_ms: their budget.
    rate_ms and usage_ms: how long nobody tries after a limit whose end was not told. longest_ms: a told end further off is
    taken to be this far off, so that a mistake of the service does not hold agents for ever.
    """

    canary_ms: int = 15_000
    retries: int = 20
    window_ms: int = 600_000
    rate_ms: int = 30_000
    usage_ms: int = 1_800_000
    longest_ms: int = 8 * 86_400_000

    def held_ms(self, error_class: str, told_ms: int | None) -> int:
        """How long the others wait after a limit. told_ms: what the service said, None where it said nothing."""
        if told_ms is not None:
            return max(0, min(told_ms, self.longest_ms))
        return self.usage_ms if error_class == "usage_limit" else self.rate_ms


SHARED = SharedPolicy()
LIMIT_CLASSES = frozenset({"rate_limit", "usage_limit"})
"""Errors that hold every user of the sign-in, not the agent alone."""


@dataclass(frozen=True, slots=True)
class RetryContext:
    """What the judgement of a retry rests on beside the end itself.

    attempts_made: of this series, the ended one included (`RunState.series_length`). max_attempts: of the node; 1 where it
    declares no retry. shared_left: retries that the credential's other users leave in its budget; None: no such budget.
    """

    attempts_made: int = 1
    max_attempts: int = 1
    jitter: float = 0.5
    now_ms: int = 0
    shared_left: int | None = None


@dataclass(frozen=True, slots=True)
class RetryDecision:
    """`retry_at_ms`: boot time, only with Hold.TIMER. `why`: in words, empty for a plain end of attempts."""

    hold: Hold
    retry_at_ms: int | None = None
    why: str = ""


def judge_retry(
    reason: EndReason,
    error_class: str,
    context: RetryContext,
    *,
    has_open_effects: bool,
    retry_after_s: float | None = None,
    policy: RetryPolicy = POLICY,
) -> RetryDecision:
    """Whether a failed attempt is followed by another one by itself. error_class: empty where none was told."""
    if reason not in RETRIED_REASONS or error_class not in RETRIED_CLASSES:
        return RetryDecision(Hold.PERSON)
    if context.attempts_made >= context.max_attempts:
        return RetryDecision(Hold.PERSON)
    if has_open_effects:
        return RetryDecision(Hold.PERSON, why="an effect may have happened; look before it is done again")
    if context.shared_left is not None and context.shared_left <= 0:
        return RetryDecision(Hold.PERSON, why="the retries for its credential are used up")
    if (retry_after_s or 0) * 1000 > policy.asked_longest_ms:
        return RetryDecision(Hold.PERSON, why=f"the service asks to wait {int(retry_after_s or 0)} s")
    delay = policy.delay_ms(context.attempts_made, context.jitter, retry_after_s)
    return RetryDecision(Hold.TIMER, context.now_ms + delay)
