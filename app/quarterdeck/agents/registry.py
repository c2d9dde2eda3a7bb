"""Which module speaks with which kind of agent: a table, one line a kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.agents import (
    acp_agent,
    acp_said,
    claude_code,
    claude_said,
    codex,
    codex_said,
    command,
    gemini,
    opencode,
    opencode_said,
    practice,
)
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.launching import Ask, Launch, Program, UnknownKind
from quarterdeck.agents.said import LineReader
from quarterdeck.domain.workflow import AgentSpec

PROGRAMS: Mapping[str, Program] = {
    "acp": acp_agent.PROGRAM,
    "claude-code": claude_code.PROGRAM,
    "codex": codex.PROGRAM,
    "command": command.PROGRAM,
    "gemini": gemini.PROGRAM,
    "opencode": opencode.PROGRAM,
    "practice": practice.PROGRAM,
}
"""The same kinds as `domain.workflow.AGENT_KINDS`."""

LINE_READERS: Mapping[str, LineReader] = {
    "acp": acp_said.parts_of,
    "claude": claude_said.parts_of,
    "codex": codex_said.parts_of,
    "opencode": opencode_said.parts_of,
}
"""{protocol of a launch: what says what a line of it means}, of the wires that are nobody's text; read by the engine alone."""


def program_of(kind: str) -> Program:
    """What is known about that kind. Raises UnknownKind."""
    program = PROGRAMS.get(kind)
    if program is None:
        raise UnknownKind(kind)
    return program


def launch_of(ask: Ask) -> Launch:
    """How an agent is launched. Raises CannotLaunch, UnknownKind."""
    return program_of(ask.spec.kind).launch(ask)


def adapter_for(kind: str, protocol: str, wire: Mapping[str, Any]) -> Adapter:
    """A fresh adapter for one attempt. Raises UnknownKind."""
    return program_of(kind).adapter(protocol, wire)


def program_name(spec: AgentSpec) -> str:
    """The program that is looked for; empty where the kind brings its own, or is not known."""
    program = PROGRAMS.get(spec.kind)
    return "" if program is None else program.name(spec)


def switches_of(kind: str) -> tuple[str, ...]:
    """What switches telemetry and self-updates of its program off: `NAME=value`, or a setting of its command line."""
    program = PROGRAMS.get(kind)
    if program is None:
        return ()
    return (*(f"{name}={value}" for name, value in program.quiet.items()), *program.quiet_settings)


def settings_of(kind: str) -> tuple[str, ...]:
    """What its program may read in a folder by itself (`Program.settings`); of an `acp` agent, which may be any program, everybody's."""
    if kind == "acp":
        known = [*(one for name, one in PROGRAMS.items() if name != "acp"), PROGRAMS["acp"]]
        return tuple(dict.fromkeys(name for program in known for name in program.settings))
    program = PROGRAMS.get(kind)
    return () if program is None else program.settings


def programs_looked_for() -> tuple[str, ...]:
    """The names of all programs that a look at this computer seeks, in the order of the alphabet."""
    return tuple(sorted(name for program in PROGRAMS.values() for name in program.looked_for))


def wants_words(kind: str) -> bool:
    """Whether an agent of that kind is told everything in its prompt."""
    program = PROGRAMS.get(kind)
    return program is not None and program.wants_words
