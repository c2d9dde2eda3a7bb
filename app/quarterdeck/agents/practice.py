"""How the bundled practice agent is launched. The program itself is `practice_program.py`."""

from __future__ import annotations

import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("practice_program.py")
FROZEN_SWITCH = "--quarterdeck-practice-agent"
"""What a packaged program is called with instead; its entry point must answer to it."""


def practice_argv() -> tuple[str, ...]:
    """The command of a practice agent: no model, no network, no cost."""
    if getattr(sys, "frozen", False):
        return (sys.executable, FROZEN_SWITCH)
    return (sys.executable, "-I", "-S", str(PROGRAM))
