"""Q1 in full under a virtual clock: the same workflow twice, 13 s beside 17 minutes, a look each second (OWN8, OWN3, OWN4, ID6)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from quarterdeck.ui.tokens import Family
from quarterdeck.ui.tray import tray_facts
from tests.scenarios.judge import compare
from tests.scenarios.making import START_MS, START_WALL
from tests.scenarios.naive_runs import Fact
from tests.scenarios.played import Played
from tests.scenarios.tampering import TAMPERINGS

LONG_S, SHORT_S = 1020, 13
LONG, SHORT = "r-1017" + "0" * 28, "r-0013" + "0" * 28
NODES = ("plan", "write")
FLOW: Fact = {
    "format": "quarterdeck.workflow/1",
    "id": "0198c1c2-7a53-7c5e-9d0e-000000001020",
    "name": "Twice",
    "agents": {"worker": {"kind": "claude-code"}},
    "nodes": [{"id": n, "title": n.capitalize(), "agent": "worker", "position": [0, 0]} for n in NODES],
    "edges": [{"from": "plan", "to": "write"}],
}
COSTS = {LONG: "1.01", SHORT: "0.13"}


class Telling:
    """Facts at moments of the virtual clock, in seconds from the first launch."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.said: dict[str, int] = {}

    def add(self, at_s: float, what: str, **fields: Any) -> None:
        ms = round(at_s * 1000)
        clocks = {"ms": START_MS + ms, "wall": START_WALL + ms}
        self.facts.append({"what": what, **clocks, "quiet": False, **fields})

    def report(self, at_s: float, run: str, attempt: str, kind: str, **fields: Any) -> None:
        seq = self.said[attempt] = self.said.get(attempt, 0) + 1
        self.add(at_s, "report", run=run, attempt=attempt, seq=seq, epoch=1, kind=kind, **fields)

    def totals(self, at_s: float, run: str, attempt: str) -> None:
        printed_ms = START_MS + round(at_s * 1000)
        self.add(at_s, "totals", run=run, attempt=attempt, upto=self.said[attempt], last_output_ms=printed_ms)


def life(run: str, launch_seq: int, end_seq: int, begins_s: float, lasts_s: float) -> list[Fact]:
    """One run: two agents one after the other, each tells usage ten times; the second begins as the first ends."""
    told, end_s = Telling(), begins_s + lasts_s
    slots = [{"slot": n, "node": n, "title": n.capitalize()} for n in NODES]
    named = {"workflow_id": FLOW["id"], "workflow_name": FLOW["name"], "slots": slots, "foreign": False}
    told.add(begins_s, "journal", run=run, kind="run_launched", launch_seq=launch_seq, **named)
    for number, node in enumerate(NODES):
        attempt, start = f"a-{node}{run[2:]}", begins_s + number * lasts_s / 2
        told.add(start, "journal", run=run, kind="attempt_claimed", slot_id=node, attempt_id=attempt, epoch=1, agent="worker", cause="schedule")  # fmt: skip
        told.report(start, run, attempt, "starting", boot="boot-1")
        told.report(start, run, attempt, "started", pid=7, containment="tree", cwd="/w")
        for step in range(10):
            at_s = start + step * lasts_s / 20
            told.report(at_s, run, attempt, "turn")
            told.report(at_s, run, attempt, "usage", cost_usd=COSTS[run], message_id=None, cumulative=False, model="m", input_tokens=1)  # fmt: skip
            told.totals(at_s, run, attempt)
        over = start + lasts_s / 2
        told.report(over, run, attempt, "exit", code=0, after_ending=False, tree_empty=True)
        told.add(over, "journal", run=run, kind="attempt_ended", slot_id=node, attempt_id=attempt, epoch=1, status="succeeded", message="", upto=told.said[attempt], next_state="done", hold=None)  # fmt: skip
    told.add(
        end_s, "journal", run=run, kind="run_ended", outcome="completed", end_seq=end_seq, message="done"
    )
    return told.facts


