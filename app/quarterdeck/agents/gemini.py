"""Gemini CLI, through the Agent Client Protocol (`gemini --acp`). Seen with 0.61.0.

What it does that its wire does not say: a prompt that begins with `/` or `$` is a command; a process of its own stands between
it and us unless that is switched off; SIGTERM is ignored while a tool runs; a session that is taken up within the minute in
which it was begun is lost (its file is named by the minute, and begun anew).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.acp_agent import wire_of
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch, Program, quiet_env
from quarterdeck.agents.sign_ins import PROGRAMS, PROVIDERS
from quarterdeck.domain.workflow import AgentSpec

KEY = "GEMINI_API_KEY"
MODES: Mapping[str | None, str] = {
    None: "default",
    "ask": "default",
    "edits": "autoEdit",
    "plan": "plan",
    "read-only": "plan",
    "full": "yolo",
}
"""{permissions: Gemini's mode}. Absent is `ask`: it does nothing unasked but look."""
QUIET = {"GEMINI_TELEMETRY_ENABLED": "false"}
"""No telemetry. Its usage statistics have no switch but in its own settings; run by us it looks for no update."""
ONE_PROCESS = {"GEMINI_CLI_NO_RELAUNCH": "true"}
"""No process of its own between it and us."""
SERVICE = {PROGRAMS["gemini"].endpoint_variable: PROVIDERS["google"].endpoint}
"""Where a key is given and no way of signing in was chosen in Gemini's settings, it takes up a session only with this, its own default."""


def launch(ask: Ask) -> Launch:
    """How Gemini is started; what `argv` adds stands before ours (`npx`, a wrapper). Raises CannotLaunch for permissions that it
    does not have.
    """
    permissions = ask.spec.permissions
    if permissions not in MODES:
        known = ", ".join(f"“{name}”" for name in MODES if name)
        raise CannotLaunch(f"Gemini has no permissions “{permissions}”; it knows {known}, or none written.")
    model = ["-m", ask.spec.model] if ask.spec.model else []
    argv = (ask.program, *ask.argv[1:], "--acp", "--skip-trust", *model)
    env = {**quiet_env(ask, QUIET), **ONE_PROCESS, **(SERVICE if _has_key(ask.spec) else {})}
    return Launch(argv, "acp", "open", env=env, wire=wire_of(ask, MODES[permissions], model=""))


def _has_key(spec: AgentSpec) -> bool:
    """Whether it is given one; what its `env` says of the service outranks ours."""
    named = {name for name, _ in (*spec.secrets, *spec.env)} | set(spec.pass_env)
    return KEY in named or (spec.credential is not None and spec.credential_env in (None, KEY))


def _adapter(_protocol: str, wire: Mapping[str, Any]) -> Adapter:
    return AcpAdapter(wire)


PROGRAM = Program(
    launch,
    _adapter,
    looked_for=("gemini",),
    name=lambda spec: spec.argv[0] if spec.argv else "gemini",
    quiet=QUIET,
    settings=(".gemini/settings.json", ".gemini/.env", ".env", ".gemini/extensions/*/gemini-extension.json"),
)
