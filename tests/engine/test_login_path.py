"""The PATH of the login shell: asked on a look, bounded, and taken into use only where the person says so (case 131)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quarterdeck.domain.preferences import Preferences
from quarterdeck.engine import login_path as login_path_module
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.local_household import LocalHousehold, bundled_examples
from quarterdeck.engine.login_path import login_path
from quarterdeck.engine.programs import find_program, host_path
from quarterdeck.engine.service import Engine
from tests.engine.works import to_end, write

BASH = "/bin/bash"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose interactive start file adds a folder, as nvm does, and a desktop's short PATH."""
    tools = tmp_path / "home" / ".nvm" / "v22" / "bin"
    tools.mkdir(parents=True)
    (tmp_path / "home" / ".bashrc").write_text(f'echo "Welcome back!"\nexport PATH="{tools}:$PATH"\n')
    (tmp_path / "home" / ".bash_profile").write_text('[ -n "$PS1" ] && . "$HOME/.bashrc"\n')
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SHELL", BASH)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(tmp_path / "config"))
    return tools


def put(folder: Path, name: str, body: str, first: str = "#!/bin/sh") -> Path:
    path = folder / name
    path.write_text(f"{first}\n{body}\n")
    path.chmod(0o755)
    return path


async def test_case_131_a_program_that_only_the_login_shell_has_is_found_shown_and_used_after_a_click(
    home: Path, tmp_path: Path, engine: Engine
) -> None:
    """Case 131: a window started by a desktop lacks nvm's folder. The program needs a neighbour from there to run at all."""
    put(home, "node", 'echo "node 22.1 runs ${1##*/}"')
    put(home, "gemini", "console.log(1)", first="#!/usr/bin/env node")
    put(home, "codex", "echo codex-cli 0.58.0")
    house = LocalHousehold(tmp_path / "data", bundled_examples(), tmp_path / "config")
    found = {one.name: one for one in (await house.look_for_agents()).programs}
    assert found["codex"].path == str(home / "codex")
    assert (found["codex"].version, found["codex"].only_in_login) == ("0.58.0", True)
    assert found["gemini"].version == "22.1"
    assert not find_program("gemini", tmp_path, host_path())
    path = write(tmp_path, {"a": {"kind": "command", "argv": ["gemini"]}})
    refused = await engine.launch(LaunchRequest(path, {}))
    assert "not installed" in refused.message  # type: ignore[union-attr]

    assert await house.keep_preferences(Preferences(program_folders=(found["gemini"].folder,))) == ""
    view = await to_end(engine, path)
    assert view.slots[0].attempts[0].output.strip() == "node 22.1 runs gemini"
    again = {one.name: one for one in (await house.look_for_agents()).programs}
    assert not again["gemini"].only_in_login


async def test_what_is_only_looked_at_gets_no_secret(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that agents are given by `env:` stands in this environment; neither the shell nor a program has any use for it."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-canary-of-the-app")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))
    with (home.parents[2] / ".bashrc").open("a") as start:
        start.write(f"env > {tmp_path}/shell-env\n")
    put(home, "codex-acp", f"env > {tmp_path}/program-env; echo 2.6.0")
    house = LocalHousehold(tmp_path / "data", bundled_examples(), tmp_path / "config")

    found = {one.name: one for one in (await house.look_for_agents()).programs}

    assert found["codex-acp"].version == "2.6.0"
    for told in ("shell-env", "program-env"):
        env = (tmp_path / told).read_text()
        assert "sk-canary" not in env
        assert f"HOME={tmp_path / 'home'}\n" in env
        assert f"XDG_CONFIG_HOME={tmp_path / 'config-home'}\n" in env


def test_what_start_files_print_and_a_shell_that_fails_or_hangs_are_bounded(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = login_path()
    assert told.folders[0] == str(home)
    assert {"/usr/bin", "/bin"} <= set(told.folders)
    assert all(os.path.isabs(folder) for folder in told.folders)
    assert login_path("/usr/bin/tcsh").fault == (
        "The login shell “/usr/bin/tcsh” is not one that can be asked for its PATH."
    )
    assert login_path("/nowhere/zsh").fault.startswith("The login shell /nowhere/zsh did not tell its PATH: ")
    ends = put(tmp_path, "zsh", "exit 3")
    assert login_path(str(ends)).fault.endswith("it ended with exit 3.")
    monkeypatch.setattr(login_path_module, "WAIT_S", 0.3)
    hangs = put(tmp_path, "fish", "exec /bin/sleep 60")
    assert login_path(str(hangs)).fault.endswith("it did not answer in time.")


def test_a_shell_that_leaves_something_running_has_still_told_its_path(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start file that starts an agent for keys keeps the pipe open; it is not waited for, and ended with the shell."""
    monkeypatch.setattr(login_path_module, "WAIT_S", 1.0)
    (home.parents[2] / ".bashrc").write_text('sleep 60 &\nexport PATH="/opt/own:$PATH"\n')
    assert login_path().folders[0] == "/opt/own"


def test_folders_of_the_settings_come_before_those_of_path_and_odd_ones_are_passed_over(
    home: Path, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    (config / "settings.toml").write_text(
        '[programs]\nfolders = ["relative", "/opt/a", "/usr/bin", "/b:/c"]\n'
    )
    assert host_path() == "/opt/a:/usr/bin:/bin"
    (config / "settings.toml").write_text("[programs]\nfolders = 7\n")
    assert host_path() == "/usr/bin:/bin"
