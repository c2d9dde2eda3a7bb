"""How an agent is started: its environment, its containment, its stdin, and what is said when it cannot be started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.shim import stubborn
from tests.shim.harness import Dock, wait_until

START_WHERE_NOTHING_IS = """
import os, sys
from quarterdeck.shim import kernel
from quarterdeck.shim.containment import AgentPlan, start_agent
from quarterdeck.shim.errors import SpawnFailed
kernel.become_subreaper()
null = os.open(os.devnull, os.O_RDWR)
try:
    start_agent(AgentPlan("/bin/true", ("true",), {}, sys.argv[1], null, null, null, null), sys.argv[2])
except SpawnFailed as error:
    print(error)
"""


def test_starting_is_durable_before_the_agent_runs_and_carries_the_shims_identity(dock: Dock) -> None:
    running = dock.start(["sh", "-c", "cat reports.jsonl"])
    running.wait_end()
    first = running.reports()[0]
    assert first["kind"] == "starting"
    assert first["shim_pid"] == running.handle.pid
    assert (first["run"], first["slot"], first["attempt"]) == ("r-1", "node", running.attempt)
    assert b'"kind":"starting"' in running.transcript()
    assert running.of_kind("started")[0]["program"].endswith("/sh")
    assert {r["epoch"] for r in running.reports()} == {3}


def test_the_environment_is_the_launchs_the_secrets_and_our_marks_and_nothing_else(
    dock: Dock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 140: a secret is in the agent's environment and in no file."""
    monkeypatch.setenv("HOST_ONLY", "x")
    running = dock.start(
        ["env"],
        {"API_KEY": "s3cret-value"},
        env={"PATH": os.environ["PATH"], "A": "ü 空"},
        context_path="/c.json",
    )
    running.wait_end()
    said = dict(line.split("=", 1) for line in running.transcript().decode().splitlines())
    assert said.pop("PATH")
    assert said == {
        "A": "ü 空",
        "API_KEY": "s3cret-value",
        "QUARTERDECK_RUN": "r-1",
        "QUARTERDECK_SLOT": "node",
        "QUARTERDECK_ATTEMPT": running.attempt,
        "QUARTERDECK_EPOCH": "3",
        "QUARTERDECK_IDEMPOTENCY_KEY": "r-1/node",
        "QUARTERDECK_CONTEXT": "/c.json",
    }
    kept = [p for p in running.folder.iterdir() if p.name not in ("transcript", "reports.jsonl")]
    assert not any(b"s3cret-value" in p.read_bytes() for p in kept)


@pytest.mark.parametrize(
    ("containment", "expected"),
    [("tree", {"tree"}), ("auto", {"pid_namespace", "tree"}), ("user_namespace", {"user_namespace", "tree"})],
)
def test_containment_in_force_is_recorded_and_its_proc_is_private(
    dock: Dock, containment: str, expected: set[str]
) -> None:
    running = dock.python("import os; print(os.getpid(), os.readlink('/proc/self'))", containment=containment)
    running.wait_end()
    started = running.of_kind("started")[0]
    assert started["containment"] in expected
    own, proc = running.transcript().split()
    assert own == proc
    inside = started["containment"] != "tree"
    assert (int(own) == 2) == inside
    assert (started["pid_ns"] != os.stat("/proc/self/ns/pid").st_ino) == inside
    assert started["pid"] > 2


def test_the_agent_has_no_descriptor_but_its_streams_and_the_lease(dock: Dock) -> None:
    running = dock.start(["sh", "-c", "ls -l /proc/self/fd"])
    running.wait_end()
    targets = [line.split(" -> ")[1] for line in running.transcript().decode().splitlines() if " -> " in line]
    others = [t for t in targets if not t.startswith(("pipe:", "/proc/")) and t != "/dev/null"]
    assert others == [str(running.folder / "lease")]


def test_a_prompt_arrives_on_stdin_whole_and_then_ends(dock: Dock) -> None:
    prompt = "Zeile ü 空\n" * 50_000
    running = dock.start(["cat"], stdin="prompt", prompt=prompt)
    running.wait_end()
    assert running.transcript() == prompt.encode()


def test_an_agent_that_ends_without_reading_its_prompt_ends_well(dock: Dock) -> None:
    running = dock.start(["true"], stdin="prompt", prompt="x" * 1_000_000)
    assert running.wait_end()["code"] == 0


@pytest.mark.parametrize(
    "what", ["missing", "missing path", "not executable", "a folder", "no cwd", "not a program"]
)
def test_a_program_that_cannot_be_started_is_one_clear_error_that_names_it(
    dock: Dock, what: str, tmp_path: Path
) -> None:
    """Cases 107 and 110."""
    plain = tmp_path / "plain.txt"
    plain.write_text("no program")
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nonsense")
    broken.chmod(0o755)
    argv, named = {
        "missing": (["no-such-program"], "no-such-program"),
        "missing path": (["/no/such/program"], "/no/such/program"),
        "not executable": ([str(plain)], str(plain)),
        "a folder": ([str(tmp_path)], str(tmp_path)),
        "no cwd": (["true"], "/no/such/folder"),
        "not a program": ([str(broken)], str(broken)),
    }[what]
    fields = {"cwd": "/no/such/folder"} if what == "no cwd" else {}
    running = dock.start(argv, **fields)
    ended = running.wait_end()
    assert (ended["reason"], ended["code"], ended["signal"], ended["tree_empty"]) == (
        "spawn",
        None,
        None,
        True,
    )
    (error,) = running.of_kind("error")
    assert error["class"] == "spawn"
    assert named in error["message"]
    assert [r["kind"] for r in running.reports()] == ["starting", "error", "exit"]
    assert ended["figures"]["cost_usd"] == "0"


