"""The judgement of an attempt's end (design §4 *Ending*; A15 rows 4, 7, 8, 9, 11; rulings 12, 13, 21).

A leader that ended before `ending` was written counts by its exit, after it by the reason in `ending`. Three facts stay
three: how the process ended, whether the results are durable, what became of effects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.budget_words import BUDGET_REASONS, BUDGET_WORDS
from quarterdeck.domain.outputs import lost_words
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.retry import RetryContext, RetryDecision, judge_retry
from quarterdeck.domain.states import (
    AttemptStatus,
    EndReason,
    Evidence,
    Hold,
    KeeperEnd,
    LeaseStatus,
    SlotState,
)

LINK_BROKEN = (
    "ended by a fault of Quarterdeck, which its log tells: what came of its keeper could not be understood"
)
APP_CLOSED = "app closed"
STALLED = "printed nothing for longer than its stall time-out"
KEEPER_ENDED = "its keeper was ended from outside"
KEEPER_SIGNALLED = "ended by a signal to its keeper"
KEEPER_FAILED = "its keeper met a fault of its own, told in shim-error.txt beside its reports"


@dataclass(frozen=True, slots=True)
class EndFacts:
    """What is known about the end. Make it with `facts_of`.

    exit: the `exit` report or `exit.json`; None where only proof of death is there. ending: reason in the `ending` report,
    empty where none was written. error: the standing error report. stop_reason: of a stop that was journaled. unordered:
    why it was ended where no stop is journaled; nobody wished it, so a retry stays owed (C4). has_keeper_failed: its shim
    left word of a fault of its own. keeper: how it went, where no end was recorded.
    """

    evidence: Evidence
    was_started: bool
    exit: Mapping[str, Any] | None = None
    ending: str = ""
    error: Mapping[str, Any] | None = None
    stop_reason: EndReason | None = None
    unordered: EndReason | None = None
    has_open_effects: bool = False
    results_durable: bool = True
    success_codes: tuple[int, ...] = (0,)
    has_keeper_failed: bool = False
    keeper: KeeperEnd = KeeperEnd.UNSEEN


@dataclass(frozen=True, slots=True)
class Ending:
    """What AttemptEnded is to say; its fields by their names there."""

    status: AttemptStatus
    lease: LeaseStatus
    reason: EndReason
    message: str
    next_state: SlotState
    hold: Hold | None = None
    retry_at_ms: int | None = None
    exit_code: int | None = None
    signal: int | None = None


@dataclass(frozen=True, slots=True)
class NotEnded:
    """Processes are left after the last KILL: journal AttemptLost with these words, never an end (case 29)."""

    message: str
    left: tuple[int, ...] = ()


def facts_of(
    fold: AttemptFold,
    evidence: Evidence,
    *,
    exit_file: Mapping[str, Any] | None = None,
    stop_reason: EndReason | None = None,
    unordered: EndReason | None = None,
    results_durable: bool = True,
    success_codes: tuple[int, ...] = (0,),
    has_keeper_failed: bool = False,
    keeper: KeeperEnd = KeeperEnd.UNSEEN,
) -> EndFacts:
    """The facts as an attempt's reports and its `exit.json` give them; the file outranks the report."""
    seen = exit_file if exit_file is not None else fold.exit
    ending = str((fold.ending or {}).get("reason") or "")
    if not ending and seen is not None and seen.get("after_ending"):
        ending = str(seen.get("reason") or "stop")
    return EndFacts(
        evidence=evidence,
        was_started=fold.started is not None or bool(fold.unread),
        exit=seen,
        ending=ending,
        error=fold.standing_error,
        stop_reason=stop_reason,
        unordered=unordered,
        has_open_effects=fold.has_open_effects,
        results_durable=results_durable and not fold.unread and not lost_words(fold.output_report),
        success_codes=success_codes,
        has_keeper_failed=has_keeper_failed,
        keeper=keeper,
    )


def judge_end(facts: EndFacts, context: RetryContext) -> Ending | NotEnded:
    """The end of an attempt, or that it has not ended. Never infers one of the three facts from another."""
    if _is_left(facts):
        left = tuple((facts.exit or {}).get("left") or ())
        return NotEnded("Could not stop: processes are left after the last kill.", left)
    if facts.exit is None:
        return _proved_dead(facts, context)
    if _told_class(facts) == "spawn" and not facts.was_started:
        message = _told(facts) or "the program could not be started"
        return _failed(facts, EndReason.SPAWN, message, "spawn", context)
    if facts.exit.get("after_ending"):
        return _by_ending(facts, facts.ending, context)
    if not facts.was_started:
        return _never_started(facts)
    return _by_exit(facts, context)


