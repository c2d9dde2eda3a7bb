"""The real window over the real engine and real agents, judged by what the agents wrote down themselves.

OWN8 shortened (two seconds against twenty), Q1, OWN2, OWN3, OWN6, ID6; and one record for terminal and window. The
oracle (`Truth`) is made from the agents' logs alone.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QPushButton, QTableView

from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.cli.real import quarterdeck
from tests.e2e.seen import objects_of
from tests.e2e.works import logs_of, python, shell, write_workflow
from tests.ui.desk import Desk, desk_over

RUNNING_BLUE = bytes.fromhex("d36406ff")
"""#0664D3 as it lies in memory: the one colour of what runs (light)."""
SETTLES_S = 1.5
"""How long after an agent's own note the window may still show what was before: its end is proved first."""
LONG_S, SHORT_S = 20.0, 2.0
WORKS = """
begin, seconds, cost = time.monotonic(), float(os.environ["SECONDS"]), os.environ["COST"]
note("cost", cost=cost)
while time.monotonic() - begin < seconds:
    say("usage", cost_usd=cost)
    time.sleep(seconds / 10)
say("output", value="worked")
note("ended")
"""


def workflow(home: Path) -> Path:
    """`work` lasts for all of the run; `half` for half of it."""
    inputs = [{"name": name, "type": "text", "required": True} for name in ("seconds", "half", "cost")]
    agents: dict[str, Any] = {}
    for node, seconds in (("work", "seconds"), ("half", "half")):
        agents[node] = python(WORKS, home)
        agents[node]["env"] |= {"SECONDS": f"{{{{ inputs.{seconds} }}}}", "COST": "{{ inputs.cost }}"}
    nodes = [
        {"id": "work", "title": "Work", "agent": "work", "position": [0, 0]},
        {"id": "half", "title": "Half", "agent": "half", "position": [320, 0]},
    ]
    return write_workflow(home, agents, name="Twice", nodes=nodes, inputs=inputs)


@dataclass(frozen=True)
class Truth:
    """What the agents' logs say about one moment: runs that were surely at work, and runs that may have been."""

    at_work: tuple[str, ...]
    """Oldest first; each run that had an agent at work during all of the last SETTLES_S."""
    perhaps: frozenset[str]

    @staticmethod
    def at(home: Path, moment: float) -> Truth:
        spans: dict[str, tuple[float, float]] = {}
        for log in logs_of(home).values():
            run = log[0]["run"]
            ends = [line["at"] for line in log if line["what"] == "ended"]
            first, last = spans.get(run, (float("inf"), 0.0))
            spans[run] = min(first, log[0]["at"]), max(last, ends[0] if ends else float("inf"))
        ordered = sorted(spans, key=lambda run: spans[run][0])
        surely = [r for r in ordered if spans[r][0] <= moment - SETTLES_S and moment < spans[r][1]]
        maybe = [r for r in ordered if spans[r][0] <= moment and moment - SETTLES_S < spans[r][1]]
        return Truth(tuple(surely), frozenset(maybe))


def cells(model: QAbstractItemModel) -> list[str]:
    """What a screen reader hears of a table, row by row."""
    role = Qt.ItemDataRole.AccessibleTextRole
    return [
        " · ".join(str(model.index(row, column).data(role) or "") for column in range(model.columnCount()))
        for row in range(model.rowCount())
    ]


def has_blue(image: QImage) -> bool:
    """The pixel test."""
    converted = image.convertToFormat(
        QImage.Format.Format_ARGB32
    )  # its bits live only as long as it has a name
    return RUNNING_BLUE in bytes(converted.constBits())


@dataclass(frozen=True)
class Sample:
    """One look at the window, by accessible names alone (and by pixels)."""

    at: float
    title: str
    badge: str
    canvas: str
    agents: list[str]
    runs: list[str]
    stop: bool
    blue: bool

    @staticmethod
    def of(desk: Desk) -> Sample:
        window = desk.window
        tables = {t.accessibleName(): t for t in window.findChildren(QTableView)}
        (stop,) = [b for b in window.findChildren(QPushButton) if b.accessibleName() == "Stop"]
        agents, runs = (tables[name].model() for name in ("Agents", "Runs"))
        return Sample(
            at=time.monotonic(),
            title=window.windowTitle(),
            badge=window.top.badge.accessibleName(),
            canvas=window.view.accessibleDescription(),
            agents=cells(agents),
            runs=cells(runs),
            stop=stop.isEnabled(),
            blue=has_blue(desk.picture()),
        )

    @property
    def live_count(self) -> int:
        found = re.search(r"(\d+) live", self.title)
        return int(found[1]) if found else 0

    @property
    def named(self) -> str:
        found = re.search(r"r-[0-9a-f]{4,}", self.title)
        return found[0] if found else ""

    def running_agents(self) -> int:
        return sum("Running" in row for row in self.agents)


