"""What the terminal says of a run whose records are damaged (JNL5, JNL6, REC6, REC11)."""

from __future__ import annotations

import json
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
