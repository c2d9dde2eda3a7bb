"""Any agent of the Agent Client Protocol that the workflow names by its command (`kind: acp`)."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch, Program


def launch(ask: Ask) -> Launch:
    """Its own command, as it stands. Raises CannotLaunch where the workflow wants what only the agent's own words can say."""
    spec = ask.spec
    if not ask.argv:
        raise CannotLaunch(
            f"Agent “{spec.name}” of the kind “acp” has no `argv`: write the command that starts it."
        )
    if spec.permissions == "ask" and not spec.mode:
        raise CannotLaunch(
            f"Agent “{spec.name}” is to ask for permission: write in `mode` which of the agent's own modes asks."
        )
    if spec.permissions not in (None, "ask"):
        raise CannotLaunch(
            f"An agent of the kind “acp” has no permissions “{spec.permissions}”: write the agent's own mode in `mode`."
        )
    return Launch(ask.argv, "acp", "open", wire=wire_of(ask, spec.mode))


def wire_of(ask: Ask, mode: str | None, *, model: str | None = None) -> dict[str, Any]:
    """What the adapter needs. model: None takes the one of the specification; empty leaves the choice to the command line."""
    wire = {
        "prompt": ask.prompt,
        "cwd": ask.cwd,
        "session": ask.session,
        "mode": mode,
        "model": ask.spec.model if model is None else model,
        "first_id": first_id(ask.new_session),
    }
    servers = {name: dict(server) for name, server in ask.spec.mcp_servers.items()}
    return {**wire, "mcp_servers": servers} if servers else wire


def first_id(new_session: str) -> int:
    """The number of the first request of an attempt, by the UUID that was made for it: of at most 28 bits, so that any agent holds it."""
    return zlib.crc32(new_session.encode()) >> 4


def _adapter(_protocol: str, wire: Mapping[str, Any]) -> Adapter:
    return AcpAdapter(wire)


PROGRAM = Program(launch, _adapter, looked_for=("qwen",), settings=(".qwen/settings.json",))
