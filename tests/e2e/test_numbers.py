"""Numbers are exact: every displayed total factors into its own run's and its own agent's prime (ID3, I5, C-money)."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.cli.real import command
from tests.e2e.seen import objects_of
from tests.e2e.works import logs_of, python, write_workflow

PRIMES = {
    ("x", "a"): 101,
    ("x", "b"): 103,
    ("x", "c"): 107,
    ("y", "a"): 109,
    ("y", "b"): 113,
    ("y", "c"): 127,
}
LINES = 40
UNIT = Decimal("0.000001")
SPENDS = f"""
prime = json.loads(os.environ["PRIMES"])[node]
for n in range({LINES}):
    cost = "%.6f" % (prime * (n + 1 if node == "b" else 1) * 1e-6)
    if node == "b": say("usage", cost_usd=cost, cumulative=True, model="m", input_tokens=prime * (n + 1))
    else: say("usage", cost_usd=cost, message_id=str(n), input_tokens=prime)
    if node == "c": say("usage", cost_usd=cost, message_id=str(n), input_tokens=prime)
    if n % 4 == 0: say("turn")
    time.sleep(0.03)
say("output", value=prime)
"""


def workflow(home: Path) -> Path:
    agents: dict[str, Any] = {}
    for node in "abc":
        agent = python(SPENDS, home)
        agent["env"]["PRIMES"] = "{{ inputs.primes }}"
        agents[node] = agent
    return write_workflow(home, agents, inputs=[{"name": "primes", "type": "text", "required": True}])


def primes_of(run: str) -> dict[str, int]:
    return {node: prime for (of, node), prime in PRIMES.items() if of == run}


def factors(amount: Decimal | str | None, prime: int) -> bool:
    """Whether the amount is nothing, or a whole number (at most LINES) of one agent's prime."""
    if amount is None:
        return True
    times = Decimal(amount) / (prime * UNIT)
    return times == int(times) and 0 <= times <= LINES


def judge_document(run: dict[str, Any], primes: dict[str, int]) -> None:
    """One sample of `show --json`: parts of their own prime, the whole their exact sum."""
    total = Decimal(0)
    for slot in run["slots"]:
        for attempt in slot["attempts"]:
            assert factors(attempt["cost_usd"], primes[slot["node_id"]]), (
                slot["node_id"],
                attempt["cost_usd"],
            )
            total += Decimal(attempt["cost_usd"] or 0)
    assert Decimal(run["cost_usd"] or 0) == total


def judge_view(view: RunView, primes: dict[str, int]) -> None:
    """One sample of a view: the same, and turns and tokens of the same agent only."""
    total = Decimal(0)
    for slot in view.slots:
        prime = primes[slot.node_id]
        for attempt in slot.attempts:
            cost = attempt.figures.cost_usd
            assert factors(cost, prime), (slot.node_id, cost)
            assert attempt.figures.tokens.input_tokens % prime == 0
            assert attempt.figures.turns <= LINES / 4
            total += cost or Decimal(0)
    assert (view.cost_usd or Decimal(0)) == total


async def shown_from_outside(run: RunId) -> dict[str, Any]:
    """`show --json` of another process."""
    process = await asyncio.create_subprocess_exec(
        *command("show", run, "--json"), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    told, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return dict(json.loads(told))


async def test_every_total_of_two_concurrent_runs_factors_into_its_own(tmp_path: Path) -> None:
    home = tmp_path / "workspace"
    file = workflow(home)
    fork_server = ForkServer.start()
    try:
        engine = await Engine.open(fork_server=fork_server)
        try:
            runs: dict[RunId, dict[str, int]] = {}
            for name in ("x", "y"):
                primes = primes_of(name)
                run = await engine.launch(LaunchRequest(file, {"primes": json.dumps(primes)}))
                assert not isinstance(run, Refusal), run
                runs[run] = primes
            samples = await _watch(engine, runs)
        finally:
            await engine.close()
    finally:
        fork_server.close()
    assert samples > 20
    for run, primes in runs.items():
        shown = await shown_from_outside(run)
        judge_document(shown, primes)
        assert Decimal(shown["cost_usd"]) == sum(primes.values()) * LINES * UNIT
        assert shown["tokens"]["input_tokens"] == sum(primes.values()) * LINES
    _judge_ledger(tmp_path / "quarterdeck-data", runs)
    said = [line for log in logs_of(home).values() for line in log if line["what"] == "said"]
    assert len(said) == 2 * (3 * LINES + LINES + 3 * 10 + 3)


async def _watch(engine: Engine, runs: dict[RunId, dict[str, int]]) -> int:
    """Judge both runs at every change that is told, and from another process meanwhile; how many samples."""
    feed = engine.subscribe()
    samples = 0
    outside = asyncio.ensure_future(asyncio.gather(*(shown_from_outside(run) for run in runs)))
    try:
        while any(view.is_live for view in map(engine.live_run, runs) if view is not None):
            await feed.wait_changed()
            feed.take()
            for run, primes in runs.items():
                view = engine.live_run(run)
                if view is not None:
                    judge_view(view, primes)
                    samples += 1
    finally:
        feed.close()
        shown = await outside
    for (_, primes), told in zip(runs.items(), shown, strict=True):
        judge_document(told, primes)
    return samples


def _judge_ledger(data: Path, runs: dict[RunId, dict[str, int]]) -> None:
    lines = objects_of(data / "ledger.jsonl")
    for run, primes in runs.items():
        own = [line for line in lines if line["run"] == run]
        assert {line["slot"]: Decimal(line["cost_usd"]) for line in own} == {
            node: prime * LINES * UNIT for node, prime in primes.items()
        }
