"""How many processes the agents have: counted where they are, not inferred from states (cases 52, 139)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.agent_processes import count_processes
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from tests.engine.works import shell, write

FIVE = "sleep 60 & sleep 60 & (setsid sleep 60 &) ; sleep 60 & wait"
"""A shell and four that it started, one of them in a session of its own."""


async def until_counted(run: RunId, wanted: int) -> None:
    for _ in range(1000):
        if (count := count_processes().get(run)) is not None and count.processes == wanted:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(count_processes())


async def test_case_139_every_process_of_an_agent_is_counted_for_its_run_and_none_after_stop(
    engine: Engine, tmp_path: Path
) -> None:
    """Cases 52, 139: also of two runs at once, each with its own."""
    file = write(tmp_path, {"a": shell(FIVE)})
    first = await engine.launch(LaunchRequest(file, {}))
    second = await engine.launch(
        LaunchRequest(write(tmp_path, {"a": shell("exec sleep 60")}, name="other"), {})
    )
    assert isinstance(first, str)
    assert isinstance(second, str)
    await until_counted(RunId(first), 5)
    await until_counted(RunId(second), 1)
    assert 0 < count_processes()[RunId(first)].memory_bytes < 1_000_000_000
    for run in (RunId(first), RunId(second)):
        assert await engine.stop_run(run) is None
        await engine.wait_ended(run)
        assert run not in count_processes()


def test_case_52_what_outlived_its_run_or_is_another_programs_is_counted_by_its_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A survivor has no window that has it; its mark tells whose it is. What is marked by no attempt is no agent's."""
    run = RunId("r-" + "9" * 32)
    code = "import sys; sys.stdout.write('up'); sys.stdout.flush(); sys.stdin.read()"
    made = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "QUARTERDECK_RUN": run, **marks},
        )
        for marks in ({"QUARTERDECK_ATTEMPT": "a-1"}, {"QUARTERDECK_ATTEMPT": "a-2"}, {})
    ]
    try:
        for child in made:
            assert child.stdout is not None
            assert child.stdout.read(2) == b"up"
        assert count_processes()[run].processes == 2
    finally:
        for child in made:
            child.communicate()
    assert run not in count_processes()
