"""Every state word of the machine (A15), as enumerations whose values are what files and `--json` say."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """Phase of a run. A run is live exactly in LIVE (rulings 1 and 8)."""

    CREATED = "created"
    LIVE = "live"
    ENDED = "ended"
    CLOSED = "closed"


class Outcome(StrEnum):
    """How a run ended; the first that fits by ruling 1."""

    COMPLETED = "completed"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"


class SlotState(StrEnum):
    """State of a slot. ACTIVE and HELD are projections of the join of journal and reports; never journaled."""

    PENDING = "pending"
    CLAIMED = "claimed"
    ACTIVE = "active"
    HELD = "held"
    RETRY_WAIT = "retry_wait"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AttemptStatus(StrEnum):
    """Status of an attempt. RUNNING, PAUSED, STOPPING are projections; the last five are terminal."""

    STARTING = "starting"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    LOST = "lost"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    NEVER_STARTED = "never_started"


TERMINAL_ATTEMPT = frozenset(
    {
        AttemptStatus.SUCCEEDED,
        AttemptStatus.FAILED,
        AttemptStatus.STOPPED,
        AttemptStatus.INTERRUPTED,
        AttemptStatus.NEVER_STARTED,
    }
)


def status_word(status: AttemptStatus | None) -> str:
    """What a sentence calls it, with the words of the window; None: nothing has started."""
    if status is None:
        return "not started"
    return "done" if status is AttemptStatus.SUCCEEDED else status.value.replace("_", " ")


class LeaseStatus(StrEnum):
    """Status of a lease; the last three are terminal (LSE4)."""

    GRANTED = "granted"
    SUSPECT = "suspect"
    RELEASED = "released"
    REVOKED = "revoked"
    EXPIRED_PROVED = "expired_proved"


TERMINAL_LEASE = frozenset({LeaseStatus.RELEASED, LeaseStatus.REVOKED, LeaseStatus.EXPIRED_PROVED})


class EffectState(StrEnum):
    """State of an effect. The first four are reported by the agent; the rest are judged or settled."""

    INTENDED = "intended"
    SENT = "sent"
    CONFIRMED = "confirmed"
    REFUSED = "refused"
    UNKNOWN = "unknown"
    ABSENT = "absent"
    ACCEPTED_BY_PERSON = "accepted_by_person"


class Hold(StrEnum):
    """Why a slot in RETRY_WAIT waits."""

    TIMER = "timer"
    """A timed retry inside the sitting (C4)."""
    PERSON = "person"
    """Nothing happens until a person acts."""


class EndReason(StrEnum):
    """Why an attempt ended, beside its status."""

    EXIT = "exit"
    """The agent ended by itself; `exit_code` or `signal` says how."""
    SPAWN = "spawn"
    """The program could not be started; the message names it."""
    TIMEOUT = "timeout"
    BUDGET = "budget"
    PERSON = "person"
    TURNS = "turns"
    """It began a turn more than it may."""
    RUN_BUDGET = "run_budget"
    WORKFLOW_BUDGET = "workflow_budget"
    """What all runs of the workflow may spend together is spent."""
    NIGHT_BUDGET = "night_budget"
    """What all runs may spend since the night's time of day is spent."""
    APP_CLOSED = "app_closed"
    """The app or terminal that owned the run went away."""
    KEEPER_LOST = "keeper_lost"
    """Its keeper was ended, or met a fault of its own, and did not see the agent's end; the app was there."""
    LINK_BROKEN = "link_broken"
    """What its keeper sent could not be understood, so that it was let go."""
    NOBODY_THERE = "nobody_there"
    """It asked where nobody was there to answer."""
    TIME_OVER = "time_over"
    """The app was to close, and the time that was given for finishing was over."""
    SIGN_IN = "sign_in"
    AGENT_ERROR = "agent_error"
    """The agent said `error` and ended well; or said it was wrong (case 82)."""
    RESULTS_NOT_DURABLE = "results_not_durable"
    NEVER_STARTED = "never_started"


class ErrorClass(StrEnum):
    """What kind of error an agent or its keeper told (lines protocol, `error`). Words of other versions are kept as told."""

    AUTH = "auth"
    RATE_LIMIT = "rate_limit"
    USAGE_LIMIT = "usage_limit"
    OVERLOADED = "overloaded"
    INVALID = "invalid"
    OTHER = "other"
    SPAWN = "spawn"
    """The keeper's own: the program could not be started."""
    BEYOND_LIMITS = "beyond_limits"
    """Ours: more was told than is kept at hand."""


class KeeperEnd(StrEnum):
    """How an attempt's keeper went, as far as whoever judges the attempt knows. Never stored."""

    UNSEEN = "unseen"
    """Nobody was there to see: the app may have gone before it."""
    SAID = "said"
    """It said that it leaves."""
    UNSAID = "unsaid"
    """It went without a word while the app was there, which nothing but an end from outside does."""


class Evidence(StrEnum):
    """How the end of an attempt is known (design §4, proof of death), strongest first."""

    EXIT_FILE = "exit_file"
    """`exit.json` with `tree_empty`."""
    OTHER_BOOT = "other_boot"
    NAMESPACE_GONE = "namespace_gone"
    NO_TRACE = "no_trace"
    """Shim identity gone, lease free, no marked process: shown as `no trace found`."""
    NEVER_STARTED = "never_started"
    COULD_NOT_STOP = "could_not_stop"
    """Not an end: processes are left after the last KILL; shown as such, never as stopped."""
