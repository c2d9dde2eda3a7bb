"""MCP servers as each program takes them; a reference is filled in by the program, or at the last moment on the wire."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import Any

import pytest

from quarterdeck.agents.launching import Ask, CannotLaunch, Launch
from quarterdeck.agents.mcp_servers import claude_config, codex_overrides, opencode_config
from quarterdeck.agents.registry import launch_of
from quarterdeck.domain.mcp_servers import VariableMissing, filled, server_line, variables_of
from quarterdeck.domain.workflow import AgentSpec

FILES = {"command": "npx", "args": ["-y", "files"], "env": {"TOKEN": "${TOKEN}"}}
WEB = {"type": "http", "url": "https://web/mcp", "headers": {"X-Key": "${KEY}"}}
SERVERS = {"files": FILES, "web": WEB}


def test_the_variables_and_the_line_of_a_server() -> None:
    assert variables_of({"a": {"command": "${A}", "args": ["${B:-x}", "${A}"], "env": {"C": "n${C}"}}}) == (
        "A",
        "B",
        "C",
    )
    assert server_line(FILES) == "npx -y files"
    assert server_line(WEB) == "https://web/mcp"


def test_references_are_filled_in_with_their_defaults_and_nothing_is_left_open() -> None:
    servers = {"a": {"command": "${A}", "args": ["${B:-two}"], "env": {"C": "x${A}"}}}
    assert filled(servers, {"A": "one"}) == {"a": {"command": "one", "args": ["two"], "env": {"C": "xone"}}}
    with pytest.raises(VariableMissing, match="A"):
        filled(servers, {})
    assert servers["a"]["command"] == "${A}"


def test_claude_code_gets_the_file_s_own_spelling_with_references_kept() -> None:
    assert json.loads(claude_config(SERVERS)) == {"mcpServers": SERVERS}


def test_codex_gets_overrides_that_are_toml_and_no_value() -> None:
    argv, cannot = codex_overrides(SERVERS)
    assert cannot == ()
    assert argv[::2] == ("-c",) * (len(argv) // 2)
    assert tomllib.loads("\n".join(argv[1::2])) == {
        "mcp_servers": {
            "files": {"command": "npx", "args": ["-y", "files"], "env_vars": ["TOKEN"]},
            "web": {"url": "https://web/mcp", "env_http_headers": {"X-Key": "KEY"}},
        }
    }


@pytest.mark.parametrize(
    "server",
    [
        {"command": "x", "args": ["${A}"]},
        {"command": "x", "env": {"A": "${B}"}},
        {"command": "x", "env": {"A": "${A:-d}"}},
        {"url": "https://${HOST}/"},
        {"url": "https://x", "headers": {"Authorization": "Bearer ${T}"}},
    ],
)
def test_what_codex_would_not_fill_in_is_told_and_never_handed_over_half(server: dict[str, object]) -> None:
    argv, cannot = codex_overrides({"s": server})
    assert argv == ()
    assert len(cannot) == 1
    assert "“s”" in cannot[0]


def test_opencode_spells_references_its_own_way() -> None:
    assert opencode_config(SERVERS) == {
        "files": {
            "type": "local",
            "command": ["npx", "-y", "files"],
            "environment": {"TOKEN": "{env:TOKEN}"},
        },
        "web": {"type": "remote", "url": "https://web/mcp", "headers": {"X-Key": "{env:KEY}"}},
    }


def launched(kind: str, servers: Mapping[str, Any] = SERVERS, **more: Any) -> Launch:
    return launch_of(
        Ask(AgentSpec("a", kind, mcp_servers=servers, **more), ("/bin/agent",), "/bin/agent", "p", "/w")
    )


def test_every_program_is_handed_the_servers_of_its_agent_and_nothing_without_any() -> None:
    claude = launched("claude-code").argv
    assert json.loads(claude[claude.index("--mcp-config") + 1]) == {"mcpServers": SERVERS}
    codex = launched("codex").argv
    assert {*codex_overrides(SERVERS)[0]} <= {*codex}
    opencode = json.loads(launched("opencode").env["OPENCODE_CONFIG_CONTENT"])
    assert opencode == {"mcp": opencode_config(SERVERS)}
    for kind in ("acp", "gemini"):
        assert launched(kind).wire["mcp_servers"] == SERVERS
    for kind in ("codex", "opencode"):
        assert launched(kind, permissions="ask").wire["mcp_servers"] == SERVERS
    for kind in ("claude-code", "codex", "opencode", "gemini", "acp"):
        made = launched(kind, {})
        assert "mcp" not in " ".join((*made.argv, *made.env)).lower()
        assert not made.wire.get("mcp_servers")


def test_codex_is_not_started_with_half_of_its_servers() -> None:
    with pytest.raises(CannotLaunch, match="does not fill in"):
        launched("codex", {"x": {"command": "x", "args": ["${A}"]}})
