"""How the bundled practice agent is launched. The program itself is `practice_program.py`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.launching import Ask, Launch, Program
from quarterdeck.agents.lines_protocol import LinesProtocol

OWN_PROGRAM = Path(__file__).with_name("practice_program.py")
FROZEN_SWITCH = "--quarterdeck-practice-agent"
"""What a packaged program is called with instead; its entry point must answer to it."""


def practice_argv() -> tuple[str, ...]:
    """The command of a practice agent: no model, no network, no cost."""
    if getattr(sys, "frozen", False):
        return (sys.executable, FROZEN_SWITCH)
    return (sys.executable, "-I", "-S", str(OWN_PROGRAM))


def _launch(_ask: Ask) -> Launch:
    return Launch(practice_argv(), "lines", "open", is_practice=True)


def _adapter(_protocol: str, _wire: Mapping[str, Any]) -> Adapter:
    return LinesProtocol()


PROGRAM = Program(_launch, _adapter, name=lambda _spec: "", wants_words=False)
