"""Situations that broke comparable products, each through the real program and real agents (cases by number)."""

from __future__ import annotations

import json
import os
import signal
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.real import document, quarterdeck, running
from tests.e2e.seen import cost_of, lines_of, marked, objects_of, tree, wait_until
from tests.e2e.works import logs_of, python, shell, write_workflow
from tests.shim import stubborn

ENDLESS = "while :; do sleep 0.1; done"
Run = dict[str, Any]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def run_to_end(file: Path, code: int = 0, *arguments: str) -> Run:
    told = quarterdeck("run", file, "--json", *arguments)
    assert told.returncode == code, told.stderr.decode()
    return dict(json.loads(told.stdout))


def attempts(run: Run) -> dict[str, list[Run]]:
    return {slot["node_id"]: slot["attempts"] for slot in run["slots"]}


def displays(run: Run) -> dict[str, str]:
    return {slot["node_id"]: slot["display"] for slot in run["slots"]}


def live_run() -> Run:
    (run,) = document("runs", "--state", "live")["runs"]
    return dict(run)


# ------------------------------------------------------------------------------------------- records and settings


@pytest.mark.sweep
def test_running_changes_neither_the_project_nor_the_settings_and_leaves_whole_records(
    tmp_path: Path, home: Path, sweep: int
) -> None:
    """STO1, STO2, OWN4: runs that succeed and runs that fail; folder, bytes and times of change stay as they were."""
    good = write_workflow(home, {"a": shell("echo a"), "b": shell("echo b")}, ("a", "b"), name="good")
    bad = write_workflow(home, {"a": shell("exit 3")}, name="bad", number=2)
    settings = tmp_path / "quarterdeck-config"
    settings.mkdir()
    (settings / "settings.toml").write_text('theme = "dark"\n')
    before = tree(home, settings)
    outcomes = [run_to_end(good)["outcome"] for _ in range(4 * sweep)]
    outcomes += [run_to_end(bad, 1)["outcome"] for _ in range(2 * sweep)]
    assert tree(home, settings) == before
    runs = document("runs")["runs"]
    assert [run["outcome"] for run in reversed(runs)] == outcomes
    assert [run["launch_seq"] for run in reversed(runs)] == list(range(1, 6 * sweep + 1))
    for run in runs:
        record = objects_of(tmp_path / "quarterdeck-data" / "runs" / run["run_id"] / "record.json")
        assert len(record) == 1, "one file a run"
        assert record[0]["outcome"] == run["outcome"]


def test_each_of_two_runs_that_end_at_once_leaves_its_own_whole_record(tmp_path: Path, home: Path) -> None:
    """OWN4, ID3, case 5: same workflow, same node names, two processes; numbers never cross."""
    cost = 'import random\ncost = "0.%02d" % (7 if not os.path.exists("one") else 11)\n'
    source = cost + (
        'open("one", "w").close()\nsay("usage", cost_usd=cost, message_id="m")\nnote("spent", cost=cost)\n'
        'while not os.path.exists("go"): time.sleep(0.01)\nsay("output", value=cost)\n'
    )
    file = write_workflow(home, {"a": python(source, home)})
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    with running(tmp_path / "1", "run", file, "--json") as first:
        wait_until(lambda: any(line["what"] == "spent" for log in logs_of(home).values() for line in log), 20)
        with running(tmp_path / "2", "run", file, "--json") as second:
            wait_until(
                lambda: sum(line["what"] == "spent" for log in logs_of(home).values() for line in log) == 2,
                20,
            )
            assert {run["cost_usd"] for run in document("runs", "--state", "live")["runs"]} <= {
                "0.07",
                "0.11",
                None,
            }
            (home / "go").touch()
            assert (first.ended(), second.ended()) == (0, 0)
    shown = [first.document(), second.document()]
    assert [run["cost_usd"] for run in shown] == ["0.07", "0.11"]
    assert [run["slots"][0]["attempts"][0]["output"] for run in shown] == ["0.07", "0.11"]
    assert {run["outcome"] for run in document("runs")["runs"]} == {"completed"}


# ------------------------------------------------------------------------------------------- stop, end, leftovers


def test_a_stop_of_one_run_does_not_reach_the_next_one(tmp_path: Path, home: Path) -> None:
    """Case 7."""
    file = write_workflow(home, {"a": shell("[ -e quick ] || " + ENDLESS)})
    with running(tmp_path, "run", file, "--json") as first:
        first.wait_said("A: Running")
        document("stop", live_run()["run_id"])
        assert first.ended() == 3
    (home / "quick").touch()
    assert run_to_end(file)["outcome"] == "completed"


