"""History and churn, from git. usage: history.py FOLDER"""

from __future__ import annotations

import collections
import os
import sys
from pathlib import Path

import agent
import folder as examined

COMMITS_MAX = 20_000
LISTED = 10


def examine() -> dict:
    folder = examined.folder_of(sys.argv)
    problem = examined.git_problem(folder)
    if problem is None and not examined.has_commits(folder):
        problem = "This repository has no commits yet."
    if problem:
        return {"problem": problem}
    prefix = examined.git(folder, "rev-parse", "--show-prefix").strip()
    only_here = ["--", "."] if prefix else []
    commits = read_commits(folder, only_here)
    remarks = []
    if prefix:
        remarks.append("The folder is a part of a repository; only commits that touch it count.")
    if examined.git(folder, "rev-parse", "--is-shallow-repository").strip() == b"true":
        remarks.append("The history is shallow: older commits are not here.")
    if len(commits) == COMMITS_MAX:
        remarks.append(f"Only the newest {COMMITS_MAX:,} commits were read.")
    return {**figures(commits), "remarks": remarks}


def read_commits(folder: Path, only_here: list[str]) -> list[dict]:
    """Newest first: author, day, and lines added and deleted in each file (binary files count as no lines)."""
    agent.progress(0, 1, "reading the history")
    form = "--format=%x01%an%x00%ad"
    flags = ["--numstat", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--date=format:%Y-%m-%d"]
    raw = examined.git(folder, "log", form, *flags, f"--max-count={COMMITS_MAX}", "HEAD", *only_here)
    commits = []
    for part in raw.split(b"\x01")[1:]:
        author, day, *rest = part.split(b"\0")
        commits.append({"author": _text(author), "day": _text(day)[:10], "changes": list(_changes(rest))})
    agent.progress(1, 1, f"{len(commits):,} commits")
    return commits


def _changes(fields: list[bytes]):
    for field in fields:
        columns = field.strip(b"\n").split(b"\t", 2)
        if len(columns) == 3:
            added, deleted, name = columns
            binary = added == b"-"
            yield os.fsdecode(name), 0 if binary else int(added), 0 if binary else int(deleted)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip()


def figures(commits: list[dict]) -> dict:
    authors = collections.Counter(commit["author"] for commit in commits)
    months = collections.Counter(commit["day"][:7] for commit in commits)
    churn: collections.Counter = collections.Counter()
    touched: collections.Counter = collections.Counter()
    added = deleted = 0
    for commit in commits:
        for name, plus, minus in commit["changes"]:
            churn[name] += plus + minus
            touched[name] += 1
            added, deleted = added + plus, deleted + minus
    days = [commit["day"] for commit in commits]
    return {
        "commits": len(commits),
        "authors": len(authors),
        "first_day": min(days),
        "last_day": max(days),
        "lines_added": added,
        "lines_deleted": deleted,
        "files_touched": len(churn),
        "top_authors": _top(authors),
        "months": sorted(months.items()),
        "top_churn": [[examined.shown(n), lines, touched[n]] for n, lines in _top(churn)],
    }


def _top(counter: collections.Counter) -> list:
    return [list(pair) for pair in sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))[:LISTED]]


if __name__ == "__main__":
    agent.run_part("history", examine)
