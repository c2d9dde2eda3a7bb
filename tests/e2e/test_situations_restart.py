"""Situations around a restart that broke comparable products, through the real program and real agents (cases by number).

Each begins with a killed terminal. More of them: `test_situations_losing.py`; which are deferred: `docs/testing.md`.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.real import command, document, quarterdeck, running
from tests.e2e.seen import marked, objects_of, tree, wait_until
from tests.e2e.test_situations import attempts, displays, live_run
from tests.e2e.works import logs_of, python, shell, write_workflow

Run = dict[str, Any]
pytestmark = pytest.mark.timeout(300)
FOREVER = 'note("at work")\nwhile True: time.sleep(0.05)\n'
TAKES_UP = """
again = os.environ.get("QUARTERDECK_RESUME")
if again:
    note("again", told=json.load(open(again)), key=os.environ["QUARTERDECK_IDEMPOTENCY_KEY"])
    say("output", value="again")
    sys.exit(0)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def notes(home: Path, what: str) -> int:
    """How often agents wrote that down."""
    return sum(line["what"] == what for log in logs_of(home).values() for line in log)


def killed(tmp_path: Path, home: Path, file: Path, count: int = 1) -> str:
    """A run whose terminal was killed once so many agents were at work, and of which nothing lives; its id."""
    with running(tmp_path, "run", file, "--json") as run:
        wait_until(lambda: notes(home, "at work") == count, 60)
        identity = live_run()["run_id"]
        run.process.kill()
        run.process.wait()
    wait_until(lambda: not marked(str(tmp_path).encode() + b"/"), 8, "agents outlive the app")
    return str(identity)


def place(tmp_path: Path, run: str) -> Path:
    return tmp_path / "quarterdeck-data" / "runs" / run


# ------------------------------------------------------------------------------------------- what comes back


def test_every_slot_comes_back_as_a_record_and_one_is_taken_up_at_a_time(tmp_path: Path, home: Path) -> None:
    """Cases 37, 40, 41, 46, 47: nothing is dropped or binned, nothing is started, finished work is not done again."""
    agents = {
        "done": python('note("done once")\nsay("output", value=1)', home),
        "cut": python(TAKES_UP + FOREVER, home),
        "other": python(TAKES_UP + FOREVER, home),
        "later": shell("touch ran"),
    }
    file = write_workflow(home, agents, ("done", "cut"), ("done", "other"), ("cut", "later"))
    run = killed(tmp_path, home, file, 2)
    shown = document("show", run)
    assert displays(shown) == {"done": "Done", "cut": "Stopped", "other": "Stopped", "later": "Not started"}
    assert [line["run_id"] for line in document("runs")["runs"]] == [run], "interrupted is not deleted"
    (told,) = document("recover")["runs"]
    assert {agent["node_id"] for agent in told["agents"]} == {"cut", "other"}
    assert quarterdeck("resume", run, "--reason", "all of it").returncode == 2, "there is no resume of all"
    again = _resumed(run, "cut")
    assert {node: len(made) for node, made in attempts(again).items()} == {
        "done": 1, "cut": 2, "other": 1, "later": 0,
    }  # fmt: skip
    assert notes(home, "done once") == 1
    assert not (home / "ran").exists(), "later nodes wait for a person"
    assert not marked(str(tmp_path).encode() + b"/")


def _resumed(run: str, node: str) -> Run:
    """The run after one agent was taken up to its end; the run itself may wait for a person."""
    told = quarterdeck("resume", run, node, "--reason", "this one", "--json")
    assert told.returncode in (0, 4), told.stderr.decode()
    return dict(json.loads(told.stdout))


