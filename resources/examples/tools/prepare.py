"""Which folder is examined: the one that was asked for, or the sample repository, made from the files beside this script.

usage: prepare.py [FOLDER]
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import agent
import folder as examined

SAMPLE = Path(__file__).resolve().parent.parent / "sample"


def main() -> None:
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    if asked.strip():
        folder, is_sample = examined.folder_of(sys.argv), False
        agent.text(f"Examining {folder}")
    else:
        if shutil.which("git") is None:
            sys.exit("git is not installed, and the sample repository is made with it. Install git, or name a folder.")
        folder, is_sample = sample_repository(), True
        agent.text(f"No folder was named, so the sample repository is examined: {folder}")
    names, remark = examined.files(folder)
    agent.output(
        {
            "repo": str(folder),
            "name": "Sample: tideclock" if is_sample else folder.name or str(folder),
            "is_sample": is_sample,
            "files": len(names),
            "remark": remark,
        }
    )


def sample_repository() -> Path:
    """The same commits at each call: authors and dates are part of the files. Made beside, then moved into place."""
    place = _cache() / f"sample-repository-{_fingerprint()[:12]}"
    if _is_whole(place):
        return place
    if place.exists():  # changed by somebody: leave it alone
        place = Path(tempfile.mkdtemp(prefix="sample-repository-", dir=place.parent))
        shutil.rmtree(place)
    half = Path(tempfile.mkdtemp(prefix=".half-", dir=place.parent))
    try:
        _commit_all(half)
        try:
            os.rename(half, place)
        except OSError:
            if not _is_whole(place):  # else another run was faster
                raise
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return place


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = Path(base) / "quarterdeck"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="quarterdeck-"))
    return folder if os.access(folder, os.W_OK) else Path(tempfile.mkdtemp(prefix="quarterdeck-"))


def _fingerprint() -> str:
    made = hashlib.sha256()
    for path in sorted(SAMPLE.rglob("*")):
        if path.is_file():
            made.update(os.fsencode(path.relative_to(SAMPLE)) + b"\0" + path.read_bytes() + b"\0")
    return made.hexdigest()


def _is_whole(place: Path) -> bool:
    if not (place / ".git").is_dir():
        return False
    try:
        count = int(examined.git(place, "rev-list", "--count", "HEAD"))
        clean = not examined.git(place, "status", "--porcelain")
    except (subprocess.CalledProcessError, ValueError):
        return False
    return clean and count == len(_commits())


def _commits() -> list[dict]:
    return json.loads((SAMPLE / "commits.json").read_text(encoding="utf-8"))


def _commit_all(folder: Path) -> None:
    _git(folder, {}, "init", "--quiet", "--initial-branch=main", "--template=")
    commits = _commits()
    for number, commit in enumerate(commits, 1):
        agent.progress(number, len(commits), "making the sample repository")
        shutil.copytree(SAMPLE / commit["files"], folder, dirs_exist_ok=True)
        for name in commit.get("removed", []):
            (folder / name).unlink()
        who = {
            f"GIT_{role}_{key}": commit[value]
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", "name"), ("EMAIL", "email"), ("DATE", "date"))
        }
        _git(folder, {}, "add", "--all", "--force")
        _git(folder, who, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", commit["message"])


def _git(folder: Path, environment: dict, *arguments: str) -> None:
    plain = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-C", str(folder), "-c", "core.autocrlf=false", "-c", "core.hooksPath=/dev/null", *arguments]
    subprocess.run(command, check=True, env={**plain, **nowhere, **environment}, stdin=subprocess.DEVNULL, timeout=60)


if __name__ == "__main__":
    main()
