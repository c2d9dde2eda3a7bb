"""Where the key of an entry goes, seen with the real programs where QUARTERDECK_LIVE names them: to the service that it is for.

`QUARTERDECK_LIVE=codex,codex-acp,opencode python -m pytest tests/programs/test_keys_live.py`
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.terminal import only_attempt, quarterdeck, reports_of, write_workflow
from tests.service import programs
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
    assert errors and all(one["class"] != "auth" for one in errors), errors
    assert "api.openai.com:443" in proxy.hosts()
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert kept == []