def test_a_resume_needs_the_record_alone_and_starts_what_was_pinned(tmp_path: Path, home: Path) -> None:
    """Cases 38 and 44: the file was edited, then deleted, and nothing of the old process is left to ask."""
    file = write_workflow(home, {"a": python(TAKES_UP + FOREVER, home, budget_usd="3")})
    run = killed(tmp_path, home, file)
    document("recover")
    write_workflow(home, {"a": shell("touch wrong")})
    file.unlink()
    shutil.rmtree(tmp_path / "quarterdeck-data" / "sessions")
    again = _resumed(run, "a")
    first, second = (
        json.loads((place(tmp_path, run) / "attempts" / each["attempt_id"] / "launch.json").read_bytes())
        for each in attempts(again)["a"]
    )
    for key in ("argv", "cwd", "env", "prompt", "kind", "protocol", "idempotency_key"):
        assert first[key] == second[key], key
    assert not (home / "wrong").exists()


def test_ten_agents_in_one_folder_are_each_taken_up_as_themselves(tmp_path: Path, home: Path) -> None:
    """Cases 71 and 73: session, saved steps and key are the slot's own; an id that was not confirmed is not offered."""
    source = TAKES_UP + (
        'say("session", id="s-" + node, resumable=node != "n3")\nsay("checkpoint", step="of " + node, data=node)\n'
    )
    agents = {f"n{n}": python(source + FOREVER, home) for n in range(10)}
    run = killed(tmp_path, home, write_workflow(home, agents, limits={"max_parallel": 10}), 10)
    (told,) = document("recover")["runs"]
    can = {agent["node_id"]: agent["can_continue_session"] for agent in told["agents"]}
    assert can == {f"n{n}": n != 3 for n in range(10)}
    for node in ("n7", "n3", "n0"):
        made = attempts(_resumed(run, node))[node]
        assert len(made) == 2
        (line,) = [x for x in logs_of(home)[made[1]["attempt_id"]] if x["what"] == "again"]
        text = json.dumps(line["told"])
        assert f"of {node}" in text
        assert not any(f"of n{n}" in text or f's-n{n}"' in text for n in range(10) if f"n{n}" != node)
        assert made[0]["attempt_id"] in text


def test_an_open_question_outlives_a_restart_and_its_answer_starts_nothing(
    tmp_path: Path, home: Path
) -> None:
    """Case 70, ruling 6: what waits for a person waits on, is answered once, and the ended run stays ended."""
    nodes = [
        {"id": "ask", "title": "Ask", "kind": "approval", "question": "Deploy?"},
        {"id": "side", "title": "Side", "agent": "side"},
        {"id": "then", "title": "Then", "agent": "then"},
    ]
    agents = {"side": python(FOREVER, home), "then": shell("touch ran")}
    file = write_workflow(home, agents, ("ask", "then"), nodes=nodes)
    run = killed(tmp_path, home, file)
    shown = document("show", run)
    (ask,) = [slot for slot in shown["slots"] if slot["node_id"] == "ask"]
    (question,) = ask["approvals"]
    assert quarterdeck("answer", run, "ask", question["options"][0], "--json").returncode == 0
    assert quarterdeck("answer", run, "ask", question["options"][0], "--json").returncode == 5
    assert document("show", run)["phase"] == "ended"
    assert not (home / "ran").exists()
    assert not marked(str(tmp_path).encode() + b"/")


def test_a_huge_log_of_a_killed_agent_holds_up_no_start(tmp_path: Path, home: Path) -> None:
    """Cases 34 and 92: a transcript of 40 GB; list, prompt and details come with 1.5 GB of address space."""
    run = killed(tmp_path, home, write_workflow(home, {"a": python(FOREVER, home)}))
    (transcript,) = place(tmp_path, run).glob("attempts/*/transcript")
    with transcript.open("ab") as file:
        file.truncate(40 << 30)  # sparse: it takes no room here
    limit = 3 << 29
    for words in (("runs", "--json"), ("recover", "--json"), ("show", run, "--json"), ("status", "--json")):
        told = subprocess.run(
            command(*words),
            capture_output=True,
            timeout=60,
            check=False,
            env=os.environ,
            process_group=0,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )
        assert told.returncode == 0, told.stderr.decode()[-1000:]
        assert run.encode() in told.stdout or words[0] == "status"


