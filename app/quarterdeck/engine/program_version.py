"""The version of a program by where it lies: of its npm package, or of the folder that its installer named so. Executes nothing.

Where its place does not tell, what the program said of itself while it worked counts (`program_files.compare`); where neither tells, the
version is not known. The files of its command are compared by their content in any case.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path, PurePath

from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import open_regular

PACKAGES = "node_modules"
PACKAGE_BYTES_MAX = 256 * 1024
VERSION_CHARS_MAX = 100
_VERSION = re.compile(r"v?\d+\.\d+(?:\.\d+)*(?:[-+][\w.+-]{1,40})?")


def program_version(path: str) -> str:
    """Of the program at that path; empty where its place does not tell."""
    try:
        real = os.path.realpath(path, strict=True)
    except (OSError, ValueError):
        return ""
    return _package_version(Path(real)) or _place_version(PurePath(path).name, PurePath(real))


def _package_version(program: Path) -> str:
    """Of the nearest package around a program that npm installed."""
    for folder in program.parents:
        if PACKAGES not in folder.parts[:-1] or folder.name == PACKAGES:
            return ""
        version = _version_in(folder / "package.json")
        if version:
            return version
    return ""


def _version_in(package: Path) -> str:
    try:
        with open(open_regular(package, follow_links=True), "rb") as file:
            told = json.loads(file.read(PACKAGE_BYTES_MAX))
    except (OSError, ValueError, StoreDamaged):
        return ""
    version = told.get("version") if isinstance(told, dict) else None
    return version[:VERSION_CHARS_MAX] if isinstance(version, str) and "name" in told else ""


def _place_version(name: str, program: PurePath) -> str:
    """`claude/versions/2.1.197`, `Cellar/codex/0.171.0/bin/codex`: a version below a folder that is named as the program."""
    parts = program.parts
    for place in range(len(parts) - 1, 0, -1):
        if _VERSION.fullmatch(parts[place]) and name in parts[max(0, place - 2) : place]:
            return parts[place][:VERSION_CHARS_MAX]
    return ""
