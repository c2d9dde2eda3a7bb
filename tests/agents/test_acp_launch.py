"""How agents of the Agent Client Protocol are launched: what stands in the command, in the environment and in the wire."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.acp_agent import first_id
from quarterdeck.agents.launching import Ask, CannotLaunch
from quarterdeck.agents.registry import launch_of, program_name, wants_words
from quarterdeck.agents.sign_ins import credential_variable
from quarterdeck.domain.workflow import AgentSpec


def ask(kind: str, argv: tuple[str, ...] = (), session: str | None = None, **fields: Any) -> Ask:
    spec = AgentSpec("agent", kind, argv=argv, **fields)
    program = argv[0] if argv else "/opt/bin/gemini"
    return Ask(spec, argv, program, "do it", "/w", session, "11111111-2222-4333-8444-555555555555")


def test_gemini_is_found_by_its_name_and_told_everything_in_words() -> None:
    assert program_name(AgentSpec("a", "gemini")) == "gemini"
    assert program_name(AgentSpec("a", "gemini", argv=("/opt/gemini",))) == "/opt/gemini"
    assert program_name(AgentSpec("a", "acp", argv=("some-agent",))) == "some-agent"
    assert credential_variable("gemini") == "GEMINI_API_KEY"
    assert wants_words("gemini")
    assert wants_words("acp")


def test_gemini_speaks_the_protocol_with_telemetry_and_its_second_process_switched_off() -> None:
    """Telemetry is off by default, and every switch can be outranked by the agent's own `env` (agents.environment)."""
    launch = launch_of(ask("gemini", model="gemini-2.5-pro"))

    assert launch.argv == ("/opt/bin/gemini", "--acp", "--skip-trust", "-m", "gemini-2.5-pro")
    assert launch_of(ask("gemini", ("npx", "a-gemini"))).argv == ("npx", "a-gemini", "--acp", "--skip-trust")
    assert (launch.protocol, launch.stdin, launch.is_practice) == ("acp", "open", False)
    assert launch.env == {"GEMINI_TELEMETRY_ENABLED": "false", "GEMINI_CLI_NO_RELAUNCH": "true"}
    told = {"prompt": "do it", "cwd": "/w", "session": None, "mode": "default", "model": ""}
    assert launch.wire == {**told, "first_id": launch.wire["first_id"]}
    assert json.loads(json.dumps(launch.wire)) == launch.wire


@pytest.mark.parametrize(
    "given",
    [
        {"credential": "env:K"},
        {"credential": "mine", "credential_env": "GEMINI_API_KEY"},
        {"secrets": (("GEMINI_API_KEY", "env:K"),)},
        {"pass_env": ("GEMINI_API_KEY",)},
    ],
)
def test_a_key_alone_is_enough_to_take_up_a_session(given: dict[str, Any]) -> None:
    assert "GOOGLE_GEMINI_BASE_URL" in launch_of(ask("gemini", **given)).env
    assert (
        "GOOGLE_GEMINI_BASE_URL"
        not in launch_of(ask("gemini", credential="env:X", credential_env="OTHER")).env
    )


@pytest.mark.parametrize(
    ("permissions", "mode"),
    [(None, "default"), ("ask", "default"), ("edits", "autoEdit"), ("plan", "plan"), ("full", "yolo")],
)
def test_permissions_are_geminis_modes_and_absent_is_asking(permissions: str | None, mode: str) -> None:
    assert launch_of(ask("gemini", permissions=permissions)).wire["mode"] == mode


def test_permissions_that_a_program_does_not_have_are_refused_in_words() -> None:
    with pytest.raises(CannotLaunch, match=r"“most”.*“ask”"):
        launch_of(ask("gemini", permissions="most"))
    with pytest.raises(CannotLaunch, match=r"“full”.*`mode`"):
        launch_of(ask("acp", ("some-agent",), permissions="full"))


def test_any_agent_is_started_as_its_command_stands() -> None:
    launch = launch_of(ask("acp", ("some-agent", "--acp"), session="s-1", mode="default", model="m"))

    assert launch.argv == ("some-agent", "--acp")
    told = {"prompt": "do it", "cwd": "/w", "session": "s-1", "mode": "default", "model": "m"}
    assert launch.wire == {**told, "first_id": launch.wire["first_id"]}


def test_each_attempt_numbers_its_requests_from_another_number() -> None:
    """AUT6: an answer that stood in the log of another talk answers nothing here."""
    ids = [first_id(str(uuid.uuid4())) for _ in range(200)]
    assert len(set(ids)) > 190
    assert all(0 <= one < 1 << 28 for one in ids)
    adapter = AcpAdapter({"prompt": "do it", "first_id": ids[0]})
    assert json.loads(adapter.begin())["id"] == ids[0]


def test_an_agent_that_is_to_ask_needs_the_name_of_the_mode_that_asks() -> None:
    with pytest.raises(CannotLaunch, match="`mode`"):
        launch_of(ask("acp", ("some-agent",), permissions="ask"))
    assert launch_of(ask("acp", ("some-agent",), permissions="ask", mode="default")).wire["mode"] == "default"


def test_an_agent_without_a_command_is_refused_in_words() -> None:
    with pytest.raises(CannotLaunch, match="`argv`"):
        launch_of(ask("acp"))
