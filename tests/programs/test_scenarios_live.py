"""Every scenario with every program itself, in a real shim, against the scripted service: what each gives is what is kept of it.

Claude Code and Gemini are played always, the others where `QUARTERDECK_LIVE` names them (codex, codex-acp, opencode, qwen).
`QUARTERDECK_RECORD=1` keeps what is seen; `python -m tests.programs.table` then makes the table of `docs/agents.md` anew.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.domain.reports_fold import baseline_of
from quarterdeck.shim.client import ForkServer
from tests.programs.berths import WAYS, Berth
from tests.programs.scenarios import KILLED, PLAYED, RESUMED, SCENARIOS
from tests.programs.seen import fold_of, keep_or_compare, path_of, seen_of
from tests.shim.harness import Dock, Running, marked, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1500)]
BEGUN_S = 600.0
END_S = 120.0
LOOK_S = 1.0
QUIET_LOOKS = 25
IDLE_S = 0.1
"""A program that was answered something, or nothing, is taken for one that does not end by itself after so many looks in which it told
nothing and neither worked, for more than this, nor stood in line for a processor: on a busy machine slow is not silent.
"""
LEFT_S = 6.0
UNKNOWN = "01a22901-0000-7703-bada-1ca7dae49a53"


@pytest.fixture(params=WAYS)
def berth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Berth]:
    way = WAYS[request.param]
    program = way.program()
    if isinstance(program, str):
        pytest.skip(program)
    server = ForkServer.start()
    dock = Dock(tmp_path, server)
    try:
        with way.serve() as service:
            yield Berth(dock, way, program, service)
            dock.close()
    finally:
        server.close()


def work_of(attempt: str) -> tuple[float, bool]:
    """(seconds for which the threads of an attempt's processes ran, whether one runs or stands in line for a processor or a disk)."""
    ticks, is_at_work = 0, False
    for pid in marked(attempt):
        for task in Path("/proc", str(pid), "task").glob("*/stat"):
            try:
                fields = task.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it is gone
            ticks += int(fields[11]) + int(fields[12])
            is_at_work = is_at_work or fields[0] in "RD"
    return ticks / os.sysconf("SC_CLK_TCK"), is_at_work


class Watched:
    """An attempt, just begun, whose questions are all answered with *Allow once*."""

    def __init__(self, berth: Berth, running: Running) -> None:
        self.berth, self.running, self._answered = berth, running, 0
        self._asked_before = berth.way.asked(berth.service)
        self.is_over = False

    def hear(self, deadline_s: float) -> bool:
        """Take what comes; whether something was told."""
        before = len(self.running.heard)
        self.is_over = not self.running.hear(deadline_s)
        questions = self.running.facts("approval")
        for question in questions[self._answered :]:
            self.running.say(do="answer", id=question["id"], answer="Allow once")
        self._answered = len(questions)
        return any("fact" in message for message in self.running.heard[before:])

    def to_end(self) -> None:
        """Until it ends, by itself or, after a silence, by a person."""
        end_s, quiet_looks = time.monotonic() + BEGUN_S, 0
        while not self.is_over:
            assert time.monotonic() < end_s, "neither an end nor a silence"
            is_asked = self.berth.way.asked(self.berth.service) > self._asked_before
            heard, (before_s, was_at_work) = len(self.running.heard), work_of(self.running.attempt)
            if self.hear(LOOK_S) or not is_asked:
                quiet_looks = 0
                continue
            work_s, is_at_work = work_of(self.running.attempt)
            is_idle = not was_at_work and not is_at_work and work_s - before_s < IDLE_S
            quiet_looks += is_idle and len(self.running.heard) == heard
            if quiet_looks > QUIET_LOOKS:
                self.running.say(do="stop")
                break
        self.gone()

    def gone(self) -> None:
        """Its end is written, and no process of it is left."""
        self.running.wait_end(END_S)
        wait_until(lambda: not marked(self.running.attempt), LEFT_S, "no process of the attempt is left")

    def into_the_tool(self) -> None:
        """Until its tool runs and it has told all that it tells of it."""
        log, end_s = self.berth.folder / "ran.log", time.monotonic() + BEGUN_S
        while not (log.exists() and "started" in log.read_text()):
            assert time.monotonic() < end_s, "the tool does not run"
            self.hear(LOOK_S)
        while self.hear(1.5):
            assert time.monotonic() < end_s, "it tells for ever"


@pytest.mark.parametrize("name", PLAYED)
def test_what_it_gives_is_what_is_kept_of_it(request: pytest.FixtureRequest, berth: Berth, name: str) -> None:
    """AUT6, EFF1, EFF2, case 83: end, error, turns, tokens, cost, effects, files, session."""
    program = request.node.callspec.params["berth"]
    path, scenario = path_of(program, berth.way.version), SCENARIOS[name]
    served = berth.way.instead.get(scenario.served or name, scenario.served or name)
    session = UNKNOWN if scenario.is_of_unknown_session else None
    watched = Watched(berth, berth.start(served, has_key=scenario.has_key, session=session))
    if name == KILLED:
        watched.into_the_tool()
        os.kill(int(watched.running.wait_fact("started")["pid"]), signal.SIGKILL)
        watched.gone()
    else:
        watched.to_end()
    keep_or_compare(path, name, seen_of(watched.running, berth.way.booked(berth.service, served)))
    if name == KILLED:
        keep_or_compare(path, RESUMED, _resumed(berth, watched.running))


def _resumed(berth: Berth, killed: Running) -> dict[str, object]:
    """What its session gives when it is taken up."""
    fold = fold_of(killed)
    assert fold.session_id, "no session was told"
    berth.way.before_resume(berth.home, fold.session_id)
    served, baseline = SCENARIOS[RESUMED].served, baseline_of([fold])
    before = berth.way.booked(berth.service, served)
    watched = Watched(berth, berth.start(served, session=fold.session_id, baseline=baseline.to_json()))
    watched.to_end()
    booked = berth.way.booked(berth.service, served)
    assert "finished" not in (berth.folder / "ran.log").read_text()
    return seen_of(watched.running, {kind: booked[kind] - before[kind] for kind in booked}, baseline)
