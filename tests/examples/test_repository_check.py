"""Repository check: every figure recomputed by other means, on the sample and on this repository; nothing written into
the examined folder; what cannot be examined is said in words."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.examples import oracle
from tests.examples.harness import Report, check, read_page, report_of, run_script

HERE = Path(__file__).resolve().parents[2]
NOT_RECOMPUTED = {"tests.seconds", "size.licence", "size.unreadable_files"}
"""A time, and two that are asserted by themselves."""

pytestmark = pytest.mark.skipif(
    os.environ.get("REPOSITORY_CHECK_TESTS") == "1",
    reason="a check of this repository runs in its own test run",
)


def compare(report: Report, recomputed: dict[str, Any]) -> None:
    figures = {key: value for key, value in report.figures.items() if key not in NOT_RECOMPUTED}
    assert figures == recomputed
    shown = {
        key: "–" if v is None else f"{v:,}" if isinstance(v, int) else str(v)
        for key, v in report.figures.items()
    }
    assert read_page(report.page).figures == shown
    tables = re.findall(r"^\| Figure \| Value \|\n\|.*\|\n((?:\|.*\|\n)+)", report.markdown, re.M)
    rows = [line.strip("| ").split(" | ") for table in tables for line in table.splitlines()]
    assert [value.replace("\\", "") for _, value in rows] == list(shown.values())


def fingerprint(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file and folder with its time of change, those of git included."""
    return {
        str(path.relative_to(folder)): (path.lstat().st_mtime_ns, path.lstat().st_size)
        for path in folder.rglob("*")
    }


def test_every_figure_of_the_sample_is_right(tmp_path: Path) -> None:
    report = check("", tmp_path)
    repo = Path(report.outputs["prepare"]["repo"])
    compare(report, oracle.everything(repo, tmp_path, []))
    assert report.figures["size.licence"] == "MIT"
    assert report.figures["tests.failed"] == 1
    assert report.output["problems"] == []
    assert report.output["missing"] == []


@pytest.mark.slow
def test_every_figure_of_this_repository_is_right(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    cloned = subprocess.run(["git", "clone", "-q", str(HERE), str(repo)], check=False, capture_output=True)
    if cloned.returncode != 0:
        pytest.skip("the tests do not lie in a git repository")
    before = fingerprint(repo)
    report = check(str(repo), tmp_path, tests="tests/domain/test_claim_guard.py")
    assert fingerprint(repo) == before, "something was written into the examined folder"
    compare(report, oracle.everything(repo, tmp_path, ["tests/domain/test_claim_guard.py"]))
    assert report.figures["size.licence"] == "MIT"


def test_the_sample_is_the_same_at_each_call_and_is_made_again_where_somebody_changed_it(
    tmp_path: Path,
) -> None:
    first = Path(run_script("prepare.py", cache=tmp_path / "a").output["repo"])
    other = Path(run_script("prepare.py", "", cache=tmp_path / "b").output["repo"])
    again = Path(run_script("prepare.py", "", cache=tmp_path / "a").output["repo"])
    head = oracle.git(first, "rev-parse", "HEAD")
    assert again == first
    assert oracle.git(other, "rev-parse", "HEAD") == head
    (first / "README.md").write_text("changed")
    fresh = Path(run_script("prepare.py", "", cache=tmp_path / "a").output["repo"])
    assert fresh != first
    assert oracle.git(fresh, "rev-parse", "HEAD") == head
    assert (first / "README.md").read_text() == "changed"


def test_the_page_needs_nothing_else_and_shows_foreign_text_as_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script> | `x` *b*"
    outputs = {
        "prepare": {"name": evil, "repo": evil, "remark": evil},
        "todos": {
            "marks": 1,
            "by_mark": [["TODO", 1]],
            "files_with_marks": 1,
            "listed": [["TODO", evil, evil]],
        },
    }
    report = report_of(outputs, tmp_path)
    page = read_page(report.page)
    assert page.loads == []
    assert page.open == []
    assert "<script" not in report.page
    assert "<script" not in report.markdown.replace("\\<script", "")
    assert report.output["missing"] == ["history", "lint", "tests", "structure", "size"]
    assert "This part gave no result." in report.page


def test_a_folder_without_git_tests_or_python_is_said_in_words(tmp_path: Path) -> None:
    folder = tmp_path / "plain folder"
    folder.mkdir()
    (folder / "naïve – 空.txt").write_bytes(b"TODO \xff\xfe")
    (folder / "empty").write_bytes(b"")
    report = check(str(folder), tmp_path)
    assert report.output["problems"] == [
        "History and churn: This folder is not in a git repository.",
        "Lint: There are no Python files, so there is nothing to lint.",
        "Tests: There are no Python files, so there are no tests for pytest.",
        "Complexity and dead code: There are no Python files to look at.",
    ]
    assert report.figures["size.files"] == 2
    assert report.figures["size.not_utf8_files"] == 1
    assert report.figures["todos.marks"] == 1
    assert "naïve – 空.txt:1" in report.page


def test_an_empty_repository_and_an_empty_folder_are_said_in_words(tmp_path: Path) -> None:
    for name in ("begun", "bare"):
        (tmp_path / name).mkdir()
    subprocess.run(
        ["git", "init", "-q", str(tmp_path / "begun")], check=True, env={**os.environ, "HOME": str(tmp_path)}
    )
    begun, bare = (check(str(tmp_path / name), tmp_path) for name in ("begun", "bare"))
    assert "History and churn: This repository has no commits yet." in begun.output["problems"]
    assert begun.figures["size.files"] == bare.figures["size.files"] == 0
    assert bare.figures["size.licence"] is None


def test_python_without_tests_and_files_that_are_no_python_are_said(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "good.py").write_text("def f(x):\n    return x if x else 1\n")
    (folder / "bad.py").write_bytes(b"def (:\n\xff")
    (folder / b"n\xff.py".decode("utf-8", "surrogateescape")).write_text("x = 1\n")
    report = check(str(folder), tmp_path)
    assert "Tests: There are no tests." in report.output["problems"]
    assert report.figures["structure.functions"] == 1
    assert report.figures["structure.mean_complexity"] == 2.0
    assert report.figures["structure.unreadable"] == 1
    assert "bad.py" in report.page
    assert report.figures["lint.findings"] >= 1


def test_tests_that_end_badly_do_not_end_the_check(tmp_path: Path) -> None:
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / "test_a.py").write_text("import nothing_of_that_name\n")
    (folder / "test_b.py").write_text("def test_writes():\n    open('left-behind', 'w').close()\n")
    before = fingerprint(folder)
    report = check(str(folder), tmp_path)
    assert fingerprint(folder) == before
    assert report.figures["tests.errors"] == 1
    assert (report.figures["tests.passed"], report.figures["tests.failed"]) == (0, 0)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    said = run_script("prepare.py", str(tmp_path / "gone"), cache=tmp_path)
    assert said.code != 0
    assert "there is no such folder" in said.errors
