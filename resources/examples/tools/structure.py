"""Dead code (vulture) and complexity (radon) of the Python files. usage: structure.py FOLDER"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import warnings
from pathlib import Path

import agent
import folder as examined

CONFIDENCE_MIN = 60
LISTED = 12
RANKS = ((5, "A"), (10, "B"), (20, "C"), (30, "D"), (40, "E"))


def examine() -> dict:
    folder = examined.folder_of(sys.argv)
    names, remark = examined.python_files(folder)
    if not names:
        return {"problem": "There are no Python files to look at.", "functions": 0, "dead": 0}
    missing = agent.run_with_modules("vulture", "radon")
    if missing:
        return {"problem": missing}
    warnings.simplefilter("ignore")  # of the examined code
    readable, unreadable = read_sources(folder, names)
    remarks = [remark] if remark else []
    if unreadable:
        listed = ", ".join(examined.shown(name) for name in unreadable[:5])
        remarks.append(f"{len(unreadable)} file(s) could not be read as Python and are left out: {listed}.")
    agent.progress(1, 3, "complexity")
    found = complexity(readable)
    agent.progress(2, 3, "dead code")
    unused = dead_code(folder, list(readable))
    agent.progress(3, 3, "done")
    return {**found, **unused, "files": len(readable), "unreadable": len(unreadable), "remarks": remarks}


def read_sources(folder: Path, names: list[str]) -> tuple[dict[str, str], list[str]]:
    """{name: text} of the files that are Python, and the names of those that are not."""
    import ast
    import tokenize

    readable: dict[str, str] = {}
    unreadable: list[str] = []
    for name in names:
        try:
            with tokenize.open(folder / name) as file:
                text = file.read()
            ast.parse(text)
            readable[name] = text
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            unreadable.append(name)
    return readable, unreadable


def complexity(sources: dict[str, str]) -> dict:
    """Cyclomatic complexity of every function and method."""
    from radon.visitors import ComplexityVisitor

    blocks = []
    for name, text in sources.items():
        visited = ComplexityVisitor.from_code(text)
        functions = [*visited.functions, *_methods(visited.classes)]
        blocks += [(f.complexity, f.fullname, examined.shown(name), f.lineno) for f in functions]
    ranks = {"A": 0, "B": 0, "C": 0, "D": 0, "E": 0, "F": 0}
    for value, *_ in blocks:
        ranks[next((letter for most, letter in RANKS if value <= most), "F")] += 1
    blocks.sort(key=lambda block: (-block[0], block[2], block[3]))
    mean = round(sum(block[0] for block in blocks) / len(blocks), 2) if blocks else None
    return {
        "functions": len(blocks),
        "mean_complexity": mean,
        "ranks": ranks,
        "most_complex": [[full, f"{name}:{line}", value] for value, full, name, line in blocks[:LISTED]],
    }


def _methods(classes):
    for found in classes:
        yield from found.methods
        yield from _methods(found.inner_classes)


def dead_code(folder: Path, names: list[str]) -> dict:
    """What nothing in these files seems to use; each with vulture's own confidence."""
    import vulture

    finder = vulture.Vulture()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        finder.scavenge([folder / name for name in names])
        unused = finder.get_unused_code(min_confidence=CONFIDENCE_MIN)
    kinds: dict[str, int] = {}
    for item in unused:
        kinds[item.typ] = kinds.get(item.typ, 0) + 1
    listed = sorted(unused, key=lambda item: (-item.confidence, str(item.filename), item.first_lineno))
    return {
        "dead": len(unused),
        "dead_kinds": sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0])),
        "dead_items": [
            [f"{item.typ} {item.name}", f"{_inside(item.filename, folder)}:{item.first_lineno}", item.confidence]
            for item in listed[:LISTED]
        ],
    }


def _inside(path: Path, folder: Path) -> str:
    return examined.shown(os.path.relpath(path, folder))


if __name__ == "__main__":
    agent.run_part("structure", examine)