def everything(short_first: bool) -> list[Fact]:
    """All facts of both lives, with a tick of the window at each whole second from 1 to 1,020."""
    early, late = (SHORT, LONG) if short_first else (LONG, SHORT)
    facts = [{"what": "look", "ms": START_MS, "wall": START_WALL, "quiet": False, "act": "reopen"}]
    for run, seq in ((early, 1), (late, 2)):
        lasts = LONG_S if run == LONG else SHORT_S
        facts += life(run, seq, 2 if run == LONG else 1, 0.0, lasts)
    facts += [
        {"what": "tick", "ms": START_MS + 1000 * s, "wall": START_WALL + 1000 * s, "quiet": False}
        for s in range(1, LONG_S + 1)
    ]
    return sorted(facts, key=lambda fact: fact["ms"])


def samples(facts: list[Fact]) -> Iterator[tuple[int, list[Fact]]]:
    """(second, all facts until then, its tick last): what becomes known at a whole second is known when it is looked at."""
    for second, group in itertools.groupby(facts, key=lambda fact: -(-(fact["ms"] - START_MS) // 1000)):
        yield second, sorted(group, key=lambda fact: fact["what"] == "tick")


def dark(played: Played) -> list[str]:
    """Which visuals do not say that something runs."""
    assert played.shown is not None
    facts = played.shown.facts
    rows = [row.badge for face in facts.faces for row in face.rows]
    dots = [dot for row in facts.run_rows if row.is_live for dot in row.segments]
    tray = tray_facts(facts)
    says = {
        "canvas": any(badge.is_turning for badge in rows),
        "outline": any(row.badge.is_turning for row in facts.agent_rows),
        "description": "running" in facts.canvas_text,
        "badge": facts.badge.word == "Running",
        "title": "Running" in facts.title and " live" in facts.title,
        "dots": Family.RUNNING in dots,
        "chips": any(live.badge.is_turning for live in facts.live),
        "stop": facts.can_stop,
        "tray": tray.family is Family.RUNNING and tray.count == 0,
    }
    return [visual for visual, is_lit in says.items() if not is_lit]


def test_a_dark_sample_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last writer decides: badge, title and description go dark beside a canvas that runs."""
    TAMPERINGS["the_last_event_decides_the_workflow"](monkeypatch)
    played = Played([FLOW])
    for fact in (fact for fact in everything(short_first=False) if fact["ms"] <= START_MS + 14_000):
        played.take(fact)
    assert {"badge", "title"} <= set(dark(played))


@pytest.mark.parametrize("short_first", [False, True], ids=["the newer ends first", "the older ends first"])
def test_thirteen_seconds_beside_seventeen_minutes_no_sample_is_dark(short_first: bool) -> None:
    """1,020 samples: workflow, nodes, badge, dots, title, Stop, tray and task bar agree with the oracle; none is dark."""
    played, so_far, seen = Played([FLOW]), [], 0
    costs: dict[int, str] = {}
    for second, group in samples(everything(short_first)):
        for fact in group:
            played.take(fact)
            so_far.append(fact)
        faults = compare(played, [FLOW], so_far)
        assert not faults, f"at {second} s: {faults}"
        assert played.shown is not None
        if 1 <= second < LONG_S:
            assert not dark(played), f"at {second} s dark: {dark(played)}"
            assert len(played.shown.facts.live) == (2 if second < SHORT_S else 1)
        seen += second >= 1
        costs[second] = next(row.spend for row in played.shown.facts.run_rows if row.run_id == LONG)
    assert seen == LONG_S
    assert played.shown is not None
    last = played.shown.facts
    assert (last.badge.word, last.can_stop, tray_facts(last).family) == ("Done", False, None)
    assert costs[SHORT_S + 200] != costs[SHORT_S], (
        "ID6: the long run's numbers stand still after its sibling's end"
    )
    spent = {view.run_id: (view.turns, view.cost_usd) for view in played.disk_views()}
    assert spent == {LONG: (20, Decimal("20.20")), SHORT: (20, Decimal("2.60"))}
