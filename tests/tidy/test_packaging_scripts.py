"""packaging/start, run for real in a small copy of the project with a stand-in for the program that it starts."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tidy.source import TOP

LOCK = "packaging/requirements.lock"


def _executable(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def _stamp(project: Path) -> str:
    digest = hashlib.sha256(str(project).encode())
    for name in (LOCK, "pyproject.toml"):
        digest.update(hashlib.sha256((project / name).read_bytes()).digest())
    return f"requirements.lock {digest.hexdigest()}\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout whose environment is up to date and whose `quarterdeck` says how it was called."""
    top = tmp_path / "checkout"
    shutil.copytree(TOP / "packaging", top / "packaging")
    shutil.copy(TOP / "pyproject.toml", top)
    examples = top / "resources" / "examples"
    examples.mkdir(parents=True)
    (examples / "repository-check.workflow.json").write_text("{}", encoding="utf-8")
    programs = top / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    _executable(programs / "quarterdeck", '#!/bin/sh\necho "called: $*"\n')
    # Every system package is installed, as far as the script can see.
    stand_ins = tmp_path / "bin"
    stand_ins.mkdir()
    _executable(stand_ins / "dpkg-query", '#!/bin/sh\necho "install ok installed"\n')
    _executable(stand_ins / "apt-get", '#!/bin/sh\necho "apt-get was called" >&2\nexit 1\n')
    (top / ".venv" / "quarterdeck-stamp").write_text(_stamp(top), encoding="utf-8")
    return top


def _start(project: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    home = project.parent / "home"
    home.mkdir(exist_ok=True)
    path = f"{project.parent / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(home), **more}
    return subprocess.run(
        ["sh", str(project / "packaging" / "start"), *arguments],
        cwd=project.parent,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_without_a_display_the_example_runs_in_the_terminal_and_this_is_said(project: Path) -> None:
    ran = _start(project)
    workspace = project.parent / "home" / ".local" / "share" / "quarterdeck-examples"
    assert ran.stdout == f"called: run {workspace}/repository-check.workflow.json\n", ran.stderr
    assert "no display" in ran.stderr
    assert (workspace / "repository-check.workflow.json").is_file()


def test_with_a_display_the_window_opens_on_the_workspace(project: Path) -> None:
    ran = _start(project, DISPLAY=":77", XDG_DATA_HOME=str(project.parent / "share"))
    assert ran.stdout == f"called: {project.parent / 'share' / 'quarterdeck-examples'}\n", ran.stderr


def test_a_changed_copy_of_the_examples_is_left_as_it_is(project: Path) -> None:
    _start(project)
    mine = (
        project.parent
        / "home"
        / ".local"
        / "share"
        / "quarterdeck-examples"
        / "repository-check.workflow.json"
    )
    mine.write_text("mine", encoding="utf-8")
    assert _start(project).returncode == 0
    assert mine.read_text(encoding="utf-8") == "mine"


def test_a_path_of_the_person_is_opened_instead(project: Path) -> None:
    ran = _start(project, "--yes", str(project.parent / "own.workflow.json"))
    assert ran.stdout == f"called: run {project.parent / 'own.workflow.json'}\n", ran.stderr
    assert not (project.parent / "home" / ".local").exists()


def test_a_relative_path_counts_from_where_the_person_is(project: Path) -> None:
    ran = _start(project, "here.workflow.json")
    assert ran.stdout == f"called: run {project.parent}/here.workflow.json\n", ran.stderr


def test_an_unknown_option_is_refused_with_the_usage(project: Path) -> None:
    ran = _start(project, "--fast")
    assert ran.returncode == 2
    assert "usage:" in ran.stderr
