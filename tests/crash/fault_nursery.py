"""`python -m tests.crash.fault_nursery FOLDER`: tries points, one JSON list `[scene, at, error, how]` a line, from stdin.

Durable operation number `at` of the scene fails with that error: `once`, `short` (a write takes half of its bytes first),
`while` (everything fails for a while, then the disk is well again), `for good`. What the app said is compared with what is on disk,
the next process looks twice, on a disk that is well, and everything is judged. Prints one JSON object a point.
"""

from __future__ import annotations

import errno
import json
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from tests.crash import kill_nursery, lab, scenes, verdicts
from tests.store.faulty_io import FaultyIO

A_WHILE_S = 0.25
PATIENCE_S = 1.2
"""How long the person waits for a run whose disk stays down, before the app is closed."""


class Disk(FaultyIO):
    """Notes each operation that failed, for the parent; `while` heals by itself."""

    def __init__(self, note: Path, at: int, error: int, how: str) -> None:
        super().__init__(at, error, times=1 if how in ("once", "short") else None, torn=how == "short")
        self._note, self._heals, self._began_s = note, how == "while", 0.0

    def _is_due(self, operation: str) -> bool:
        if not super()._is_due(operation):
            return False
        now_s = time.monotonic()
        self._began_s = self._began_s or now_s
        if self._heals and now_s > self._began_s + A_WHILE_S:
            self.heal()
            return False
        with self._note.open("a") as file:
            file.write(operation + "\n")
        return True


def try_point(folder: Path, scene: str, at: int, error: str, how: str) -> dict[str, Any]:
    begin, act = scenes.SCENES[scene]
    home, note = folder / "home", folder / "failed"
    kill_nursery.copy_of(kill_nursery.beginning(folder, begin), home)
    before = set(verdicts.run_folders(home))
    note.write_text("")
    scenes.END_WITHIN_S = PATIENCE_S if how == "for good" else 90.0
    life = scenes.play(home, Disk(note, at, getattr(errno, error), how), act)
    failed = note.read_text().split()
    faults = [f"{pid} lives on" for pid in life.left]
    if life.status:
        faults.append(f"the app ended with wait status {life.status}")
    faults += verdicts.look(home, life.said) + verdicts.phantoms(home, life.said, before)
    faults += verdicts.said_of_faults(life.said, failed, how)
    next_life = scenes.look_twice(home, verdicts.lasting)
    if next_life.status:
        faults.append("the next process failed")
    faults += verdicts.look(home, life.said) + verdicts.look_settled(home, next_life.said)
    faults += kill_nursery.compare(next_life)
    if faults:
        faults.append(f"failed {failed[:5]}, told {[w for w in life.said if w[0] not in ('event',)]}")
    shutil.rmtree(home)
    return {"failed": len(failed), "first": failed[:1], "faults": faults}


def main(folder: Path) -> None:
    lab.warm_up()
    kill_nursery.warm_looks(folder)
    for line in sys.stdin:
        point = json.loads(line)
        begun_s = time.monotonic()
        try:
            result = try_point(folder, *point)
        except Exception:
            result = {"failed": 0, "faults": [traceback.format_exc()]}
            shutil.rmtree(folder / "home", ignore_errors=True)
        took_s = round(time.monotonic() - begun_s, 3)
        print(json.dumps({"point": point, "took_s": took_s, **result}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
