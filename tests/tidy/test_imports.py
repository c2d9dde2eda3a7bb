"""What rooms may load, where import-linter's contracts cannot see it: the standard library, and what a process really has."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.tidy.source import PACKAGE, imported, modules

# Pure: no clock, no chance, no files, no processes, no network (style rule 11).
PURE = {
    "__future__", "abc", "ast", "base64", "binascii", "bisect", "collections", "copy", "dataclasses", "decimal", "enum", "fractions",
    "functools", "graphlib", "hashlib", "heapq", "html", "itertools", "json", "math", "numbers", "operator", "posixpath", "re", "string",
    "textwrap", "types", "typing", "unicodedata", "zlib",
}  # fmt: skip

# The shim's own weight counts forty times; its memory and its first byte are measured limits.
HEAVY = (
    "asyncio",
    "pydantic",
    "orjson",
    "PySide6",
    "qasync",
    "typer",
    "jinja2",
    "psutil",
    "filelock",
    "email",
    "http",
    "unittest",
    "xml",
)


def test_domain_imports_only_pure_parts_of_the_standard_library_and_itself() -> None:
    impure = [
        f"{module.place}:{line} {name}"
        for module in modules()
        if module.room == "domain"
        for name, line in imported(module)
        if name.split(".")[0] not in PURE and not name.startswith("quarterdeck.domain")
    ]
    assert not impure, "what varies comes in as an argument:\n" + "\n".join(impure)


def _loaded_in_a_bare_interpreter(name: str) -> set[str]:
    program = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); import importlib, json; "
        f"importlib.import_module({name!r}); print(json.dumps(sorted(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{name} cannot be imported by `python -I -S`:\n{ran.stderr}"
    return set(json.loads(ran.stdout))


SHIM = [
    m.place.removesuffix(".py").replace("/", ".")
    for m in modules()
    if m.room == "shim" and "__main__" not in m.place
]


@pytest.mark.parametrize("name", SHIM)
def test_shim_runs_in_a_bare_interpreter_without_heavy_modules(name: str) -> None:
    loaded = _loaded_in_a_bare_interpreter("quarterdeck." + name.removesuffix(".__init__"))
    heavy = sorted({module.split(".")[0] for module in loaded} & set(HEAVY))
    assert not heavy


def test_the_package_itself_loads_nothing() -> None:
    program = (
        "import sys; before = set(sys.modules); import quarterdeck; print(sorted(set(sys.modules) - before))"
    )
    ran = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); " + program,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "['quarterdeck']"
