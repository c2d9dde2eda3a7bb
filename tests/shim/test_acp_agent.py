"""An ACP agent kept by a real shim: the scripted agent as a process of its own, its tools, questions, stops and deaths.

Containment is looked at after every end: by the attempt's mark, no process may be left.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.shim.harness import Dock, Running, marked, wait_until

AGENT = Path(__file__).parents[1] / "service" / "acp_agent.py"
LEFT_S = 6.0
SLOW_S = 60.0
"""The agent loads its SDK first, which takes a second on a machine with nothing else to do."""


def start(dock: Dock, scenario: str, *switches: str, **wire: Any) -> Running:
    """The agent's sessions and what it was told lie in the dock's folder, for all attempts."""
    env = {"PATH": os.environ["PATH"], "HOME": str(dock.folder), "ACP_AGENT_STORE": str(dock.folder)}
    return dock.start(
        [sys.executable, str(AGENT), scenario, *switches],
        kind="acp",
        protocol="acp",
        stdin="open",
        env=env,
        wire={"prompt": "do it", "cwd": str(dock.folder), **wire},
    )


def told(dock: Dock) -> list[dict[str, Any]]:
    path = dock.folder / "told.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def nothing_is_left(running: Running) -> None:
    wait_until(lambda: not marked(running.attempt), LEFT_S, "no process of the attempt is left")


def states(running: Running) -> list[str]:
    return [report["state"] for report in running.of_kind("effect")]


def leader(running: Running) -> int:
    return int(running.wait_fact("started")["pid"])


def test_an_agent_whose_work_is_done_is_let_go_and_has_ended_well(dock: Dock) -> None:
    """case 53: it would wait for more for ever."""
    running = start(dock, "plain")

    end = running.wait_end(SLOW_S)

    assert (end["over"], end["after_ending"], end["tree_empty"]) == (True, False, True)
    assert running.of_kind("output")[0]["value"] == "Hello from the script."
    assert end["figures"]["cost_usd"] == "0.0061"
    nothing_is_left(running)


def test_a_question_is_answered_and_the_answer_is_on_disk_before_the_agent_acts(dock: Dock) -> None:
    """EFF1: `sent` is written before `approval_answered` says that the agent took it."""
    running = start(dock, "tool", mode="default")
    question = running.wait_fact("approval", SLOW_S)

    running.say(do="answer", id=question["id"], answer="Allow once")
    running.wait_end(SLOW_S)

    kinds = [(report["kind"], report.get("state")) for report in running.reports()]
    assert kinds.index(("effect", "sent")) < kinds.index(("approval_answered", None))
    assert states(running) == ["intended", "sent", "confirmed"]
    assert running.of_kind("approval_answered")[0]["delivered"] is True
    assert (running.folder / "ran.log").read_text() == "ran\n"
    nothing_is_left(running)


def test_a_persons_message_reaches_the_agent_and_is_recorded_as_theirs(dock: Dock) -> None:
    running = start(dock, "tool", mode="default")
    question = running.wait_fact("approval", SLOW_S)

    running.say(do="say", id="m-1", text="and then this")
    running.say(do="answer", id=question["id"], answer="Deny")
    second = running.wait_message(
        lambda m: m.get("fact", {}).get("kind") == "approval" and m["fact"]["id"] != question["id"],
        SLOW_S,
    )
    running.say(do="answer", id=second["fact"]["id"], answer="Deny")
    running.wait_end(SLOW_S)

    assert [one["text"] for one in told(dock) if one["what"] == "prompt"] == ["do it", "and then this"]
    (said,) = running.of_kind("said")
    assert (said["text"], said["delivered"]) == ("and then this", True)


def test_stop_in_a_tool_call_cancels_it_and_leaves_its_effect_open(dock: Dock) -> None:
    """EFF2: the agent is told to cancel before it is terminated; what it did until then is not known."""
    running = start(dock, "slowtool")
    running.wait_message(lambda m: m.get("fact", {}).get("state") == "sent", SLOW_S)
    wait_until(lambda: any(one["what"] == "sleeps" for one in told(dock)), SLOW_S, "the tool runs")

    running.say(do="stop")
    end = running.wait_end(SLOW_S)

    assert (end["after_ending"], end["tree_empty"]) == (True, True)
    assert states(running) == ["sent"]
    assert running.of_kind("error") == []
    nothing_is_left(running)


@pytest.mark.parametrize("who", ["agent", "shim", "app"])
def test_a_kill_in_a_tool_call_leaves_no_process_and_an_open_effect(dock: Dock, who: str) -> None:
    """The tool has a session of its own, as the tools of real agents have."""
    running = start(dock, "slowtool")
    running.wait_message(lambda m: m.get("fact", {}).get("state") == "sent", SLOW_S)
    wait_until(lambda: any(one["what"] == "sleeps" for one in told(dock)), SLOW_S, "the tool runs")
    pid = leader(running)

    match who:
        case "agent":
            os.kill(pid, signal.SIGKILL)
        case "shim":
            signal.pidfd_send_signal(running.handle.pidfd, signal.SIGKILL)
        case _:
            running.handle.socket.shutdown(2)

    nothing_is_left(running)
    running.wait_gone()
    assert states(running) == ["sent"]
    if who == "agent":
        end = running.exit_file()
        assert (end["signal"], "over" in end) == (signal.SIGKILL, False)
        assert end["figures"]["cost_is_complete"] is False, "ruling 11: its turn was cut off"


def test_a_session_that_was_killed_in_a_tool_call_is_continued_by_its_id(dock: Dock) -> None:
    killed = start(dock, "slowtool")
    killed.wait_message(lambda m: m.get("fact", {}).get("state") == "sent", SLOW_S)
    os.kill(leader(killed), signal.SIGKILL)
    killed.wait_end(SLOW_S)
    session = killed.of_kind("session")[-1]

    again = start(dock, "plain", session=session["id"])
    again.wait_end(SLOW_S)

    assert session["resumable"] is True
    assert [one["session"] for one in told(dock) if one["what"] == "resume"] == [session["id"]]
    assert again.of_kind("output")[0]["value"] == "Hello from the script."


def test_an_agent_that_quits_without_an_answer_has_failed_with_exit_code_0(dock: Dock) -> None:
    running = start(dock, "quits")

    end = running.wait_end(SLOW_S)

    assert end["code"] == 0
    assert [error["class"] for error in running.of_kind("error")] == ["other"]


def test_a_flood_of_words_is_all_in_the_transcript(dock: Dock) -> None:
    running = start(dock, "flood")

    running.wait_end(SLOW_S)

    assert (
        len(running.of_kind("output")[0].get("value") or "")
        + int(running.of_kind("output")[0].get("size_bytes") or 0)
        >= 1_000_000
    )
    assert running.transcript().count(b"agent_message_chunk") == 2000


def test_a_silent_agent_ends_with_its_time_limit(dock: Dock) -> None:
    env = {"PATH": os.environ["PATH"], "ACP_AGENT_STORE": str(dock.folder)}
    running = dock.start(
        [sys.executable, str(AGENT), "hang"],
        kind="acp", protocol="acp", stdin="open", env=env, timeout_s=3.0, wire={"prompt": "do it", "cwd": "/"},
    )  # fmt: skip

    running.wait_end(SLOW_S)

    assert [report["reason"] for report in running.of_kind("ending")] == ["timeout"]
    nothing_is_left(running)


def test_variables_of_mcp_servers_are_filled_in_on_the_wire_and_lie_in_no_file(dock: Dock) -> None:
    secret = "canary-7391"
    servers = {"files": {"command": "files-server", "args": ["--quiet"], "env": {"TOKEN": "${TOKEN}"}}}
    env = {"PATH": os.environ["PATH"], "HOME": str(dock.folder), "ACP_AGENT_STORE": str(dock.folder)}
    running = dock.start(
        [sys.executable, str(AGENT), "plain"],
        secrets={"TOKEN": secret},
        kind="acp",
        protocol="acp",
        stdin="open",
        env=env,
        wire={"prompt": "do it", "cwd": str(dock.folder), "mcp_servers": servers},
    )
    running.wait_end(SLOW_S)
    (handed,) = next(line["whole"] for line in told(dock) if line["what"] == "new")
    assert (handed["name"], handed["command"], handed["args"]) == ("files", "files-server", ["--quiet"])
    assert [(one["name"], one["value"]) for one in handed["env"]] == [("TOKEN", secret)]
    kept = [path for path in running.folder.iterdir() if path.is_file() and path.name != "told.jsonl"]
    assert not [path.name for path in kept if secret.encode() in path.read_bytes()]
    assert b"${TOKEN}" in (running.folder / "launch.json").read_bytes()
