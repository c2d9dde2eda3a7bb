"""Files that list MCP servers: `.mcp.json` (`mcpServers`) and `.vscode/mcp.json` (`servers`, `inputs`). Reads; writes nothing.

References to variables are kept. A value of `env` or of a header that stands there by itself is never taken over, nor is what else
may be a secret (`mcp_secrets`): a reference takes its place, and that is told.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.mcp_servers import NAME, SERVERS_MAX, TRANSPORTS
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.mcp_secrets import Concealed
from quarterdeck.store.regular import read_regular

FILE_BYTES_MAX = 1_000_000
_SAME_TYPES = {"streamable-http": "http", "streamableHttp": "http"}


@dataclass(frozen=True, slots=True)
class ServerFound:
    """One server. server: as a workflow file has it. notes: what was changed of it, or is not taken over; in sentences."""

    name: str
    server: dict[str, Any]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServersRead:
    """What a file lists. faults: servers that cannot be taken over, and why; where nothing can be read, that."""

    found: tuple[ServerFound, ...] = ()
    faults: tuple[str, ...] = ()


_ADDRESS = re.compile(r"\s*(https?://|\$\{)", re.IGNORECASE)
"""An address, or one that a variable begins."""


def read_servers(path: Path) -> ServersRead:
    """All servers of the file. Raises nothing of the file's doing."""
    try:
        content = read_regular(path, FILE_BYTES_MAX + 1, follow_links=True)
    except (OSError, StoreDamaged, ValueError) as error:
        return ServersRead(faults=(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.",))
    if len(content) > FILE_BYTES_MAX:
        return ServersRead(faults=(f"{path} is longer than {FILE_BYTES_MAX:,} bytes.",))
    return parse_servers(content, str(path))


def parse_servers(content: bytes, name: str) -> ServersRead:
    """The same from its bytes. name: of the file, for words."""
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return ServersRead(faults=(f"{name} is not valid JSON: {error}.",))
    listed = None
    if isinstance(document, dict):
        listed = document.get("mcpServers", document.get("servers"))
    if not isinstance(listed, dict):
        return ServersRead(
            faults=(f"{name} lists no MCP servers: neither “mcpServers” nor “servers” is there.",)
        )
    if len(listed) > SERVERS_MAX:
        return ServersRead(faults=(f"{name} lists {len(listed):,} servers; at most {SERVERS_MAX} are read.",))
    found: list[ServerFound] = []
    faults: list[str] = []
    for server_name, told in listed.items():
        one = _server(server_name, told)
        if isinstance(one, str):
            faults.append(f"“{server_name[:80]}” is left out: {one}.")
        else:
            found.append(one)
    return ServersRead(tuple(found), tuple(faults))


def _server(name: str, told: Any) -> ServerFound | str:
    if not NAME.fullmatch(name):
        return "its name may have letters, digits, “_”, “-” and “.”, at most 64"
    if not isinstance(told, dict):
        return "it is no object"
    if "\\u0000" in json.dumps(told):
        return "it holds a NUL character"
    hidden = Concealed(name)
    if isinstance(told.get("url"), str):
        server = _address(told, hidden)
    elif isinstance(told.get("command"), str) and told["command"].strip():
        server = _command(told, hidden)
    else:
        return "it has neither “command” nor “url”"
    if isinstance(server, str):
        return server
    known = {"type", "url", "headers", "command", "args", "env"}
    if unknown := sorted(set(map(str, told)) - known):
        hidden.notes.append(f"Not taken over: {', '.join(unknown)[:200]}.")
    return ServerFound(name, server, tuple(hidden.notes))


def _address(told: dict[str, Any], hidden: Concealed) -> dict[str, Any] | str:
    kind = _SAME_TYPES.get(str(told.get("type")), str(told.get("type") or "http"))
    if kind not in TRANSPORTS or kind == "stdio":
        return f"its type “{kind[:40]}” is not known"
    if not _ADDRESS.match(told["url"]):
        return "its “url” is neither http nor https"
    server: dict[str, Any] = {"type": kind, "url": hidden.text(told["url"])}
    headers = _values(told.get("headers"), hidden, is_header=True)
    return server | ({"headers": headers} if headers else {})


def _command(told: dict[str, Any], hidden: Concealed) -> dict[str, Any] | str:
    args = told.get("args") or []
    if not (isinstance(args, list) and all(isinstance(item, str) for item in args)):
        return "its “args” are no list of texts"
    server: dict[str, Any] = {"command": hidden.text(told["command"])}
    server["args"] = list(hidden.arguments(told["command"], args))
    env = _values(told.get("env"), hidden, is_header=False)
    return server | ({"env": env} if env else {})


def _values(told: Any, hidden: Concealed, *, is_header: bool) -> dict[str, str]:
    listed = told.items() if isinstance(told, dict) else ()
    return {str(key): hidden.value(str(key), str(value), is_header=is_header) for key, value in listed}
