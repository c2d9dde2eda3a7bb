"""How an agent is launched: what the engine knows (Ask), and what the module of its program makes of it (Launch). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quarterdeck.agents.adapter import Adapter
from quarterdeck.domain.workflow import AgentSpec


class CannotLaunch(ValueError):
    """An agent cannot be launched as its specification says; the text is one sentence for a person."""


class UnknownKind(CannotLaunch):
    """No adapter of this version speaks with that kind; the launch should have been refused."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"Agents of the kind “{kind}” cannot be started by this version.")


@dataclass(frozen=True, slots=True)
class Ask:
    """What the engine knows when it launches an agent."""

    spec: AgentSpec
    argv: tuple[str, ...] = ()
    """`argv` of the specification, rendered; its first item is `program` where there is one."""
    program: str = ""
    """The absolute path of the program as it was found; empty for an agent that brings its own."""
    prompt: str = ""
    """What the agent is told: of a command its prompt, of every other program our own words around it as well."""
    cwd: str = ""
    session: str | None = None
    """The program's own session that is to be continued; None begins a new one."""
    new_session: str = ""
    """A UUID made for this attempt, for programs that let us choose the id of their session."""
    key_variable: str = ""
    """The variable in which a person's key is handed over to it (`credential`); empty: it signs in by itself."""
    provider: str = ""
    endpoint: str = ""
    """The service that the key is for, and the base URL where it is used, if that is not the service's own."""
    is_quiet: bool = True
    """Whether its program's telemetry and self-updates are switched off; a person can allow them."""


class Launch(NamedTuple):
    """The parts of launch.json that the kind of an agent decides."""

    argv: tuple[str, ...]
    protocol: str
    """`text`, `lines`, or the name of the program's own wire: `claude`, `codex`, `opencode`, `acp`."""
    stdin: str
    """`prompt`: the prompt, then end of file; `open`: open for what the adapter says; `null`."""
    is_practice: bool = False
    env: Mapping[str, str] = {}
    """Switches for telemetry and self-updates (`Program.quiet`), and what else its program needs. What the specification's own `env`
    says outranks them.
    """
    wire: Mapping[str, Any] = {}
    """What the adapter needs to know, as plain JSON without secrets."""


def quiet_env(ask: Ask, switches: Mapping[str, str]) -> Mapping[str, str]:
    """The switches, where they are to be set."""
    return switches if ask.is_quiet else {}


@dataclass(frozen=True, slots=True)
class Program:
    """One kind of agent: all that is known about its program, one value in each module of this room."""

    launch: Callable[[Ask], Launch]
    """May raise CannotLaunch."""
    adapter: Callable[[str, Mapping[str, Any]], Adapter]
    """A fresh adapter by (protocol, wire) of the launch."""
    name: Callable[[AgentSpec], str] = lambda spec: spec.argv[0] if spec.argv else ""
    """The program that is looked for on the PATH; empty for a kind that brings its own."""
    looked_for: tuple[str, ...] = ()
    """The programs that a look at this computer seeks for it."""
    quiet: Mapping[str, str] = field(default_factory=dict)
    """Variables that switch its telemetry and its self-updates off; set where `Ask.is_quiet`."""
    quiet_settings: tuple[str, ...] = ()
    """The same, of a program that takes them as settings of its command line."""
    settings: tuple[str, ...] = ()
    """Files that it reads by itself in the folder where it works or above, and that may start things; with patterns (ruling 26)."""
    wants_words: bool = True
    """Whether it is told outcome, inputs and what earlier attempts did in its prompt; otherwise it reads the files of design §7."""
