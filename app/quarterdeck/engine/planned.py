"""Values of the door about workflows before they run: a file that loads or does not, and what a launch of it would start (ruling 26).

Plain values; nothing here reads or starts anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from quarterdeck.domain.ids import Revision
from quarterdeck.domain.workflow import Workflow


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of a workflow file: `place` is a JSON path such as `$.nodes[2].agent`; `line` counts from 1, 0 unknown."""

    place: str
    line: int
    message: str
    warning: bool = False


@dataclass(frozen=True, slots=True)
class LoadedWorkflow:
    """A file that loads. `warnings` name unknown keys; `not_built` names parts that a launch refuses (exit 2)."""

    path: Path
    workflow: Workflow
    warnings: tuple[Problem, ...] = ()
    not_built: tuple[Problem, ...] = ()
    revision: Revision | None = None
    """What a launch of the file, as it was read, pins."""


@dataclass(frozen=True, slots=True)
class BrokenWorkflow:
    """A file that does not load, with all of its problems at once."""

    path: Path
    problems: tuple[Problem, ...]

    def __bool__(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class TrustAsked:
    """A content that was never launched from this folder: a person reads what it would start before it does (ruling 26)."""

    content: Revision
    folder: str


@dataclass(frozen=True, slots=True)
class PlannedCommand:
    """A command that a launch would start, and where: shown before it is agreed to (ruling 26)."""

    node_title: str
    agent: str
    kind: str
    argv: tuple[str, ...]
    cwd: str
    program: str | None
    """Absolute path of `argv[0]`, or of the program of its kind, as found now; None where it is missing or comes with Quarterdeck."""


@dataclass(frozen=True, slots=True)
class PlannedServer:
    """An MCP server that an agent would be handed. line: its command or address, references to variables as they are written."""

    agent: str
    name: str
    line: str


@dataclass(frozen=True, slots=True)
class PlannedGrant:
    """What an agent is given beside its command. what: as the file calls it. text: plain values, or where secrets come from; no secret."""

    agent: str
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class FoundSettings:
    """Settings that an agent's program reads where it works. digest: SHA-256 of the file, empty where it cannot be read.
    starts: commands, addresses and plugins in it; more: how many of them are left out. is_readable: False where what it starts is not known.
    """

    path: Path
    digest: str
    starts: tuple[str, ...]
    more: int = 0
    is_readable: bool = True


@dataclass(frozen=True, slots=True)
class LaunchPreview:
    """What a launch would do, without doing it."""

    loaded: LoadedWorkflow
    outcome: str
    commands: tuple[PlannedCommand, ...]
    content: bytes
    trust: TrustAsked | None = None
    """None where nothing is asked: it was launched from there before, or starts practice agents alone."""
    servers: tuple[PlannedServer, ...] = ()
    instructions: tuple[Path, ...] = ()
    """AGENTS.md and the like above the agents' folders, which their programs read by themselves; nearest first."""
    alternatives: tuple[PlannedCommand, ...] = ()
    """Of nodes that may be given to another agent: those that a person may choose later. They are trusted with the rest."""
    grants: tuple[PlannedGrant, ...] = ()
    settings: tuple[FoundSettings, ...] = ()
    """`.mcp.json`, `.claude/settings.json` and the like there; their contents are part of what is trusted."""
