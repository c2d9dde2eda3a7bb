"""A command that knows nothing of Quarterdeck: its output, and the environment that an agent gets."""

from __future__ import annotations

import pytest

from quarterdeck.agents import sign_ins
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.environment import agent_environment, passed_values
from quarterdeck.agents.launching import Ask, UnknownKind
from quarterdeck.agents.lines_protocol import LinesProtocol
from quarterdeck.agents.registry import (
    LINE_READERS,
    PROGRAMS,
    adapter_for,
    launch_of,
    program_name,
    programs_looked_for,
    settings_of,
    switches_of,
)
from quarterdeck.agents.text_command import KeptOutput, TextCommand
from quarterdeck.domain import mcp_servers
from quarterdeck.domain.messages import KINDS_THAT_LISTEN
from quarterdeck.domain.workflow import AGENT_KINDS, AgentSpec
from quarterdeck.engine.report_folds import SILENT_KINDS


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (b"words\n\n", "words"),
        (b"", ""),
        (b'{"a": [1, 2]}\n', {"a": [1, 2]}),
        (b" [1]\n", [1]),
        (b"12\n", "12"),
        (b"true", "true"),
        (b"{broken", "{broken"),
        (b'{"a": NaN}', '{"a": NaN}'),
        (b"[" * 100_000, "[" * 100_000),
        (b"\xff\xfe", "��"),
        ("ü 空".encode(), "ü 空"),
    ],
)
def test_the_output_is_the_text_or_json_where_it_gives_json(said: bytes, value: object) -> None:
    adapter = TextCommand()
    for at in range(0, len(said), 1000):
        assert list(adapter.feed("stdout", said[at : at + 1000])) == []
    adapter.feed("stderr", b"noise")
    assert list(adapter.finish()) == [{"kind": "output", "value": value}]


def test_lines_over_16_mb_are_told_once_each() -> None:
    adapter, chunk = TextCommand(), b"x" * (1 << 16)
    found = [r for _ in range(300) for r in adapter.feed("stdout", chunk)]
    found += adapter.feed("stdout", b"\nshort\n" + chunk)
    assert [(r["kind"], r["size_bytes"]) for r in found] == [("over_long", 300 << 16)]
    assert next(iter(adapter.finish()))["truncated"] is True


