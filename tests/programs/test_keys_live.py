"""Where the key of an entry goes, seen with the real programs where QUARTERDECK_LIVE names them: to the service that it is for.

`QUARTERDECK_LIVE=codex,codex-acp,opencode python -m pytest tests/programs/test_keys_live.py`
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.domain.sign_ins import Credential, CredentialKind
from quarterdeck.store.credentials_file import write_credential
from tests.agents.terminal import only_attempt, quarterdeck, reports_of, write_workflow
from tests.service import programs
from tests.service.openai_service import OpenAIService
from tests.service.proxy import RefusingProxy

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
KEY = "sk-canary-of-the-entry"


@pytest.fixture
def proxy() -> Iterator[RefusingProxy]:
    with RefusingProxy() as running:
        yield running


def _environment(folder: Path, *names: str, proxy: RefusingProxy) -> dict[str, str]:
    """The terminal's: with these programs on its PATH, and no way out of this machine. Skips where one is not there."""
    for name in names:
        found = programs.program(name)
        if found.missing:
            pytest.skip(f"{name} is not played for real: {found.missing}")
    bins = [str(programs.path_of(name).parent) for name in names]
    home = {"HOME": str(folder / "home"), "CODEX_HOME": str(folder / "home")}
    (folder / "home").mkdir()
    path = os.pathsep.join([*bins, os.environ["PATH"]])
    return {**os.environ, **home, **proxy.environment, "PATH": path, "WORK_KEY": KEY}


def _passed(env: dict[str, str]) -> dict[str, str]:
    names = ("CODEX_HOME", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
    return {name: env[name] for name in names}


def test_codex_acp_asks_its_service_with_the_key_and_writes_it_nowhere(
    tmp_path: Path, proxy: RefusingProxy
) -> None:
    """It was never signed in, and the good key was remembered as dead."""
    env = _environment(tmp_path, "codex", "codex-acp", proxy=proxy)
    agent = {
        "kind": "codex",
        "permissions": "edits",
        "credential": "env:WORK_KEY",
        "env": _passed(env),
    }

    code, shown = quarterdeck("run", str(write_workflow(tmp_path / "space", agent)), "--json", env=env)

    assert (code, only_attempt(shown)["status"]) == (1, "failed")
    errors = [one for one in reports_of(Path(os.environ["QUARTERDECK_DATA_DIR"])) if one["kind"] == "error"]
    assert errors
    assert all(one["class"] != "auth" for one in errors), errors
    assert "api.openai.com:443" in proxy.hosts()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []


@pytest.fixture
def service() -> Iterator[OpenAIService]:
    with OpenAIService() as running:
        yield running


@pytest.mark.parametrize("kind", ["codex", "codex-acp", "opencode"])
def test_a_key_goes_to_the_endpoint_of_its_entry_and_nobody_else_is_called(
    tmp_path: Path, proxy: RefusingProxy, service: OpenAIService, kind: str
) -> None:
    """Codex reads no OPENAI_BASE_URL, and OpenCode no variable at all. Nobody else is called: docs/codex-and-opencode.md says what
    codex-acp needs for that in a file of the person's, and whom OpenCode asks for its own plug-in.
    """
    env = _environment(tmp_path, *(("codex", "codex-acp") if kind == "codex-acp" else (kind,)), proxy=proxy)
    variable = "OPENAI_API_KEY" if kind == "opencode" else "CODEX_API_KEY"
    entry = Credential(
        "work", CredentialKind.ENVIRONMENT, program="openai", endpoint=service.url("plain"), variable=variable
    )
    (tmp_path / "home" / "config.toml").write_text(
        "[features]\nplugins = false\n" if kind == "codex-acp" else ""
    )
    write_credential(Path(os.environ["QUARTERDECK_CONFIG_DIR"]), entry)
    agent = {
        "kind": kind.removesuffix("-acp"),
        "permissions": "edits" if kind == "codex-acp" else "full",
        "credential": "work",
        "env": _passed(env),
        **({"model": "openai/gpt-5"} if kind == "opencode" else {}),
    }

    code, shown = quarterdeck(
        "run", str(write_workflow(tmp_path / "space", agent)), "--json", env={**env, variable: KEY}
    )

    assert (code, only_attempt(shown)["status"]) == (0, "succeeded"), shown
    told = [{name.lower(): value for name, value in call.headers.items()} for call in service.asked("plain")]
    assert {headers["authorization"] for headers in told} == {f"Bearer {KEY}"}
    others = {host for host in proxy.hosts() if kind != "opencode" or not host.startswith("registry.")}
    assert others == set()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