def test_a_stopped_slot_starts_nothing_again_though_it_may_retry(tmp_path: Path, home: Path) -> None:
    """Case 17: stop is sticky; three attempts are allowed, the log shows one."""
    source = 'note("at work")\nwhile True: time.sleep(0.05)\n'
    nodes = [{"id": "a", "agent": "a", "retry": {"max_attempts": 3, "first_delay_s": 0.1}}]
    file = write_workflow(home, {"a": python(source, home)}, nodes=nodes)
    check = quarterdeck("check", file, "--json")
    if check.returncode != 0:  # the key's name is the file format's affair, the number of attempts is not
        nodes[0]["retry"] = {"max_attempts": 3}
        file = write_workflow(home, {"a": python(source, home)}, nodes=nodes)
    with running(tmp_path, "run", file, "--json") as run:
        wait_until(lambda: logs_of(home), 20)
        stopped = document("stop", live_run()["run_id"])
        assert run.ended() == 3
    assert len(attempts(stopped)["a"]) == 1
    assert len(logs_of(home)) == 1
    assert not marked(str(tmp_path).encode() + b"/")


def test_exit_0_without_anything_done_ends_the_slot(home: Path) -> None:
    """Case 13."""
    run = run_to_end(write_workflow(home, {"a": shell("true"), "b": shell("true")}, ("a", "b")))
    assert displays(run) == {"a": "Done", "b": "Done"}


@pytest.mark.parametrize("how", ["exit 0", "exit 9", "kill -9 $$", "kill -15 $$"])
def test_every_way_to_end_writes_an_end(home: Path, how: str) -> None:
    """Case 19."""
    run = run_to_end(write_workflow(home, {"a": shell(how)}), 0 if how == "exit 0" else 1)
    assert run["phase"] == "ended"
    assert attempts(run)["a"][0]["status"] == ("succeeded" if how == "exit 0" else "failed")
    assert run == document("show", run["run_id"])


def test_a_required_node_that_never_ran_does_not_leave_the_run_green(home: Path) -> None:
    """Case 142."""
    run = run_to_end(write_workflow(home, {"a": shell("exit 1"), "b": shell("touch ran")}, ("a", "b")), 1)
    assert run["outcome"] == "failed"
    assert attempts(run)["b"] == []
    assert not (home / "ran").exists()


def test_helpers_that_an_agent_leaves_behind_end_with_it(tmp_path: Path, home: Path) -> None:
    """Cases 50, 53 and 58: children, grandchildren, another session, a daemon; the run ends, and so do they."""
    leave = "import os, time\nfor n in range(8):\n    if os.fork() == 0:\n        os.setsid()\n"
    leave += "        if n % 2 and os.fork(): os._exit(0)\n        time.sleep(600)\nos._exit(0)\n"
    run = run_to_end(write_workflow(home, {"a": python(leave), "b": shell("sleep 600 & true")}))
    assert run["outcome"] == "completed"
    assert not marked(str(tmp_path).encode() + b"/")


def test_an_agent_whose_streams_stay_open_ends_when_its_process_ends(tmp_path: Path, home: Path) -> None:
    """Case 61: the end of the process, not of its streams, ends the attempt; the next start is free."""
    hold = "import os, signal, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(600)\nos._exit(0)\n"
    file = write_workflow(home, {"a": python(hold), "b": python(hold)}, ("a", "b"))
    assert displays(run_to_end(file)) == {"a": "Done", "b": "Done"}
    assert not marked(str(tmp_path).encode() + b"/")


def test_a_stop_during_the_start_leaves_nothing_alive(tmp_path: Path, home: Path) -> None:
    """Case 59, ID5: stopped as soon as the run is known, again while it stops, from two sides."""
    agents = {name: shell(ENDLESS + " & " + ENDLESS) for name in "abcdef"}
    file = write_workflow(home, agents, limits={"max_parallel": 6})
    with running(tmp_path, "run", file, "--json") as run:
        wait_until(lambda: document("runs", "--state", "live")["runs"], 20)
        identity = live_run()["run_id"]
        run.process.send_signal(signal.SIGINT)
        quarterdeck("stop", identity)
        run.process.send_signal(signal.SIGINT)
        assert run.ended() == 130
    assert document("show", identity)["outcome"] == "stopped"
    assert not marked(str(tmp_path).encode() + b"/")


