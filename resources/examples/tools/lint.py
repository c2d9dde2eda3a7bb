"""Lint findings, from ruff, by the rules that the folder itself configures. usage: lint.py FOLDER"""

from __future__ import annotations

import collections
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import agent
import folder as examined

LISTED = 12
TIME_LIMIT_S = 300


def examine() -> dict:
    folder = examined.folder_of(sys.argv)
    names, remark = examined.python_files(folder)
    if not names:
        return {"problem": "There are no Python files, so there is nothing to lint.", "files": 0, "findings": 0}
    ruff = find_ruff()
    if ruff is None:
        return {"problem": "ruff could not be found: install it beside Quarterdeck."}
    agent.progress(0, 1, "ruff check")
    done = run_ruff(ruff, folder)
    remarks = [remark] if remark else []
    if done.returncode != 0:
        remarks.append("The folder's own ruff settings could not be used; ruff's defaults were.")
        agent.text(done.stderr.decode("utf-8", "replace")[-2000:])
        done = run_ruff(ruff, folder, "--isolated")
    if done.returncode != 0:
        return {"problem": f"ruff failed: {done.stderr.decode('utf-8', 'replace').strip()[-300:]}"}
    agent.progress(1, 1, "ruff check")
    return {**figures(json.loads(done.stdout or b"[]"), folder), "files": len(names), "remarks": remarks}


def find_ruff() -> str | None:
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.executable)), "ruff")
    return beside if os.access(beside, os.X_OK) else shutil.which("ruff")


def run_ruff(ruff: str, folder: Path, *more: str) -> subprocess.CompletedProcess:
    """Nothing is fixed and nothing is cached in the folder."""
    command = [ruff, "check", "--output-format=json", "--exit-zero", "--no-fix", "--no-cache", "--quiet", *more, "."]
    return subprocess.run(
        command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_S, check=False
    )


def figures(findings: list[dict], folder: Path) -> dict:
    rules: collections.Counter = collections.Counter()
    words: dict[str, str] = {}
    by_file: collections.Counter = collections.Counter()
    for finding in findings:
        code = finding.get("code") or "syntax"
        rules[code] += 1
        words.setdefault(code, str(finding.get("message", ""))[:120])
        by_file[os.path.relpath(finding["filename"], folder)] += 1
    return {
        "findings": len(findings),
        "files_with_findings": len(by_file),
        "rules": [[code, number, words[code]] for code, number in _top(rules)],
        "top_files": [[examined.shown(name), number] for name, number in _top(by_file)],
    }


def _top(counter: collections.Counter) -> list:
    return sorted(counter.items(), key=lambda pair: (-pair[1], pair[0]))[:LISTED]


if __name__ == "__main__":
    agent.run_part("lint", examine)
