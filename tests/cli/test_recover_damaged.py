"""What the terminal says of a run whose records are damaged (JNL5, JNL6, REC6, REC11)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.real import document, python, quarterdeck, wait_until, workflow
from tests.cli.test_recover import CUT_OFF, SAY, killed


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders of the test's own."""
    for name in ("data", "config", "log"):
        monkeypatch.setenv(f"QUARTERDECK_{name.upper()}_DIR", str(tmp_path / name))


def killed_without_claims(tmp_path: Path) -> str:
    """A killed run whose journal has lost all that came after its launch."""
    run = killed(tmp_path, workflow(tmp_path, ("a", "b"), a=python(CUT_OFF), b=python(SAY)), "about to push")
    folder = tmp_path / "data" / "runs" / run
    wait_until(lambda: list(folder.glob("attempts/*/exit.json")))
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    (folder / "journal.jsonl").write_bytes(b"".join(lines[: kinds.index("attempt_claimed")]))
    return run


def test_a_damaged_run_is_said_to_be_interrupted_by_every_verb_and_to_go_on_by_none(tmp_path: Path) -> None:
    run = killed_without_claims(tmp_path)
    (line,) = document("runs")["runs"]
    assert (line["phase"], line["outcome"], line["unanswered"]) == ("ended", "interrupted", True)
    assert (line["cost_usd"], line["cost_is_complete"], line["turns"]) == ("0.125", False, 1)
    (status,) = document("status", tmp_path)["workflows"]
    assert (status["live"], status["state"], status["outcome"]) == (0, "ended", "interrupted")
    assert document("show", run)["reason"].startswith("its journal is damaged")
    (told,) = document("recover")["runs"]
    assert [agent["node_id"] for agent in told["agents"]] == ["a"]
    assert {one["effect"] for one in told["agents"][0]["effects_unknown"]} == {"a#note", "a#ticket"}


def test_recover_says_at_least_and_that_a_damaged_run_cannot_be_carried_on(tmp_path: Path) -> None:
    run = killed_without_claims(tmp_path)
    said = quarterdeck("recover")
    text = said.stdout.decode()
    assert "at least 1 turn" in text
    assert "ran for at least" in text
    assert "no agent of it can be resumed" in text
    assert f"quarterdeck discard {run[:14]}" in text
    assert f"quarterdeck resume {run[:14]}" not in text
    assert b"could be read in part only" in said.stderr
    assert b"could not be read" not in said.stderr


def killed_while_pushing(tmp_path: Path) -> Path:
    """The folder of a killed run, never settled."""
    run = killed(tmp_path, workflow(tmp_path, ("a", "b"), a=python(CUT_OFF), b=python(SAY)), "about to push")
    folder = tmp_path / "data" / "runs" / run
    wait_until(lambda: list(folder.glob("attempts/*/exit.json")))
    return folder


def flip_store(run: Path) -> None:
    path = run.parents[1] / "store.json"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def attempts_are_a_file(run: Path) -> None:
    (run / "attempts").rename(run.parents[2] / "attempts-of-before")
    (run / "attempts").write_text("x")


def lose_reports(run: Path) -> None:
    (reports,) = run.glob("attempts/*/reports.jsonl")
    reports.unlink()


@pytest.mark.parametrize("spoil", [flip_store, attempts_are_a_file, lose_reports])
def test_whatever_was_damaged_recover_tells_the_crash_first_and_no_verb_says_that_it_goes_on(
    spoil: Callable[[Path], None], tmp_path: Path
) -> None:
    """REC3, REC6, JNL6: these verbs open for reading alone, before anything else has settled the crash."""
    folder = killed_while_pushing(tmp_path)
    spoil(folder)
    for _ in range(2):
        said = quarterdeck("recover")
        text = said.stdout.decode()
        assert "1 run was interrupted" in text
        assert b"No interrupted run waits" not in said.stderr
        assert "never started" not in text
        assert "not started yet" not in text or spoil is flip_store
        if spoil is not flip_store:
            assert "at least" in text
    (line,) = document("runs")["runs"]
    assert (line["phase"], line["outcome"], line["unanswered"]) == ("ended", "interrupted", True)
    assert spoil is flip_store or not line["cost_is_complete"]
    (status,) = document("status", tmp_path)["workflows"]
    assert (status["live"], status["outcome"]) == (0, "interrupted")
    assert document("show", folder.name)["phase"] == "ended"


def test_files_of_a_folder_that_is_not_there_are_not_said_to_be_unchanged(tmp_path: Path) -> None:
    """What was not looked at is not known (ruling 25)."""
    work = tmp_path / "place"
    work.mkdir()
    agent = {**python(CUT_OFF), "cwd": str(work)}
    killed(tmp_path, workflow(tmp_path, a=agent), "about to push")
    (work / "half.txt").unlink()
    work.rmdir()
    text = quarterdeck("recover", "--evidence").stdout.decode()
    assert f"folder {work}: what changed since it began is not known" in text
    assert "could not check" in text
    assert "0 files changed" not in text