def test_eight_stubborn_agents_are_idle_within_the_grace_and_two_seconds_of_stop(
    tmp_path: Path, home: Path
) -> None:
    """ID5 with the whole program: stop comes from another process; the grace is 4 s (ruling 21)."""
    names = [f"s{number}" for number in range(len(stubborn.ALL))]
    agents = {
        name: python(code, protocol="text") for name, code in zip(names, stubborn.ALL.values(), strict=True)
    }
    file = write_workflow(home, agents, limits={"max_parallel": 8})
    with running(tmp_path, "run", file, "--json") as run:
        wait_until(lambda: document("runs", "--state", "live")["runs"], 20)
        identity = live_run()["run_id"]
        data = tmp_path / "quarterdeck-data" / "runs" / identity / "attempts"
        wait_until(
            lambda: sum(b"ready" in path.read_bytes() for path in data.glob("*/transcript")) == len(names), 30
        )
        document("stop", identity)
        assert run.ended() == 3
    assert not marked(str(tmp_path).encode() + b"/")
    shown = run.document()
    assert shown["outcome"] == "stopped"
    assert {a["status"] for slot in attempts(shown).values() for a in slot} == {"stopped"}
    for place in data.glob("*"):
        reports = objects_of(place / "reports.jsonl")
        ending, gone = next(r for r in reports if r["kind"] == "ending"), reports[-1]
        assert gone["kind"] == "exit"
        assert gone["boot_ms"] - ending["boot_ms"] <= 6_000, place
        assert objects_of(place / "exit.json")[0]["tree_empty"]


def test_ctrl_c_ends_agents_and_program_though_the_store_cannot_be_written(
    tmp_path: Path, home: Path
) -> None:
    """Case 14, JNL8: the disk is full (the process may write no longer files), and stays so; what then could not be
    recorded is settled by whoever comes next.
    """
    file = write_workflow(home, {"a": shell(ENDLESS)})
    with running(tmp_path, "run", file, "--json") as run:
        run.wait_said("A: Running")
        identity = live_run()["run_id"]
        folder = tmp_path / "quarterdeck-data" / "runs" / identity
        size = (folder / "journal.jsonl").stat().st_size
        _limit_file_size(run.process.pid, size)
        run.process.send_signal(signal.SIGINT)
        wait_until(lambda: not marked(str(tmp_path).encode() + b"/"), 10, "agents live on")
        run.process.send_signal(signal.SIGTERM)
        assert run.ended() == 130
    shown = document("show", identity)
    assert (shown["phase"], shown["outcome"]) == ("ended", "interrupted")


def _limit_file_size(pid: int, size: int) -> None:
    import resource

    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def test_what_comes_after_the_end_never_changes_it(home: Path) -> None:
    """Case 22: a command for an ended run is refused, its record stays byte for byte."""
    run = run_to_end(write_workflow(home, {"a": shell("true")}))
    before = tree(home.parent / "quarterdeck-data" / "runs")
    for verb in ("pause", "continue"):
        assert quarterdeck(verb, run["run_id"], "a").returncode == 5, verb
    quarterdeck("stop", run["run_id"])
    assert document("show", run["run_id"]) == run
    after = tree(home.parent / "quarterdeck-data" / "runs")
    records = {name: value for name, value in after.items() if name.endswith("record.json")}
    assert records.items() <= before.items()


# ------------------------------------------------------------------------------------------- money, words, places


def test_a_message_counts_once_and_running_totals_count_by_difference(home: Path) -> None:
    """Case 85, ruling 10: exact decimals, also of numbers; the ledger sums up to the same."""
    source = """
for _ in range(3): say("usage", cost_usd="0.1", input_tokens=10, message_id="m1")
say("usage", cost_usd=0.2, input_tokens=20, message_id="m1")
say("usage", cost_usd="0.1", input_tokens=1, message_id="m2")
say("usage", cost_usd="0.000000000000000007", input_tokens=1)
"""
    total = 'for so_far in ("1.1", "2.2", "3.3"): say("usage", cost_usd=so_far, cumulative=True, model="m")\n'
    run = run_to_end(write_workflow(home, {"a": python(source, home), "b": python(total, home)}))
    told = {name: attempt["cost_usd"] for name, (attempt,) in attempts(run).items()}
    assert told == {"a": "0.300000000000000007", "b": "3.3"}
    assert run["cost_usd"] == "3.600000000000000007"
    assert run["tokens"]["input_tokens"] == 22
    data = home.parent / "quarterdeck-data"
    assert sum(Decimal(line["cost_usd"]) for line in objects_of(data / "ledger.jsonl")) == Decimal(
        run["cost_usd"]
    )
    for place in (data / "runs" / run["run_id"] / "attempts").glob("*"):
        (attempt,) = [a for each in attempts(run).values() for a in each if a["attempt_id"] == place.name]
        assert cost_of(lines_of((place / "transcript").read_bytes())) == Decimal(attempt["cost_usd"])


