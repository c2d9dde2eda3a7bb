"""Reading: no limit on a line, bounded memory, bounded speed, and every line found once in the transcript (ruling 22)."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from tests.shim.harness import SAY, Dock, Running, wait_until

FAST = {"limits": {"read_bytes_per_s": 400_000_000, "burst_bytes": 400_000_000}}


def _memory_kb(running: Running, name: str = "VmHWM") -> int:
    for line in Path(f"/proc/{running.handle.pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    raise AssertionError(name)


def test_a_line_of_64_mb_reaches_the_transcript_whole_is_not_parsed_and_memory_stays_bounded(
    dock: Dock,
) -> None:
    size = 64 * 1024 * 1024
    source = (
        f"import sys\nblock = b'0123456789abcdef' * 65536\n"
        f"for _ in range({size} // len(block)): sys.stdout.buffer.write(block)\n"
        "sys.stdout.buffer.write(b'\\n'); sys.stdout.flush()\n"
        "say('output', value='after'); sys.stdin.readline()\n"
    )
    running = dock.lines(source, **FAST)
    before = _memory_kb(running, "VmRSS")
    running.wait_fact("output", 60)
    grown = _memory_kb(running) - before
    running.say(do="answer", id="x", answer="go")
    running.wait_end()
    assert grown < 60_000, f"{grown} kB"
    (told,) = running.of_kind("over_long")
    assert (told["stream"], told["size_bytes"]) == ("stdout", size)
    digest, taken = hashlib.sha256(), 0
    with open(running.folder / "transcript", "rb") as file:
        digest.update(line := file.readline())
        taken = len(line)
    assert taken == size + 1
    expected = hashlib.sha256(b"0123456789abcdef" * (size // 16) + b"\n")
    assert digest.digest() == expected.digest()


def test_lines_far_over_64_kb_are_parsed(dock: Dock) -> None:
    """Cases 97 and 98."""
    running = dock.lines("say('output', value='x' * 10_000_000)", **FAST)
    running.wait_end(30)
    (output,) = running.of_kind("output")
    assert (running.folder / "artifacts" / output["stored"]).read_bytes() == b"x" * 10_000_000
    assert output["size_bytes"] == 10_000_000
    assert running.facts("output")[0]["stored"] == output["stored"]


def test_a_text_output_over_16_mb_is_cut_and_said_to_be_cut(dock: Dock) -> None:
    size = 18 * 1024 * 1024
    running = dock.python(f"import sys; sys.stdout.write(('x' * 1023 + '\\n') * ({size} // 1024))", **FAST)
    running.wait_end(30)
    (output,) = running.of_kind("output")
    assert output["truncated"] is True
    assert output["size_bytes"] <= 16 * 1024 * 1024
    assert (running.folder / "transcript").stat().st_size == size


def test_five_floods_at_full_speed_are_slowed_and_each_line_is_found_once(dock: Dock) -> None:
    source = (
        "import sys, time\nend, n = time.monotonic() + 3, 0\n"
        "while time.monotonic() < end:\n    n += 1\n    sys.stdout.write(f'{n} of a flood that never wants to end\\n')\n"
        "sys.stdout.flush()\n"
    )
    limits = {"read_bytes_per_s": 1_000_000, "burst_bytes": 500_000}
    agents = [dock.python(source, limits=limits) for _ in range(5)]
    for running in agents:
        began = time.monotonic()
        running.wait_end(30)
        assert time.monotonic() - began < 30
        numbers = [int(line.split()[0]) for line in running.transcript().splitlines()]
        assert numbers == list(range(1, len(numbers) + 1))
        assert len(running.transcript()) < 1_000_000 * 4 + 500_000 + 500_000
        totals = [m for m in running.heard if "totals" in m]
        assert len(totals) <= 10 * 4.5 + 2
        assert len(running.heard) < 80


@pytest.mark.sweep
def test_many_agents_at_300_lines_a_second_are_kept_whole_in_bounded_memory(dock: Dock, sweep: int) -> None:
    """The sweep goes up to forty agents for a minute."""
    count, seconds = min(40, 6 * sweep), min(60, 2 * sweep)
    source = (
        f"import sys, time\nt = time.monotonic()\nfor n in range(1, {300 * seconds} + 1):\n"
        "    sys.stdout.write(f'{n} line\\n'); sys.stdout.flush()\n"
        "    time.sleep(max(0, t + n / 300 - time.monotonic()))\nsys.stdin.readline()\n"
    )
    agents = [dock.python(source, stdin="open", protocol="lines") for _ in range(count)]
    last = f"{300 * seconds} line\n".encode()
    for running in agents:
        wait_until(lambda r=running: r.hear(0.02) and r.transcript().endswith(last), 4 * seconds + 20)
        assert _memory_kb(running, "VmRSS") < 40_000
        running.say(do="answer", id="x", answer="go")
        running.wait_end(30)
        numbers = [int(line.split()[0]) for line in running.transcript().splitlines()]
        assert numbers == list(range(1, 300 * seconds + 1))


def test_a_shim_whose_agent_is_silent_uses_no_processor_time(dock: Dock) -> None:
    def ticks(running: Running) -> int:
        fields = Path(f"/proc/{running.handle.pid}/stat").read_text().rpartition(") ")[2].split()
        return int(fields[11]) + int(fields[12])

    silent = "import time; print('ready'); time.sleep(60)"
    agents = [dock.python(silent, **kind) for kind in (
        {}, {"containment": "tree"}, {"stdin": "prompt", "prompt": "x" * 1_000_000}, {"timeout_s": 600}, {"cap_usd": "5"},
    )]  # fmt: skip
    for running in agents:
        running.wait_output(b"ready")
        running.hear_for(0.3)
    before = [ticks(running) for running in agents]
    agents[0].hear_for(1.5)
    assert [ticks(running) for running in agents] == before


def test_short_output_is_immediate_and_stderr_is_kept_too(dock: Dock) -> None:
    running = dock.start(["sh", "-c", "echo out; echo err >&2; exit 4"])
    ended = running.wait_end()
    assert ended["code"] == 4
    assert sorted(running.transcript().splitlines()) == [b"err", b"out"]
    (output,) = running.of_kind("output")
    assert output["value"] == "out"


def test_bytes_that_are_no_text_are_kept_as_they_are(dock: Dock) -> None:
    content = bytes(range(256)) * 10
    running = dock.python(f"import sys; sys.stdout.buffer.write({content!r})")
    running.wait_end()
    assert running.transcript() == content
    assert "\ufffd" in running.of_kind("output")[0]["value"]


def test_what_is_in_the_pipes_when_the_agent_is_killed_is_kept(dock: Dock) -> None:
    running = dock.python(
        "import sys, os\nsys.stdout.write('x' * 60000)\nsys.stdout.flush()\nos.kill(os.getpid(), 9)"
    )
    ended = running.wait_end()
    assert (ended["code"], ended["signal"]) == (None, 9)
    assert len(running.transcript()) == 60_000


def test_a_frozen_app_costs_the_shim_a_bounded_buffer_and_is_told_where_to_read_again(dock: Dock) -> None:
    source = (
        "for n in range(4000):\n    say('checkpoint', step=str(n), data='x' * 1000)\n"
        "print('said')\nsys.stdin.readline()\nsay('output', value=1)\n"
    )
    running = dock.lines(source, **FAST)
    running.wait_output(b"\nsaid\n", 30)  # nothing of the socket was read meanwhile
    wait_until(lambda: (running.folder / "reports.jsonl").read_bytes().count(b"\n") >= 4002, 10)
    assert _memory_kb(running, "VmRSS") < 60_000
    running.say(do="answer", id="x", answer="go")
    running.wait_end()
    assert len(running.of_kind("checkpoint")) == 4000
    (again,) = running.facts("reread")
    heard = [f["seq"] for f in running.facts("checkpoint")]
    assert again["in_file"] is True
    assert again["upto"] >= 4002, "all that was left out, and nothing was told before"
    assert heard[: again["seq"] - 3] == list(range(3, again["seq"]))


def test_a_fact_over_256_kb_is_left_in_the_file(dock: Dock) -> None:
    source = (
        "say('approval', id='q', question='w' * 60000, options=['ü' * 60000] * 4)\nsys.stdin.readline()\n"
    )
    running = dock.lines(source)
    fact = running.wait_fact("approval")
    assert fact == {"kind": "approval", "seq": 3, "in_file": True}
    running.wait_message(lambda said: said.get("durable", 0) >= 3)
    assert len(running.of_kind("approval")[0]["options"]) == 4
    running.say(do="stop", reason="stop")
    running.wait_end()


def test_facts_that_an_agent_piles_up_cost_the_shim_bounded_memory_and_all_reach_the_file(dock: Dock) -> None:
    """The limits of `domain.kept_facts` hold in the shim, too; 48 MB are told here."""
    source = (
        "for n in range(800):\n    say('effect', id=str(n), state='sent', kind='k', detail=str(n) + 'x' * 60000)\n"
        "print('said')\nsys.stdin.readline()\n"
    )
    running = dock.lines(source, **FAST)
    reports = running.folder / "reports.jsonl"
    wait_until(
        lambda: running.hear(0.05) and reports.exists() and reports.read_bytes().count(b"\n") >= 802, 30
    )
    running.heard.clear()
    assert _memory_kb(running, "VmRSS") < 48_000
    running.say(do="stop", reason="stop")
    running.wait_end()
    assert len(running.of_kind("effect")) == 800


def test_private_memory_of_a_shim_stays_small_in_a_flood(dock: Dock) -> None:
    source = SAY + "while True:\n    say('usage', input_tokens=1)\n    print('line')\n"
    running = dock.python(source, protocol="lines")
    wait_until(lambda: running.hear(0.05) and os.stat(running.folder / "transcript").st_size > 1_000_000, 20)
    rollup = Path(f"/proc/{running.handle.pid}/smaps_rollup").read_text().splitlines()
    private = sum(int(line.split()[1]) for line in rollup if line.startswith("Private_"))
    running.say(do="stop", reason="stop")
    running.wait_end()
    assert private < 12_000, f"{private} kB"
