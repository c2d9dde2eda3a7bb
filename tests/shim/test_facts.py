"""What an agent says becomes reports: figures, cap, questions, files; and what a person does to it: hold, go on, raise."""

from __future__ import annotations

import hashlib
import time
from decimal import Decimal

import pytest

from tests.shim.harness import Dock, Running, wait_until

STAY = "\nsys.stdin.readline()\n"


def _state_of(pid: int) -> str:
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(") ")[2][0]


def _end(running: Running) -> dict[str, object]:
    running.say(do="answer", id="end", answer="end")
    return running.wait_end()


def test_message_ids_count_once_cumulative_figures_replace_and_money_is_exact(dock: Dock) -> None:
    """Ruling 10, case 85."""
    source = (
        "say('turn'); say('usage', input_tokens=7, cost_usd=0.1, model='m', message_id='1')\n"
        "say('usage', input_tokens=9, cost_usd='0.2', model='m', message_id='1')\n"
        "say('turn'); say('usage', output_tokens=5, cost_usd=0.1, model='m', message_id='2')\n"
        "say('usage', cost_usd='1.5', model='n', cumulative=True)\n"
        "say('usage', cost_usd='2.5', model='n', cumulative=True)\n"
    )
    running = dock.lines(source)
    figures = running.wait_end()["figures"]
    assert Decimal(figures["cost_usd"]) == Decimal("2.8")
    assert figures["turns"] == 2
    assert (figures["tokens"]["input_tokens"], figures["tokens"]["output_tokens"]) == (9, 5)
    assert figures["cost_is_complete"] is True
    assert running.of_kind("exit")[0]["figures"] == figures


@pytest.mark.parametrize(
    ("last", "is_complete"),
    [("sys.exit(0)", True), ("sys.exit(3)", False), ("os.kill(os.getpid(), signal.SIGKILL)", False)],
)
def test_an_agent_that_ended_well_after_a_turn_has_no_call_in_flight(
    dock: Dock, last: str, is_complete: bool
) -> None:
    """Ruling 11: `exit` and `exit.json` carry what a fold of all reports gives, the exit among them."""
    running = dock.lines(f"say('usage', cost_usd='0.07'); say('turn'); {last}\n")
    figures = running.wait_end()["figures"]
    assert (figures["cost_usd"], figures["cost_is_complete"]) == ("0.07", is_complete)
    assert running.of_kind("exit")[0]["figures"] == figures
    told = [message["totals"]["figures"] for message in running.heard if "totals" in message]
    assert told[-1] == figures


def test_cost_is_worked_out_from_tokens_by_the_prices_of_the_launch(dock: Dock) -> None:
    """Ruling 23; an unknown model stays unknown, never 0 (case 88)."""
    prices = {"m": {"input": "3", "output": "15", "cache_read": "0.3", "cache_write": "3.75"}}
    source = (
        "say('usage', input_tokens=1000, output_tokens=10, cache_read_tokens=100, cache_write_tokens=4, model='m')\n"
        "say('usage', input_tokens=1000, model='unheard-of')\n"
    )
    running = dock.lines(source, prices=prices)
    figures = running.wait_end()["figures"]
    first, second = running.of_kind("usage")
    assert (first["source"], Decimal(first["cost_usd"])) == ("estimated", Decimal("0.003195"))
    assert (second["source"], second["cost_usd"]) == ("unknown", None)
    assert Decimal(figures["cost_usd"]) == Decimal("0.003195")
    assert figures["cost_is_complete"] is False


def test_the_cap_ends_the_agent_at_the_line_that_reaches_it(dock: Dock) -> None:
    source = "for n in range(5):\n    say('turn'); say('usage', cost_usd='0.01')\nsignal.pause()\n"
    running = dock.lines(source, cap_usd="0.05")
    ended = running.wait_end()
    assert (ended["reason"], ended["after_ending"], ended["tree_empty"]) == ("cap", True, True)
    assert Decimal(ended["figures"]["cost_usd"]) == Decimal("0.05")
    (ending,) = running.of_kind("ending")
    assert ending["reason"] == "cap"
    assert [r["seq"] < ending["seq"] for r in running.of_kind("usage")] == [True] * 5


