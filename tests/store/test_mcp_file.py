"""Files that list MCP servers: both spellings are read, references are kept, and a value that stands there is never taken over."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.store.mcp_file import SERVERS_MAX, ServerFound, ServersRead, parse_servers, read_servers
from quarterdeck.store.mcp_secrets import TEXT_CHARS_MAX

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


S = "hunter-two"
PLANTED: list[dict[str, Any]] = [
    {"command": "docker", "args": ["run", "-e", f"GITHUB_PERSONAL_ACCESS_TOKEN={S}", "img"]},
    {"command": "docker", "args": ["run", "--env", f"PLACE={S}", "img"]},
    {"command": "docker", "args": ["run", f"--env=PLACE={S}", f"-ePLACE={S}", "img"]},
    {"command": "npx", "args": ["mcp-remote", "https://x", "--header", f"Authorization: Bearer {S}"]},
    {"command": "x", "args": ["-H", f"X-Whatever: {S}"]},
    {"command": "x", "args": [f"--header=X-Whatever:{S}"]},
    {"command": "x", "args": [f"postgresql://me:{S}@db/x"]},
    {"command": "x", "args": [f"postgresql://me:p/{S}@db/x", f"mongodb+srv://{S}@h"]},
    {"url": f"https://me:{S}@h.example/mcp"},
    {"url": f"https://{S}@h.example/mcp"},
    {"url": "https://h.example/s/k3yk3yk3yk3yhunter-two/mcp"},
    {"url": f"https://h/x?apikey={S}&sig={S}&code={S}&pat={S}#access_token={S}"},
    {"command": "x", "env": {"API_KEY": f"${{API_KEY:-{S}}}"}},
    {"command": "x", "args": [f"--url=${{MY_TOKEN:-{S}}}"]},
    {"command": "x", "args": ["--api-key", f"-{S}"]},
    {"command": "x", "args": ["--pat", S, "--credentials", S, "--bearer", S, "-p", S, "--user", f"me:{S}"]},
    {"command": "x", "args": [f"--github-pat={S}", f"-p={S}", f"--basic-auth={S}"]},
    {"command": f"API_KEY={S} node x.js"},
    {"command": f"PLACE={S} node x.js"},
    {"command": "sh", "args": ["-c", f"x --token {S}; MY_SECRET={S} y"]},
    {"command": "x", "args": [f"Server=h;Password={S};User=me", f'{{"apiKey": "{S}"}}']},
    {"command": "x", "args": ["sk-hunter-two", "hunter-two.a1b2c3d4e5f6g7".replace(S, "x"), "eyJhun.eyJter.two-hunter-two"]},
]  # fmt: skip


@pytest.mark.parametrize("told", PLANTED, ids=lambda told: json.dumps(told)[:60])
def test_a_secret_is_taken_over_from_no_place_where_one_is_written(told: dict[str, Any]) -> None:
    """SEC: a workflow file holds no secret; the note names the variable that takes its place."""
    found = one(told)
    assert S not in json.dumps(found.server)
    assert "a1b2c3d4" not in json.dumps(found.server)
    assert found.notes
    assert S not in " ".join(found.notes)
    assert all(
        note.endswith(".") and note.rpartition("variable ")[2][:-1] in json.dumps(found.server)
        for note in found.notes
    )


ORDINARY: list[dict[str, Any]] = [
    {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-files@2025.1.14", "/home/ada/my-project"]},
    {"command": "x", "args": ["--db-path", "./x.db", "--port", "8080", "--log-level=debug"]},
    {"command": "docker", "args": ["run", "-i", "--rm", "-p", "8080:80", "-t", "img", "-e", "GITHUB_TOKEN"]},
    {"command": "docker", "args": ["run", "ghcr.io/x/y@sha256:" + "ab12" * 16]},
    {"command": "uvx", "args": ["--from", "git+https://github.com/org/repo@main", "mcp-server-sqlite"]},
    {"type": "http", "url": "https://mcp.example.org:8443/v1/sse?region=eu&version=2#top"},
    {"type": "http", "url": "http://[::1]:80/@scope/pkg?a=${B:-c}"},
    {"command": "x", "args": ["${TOKEN}", "https://${USER}@h/", "--header", "Authorization: Bearer ${T}"]},
]  # fmt: skip


@pytest.mark.parametrize("told", ORDINARY, ids=lambda told: json.dumps(told)[:60])
def test_what_holds_no_secret_is_taken_over_as_it_is(told: dict[str, Any]) -> None:
    found = one(told)
    assert (found.server, found.notes) == (told, ())


@pytest.mark.parametrize("piece", ["key", "://a:x", "${a:-", "--token ", "a=", "Bearer ", "?sig=", "-key:"])
def test_what_is_too_long_to_be_looked_through_is_left_out_and_told(piece: str) -> None:
    """A file of somebody else's cannot hold the import up."""
    long = piece * (TEXT_CHARS_MAX // len(piece) + 1)
    found = one({"command": "x", "args": [long, "--token", "b"], "env": {"E": long}})
    assert found.server["args"] == ["${SRV_ARGUMENT}", "--token", "${SRV_TOKEN}"]
    assert "longer than 2,000 characters" in found.notes[0]
    assert one({"command": "x", "args": [long[: TEXT_CHARS_MAX - 1]] * 20})


def test_two_secrets_of_one_name_are_two_variables() -> None:
    found = one({"command": "x", "args": ["--token", "one", "--token", "two", "--token", "one"]})
    assert found.server["args"][1::2] == ["${SRV_TOKEN}", "${SRV_TOKEN_2}", "${SRV_TOKEN}"]
    assert len(found.notes) == 2


def test_a_variable_of_visual_studio_code_keeps_its_exact_name() -> None:
    """`${env:fooBar}` is not `${FOOBAR}`, which is another variable."""
    found = one({"command": "${env:fooBar}", "args": ["-x", "${env:fooBar}"], "env": {"B": "${env:fooBar}"}})
    assert found.server == {"command": "${fooBar}", "args": ["-x", "${fooBar}"], "env": {"B": "${fooBar}"}}


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


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"command": "a\x00b"}, "NUL"),
        ({"command": "a", "args": ["\x00"]}, "NUL"),
        ({"command": "a", "env": {"X": "\x00"}}, "NUL"),
        ({"url": "javascript:alert(1)"}, "neither http nor https"),
        ({"url": "file:///etc/passwd"}, "neither http nor https"),
    ],
)
def test_a_server_that_no_workflow_may_hold_is_left_out_by_its_name_and_the_others_are_read(
    told: dict[str, Any], words: str
) -> None:
    content = {"mcpServers": {"bad": told, "good": {"command": "files"}, "far": {"url": "${BASE}/mcp"}}}
    read = parse_servers(json.dumps(content).encode(), ".mcp.json")
    assert [one.name for one in read.found] == ["good", "far"]
    (fault,) = read.faults
    assert "“bad” is left out" in fault
    assert words in fault
