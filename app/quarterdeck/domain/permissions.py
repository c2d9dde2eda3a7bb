"""What a person may choose when an agent asks, and what the agent is then told. Pure words, no state.

A question that can be allowed once can be allowed for the run as well: that is a promise of Quarterdeck, which answers
later byte-identical requests of the same slot itself. The agent is told one of its own options, whatever was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence

DENY, ALLOW_ONCE, ALLOW_FOR_RUN = "Deny", "Allow once", "Allow for this run"
PERMISSION_OPTIONS = (DENY, ALLOW_ONCE, ALLOW_FOR_RUN)
"""The options with which an adapter tells a permission request; it then answers its program by the one that was chosen.
ALLOW_FOR_RUN is to its program as ALLOW_ONCE: what is asked again is asked again, and answered here.
"""
_ONCE = frozenset({"allow once", "allow"})
_FOR_RUN = frozenset({"allow for this run", "allow for run"})


def choices_of(options: Sequence[str]) -> tuple[str, ...]:
    """The agent's own options; and ALLOW_FOR_RUN behind them, where it offers to allow and has no such option itself."""
    can_allow = any(_folded(option) in _ONCE for option in options)
    has_own = any(is_for_run(option) for option in options)
    return (*options, ALLOW_FOR_RUN) if can_allow and not has_own else tuple(options)


def gives_leave(options: Sequence[str]) -> bool:
    """Whether one of the options lets the agent do something; else it asks about something else."""
    return any(_folded(option) in _ONCE or is_for_run(option) for option in options)


def is_for_run(choice: str) -> bool:
    """Whether later byte-identical requests are answered the same way."""
    return _folded(choice) in _FOR_RUN


def told_to_agent(options: Sequence[str], choice: str) -> str:
    """What the agent hears: its own option, or the one that allows once, where ALLOW_FOR_RUN is ours."""
    if choice in options or not is_for_run(choice):
        return choice
    return next((option for option in options if _folded(option) in _ONCE), choice)


def _folded(option: str) -> str:
    return " ".join(option.split()).casefold()
