"""The examined folder: which files it has, read only. Standard library only.

In a git repository these are the files that git tracks; elsewhere all files but those of well-known caches.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

FILES_MAX = 50_000
TEXT_BYTES_MAX = 5_000_000
BINARY_LOOK_BYTES = 8_000
GIT_TIMEOUT_S = 300
PASSED_OVER = {
    ".git", ".hg", ".svn", "__pycache__", "node_modules", ".venv", "venv", ".tox", ".nox", ".mypy_cache",
    ".ruff_cache", ".pytest_cache", ".idea", ".vscode", "build", "dist",
}  # fmt: skip


def folder_of(argv: list[str]) -> Path:
    """The folder named by the first argument."""
    if len(argv) < 2 or not Path(argv[1]).is_dir():
        sys.exit(f"usage: {argv[0]} FOLDER   (there is no such folder: {argv[1] if len(argv) > 1 else '–'})")
    return Path(os.path.abspath(argv[1]))


def git(folder: Path, *arguments: str) -> bytes:
    """What git prints. It takes no lock, asks nothing and starts no program that the repository names."""
    command = [
        "git", "-C", str(folder), "--no-pager",
        "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "log.showSignature=false",
        *arguments,
    ]  # fmt: skip
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF"):
        environment.pop(name, None)
    done = subprocess.run(
        command, capture_output=True, stdin=subprocess.DEVNULL, env=environment, check=True, timeout=GIT_TIMEOUT_S
    )
    return done.stdout


def git_problem(folder: Path) -> str | None:
    """Why there is no history to read; None where there is."""
    if shutil.which("git") is None:
        return "git is not installed, so there is no history to read."
    try:
        inside = git(folder, "rev-parse", "--is-inside-work-tree").strip() == b"true"
    except subprocess.CalledProcessError as error:
        if b"dubious ownership" in error.stderr:
            return "This repository belongs to somebody else, and git refuses to read it (see safe.directory)."
        inside = False
    return None if inside else "This folder is not in a git repository."


def has_commits(folder: Path) -> bool:
    """False for a repository just begun."""
    try:
        git(folder, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except subprocess.CalledProcessError:
        return False
    return True


def files(folder: Path) -> tuple[list[str], str | None]:
    """Relative paths of the regular files, sorted, and a remark where not all were taken."""
    if git_problem(folder) is None:
        listed = git(folder, "ls-files", "-z", "--cached").split(b"\0")
        names = sorted({os.fsdecode(name) for name in listed if name})
    else:
        names = sorted(_walk(folder))
    kept = [name for name in names if _is_regular(folder / name)]
    if len(kept) > FILES_MAX:
        return kept[:FILES_MAX], f"Only the first {FILES_MAX:,} of {len(kept):,} files were looked at."
    return kept, None


def _walk(folder: Path):
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in PASSED_OVER]
        for name in names:
            yield os.path.relpath(os.path.join(root, name), folder)


def _is_regular(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def read(path: Path) -> bytes | None:
    """The content; None where it may not be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def is_binary(content: bytes) -> bool:
    """As git judges: a NUL among the first bytes."""
    return b"\0" in content[:BINARY_LOOK_BYTES]


def shown(name: str) -> str:
    """A file name that can be printed, also where it is no UTF-8."""
    return os.fsencode(name).decode("utf-8", "replace")


def python_files(folder: Path) -> tuple[list[str], str | None]:
    """The Python files among the files."""
    names, remark = files(folder)
    return [name for name in names if name.endswith((".py", ".pyi"))], remark
