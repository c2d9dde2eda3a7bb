"""Starts nurseries, hands points to them, gathers what they found. The folders lie in memory where that is possible."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
AT_ONCE = 3
"""A point waits for its agents about as long as it computes."""
MEMORY = Path("/dev/shm")
MARK_ROOM = " " * 80
"""What a fork server has in its environment for the mark of its keepers."""

Point = list[Any]
Result = dict[str, Any]


@contextlib.contextmanager
def _place() -> Iterator[Path]:
    in_memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    place = Path(tempfile.mkdtemp(prefix="quarterdeck-sweep-", dir=in_memory))
    yield place
    shutil.rmtree(place)  # kept where something failed before


def try_points(module: str, points: list[Point], at_once: int = AT_ONCE) -> list[Result]:
    """Every point tried by nurseries of that module; fails with the faults of those that have some."""
    with _place() as place:
        started = [
            _start(module, place / f"n{n}", points[n::at_once]) for n in range(min(at_once, len(points)))
        ]
        results: list[Result] = []
        for process, home in started:
            assert process.wait() == 0, (home / "errors").read_text()[-2000:]
            results += [json.loads(line) for line in (home / "results").read_text().splitlines()]
        faulty = [(result["point"], result["faults"]) for result in results if result["faults"]]
        assert not faulty, f"{len(faulty)} in {place}:\n" + "\n".join(f"{p}: {f}" for p, f in faulty[:20])
        assert len(results) == len(points)
    return results


def _start(module: str, home: Path, points: list[Point]) -> tuple[subprocess.Popen[bytes], Path]:
    home.mkdir()
    (home / "points").write_text("".join(json.dumps(point) + "\n" for point in points))
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app"), "QUARTERDECK_SHIM": MARK_ROOM}
    with (
        (home / "points").open("rb") as told,
        (home / "results").open("wb") as results,
        (home / "errors").open("wb") as errors,
    ):
        process = subprocess.Popen(
            [sys.executable, "-m", module, str(home)],
            cwd=ROOT,
            env=environment,
            stdin=told,
            stdout=results,
            stderr=errors,
        )
    return process, home
