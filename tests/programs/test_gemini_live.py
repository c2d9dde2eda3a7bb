"""Gemini 0.61.0 for real, in a real shim, against the scripted service: what each scenario gives, and that nothing is left.

With QUARTERDECK_RECORD=1 the agent's side of each talk is kept below `tests/agents/recorded`, for `test_gemini_recorded.py`.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.shim.client import ForkServer
from tests.programs.gemini_program import VERSION, Live, begun_in_another_minute, gemini_program
from tests.service import gemini
from tests.service.server import serving
from tests.shim.harness import Dock, Running, marked, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
RECORDED = Path(__file__).parents[1] / "agents" / "recorded" / f"gemini-{VERSION}"
IS_RECORDING = bool(os.environ.get("QUARTERDECK_RECORD"))
"""Read when the tests are collected: each test has an environment of its own."""
END_S = 120.0
LEFT_S = 6.0
QUIET_S = 20.0


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    program = gemini_program()
    server = ForkServer.start()
    dock = Dock(tmp_path, server)
    try:
        with serving([gemini.wire()]) as service:
            yield Live(dock, service, program)
            dock.close()
    finally:
        server.close()


def ended(running: Running, name: str = "") -> dict[str, Any]:
    """Its exit, once it is gone; no process of it is left, and its stream is recorded where that is asked for."""
    end = running.wait_end(END_S)
    wait_until(lambda: not marked(running.attempt), LEFT_S, "no process of the attempt is left")
    if name and IS_RECORDING:
        RECORDED.mkdir(parents=True, exist_ok=True)
        (RECORDED / f"{name}.jsonl").write_bytes(_cleaned(running))
    return end


def _cleaned(running: Running) -> bytes:
    """Its messages, without the names of this machine and without the lists of its own commands."""
    place = str(running.folder.parent).encode()
    kept = []
    for line in running.transcript().replace(place, b"/home/ada").splitlines():
        try:
            told = json.loads(line)
        except ValueError:
            continue
        update = told.get("params", {}).get("update", {})
        if "availableCommands" in update:
            update["availableCommands"] = []
        kept.append(json.dumps(told, ensure_ascii=False).encode())
    return b"\n".join(kept) + b"\n"


def error_of(running: Running) -> tuple[str, str, int | None]:
    (error,) = running.of_kind("error")
    return error["class"], error["strength"], error["status"]


def states(running: Running) -> list[str]:
    return [report["state"] for report in running.of_kind("effect")]


def question(running: Running) -> dict[str, Any]:
    return running.wait_fact("approval", END_S)


def test_a_plain_prompt_gives_the_answer_and_the_services_own_figures(live: Live) -> None:
    running = live.start("plain")

    end = ended(running, "plain")

    assert running.of_kind("output")[0]["value"] == "Hello from the script."
    assert [one["resumable"] for one in running.of_kind("session")] == [False, True]
    booked = [asked.usage for asked in live.service.work("plain") if asked.usage]
    assert end["figures"]["tokens"]["input_tokens"] == sum(usage["input_tokens"] for usage in booked) == 1500
    assert end["figures"]["tokens"]["output_tokens"] == sum(usage["output_tokens"] for usage in booked) == 50
    assert end["figures"]["turns"] == len(booked)


@pytest.mark.parametrize(("answer", "end_state"), [("Allow once", "confirmed"), ("Deny", "refused")])
def test_a_command_is_asked_for_and_an_answer_is_obeyed(live: Live, answer: str, end_state: str) -> None:
    running = live.start("tool", "ask")

    running.say(do="answer", id=question(running)["id"], answer=answer)
    end = ended(running, f"tool_{end_state}")

    assert states(running)[0] == "intended"
    assert states(running)[-1] == end_state
    assert (live.folder / "ran.log").exists() is (answer == "Allow once")
    assert end["figures"]["tokens"]["input_tokens"] == 3000
    assert end["figures"]["turns"] == 2


def test_with_full_permissions_nobody_is_asked(live: Live) -> None:
    running = live.start("tool", "full")

    ended(running, "tool_full")

    assert running.of_kind("approval") == []
    assert states(running) == ["sent", "confirmed"]
    assert (live.folder / "ran.log").read_text() == "ran\n"


def test_a_file_is_written_unasked_and_kept_as_an_artifact(live: Live) -> None:
    running = live.start("write", "edits")

    ended(running, "write")

    assert running.of_kind("approval") == []
    (artifact,) = running.of_kind("artifact")
    assert artifact["name"] == "made.txt"
    assert (running.folder / "artifacts" / artifact["stored"]).read_text() == "made by a tool\n"


FAILURES: dict[str, tuple[str, str, int | None]] = {
    "auth401": ("auth", "strong", 400),
    "auth401raw": ("auth", "strong", 401),
    "auth403": ("other", "strong", 403),
    "quota": ("usage_limit", "strong", 429),
    "bad400": ("invalid", "strong", 400),
    "drop": ("other", "medium", None),
}


@pytest.mark.parametrize("scenario", FAILURES)
def test_a_failing_service_is_an_error_of_its_class(live: Live, scenario: str) -> None:
    running = live.start(scenario)

    ended(running, scenario)

    assert error_of(running) == FAILURES[scenario]
    assert running.of_kind("output") == []


def test_a_sign_in_that_dies_in_the_middle_is_told_after_the_tool_call(live: Live) -> None:
    running = live.start("auth401mid", "full")

    ended(running, "auth401mid")

    assert error_of(running) == ("auth", "strong", 401)
    assert states(running) == ["sent", "confirmed"]


def test_without_a_key_it_says_so_before_the_prompt(live: Live) -> None:
    running = live.start("plain", key=None)

    ended(running, "nokey")

    assert error_of(running)[:2] == ("auth", "strong")
    assert live.service.asked == []


def test_silence_ends_with_the_time_limit(live: Live) -> None:
    """Nothing is told on its wire while it waits: the stall is shown by time alone."""
    running = live.start("hang", timeout_s=QUIET_S)

    ended(running)

    assert [report["reason"] for report in running.of_kind("ending")] == ["timeout"]
    assert running.of_kind("error") == running.of_kind("turn") == []


def test_an_unknown_session_is_an_error_and_nothing_is_asked_of_the_model(live: Live) -> None:
    running = live.start("plain", session="00000000-91c5-46c7-91cb-fee4f341cebc")

    ended(running, "unknown_session")

    assert error_of(running)[0] == "invalid"
    assert live.service.asked == []


def test_killed_in_a_tool_call_nothing_is_left_and_its_session_goes_on(live: Live) -> None:
    """SIGKILL of the launched pid; the tool has a session of its own."""
    killed = live.start("slowtool", "ask")
    killed.say(do="answer", id=question(killed)["id"], answer="Allow once")
    log = live.folder / "ran.log"
    wait_until(lambda: log.exists() and "started" in log.read_text(), END_S, "the tool runs")
    os.kill(int(killed.wait_fact("started")["pid"]), signal.SIGKILL)
    ended(killed, "kill_midtool")
    session = killed.of_kind("session")[-1]
    begun_in_another_minute(live.home, session["id"])

    again = live.start("plain", "ask", session=session["id"])
    ended(again, "resume_after_kill")

    assert states(killed) == ["intended", "sent"]
    assert session["resumable"] is True
    assert again.of_kind("output")[0]["value"] == "Hello from the script."
    assert states(again) == []
    assert log.read_text() == "started\n"


def test_a_session_goes_on_also_where_no_way_of_signing_in_was_chosen(live: Live) -> None:
    """With a key alone Gemini begins a session, but loads none without an address of the service."""
    live.has_settings = False
    first = live.start("plain")
    ended(first)
    session = first.of_kind("session")[-1]["id"]
    begun_in_another_minute(live.home, session)

    again = live.start("plain", session=session)
    ended(again)

    assert again.of_kind("output")[0]["value"] == "Hello from the script."


@pytest.mark.parametrize("who", ["shim", "app", "stop"])
def test_whoever_ends_in_a_tool_call_no_process_is_left(live: Live, who: str) -> None:
    """It ignores SIGTERM while a tool runs."""
    running = live.start("slowtool", "full")
    log = live.folder / "ran.log"
    wait_until(lambda: log.exists() and "started" in log.read_text(), END_S, "the tool runs")
    running.wait_message(lambda m: m.get("fact", {}).get("state") == "sent", END_S)

    if who == "shim":
        signal.pidfd_send_signal(running.handle.pidfd, signal.SIGKILL)
    elif who == "app":
        running.handle.socket.shutdown(2)
    else:
        running.say(do="stop")

    wait_until(lambda: not marked(running.attempt), LEFT_S, "no process of the attempt is left")
    running.wait_gone()
    assert states(running) == ["sent"]


def test_a_persons_message_goes_into_the_same_session(live: Live) -> None:
    running = live.start("tool", "ask")
    first = question(running)
    running.say(do="say", id="m-1", text="/memory show")
    running.say(do="answer", id=first["id"], answer="Deny")
    running.wait_message(lambda m: m.get("fact", {}).get("id") == "permission-2", END_S)
    running.say(do="answer", id="permission-2", answer="Deny")

    ended(running)

    contents = live.service.work("tool")[-1].body["contents"]
    assert "The task:\n/memory show" in json.dumps(contents).replace("\\n", "\n")
    assert len(running.of_kind("output")) == 1


def test_a_flood_of_words_is_the_output(live: Live) -> None:
    running = live.start("flood")

    ended(running)

    (output,) = running.of_kind("output")
    assert output["size_bytes"] == 300_000