@pytest.mark.parametrize("containment", ["auto", "user_namespace", "tree"])
def test_a_folder_that_goes_away_while_its_agent_is_started_is_named(
    tmp_path: Path, containment: str
) -> None:
    """Below an init of ours too, the reason is the one that the child left, not that the init ended."""
    gone = tmp_path / "gone"
    done = subprocess.run(
        [sys.executable, "-c", START_WHERE_NOTHING_IS, str(gone), containment],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(f"The folder {gone} cannot be entered"), done.stdout + done.stderr


def test_a_folder_that_takes_no_reports_starts_nothing(dock: Dock) -> None:
    """JNL4: no intent on the disk, no process."""
    running = dock.ask(["sh", "-c", "echo started > proof"])
    (running.folder / "reports.jsonl").mkdir()
    running.say(do="secrets", values={})
    told = running.wait_message(lambda m: "recording" in m)
    assert told["recording"] is False
    assert told["errno"]
    running.wait_gone()
    assert not (running.folder / "proof").exists()


def test_a_kind_that_no_adapter_speaks_with_starts_nothing_and_leaves_a_reason(dock: Dock) -> None:
    running = dock.start(["sh", "-c", "echo started > proof"], kind="nonsense")
    running.wait_gone()
    assert not (running.folder / "proof").exists()
    assert not (running.folder / "reports.jsonl").exists()
    assert "UnknownKind" in (running.folder / "shim-error.txt").read_text()


@pytest.mark.parametrize("containment", ["auto", "tree"])
def test_nonsense_from_the_apps_end_is_ignored_or_ends_the_agent(dock: Dock, containment: str) -> None:
    running = dock.python(stubborn.DAEMON, containment=containment)
    running.wait_output(b"ready")
    running.say(do="cap", cap_usd={"no": "amount"})  # is ignored
    running.say(do="answer", id="x" * 10, answer="y")  # a text agent has no answers
    running.wait_fact("approval_answered")
    running.handle.socket.sendall(b"this is no command\n")  # whoever says this is not our engine
    assert running.wait_end()["reason"] == "lost_app"
    assert running.lease_is_free()


def test_many_starts_from_many_threads_at_once(dock: Dock) -> None:
    with ThreadPoolExecutor(8) as pool:
        agents = list(pool.map(lambda n: dock.start(["echo", str(n)]), range(24)))
    for number, running in enumerate(agents):
        assert running.wait_end(30)["code"] == 0
        assert running.transcript() == f"{number}\n".encode()
        assert running.reports()[0]["shim_pid"] == running.handle.pid


def test_signals_and_scheduling_of_the_agent_are_ordinary_but_lower(dock: Dock) -> None:
    running = dock.python(
        "import os; print(os.nice(0)); print([l for l in open('/proc/self/status') if l.startswith(('SigIgn', 'SigBlk'))])\n"
        "print(open('/proc/self/autogroup').read() if os.path.exists('/proc/self/autogroup') else 'nice 10')"
    )  # fmt: skip
    running.wait_end()
    nice, masks, autogroup = running.transcript().decode().splitlines()[:3]
    assert int(nice) >= 5
    assert "SigBlk:\\t0000000000000000" in masks
    assert (
        int(masks.split("SigIgn:\\t")[1][:16], 16) & ~(1 << 12 | 1 << 24) == 0
    )  # Python itself ignores PIPE and XFSZ
    assert autogroup.endswith("nice 10")


def test_the_shim_can_be_imported_by_a_bare_interpreter_without_asyncio() -> None:
    import quarterdeck

    app = str(Path(quarterdeck.__file__).parents[1])
    program = (
        f"import sys; sys.path.insert(0, {app!r}); import quarterdeck.shim.fork_server, json; "
        "print(json.dumps([m for m in sys.modules if m.split('.')[0] in ('asyncio', 'pydantic', 'orjson', 'psutil')]))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout) == []


def test_the_more_agents_live_the_less_each_of_them_weighs(dock: Dock) -> None:
    """Together they weigh about as much as one other program, so that the window keeps its share (ADR 0060)."""
    asked = "print(open('/proc/self/autogroup').read().split()[-1] if os.path.exists('/proc/self/autogroup') else ''); sys.stdout.flush(); time.sleep(60)"
    agents = []
    for _ in range(10):
        agents.append(dock.python(f"import os, sys, time\n{asked}"))
        agents[-1].wait_fact("started")
    until_said = time.monotonic() + 20
    while not all(agent.transcript() for agent in agents):
        assert time.monotonic() < until_said
    said = [agent.transcript().decode().strip() for agent in agents]
    for agent in agents:
        agent.say(do="stop")
        agent.wait_end()
    assert set(said) == {""} or said == ["10"] * 2 + ["15"] * 6 + ["19"] * 2


def test_who_ends_a_tree_has_its_full_share_of_the_processor_again(dock: Dock) -> None:
    """ID5, REC9: a machine that is busy with other work must not keep an agent alive."""
    stubborn_ones = [dock.python(stubborn.IGNORES_TERM) for _ in range(3)]
    for agent in stubborn_ones:
        agent.wait_output(b"ready")
    last = stubborn_ones[-1]
    keeper = Path(f"/proc/{last.handle.pid}/autogroup")
    if not keeper.exists():
        pytest.skip("a kernel without autogroups")
    wait_until(lambda: keeper.read_text().split()[-1] == "15", 10)
    last.say(do="stop")
    wait_until(lambda: keeper.read_text().split()[-1] == "0", 10)
    for agent in stubborn_ones[:-1]:
        agent.say(do="stop")
    for agent in stubborn_ones:
        agent.wait_end()
