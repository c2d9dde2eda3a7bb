"""`python -m tests.crash.kill_nursery FOLDER`: tries points, one JSON list `[scene, at, torn, again]` a line, from stdin.

The app is killed ahead of durable operation number `at` of the scene (torn: in the middle of a write); with `again` the next
one is killed ahead of that operation of its start. Then the next process looks, twice, and the files are judged. Prints
one JSON object a point. A scene with `at` 0 is not killed, and its operations are told.
"""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from quarterdeck.store.durable_io import DurableIO
from tests.crash import lab, scenes, verdicts
from tests.store.faulty_io import CountingIO, KillingIO

WARM_LOOKS = 8


def beginning(folder: Path, name: str) -> Path:
    """A folder to copy, made where its copies will lie: runs pin where their agents work."""
    place, home = folder / f"begin {name}", folder / "home"
    if not place.exists():
        scenes.prepare(home, name)
        home.rename(place)
    return place


def copy_of(template: Path, home: Path) -> None:
    """A copy with the times of the original; the pipe that agents wait at is made anew."""
    shutil.copytree(template, home, ignore=shutil.ignore_patterns("fifo", "*.sock"))
    scenes.works.write(home / "work", "chain")


def warm_looks(folder: Path) -> None:
    """A look at a folder costs four times as much where it is the first of its process. So this one, of which each point is a fork,
    looks as the next process does, until all that is made at first is made; every thread that it needs ends with it.
    """
    home = folder / "home"
    copy_of(beginning(folder, "settled"), home)
    for _ in range(WARM_LOOKS):
        asyncio.run(scenes.look(home, lambda *_: None, verdicts.lasting))
    shutil.rmtree(home)
    gc.collect()
    gc.freeze()


def try_point(folder: Path, scene: str, at: int, torn: bool, again: int) -> dict[str, Any]:
    begin, act = scenes.SCENES[scene]
    template, home = beginning(folder, begin), folder / "home"
    copy_of(template, home)
    io: DurableIO = KillingIO(at, torn=torn) if at else DurableIO()
    life = scenes.play(home, io, act)
    faults = [f"{pid} lives on" for pid in life.left]
    if not life.was_killed and life.status:
        faults.append(f"the app ended with wait status {life.status}")
    faults += verdicts.look(home, life.said)
    killed_again = again and scenes.play(home, KillingIO(again), scenes.recovered).was_killed
    next_life = scenes.look_twice(home, verdicts.lasting)
    if next_life.status:
        faults.append("the next process failed")
    faults += verdicts.look(home, life.said) + verdicts.look_settled(home, next_life.said)
    faults += compare(next_life)
    shutil.rmtree(home)
    return {
        "killed": life.was_killed,
        "again": bool(killed_again),
        "gone_after_s": round(life.gone_after_s, 3),
        "said": [what[:2] for what in life.said if what[0] != "event"],
        "outcomes": sorted(what[3] for what in next_life.heard("seen")),
        "faults": faults,
    }


def compare(next_life: lab.Life) -> list[str]:
    """REC15: what the process after the next one sees, and leaves, is the same."""
    first, second = ([what[1:] for what in next_life.heard(word)] for word in ("seen", "again"))
    kept = next_life.heard("lasting")
    is_same = first == second and len(kept) == 2 and kept[0] == kept[1]
    return [] if is_same else ["another start changed something"]


def count_operations(folder: Path, scene: str) -> list[str]:
    """The names of the operations of a scene that nobody kills."""
    begin, act = scenes.SCENES[scene]
    template, home = beginning(folder, begin), folder / "home"
    copy_of(template, home)
    names = folder / "operations"

    def note(operation: str, target: str) -> None:
        with names.open("a") as file:
            file.write(operation + "\n")

    names.write_text("")
    life = scenes.play(home, CountingIO(note), act)
    assert not life.status, life.said
    shutil.rmtree(home)
    return names.read_text().split()


def main(folder: Path) -> None:
    lab.warm_up()
    warm_looks(folder)
    for line in sys.stdin:
        scene, at, torn, again = point = json.loads(line)
        begun = time.monotonic()
        try:
            if at == 0:
                result: dict[str, Any] = {"operations": count_operations(folder, scene), "faults": []}
            else:
                result = try_point(folder, scene, at, torn, again)
        except Exception:
            result = {"killed": False, "faults": [traceback.format_exc()]}
            shutil.rmtree(folder / "home", ignore_errors=True)
        print(
            json.dumps({"point": point, "took_s": round(time.monotonic() - begun, 3), **result}), flush=True
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
