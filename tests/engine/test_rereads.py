"""Facts that are too large for the socket: the app reads the file, which the shim writes a moment after it has spoken."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.engine.service import Engine
from quarterdeck.engine.shim_link import ShimLink
from quarterdeck.store.attempts import Attempts
from tests.engine.works import attempt_of, ended, launch, python, slot_of, until, write

HUGE = "say('approval', id='q', question='Go?', options=['ü' * 60_000] * 4)\n"
SLOW_DISK_S = 0.4


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a shim says is on the disk only so much later, and its durable marks as much."""
    written: defaultdict[AttemptId, int] = defaultdict(int)
    take, read = ShimLink._take, Attempts.each_report

    def take_late(self: ShimLink, line: bytes) -> None:
        mark = json.loads(line).get("durable")
        if mark is None:
            take(self, line)
            return

        def is_written() -> None:
            written[self.attempt_id] = max(mark, written[self.attempt_id])
            take(self, line)

        asyncio.get_running_loop().call_later(SLOW_DISK_S, is_written)

    def read_what_is_written(self: Attempts, run: RunId, attempt: AttemptId) -> Iterator[dict[str, Any]]:
        is_over = self.folder(run, attempt).exit_path.exists()
        return (one for one in read(self, run, attempt) if is_over or one["seq"] <= written[attempt])

    monkeypatch.setattr(ShimLink, "_take", take_late)
    monkeypatch.setattr(Attempts, "each_report", read_what_is_written)


@pytest.mark.usefixtures("slow_disk")
async def test_a_question_too_large_for_the_socket_is_shown_once_the_disk_has_it(
    engine: Engine, tmp_path: Path
) -> None:
    source = HUGE + "say('output', value=told()['answer'] == 'ü' * 60_000)\n"
    run = await launch(engine, write(tmp_path, {"a": python(source)}))
    view = await until(engine, run, lambda view: slot_of(view, "a").approvals)
    (asked,) = slot_of(view, "a").approvals
    assert [len(option) for option in asked.options] == [60_000] * 4
    assert await engine.answer(run, asked.request_id, asked.options[0]) is None
    assert attempt_of(await ended(engine, run), "a").output is True


@pytest.mark.usefixtures("slow_disk")
async def test_what_was_heard_before_and_after_it_is_not_forgotten_when_the_file_is_read(
    engine: Engine, tmp_path: Path
) -> None:
    effects = "say('effect', id='{}', kind='mail', state='sent')\n"
    source = f"{effects.format('before')}{HUGE}{effects.format('after')}told()\nsay('output', value=1)\n"
    run = await launch(engine, write(tmp_path, {"a": python(source)}))
    seen: list[tuple[str, ...]] = []

    def is_asked(view: Any) -> object:
        attempts = slot_of(view, "a").attempts
        seen.append(tuple(effect.id for effect in attempts[-1].effects) if attempts else ())
        return slot_of(view, "a").approvals

    await until(engine, run, is_asked)
    assert seen[-1] == ("before", "after")
    assert seen == sorted(seen, key=len), "an effect was shown and then forgotten"
    await engine.stop_run(run)
    await ended(engine, run)