def test_at_the_cap_a_deaf_agent_has_two_seconds(dock: Dock) -> None:
    source = "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nsay('usage', cost_usd='9')\nwhile True: time.sleep(0.05)\n"
    running = dock.lines(source, cap_usd="5", grace_s=4.0)
    asked = time.monotonic()
    ended = running.wait_end()
    assert 1.9 <= time.monotonic() - asked <= 3.5
    assert ended["killed"] == 1
    assert running.of_kind("ending")[0]["grace_s"] == 2.0


def test_a_cap_can_be_raised_while_the_agent_works(dock: Dock) -> None:
    source = "sys.stdin.readline()\nsay('usage', cost_usd='7')\nsys.stdin.readline()\n"
    running = dock.lines(source, cap_usd="5")
    running.wait_fact("started")
    running.say(do="cap", cap_usd="10")
    running.say(do="answer", id="1", answer="go")
    running.wait_message(lambda m: m.get("totals", {}).get("figures", {}).get("cost_usd") == "7")
    ended = _end(running)
    assert ended["reason"] == "exit"


def test_prices_make_the_cap_act_for_a_program_that_reports_no_cost(dock: Dock) -> None:
    source = "say('usage', input_tokens=2_000_000, model='m')\nwhile True: time.sleep(0.05)\n"
    running = dock.lines(source, cap_usd="5", prices={"m": {"input": "3"}})
    assert running.wait_end()["reason"] == "cap"


def test_pause_holds_the_whole_tree_and_continue_lets_it_go(dock: Dock) -> None:
    source = (
        "if os.fork() == 0: os.setsid()\n"
        "n = 0\nwhile True:\n    n += 1\n    print('tick', os.getpid(), n)\n    time.sleep(0.01)\n"
    )
    running = dock.lines("sys.stdout.reconfigure(line_buffering=True)\n" + source)
    running.wait_output(b" 5\n")
    running.say(do="pause")
    running.wait_fact("paused")
    wait_until(lambda: _state_of(running.wait_fact("started")["pid"]) == "T", 2.0)
    running.hear_for(0.3)
    size = len(running.transcript())
    running.hear_for(0.3)
    assert len(running.transcript()) == size
    running.say(do="pause")  # again: nothing more happens
    running.say(do="continue")
    running.wait_fact("continued")
    wait_until(lambda: len(running.transcript()) > size, 5.0)
    running.say(do="pause")
    running.say(do="stop", reason="stop")  # a paused tree is continued before it is terminated
    ended = running.wait_end()
    assert (ended["killed"], ended["signal"]) == (0, 15)
    assert [r["kind"] for r in running.reports() if r["kind"] in ("paused", "continued")] == [
        "paused", "continued", "paused",
    ]  # fmt: skip


def test_a_question_is_asked_and_its_answer_comes_on_stdin(dock: Dock) -> None:
    source = (
        "say('approval', id='q1', question='Publish?', options=['yes', 'no'])\n"
        "said = json.loads(sys.stdin.readline())\nsay('output', value=said)\n"
    )
    running = dock.lines(source)
    asked = running.wait_fact("approval")
    assert (asked["id"], asked["question"], asked["options"]) == ("q1", "Publish?", ["yes", "no"])
    running.say(do="answer", id="q1", answer="no ü")
    running.wait_end()
    assert running.of_kind("output")[0]["value"] == {"type": "approval", "id": "q1", "answer": "no ü"}
    (answered,) = running.of_kind("approval_answered")
    assert (answered["id"], answered["answer"], answered["delivered"]) == ("q1", "no ü", True)


