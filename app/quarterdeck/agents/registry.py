"""Which adapter speaks with which kind of agent, and how a kind is launched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.agents.practice import practice_argv
from quarterdeck.agents.text_command import TextCommand
from quarterdeck.domain.workflow import BUILT_AGENT_KINDS, AgentSpec

BUILT = frozenset(BUILT_AGENT_KINDS)


class UnknownKind(ValueError):
    """No adapter of this version speaks with that kind; the launch should have been refused."""


class Launch(NamedTuple):
    """The parts of launch.json that the kind of an agent decides."""

    argv: tuple[str, ...]
    protocol: str
    """`text` or `lines`."""
    stdin: str
    """`prompt`: the prompt, then end of file; `open`: open for answers; `null`."""
    is_practice: bool


def launch_of(spec: AgentSpec, argv: Sequence[str]) -> Launch:
    """How an agent is launched; `argv` is the rendered command of a `command` agent. Raises UnknownKind."""
    if spec.kind == "practice":
        return Launch(practice_argv(), "lines", "open", True)
    if spec.kind == "command":
        stdin = "open" if spec.protocol == "lines" else "prompt"
        return Launch(tuple(argv), spec.protocol, stdin, False)
    raise UnknownKind(spec.kind)


def adapter_for(kind: str, protocol: str) -> Adapter:
    """A fresh adapter for one attempt. Raises UnknownKind."""
    if kind not in BUILT:
        raise UnknownKind(kind)
    return LinesProtocol() if protocol == "lines" or kind == "practice" else TextCommand()
