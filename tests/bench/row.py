"""One row of the table of figures, and the two things every bench needs: a stopwatch and a folder of its own."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal


@dataclass(frozen=True, slots=True)
class BenchRow:
    """A figure of ours as a ratio in one run.

    name: as in the table of goals, `P4`. what: what is compared, in words. ratio: None where it was not measured
    (`note` says why). goal: the number that the ratio should keep; `sense` says whether it is a floor or a ceiling.
    figures: the measured values behind it, with their unit in the name.
    """

    name: str
    what: str
    ratio: float | None
    goal: float
    sense: Literal["at most", "at least"]
    figures: dict[str, float | str] = field(default_factory=dict)
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the goal is met; None where nothing was measured."""
        if self.ratio is None:
            return None
        return self.ratio <= self.goal if self.sense == "at most" else self.ratio >= self.goal


def seconds(call: Callable[[], object]) -> float:
    """Duration of one call, in seconds."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


@contextmanager
def own_folder() -> Iterator[Path]:
    """A folder on the disk that temporary files go to; removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="quarterdeck-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
