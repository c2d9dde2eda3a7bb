"""The folder's tests, run by pytest in a copy, so that nothing they write lands in the folder.

usage: run_tests.py FOLDER [TESTS…]     TESTS: paths inside the folder; none means all.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import agent
import folder as examined

TIME_LIMIT_S = 240
COPY_BYTES_MAX = 500_000_000
LISTED = 20


def examine() -> dict:
    folder = examined.folder_of(sys.argv)
    chosen = [item for item in sys.argv[2:] if item.strip()]
    for item in chosen:
        if item.startswith("-") or ".." in Path(item).parts or not (folder / item).exists():
            return {"problem": f"There are no tests at {item}."}
    names, _ = examined.files(folder)
    if not any(name.endswith(".py") for name in names):
        return {"problem": "There are no Python files, so there are no tests for pytest.", "tests": 0}
    missing = None if own_python(folder) else agent.run_with_modules("pytest")
    if missing:
        return {"problem": missing}
    work = Path(tempfile.mkdtemp(prefix="repository-check-"))
    try:
        agent.progress(0, 1, "copying the folder")
        problem = copy_files(folder, names, work / "copy")
        python = own_python(folder) or sys.executable
        return {"problem": problem} if problem else run_pytest(python, work, chosen)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def own_python(folder: Path) -> str | None:
    """The Python of the folder's own environment, where that has pytest: it knows what the tests import."""
    for name in (".venv", "venv"):
        python = folder / name / "bin" / "python"
        if os.access(python, os.X_OK):
            probe = subprocess.run([python, "-c", "import pytest"], capture_output=True, timeout=60, check=False)
            if probe.returncode == 0:
                return str(python)
    return None


def copy_files(folder: Path, names: list[str], target: Path) -> str | None:
    """Copies what was listed; says so where that would be too much."""
    total = sum((folder / name).stat().st_size for name in names)
    if total > COPY_BYTES_MAX:
        return f"The folder has {total / 1e6:,.0f} MB; tests run in a copy, and at most {COPY_BYTES_MAX / 1e6:,.0f} MB are copied."
    target.mkdir(parents=True)
    for name in names:
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, place)
    return None


def run_pytest(python: str, work: Path, chosen: list[str]) -> dict:
    report = work / "junit.xml"
    command = [
        python, "-m", "pytest", "-q", "--rootdir=.", "-p", "no:cacheprovider", f"--basetemp={work / 'tmp'}",
        f"--junitxml={report}", "-o", "junit_family=xunit2", "--color=no", *chosen,
    ]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUARTERDECK_")}
    kept = {"QUARTERDECK_ATTEMPT": os.environ["QUARTERDECK_ATTEMPT"]} if "QUARTERDECK_ATTEMPT" in os.environ else {}
    own = {"PYTHONDONTWRITEBYTECODE": "1", "GIT_OPTIONAL_LOCKS": "0", "REPOSITORY_CHECK_TESTS": "1"}
    agent.progress(0, 1, "running the tests")
    code, said = run_limited(command, work / "copy", {**environment, **kept, **own})
    agent.progress(1, 1, "tests ended")
    if code is None:
        return {"problem": f"The tests did not finish within {TIME_LIMIT_S} s and were ended."}
    if code == 5:
        return {"problem": "There are no tests.", "tests": 0}
    if not report.exists():
        return {"problem": f"pytest could not run (exit {code}): {said.strip()[-400:]}"}
    return {**figures(report), "exit_code": code}


def run_limited(command: list[str], cwd: Path, environment: dict) -> tuple[int | None, str]:
    """Exit code (None at the time limit) and what was said; the whole group of processes is ended at the limit."""
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=said, stderr=said, process_group=0
        )
        try:
            code: int | None = process.wait(TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass  # all of the group have ended
            process.wait()
        said.seek(max(0, said.seek(0, os.SEEK_END) - 20_000))
        words = said.read().decode("utf-8", "replace")
    sys.stderr.write(words)
    return code, words


def figures(report: Path) -> dict:
    counts = {"passed": 0, "failed": 0, "errors": 0, "skipped": 0}
    seconds = 0.0
    bad: list[list[str]] = []
    slow: list[tuple[float, str]] = []
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name', '')}".strip(":")
        took = float(case.get("time") or 0)
        seconds += took
        slow.append((took, name))
        failed, error, skipped = (case.find(tag) is not None for tag in ("failure", "error", "skipped"))
        kind = "failed" if failed else "errors" if error else "skipped" if skipped else "passed"
        counts[kind] += 1
        if failed or error:
            found = case.find("failure") if failed else case.find("error")
            bad.append([name, str(found.get("message") or "").strip().splitlines()[0][:200] if found.get("message") else ""])
    slow.sort(key=lambda item: (-item[0], item[1]))
    return {
        "tests": sum(counts.values()),
        **counts,
        "seconds": round(seconds, 2),
        "bad": bad[:LISTED],
        "slowest": [[name, round(took, 2)] for took, name in slow[:5]],
    }


if __name__ == "__main__":
    agent.run_part("tests", examine)
