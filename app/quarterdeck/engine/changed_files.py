"""What changed in a working folder since an attempt began: by git where it is a repository, else by a bounded walk.

Blocking; asked only when a person asked (ruling 25). What could not be looked at is said, never left out silently.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from quarterdeck.engine.git_reading import NO_REPOSITORY, Git, git_of
from quarterdeck.engine.recovery import ChangedFile, Commit, FolderEvidence

FILES_MAX = 500
COMMITS_MAX = 50
WALK_ENTRIES_MAX = 20_000
WALK_S = 3.0
SLACK_MS = 2_000
"""File systems keep times coarsely, and the agent may write in the very moment of its start."""
_HOW = {
    "?": "new",
    "A": "added",
    "M": "changed",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "U": "in conflict",
}


def folder_evidence(folder: str | None, since_wall_ms: int) -> FolderEvidence:
    """since_wall_ms: when the attempt began, by the wall clock."""
    if folder is None:
        return FolderEvidence("", could_not="it is not known where the agent worked: it had not started")
    if not os.path.isdir(folder):
        return FolderEvidence(folder, could_not=f"the folder {folder} is not there")
    since_ms = since_wall_ms - SLACK_MS
    git = git_of(folder)
    if isinstance(git, Git):
        return _by_git(git, folder, since_ms)
    changed, why = _walk(Path(folder), since_ms)
    could_not = "; ".join(part for part in ("" if git == NO_REPOSITORY else git, why) if part)
    return FolderEvidence(
        folder, changed=changed[:FILES_MAX], cut=bool(why) or len(changed) > FILES_MAX, could_not=could_not
    )


def _by_git(git: Git, folder: str, since_ms: int) -> FolderEvidence:
    status = git.ask("status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=all")
    if not status.is_whole:
        why = status.fault or status.error[:200] or "git gave no answer"
        return FolderEvidence(folder, True, could_not=f"git could not tell what changed: {why}")
    changed = [_changed(git.top, how, path, since_ms) for how, path in _entries(status.out)]
    changed.sort(key=lambda one: (not one.since_start, one.path))
    commits, why = _commits(git, since_ms)
    return FolderEvidence(
        folder, True, tuple(changed[:FILES_MAX]), commits, cut=len(changed) > FILES_MAX, could_not=why
    )


def _entries(out: bytes) -> list[tuple[str, str]]:
    """(two letters, path) of each entry; the old name of a renamed file is passed over."""
    found = []
    parts = iter(out.split(b"\0"))
    for part in parts:
        if len(part) > 3:
            letters = part[:2].decode("ascii", "replace")
            found.append((letters, os.fsdecode(part[3:])))
            if letters[0] in "RC":
                next(parts, None)
    return found


def _changed(top: Path, letters: str, path: str, since_ms: int) -> ChangedFile:
    how = _HOW.get(letters.strip()[:1], "changed")
    try:
        at_ms = os.lstat(top / path).st_mtime_ns // 1_000_000
    except OSError:
        return ChangedFile(_text(path), how, None, True)  # when it went is not known; it may have been since
    return ChangedFile(_text(path), how, at_ms, at_ms >= since_ms)


def _commits(git: Git, since_ms: int) -> tuple[tuple[Commit, ...], str]:
    """Commits of all branches that were made since; HEAD may not exist yet."""
    answer = git.ask(
        "log", "--branches", f"--since=@{since_ms // 1000}", f"--max-count={COMMITS_MAX}", "--no-show-signature",
        "--format=%H%x00%ct%x00%s%x1e",
    )  # fmt: skip
    if not answer.is_whole:
        return (), f"git could not tell of commits: {answer.fault or answer.error[:200]}"
    found = []
    for line in answer.out.decode("utf-8", "replace").split("\x1e"):
        parts = line.strip("\n").split("\x00")
        if len(parts) == 3 and parts[1].isdigit():
            found.append(Commit(parts[0], int(parts[1]) * 1000, parts[2][:300]))
    return tuple(found), ""


def _walk(top: Path, since_ms: int) -> tuple[tuple[ChangedFile, ...], str]:
    """Files that changed since, by their times; and why not everything was looked at."""
    found: list[ChangedFile] = []
    until_s, seen, queue, unread = time.monotonic() + WALK_S, 0, [top], 0
    while queue:
        place = queue.pop(0)
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            unread += 1
            continue
        for entry in entries:
            seen += 1
            if seen > WALK_ENTRIES_MAX or time.monotonic() > until_s:
                return tuple(found), f"only the first {seen - 1:,} entries of the folder were looked at"
            try:
                if entry.is_dir(follow_symlinks=False):
                    queue.append(Path(entry.path))
                    continue
                at_ms = entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
            except OSError:
                continue  # it went while we looked
            if at_ms >= since_ms:
                found.append(ChangedFile(_text(os.path.relpath(entry.path, top)), "changed", at_ms, True))
    why = f"{unread} folders inside may not be read" if unread else ""
    return tuple(found), why


def _text(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
