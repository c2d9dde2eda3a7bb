"""Exit codes (design §8), and what they follow from: refusals, views, attempts."""

from __future__ import annotations

from typing import Final

from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.domain.views import RunView

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
STOPPED: Final = 3
WAITS_FOR_PERSON: Final = 4
REFUSED: Final = 5
STORE: Final = 6
INTERNAL: Final = 70
"""A fault of Quarterdeck itself, of which the log tells; never what became of an agent."""
OUTPUT_LOST: Final = 74
"""What was done stands, but the answer could not be written: a full disk, for one."""
CTRL_C: Final = 130

_USAGE_CODES = frozenset({Code.E_INPUT, Code.E_WORKFLOW, Code.E_NOT_BUILT, Code.E_AMBIGUOUS})


def of_lost_output(code: int) -> int:
    """The code of a call whose answer is lost: never *done*, but what went wrong before it stays what is said."""
    return OUTPUT_LOST if code == DONE else code


def of_refusal(refusal: Refusal) -> int:
    """2 where the file or the words were wrong, 6 where the store cannot be written, else 5: a guard."""
    if refusal.code in _USAGE_CODES:
        return USAGE
    return STORE if refusal.code is Code.E_STORE else REFUSED


def of_run(view: RunView) -> int:
    """The code that the run's end journaled; by its outcome where there is none (a run that recovery ended)."""
    if view.exit_code is not None:
        return view.exit_code
    match view.outcome:
        case Outcome.COMPLETED:
            return DONE
        case Outcome.FAILED:
            return FAILED
        case _:
            return STOPPED


def of_attempt(status: AttemptStatus) -> int:
    """For `claim` and `resume` on a run that goes on: how that one attempt ended."""
    match status:
        case AttemptStatus.SUCCEEDED:
            return DONE
        case AttemptStatus.FAILED:
            return FAILED
        case _:
            return STOPPED
