"""ID5: whatever an agent does, Stop reaches idle within the grace and 2 s, and the result was looked at, not hoped."""

from __future__ import annotations

import time

import pytest

from tests.shim import stubborn
from tests.shim.harness import Dock, marked

FOREVER = "\nimport time\nwhile True: time.sleep(0.05)\n"
DEAF = "import signal, os\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"


@pytest.mark.parametrize("containment", ["auto", "tree", "user_namespace"])
def test_eight_stubborn_agents_are_idle_within_grace_and_two_seconds_and_it_was_verified(
    dock: Dock, containment: str
) -> None:
    agents = {
        name: dock.python(source, containment=containment, stdin="prompt", prompt="x" * 300_000)
        for name, source in stubborn.ALL.items()
    }
    for running in agents.values():
        running.wait_output(b"ready")
    asked = time.monotonic()
    for running in agents.values():
        running.say(do="stop", reason="stop")
    for name, running in agents.items():
        ended = running.wait_end(asked + 3.0 - time.monotonic() + 0.5)
        assert ended["tree_empty"], (name, ended)
        assert ended["left"] == []
        assert ended["reason"] == "stop"
        assert ended["after_ending"]
        assert marked(running.attempt) == [], name
        running.wait_gone()
        assert running.lease_is_free(), name
        assert [r["kind"] for r in running.reports()][-1] == "exit"
        assert [r["reason"] for r in running.of_kind("ending")] == ["stop"]
    assert agents["ignores TERM"].exit_file()["killed"] >= 1


def test_a_willing_agent_has_its_grace_and_its_own_exit_code(dock: Dock) -> None:
    running = dock.python(
        "import signal, sys, time\n"
        "def bye(*_):\n    time.sleep(0.3); print('bye'); sys.exit(7)\n"
        "signal.signal(signal.SIGTERM, bye)\nprint('ready')\n" + FOREVER
    )  # fmt: skip
    running.wait_output(b"ready\n")
    running.say(do="stop", reason="stop")
    running.say(do="stop", reason="stop")  # twice, and during the first one
    ended = running.wait_end()
    assert (ended["code"], ended["signal"], ended["killed"]) == (7, None, 0)
    assert ended["after_ending"]
    assert running.transcript() == b"ready\nbye\n"
    assert len(running.of_kind("ending")) == 1


def test_stop_before_the_agent_was_started_starts_nothing(dock: Dock) -> None:
    """Cases 17 and 59."""
    running = dock.ask(["sh", "-c", "echo started > proof"])
    running.handle.socket.sendall(b'{"do":"secrets","values":{}}\n{"do":"stop","reason":"stop"}\n')
    running.wait_gone()
    assert not (running.folder / "proof").exists()
    assert not (running.folder / "reports.jsonl").exists()


def test_the_end_of_the_leader_ends_the_attempt_and_what_it_left_behind(dock: Dock) -> None:
    """Ruling 21: an ordinary end counts by its exit, though a deaf daemon had to be killed and held stdout open."""
    running = dock.python(
        DEAF + "if os.fork() == 0:\n    os.setsid()\n    import time\n    time.sleep(60)\n"
        "print('done')\nos._exit(5)\n"
    )  # fmt: skip
    ended = running.wait_end(5.0)
    assert (ended["code"], ended["reason"], ended["after_ending"]) == (5, "exit", False)
    assert ended["tree_empty"]
    assert ended["killed"] == 1
    assert running.of_kind("ending") == []
    assert running.lease_is_free()


def test_a_time_limit_ends_the_agent_and_held_time_does_not_count(dock: Dock) -> None:
    running = dock.python("print('ready')" + FOREVER, timeout_s=0.8)
    running.wait_output(b"ready")
    running.say(do="pause")
    running.wait_fact("paused")
    running.hear_for(1.2)
    assert running.facts("ending") == []
    running.say(do="continue")
    ended = running.wait_end()
    assert ended["reason"] == "timeout"
    assert ended["after_ending"]


def test_a_stall_time_out_ends_an_agent_that_prints_nothing_and_none_that_prints(dock: Dock) -> None:
    """Silence is the person's to judge: three of the known programs retry without a word."""
    busy = dock.python(
        "import time\nfor n in range(12):\n    time.sleep(0.2)\n    print(n)\n", stall_timeout_s=1.0
    )
    assert busy.wait_end()["code"] == 0
    assert busy.of_kind("ending") == []
    silent = dock.python("print('ready')" + FOREVER, stall_timeout_s=1.0)
    ended = silent.wait_end()
    assert (ended["reason"], ended["after_ending"]) == ("stall", True)


def test_an_agent_that_waits_for_a_person_or_is_held_is_not_stalled(dock: Dock) -> None:
    asks = "say('approval', id='q', question='Go?', options=['yes'])\nsys.stdin.readline()\nsay('output', value='on')\n"
    running = dock.lines(asks, stall_timeout_s=0.8)
    running.wait_fact("approval")
    running.hear_for(1.6)
    running.say(do="pause")
    running.wait_fact("paused")
    running.hear_for(1.2)
    running.say(do="continue")
    running.wait_fact("continued")
    assert running.facts("ending") == []
    running.say(do="answer", id="q", answer="yes")
    running.wait_end()
    assert running.of_kind("output")[0]["value"] == "on"
    assert running.of_kind("ending") == []
