"""Codex and OpenCode through launch, shim, store and terminal: stand-ins print what the real programs printed, and keep what they
were given.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.replays import FOLDER
from tests.agents.terminal import launches_of, only_attempt, quarterdeck, reports_of, write_workflow

STAND_IN = '''#!{python}
"""Prints a recording and keeps how it was called."""
import json, os, sys
played = json.load(open(os.environ["STAND_IN_PLAYS"]))
names = ("CODEX_API_KEY", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_PERMISSION", "LEAKED")
seen = {{"argv": sys.argv[1:], "prompt": sys.stdin.read(), "env": {{n: os.environ.get(n) for n in names}}}}
with open(os.environ["STAND_IN_KEEPS"], "a") as file:
    file.write(json.dumps(seen) + "\\n")
print("\\n".join(played["stdout"]), flush=True)
print("\\n".join(played["stderr"]), file=sys.stderr, flush=True)
sys.exit(played["code"])
'''


class Stage:
    """One program's stand-in, first on the PATH."""

    def __init__(self, folder: Path, program: str) -> None:
        self.folder, self.program, self.data = folder, program, Path(os.environ["QUARTERDECK_DATA_DIR"])
        path = folder / "bin" / program
        path.parent.mkdir()
        path.write_text(STAND_IN.format(python=sys.executable), "utf-8")
        path.chmod(0o755)
        self.env = {**os.environ, "PATH": f"{path.parent}{os.pathsep}{os.environ['PATH']}", "LEAKED": "yes"}

    def agent(self, scenario: str, **fields: Any) -> dict[str, Any]:
        env = {
            "STAND_IN_PLAYS": str(FOLDER / self.program / f"{scenario}.json"),
            "STAND_IN_KEEPS": str(self.folder / "kept"),
        }
        return {"kind": self.program, "env": env, **fields}

    def run(self, scenario: str, **fields: Any) -> tuple[int, dict[str, Any]]:
        path = write_workflow(self.folder / "space", self.agent(scenario, **fields))
        return quarterdeck("run", str(path), "--json", env=self.env)

    def kept(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "kept").read_text("utf-8").splitlines()]


@pytest.fixture(params=["codex", "opencode"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Stage:
    return Stage(tmp_path, request.param)


def test_a_run_that_went_well_is_told_with_output_effects_and_tokens(stage: Stage) -> None:
    code, shown = stage.run("tool")
    attempt = only_attempt(shown)
    assert (code, attempt["status"], attempt["output"]) == (0, "succeeded", "The scripted work is done.")
    assert attempt["session_id"]
    assert [effect["state"] for effect in attempt["effects"] if effect["type"] != "step"] == ["confirmed"]
    assert shown["tokens"]["output_tokens"] == 109
    if stage.program == "opencode":
        assert (attempt["turns"], attempt["cost_usd"], shown["cost_is_complete"]) == (2, "0.0068673", True)
    else:
        assert (attempt["turns"], attempt["cost_usd"], shown["cost_is_complete"]) == (1, None, False)


def test_a_price_makes_an_estimate_of_tokens_without_a_cost(tmp_path: Path) -> None:
    """Case 88, the other side: 1682 fresh, 621 cached and 109 given tokens."""
    price = {"input": "3", "output": "15", "cache_read": "0.3"}
    _, shown = Stage(tmp_path, "codex").run("tool", model="scripted-model", prices={"scripted-model": price})
    assert shown["cost_usd"] == "0.0068673"


def test_the_prompt_comes_on_stdin_and_the_program_knows_nothing_else(stage: Stage) -> None:
    stage.run("plain")
    (seen,) = stage.kept()
    assert "Do the scripted work." in seen["prompt"]
    assert not any("scripted work" in part for part in seen["argv"])
    assert seen["env"]["LEAKED"] is None


def test_a_key_reaches_codex_by_its_own_variable_and_no_file(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "codex")
    secret = "sk-canary-58613"
    stage.env["MY_KEY"] = secret
    stage.run("plain", credential="env:MY_KEY")
    assert stage.kept()[0]["env"]["CODEX_API_KEY"] == secret
    written = [path for path in stage.data.rglob("*") if path.is_file() and not path.is_symlink()]
    assert written
    assert not [path for path in written if secret.encode() in path.read_bytes()]


def test_a_refused_sign_in_is_why_it_failed(stage: Stage) -> None:
    """Case 74."""
    code, shown = stage.run("auth401")
    attempt = only_attempt(shown)
    assert (code, attempt["status"], attempt["end_reason"]) == (1, "failed", "sign_in")
    assert "Incorrect API key" in attempt["reason"]
    assert not attempt["effects"]


def test_a_written_file_is_kept(stage: Stage) -> None:
    space = stage.folder / "space"
    space.mkdir()
    (space / "written.txt").write_text("written by the agent", "utf-8")
    told = (FOLDER / stage.program / "write.json").read_text("utf-8").replace("/home/ada/project", str(space))
    played = stage.folder / "write.json"
    played.write_text(told, "utf-8")
    agent = stage.agent("write")
    agent["env"]["STAND_IN_PLAYS"] = str(played)
    _, shown = quarterdeck("run", str(write_workflow(space, agent)), "--json", env=stage.env)
    (artifact,) = only_attempt(shown)["artifacts"]
    assert (artifact["name"], artifact["size_bytes"]) == ("written.txt", 20)


def test_a_resume_goes_on_with_the_session_by_its_id_and_says_what_may_have_happened(stage: Stage) -> None:
    """EFF2, CON: the killed call is named in words; the figures of both attempts are those of the books."""
    stage.run("kill_midtool")
    run_id = launches_of(stage.data)[0]["run"]
    first = json.loads((FOLDER / stage.program / "kill_midtool.json").read_text("utf-8"))
    code, shown = quarterdeck("resume", run_id, "work", "--reason", "look again", "--json", env=stage.env)
    before, after = stage.kept()
    session = only_attempt(shown, 0)["session_id"]
    assert session in "\n".join(first["stdout"])
    assert any(session in part for part in after["argv"])
    assert not any(session in part for part in before["argv"])
    assert "may have happened" in after["prompt"]
    assert "look again" in after["prompt"]
    assert (
        after["prompt"].rstrip().endswith("Do the scripted work.")
        or "Do the scripted work." in after["prompt"]
    )
    states = {effect["state"] for effect in only_attempt(shown, 0)["effects"]}
    assert states == {"unknown"}
    assert code != 0  # the stand-in plays the same end again


def test_what_it_would_ask_goes_to_a_person_through_the_protocol_that_can(tmp_path: Path) -> None:
    """Permissions `ask`: OpenCode is launched as an agent of the Agent Client Protocol, with rules that ask."""
    stage = Stage(tmp_path, "opencode")
    stage.run("plain", permissions="ask", timeout_s=5)
    (launch,) = launches_of(stage.data)
    assert (launch["protocol"], launch["stdin"], launch["argv"][1:]) == ("acp", "open", ["acp"])
    assert json.loads(launch["env"]["OPENCODE_PERMISSION"])["*"] == "ask"


def test_permissions_that_do_not_exist_are_said_before_anything_is_started(stage: Stage) -> None:
    code, shown = stage.run("plain", permissions="sometimes")
    assert code == 1
    assert "has no permissions “sometimes”" in only_attempt(shown)["reason"]
    assert not reports_of(stage.data)
