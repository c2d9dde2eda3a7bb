"""Every program killed in every scenario, by the death of app, keeper, wrapper or itself: nothing is left, what is told is true, and
nothing begins again by itself (containment, EFF1, EFF2, ruling 11, ruling 20).

The checks play a few pairs for Claude Code and Gemini, the same each time; `QUARTERDECK_PART=1` (2, 3, …) others and at other moments,
until all came by. `QUARTERDECK_SWEEP=20` plays all, also of the programs that `QUARTERDECK_LIVE` names, and `QUARTERDECK_RECORD=1` keeps what was seen for the table of `docs/agents.md`.
`QUARTERDECK_PAIR=claude-hang-app-tree` plays that one.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.terminal import alive_below
from tests.programs import kills_kept
from tests.programs.berths import WAYS
from tests.programs.contained import ENDED_S, Killed, Yard
from tests.programs.kill_truth import Seen, lies
from tests.programs.moments import MOMENTS, NEVER, Pair, Sign, Victim, pair_of, part_of, whole_table
from tests.programs.scenarios import RESUMED
from tests.programs.seen import IS_RECORDING
from tests.shim.harness import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.sweep, pytest.mark.timeout(1500)]
SIZE = 5
"""Pairs of each program in one run of the checks: about eight seconds each."""
WHOLE = len(whole_table("claude"))
NTH = range(min(WHOLE, SIZE * max(1, int(os.environ.get("QUARTERDECK_SWEEP", "1")))))
PART = int(os.environ.get("QUARTERDECK_PART", "0"))
ONLY = os.environ.get("QUARTERDECK_PAIR", "")
"""Read when the tests are collected: each test has an environment of its own."""
PLAYS = [(name, nth) for nth in NTH for name in WAYS] if not ONLY else [(pair_of(ONLY).program, 0)]


def due(program: str, nth: int) -> Pair:
    """The nth pair of this part."""
    if ONLY:
        return pair_of(ONLY)
    if len(NTH) == WHOLE:
        return whole_table(program)[nth]
    return part_of(PART, program, len(NTH))[nth]


@pytest.fixture
def yard(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Yard]:
    name, nth = request.param
    way, pair = WAYS[name], due(name, nth)
    program = way.program()
    if isinstance(program, str):
        pytest.skip(program)
    if (name, pair.moment) in NEVER:
        pytest.skip(f"{name} never comes to {pair.moment}")
    if IS_RECORDING and str(pair.victim) in kills_kept.kept(kills_kept.path_of(name, way.version)).get(
        pair.moment, {}
    ):
        pytest.skip(f"{pair} is kept already; without its file all is played anew")
    with way.serve() as service:
        made = Yard(tmp_path, name, way, program, service, pair)
        yield made
        made.close()


@pytest.mark.parametrize("yard", PLAYS, ids=lambda one: f"{one[0]}-{one[1]}", indirect=True)
def test_whoever_is_killed_nothing_is_left_what_is_told_is_true_and_nothing_begins_again(yard: Yard) -> None:
    pair, moment = yard.pair, MOMENTS[yard.pair.moment]
    delay_s = random.Random(f"{PART} {pair}").uniform(0, moment.up_to_s)
    killed = yard.play(moment, delay_s)
    recovered = any(one["run_id"] == yard.run for one in yard.verb("recover")["runs"])
    told = killed.shown or yard.verb("show", yard.run)
    seen = seen_of(yard, killed, recovered)
    found = lies(told, seen)
    assert not found, f"{pair}, {delay_s:.2f} s after its sign: {found}; {yard.said()}"
    if IS_RECORDING:
        kills_kept.keep(yard.name, yard.way.version, pair, kills_kept.record_of(told, killed))


def seen_of(yard: Yard, killed: Killed, recovered: bool) -> Seen:
    """All that was seen from outside, and what another process says of it."""
    moment, pair = MOMENTS[yard.pair.moment], yard.pair
    again = yard.verb("show", yard.run)
    wait_until(lambda: not alive_below(yard.folder), ENDED_S, "those that looked are gone")
    log = yard.space / "ran.log"
    was_resumed = pair.moment in (RESUMED, "unknown")
    leader = killed.pids[Victim.WRAPPER]
    return Seen(
        str(pair.victim), yard.counted.booked(), yard.counted.at_most(), yard.way.price[1], killed.effects,
        attempts=2 if was_resumed else 1, had_ended=killed.had_ended,
        is_in_flight=moment.is_cut or moment.scenario == "hang", is_still=not moment.up_to_s,
        killed_leader=killed.pids[pair.victim] == leader and pair.victim in (Victim.WRAPPER, Victim.AGENT),
        is_asked=moment.sign is Sign.QUESTION, ran=log.read_text() if log.exists() and not was_resumed else "",
        session=killed.session, home_has_session=killed.home_has_session,
        requests=(killed.requests, yard.counted.requests()), launches=(killed.launches, len(yard.attempts())),
        recovered=recovered, again=again,
    )  # fmt: skip