def test_text_about_401_is_text(home: Path) -> None:
    """Case 79: only the machine-readable channel speaks of sign-ins."""
    source = 'say("text", text="HTTP 401 unauthorized: invalid x-api-key, quota exceeded")\n'
    source += (
        'print(\'{"error": {"type": "authentication_error"}}\', flush=True)\nsay("output", value="fine")\n'
    )
    run = run_to_end(write_workflow(home, {"a": python(source, home), "b": shell("echo 401 unauthorized")}))
    assert displays(run) == {"a": "Done", "b": "Done"}


def test_every_agent_works_in_the_folder_that_it_was_given_and_it_is_recorded(home: Path) -> None:
    """Case 110."""
    for number in range(12):
        (home / f"tree {number}").mkdir()
    agents = {f"n{number}": shell("pwd -P", cwd=f"tree {number}") for number in range(12)}
    run = run_to_end(write_workflow(home, agents, limits={"max_parallel": 12}))
    for name, (attempt,) in attempts(run).items():
        place = str((home / f"tree {name[1:]}").resolve())
        assert attempt["output"].strip() == place
        folder = (
            home.parent / "quarterdeck-data" / "runs" / run["run_id"] / "attempts" / attempt["attempt_id"]
        )
        (started,) = [r for r in objects_of(folder / "reports.jsonl") if r["kind"] == "started"]
        assert started["cwd"] == place


def test_folders_and_words_of_any_script_pass_through(tmp_path: Path) -> None:
    """Case 137: a folder named `Ünï 空`, data and project in it, text in UTF-8 from prompt to output, also under LANG=C."""
    home = tmp_path / "Ünï 空" / "project"
    nodes = [{"id": "a", "agent": "a", "title": "Größe 空", "prompt": "Grüße an {{ inputs.who }}"}]
    file = write_workflow(
        home,
        {"a": shell('cat; printf " · "; pwd')},
        name="Übung",
        nodes=nodes,
        inputs=[{"name": "who", "type": "text"}],
    )
    told = quarterdeck(
        "run", file, "--json", "--input", "who=空 🙂",
        QUARTERDECK_DATA_DIR=str(tmp_path / "Ünï 空" / "data"), LANG="C", LC_ALL="C",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr.decode(errors="replace")
    run = json.loads(told.stdout)
    assert attempts(run)["a"][0]["output"].strip() == f"Grüße an 空 🙂 · {home}"
    assert (run["workflow_name"], run["slots"][0]["title"]) == ("Übung", "Größe 空")


def test_a_secret_is_in_no_argument_and_in_no_file(tmp_path: Path, home: Path) -> None:
    """Case 140: it reaches the agent's own environment, and nothing else of it is left anywhere."""
    secret = "s3cret-" + "7f3a9" * 4
    source = 'note("has it", has=len(os.environ.get("API_KEY", "")))\nsay("output", value="used")\n'
    file = write_workflow(home, {"a": python(source, home, credential="env:API_KEY")})
    told = quarterdeck("run", file, "--json", API_KEY=secret)
    assert told.returncode == 0, told.stderr.decode()
    (log,) = logs_of(home).values()
    assert [line["has"] for line in log if line["what"] == "has it"] == [len(secret)]
    found = [p for p in tmp_path.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()]
    assert not found
    assert secret.encode() not in told.stdout + told.stderr
    assert os.environ.get("API_KEY") is None


# ------------------------------------------------------------------------------------------- after a kill


def test_after_a_kill_of_the_terminal_its_run_is_a_record_and_nothing_is_started(
    tmp_path: Path, home: Path
) -> None:
    """REC6, REC10, case 23: the real program is killed; the next calls say interrupted, twice the same, and start nothing."""
    source = 'say("turn")\nsay("usage", cost_usd="0.07")\nnote("spent")\nwhile True: time.sleep(0.05)\n'
    file = write_workflow(home, {"a": python(source, home), "b": shell("touch ran")}, ("a", "b"))
    with running(tmp_path, "run", file, "--json") as run:
        wait_until(lambda: any(line["what"] == "spent" for log in logs_of(home).values() for line in log), 20)
        identity = live_run()["run_id"]
        run.process.kill()
        run.process.wait()
        wait_until(lambda: not marked(str(tmp_path).encode() + b"/"), 6, "agents outlive the app")
    assert document("runs", "--state", "live")["runs"] == []
    (status,) = document("status", home)["workflows"]
    assert (status["live"], status["state"], status["outcome"]) == (0, "ended", "interrupted")
    first, second = document("show", identity), document("show", identity)
    assert first == second
    assert (first["outcome"], first["cost_usd"], first["turns"]) == ("interrupted", "0.07", 1)
    assert [attempt["status"] for attempt in attempts(first)["a"]] == ["interrupted"]
    assert attempts(first)["b"] == []
    assert not (home / "ran").exists()
    assert not marked(str(tmp_path).encode() + b"/")
