"""The figures of the report once more, by other means than the scripts use.

Nothing of the product or of the example's scripts is imported: git is asked through plumbing, files are walked from
git's tree objects, complexity is counted over `ast`, marks by words, tests from what `pytest -v` prints.
"""

from __future__ import annotations

import ast
import collections
import re
import subprocess
import sys
from pathlib import Path
from typing import Any


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repo), "-c", "core.quotePath=false", *arguments], capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "replace")


def history(repo: Path) -> dict[str, Any]:
    """Each commit object read by itself, each diff between trees."""
    added = deleted = 0
    authors, days, touched = set(), [], set()
    commits = git(repo, "rev-list", "HEAD").split()
    for commit in commits:
        raw = git(repo, "cat-file", "commit", commit)
        match = re.search(r"^author (.*) <.*> (\d+) ([+-]\d{4})$", raw, re.M)
        assert match
        authors.add(match[1])
        zone_s = (int(match[3][1:3]) * 3600 + int(match[3][3:]) * 60) * (1 if match[3][0] == "+" else -1)
        days.append(_day(int(match[2]) + zone_s))
        parents = re.findall(r"^parent (\w+)$", raw.split("\n\n")[0], re.M)
        if len(parents) > 1:
            continue
        trees = [parents[0], commit] if parents else ["--root", commit]
        listed = git(repo, "diff-tree", "-r", "--no-commit-id", "--numstat", "--no-renames", *trees)
        for row in listed.splitlines():
            plus, minus, name = row.split("\t", 2)
            touched.add(name)
            added += 0 if plus == "-" else int(plus)
            deleted += 0 if minus == "-" else int(minus)
    return {
        "history.commits": len(commits),
        "history.authors": len(authors),
        "history.first_day": min(days),
        "history.last_day": max(days),
        "history.lines_added": added,
        "history.lines_deleted": deleted,
        "history.files_touched": len(touched),
    }


def _day(seconds: int) -> str:
    days, year = seconds // 86400, 1970
    while days >= (length := 366 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 365):
        days, year = days - length, year + 1
    for month, length in enumerate(
        [31, 29 if year % 4 == 0 else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], 1
    ):
        if days < length:
            return f"{year}-{month:02d}-{days + 1:02d}"
        days -= length
    raise AssertionError


def tracked(repo: Path) -> dict[str, bytes]:
    """{path: content} of the files of HEAD, from git's own objects."""
    found = {}
    for row in git(repo, "ls-tree", "-r", "HEAD").splitlines():
        mode, kind, rest = row.split(" ", 2)
        name_hash, name = rest.split("\t", 1)
        if kind == "blob" and mode in ("100644", "100755"):
            done = subprocess.run(
                ["git", "-C", str(repo), "cat-file", "blob", name_hash], capture_output=True, check=True
            )
            found[name] = done.stdout
    return found


def size(files: dict[str, bytes]) -> dict[str, Any]:
    texts = [content for content in files.values() if not _is_binary(content)]
    return {
        "size.files": len(files),
        "size.bytes": sum(map(len, files.values())),
        "size.lines": sum(len(re.findall(rb"[^\n]*\n|[^\n]+\Z", content)) for content in texts),
        "size.binary_files": len(files) - len(texts),
        "size.not_utf8_files": sum(
            content.decode("utf-8", "ignore").encode() != content for content in texts
        ),
        "size.spdx_files": sum(b"SPDX-License-Identifier: " in content[:4000] for content in texts),
    }


def _is_binary(content: bytes) -> bool:
    return 0 in content[:8000]


def todos(files: dict[str, bytes]) -> dict[str, Any]:
    marks, carriers = 0, 0
    for content in files.values():
        if _is_binary(content) or len(content) > 5_000_000:
            continue
        words = re.split(
            r"[^A-Za-z0-9_]+", content.decode("latin-1").translate(dict.fromkeys(range(0x80, 0x100), " "))
        )
        counted = collections.Counter(words)
        here = sum(counted[mark] for mark in ("TODO", "FIXME", "XXX", "HACK"))
        marks += here
        carriers += here > 0
    return {"todos.marks": marks, "todos.files_with_marks": carriers}


