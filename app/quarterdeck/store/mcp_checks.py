"""What is wrong with the MCP servers of an agent in a workflow file; part of `workflow_checks`."""

from __future__ import annotations

from collections.abc import Iterator

from quarterdeck.domain.mcp_servers import KINDS, NAME, SERVERS_MAX
from quarterdeck.store.workflow_json import Fault
from quarterdeck.store.workflow_schema import AgentPart, ServerPart


def server_faults(name: str, agent: AgentPart) -> Iterator[Fault]:
    """Every fault of them, each at its place."""
    path = ("agents", name, "mcp_servers")
    if agent.mcp_servers and agent.kind not in KINDS and not agent.is_told("kind"):
        yield Fault(path, f"an agent of kind {agent.kind} takes no MCP servers; {', '.join(KINDS)} do")
    if len(agent.mcp_servers) > SERVERS_MAX:
        yield Fault(path, f"there are {len(agent.mcp_servers):,} servers; an agent may have {SERVERS_MAX}")
        return
    for server, part in agent.mcp_servers.items():
        said = _said(server, part)
        if said:
            yield Fault((*path, server), said)


def _said(name: str, part: ServerPart) -> str:
    if not NAME.fullmatch(name):
        return "the name of a server may have letters, digits, “_”, “-” and “.”, at most 64"
    if (part.command is None) == (part.url is None):
        return "a server has either a “command” or a “url”"
    if part.url is not None and (part.args or part.env or part.type == "stdio"):
        return (
            "a server with a “url” has “headers” and the type http or sse; “args” and “env” are a command’s"
        )
    if part.command is not None and (part.headers or part.type not in (None, "stdio")):
        return "a server with a “command” has “args” and “env”; “headers” and http are an address’s"
    return ""