def judge(sample: Sample, truth: Truth) -> list[str]:
    """How the window contradicts the agents; none where it says the truth."""
    faults = []
    if truth.at_work:
        if not sample.running_agents() or "Running" not in sample.canvas or not sample.blue:
            faults.append(f"dark: {sample.running_agents()} running in the outline, pixel {sample.blue}")
        if "Running" not in sample.title or "Running" not in sample.badge or not sample.stop:
            faults.append("title, badge or Stop do not say that something runs")
    if not len(truth.at_work) <= sample.live_count <= len(truth.perhaps):
        faults.append(f"{sample.live_count} live, in truth {len(truth.at_work)} to {len(truth.perhaps)}")
    if (
        truth.at_work
        and set(truth.at_work) == truth.perhaps
        and not truth.at_work[-1].startswith(sample.named)
    ):
        faults.append(f"the title names {sample.named}, the newest at work is {truth.at_work[-1]}")
    if not truth.perhaps and (sample.stop or sample.blue or sample.running_agents()):
        faults.append("nothing runs any more, and the window says it does")
    return faults


@asynccontextmanager
async def window_over(workspace: Path) -> AsyncIterator[tuple[Desk, Engine]]:
    """The window on a folder, over an engine of its own, in this process."""
    fork_server = ForkServer.start()
    try:
        engine = await Engine.open(fork_server=fork_server, kind="window")
        try:
            async with desk_over(engine, path=str(workspace)) as desk:
                yield desk, engine
        finally:
            await engine.close(reason="person")
    finally:
        fork_server.close()


def own_amounts(sample: Sample, costs: dict[str, Decimal], said: dict[str, int]) -> list[str]:
    """Amounts in the run list that are not a whole number of their own run's cost, or more than its agents said."""
    faults = []
    for run, cost in costs.items():
        for row in (row for row in sample.runs if run[:6] in row):
            amounts = [Decimal(found) for found in re.findall(r"\$(\d+(?:\.\d+)?)", row)]
            faults += [f"{run[:8]} shows {a}" for a in amounts if a % cost or a > cost * said[run]]
    return faults


@pytest.mark.qt_loop
@pytest.mark.slow
async def test_the_long_run_is_never_dark_while_the_short_one_ends_beside_it(tmp_path: Path) -> None:
    """OWN8, Q1: 2 s against 20 s, a look each 100 ms; every visual agrees with what the agents say themselves."""
    home = tmp_path / "workspace"
    file = workflow(home)
    samples: list[tuple[Sample, list[str]]] = []
    async with window_over(home) as (desk, _):
        for seconds, cost in ((LONG_S, "1.01"), (SHORT_S, "1.03")):
            given = {"seconds": str(seconds), "half": str(seconds / 2), "cost": cost}
            desk.link.launch(LaunchRequest(file, given))
            await _begun(home, 2 * (1 + (seconds == SHORT_S)))
        begin = time.monotonic()
        while time.monotonic() < begin + LONG_S + 10 and (not samples or samples[-1][0].live_count):
            sample = Sample.of(desk)
            samples.append((sample, judge(sample, Truth.at(home, sample.at)) + _amounts(home, sample)))
            await asyncio.sleep(max(0.01, begin + len(samples) / 10 - time.monotonic()))
        await asyncio.sleep(SETTLES_S)
        last = Sample.of(desk)
    faults = [(round(sample.at, 1), fault) for sample, found in samples for fault in found]
    assert not faults, faults[:20]
    assert len(samples) > 150
    assert {sample.live_count for sample, _ in samples} >= {1, 2}
    assert not judge(last, Truth.at(home, last.at))
    assert last.live_count == 0
    assert "Done" in last.title


def _amounts(home: Path, sample: Sample) -> list[str]:
    costs: dict[str, Decimal] = {}
    said: dict[str, int] = {}
    for log in logs_of(home).values():
        run = log[0]["run"]
        for line in log:
            if line["what"] == "cost":
                costs[run] = Decimal(line["cost"])
        said[run] = said.get(run, 1) + sum(line["what"] == "said" for line in log) + 1
    return own_amounts(sample, costs, said)


async def _begun(home: Path, count: int) -> None:
    end = time.monotonic() + 20
    while len(logs_of(home)) < count:
        assert time.monotonic() < end, "the agents did not start"
        await asyncio.sleep(0.02)


