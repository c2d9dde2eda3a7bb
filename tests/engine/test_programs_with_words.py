"""A program that knows nothing of us, through the engine: what it is told, which session goes on, how its end is judged.

The program is a script of the test's own that speaks Claude Code's wire as far as this needs.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.preferences import Preferences
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.engine.agent_words import SHOWN_MAX, agent_words
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.store.settings_file import config_folder, write_preferences
from tests.engine.works import (
    PYTHON,
    A,
    at_work,
    attempt_of,
    ended,
    launch_file,
    shows,
    to_end,
    until,
    write,
)

PROGRAM = """#!{python} -IS
import json, os, sys, time
def say(**line):
    sys.stdout.write(json.dumps(line) + "\\n"); sys.stdout.flush()
argv = sys.argv
session = argv[argv.index("--resume" if "--resume" in argv else "--session-id") + 1]
told = json.loads(sys.stdin.readline())["message"]["content"][0]["text"]
open("told.txt", "a").write(told + "\\0")
say(type="system", subtype="init", session_id=session, claude_code_version="9.9.9", model="m")
{body}
"""
WORKS = """
say(type="assistant", message={"id": "m1", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "deploy it"}}]})
"""
ENDS = """
say(type="result", subtype="success", is_error=False, result="done", num_turns=1, modelUsage={"m": {"inputTokens": 1, "costUSD": 0.5}})
"""
STAYS = "\nwhile True: time.sleep(0.05)\n"


def program(folder: Path, body: str) -> dict[str, Any]:
    """An agent of that kind whose program is this script."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "claude-script"
    path.write_text(PROGRAM.replace("{python}", PYTHON).replace("{body}", body))
    path.chmod(0o755)
    return {"kind": "claude-code", "argv": [str(path)]}


def told(folder: Path) -> list[str]:
    return (folder / "told.txt").read_text().split("\0")[:-1]


async def test_it_is_told_task_outcome_inputs_and_what_is_attached(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "style.md").write_text("Write short sentences.")
    inputs = [{"name": "place", "type": "text", "required": True}]
    path = write(
        tmp_path, {"a": program(tmp_path, ENDS)}, nodes={"a": {"prompt": "Go to {{ inputs.place }}", "attach": ["style.md"]}},
        inputs=inputs, outcome="A visit to {{ inputs.place }}",
    )  # fmt: skip
    view = await to_end(engine, path, place="Rome")
    assert attempt_of(view, "a").status is AttemptStatus.SUCCEEDED
    assert attempt_of(view, "a").program == str(tmp_path / "claude-script")
    assert attempt_of(view, "a").program_version == "9.9.9", "as it says itself (PIN6)"
    (words,) = told(tmp_path)
    assert words.startswith("Go to Rome\n")
    assert all(part in words for part in ("A visit to Rome", "- place: Rome", "Write short sentences."))
    assert "taking up work" not in words


async def test_one_that_stays_after_its_result_is_ended_and_has_succeeded(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    view = await to_end(engine, write(tmp_path, {"a": program(tmp_path, ENDS + STAYS)}))
    attempt = attempt_of(view, "a")
    assert (attempt.status, attempt.output) == (AttemptStatus.SUCCEEDED, "done")
    assert (str(attempt.figures.cost_usd), attempt.figures.cost_is_complete) == ("0.5", True)
    (told_end,) = data.rglob("exit.json")
    assert f'"signal":{signal.SIGTERM}' in told_end.read_text()
    assert '"over":true' in told_end.read_text()


async def test_a_resume_goes_on_in_the_session_of_the_same_agent_and_says_what_may_have_happened(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """CON3, EFF2, EFF5."""
    path = write(tmp_path, {"a": program(tmp_path, WORKS + STAYS)})
    run = await at_work(engine, path, "a")
    view = await until(engine, run, lambda one: attempt_of(one, "a").effects)
    first = attempt_of(view, "a")
    assert first.pid is not None
    os.kill(first.pid, signal.SIGKILL)
    await ended(engine, run)
    sessions = [first.session_id]
    for go_on in (True, False):
        assert await engine.reassign(run, A, "the power came back", continue_session=go_on) is None
        attempt_id = await engine.claim(run, A)
        assert not isinstance(attempt_id, Refusal)
        await until(engine, run, shows("a", "Running"))
        view = await until(engine, run, lambda one: attempt_of(one, "a").effects)
        argv = launch_file(data, run, attempt_id)["argv"]
        assert ("--resume" in argv) == go_on
        sessions.append(attempt_of(view, "a").session_id)
        await engine.stop_run(run)
        await ended(engine, run)
    assert sessions[0] == sessions[1] != sessions[2]
    words = told(tmp_path)[1]
    assert "the power came back" in words
    assert "Each may have happened" in words
    assert "Bash deploy it: unknown" in words
    assert f"{run}/a:t1" in words, "the idempotency key"


async def test_permissions_that_its_program_has_not_fail_in_words_before_anything_starts(
    engine: Engine, tmp_path: Path
) -> None:
    view = await to_end(engine, write(tmp_path, {"a": {**program(tmp_path, ENDS), "permissions": "yolo"}}))
    attempt = attempt_of(view, "a")
    assert attempt.status is AttemptStatus.FAILED
    assert "yolo" in attempt.reason
    assert not (tmp_path / "told.txt").exists()


async def test_a_program_that_is_not_installed_is_refused_at_the_launch(
    engine: Engine, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": {"kind": "claude-code", "argv": ["no-such-claude"]}})
    refused = await engine.launch(LaunchRequest(path, {}))
    assert isinstance(refused, Refusal)
    assert "no-such-claude" in str(refused)


def effect(number: int, state: str) -> dict[str, Any]:
    return {
        "id": f"e{number}", "state": state, "type": "push", "target": f"t{number}", "detail": "", "idempotency_key": f"k{number}",
        "settled": None,
    }  # fmt: skip


@pytest.mark.parametrize("state", ["unknown", "confirmed"])
def test_many_effects_are_told_up_to_a_number_and_the_rest_is_counted(state: str) -> None:
    attempt = {
        "status": "interrupted", "reason": "app\nclosed", "effects": [effect(n, state) for n in range(SHOWN_MAX + 5)], "notes": [],
        "artifacts": {}, "reports_damaged": "half a line",
    }  # fmt: skip
    left = {"attempts": [attempt], "reason": "", "steps": {"kept": [], "repeat": []}}
    words = agent_words("Task", "Task", {}, [], left, "/r/resume.json")
    assert words.count("idempotency key") == SHOWN_MAX
    assert "- and 5 more" in words
    assert "app closed" in words
    assert "more may have happened than is listed" in words
    assert words.rstrip().endswith("Task")


def test_what_is_no_text_is_attached_by_its_path() -> None:
    words = agent_words(
        "Look", "x", {}, [({"path": "a.png", "role": "attach"}, "/f/0.png", b"\x89PNG\xff")], None, ""
    )
    assert "Attached file a.png (attach): /f/0.png" in words
    assert json.dumps(words)


async def test_its_telemetry_is_switched_off_until_a_person_allows_it(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """The switches are in its environment, and are gone once `telemetry` of the settings names its kind."""
    path = write(tmp_path, {"a": program(tmp_path, ENDS)})

    async def environment() -> dict[str, str]:
        view = await to_end(engine, path)
        launch = launch_file(data, view.run_id, attempt_of(view, "a").attempt_id)
        return dict(launch["env"])

    assert (await environment())["DISABLE_TELEMETRY"] == "1"
    write_preferences(config_folder(), Preferences(telemetry=("claude-code",)))
    assert not [name for name in await environment() if name.startswith("DISABLE_")]
