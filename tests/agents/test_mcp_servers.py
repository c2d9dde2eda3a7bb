"""MCP servers as each program takes them; a reference is filled in by the program, or at the last moment on the wire."""

from __future__ import annotations

import json
import tomllib

import pytest

from quarterdeck.agents.mcp_servers import claude_config, codex_overrides, opencode_config
from quarterdeck.domain.mcp_servers import VariableMissing, filled, server_line, variables_of

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
