"""Claude Code: how it is launched. Its wire is `claude_stream`; docs/agents.md says what was seen of its versions.

It runs as `claude -p` with JSON lines both ways: its prompt, a person's messages and answers go in by stdin, so nothing of them
stands in an argv that other processes see. Its session has an id of our choice, so that a resume takes up exactly that one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.claude_stream import ClaudeStream
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch, Program, quiet_env
from quarterdeck.agents.mcp_servers import claude_config
from quarterdeck.domain.workflow import AgentSpec

PROTOCOL: Final = "claude"
SPEAKS = (
    "-p",
    "--output-format",
    "stream-json",
    "--input-format",
    "stream-json",
    "--include-partial-messages",
    "--verbose",
)
"""Without partial messages it never tells how many tokens a message took that was answered before a kill."""
QUIET: Mapping[str, str] = {
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
}
"""Telemetry, error reports and self-updates are off; what an agent's own `env` says outranks them."""
MODES: Mapping[str | None, str] = {
    None: "default",
    "ask": "default",
    "edits": "acceptEdits",
    "plan": "plan",
    "read-only": "dontAsk",
    "full": "bypassPermissions",
}
"""{permissions: its own mode}. Absent is `ask`: nothing that it would ask a person about is done without one."""
_ASKS = frozenset({None, "ask", "edits", "plan"})


def _name(spec: AgentSpec) -> str:
    return spec.argv[0] if spec.argv else "claude"


def _launch(ask: Ask) -> Launch:
    """Its command line; `argv` of the specification, behind the program, stands before ours."""
    permissions = ask.spec.permissions
    if permissions not in MODES:
        known = ", ".join(f"“{name}”" for name in MODES if name)
        raise CannotLaunch(
            f"Agent “{ask.spec.name}” has permissions “{permissions}”, which Claude Code does not know; it knows {known}."
        )
    session = ("--resume", ask.session) if ask.session else ("--session-id", ask.new_session)
    asking = ("--permission-prompt-tool", "stdio") if permissions in _ASKS else ()
    model = ("--model", ask.spec.model) if ask.spec.model else ()
    servers = ("--mcp-config", claude_config(ask.spec.mcp_servers)) if ask.spec.mcp_servers else ()
    argv = (ask.program, *ask.argv[1:], *SPEAKS, *session, "--permission-mode", MODES[permissions])
    # As root it refuses to run with all permissions but where it is told that it sits in a sandbox.
    sandbox = {"IS_SANDBOX": "1"} if permissions == "full" and os.geteuid() == 0 else {}
    return Launch(
        (*argv, *servers, *asking, *model),
        PROTOCOL,
        "open",
        env={**quiet_env(ask, QUIET), **sandbox},
        wire={
            "prompt": ask.prompt,
            "session": ask.session or ask.new_session,
            "cwd": ask.cwd,
            "is_resumed": ask.session is not None,
        },
    )


def _adapter(_protocol: str, wire: Mapping[str, Any]) -> Adapter:
    return ClaudeStream(wire)


PROGRAM = Program(
    _launch,
    _adapter,
    name=_name,
    looked_for=("claude",),
    quiet=QUIET,
    settings=(".mcp.json", ".claude/settings.json", ".claude/settings.local.json"),
)
