"""The terminal end to end: real processes of the program, real agents, a real store."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cli import exits
from tests.cli.real import (
    ASKS,
    SPENDS,
    command,
    document,
    python,
    quarterdeck,
    running,
    shell,
    wait_until,
    workflow,
)

pytest.importorskip("quarterdeck.engine.service")

ENDLESS = "echo at work; while :; do sleep 0.1; done"


def the_run() -> dict[str, Any]:
    """The only run of the store."""
    (run,) = document("runs")["runs"]
    return dict(run)


def slot_of(run: dict[str, Any], node: str) -> dict[str, Any]:
    return next(slot for slot in run["slots"] if slot["node_id"] == node)


def test_a_run_to_its_end_prints_what_show_prints(tmp_path: Path) -> None:
    file = workflow(tmp_path, ("first", "second"), first=shell("echo one"), second=shell("echo two"))
    told = quarterdeck("run", file, "--json")
    assert told.returncode == 0, told.stderr.decode()
    printed = json.loads(told.stdout)
    assert printed["outcome"] == "completed"
    assert [slot["display"] for slot in printed["slots"]] == ["Done", "Done"]
    assert slot_of(printed, "second")["attempts"][0]["output"].strip() == "two"
    assert document("show", printed["run_id"]) == printed
    assert re.search(r"/bin/sh -c 'echo one'", told.stderr.decode())


def test_a_failed_run_is_exit_1_and_says_which_agent_and_why(tmp_path: Path) -> None:
    told = quarterdeck("run", workflow(tmp_path, bad=shell("exit 3")))
    assert told.returncode == 1
    assert "Bad: Failed" in told.stderr.decode()
    assert told.stdout == b""


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("{", ""),
        (
            '{"format": "quarterdeck.workflow/1", "id": "x", "name": "n", "agents": {}, "nodes": [{"id": "a", "agent": "no"}]}',
            "nodes",
        ),
    ],
)
def test_a_bad_file_is_exit_2_and_leaves_nothing_written(tmp_path: Path, content: str, place: str) -> None:
    file = tmp_path / "bad.workflow.json"
    file.write_text(content)
    for verb in ("run", "check"):
        told = quarterdeck(verb, file, "--json")
        assert told.returncode == 2, told.stderr.decode()
        refusal = json.loads(told.stdout)
        assert refusal["code"] == "E_WORKFLOW"
        assert any(place in problem["place"] for problem in refusal["problems"])
        assert not (tmp_path / "quarterdeck-data").exists()


def test_a_missing_program_is_exit_2_and_leaves_nothing_written(tmp_path: Path) -> None:
    told = quarterdeck("run", workflow(tmp_path, a={"kind": "command", "argv": ["/no/such/program"]}))
    assert told.returncode == 2
    assert "/no/such/program" in told.stderr.decode()
    assert not (tmp_path / "quarterdeck-data").exists()


def test_an_unusable_data_folder_is_exit_6(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    told = quarterdeck(
        "run", workflow(tmp_path, a=shell("true")), QUARTERDECK_DATA_DIR=str(tmp_path / "file")
    )
    assert told.returncode == 6, told.stderr.decode()
    assert len(told.stderr.decode().splitlines()[-1]) > 20


def test_stop_ends_a_run_of_another_process(tmp_path: Path) -> None:
    with running(tmp_path, "run", workflow(tmp_path, a=shell(ENDLESS)), "--json") as run:
        run.wait_said("A: Running")
        stopped = document("stop", the_run()["run_id"][:8])
        assert run.ended() == 3
    assert stopped["outcome"] == "stopped"
    assert stopped["slots"][0]["attempts"][0]["status"] == "stopped"
    assert run.document()["run_id"] == stopped["run_id"]


def test_stop_of_one_agent_leaves_the_others(tmp_path: Path) -> None:
    file = workflow(tmp_path, a=shell(ENDLESS), b=shell(f"while [ ! -e {tmp_path}/go ]; do sleep 0.05; done"))
    with running(tmp_path, "run", file, "--json") as run:
        run.wait_said("A: Running")
        run.wait_said("B: Running")
        shown = document("stop", the_run()["run_id"], "a")
        assert slot_of(shown, "a")["attempts"][0]["status"] == "stopped"
        assert slot_of(shown, "b")["display"] == "Running"
        (tmp_path / "go").touch()
        assert run.ended() == 4
    assert slot_of(run.document(), "b")["display"] == "Done"


def test_ctrl_c_ends_the_agents_first_and_leaves_the_run_stopped(tmp_path: Path) -> None:
    with running(tmp_path, "run", workflow(tmp_path, a=shell(ENDLESS)), "--json") as run:
        run.wait_said("A: Running")
        run.process.send_signal(signal.SIGINT)
        assert run.ended() == 130
    assert run.document()["outcome"] == "stopped"
    assert the_run()["outcome"] == "stopped"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_sigterm_and_sighup_leave_the_run_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path, "run", workflow(tmp_path, a=shell(ENDLESS)), "--json") as run:
        run.wait_said("A: Running")
        run.process.send_signal(number)
        assert run.ended() == 3
    assert the_run()["outcome"] == "interrupted"


def test_a_question_is_answered_from_another_process(tmp_path: Path) -> None:
    with running(tmp_path, "run", workflow(tmp_path, a=python(ASKS)), "--json") as run:
        run.wait_said("quarterdeck answer")
        answer = re.search(r"`quarterdeck answer (\S+) (\S+) CHOICE`", run.said)
        assert answer is not None
        wrong = quarterdeck("answer", *answer.groups(), "maybe", "--json")
        assert wrong.returncode == 2
        assert quarterdeck("answer", *answer.groups(), "yes").returncode == 0
        assert run.ended() == 0
    assert slot_of(run.document(), "a")["attempts"][0]["output"] == {"given": "yes"}
    again = quarterdeck("answer", *answer.groups(), "no", "--json")
    assert again.returncode == 5
    assert json.loads(again.stdout)["code"] == "E_REQUEST"


def test_no_wait_ends_the_agent_that_asks_with_exit_4(tmp_path: Path) -> None:
    told = quarterdeck("run", workflow(tmp_path, a=python(ASKS)), "--no-wait", "--json")
    assert told.returncode == 4, told.stderr.decode()
    (asker,) = slot_of(json.loads(told.stdout), "a")["attempts"]
    words = "asked a question and nobody was there to answer"
    assert (asker["status"], asker["reason"]) == ("stopped", words)


def test_pause_and_continue_hold_the_agent_of_another_process(tmp_path: Path) -> None:
    counter = tmp_path / "count"
    with running(
        tmp_path, "run", workflow(tmp_path, a=shell(f"while :; do echo x >> {counter}; sleep 0.05; done"))
    ) as run:
        wait_until(counter.exists)
        identity = the_run()["run_id"]
        assert quarterdeck("pause", identity, "a").returncode == 0
        wait_until(lambda: slot_of(document("show", identity), "a")["display"] == "Paused")
        size = counter.stat().st_size
        document("runs")  # takes far longer than a round of the agent
        assert counter.stat().st_size == size
        assert quarterdeck("continue", identity, "a").returncode == 0
        wait_until(lambda: counter.stat().st_size > size)
        assert quarterdeck("stop", identity).returncode == 0
        assert run.ended() == 3


def test_logs_are_the_bytes_that_the_agent_printed_and_can_be_followed(tmp_path: Path) -> None:
    script = f"printf 'one\\033[31m\\n'; while [ ! -e {tmp_path}/go ]; do sleep 0.05; done; echo two"
    with running(tmp_path, "run", workflow(tmp_path, a=shell(script))) as run:
        run.wait_said("A: Running")
        identity = the_run()["run_id"]
        wait_until(lambda: quarterdeck("logs", identity, "a").stdout == b"one\x1b[31m\n")
        follow = subprocess.Popen(command("logs", identity, "a", "--follow"), stdout=subprocess.PIPE)
        assert follow.stdout is not None
        assert follow.stdout.readline() == b"one\x1b[31m\n"
        (tmp_path / "go").touch()
        assert follow.communicate(timeout=30)[0] == b"two\n"
        assert follow.returncode == 0
        assert run.ended() == 0
    assert document("logs", identity)["attempts"][0]["text"] == "one\x1b[31m\ntwo\n"


def test_events_are_whole_lines_in_order(tmp_path: Path) -> None:
    told = quarterdeck("run", workflow(tmp_path, a=python(SPENDS)), "--events")
    assert told.returncode == 0, told.stderr.decode()
    events = [json.loads(line) for line in told.stdout.splitlines()]
    assert all(
        event.keys() == {"seq", "at", "type", "run", "slot", "attempt", "epoch", "data"} for event in events
    )
    assert [event["seq"] for event in events] == sorted({event["seq"] for event in events})
    kinds = [event["type"] for event in events]
    assert kinds[0] == "run_launched"
    assert kinds[-1] == "run_ended"
    assert {"attempt_claimed", "started", "output", "attempt_ended"} <= set(kinds)


def test_a_reader_of_events_who_leaves_does_not_end_the_run(tmp_path: Path) -> None:
    file = workflow(tmp_path, ("a", "b"), a=shell("sleep 0.5"), b=shell("echo done"))
    process = subprocess.Popen(
        command("run", file, "--events"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(30) == 0
    assert the_run()["outcome"] == "completed"


def test_eighty_percent_of_a_limit_is_warned_of_once(tmp_path: Path) -> None:
    file = workflow(tmp_path, limits={"budget_usd": "1.00"}, a=python(SPENDS))
    told = quarterdeck("run", file)
    assert told.returncode == 0, told.stderr.decode()
    assert told.stderr.decode().count("has spent $0.90 of its limit of $1.00.") == 1


def test_status_joins_the_folder_with_the_store(tmp_path: Path) -> None:
    file = workflow(tmp_path, a=shell("true"))
    (before,) = document("status", tmp_path)["workflows"]
    assert (before["state"], before["live"], before["shown_run"]) == ("never_run", 0, None)
    assert quarterdeck("run", file).returncode == 0
    (after,) = document("status", tmp_path)["workflows"]
    assert (after["state"], after["outcome"]) == ("ended", "completed")
    assert after["shown_run"] == the_run()["run_id"]


def test_reading_verbs_end_quietly_when_their_reader_leaves(tmp_path: Path) -> None:
    assert quarterdeck("run", workflow(tmp_path, a=shell("head -c 3000000 /dev/zero"))).returncode == 0
    process = subprocess.Popen(
        command("logs", the_run()["run_id"]), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0


def test_an_answer_that_a_full_disk_loses_is_never_called_done(tmp_path: Path) -> None:
    """Who keeps an export, a list or a transcript must not take a cut file for the whole."""
    file = workflow(tmp_path, a=shell("echo hello"))
    assert quarterdeck("run", file).returncode == 0
    run = the_run()["run_id"]
    verbs = [["runs"], ["runs", "--json"], ["show", run, "--json"], ["logs", run], ["status", "--json"]]
    verbs += [["export", run], ["recover", "--json"], ["check", file, "--json"], ["run", file, "--json"]]
    verbs += [["run", file, "--events"]]
    told = {" ".join(map(str, verb)): _over_a_full_disk(verb) for verb in verbs}
    assert {verb: code for verb, (code, _) in told.items()} == dict.fromkeys(told, exits.OUTPUT_LOST)
    silent = [verb for verb, (_, said) in told.items() if "No space left on device" not in said]
    assert not silent


def _over_a_full_disk(verb: list[object]) -> tuple[int, str]:
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(command(*verb), stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    return ended.returncode, ended.stderr.decode()


# ------------------------------------------------------------------------------------------- a real terminal


class Terminal:
    """A call in a session of its own with a pseudo terminal; a person's eyes and hands."""

    def __init__(self, *arguments: object) -> None:
        pid, self.fd = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(command()[0], command(*arguments))
        self.pid = pid
        self.seen = b""

    def wait_seen(self, words: str) -> None:
        end = time.monotonic() + 30
        while words.encode() not in self.seen:
            assert time.monotonic() < end, self.seen.decode(errors="replace")
            if select.select([self.fd], [], [], 0.2)[0]:
                self.seen += self._read()

    def press(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def ended(self) -> int:
        while content := self._read():
            self.seen += content
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> bytes:
        try:
            return os.read(self.fd, 65536)
        except OSError:  # EIO: the other side is closed
            return b""


def test_on_a_terminal_a_question_is_asked_and_answered_in_place(tmp_path: Path) -> None:
    terminal = Terminal("run", workflow(tmp_path, a=python(ASKS)))
    terminal.wait_seen("Answer (1")
    terminal.press(b"2\n")
    assert terminal.ended() == 0
    run = document("show", the_run()["run_id"])
    assert slot_of(run, "a")["attempts"][0]["output"] == {"given": "no"}


def test_on_a_terminal_ctrl_c_reaches_the_program_and_not_its_agents(tmp_path: Path) -> None:
    terminal = Terminal("run", workflow(tmp_path, a=shell("trap 'echo INT' INT; " + ENDLESS)))
    terminal.wait_seen("Running")
    terminal.press(b"\x03")
    assert terminal.ended() == 130
    identity = the_run()["run_id"]
    assert b"INT" not in quarterdeck("logs", identity).stdout
    assert document("show", identity)["outcome"] == "stopped"


# ------------------------------------------------------------------------------------------- taken up again


def test_a_failed_agent_is_resumed_by_a_person_and_the_workflow_goes_on(tmp_path: Path) -> None:
    needs = shell(f"test -e {tmp_path}/fixed")
    file = workflow(tmp_path, ("a", "b"), a=needs, b=shell("echo after"))
    assert quarterdeck("run", file).returncode == 1
    identity = the_run()["run_id"]
    (tmp_path / "fixed").touch()
    told = quarterdeck("resume", identity, "a", "--reason", "the file is there now", "--go-on", "--json")
    assert told.returncode == 0, told.stderr.decode()
    run = json.loads(told.stdout)
    assert [slot["display"] for slot in run["slots"]] == ["Done", "Done"]
    assert [one["status"] for one in slot_of(run, "a")["attempts"]] == ["failed", "succeeded"]
    assert len(run["sittings"]) == 2


def test_a_reassigned_slot_waits_visibly_until_it_is_claimed(tmp_path: Path) -> None:
    file = workflow(tmp_path, ("a", "b"), a=shell(f"test -e {tmp_path}/fixed"), b=shell("echo after"))
    assert quarterdeck("run", file).returncode == 1
    identity = the_run()["run_id"]
    shown = document("reassign", identity, "a", "--reason", "try once more")
    assert slot_of(shown, "a")["display"] == "Re-opened, waiting to start"
    assert slot_of(shown, "a")["reopened"]["reason"] == "try once more"
    assert shown["outcome"] == "failed"
    (tmp_path / "fixed").touch()
    told = quarterdeck("claim", identity, "a", "--json")
    assert told.returncode == 4, (
        told.stderr.decode()
    )  # ruling 3: without --go-on what follows waits for a person
    assert slot_of(json.loads(told.stdout), "b")["attempts"] == []


def test_what_a_guard_refuses_is_exit_5_with_its_code(tmp_path: Path) -> None:
    assert quarterdeck("run", workflow(tmp_path, a=shell("true"))).returncode == 0
    identity = the_run()["run_id"]
    for arguments, code in [
        (("reassign", identity, "a", "--reason", "why"), "E_SLOT_STATE"),
        (("resume", identity, "a", "--reason", " \u200b"), "E_SLOT_STATE"),
        (("claim", identity, "a"), "E_NOT_CLAIMABLE"),
        (("claim", identity, "nowhere"), "E_SLOT"),
        (("show", "r-" + "0" * 32), "E_RUN"),
    ]:
        told = quarterdeck(*arguments, "--json")
        assert told.returncode == 5, told.stderr.decode()
        assert json.loads(told.stdout)["code"] == code


def test_a_limit_is_raised_with_the_resume(tmp_path: Path) -> None:
    file = workflow(tmp_path, a=python(SPENDS + "\nimport sys; sys.exit(1)", budget_usd="0.95"))
    assert quarterdeck("run", file).returncode == 1
    told = quarterdeck("resume", the_run()["run_id"], "a", "--reason", "again", "--budget", "3.00", "--json")
    assert told.returncode == 1, told.stderr.decode()
    assert json.loads(told.stdout)["cost_usd"] == "1.8"


def test_budgets_are_set_shown_and_end_what_is_over_them(tmp_path: Path) -> None:
    """Ruling 12, for all runs of a night; JSON and words call an estimate one (case 89: it ends and asks)."""
    nothing = quarterdeck("budgets")
    assert (nothing.returncode, b"No limit is set" in nothing.stdout) == (0, True)
    stays = tmp_path / "stays"  # while it is there, an agent that has spent is still at work
    says = SPENDS.replace('cost_usd="0.9", model="m"', 'model="m"').replace("=10,", "=1_000_000,")
    says += f"import time\nwhile os.path.exists({str(stays)!r}): time.sleep(0.02)\n"
    file = workflow(tmp_path, one=python(says, prices={"m": {"input": "0.5", "output": "0"}}))
    began = time.strftime("%H:%M", time.localtime(time.time() - 60))
    assert quarterdeck("budgets", "--night", "0.60", "--from", began).returncode == 0
    assert quarterdeck("budgets", "--workflow", file, "--limit", "9").returncode == 0
    first = quarterdeck("run", file)
    assert first.returncode == 0, first.stderr.decode()
    assert "$0.50 (estimate)" in first.stderr.decode()
    told = document("budgets")
    night, (of_all_runs,) = told["night"], told["workflows"]
    assert (night["limit_usd"], night["spent_usd"], night["spent_source"]) == ("0.6", "0.5", "estimated")
    assert (of_all_runs["name"], of_all_runs["spent_usd"]) == ("Real check", "0.5")
    stays.touch()
    second = quarterdeck("run", file, "--json")
    assert second.returncode == exits.WAITS_FOR_PERSON
    printed = json.loads(second.stdout)
    assert (printed["reason"], printed["cost_source"]) == ("the night's budget is spent", "estimated")
    warned = "All runs of the night together have spent $0.50 (estimate) of their limit of $0.60."
    assert warned in second.stderr.decode()
    assert quarterdeck("reassign", printed["run_id"], "one", "--reason", "once more").returncode == 0
    refused = quarterdeck("claim", printed["run_id"], "one", "--json")
    assert (refused.returncode, json.loads(refused.stdout)["code"]) == (exits.REFUSED, "E_BUDGET")
    assert quarterdeck("budgets", "--night", "NaN").returncode == exits.USAGE
    assert quarterdeck("budgets", "--night", "none").returncode == 0
    assert document("budgets")["night"] is None


def test_a_nights_budget_ends_an_agent_while_its_terminal_stands_still(tmp_path: Path) -> None:
    """The keeper holds what was left of the night, so that a stalled window or terminal lets nothing run away."""
    began = time.strftime("%H:%M", time.localtime(time.time() - 60))
    quarterdeck("budgets", "--night", "1.00", "--from", began)
    go, cost = tmp_path / "go", 'say(type="turn"); say(type="usage", cost_usd="0.6", model="m")'
    code = (
        f"{ASKS.split('say(type=')[0]}import os, time\n{cost}\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.02)\n{cost}\ntime.sleep(60)\n"
    )
    with running(tmp_path, "run", workflow(tmp_path, one=python(code))) as run:
        run.wait_said("One: Running")
        (live,) = document("runs")["runs"]
        attempts = Path(os.environ["QUARTERDECK_DATA_DIR"]) / "runs" / live["run_id"] / "attempts"
        run.process.send_signal(signal.SIGSTOP)
        try:
            go.touch()
            wait_until(lambda: list(attempts.glob("*/exit.json")))
            told = json.loads(next(attempts.glob("*/exit.json")).read_text())
        finally:
            run.process.send_signal(signal.SIGCONT)
        assert (told["reason"], told["figures"]["cost_usd"]) == ("night_budget", "1.2")
        assert run.ended() == exits.WAITS_FOR_PERSON
        assert "the night's budget is spent" in run.said