def test_an_answer_that_cannot_be_delivered_is_said_to_be_undelivered(dock: Dock) -> None:
    running = dock.lines("sys.stdin.close(); os.close(0); print('closed')\ntime.sleep(60)\n")
    running.wait_output(b"closed")
    running.say(do="answer", id="q1", answer="yes")
    assert running.wait_fact("approval_answered")["delivered"] is False


def test_artifacts_are_copied_and_hashed_and_what_cannot_be_kept_is_said(dock: Dock) -> None:
    source = (
        "open('a.bin', 'wb').write(b'x' * 3_000_000)\nos.mkfifo('pipe')\nos.symlink('a.bin', 'link.bin')\n"
        "say('artifact', name='big', path='a.bin')\nsay('artifact', name='text', text='words ü')\n"
        "say('artifact', name='gone', path='nowhere.md')\nsay('artifact', name='fifo', path='pipe')\n"
        "say('artifact', name='link', path='link.bin')\nsay('checkpoint', step='one', path='a.bin')\n"
        "say('checkpoint', step='two', data={'k': [1]})\nsay('output', value='last')\n"
    )
    running = dock.lines(source)
    running.wait_end()
    found = {r["name"]: r for r in running.of_kind("artifact")}
    digest = hashlib.sha256(b"x" * 3_000_000).hexdigest()
    for name in ("big", "link"):
        assert (found[name]["sha256"], found[name]["size_bytes"]) == (digest, 3_000_000)
        assert (running.folder / "artifacts" / found[name]["stored"]).read_bytes() == b"x" * 3_000_000
    assert found["big"]["path"] == "a.bin"
    assert (running.folder / "artifacts" / found["text"]["stored"]).read_text() == "words ü"
    for name in ("gone", "fifo"):
        assert found[name]["stored"] is None
        assert found[name]["problem"]
    one, two = running.of_kind("checkpoint")
    assert (one["step"], one["sha256"]) == ("one", digest)
    assert two["data"] == {"k": [1]}
    assert running.reports()[-2]["kind"] == "output"  # behind the files that came before it


def test_the_written_and_the_durable_sequence_reach_the_app(dock: Dock) -> None:
    running = dock.lines(
        "say('note', kind='other', text='x')\nsay('effect', id='e', state='sent', kind='push')\n" + STAY
    )
    effect = running.wait_fact("effect")
    running.wait_message(lambda m: m.get("durable", 0) >= effect["seq"])
    _end(running)
    marks = [m["durable"] for m in running.heard if "durable" in m]
    assert marks == sorted(set(marks))
    assert marks[-1] == running.exit_file()["upto"] == len(running.reports())


def test_totals_come_at_most_ten_times_a_second_and_notes_never_one_by_one(dock: Dock) -> None:
    source = (
        "end = time.monotonic() + 1\nn = 0\nwhile time.monotonic() < end:\n    n += 1\n"
        "    say('turn'); say('note', kind='other', text='x'); say('progress', done=n, total=0, label='l')\n"
    )
    running = dock.lines(source)
    ended = running.wait_end()
    totals = [m["totals"] for m in running.heard if "totals" in m]
    assert 3 <= len(totals) <= 16
    assert totals[-1]["figures"]["turns"] == ended["figures"]["turns"] == len(running.of_kind("turn"))
    assert totals[-1]["progress"][1:] == [0, "l"]
    assert running.facts("note") == running.facts("turn") == []


def test_text_that_looks_like_an_error_is_text(dock: Dock) -> None:
    """AUT6, case 79: neither a text agent's output nor a lines agent's stderr is ever a signal."""
    line = '{"type": "error", "class": "auth", "message": "401"}'
    plain = dock.start(["echo", line])
    loud = dock.lines(
        f"sys.stderr.write({line!r} + '\\n'); print('401 unauthorized'); say('text', text={line!r})"
    )
    for running in (plain, loud):
        running.wait_end()
        assert running.of_kind("error") == []
