"""Files that agent programs read by themselves (AGENTS.md and the like): which are found above an agent's folder. Blocking.

They are named as found, nearest first, and never read into a prompt, copied or changed: each program reads its own.
"""

from __future__ import annotations

from pathlib import Path

NAMES = (
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "GEMINI.md",
    "QWEN.md",
    ".github/copilot-instructions.md",
    ".cursorrules",
)
FOLDERS_MAX = 40


def instructions_above(folder: Path) -> tuple[Path, ...]:
    """From the folder up to the repository that it lies in (the folder alone where it lies in none)."""
    found: list[Path] = []
    for place in folders_up(folder):
        found += [path for name in NAMES if _is_file(path := place / name)]
    return tuple(found)


def folders_up(folder: Path) -> list[Path]:
    """The folder and those above it up to the repository that it lies in; the folder alone where it lies in none."""
    places: list[Path] = []
    for place in [folder, *folder.parents][:FOLDERS_MAX]:
        places.append(place)
        if _exists(place / ".git"):
            return places
    return [folder]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False
