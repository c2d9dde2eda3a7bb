"""Forty agents that print without end: nothing is lost, memory is bounded, the loop stays alive (case 97, P12)."""

from __future__ import annotations

import asyncio
import os
import re
import time
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.e2e.seen import marked
from tests.e2e.works import python, write_workflow

AGENTS, LINES_PER_S, FOR_S = 40, 300, 60
SHIM_PRIVATE_MAX_KB = 24 * 1024
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


def private_kb(pid: int) -> int:
    """Memory that a process has for itself; 0 once it is gone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(found) for found in re.findall(r"Private_\w+:\s+(\d+) kB", text))


async def _sample(word: bytes, shims: list[int], app: list[int], late: list[float]) -> None:
    """Until cancelled: the largest shim and the app twice a second; how late the loop wakes us, always."""
    due = time.monotonic()
    while True:
        for _ in range(25):
            due += 0.02
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            late.append(time.monotonic() - due)
            due = max(due, time.monotonic() - 0.02)
        found = await asyncio.to_thread(
            lambda: [private_kb(pid) for pid in marked(word, b"QUARTERDECK_SHIM=")]
        )
        shims.append(max(found, default=0))
        app.append(private_kb(os.getpid()))


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.timeout(400)
async def test_every_line_of_forty_flooding_agents_is_kept_and_memory_is_bounded(tmp_path: Path) -> None:
    agents = {f"n{number}": python(FLOOD, protocol="text") for number in range(AGENTS)}
    file = write_workflow(tmp_path / "workspace", agents, limits={"max_parallel": AGENTS})
    shims: list[int] = []
    app: list[int] = []
    late: list[float] = []
    fork_server = ForkServer.start()
    try:
        engine = await Engine.open(fork_server=fork_server)
        try:
            run = await engine.launch(LaunchRequest(file))
            assert not isinstance(run, Refusal), run
            sampling = asyncio.ensure_future(_sample(str(tmp_path).encode() + b"/", shims, app, late))
            view = await engine.wait_ended(run)
            sampling.cancel()
            await asyncio.gather(sampling, return_exceptions=True)
        finally:
            await engine.close()
    finally:
        fork_server.close()
    assert str(view.outcome) == "completed", view.reason
    expected = b"".join(b"line %d of the flood\n" % number for number in range(LINES_PER_S * FOR_S))
    places = tmp_path / "quarterdeck-data" / "runs" / run / "attempts"
    transcripts = sorted(places.glob("*/transcript"))
    assert len(transcripts) == AGENTS
    for path in transcripts:
        assert path.read_bytes() == expected, f"{path.parent.name}: lines are missing, double or out of order"
    assert max(shims) <= SHIM_PRIVATE_MAX_KB
    assert max(app) - app[min(4, len(app) - 1)] <= APP_GROWTH_MAX_KB
    assert max(late) <= LATE_MAX_S
