"""Whether the end of a tool call is an answer: one by a signal, or of a turn that was given up, leaves open what the call did (EFF2).

Pure. Programs say it by an exit code, as shells do; nothing is read from it but that a claim is made weaker.
"""

from __future__ import annotations

import signal

BY_SIGNAL = "it was ended by a signal"
WITH_ITS_TURN = "it was given up together with its turn"
ENDED_WITH_IT = "it ended while the agent was being ended"
_OF_A_SHELL = 128
_SIGNALS_MAX = 64
_NO_READER = _OF_A_SHELL + signal.SIGPIPE
"""How a pipeline ends whose reader has enough: it came to its end."""


def is_of_signal(code: object) -> bool:
    """Whether an exit code tells of a signal: 128 and its number, or below 0."""
    if not isinstance(code, int) or isinstance(code, bool) or code == _NO_READER:
        return False
    return code < 0 or _OF_A_SHELL < code <= _OF_A_SHELL + _SIGNALS_MAX
