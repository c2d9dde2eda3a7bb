"""Files that list MCP servers: both spellings are read, references are kept, and a value that stands there is never taken over."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.store.mcp_file import SERVERS_MAX, ServerFound, ServersRead, parse_servers, read_servers

CANARY = "sk-canary-3f9a7c1e"


def read(document: Any) -> ServersRead:
    return parse_servers(json.dumps(document).encode(), "it")


def one(told: dict[str, Any], name: str = "srv") -> ServerFound:
    read_ = read({"mcpServers": {name: told}})
    assert read_.faults == ()
    (found,) = read_.found
    return found


def test_a_command_and_an_address_are_read_as_they_are_written() -> None:
    found = read(
        {
            "mcpServers": {
                "files": {
                    "command": "npx",
                    "args": ["-y", "@x/files", "${HOME}"],
                    "env": {"TOKEN": "${TOKEN}"},
                },
                "web": {
                    "type": "http",
                    "url": "https://${HOST:-localhost}/mcp",
                    "headers": {"Authorization": "Bearer ${WEB_TOKEN}"},
                },
            }
        }
    )
    assert found.faults == ()
    assert [(s.name, s.server, s.notes) for s in found.found] == [
        (
            "files",
            {"command": "npx", "args": ["-y", "@x/files", "${HOME}"], "env": {"TOKEN": "${TOKEN}"}},
            (),
        ),
        (
            "web",
            {
                "type": "http",
                "url": "https://${HOST:-localhost}/mcp",
                "headers": {"Authorization": "Bearer ${WEB_TOKEN}"},
            },
            (),
        ),
    ]


def test_visual_studio_code_spells_it_otherwise() -> None:
    (found,) = read(
        {
            "inputs": [{"id": "api-key", "type": "promptString", "password": True}],
            "servers": {"s": {"command": "run", "env": {"KEY": "${input:api-key}", "P": "${env:PLACE}"}}},
        }
    ).found
    assert found.server["env"] == {"KEY": "${API_KEY}", "P": "${PLACE}"}


@pytest.mark.parametrize(
    ("told", "written"),
    [
        ({"command": "x", "env": {"API_KEY": CANARY}}, {"env": {"API_KEY": "${API_KEY}"}}),
        ({"command": "x", "env": {"API_KEY": f"${{P}}{CANARY}"}}, {"env": {"API_KEY": "${API_KEY}"}}),
        (
            {"url": "https://x", "headers": {"Authorization": f"Bearer {CANARY}"}},
            {"headers": {"Authorization": "Bearer ${SRV_AUTHORIZATION}"}},
        ),
        ({"url": "https://x", "headers": {"X-Key": CANARY}}, {"headers": {"X-Key": "${SRV_X_KEY}"}}),
        ({"url": f"https://x/?api_key={CANARY}&a=b"}, {"url": "https://x/?api_key=${SRV_API_KEY}&a=b"}),
        ({"command": "x", "args": ["--api-key", CANARY]}, {"args": ["--api-key", "${SRV_API_KEY}"]}),
        ({"command": "x", "args": [f"--token={CANARY}"]}, {"args": ["--token=${SRV_TOKEN}"]}),
    ],
)
def test_no_value_that_may_be_a_secret_is_taken_over_and_that_is_told(
    told: dict[str, Any], written: dict[str, Any]
) -> None:
    found = one(told)
    assert CANARY not in json.dumps(found.server)
    assert CANARY not in " ".join(found.notes)
    assert found.server | written == found.server
    assert len(found.notes) == 1


def test_references_after_an_option_stay() -> None:
    found = one({"command": "x", "args": ["--token", "${T}", "--key=${K}", "--token", "--verbose"]})
    assert found.server["args"] == ["--token", "${T}", "--key=${K}", "--token", "--verbose"]
    assert found.notes == ()


def test_what_is_not_known_is_left_out_and_told() -> None:
    assert one({"command": "x", "disabled": True, "cwd": "/"}).notes == ("Not taken over: cwd, disabled.",)
    found = read(
        {
            "mcpServers": {
                "no spaces": {"command": "x"},
                "empty": {},
                "text": "x",
                "odd": {"url": "ws://x", "type": "ws"},
                "args": {"command": "x", "args": "one"},
                "good": {"command": "x"},
            }
        }
    )
    assert [s.name for s in found.found] == ["good"]
    assert len(found.faults) == 5


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b"{}", b'{"mcpServers": []}', b"[" * 100_000, b"null", b'{"servers": 3}'],
)
def test_a_file_that_is_none_is_told_in_one_sentence(content: bytes) -> None:
    found = parse_servers(content, "it")
    assert (found.found, len(found.faults)) == ((), 1)


def test_too_many_servers_are_not_read() -> None:
    found = read({"mcpServers": {f"s{n}": {"command": "x"} for n in range(SERVERS_MAX + 1)}})
    assert found.found == ()


def test_what_is_no_file_never_holds_it_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "none", tmp_path / "pipe"):
        assert len(read_servers(path).faults) == 1
    (tmp_path / "long").write_bytes(b" " * 1_000_001)
    assert "longer" in read_servers(tmp_path / "long").faults[0]
