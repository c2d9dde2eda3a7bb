"""The project's own papers tell the truth about it, and nothing in them names a machine or an index."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.tidy.source import PACKAGE, TOP, tracked_files

ROOMS = ("ui", "cli", "engine", "shim", "agents", "store", "domain")
TOP_LEVEL = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "AGENTS.md"} | {
    "app", "resources", "tests", "packaging", "docs",
}  # fmt: skip

# Style rule 1: one meaning for each, told in the glossary.
TERMS = (
    "workflow", "revision", "pin", "binding", "run", "slot", "attempt", "lease", "epoch", "claim", "reassign", "resume", "sitting",
    "effect", "projection", "shim",
)  # fmt: skip

# The highest number of each family of requirement ids; a reference beyond it is a slip of the pen.
REQUIREMENT_IDS = {
    "ID": 6, "OWN": 8, "STO": 10, "JNL": 10, "REC": 17, "AUT": 9, "PIN": 6, "SLT": 21, "LSE": 5, "EFF": 7, "CON": 5, "NOT": 12,
    "FIM": 4,
}  # fmt: skip


def _read(name: str) -> str:
    return (TOP / name).read_text(encoding="utf-8")


def test_top_level_holds_what_the_design_admits() -> None:
    names = {path.relative_to(TOP).parts[0] for path in tracked_files()}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


def test_no_foreign_lock_or_version_file_is_committed() -> None:
    names = {path.name for path in tracked_files()}
    assert not names & {"uv.lock", ".python-version", "poetry.lock", "Pipfile.lock", "pip.conf", "uv.toml"}


def test_readme_commands_exist() -> None:
    readme = _read("README.md")
    for command in ("packaging/start", "packaging/test"):
        assert f"sh {command}" in readme
        assert os.access(TOP / command, os.X_OK)
    assert "sh packaging/test" in _read(".ci/run")


@pytest.mark.parametrize("script", ["start", "test", "lock", "setup.sh"])
def test_shell_scripts_are_posix_and_parse(script: str) -> None:
    ran = subprocess.run(
        ["sh", "-n", str(TOP / "packaging" / script)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert not re.search(r"\[\[|\bfunction \w|<\(|^\s*local ", _read(f"packaging/{script}"), flags=re.M), (
        "not POSIX"
    )


def test_architecture_names_every_room_and_folder() -> None:
    text = _read("docs/architecture.md")
    present = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert present <= set(ROOMS)
    folders = [
        p.parent.relative_to(PACKAGE).as_posix() for p in PACKAGE.rglob("__init__.py") if p.parent != PACKAGE
    ]
    missing = [folder for folder in folders if f"{folder}/" not in text]
    assert not missing, f"docs/architecture.md does not say what lives in {missing}"


@pytest.mark.parametrize("term", TERMS)
def test_glossary_explains(term: str) -> None:
    assert re.search(rf"^\*\*{term}\*\*", _read("docs/glossary.md"), flags=re.M)


def test_changelog_tells_the_version_of_the_package() -> None:
    version = re.search(r'__version__ = "(.+)"', (PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    assert version is not None
    text = _read("CHANGELOG.md")
    assert f"[{version[1]}]" in text
    assert len(re.findall(r"^- ", text, flags=re.M)) >= 3


def test_decisions_have_a_number_each_and_say_what_was_decided() -> None:
    decisions = sorted((TOP / "docs" / "adr").glob("*.md"))
    numbers = [path.name[:4] for path in decisions]
    assert all(number.isdigit() for number in numbers)
    assert len(set(numbers)) == len(numbers)
    for path in decisions:
        heading = re.match(r"# (\d+)\W+\w", path.read_text(encoding="utf-8"))
        assert heading is not None, path.name
        assert int(heading[1]) == int(path.name[:4])


def _texts() -> list[tuple[Path, str]]:
    found = []
    for path in tracked_files():
        content = path.read_bytes()
        if b"\0" not in content[:8000]:
            found.append((path, content.decode("utf-8", errors="replace")))
    return found


# Written in pieces, so that this file does not name them.
HOSTS = re.compile(
    "|".join(
        (
            "py" + r"pi\.org",
            "python" + "hosted",
            "npm" + r"js\.(org|com)",
            r"deb\." + "debian",
            "crates" + r"\.io",
        )
    )
)
HOMES = re.compile(
    r"(?<![\w./~-])/(?:"
    + "|".join(("wo" + "rk", "ro" + "ot", "fa" + "rm"))
    + r")/|/home/(?!ada\b|user\b|someone\b)\w"
)
# Assembled for the same reason.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b[:( ]")


def test_no_file_names_a_package_index_or_a_path_of_one_machine() -> None:
    named = [
        f"{path.relative_to(TOP)}: {match[0]}"
        for path, text in _texts()
        for match in (HOSTS.search(text), HOMES.search(text))
        if match
    ]
    assert not named, "the project names no index host and no machine's folders:\n" + "\n".join(named)


def test_nothing_is_left_unfinished_in_the_product() -> None:
    marked = [
        f"{path.relative_to(TOP)}:{number}"
        for path, text in _texts()
        if path.is_relative_to(PACKAGE) and "survey" not in path.name
        for number, line in enumerate(text.splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert not marked, "a mark for later is an unkept promise; do it or open an issue:\n" + "\n".join(marked)


def test_requirement_ids_exist() -> None:
    pattern = re.compile(r"\b(" + "|".join(REQUIREMENT_IDS) + r")(\d{1,2})\b")
    unknown = [
        f"{path.relative_to(TOP)}: {match[0]}"
        for path, text in _texts()
        if path.suffix == ".py" and not path.is_relative_to(TOP / "resources")
        for match in pattern.finditer(text)
        if not 1 <= int(match[2]) <= REQUIREMENT_IDS[match[1]]
    ]
    assert not unknown
