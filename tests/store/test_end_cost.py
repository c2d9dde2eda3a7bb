"""STO4 by its own words: the bytes that a run's end writes, counted by strace in a real process."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.store import end_of_a_run

TOP = Path(__file__).parents[2]
CALLS = "write,pwrite64,writev,pwritev,pwritev2,sendfile,copy_file_range,splice"
BEGUN = re.compile(r"^(\d+) +\w+\(\d+<([^>]*)>")
ENDED = re.compile(r"^(\d+) .* = (-?\d+)")


def bytes_by_file(trace: str, folder: Path) -> Counter[str]:
    """Bytes that reached each file below the folder; temp files count under the name that they were made for."""
    found: Counter[str] = Counter()
    target: dict[str, str] = {}
    for line in trace.splitlines():
        begun, ended = BEGUN.match(line), ENDED.match(line)
        if begun is not None:
            target[begun[1]] = begun[2]
        if ended is not None and int(ended[2]) > 0 and target[ended[1]].startswith(f"{folder}/"):
            found[Path(target[ended[1]]).name.removeprefix(".").split(".json")[0]] += int(ended[2])
    return found


def cost_of_an_end(folder: Path, stored: int) -> Counter[str]:
    end_of_a_run.fill(folder, stored)
    trace = folder.with_suffix(".trace")
    traced = ["strace", "-f", "-y", "-s", "0", "-e", f"trace={CALLS}", "-e", "signal=none", "-o", str(trace)]
    subprocess.run(
        [*traced, sys.executable, "-m", "tests.store.end_of_a_run", str(folder)],
        cwd=TOP,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        timeout=60,
    )
    return bytes_by_file(trace.read_text("utf-8"), folder)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_a_runs_end_writes_no_more_at_ten_thousand_stored_runs_than_at_ten(tmp_path: Path) -> None:
    few, many = (cost_of_an_end(tmp_path / str(stored), stored) for stored in (10, 10_000))
    assert set(few) == set(many) == {"journal", "store", "record", "index", "ledger"}
    assert few["record"] > end_of_a_run.SIZE
    assert many.total() <= 1.1 * few.total(), (few, many)


def test_the_count_takes_interrupted_calls_and_temp_files_and_leaves_out_what_lies_elsewhere() -> None:
    trace = """\
10 write(3</data/index.jsonl>, ""..., 100) = 100
11 write(4</data/runs/r/.record.json.10.ab.tmp>, ""..., 70 <unfinished ...>
10 write(1</dev/null>, ""..., 5) = 5
11 <... write resumed>)              = 60
11 pwrite64(4</data/runs/r/.record.json.10.ab.tmp>, ""..., 10, 60) = 10
10 write(3</data/index.jsonl>, ""..., 100) = -1 ENOSPC (No space left on device)
10 +++ exited with 0 +++
"""
    assert bytes_by_file(trace, Path("/data")) == {"index": 100, "record": 70}
