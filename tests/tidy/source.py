"""The product's source as syntax trees, for the other files of this folder. Read once for each test process."""

from __future__ import annotations

import ast
import functools
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
PACKAGE = TOP / "app" / "quarterdeck"


@dataclass(frozen=True)
class Module:
    path: Path
    text: str
    tree: ast.Module

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """Every node of the tree. Walking a tree takes longer than most rules need to look at its nodes."""
        return tuple(ast.walk(self.tree))

    @functools.cached_property
    def place(self) -> str:
        """Relative to the package: ``shim/ending.py``."""
        return self.path.relative_to(PACKAGE).as_posix()

    @functools.cached_property
    def room(self) -> str:
        """The first folder, or the file's own name at the top: ``shim``, ``bootstrap.py``."""
        return self.place.split("/", maxsplit=1)[0]


@functools.cache
def modules() -> tuple[Module, ...]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path, text, ast.parse(text, filename=str(path))))
    return tuple(found)


@functools.cache
def tracked_files() -> tuple[Path, ...]:
    """What git holds or would hold; without git (a source archive), every file outside dot folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TOP,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [p.relative_to(TOP).as_posix() for p in TOP.rglob("*") if not _is_hidden(p)]
    return tuple(sorted(TOP / name for name in names if (TOP / name).is_file()))


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(TOP).parts)


def definitions(module: Module) -> Iterator[tuple[str, ast.AST]]:
    """Every function and class with its qualified name, methods and nested ones included."""

    def walk(node: ast.AST, prefix: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                name = f"{prefix}{child.name}"
                yield name, child
                yield from walk(child, name + ".")
            else:
                yield from walk(child, prefix)

    yield from walk(module.tree, "")


def dotted(node: ast.AST) -> str:
    """``a.b.c`` for a chain of names, an empty string for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        return f"{left}.{node.attr}" if left else ""
    return ""


def imported(module: Module) -> Iterator[tuple[str, int]]:
    """Absolute names of everything that the module imports, at any depth, with the line."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or "", node.lineno
