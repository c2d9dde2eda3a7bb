"""The practice agent as a program: what each instruction does, what a wrong script says, how it goes on when resumed."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.agents.practice import OWN_PROGRAM as PROGRAM
from quarterdeck.agents.practice import practice_argv


def _perform(
    folder: Path, script: str, *, stdin: str = "", resume: object = None
) -> tuple[int, list[dict[str, Any]], list[str]]:
    (folder / "context.json").write_text(json.dumps({"prompt": script}))
    env = {"QUARTERDECK_CONTEXT": str(folder / "context.json"), "QUARTERDECK_ATTEMPT": "a-1"}
    if resume is not None:
        (folder / "resume.json").write_text(json.dumps(resume))
        env["QUARTERDECK_RESUME"] = str(folder / "resume.json")
    ran = subprocess.run(
        practice_argv(),
        cwd=folder,
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert "Traceback" not in ran.stderr, ran.stderr
    lines = ran.stdout.splitlines()
    spoken = [json.loads(line) for line in lines if line.startswith("{")]
    return ran.returncode, spoken, [line for line in lines if not line.startswith("{")]


def _of(spoken: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [{k: v for k, v in line.items() if k != "type"} for line in spoken if line["type"] == kind]


def test_every_instruction_does_what_its_line_says(tmp_path: Path) -> None:
    script = """
    # a whole evening
    cost 0.013 a step
    tokens 1200 in 300 out a step
    work 30ms in 3 steps
    say Hello there
    print plain line
    write notes/a.md: first\\nsecond
    effect push origin main: sent|confirmed
    save step 3
    note decision: go on
    flood 1000 lines a second for 20ms
    wait 1ms
    output {"files": ["notes/a.md"]}
    """
    code, spoken, plain = _perform(tmp_path, script)
    assert code == 0
    assert "no model" in _of(spoken, "text")[0]["text"]
    assert len(_of(spoken, "turn")) == 3
    usage = _of(spoken, "usage")
    assert [u["cost_usd"] for u in usage] == ["0.013"] * 3
    assert len({u["message_id"] for u in usage}) == 3
    assert (usage[0]["input_tokens"], usage[0]["output_tokens"]) == (1200, 300)
    assert [p["done"] for p in _of(spoken, "progress")] == [1, 2, 3]
    assert (tmp_path / "notes/a.md").read_text() == "first\nsecond\n"
    assert _of(spoken, "artifact") == [{"name": "a.md", "path": "notes/a.md"}]
    effects = _of(spoken, "effect")
    assert [e["state"] for e in effects] == ["sent", "confirmed"]
    assert {(e["id"], e["kind"], e["target"]) for e in effects} == {
        ("push:origin main", "push", "origin main")
    }
    assert _of(spoken, "checkpoint")[0]["step"] == "step 3"
    assert _of(spoken, "note") == [{"kind": "decision", "text": "go on"}]
    assert plain == ["plain line", *(f"practice line {n}" for n in range(1, 21))]
    assert _of(spoken, "output") == [{"value": {"files": ["notes/a.md"]}}]


def test_a_wrong_script_names_every_wrong_line_and_nothing_is_done(tmp_path: Path) -> None:
    code, spoken, _ = _perform(tmp_path, "write a.md: x\ndance wildly\nwork soon\nexit 3")
    assert code == 2
    (error,) = _of(spoken, "error")
    assert error["class"] == "invalid"
    assert re.search(r"Line 2: “dance”.*Line 3: “work soon”", error["message"])
    assert not (tmp_path / "a.md").exists()


def test_a_question_waits_for_its_answer_and_no_other(tmp_path: Path) -> None:
    answers = "".join(
        json.dumps({"type": "approval", "id": i, "answer": a}) + "\n"
        for i, a in (("other", "x"), ("question-1", "no"))
    )
    code, spoken, _ = _perform(tmp_path, "ask Publish it? | yes | no\noutput asked", stdin=answers)
    assert code == 0
    assert _of(spoken, "approval") == [
        {"id": "question-1", "question": "Publish it?", "options": ["yes", "no"]}
    ]
    assert _of(spoken, "text")[-1]["text"] == "The answer was: no"
    code, spoken, _ = _perform(tmp_path, "ask Publish it? | yes | no\noutput asked")
    assert code == 1
    assert _of(spoken, "output") == []


@pytest.mark.parametrize(
    ("script", "code", "kind", "message"),
    [
        ("fail: the disk is tired", 1, "other", "the disk is tired"),
        ("fail after 1ms as auth: no key", 1, "auth", "no key"),
        ("fail as nonsense: x", 1, "other", "x"),
        ("exit 3", 3, None, None),
    ],
)
def test_how_it_fails(tmp_path: Path, script: str, code: int, kind: str | None, message: str | None) -> None:
    ended, spoken, _ = _perform(tmp_path, script + "\nsay never")
    assert ended == code
    assert [(e["class"], e["message"]) for e in _of(spoken, "error")] == (
        [] if kind is None else [(kind, message)]
    )
    assert "never" not in [t["text"] for t in _of(spoken, "text")]


@pytest.mark.parametrize(
    "resume",
    [{"attempts": [{"checkpoints": [{"step": "one"}]}]}, {"checkpoints": ["one"]}],
)
def test_a_resumed_attempt_says_where_it_continues_and_skips_what_is_saved(
    tmp_path: Path, resume: object
) -> None:
    script = "cost 1 a step\nsay first\nsave one\nwork 1ms\nsave two\nsay last"
    _, spoken, _ = _perform(tmp_path, script, resume=resume)
    texts = [t["text"] for t in _of(spoken, "text")]
    assert texts[1] == "This attempt continues from checkpoint “one”."
    assert "first" not in texts
    assert texts[-1] == "last"
    assert len(_of(spoken, "usage")) == 1
    _, spoken, _ = _perform(tmp_path, script, resume={"attempts": []})
    assert "from the beginning" in _of(spoken, "text")[1]["text"]
    assert "first" in [t["text"] for t in _of(spoken, "text")]


def test_every_instruction_is_documented() -> None:
    from quarterdeck.agents.practice_program import PATTERNS

    text = (Path(__file__).parents[2] / "docs" / "practice-agents.md").read_text("utf-8")
    assert [name for name in PATTERNS if f"`{name}" not in text] == []


def test_it_imports_nothing_of_the_product_and_no_network() -> None:
    source = PROGRAM.read_text("utf-8")
    assert "import quarterdeck" not in source
    assert "from quarterdeck" not in source
    assert not re.search(r"^(import|from) (socket|http|urllib|ssl)", source, re.M)
    assert os.access(PROGRAM, os.R_OK)
