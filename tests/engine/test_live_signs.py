"""What is known of agents that another process keeps: when they printed last, and their last words (LSE1)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import AttemptView
from quarterdeck.engine.disk_views import read_state, shown_view
from quarterdeck.engine.service import Engine
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.works import FOREVER, attempt_of, launch, python, shell, shows, until, write

WORDS = "say('text', text='I look at the tags')\nsay('usage', cost_usd='0.02', message_id='m')\n"


async def looked(engine: Engine, run: str, node: str) -> AttemptView:
    view = await engine.run(run)  # type: ignore[arg-type]
    assert view is not None
    assert view.foreign
    return attempt_of(view, node)


async def test_latest_words_and_last_output_of_another_process_are_read_from_its_files(
    open_engine: Opener, tmp_path: Path
) -> None:
    """B8: the adapter of its keeper reads the same bytes, so the words are the same."""
    owner, other = await open_engine(), await open_engine()
    path = write(tmp_path, {"a": python(WORDS + FOREVER), "b": shell("echo one; echo two; sleep 60")})
    run = await launch(owner, path)
    for node, words in (("a", "I look at the tags\n"), ("b", "one\ntwo\n")):
        await until(owner, run, shows(node, "Running"))
        view = await until(owner, run, lambda view, n=node, w=words: attempt_of(view, n).tail == w)  # type: ignore[misc]
        mine = attempt_of(view, node)
        async with asyncio.timeout(10):
            while (seen := await looked(other, run, node)).tail != words:
                await asyncio.sleep(0.02)
        assert mine.last_output_at_ms is not None
        assert seen.last_output_at_ms is not None
        assert abs(seen.last_output_at_ms - mine.last_output_at_ms) < 2_000, (
            "the file is written a little later"
        )
    await owner.stop_run(run)


async def test_how_long_it_is_silent_goes_by_the_file_and_is_not_told_once_the_clock_was_set(
    open_engine: Opener, tmp_path: Path
) -> None:
    """ID2: files know the wall clock alone."""
    owner = await open_engine()
    run = await launch(owner, write(tmp_path, {"a": python(FOREVER)}))
    view = await until(owner, run, shows("a", "Running"))
    store = owner._opened.store
    state, attempt = read_state(store, run), attempt_of(view, "a")
    file = store.attempts.folder(run, attempt.attempt_id).transcript_path
    assert attempt.started_at is not None
    started = attempt.started_at
    later = Moment(started.boot, started.boot_ms + 900_000, started.wall_ms + 900_000)

    def said_at(seen_at: Moment) -> int | None:
        view = shown_view(store, state, foreign=True, seen_at=seen_at)
        return attempt_of(view, "a").last_output_at_ms

    async with asyncio.timeout(10):
        while said_at(later) is None:  # its reports come over its socket first, then into the file
            await asyncio.sleep(0.02)
    file.write_bytes(b"")
    os.utime(file, ns=((started.wall_ms + 60_000) * 10**6,) * 2)
    assert said_at(later) == started.boot_ms + 60_000
    assert said_at(Moment(later.boot, later.boot_ms, later.wall_ms + 86_400_000)) is None, "set forward"
    assert said_at(Moment(later.boot, later.boot_ms, later.wall_ms - 86_400_000)) is None, "set back"
    assert said_at(Moment("another boot", 5, later.wall_ms)) is None
    os.utime(file, ns=((started.wall_ms - 500) * 10**6,) * 2)
    assert said_at(later) == started.boot_ms, "not before it began"
    cut = b"".join(b'{"type": "text", "text": "line %d"}\n' % n for n in range(5_000))
    file.write_bytes(cut + b'{"type": "text", "te')
    tail = attempt_of(shown_view(store, state, foreign=True, seen_at=later), "a").tail
    assert tail.endswith("line 4998\nline 4999\n"), "its end, and no line that is still being written"
    assert all(line.startswith("line ") for line in tail.splitlines()[1:]), (
        "and none that begins before what was read"
    )
    file.unlink()
    assert said_at(now()) is None
    assert attempt_of(shown_view(store, state, foreign=True), "a").last_output_at_ms is None
    await owner.stop_run(run)
