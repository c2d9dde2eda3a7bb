"""The example workspace through `quarterdeck run`, as a person starts it: real engine, shims and agents."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.store.workflow_file import WorkflowFile, load_workflow
from tests.examples import oracle
from tests.examples.harness import EXAMPLES, read_page

pytestmark = pytest.mark.skipif(
    os.environ.get("REPOSITORY_CHECK_TESTS") == "1",
    reason="a check of this repository runs in its own test run",
)
FILES = sorted(EXAMPLES.glob("*.workflow.json"))


def run(work: Path, file: str, *more: str, path: str | None = None) -> tuple[int, dict[str, Any], str]:
    """Exit code, the JSON document, and what went to stderr."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(work / "cache")}
    if path is not None:
        environment["PATH"] = path
    command = [sys.executable, "-m", "quarterdeck", "run", str(EXAMPLES / file), "--json", *more]
    done = subprocess.run(
        command,
        env=environment,
        cwd=work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("file", FILES, ids=[file.name for file in FILES])
def test_the_example_files_are_whole_and_lie_well_on_the_canvas(file: Path) -> None:
    """No warning, nothing that cannot be launched; nodes (224 px wide) do not overlap, edges lead to the right."""
    loaded = load_workflow(file)
    assert isinstance(loaded, WorkflowFile), loaded
    assert loaded.warnings == ()
    assert loaded.not_built == ()
    place = {node.id: node.position for node in loaded.workflow.nodes}
    assert all(place[edge.target][0] - place[edge.source][0] >= 288 for edge in loaded.workflow.edges)
    spots = list(place.values())
    assert all(
        abs(a[0] - b[0]) >= 288 or abs(a[1] - b[1]) >= 160 for n, a in enumerate(spots) for b in spots[:n]
    )
    assert str(Path.home()) not in file.read_text(encoding="utf-8")


def test_the_sample_is_checked_through_the_terminal(tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in EXAMPLES.rglob("*")}
    code, shown, errors = run(tmp_path, "repository-check.workflow.json")
    assert code == 0, errors[-2000:]
    assert shown["phase"] == "ended"
    assert shown["outcome"] == "completed"
    attempts = {slot["node_id"]: slot["attempts"][-1] for slot in shown["slots"]}
    assert {attempt["status"] for attempt in attempts.values()} == {"succeeded"}
    figures = attempts["report"]["output"]["figures"]
    recomputed = oracle.everything(Path(attempts["prepare"]["output"]["repo"]), tmp_path, [])
    assert {key: figures[key] for key in recomputed} == recomputed
    kept = (
        Path(os.environ["QUARTERDECK_DATA_DIR"])
        / "runs"
        / shown["run_id"]
        / "attempts"
        / attempts["report"]["attempt_id"]
    )
    made = {item["name"]: item for item in attempts["report"]["artifacts"]}
    assert set(made) == {"report.md", "report.html"}
    for item in made.values():
        files = [path for path in (kept / "artifacts").iterdir() if path.suffix == Path(item["name"]).suffix]
        assert [hashlib.sha256(path.read_bytes()).hexdigest() for path in files] == [item["sha256"]]
        if item["name"] == "report.html":
            assert read_page(files[0].read_text(encoding="utf-8")).figures["history.commits"] == "7"
    after = {path: path.stat().st_mtime_ns for path in EXAMPLES.rglob("*") if "__pycache__" not in path.parts}
    assert {path: before[path] for path in after if path.is_file()} == {
        p: t for p, t in after.items() if p.is_file()
    }


def test_it_works_with_a_path_that_has_no_tools_in_it(tmp_path: Path) -> None:
    """ADR 0010: what was installed with Quarterdeck is found beside its interpreter."""
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git").symlink_to(
        subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    )
    code, shown, errors = run(tmp_path, "repository-check.workflow.json", path=str(tools))
    assert code == 0, errors[-2000:]
    assert shown["slots"][-1]["attempts"][-1]["output"]["problems"] == []


def test_a_folder_that_is_missing_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    code, shown, _ = run(tmp_path, "repository-check.workflow.json", "--input", f"repo={tmp_path / 'gone'}")
    assert code == 2
    assert shown["code"] == "E_INPUT"
    assert str(tmp_path / "gone") in shown["message"]
    runs = Path(os.environ["QUARTERDECK_DATA_DIR"]) / "runs"
    assert not runs.exists() or not list(runs.iterdir())