# ------------------------------------------------------------------------------------------- one record for both

OWN_TO_A_RUN = {"run_id", "launch_seq", "end_seq", "attempt_id", "tenant", "session"}
TIMED = re.compile(r"(_at|_ms|_clock|_ticks)$|^(at|boot|upto|pid|shim_pid|pid_ns|prior_attempt|evidence_at)$")


def comparable(value: Any) -> Any:
    """A document without ids and times."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if k not in OWN_TO_A_RUN and not TIMED.search(k)}
        return {key: comparable(item) for key, item in kept.items()}
    if isinstance(value, list):
        return [comparable(item) for item in value]
    return value


def everything() -> dict[str, Any]:
    """Agents that do what agents do: usage, effects, artifacts, failure, text, a retry, an edge for failures."""
    source = """
say("session", id="s-1", resumable=True)
say("turn")
say("usage", cost_usd="0.07", message_id="m", input_tokens=7, model="one")
say("usage", total=1, cost_usd="0.11", input_tokens=11, model="two")
say("effect", id="push", state="intended", kind="git", target="origin")
say("effect", id="push", state="sent", kind="git", target="origin")
say("artifact", name="note.txt", text="noted")
say("progress", done=1, total=2)
say("checkpoint", step="one", data={"n": 1})
say("output", value={"n": [1, 2]})
"""
    return {
        "speaks": python(source),
        "fails": shell("echo bad >&2; exit 3"),
        "mends": shell("echo mended"),
        "last": shell("cat"),
    }


def whole_workflow(home: Path) -> Path:
    say = 'import json\ndef say(type, **f): print(json.dumps({"type": type, **f}), flush=True)\n'
    agents = everything()
    agents["speaks"]["argv"][-1] = say + agents["speaks"]["argv"][-1]
    nodes: list[dict[str, Any]] = [{"id": name, "agent": name, "title": name.capitalize()} for name in agents]
    nodes[3]["prompt"] = "{{ nodes.speaks.output.n }} of {{ run.workflow }} for {{ inputs.who }}"
    path = write_workflow(
        home, agents, ("speaks", "last"), name="Whole", nodes=nodes, inputs=[{"name": "who", "type": "text"}]
    )
    document = json.loads(path.read_text())
    document["edges"].append({"from": "fails", "to": "mends", "when": "failure"})
    path.write_text(json.dumps(document))
    return path


@pytest.mark.qt_loop
async def test_terminal_and_window_leave_the_same_record(tmp_path: Path) -> None:
    """Field by field, ids and times aside; record, journal's decisions and each attempt's reports."""
    home = tmp_path / "workspace"
    file = whole_workflow(home)
    async with window_over(home) as (desk, engine):
        desk.link.launch(LaunchRequest(file, {"who": "both"}))
        end = time.monotonic() + 30
        while not any(not run.is_live for run in engine.runs()):
            assert time.monotonic() < end
            await asyncio.sleep(0.05)
    told = await asyncio.to_thread(quarterdeck, "run", file, "--json", "--input", "who=both")
    assert told.returncode in (0, 1), told.stderr.decode()
    terminal = json.loads(told.stdout)
    data = tmp_path / "quarterdeck-data" / "runs"
    (other,) = [path.name for path in data.iterdir() if path.name != terminal["run_id"]]
    shown = await asyncio.to_thread(quarterdeck, "show", other, "--json")
    assert comparable(json.loads(shown.stdout)) == comparable(terminal)
    assert terminal["cost_usd"] == "0.18"
    records = [objects_of(data / run / "record.json")[0] for run in (other, terminal["run_id"])]
    assert comparable(records[0]) == comparable(records[1])
    assert _decisions(data / other) == _decisions(data / terminal["run_id"])
    assert _reports(data / other) == _reports(data / terminal["run_id"])


def _decisions(run: Path) -> list[str]:
    """Decisions by slot, since agents that run side by side come in any order."""
    entries = objects_of(run / "journal.jsonl")
    return sorted(f"{entry.get('slot_id')}: {entry['kind']} {entry.get('status', '')}" for entry in entries)


def _reports(run: Path) -> dict[str, tuple[list[str], int]]:
    """The kinds of facts in their order, and how often progress was told: that is no fact, and where it comes between them
    depends on how long a saved file took.
    """
    found = {}
    for place in (run / "attempts").iterdir():
        node = objects_of(place / "launch.json")[0]["node_id"]
        kinds = [report["kind"] for report in objects_of(place / "reports.jsonl")]
        found[node] = [kind for kind in kinds if kind != "progress"], kinds.count("progress")
    return found
