"""What `pass_env` lets through may hold a key: it reaches the agent and lies in no file of ours (case 140, PIN1)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from quarterdeck.agents.environment import passed_secrets, passed_values
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.export_secrets import secrets_to_seek
from quarterdeck.engine.service import Engine
from tests.engine.works import python, to_end, write

TOKEN, CHOICE = "canary-token-0f3b9c77", "canary-choice-51ad22"


def _seen(name: str) -> str:
    return f"hashlib.sha256(os.environ[{name!r}].encode()).hexdigest()"


async def test_values_that_pass_env_lets_through_reach_the_agent_and_lie_in_no_file(
    engine: Engine, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", TOKEN)
    monkeypatch.setenv("CHOICE", CHOICE)
    source = f"import hashlib\nsay('output', value={_seen('SERVICE_TOKEN')} + {_seen('CHOICE')})\n"
    view = await to_end(
        engine, write(tmp_path, {"a": python(source, pass_env=["SERVICE_TOKEN", "CHOICE", "NOT_SET"])})
    )
    [slot] = view.slots
    transcript = next((data / "runs" / view.run_id).rglob("transcript"), None)
    assert transcript is not None
    for value in (TOKEN, CHOICE):
        assert hashlib.sha256(value.encode()).hexdigest().encode() in transcript.read_bytes(), slot.reason
        holding = [path for path in data.rglob("*") if path.is_file() and value.encode() in path.read_bytes()]
        assert not holding, holding
    launch = json.loads(next(data.rglob("launch.json")).read_text())
    assert launch["secret_names"] == ["SERVICE_TOKEN"]


async def test_an_export_looks_for_secrets_that_pass_env_let_through(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVICE_TOKEN", TOKEN)
    monkeypatch.setenv("CHOICE", CHOICE)
    source = "say('output', value='the token is ' + os.environ['SERVICE_TOKEN'])\n"
    view = await to_end(engine, write(tmp_path, {"a": python(source, pass_env=["SERVICE_TOKEN", "CHOICE"])}))
    sought = secrets_to_seek(engine._store, view.run_id, None)
    assert ("SERVICE_TOKEN", "env:SERVICE_TOKEN") in sought.sought
    assert TOKEN in sought.values.values()
    assert CHOICE not in sought.values.values()


def test_what_pass_env_names_is_a_secret_by_its_name_its_service_or_a_server_that_refers_to_it() -> None:
    server = {"s": {"command": "serve", "args": ["--as", "${WHO}", "${HOME}"]}}
    names = (
        "EDITOR",
        "GH_TOKEN",
        "db_password",
        "CODEX_API_KEY",
        "WHO",
        "HOME",
        "GEMINI_API_KEY",
        "TOKENIZERS",
    )
    spec = AgentSpec("a", "acp", pass_env=names, mcp_servers=server)
    assert passed_secrets(spec) == ("GH_TOKEN", "db_password", "CODEX_API_KEY", "WHO", "GEMINI_API_KEY")


def test_env_outranks_pass_env_and_what_every_agent_gets_passes_anyway() -> None:
    """A program's own defaults do not: a base URL of the person's outranks the one that Gemini is told."""
    spec = AgentSpec("a", "command", env=(("OWN", "1"),), pass_env=("OWN", "LANG", "GOOGLE_GEMINI_BASE_URL"))
    host = {"OWN": "0", "LANG": "de", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1"}
    assert passed_values(host, spec) == {"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1"}
