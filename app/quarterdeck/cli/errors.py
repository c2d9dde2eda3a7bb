"""What ends a verb early, other than its result.

CliError
├── UsageProblem   the command line cannot be followed; exit 2
└── Refused        the engine refused, or a name fits nothing; carries the Refusal, whose code gives the exit code
"""

from __future__ import annotations

from quarterdeck.domain.refusal import Refusal


class CliError(Exception):
    """Root of the tree; its text is one sentence that says what to do."""


class UsageProblem(CliError):
    """The command line cannot be followed."""


class Refused(CliError):
    """A refusal on its way to the person."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal
