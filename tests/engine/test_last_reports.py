"""An end whose last reports no disk took: what is shown then is what any later life shows (design §5, REC2)."""

from __future__ import annotations

import asyncio
import json
import resource
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.recovery import AgentEvidence
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.works import WITHIN_S, attempt_of, ended, launch, python, shows, until, write

NOTES = 60
TOLD_AT_THE_END = (
    f"for n in range({NOTES}): say('note', kind='other', text='w' * 200)\n"
    "while not os.path.exists('go'): time.sleep(0.02)\n"
)
TURNS_AND_OUTPUT = "say('usage', cost_usd='0.5')\nprint('x' * 50_000)\nsay('output', value={'n': 20})\n"
KEPT = "say('output', value={'n': 20})\n" + TOLD_AT_THE_END + "print('x' * 50_000)\n"


async def full_from_now_on(attempt: Path, lines: int) -> None:
    """The attempt's files grow no more, once its reports have so many lines; a file-size limit is a full disk to a shim."""
    path = attempt / "reports.jsonl"
    async with asyncio.timeout(WITHIN_S):
        while not path.exists() or path.read_bytes().count(b"\n") < lines:
            await asyncio.sleep(0.02)
    shim = json.loads(path.read_bytes().splitlines()[0])["shim_pid"]
    size = path.stat().st_size
    resource.prlimit(shim, resource.RLIMIT_FSIZE, (size, size))


def exit_file(attempt: Path) -> dict[str, Any]:
    return dict(json.loads((attempt / "exit.json").read_text()))


@pytest.mark.parametrize(
    ("source", "lines", "output", "outcome"),
    [
        (TOLD_AT_THE_END + TURNS_AND_OUTPUT, NOTES + 2, None, Outcome.FAILED),
        (KEPT, NOTES + 3, {"n": 20}, Outcome.COMPLETED),
    ],
    ids=["the output is lost", "only the exit is lost"],
)
async def test_an_end_whose_exit_report_no_disk_took_is_shown_alike_live_and_in_every_later_life(
    engine: Engine,
    open_engine: Opener,
    data: Path,
    tmp_path: Path,
    source: str,
    lines: int,
    output: object,
    outcome: Outcome,
) -> None:
    run = await launch(engine, write(tmp_path, {"a": python(source)}))
    one = attempt_of(await until(engine, run, shows("a", "Running")), "a")
    folder = data / "runs" / run / "attempts" / one.attempt_id
    await full_from_now_on(folder, lines)
    (tmp_path / "go").touch()
    view = await ended(engine, run)
    shown, told = attempt_of(view, "a"), exit_file(folder)
    reports = (folder / "reports.jsonl").read_bytes().splitlines()
    assert (len(reports), told["upto"]) == (lines, lines), "the exit report was not written, also not later"
    assert (view.outcome, shown.output) == (outcome, output)
    assert any("bytes of the transcript could not be kept" in error.message for error in shown.errors)
    looked = await engine.recovery.evidence(run, SlotId("a"))
    assert isinstance(looked, AgentEvidence)
    assert "bytes of the transcript could not be kept" in looked.transcript_lost
    assert shown.ended_at is not None
    assert shown.ended_at.wall_ms == told["wall_ms"]
    assert shown.late is None
    await engine.close()
    (data / "runs" / run / "record.json").unlink()
    (data / "index.jsonl").unlink()
    assert await (await open_engine()).run(run) == view
