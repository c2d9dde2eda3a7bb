"""MCP servers of an agent, as `.mcp.json` spells them: {name: {"command", "args", "env"} or {"type", "url", "headers"}}. Pure.

Values are references to variables (`${NAME}`, `${NAME:-default}`) and stay such in files, pins and previews; they are filled in by
the agent's program, or at the last moment on the wire to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

KINDS = ("acp", "claude-code", "codex", "gemini", "opencode")
"""Kinds of agents that are handed MCP servers."""
TRANSPORTS = ("stdio", "http", "sse")
SERVERS_MAX = 100
NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")

Server = Mapping[str, Any]
Servers = Mapping[str, Server]


class VariableMissing(LookupError):
    """A variable that a server refers to is not set, and has no default. The text is its name."""


def variables_of(servers: Servers) -> tuple[str, ...]:
    """The variables that the servers refer to, each once, in order."""
    found = (
        match[1]
        for server in servers.values()
        for text in _texts(server)
        for match in REFERENCE.finditer(text)
    )
    return tuple(dict.fromkeys(found))


def filled(servers: Servers, environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The servers with every reference filled in; for a wire, never for a file. Raises VariableMissing."""

    def of(match: re.Match[str]) -> str:
        value = environ.get(match[1], match[2])
        if value is None:
            raise VariableMissing(match[1])
        return value

    def fill(value: Any) -> Any:
        match value:
            case str():
                return REFERENCE.sub(of, value)
            case Mapping():
                return {key: fill(inner) for key, inner in value.items()}
            case list() | tuple():
                return [fill(inner) for inner in value]
            case _:
                return value

    return {name: fill(server) for name, server in servers.items()}


def server_line(server: Server) -> str:
    """What it is on one line: the command with its arguments, or the address."""
    if server.get("url"):
        return str(server["url"])
    return " ".join([str(server.get("command", "")), *map(str, server.get("args") or ())])


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
