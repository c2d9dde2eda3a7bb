"""Seeded scenarios with real processes and the real window: what widgets say is what the agents' own logs come to.

The oracle is the same as for the thousand scenarios without processes; its facts come from logs that the agents write
themselves (OWN2, OWN3, OWN6, OWN8). After each act the window must come to say exactly that, in every place; on the way
there nothing goes dark. Times that grow are left out.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtWidgets import QPushButton, QTableView

from quarterdeck.domain.ids import RequestId, RunId, SlotId
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from quarterdeck.ui.present import Known
from tests.e2e.works import logs_of
from tests.scenarios import crew
from tests.scenarios.judge import differences
from tests.scenarios.naive_logs import Told
from tests.scenarios.naive_runs import Fact
from tests.scenarios.naive_window import Said, Window
from tests.ui.desk import Desk, desk_over

SCENARIOS, ACTS = 20, 3
DEADLINE_S = 20.0
LOOK_EACH_S = 0.03
CLOCK = re.compile(r" of \d\d:\d\d,")
AGENT_COLUMNS = (0, 1, 2, 4, 6)
"""Agent, run, state, turns, cost: all but the reason and the time."""
DID = ("turn", "usage", "approval")


def seen(desk: Desk) -> Said:
    """What a person or a screen reader gets from the widgets."""
    window = desk.window
    tables = {table.accessibleName(): table.model() for table in window.findChildren(QTableView)}
    (stop,) = [b for b in window.findChildren(QPushButton) if b.accessibleName() == "Stop"]
    tray = window.shell.tray.shown
    return {
        "title": CLOCK.sub(",", window.windowTitle()),
        "badge": CLOCK.sub(",", window.top.badge.accessibleName()),
        "canvas": CLOCK.sub(",", window.view.accessibleDescription()),
        "stop": stop.isEnabled(),
        "live": window.top.live.text,
        "waiting": window.top.waiting.text() if not window.top.waiting.isHidden() else "",
        "agents": [tuple(row[n] for n in AGENT_COLUMNS) for row in cells(tables["Agents"])],
        "runs": [heard_row(row[0]) for row in cells(tables["Runs"])],
        "tray": (tray.family.value if tray and tray.family else None, tray.count if tray else 0),
    }


def cells(model: QAbstractItemModel) -> list[list[str]]:
    """What a screen reader hears of a table, cell by cell."""
    role = Qt.ItemDataRole.AccessibleTextRole
    columns = range(model.columnCount())
    return [[str(model.index(row, c).data(role) or "") for c in columns] for row in range(model.rowCount())]


def heard_row(row: str) -> tuple[str, ...]:
    """Run, state and spend of a row of the list; of a heading its first word."""
    parts = row.split(", ")
    return (parts[0], parts[1], parts[-1]) if row.startswith("Run ") else (row.split()[0],)


def must(said: Said) -> Said:
    """The same of the naive reading."""
    waiting = len(said["waiting"])
    return {
        "title": CLOCK.sub(",", said["title"]),
        "badge": CLOCK.sub(",", said["title"].removeprefix("Quarterdeck – ")),
        "canvas": CLOCK.sub(",", said["canvas"]),
        "stop": said["can_stop"],
        "live": f"{len(said['live'])} live",
        "waiting": f"{waiting} {'needs' if waiting == 1 else 'need'} you" if waiting else "",
        "agents": [
            (title, run, badge[2], str(turns) if turns or clock else "", cost)
            for _, title, run, badge, _, turns, clock, cost in said["agents"]
        ],
        "runs": [heard_row(row[6]) if len(row) > 1 else row for row in said["runs"]],
        "tray": (said["tray"][0], said["tray"][2]),
    }


class Play:
    """One scenario in one window; `acts` are kept from scenario to scenario, as the runs are."""

    def __init__(
        self, seed: int, home: Path, flows: list[Fact], acts: list[Fact], over: set[str], desk: Desk
    ) -> None:
        self.random, self.home, self.flows, self.acts, self.desk = Random(seed), home, flows, acts, desk
        self.launched: list[str] = []
        desk.link.run_launched.connect(lambda news: self.launched.append(news.result))
        self.read_at: object = None
        self.compared = 0
        self.shown_running: set[tuple[str, str]] = set()
        """Agents that were at work, and shown so, when all was compared last."""
        self.over, self.risen = over, set[str]()
        """Runs that were heard to have ended, in any window; those of them that were heard to live once more."""
        desk.link.runs_changed.connect(self._on_runs_changed)

    def _on_runs_changed(self, known: Known) -> None:
        self.risen |= {run.run_id for run in known.runs if run.is_live and run.run_id in self.over}
        self.over |= {run.run_id for run in known.runs if not run.is_live}

    def act(self, act: str, **fields: Any) -> None:
        self.acts.append({"act": act, "at": time.monotonic(), **fields})

    # -------------------------------------------------------------- the oracle

    def told(self) -> Told:
        """What logs and acts come to, read anew where any of them has grown."""
        sizes = (len(self.acts), sorted((p.name, p.stat().st_size) for p in self.home.glob("*.a-*.log")))
        if sizes != self.read_at:
            self.read_at, self.read = sizes, Told(self.flows, self.acts, logs_of(self.home))
            self.window = Window(self.flows, self.read.facts)
            self.true = must(self.window.said())
        return self.read

    def is_still(self, told: Told) -> bool:
        """Judged by the very logs that were told of: newer ones would say that more is done than is told."""
        logs = [log for log in told.logs.values() if log]
        done: dict[tuple[str, str], int] = {}
        for log in logs:
            count = sum(line["what"] == "said" and line["line"]["type"] in DID for line in log)
            done[log[0]["run"], log[0]["node"]] = count + sum(line.get("why") == "exit" for line in log)
        given = {(run, node): crew.told(self.home, run, node) for run in told.runs for node in ("one", "two")}
        return told.is_still(given, done)

    async def agrees(self, what: str) -> None:
        """Waits until all is still and every widget says what the logs come to; on the way there nothing is dark."""
        end = time.monotonic() + DEADLINE_S
        while True:
            told = self.told()
            shown, true = seen(self.desk), self.true
            self.not_dark(shown, self.shown_running & self.running(), what)
            assert not self.risen, f"{what}: {self.risen} ended, and lives again"
            if self.is_still(told) and shown == true:
                self.compared += 1
                self.shown_running = self.running()
                return
            assert time.monotonic() < end, f"{what}: {differences(shown, true)}"
            await asyncio.sleep(LOOK_EACH_S)

    def running(self) -> set[tuple[str, str]]:
        """Agents on the canvas that are at work, and that nobody holds or ends."""
        return {
            (run.id, s.id)
            for run in self.window.on_canvas()
            for s in run.slots.values()
            if run.word(s) == "Running"
        }

    def not_dark(self, shown: Said, running: set[tuple[str, str]], what: str) -> None:
        """While an agent was at work all the time, some visual of each kind says that something runs."""
        if running:
            is_lit = any(row[2] == "Running" for row in shown["agents"]) and shown["stop"]
            assert is_lit, f"{what}: dark: {shown}"
            assert "none live" not in shown["title"], f"{what}: dark: {shown}"

    # -------------------------------------------------------------- what is done

    async def launch(self) -> None:
        flow = self.random.choice(self.flows)
        count, begin = len(self.launched), time.monotonic()
        self.desk.link.launch(LaunchRequest(flow["path"], {}))
        while len(self.launched) == count:
            assert time.monotonic() < begin + DEADLINE_S
            await asyncio.sleep(0.005)
        self.acts.append({"act": "launch", "at": begin, "flow": flow["id"], "run": self.launched[-1]})

    def agents(self, *words: str) -> list[tuple[str, str]]:
        """(run, node) of the agents that are in one of these states."""
        self.told()
        return [
            (r.id, s.id)
            for r in self.window.runs.values()
            if r.live
            for s in r.slots.values()
            if r.word(s) in words
        ]

    async def do_something(self) -> str:
        working, asking, held = self.agents("Running"), self.agents("Needs you"), self.agents("Paused")
        choices = (
            ["usage", "usage", "turn", "ask", "fail", "done", "pause", "stop_slot", "stop_run"]
            if working
            else []
        )
        choices += ["answer"] * 3 * bool(asking) + ["continue"] * 3 * bool(held) + ["launch", "look", "look"]
        what = self.random.choice(choices)
        if what == "launch":
            await self.launch()
        elif what == "look":
            self.look()
        elif what in ("answer", "continue"):
            self.order(what, *self.random.choice(asking if what == "answer" else held))
        elif what in ("pause", "stop_slot", "stop_run"):
            self.order(what, *self.random.choice(working))
        else:
            self.tell(what, *self.random.choice(working))
        return what

    def tell(self, what: str, run: str, node: str) -> None:
        lines = {"turn": ("turn",), "ask": ("ask",), "fail": ("exit", 3), "done": ("exit", 0)}
        cost, message = f"0.{self.random.randrange(1, 9999):04d}", self.random.choice(("m1", "m2", None))
        crew.tell(self.home, run, node, *lines.get(what, ("usage", cost, message)))

    def order(self, what: str, run: str, node: str) -> None:
        link, named = self.desk.link, (RunId(run), SlotId(node))
        match what:
            case "pause":
                link.pause(*named)
            case "continue":
                link.continue_(*named)
            case "stop_slot":
                link.stop_slot(*named)
            case "stop_run":
                link.stop_run(RunId(run))
            case "answer":
                request = self.window.runs[run].slots[node].tries[-1].questions(set())[0]
                link.answer(RunId(run), RequestId(request), "Yes")
                return self.act("answer", run=run, node=node, request=request)
            case _:
                raise AssertionError(what)
        return self.act(what, run=run, node=node)

    def look(self) -> None:
        watching, runs = (
            self.desk.window.watching,
            [act["run"] for act in self.acts if act["act"] == "launch"],
        )
        if self.random.random() < 0.5:
            flow = self.random.choice(self.flows)
            self.act("look", look={"act": "flow", "flow": flow["id"]})
            watching.choose_file(flow["path"])
        else:
            run = self.random.choice(runs[-4:])
            self.act("look", look={"act": "row", "run": run})
            watching.choose_run(RunId(run))

    async def play(self) -> None:
        for _ in range(self.random.randint(2, 3)):
            await self.launch()
        await self.agrees("launched")
        for number in range(ACTS):
            what = await self.do_something()
            await self.agrees(f"act {number}, {what}")
        while self.end_some():
            await self.agrees("told to end")

    def end_some(self) -> bool:
        """Let one run of each workflow end: which of two that end at once was the last one, no log can say."""
        working, held = self.agents("Running"), self.agents("Paused", "Needs you")
        first = {self.window.runs[run].flow: run for run, _ in working + held}
        for run in first.values():
            if any(run == other for other, _ in held):
                self.order("stop_run", run, "one")
                continue
            for node in (node for other, node in working if other == run):
                crew.tell(self.home, run, node, "exit", 0)
        return bool(first)


@asynccontextmanager
async def engine_alone() -> AsyncIterator[Engine]:
    fork_server = ForkServer.start()
    try:
        engine = await Engine.open(fork_server=fork_server, kind="window")
        try:
            yield engine
        finally:
            await engine.close(reason="person")
    finally:
        fork_server.close()


@pytest.mark.qt_loop
@pytest.mark.slow
@pytest.mark.timeout(400)
async def test_real_agents_in_the_real_window_are_shown_as_their_logs_say(tmp_path: Path) -> None:
    """Twenty seeds; each has a window of its own over the same engine, so it also shows what is past."""
    home = tmp_path / "workspace"
    flows = crew.write_flows(home)
    acts: list[Fact] = []
    over: set[str] = set()
    compared = 0
    async with engine_alone() as engine:
        for seed in range(SCENARIOS):
            async with desk_over(engine, path=str(home)) as desk:
                play = Play(seed, home, flows, acts, over, desk)
                play.act("look", look={"act": "reopen"})
                try:
                    await play.play()
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}: {error}") from error
                compared += play.compared
    assert compared >= SCENARIOS * (ACTS + 2)