# ------------------------------------------------------------------------------------------- two owners


def test_recovery_takes_the_dead_sessions_run_and_lets_the_living_ones_be(tmp_path: Path, home: Path) -> None:
    """Cases 67, 121 and 28: launched in the same moment, of one workflow, in one store; told apart by their owner alone."""
    file = write_workflow(home, {"a": python(FOREVER, home)})
    for name in "12":
        (tmp_path / name).mkdir()
    with (
        running(tmp_path / "1", "run", file, "--json") as dying,
        running(tmp_path / "2", "run", file, "--json") as living,
    ):
        wait_until(lambda: notes(home, "at work") == 2, 60)
        owners = {
            json.loads((path / "journal.jsonl").read_text().splitlines()[0])["session_id"]: path.name
            for path in (tmp_path / "quarterdeck-data" / "runs").iterdir()
        }
        sessions = {
            path.stem: objects[0]
            for path in (tmp_path / "quarterdeck-data" / "sessions").glob("*.json")
            if (objects := objects_of(path))
        }
        (dead,) = [run for session, run in owners.items() if sessions[session]["pid"] == dying.process.pid]
        (alive,) = set(owners.values()) - {dead}
        dying.process.kill()
        dying.process.wait()
        assert [run["run_id"] for run in document("recover")["runs"]] == [dead]
        shown = document("show", alive)
        assert (shown["phase"], displays(shown)) == ("live", {"a": "Running"})
        assert living.process.poll() is None
        document("stop", alive)
        assert living.ended() == 3
    assert document("show", alive)["outcome"] == "stopped"
    assert document("show", dead)["outcome"] == "interrupted"


def test_looking_again_and_again_changes_nothing_and_asks_each_time(tmp_path: Path, home: Path) -> None:
    """REC3, REC15, case 17: the prompt is owed over any number of starts, and none of them starts an agent."""
    run = killed(tmp_path, home, write_workflow(home, {"a": python(FOREVER, home)}))
    first = document("recover")
    before = tree(place(tmp_path, run))
    for _ in range(3):
        assert document("recover") == first
    assert tree(place(tmp_path, run)) == before
    assert notes(home, "at work") == 1


# ------------------------------------------------------------------------------------------- the store


def test_a_store_that_cannot_be_opened_is_named_and_left_as_it_is(tmp_path: Path, home: Path) -> None:
    """Case 32: never renamed aside and begun anew; once it can be read again, everything is there."""
    run = killed(tmp_path, home, write_workflow(home, {"a": python(FOREVER, home)}))
    data = tmp_path / "quarterdeck-data"
    aside = tmp_path / "the real one"
    data.rename(aside)
    data.write_text("a file where the folder was")
    told = quarterdeck("runs", "--json")
    assert told.returncode != 0
    assert str(data).encode() in told.stderr + told.stdout
    assert data.read_text() == "a file where the folder was"
    data.unlink()
    aside.rename(data)
    assert [line["run_id"] for line in document("runs")["runs"]] == [run]


@pytest.mark.slow
def test_a_crowd_of_interrupted_runs_starts_nothing_and_is_told_whole(tmp_path: Path, home: Path) -> None:
    """Cases 46 and 56: eight runs of two agents each; every one is listed, none is started, no process is left over."""
    agents = {name: python(FOREVER, home) for name in "ab"}
    file = write_workflow(home, agents)
    processes = [
        subprocess.Popen(command("run", file, "--json"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(8)
    ]
    try:
        wait_until(lambda: notes(home, "at work") == 16, 120)
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.wait()
    wait_until(lambda: not marked(str(tmp_path).encode() + b"/"), 10, "agents outlive the app")
    told = document("recover")["runs"]
    assert len(told) == 8
    assert all({agent["node_id"] for agent in run["agents"]} == {"a", "b"} for run in told)
    assert all(not agent["survivors"] and agent["evidence"] for run in told for agent in run["agents"])
    assert notes(home, "at work") == 16
    assert not marked(str(tmp_path).encode() + b"/")
