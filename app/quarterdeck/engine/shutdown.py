"""The end of all live runs of a process: stopped at once, proved, recorded; and what becomes of them on a dead disk."""

from __future__ import annotations

import asyncio
from asyncio import TaskGroup
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.states import EndReason
from quarterdeck.domain.views import RunView
from quarterdeck.engine.finishing import Patience
from quarterdeck.engine.run_actor import RunActor

DISK_PATIENCE_S = 10.0
"""How long a disk that takes nothing is waited for, before the record is left to recovery."""
LOOK_EVERY_S = 1.0
Tasks = Mapping[RunId, asyncio.Task[RunView]]


async def end_all(
    actors: Mapping[RunId, RunActor],
    tasks: Tasks,
    end_one: Callable[[RunId, EndReason], Coroutine[Any, Any, None]],
    why: EndReason,
    finish_within_s: float,
    patience: Patience,
) -> bool:
    """Let live runs finish for so long, or until that is cut short; then end them with `end_one` and wait for each end.

    False: it was taken back, and nothing was ended.
    """
    live = _live(tasks)
    if live and finish_within_s > 0:
        if not await patience.wait(live.values(), finish_within_s):
            return False
        if why is EndReason.PERSON and not patience.hurry.is_set():
            why = EndReason.TIME_OVER
    async with TaskGroup() as group:
        for run in _live(tasks):
            group.create_task(end_one(run, why))
        await _wait_over(actors, tasks)
    return True


async def _wait_over(actors: Mapping[RunId, RunActor], tasks: Tasks) -> None:
    waited_s = 0.0
    while live := _live(tasks):
        await asyncio.wait(live.values(), timeout=LOOK_EVERY_S)
        is_down = any(actors[run].book.waits_for_disk for run in _live(tasks))
        waited_s = waited_s + LOOK_EVERY_S if is_down else 0.0
        if waited_s >= DISK_PATIENCE_S:
            for run in _live(tasks):
                actors[run].book.gives_up = True


def _live(tasks: Tasks) -> dict[RunId, asyncio.Task[RunView]]:
    return {run: task for run, task in tasks.items() if not task.done()}
