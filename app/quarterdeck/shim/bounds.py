"""What one agent may spend and how many turns it may take, judged by the folded figures. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.domain.money import parse_usd
from quarterdeck.shim.launch import LaunchSpec
from quarterdeck.shim.report_stream import ReportStream


class Bounds:
    """The cap of a launch, which the app may set anew, and its limit of turns, which acts whether or not a price is known."""

    def __init__(self, spec: LaunchSpec) -> None:
        self._cap_usd, self._cap_of, self._max_turns = spec.cap_usd, spec.cap_of, spec.max_turns

    def set_cap(self, command: Mapping[str, Any]) -> None:
        """Another cap, or none; `of`: whose rest it is."""
        self._cap_usd, self._cap_of = parse_usd(command.get("cap_usd")), str(command.get("of") or "cap")

    def passed(self, stream: ReportStream) -> str | None:
        """The reason that `ending` gives, once one of them is reached; None before."""
        if self._cap_usd is not None:
            spent_usd = stream.cost_usd()
            if spent_usd is not None and spent_usd >= self._cap_usd:
                return self._cap_of
        return "turns" if self._max_turns is not None and stream.turns > self._max_turns else None