def _is_left(facts: EndFacts) -> bool:
    """Processes outlived the last kill and no other proof says that they ended since."""
    says_left = facts.exit is not None and facts.exit.get("tree_empty") is False
    return facts.evidence is Evidence.COULD_NOT_STOP or (facts.evidence is Evidence.EXIT_FILE and says_left)


def _proved_dead(facts: EndFacts, context: RetryContext) -> Ending:
    """No exit was recorded: by the reason in `ending` if the ladder had begun (ADR 0020, 8), else interrupted (row 11)."""
    if not facts.was_started and facts.evidence is Evidence.NEVER_STARTED:
        return _never_started(
            facts
        )  # with `starting` told and nothing after it, the agent may well have begun
    if facts.ending:
        return _by_ending(facts, facts.ending, context)
    return _interrupted(facts, *_lost_keeper(facts))


def _lost_keeper(facts: EndFacts) -> tuple[str, EndReason]:
    """Words and reason of an end that no keeper told. That the app closed is said only where nobody knows who went first."""
    if facts.has_keeper_failed:
        return KEEPER_FAILED, EndReason.KEEPER_LOST
    if facts.unordered is EndReason.LINK_BROKEN:
        return LINK_BROKEN, EndReason.LINK_BROKEN
    if facts.keeper is KeeperEnd.UNSAID:
        return KEEPER_ENDED, EndReason.KEEPER_LOST
    words = {
        Evidence.OTHER_BOOT: "the machine was restarted",
        Evidence.NAMESPACE_GONE: "its process was killed from outside",
        Evidence.NO_TRACE: "no trace of its process was found",
    }
    reason = EndReason.APP_CLOSED if facts.keeper is KeeperEnd.UNSEEN else EndReason.KEEPER_LOST
    return words.get(facts.evidence, "interrupted"), reason


def _by_ending(facts: EndFacts, ending: str, context: RetryContext) -> Ending:
    """By why the ladder was begun; a reason that this version does not know was somebody's order to stop."""
    if ending == "timeout":
        return _failed(facts, EndReason.TIMEOUT, "ran longer than its time limit", "", context)
    if ending == "stall":
        return _failed(facts, EndReason.TIMEOUT, STALLED, "", context)
    if ending == "lost_app" and facts.stop_reason is None and facts.unordered is EndReason.LINK_BROKEN:
        return _interrupted(facts, LINK_BROKEN, EndReason.LINK_BROKEN)
    if ending == "lost_app":
        return _interrupted(facts, APP_CLOSED)
    if ending == "signal":
        # Where nobody saw it go, the same signal may have ended the app: a logout sends it to both.
        is_closing = facts.stop_reason is EndReason.APP_CLOSED or facts.keeper is KeeperEnd.UNSEEN
        return _interrupted(
            facts, KEEPER_SIGNALLED, EndReason.APP_CLOSED if is_closing else EndReason.KEEPER_LOST
        )
    return _stopped(facts, ending)


def _by_exit(facts: EndFacts, context: RetryContext) -> Ending:
    """Rows 8 and 9. An error that stands outranks an exit of 0 (case 82). How a program ended whose work was over, and that may
    have been ended because it only waited for more, says nothing.
    """
    code, signal = _code_and_signal(facts.exit)
    was_over = bool((facts.exit or {}).get("over"))
    told = _told_class(facts)
    if told == "auth":
        return _failed(facts, EndReason.SIGN_IN, _told(facts) or "sign-in failed", told, context)
    if not was_over and (signal is not None or code not in facts.success_codes):
        message = _told(facts) or _exit_words(code, signal)
        return _failed(facts, EndReason.EXIT, message, told, context)
    if facts.error is not None:
        return _failed(facts, EndReason.AGENT_ERROR, _told(facts) or f"the agent said: {told}", told, context)
    if not facts.results_durable:
        message = "finished, but its results could not be kept"
        return _failed(facts, EndReason.RESULTS_NOT_DURABLE, message, told, context)
    return Ending(
        AttemptStatus.SUCCEEDED, LeaseStatus.RELEASED, EndReason.EXIT, "", SlotState.DONE, exit_code=code
    )


