"""What a launch would hand to agents beside their commands: MCP servers, and instructions that their programs find. Blocking."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from quarterdeck.domain.mcp_servers import KINDS, server_line
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.door import PlannedCommand, PlannedServer
from quarterdeck.engine.instructions import instructions_above
from quarterdeck.engine.programs import used_agents


def planned_servers(workflow: Workflow) -> Iterator[PlannedServer]:
    """Those of every agent that a node may be given to."""
    for name in used_agents(workflow):
        for server, told in workflow.agents[name].mcp_servers.items():
            yield PlannedServer(name, server, server_line(told))


def instructions_of(commands: Iterable[PlannedCommand]) -> Iterator[Path]:
    """Each file once, for agents whose programs read such files; a folder that is not known yet has none."""
    seen: set[Path] = set()
    for command in commands:
        if command.kind in KINDS and os.path.isabs(command.cwd):
            for path in instructions_above(Path(command.cwd)):
                if path not in seen:
                    seen.add(path)
                    yield path