def complexity(files: dict[str, bytes]) -> dict[str, Any]:
    """McCabe's number of every function and method, by radon's rules, over `ast`."""
    values, unreadable, read = [], 0, 0
    for name, content in files.items():
        if name.endswith((".py", ".pyi")):
            try:
                tree = ast.parse(content)
            except (SyntaxError, ValueError):
                unreadable += 1
                continue
            read += 1
            values += [_decisions(function) for function in _outer_functions(tree.body)]
    return {
        "structure.functions": len(values),
        "structure.mean_complexity": round(sum(values) / len(values), 2) if values else None,
        "structure.files": read,
        "structure.unreadable": unreadable,
    }


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _outer_functions(body: list[ast.stmt], in_class: bool = False) -> list[ast.AST]:
    """Functions that stand in a module or class, also below `if` and the like; not those inside functions."""
    found: list[ast.AST] = []
    for node in body:
        if isinstance(node, FUNCTIONS):
            found.append(node)
        elif isinstance(node, ast.ClassDef):
            found += _outer_functions(node.body, True)
        else:
            inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
            handlers = [
                child
                for child in ast.iter_child_nodes(node)
                if isinstance(child, ast.ExceptHandler | ast.match_case)
            ]
            found += _outer_functions(inner, in_class)
            for handler in handlers:
                found += _outer_functions(handler.body, in_class)
    return found


def _decisions(function: ast.AST) -> int:
    """Of the body alone: defaults and decorators, and what stands inside inner functions and classes, do not count."""
    return 1 + sum(map(_branches, function.body))  # type: ignore[attr-defined]


def _branches(node: ast.AST) -> int:
    inside = sum(map(_branches, ast.iter_child_nodes(node)))
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return 0
        case ast.Assert():
            return 1  # whatever it asserts
        case ast.If() | ast.IfExp():
            return inside + 1
        case ast.comprehension():
            return inside + 1 + len(node.ifs)
        case ast.For() | ast.AsyncFor() | ast.While():
            return inside + (2 if node.orelse else 1)
        case ast.Try():
            return inside + len(node.handlers) + (1 if node.orelse else 0)
        case ast.BoolOp():
            return inside + len(node.values) - 1
        case ast.Match():
            takes_all = any(
                isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None for c in node.cases
            )
            return inside + len(node.cases) - (1 if takes_all else 0)
        case _:
            return inside


def lint(repo: Path) -> dict[str, Any]:
    """Counted from ruff's one-line form, not from its JSON."""
    command = ["ruff", "check", "--no-cache", "--output-format", "concise", "--exit-zero", "--no-fix", "."]
    done = subprocess.run(
        [str(Path(sys.executable).parent / command[0]), *command[1:]],
        cwd=repo,
        capture_output=True,
        check=True,
    )
    rows = re.findall(r"^(.+?):\d+:\d+: \S+ ", done.stdout.decode(), re.M)
    return {"lint.findings": len(rows), "lint.files_with_findings": len(set(rows))}


def dead(repo: Path, files: dict[str, bytes], work: Path) -> dict[str, Any]:
    """Counted from what vulture's own program prints about the readable files, laid out anew."""
    place = work / "dead"
    names = []
    for name, content in files.items():
        if name.endswith((".py", ".pyi")):
            try:
                ast.parse(content)
            except (SyntaxError, ValueError):
                continue
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
            names.append(name)
    command = [sys.executable, "-W", "ignore", "-m", "vulture", "--min-confidence", "60", *names]
    done = subprocess.run(command, cwd=place, capture_output=True, check=False)
    return {"structure.dead": len(re.findall(r"^.+:\d+: .* \(\d+% confidence", done.stdout.decode(), re.M))}


def tests(repo: Path, chosen: list[str], work: Path) -> dict[str, Any]:
    """Counted from the words that pytest prints for each test."""
    copy = work / "tests-copy"
    subprocess.run(["git", "clone", "-q", str(repo), str(copy)], check=True)
    command = [sys.executable, "-m", "pytest", "-v", "--color=no", "-p", "no:cacheprovider", *chosen]
    done = subprocess.run(command, cwd=copy, capture_output=True, check=False)
    words = collections.Counter(
        re.findall(r"^\S.*? (PASSED|FAILED|SKIPPED|ERROR) ", done.stdout.decode(), re.M)
    )
    return {
        "tests.tests": sum(words.values()),
        "tests.passed": words["PASSED"],
        "tests.failed": words["FAILED"],
        "tests.errors": words["ERROR"],
        "tests.skipped": words["SKIPPED"],
    }


def everything(repo: Path, work: Path, chosen: list[str]) -> dict[str, Any]:
    files = tracked(repo)
    python = sum(name.endswith((".py", ".pyi")) for name in files)
    return {
        **history(repo),
        **size(files),
        **todos(files),
        **complexity(files),
        **lint(repo),
        "lint.files": python,
        **dead(repo, files, work),
        **tests(repo, chosen, work),
    }
