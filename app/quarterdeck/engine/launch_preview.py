"""What a launch would hand to agents beside their commands: MCP servers, and instructions that their programs find. Blocking."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from quarterdeck.domain.mcp_servers import KINDS, server_line
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.instructions import instructions_above
from quarterdeck.engine.planned import PlannedCommand, PlannedGrant, PlannedServer
from quarterdeck.engine.programs import used_agents


def planned_servers(workflow: Workflow) -> Iterator[PlannedServer]:
    """Those of every agent that a node may be given to."""
    for name in used_agents(workflow):
        for server, told in workflow.agents[name].mcp_servers.items():
            yield PlannedServer(name, server, server_line(told))


def planned_grants(workflow: Workflow) -> Iterator[PlannedGrant]:
    """Of every agent that a node may be given to: variables, secrets by where they come from, and what it may do unasked."""
    for name in used_agents(workflow):
        agent = workflow.agents[name]
        told = {
            "env": "; ".join(f"{key}={value}" for key, value in agent.env),
            "secrets": "; ".join(f"{key} from {source}" for key, source in agent.secrets),
            "pass_env": "; ".join(agent.pass_env),
            "credential": agent.credential or "",
            "permissions": agent.permissions or agent.mode or "",
        }
        yield from (PlannedGrant(name, what, text) for what, text in told.items() if text)


def instructions_of(commands: Iterable[PlannedCommand]) -> Iterator[Path]:
    """Each file once, for agents whose programs read such files; a folder that is not known yet has none."""
    seen: set[Path] = set()
    for command in commands:
        if command.kind in KINDS and os.path.isabs(command.cwd):
            for path in instructions_above(Path(command.cwd)):
                if path not in seen:
                    seen.add(path)
                    yield path
