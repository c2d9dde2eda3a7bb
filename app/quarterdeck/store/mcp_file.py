"""Files that list MCP servers: `.mcp.json` (`mcpServers`) and `.vscode/mcp.json` (`servers`, `inputs`). Reads; writes nothing.

References to variables are kept. A value that stands there by itself is never taken over, since it may be a secret: a reference
takes its place, and that is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.mcp_servers import NAME, REFERENCE, SERVERS_MAX, TRANSPORTS
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular

FILE_BYTES_MAX = 1_000_000
_VS_CODE = re.compile(r"\$\{(?:input|env):([A-Za-z0-9_.-]+)\}")
_SECRET_FLAG = re.compile(r"--?[\w-]*(?:key|token|secret|password|passwd|auth)[\w-]*", re.IGNORECASE)
_SECRET_QUERY = re.compile(r"([?&][\w-]*(?:key|token|secret|password|auth)[\w-]*=)([^&#]+)", re.IGNORECASE)
_SAME_TYPES = {"streamable-http": "http", "streamableHttp": "http"}
_BEARER = re.compile(r"(?:Bearer|Basic|token)\s+", re.IGNORECASE)


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
    notes: list[str] = []
    if isinstance(told.get("url"), str):
        server = _address(name, told, notes)
    elif isinstance(told.get("command"), str) and told["command"].strip():
        server = _command(name, told, notes)
    else:
        return "it has neither “command” nor “url”"
    if isinstance(server, str):
        return server
    known = {"type", "url", "headers", "command", "args", "env"}
    if unknown := sorted(set(map(str, told)) - known):
        notes.append(f"Not taken over: {', '.join(unknown)[:200]}.")
    return ServerFound(name, server, tuple(notes))


def _address(name: str, told: dict[str, Any], notes: list[str]) -> dict[str, Any] | str:
    kind = _SAME_TYPES.get(str(told.get("type")), str(told.get("type") or "http"))
    if kind not in TRANSPORTS or kind == "stdio":
        return f"its type “{kind[:40]}” is not known"

    def hidden(match: re.Match[str]) -> str:
        return (
            match[0] if REFERENCE.fullmatch(match[2]) else f"{match[1]}{_hidden(name, match[1][1:-1], notes)}"
        )

    server: dict[str, Any] = {"type": kind, "url": _SECRET_QUERY.sub(hidden, _reference(told["url"]))}
    headers = _values(name, told.get("headers"), notes, is_header=True)
    return server | ({"headers": headers} if headers else {})


def _command(name: str, told: dict[str, Any], notes: list[str]) -> dict[str, Any] | str:
    args = told.get("args") or []
    if not (isinstance(args, list) and all(isinstance(item, str) for item in args)):
        return "its “args” are no list of texts"
    server: dict[str, Any] = {"command": _reference(told["command"])}
    server["args"] = list(_arguments(name, args, notes))
    env = _values(name, told.get("env"), notes, is_header=False)
    return server | ({"env": env} if env else {})


def _values(name: str, told: Any, notes: list[str], *, is_header: bool) -> dict[str, str]:
    """Each value that is a reference as it is; any other by a reference in its place."""
    found = {}
    for key, value in told.items() if isinstance(told, dict) else ():
        text = _reference(str(value))
        bare = _BEARER.sub("", text) if is_header else text
        if not bare or REFERENCE.sub("", bare) == "":
            found[str(key)] = text
            continue
        variable = _variable(f"{name}_{key}" if is_header else str(key))
        scheme = _BEARER.match(text) if is_header else None
        found[str(key)] = f"{scheme[0] if scheme else ''}${{{variable}}}"
        notes.append(
            f"The value of {key} is not taken over, as it may be a secret: set the variable {variable}."
        )
    return found


def _arguments(name: str, args: list[str], notes: list[str]) -> Iterator[str]:
    """Arguments as they are, but for what follows an option that names a secret."""
    is_secret = ""
    for arg in map(_reference, args):
        flag, equals, value = arg.partition("=")
        if is_secret and not arg.startswith("-") and not REFERENCE.fullmatch(arg):
            yield _hidden(name, is_secret, notes)
        elif equals and _SECRET_FLAG.fullmatch(flag) and value and not REFERENCE.fullmatch(value):
            yield f"{flag}={_hidden(name, flag, notes)}"
        else:
            yield arg
        is_secret = arg if _SECRET_FLAG.fullmatch(arg) else ""


def _hidden(name: str, flag: str, notes: list[str]) -> str:
    variable = _variable(f"{name}_{flag.lstrip('-')}")
    notes.append(
        f"What follows {flag} is not taken over, as it may be a secret: set the variable {variable}."
    )
    return f"${{{variable}}}"


def _reference(text: str) -> str:
    """`${input:id}` and `${env:NAME}` of Visual Studio Code as references to variables."""
    return _VS_CODE.sub(lambda match: f"${{{_variable(match[1])}}}", text)


def _variable(text: str) -> str:
    made = re.sub(r"[^A-Za-z0-9_]", "_", text).upper()
    return made if not made[:1].isdigit() else f"_{made}"
