"""How a session with an ACP agent is opened: what is asked of it, by what it says that it can. Pure; knows no wire.

The session is the one that was named, or a new one; never the latest, never another. An agent that can resume is not asked to
load: loading tells the whole history again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quarterdeck import __version__
from quarterdeck.agents.acp_tools import clean

PROTOCOL_VERSION = 1
NEW, RESUME, LOAD = "session/new", "session/resume", "session/load"
SET_MODE, SET_OPTION, SET_MODEL = "session/set_mode", "session/set_config_option", "session/set_model"
SETTINGS = frozenset({SET_MODE, SET_OPTION, SET_MODEL})
Step = tuple[str, dict[str, Any]]


class CannotOpen(ValueError):
    """The agent cannot do what was asked of it; the text is one sentence for a person."""


class Opening:
    """What the launch wants of the session."""

    def __init__(self, wire: Mapping[str, Any]) -> None:
        self._cwd = str(wire.get("cwd") or "")
        self._servers = mcp_servers(wire.get("mcp_servers"))
        self._mode, self._model = _word(wire.get("mode")), _word(wire.get("model"))
        self.session = _word(wire.get("session"))
        """The session to continue; empty for a new one."""
        self.version, self.is_codex = "", False
        """Of the program, as it says."""
        self.can_continue = self._can_load = False
        """Whether the agent says that it can take up an earlier session."""

    def hello(self) -> dict[str, Any]:
        """Parameters of `initialize`. Nothing is offered: the program reads, writes and runs by itself, where it is contained."""
        return {
            "protocolVersion": PROTOCOL_VERSION,
            "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False},
            "clientInfo": {"name": "quarterdeck", "title": "Quarterdeck", "version": __version__},
        }

    def first(self, hello: object) -> Step:
        """The request that opens the session, by the agent's answer to `initialize`. Raises CannotOpen."""
        told = hello if isinstance(hello, dict) else {}
        version = told.get("protocolVersion")
        if version not in (PROTOCOL_VERSION, None):
            raise CannotOpen(
                f"The agent speaks version {version} of the protocol; version {PROTOCOL_VERSION} is needed."
            )
        self.version = _word(_dict(told.get("agentInfo")).get("version"))[:100]
        self.is_codex = _word(_dict(told.get("agentInfo")).get("name")).endswith("codex-acp")
        can = _dict(told.get("agentCapabilities"))
        can_resume = isinstance(_dict(can.get("sessionCapabilities")).get("resume"), dict)
        self._can_load = can.get("loadSession") is True
        self.can_continue = can_resume or self._can_load
        return self._open(can, RESUME if can_resume else LOAD)

    def other_way(self, step: Step) -> Step | None:
        """How else the session can be continued where the agent does not know what it said it could."""
        return (LOAD, step[1]) if step[0] == RESUME and self._can_load else None

    def _open(self, can: Mapping[str, Any], way: str) -> Step:
        params: dict[str, Any] = {"cwd": self._cwd, "mcpServers": list(self._servers_for(can))}
        if not self.session:
            return NEW, params
        if not self.can_continue:
            raise CannotOpen(
                f"The agent cannot take up the session {self.session}: it says that it continues none."
            )
        return way, {"sessionId": self.session, **params}

    def _servers_for(self, can: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """Those that the agent can reach. Raises CannotOpen: without one of its tools an agent does something else."""
        kinds = _dict(can.get("mcpCapabilities"))
        for server in self._servers:
            kind = server.get("type")
            if kind in ("http", "sse") and not kinds.get(kind):
                raise CannotOpen(f"The agent takes no {kind} MCP servers, and “{server.get('name')}” is one.")
            yield server

    def settings(self, opened: Mapping[str, Any], session: str, *, after_load: bool) -> list[Step]:
        """What is set before the first prompt. after_load: setting the mode, if only to what it is, lets the history that some
        agents tell late come to its end. Raises CannotOpen where the agent does not offer what is wanted.
        """
        steps: list[Step] = []
        if self._model:
            steps += _set(opened, session, "model", self._model)
        current = _word(_dict(opened.get("modes")).get("currentModeId"))
        mode = self._mode or (current if after_load else "")
        return steps + (_set(opened, session, "mode", mode) if mode else [])


def mcp_servers(told: object) -> list[dict[str, Any]]:
    """MCP servers as the protocol spells them, from that, or from `{name: server}` as `.mcp.json` spells them."""
    if isinstance(told, dict):
        return [_server(str(name), server) for name, server in told.items() if isinstance(server, dict)]
    return [dict(server) for server in told if isinstance(server, dict)] if isinstance(told, list) else []


def _server(name: str, told: Mapping[str, Any]) -> dict[str, Any]:
    if "url" in told:
        kind = told.get("type") or "http"
        return {"type": kind, "name": name, "url": told["url"], "headers": _pairs(told.get("headers"))}
    args = told.get("args")
    return {
        "name": name,
        "command": told.get("command"),
        "args": args if isinstance(args, list) else [],
        "env": _pairs(told.get("env")),
    }


def _pairs(told: object) -> list[dict[str, str]]:
    return [{"name": str(n), "value": str(v)} for n, v in told.items()] if isinstance(told, dict) else []


def model_at_work(opened: Mapping[str, Any]) -> str:
    """The model that the session says it uses; empty where it says none."""
    current = _word(_dict(opened.get("models")).get("currentModelId"))
    option = _option(opened, "model")
    return current or (_word(option.get("currentValue")) if option else "")


def _set(opened: Mapping[str, Any], session: str, what: str, value: str) -> list[Step]:
    """One setting, by whichever of its two ways the agent offers. A value that is not offered is never replaced by another."""
    if what == "mode":
        offered, key, method, param = (
            _dict(opened.get("modes")).get("availableModes"),
            "id",
            SET_MODE,
            "modeId",
        )
    else:
        offered, key, method, param = (
            _dict(opened.get("models")).get("availableModels"),
            "modelId",
            SET_MODEL,
            "modelId",
        )
    option = _option(opened, what)
    known = _values(offered, key)
    if value in known:
        return [(method, {"sessionId": session, param: value})]
    options = _values(option.get("options"), "value") if option else []
    if option and value in options:
        return [(SET_OPTION, {"sessionId": session, "configId": option.get("id"), "value": value})]
    names = ", ".join(dict.fromkeys([*known, *options]))
    has = f"it offers {names}" if names else f"it offers no choice of a {what}"
    raise CannotOpen(f"The agent has no {what} “{value}”: {has}.")


def _option(opened: Mapping[str, Any], category: str) -> Mapping[str, Any] | None:
    options = opened.get("configOptions")
    for option in options if isinstance(options, list) else []:
        if isinstance(option, dict) and category in (option.get("category"), option.get("id")):
            return option
    return None


def _values(offered: object, key: str) -> list[str]:
    """Also of options that stand in groups."""
    found: list[str] = []
    for item in offered if isinstance(offered, list) else []:
        if isinstance(item, dict) and isinstance(item.get("options"), list):
            found += _values(item["options"], key)
        elif isinstance(item, dict) and _word(item.get(key)):
            found.append(_word(item[key]))
    return found


def _dict(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""