@pytest.mark.parametrize("size", [0, 1, 131_071, 131_072, 131_073, 400_000, 16 << 20])
def test_what_is_kept_packed_comes_back_as_it_was(size: int) -> None:
    """P12: a flood is kept packed, and the output is what was printed."""
    said = b"".join(b"%d a line of an agent\n" % number for number in range(size // 20 + 1))[:size]
    kept = KeptOutput()
    for at in range(0, size, 65_536):
        kept.add(said[at : at + 65_536])
    if size == 16 << 20:
        kept.add(b"more than there is room for")
        assert sum(map(len, kept._pieces)) < size / 4
    assert kept.size_bytes == size
    assert kept.take() == said


def test_the_host_lends_only_what_the_design_names_and_never_our_own_variables() -> None:
    host = {
        "HOME": "/h", "PATH": "/p", "LC_ALL": "C", "XDG_RUNTIME_DIR": "/x", "SECRET": "s", "SSH_AUTH_SOCK": "/a",
        "QUARTERDECK_ATTEMPT": "outer", "QUARTERDECK_DATA_DIR": "/d", "EXTRA": "e", "LANG": "C",
    }  # fmt: skip
    spec = AgentSpec(
        "a", "command", env=(("LANG", "de"), ("QUARTERDECK_RUN", "forged"), ("OWN", "1")),
        pass_env=("EXTRA", "QUARTERDECK_DATA_DIR", "ABSENT"),
    )  # fmt: skip
    assert agent_environment(host, spec) == {
        "HOME": "/h", "PATH": "/p", "LC_ALL": "C", "XDG_RUNTIME_DIR": "/x", "LANG": "de", "OWN": "1",
    }  # fmt: skip
    assert passed_values(host, spec) == {"EXTRA": "e"}


def test_how_each_built_kind_is_launched() -> None:
    text = launch_of(Ask(AgentSpec("a", "command"), ("ls", "-l")))
    assert (text.argv, text.protocol, text.stdin, text.is_practice) == (("ls", "-l"), "text", "prompt", False)
    lines = launch_of(Ask(AgentSpec("a", "command", protocol="lines"), ("x",)))
    assert (lines.protocol, lines.stdin) == ("lines", "open")
    practice = launch_of(Ask(AgentSpec("a", "practice")))
    assert (practice.protocol, practice.stdin, practice.is_practice) == ("lines", "open", True)
    assert practice.argv[1:3] == ("-I", "-S")
    assert not any((one.env, one.wire) != ({}, {}) for one in (text, lines, practice))


def test_every_built_kind_has_a_module_and_no_other_is_launched() -> None:
    assert set(PROGRAMS) == set(AGENT_KINDS)
    for table in (sign_ins.PROGRAMS, KINDS_THAT_LISTEN, mcp_servers.KINDS, SILENT_KINDS):
        assert set(table) <= set(AGENT_KINDS)


def test_every_program_that_is_looked_for_names_the_settings_that_it_reads_by_itself() -> None:
    """Ruling 26: a kind without them would start what a folder says, unseen; of `acp`, which may be any program, all are looked at."""
    assert {kind for kind, one in PROGRAMS.items() if one.settings} == {
        kind for kind, one in PROGRAMS.items() if one.looked_for
    }
    assert set(settings_of("acp")) == {name for one in PROGRAMS.values() for name in one.settings}
    assert settings_of("command") == settings_of("nonsense") == ()


def test_every_wire_has_its_reader_for_people() -> None:
    """What a launch may say as its protocol is `text`, `lines`, or a wire that `LINE_READERS` reads."""
    known = {"text", "lines", *LINE_READERS}
    for kind in PROGRAMS:
        for permissions in (None, "ask"):
            mode = "asks" if kind == "acp" and permissions else None
            spec = AgentSpec("a", kind, permissions=permissions, mode=mode)
            asked = Ask(spec, ("/bin/a",), "/bin/a", "p", "/w")
            assert launch_of(asked).protocol in known


def test_a_look_seeks_every_program_that_a_launch_may_look_for() -> None:
    """codex-acp as well, which a Codex agent needs that asks a person."""
    for kind in ("claude-code", "codex", "gemini", "opencode"):
        for permissions in (None, "ask", "edits"):
            assert program_name(AgentSpec("a", kind, permissions=permissions)) in programs_looked_for()
    with pytest.raises(UnknownKind):
        adapter_for("nonsense", "lines", {})
    with pytest.raises(UnknownKind):
        launch_of(Ask(AgentSpec("a", "nonsense")))


@pytest.mark.parametrize("adapter", [TextCommand(), LinesProtocol()])
def test_agents_that_are_only_listened_to_are_told_nothing_and_end_by_themselves(adapter: Adapter) -> None:
    assert (adapter.begin(), adapter.take_input(), adapter.say("hello")) == (b"", b"", None)
    assert not adapter.is_over


@pytest.mark.parametrize("kind", [kind for kind in PROGRAMS if switches_of(kind)])
def test_what_switches_a_program_quiet_is_exactly_what_its_launch_sets_and_leaves_out(kind: str) -> None:
    """Telemetry and self-updates: off, shown by the settings as they are set, and gone where a person allows them."""
    asks = [
        Ask(AgentSpec("a", kind), ("/bin/a",), "/bin/a", "p", "/w", new_session="n", is_quiet=quiet)
        for quiet in (True, False)
    ]
    quiet, allowed = (
        {f"{name}={value}" for name, value in launch.env.items()} | set(launch.argv)
        for launch in map(launch_of, asks)
    )
    assert set(switches_of(kind)) == {one for one in quiet - allowed if one != "-c"}
    assert not allowed - quiet
