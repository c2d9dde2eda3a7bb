"""PIN6: which program an attempt ran with, by path and version, and what is said where a resume finds another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quarterdeck.cli.detail import run_detail
from quarterdeck.cli.reopening import Reopening, _differences
from quarterdeck.domain.record import run_from_record
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.show import record_of
from quarterdeck.engine.program_files import compare, program_files
from quarterdeck.engine.program_version import program_version
from quarterdeck.engine.service import Engine
from tests.engine.works import A, attempt_of, ended, slot_of, to_end, write

FAILS = '#!/bin/sh\necho \'{"type": "text", "text": "no"}\'\nexit 1\n'


def package(folder: Path, version: str, script: str = FAILS) -> Path:
    """A program as npm installs it: a link to a script in a package."""
    home = folder / "lib" / "node_modules" / "@maker" / "agent"
    (home / "bin").mkdir(parents=True, exist_ok=True)
    (home / "package.json").write_text(json.dumps({"name": "@maker/agent", "version": version}))
    (home / "bin" / "agent.sh").write_text(script)
    (home / "bin" / "agent.sh").chmod(0o755)
    link = folder / "bin" / "agent"
    link.parent.mkdir(exist_ok=True)
    if not link.is_symlink():
        link.symlink_to("../lib/node_modules/@maker/agent/bin/agent.sh")
    return link


def test_the_version_of_a_package_is_that_of_its_program(tmp_path: Path) -> None:
    assert program_version(str(package(tmp_path, "1.4.2"))) == "1.4.2"


@pytest.mark.parametrize(
    ("place", "link", "version"),
    [
        ("share/claude/versions/2.1.197", "claude", "2.1.197"),
        ("Cellar/codex/0.171.0/bin/codex", "codex", "0.171.0"),
        (".pyenv/versions/3.11.7/bin/aider", "aider", ""),
        ("bin/plain", "plain", ""),
    ],
)
def test_a_folder_tells_a_version_only_below_the_name_of_the_program(
    tmp_path: Path, place: str, link: str, version: str
) -> None:
    real = tmp_path / place
    real.parent.mkdir(parents=True)
    real.write_text("#!/bin/sh\n")
    named = tmp_path / "on-path" / link
    named.parent.mkdir()
    named.symlink_to(real)
    assert program_version(str(named)) == version


def test_what_cannot_be_read_has_no_version(tmp_path: Path) -> None:
    link = package(tmp_path, "1.0")
    package_file = tmp_path / "lib" / "node_modules" / "@maker" / "agent" / "package.json"
    for content in ("[]", "{", '{"version": 3, "name": "x"}', '{"version": "1"}'):
        package_file.write_text(content)
        assert program_version(str(link)) == ""
    assert program_version(str(tmp_path / "nowhere")) == ""
    assert program_version("a\0b") == ""


async def test_a_resume_with_another_version_says_so_before_and_after(engine: Engine, tmp_path: Path) -> None:
    """The script stays the same file: only its package tells. In the second step, in `resume`, in `show` and in the record."""
    tool = package(tmp_path, "1.4.2")
    agent = {"kind": "command", "protocol": "lines", "argv": [str(tool)]}
    view = await to_end(engine, write(tmp_path, {"a": agent}))
    first = attempt_of(view, "a")
    assert (first.program, first.program_version) == (str(tool), "1.4.2")
    package(tmp_path, "1.5.0")
    before = await engine.recovery.before_resume(view.run_id, A)
    assert not isinstance(before, Refusal)
    words = "version 1.5.0 now, 1.4.2 at the last start"
    assert [(one.path, one.words) for one in before.choices[0].files if one.differs] == [(str(tool), words)]
    assert f"{tool}: {words}." in _differences(before, Reopening(view.run_id, "a", "again"))
    assert await engine.reassign(view.run_id, A, "again") is None
    assert not isinstance(await engine.claim(view.run_id, A), Refusal)
    view = await ended(engine, view.run_id)
    told = run_detail(view, 0)
    assert f"program {tool}, version 1.4.2\n" in told
    assert f"program {tool}, version 1.5.0 (another version than attempt 1, which ran with 1.4.2)" in told
    versions = [one.program_version for one in slot_of(view, "a").attempts]
    assert versions == ["1.4.2", "1.5.0"]
    assert run_from_record(json.loads(json.dumps(record_of(view)))) == view


def test_what_the_program_itself_told_counts_where_its_place_told_nothing(tmp_path: Path) -> None:
    [now] = compare({"files": []}, str(package(tmp_path, "1.5.0")), "1.4.2")
    assert now.words == "version 1.5.0 now, 1.4.2 at the last start"
    assert compare({"files": []}, str(package(tmp_path, "1.4.2")), "1.4.2") == ()


def test_a_launcher_that_leads_elsewhere_is_another_program_though_it_is_the_same_text(
    tmp_path: Path,
) -> None:
    """Two versions of a program whose own script is the same small file."""
    for version in ("one", "two"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "run").write_text("#!/bin/sh\n")
    link = tmp_path / "tool"
    link.symlink_to(tmp_path / "one" / "run")
    before = {"files": program_files([str(link)], str(tmp_path))}
    assert [one.differs for one in compare(before)] == [False]
    link.unlink()
    link.symlink_to(tmp_path / "two" / "run")
    [now] = compare(before)
    assert now.differs
    assert now.words == f"it leads to {tmp_path}/two/run now, to {tmp_path}/one/run at the last start"