# ------------------------------------------------------------------------------------------- the kinds of end


def _failed(
    facts: EndFacts, reason: EndReason, message: str, error_class: str, context: RetryContext
) -> Ending:
    after = _number((facts.error or {}).get("retry_after_s"))
    decision = judge_retry(
        reason, error_class, context, has_open_effects=facts.has_open_effects, retry_after_s=after
    )
    if decision.hold is Hold.TIMER and facts.stop_reason is not None:
        decision = RetryDecision(Hold.PERSON, why="not tried again, as it was to stop")
    code, signal = _code_and_signal(facts.exit)
    lease = LeaseStatus.REVOKED if reason is EndReason.TIMEOUT else LeaseStatus.RELEASED
    words = f"{message}; {decision.why}" if decision.why else message
    return Ending(
        AttemptStatus.FAILED,
        lease,
        reason,
        words,
        SlotState.RETRY_WAIT,
        decision.hold,
        decision.retry_at_ms,
        code,
        signal,
    )


def _stopped(facts: EndFacts, ending: str) -> Ending:
    reason = facts.stop_reason or facts.unordered or EndReason.PERSON
    if ending == "cap":
        reason = EndReason.BUDGET
    elif ending == "turns":
        reason = EndReason.TURNS
    elif ending in BUDGET_REASONS:
        reason = BUDGET_REASONS[ending]
    words = {
        EndReason.BUDGET: "its spending cap was reached",
        EndReason.TURNS: "its limit of turns was reached",
        **BUDGET_WORDS,
        EndReason.APP_CLOSED: APP_CLOSED,
        EndReason.NOBODY_THERE: "asked a question and nobody was there to answer",
        EndReason.TIME_OVER: "the time for finishing was over",
    }
    if reason is EndReason.APP_CLOSED:
        return _interrupted(facts, APP_CLOSED)
    return _held(
        facts, AttemptStatus.STOPPED, LeaseStatus.REVOKED, reason, words.get(reason, "stopped by you")
    )


def _interrupted(facts: EndFacts, message: str, reason: EndReason = EndReason.APP_CLOSED) -> Ending:
    lease = LeaseStatus.EXPIRED_PROVED
    return _held(facts, AttemptStatus.INTERRUPTED, lease, reason, message)


def _never_started(facts: EndFacts) -> Ending:
    lease = LeaseStatus.EXPIRED_PROVED
    return _held(facts, AttemptStatus.NEVER_STARTED, lease, EndReason.NEVER_STARTED, "never started")


def _held(
    facts: EndFacts, status: AttemptStatus, lease: LeaseStatus, reason: EndReason, message: str
) -> Ending:
    code, signal = _code_and_signal(facts.exit)
    return Ending(
        status, lease, reason, message, SlotState.RETRY_WAIT, Hold.PERSON, exit_code=code, signal=signal
    )


# ------------------------------------------------------------------------------------------- words

_SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    13: "SIGPIPE",
    15: "SIGTERM",
    24: "SIGXCPU",
    25: "SIGXFSZ",
}
"""Names of the usual ones on Linux; the module that knows them all loads the platform."""


def _told_class(facts: EndFacts) -> str:
    return str((facts.error or {}).get("class") or "") if facts.error is not None else ""


def _told(facts: EndFacts) -> str:
    """The error's own words, with the time of a limit's reset where it was told (cases 49, 80)."""
    if facts.error is None:
        return ""
    message = str(facts.error.get("message") or "").strip()
    resets_at = facts.error.get("resets_at")
    return f"{message} (resets at {resets_at})" if message and resets_at else message


def _code_and_signal(seen: Mapping[str, Any] | None) -> tuple[int | None, int | None]:
    if seen is None:
        return None, None
    code, signal = seen.get("code"), seen.get("signal")
    return (int(code) if code is not None else None), (int(signal) if signal is not None else None)


def _exit_words(code: int | None, signal: int | None) -> str:
    if signal is None:
        return f"exit {code}"
    return f"ended by {_SIGNALS.get(signal, f'signal {signal}')}"


def _number(value: object) -> float | None:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and isinstance(value, (int, float)) and value >= 0 else None
