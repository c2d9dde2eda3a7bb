"""Agents that print and report without end: nothing is lost, memory is bounded, the loop stays alive (case 97, P12)."""

from __future__ import annotations

import asyncio
import os
import re
import time
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.e2e.seen import marked
from tests.e2e.works import python, write_workflow

AGENTS, LINES_PER_S, FOR_S = 40, 300, 60
SHIM_PRIVATE_MAX_KB = 24 * 1024
SHIM_FACTS_MAX_KB = 18 * 1024
APP_GROWTH_MAX_KB = 64 * 1024
LATE_MAX_S = 2.0
FLOOD = f"""
import os, sys, time
begin, number, out = time.monotonic(), 0, sys.stdout.fileno()
while number < {LINES_PER_S * FOR_S}:
    due = min(int((time.monotonic() - begin) * {LINES_PER_S}), {LINES_PER_S * FOR_S})
    if due > number:
        block = b"".join(b"line %d of the flood\\n" % n for n in range(number, due))
        while block: block = block[os.write(out, block):]
        number = due
    time.sleep(0.05)
"""

FACTS = """
import json, os, sys
left, number = {size}, 0
def line(n):
    return json.dumps({{"type": "{kind}", **{told}}}).encode() + b"\\n"
while left > 0:
    block = b"".join(line(n) for n in range(number, number + 500))
    number += 500
    left -= len(block)
    while block: block = block[os.write(1, block):]
os.write(1, json.dumps({{"type": "output", "value": number}}).encode() + b"\\n")
"""
FACT_KINDS = {
    "messages": (4_000_000, "usage", "{'message_id': f'message {n}', 'cost_usd': '0.001', 'model': 'm'}"),
    "models": (4_000_000, "usage", "{'model': f'model {n} ' + 'x' * 600, 'cost_usd': '0.001'}"),
    "sessions": (600_000, "session", "{'id': f'session {n}', 'resumable': True}"),
    "files": (1_000_000, "artifact", "{'name': f'{n}', 'path': 'no such file'}"),
    "texts": (60_000, "artifact", "{'name': f'{n}', 'text': 'words'}"),
    "effects": (4_000_000, "effect", "{'id': f'{n}', 'state': 'sent', 'detail': 'd' * 400}"),
}
"""{what: (bytes of the flood, type of its lines, their fields)}; files cost the disk most."""


def private_kb(pid: int) -> int:
    """Memory that a process has for itself; 0 once it is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(found) for found in re.findall(r"Private_\w+:\s+(\d+) kB", text))


async def _sample(word: bytes, shims: list[int], app: list[int], late: list[float]) -> None:
    """Until cancelled: the largest shim and the app ten times a second; how late the loop wakes us, always."""
    due = time.monotonic()
    while True:
        found = await asyncio.to_thread(
            lambda: [private_kb(pid) for pid in marked(word, b"QUARTERDECK_SHIM=")]
        )
        shims.append(max(found, default=0))
        app.append(private_kb(os.getpid()))
        due = max(due, time.monotonic() - 0.02)
        for _ in range(5):
            due += 0.02
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            late.append(time.monotonic() - due)
            due = max(due, time.monotonic() - 0.02)


@dataclass
class Memory:
    """What was seen while a run worked, and once it had ended: private kB of its largest shim and of this process."""

    view: RunView
    shims: list[int] = field(default_factory=list)
    app: list[int] = field(default_factory=list)
    late: list[float] = field(default_factory=list)


async def _flooded(file: Path, tmp_path: Path) -> Memory:
    """Launch the file and watch it to its end."""
    fork_server = ForkServer.start()
    try:
        engine = await Engine.open(fork_server=fork_server)
        try:
            shims, app, late = list[int](), [private_kb(os.getpid())], list[float]()
            run = await engine.launch(LaunchRequest(file))
            assert not isinstance(run, Refusal), run
            sampling = asyncio.ensure_future(_sample(str(tmp_path).encode() + b"/", shims, app, late))
            view = await engine.wait_ended(run)
            sampling.cancel()
            await asyncio.gather(sampling, return_exceptions=True)
            app.append(private_kb(os.getpid()))
        finally:
            await engine.close()
    finally:
        fork_server.close()
    return Memory(view, shims, app, late)


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.beside
@pytest.mark.timeout(400)
async def test_every_line_of_forty_flooding_agents_is_kept_and_memory_is_bounded(tmp_path: Path) -> None:
    agents = {f"n{number}": python(FLOOD, protocol="text") for number in range(AGENTS)}
    file = write_workflow(tmp_path / "workspace", agents, limits={"max_parallel": AGENTS})
    seen = await _flooded(file, tmp_path)
    view, shims, app, late = seen.view, seen.shims, seen.app, seen.late
    run = view.run_id
    assert str(view.outcome) == "completed", view.reason
    expected = b"".join(b"line %d of the flood\n" % number for number in range(LINES_PER_S * FOR_S))
    places = tmp_path / "quarterdeck-data" / "runs" / run / "attempts"
    transcripts = sorted(places.glob("*/transcript"))
    assert len(transcripts) == AGENTS
    for path in transcripts:
        assert path.read_bytes() == expected, f"{path.parent.name}: lines are missing, double or out of order"
    assert 0 < max(shims) <= SHIM_PRIVATE_MAX_KB
    assert max(app) - app[min(20, len(app) - 1)] <= APP_GROWTH_MAX_KB
    assert max(late) <= LATE_MAX_S


@pytest.mark.timeout(200)
@pytest.mark.parametrize("what", FACT_KINDS)
async def test_facts_told_without_end_cost_app_and_shim_bounded_memory_and_none_is_lost(
    tmp_path: Path, what: str, sweep: int
) -> None:
    """One flood for each kind that an agent can pile up, with its own names each time."""
    size, kind, told = FACT_KINDS[what]
    source = FACTS.format(size=size * sweep, kind=kind, told=told)
    file = write_workflow(tmp_path / "workspace", {"n": python(source, protocol="lines")})
    seen = await _flooded(file, tmp_path)
    (attempt,) = seen.view.slots[0].attempts
    assert attempt.status.value == "succeeded", attempt.reason
    places = tmp_path / "quarterdeck-data" / "runs" / seen.view.run_id / "attempts"
    with (places / attempt.attempt_id / "reports.jsonl").open("rb") as file_of_reports:
        count = sum(f'"kind":"{kind}"'.encode() in line for line in file_of_reports)
    assert (count, attempt.output) == (attempt.output, count)
    if kind == "usage":
        assert attempt.figures.cost_usd == count * Decimal("0.001")
    assert 0 < max(seen.shims) <= SHIM_FACTS_MAX_KB
    assert max(seen.app) - seen.app[0] <= APP_GROWTH_MAX_KB
