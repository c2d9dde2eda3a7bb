"""A refusal is a value with a code: the user's news, never an exception (style 13)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """Every code with which a command can be refused."""

    E_TENANT = "E_TENANT"
    E_RUN = "E_RUN"
    E_SLOT = "E_SLOT"
    E_SLOT_STATE = "E_SLOT_STATE"
    E_NO_PRIOR = "E_NO_PRIOR"
    E_WORKER_NOT_TERMINAL = "E_WORKER_NOT_TERMINAL"
    E_LEASE_NOT_TERMINAL = "E_LEASE_NOT_TERMINAL"
    E_REASON = "E_REASON"
    E_ACTOR = "E_ACTOR"
    E_NO_COMPATIBLE_SPEC = "E_NO_COMPATIBLE_SPEC"
    E_NOT_CLAIMABLE = "E_NOT_CLAIMABLE"
    E_ALREADY_CLAIMED = "E_ALREADY_CLAIMED"
    E_CRED_REMEMBERED = "E_CRED_REMEMBERED"
    E_CAPACITY = "E_CAPACITY"
    E_STORE = "E_STORE"
    E_PIN_MISSING = "E_PIN_MISSING"
    E_UNTRUSTED = "E_UNTRUSTED"
    E_ATTEMPT_STATE = "E_ATTEMPT_STATE"
    E_SURVIVOR = "E_SURVIVOR"
    E_TERMINAL = "E_TERMINAL"
    E_IMMUTABLE = "E_IMMUTABLE"
    E_BUDGET = "E_BUDGET"
    E_INPUT = "E_INPUT"
    """A launch input is missing or of the wrong type."""
    E_WORKFLOW = "E_WORKFLOW"
    """The workflow file does not load; `problems` in `detail` list each with its place."""
    E_NOT_BUILT = "E_NOT_BUILT"
    """The file uses a part of the format that this version does not build yet."""
    E_REQUEST = "E_REQUEST"
    """No such open question, or it was answered already."""
    E_OWNER = "E_OWNER"
    """The process that owns the run does not answer."""
    E_CREDENTIAL = "E_CREDENTIAL"
    """The credentials list or the keyring did not take it, or does not have it."""
    E_EFFECT = "E_EFFECT"
    """No such effect, or one that is settled by the agent's own word."""
    E_PROCESS = "E_PROCESS"
    """No such process of that attempt is alive, or it may not be ended by us."""
    E_AMBIGUOUS = "E_AMBIGUOUS"
    """A shortened run id fits several runs."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a command was refused. `message` is one sentence that says what to do; `detail` names ids and states."""

    code: Code
    message: str
    detail: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        """A refusal is falsy, so that `if result:` reads as success."""
        return False
