"""Any program as an agent: a text command, or one that speaks the lines protocol (design §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.launching import Ask, Launch, Program
from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.agents.text_command import TextCommand


def _launch(ask: Ask) -> Launch:
    stdin = "open" if ask.spec.protocol == "lines" else "prompt"
    return Launch(ask.argv, ask.spec.protocol, stdin)


def _adapter(protocol: str, _wire: Mapping[str, Any]) -> Adapter:
    return LinesProtocol() if protocol == "lines" else TextCommand()


PROGRAM = Program(_launch, _adapter, wants_words=False)
