"""MCP servers as each agent program takes them. Pure. References (`${NAME}`) stay references wherever the program fills them in."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from quarterdeck.domain.mcp_servers import REFERENCE, Servers

CannotHand = tuple[str, ...]
"""Why some servers cannot be handed over, a sentence for each; empty where all can."""


def claude_config(servers: Servers) -> str:
    """The text of `--mcp-config`; Claude Code fills the references in from its environment."""
    return json.dumps({"mcpServers": servers}, sort_keys=True, ensure_ascii=False)


def codex_overrides(servers: Servers) -> tuple[tuple[str, ...], CannotHand]:
    """(arguments for Codex, why not). Codex fills nothing in: a variable can be handed on by its own name, or as a header."""
    argv: list[str] = []
    cannot: list[str] = []
    for name, server in servers.items():
        settings, faults = _codex_settings(server)
        if faults:
            cannot += [f"Codex cannot be given the MCP server “{name}”: {fault}." for fault in faults]
            continue
        for key, value in settings.items():
            argv += ["-c", f"mcp_servers.{_toml_key(name)}.{key}={_toml(value)}"]
    return tuple(argv), tuple(cannot)


def opencode_config(servers: Servers) -> dict[str, Any]:
    """The `mcp` part of OpenCode's configuration, which spells a reference `{env:NAME}` and knows no default."""
    found: dict[str, Any] = {}
    for name, server in servers.items():
        if server.get("url"):
            found[name] = {
                "type": "remote",
                "url": server["url"],
                "headers": dict(server.get("headers") or {}),
            }
        else:
            command = [server["command"], *(server.get("args") or ())]
            found[name] = {"type": "local", "command": command, "environment": dict(server.get("env") or {})}
    spelled: dict[str, Any] = json.loads(REFERENCE.sub(r"{env:\1}", json.dumps(found)))
    return spelled


def _codex_settings(server: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    if server.get("url"):
        own, faults = _by_name(server.get("headers") or {}, is_named=False)
        return {"url": server["url"], "env_http_headers": own}, faults + _unfilled(server["url"])
    passed, faults = _by_name(server.get("env") or {}, is_named=True)
    for text in (server["command"], *(server.get("args") or ())):
        faults += _unfilled(text)
    settings = {"command": server["command"], "args": list(server.get("args") or ())}
    return settings | ({"env_vars": list(passed)} if passed else {}), faults


def _by_name(values: Mapping[str, str], *, is_named: bool) -> tuple[dict[str, str], list[str]]:
    """{name: variable} of values that are nothing but a reference; is_named: which must have the value's own name."""
    found, faults = {}, []
    for name, value in values.items():
        match = REFERENCE.fullmatch(value)
        if match is None or match[2] is not None or (is_named and match[1] != name):
            faults.append(
                f"it takes {name} from a variable of that name alone"
                if is_named
                else f"it takes {name} whole from a variable"
            )
        else:
            found[name] = match[1]
    return found, faults


def _unfilled(text: str) -> list[str]:
    return [f"it does not fill in {match[0]}" for match in REFERENCE.finditer(text)]


def _toml_key(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() else json.dumps(name)


def _toml(value: Any) -> str:
    """A string, a list of strings, or a table of strings, as TOML has them."""
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{_toml_key(key)} = {json.dumps(inner)}" for key, inner in value.items()) + "}"
        )
    return json.dumps(value, ensure_ascii=False)
