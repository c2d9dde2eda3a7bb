"""Declared is used, used is declared, and the locks say what pyproject.toml says."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.tidy.source import TOP, imported, modules

# Where the name to import is not the distribution's.
IMPORT_NAMES = {
    "pyside6-essentials": {"PySide6", "shiboken6"},
    "pydantic": {"pydantic", "pydantic_core"},  # the core's errors are part of pydantic's documented face
}
# Programs that the example workspace runs; nothing imports them.
EXAMPLE_TOOLS = {"ruff", "pytest", "vulture", "radon"}
LOCKS = tuple(f"packaging/requirements{kind}.lock" for kind in ("", "-dev", "-bench"))

PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RUNTIME = [Requirement(line) for line in PROJECT["dependencies"]]
DEVELOPMENT = [Requirement(line) for line in PROJECT["optional-dependencies"]["dev"]]
PEERS = [
    Requirement(line)
    for extra, lines in PROJECT["optional-dependencies"].items()
    if extra.startswith("bench")
    for line in lines
]


def _import_names(distribution: str) -> set[str]:
    return IMPORT_NAMES.get(distribution, {distribution.replace("-", "_")})


def _third_party() -> dict[str, str]:
    """{top name: a place that imports it}"""
    known = sys.stdlib_module_names | {"quarterdeck"}
    return {
        name.split(".")[0]: f"{module.place}:{line}"
        for module in modules()
        for name, line in imported(module)
        if name.split(".")[0] not in known
    }


def test_every_runtime_dependency_is_imported_or_is_an_example_tool() -> None:
    used = set(_third_party())
    idle = {r.name for r in RUNTIME if r.name not in EXAMPLE_TOOLS and not _import_names(r.name) & used}
    assert not idle, f"declared and never imported; take them out of pyproject.toml: {sorted(idle)}"


def test_every_import_is_declared() -> None:
    declared = {name for r in RUNTIME if r.name not in EXAMPLE_TOOLS for name in _import_names(r.name)}
    undeclared = {name: place for name, place in _third_party().items() if name not in declared}
    assert not undeclared


def test_example_tools_are_run_by_the_example() -> None:
    words = set()
    for path in (TOP / "resources" / "examples").rglob("*"):
        if path.suffix in (".json", ".py", ".sh"):
            words |= set(re.findall(r"[\w-]+", path.read_text(encoding="utf-8")))
    assert words >= EXAMPLE_TOOLS, (
        f"not run by any example; take them out of pyproject.toml: {EXAMPLE_TOOLS - words}"
    )


def _locked(lock: str) -> dict[str, list[tuple[str, str]]]:
    """{name: [(version, marker)]}"""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in (TOP / lock).read_text(encoding="utf-8").splitlines():
        if match := re.match(r"([\w.-]+)==(\S+)(?: ; (.+?))? \\$", line):
            found.setdefault(canonicalize_name(match[1]), []).append((match[2], match[3] or ""))
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_satisfies_what_is_declared(lock: str) -> None:
    locked = _locked(lock)
    wanted = {LOCKS[0]: RUNTIME, LOCKS[1]: RUNTIME + DEVELOPMENT, LOCKS[2]: RUNTIME + DEVELOPMENT + PEERS}
    for requirement in wanted[lock]:
        versions = locked.get(canonicalize_name(requirement.name), [])
        assert any(requirement.specifier.contains(version) for version, _ in versions), (
            f"{requirement}: sh packaging/lock"
        )


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_names_versions_and_hashes_only(lock: str) -> None:
    line = re.compile(r"[\w.-]+==[\w.+-]+( ; [\w .<>=!'()]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    strange = [
        text for text in (TOP / lock).read_text(encoding="utf-8").splitlines() if not line.fullmatch(text)
    ]
    assert not strange


@pytest.mark.parametrize("larger", LOCKS[1:])
def test_larger_locks_hold_the_same_versions_of_what_they_share(larger: str) -> None:
    """A larger one may want a package on more platforms, and then has no marker there."""
    runtime, locked = _locked(LOCKS[0]), _locked(larger)
    for name, versions in runtime.items():
        assert {version for version, _ in versions} == {version for version, _ in locked.get(name, [])}, name
        markers = {marker for _, marker in locked[name]}
        assert markers <= {*(marker for _, marker in versions), ""}, name
