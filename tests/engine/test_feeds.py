"""Subscriptions: conflated changes, ordered events, and readers that come late or fall behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.engine import feed as feeds
from quarterdeck.engine.door import FeedEvent
from quarterdeck.engine.feed import EventHistory, Publisher
from quarterdeck.engine.service import Engine
from tests.engine.works import ended, launch, python, shell, to_end, write

RUN = RunId("r-1")


def event(seq: int, text: str = "") -> FeedEvent:
    return FeedEvent(seq, Moment("boot", seq, seq), "x", RUN, None, None, None, {"text": text})


async def test_changes_are_conflated_by_run() -> None:
    publisher = Publisher()
    feed, other = publisher.subscribe(), publisher.subscribe()
    for _ in range(1_000):
        publisher.mark(RUN)
    publisher.mark(RunId("r-2"))
    await asyncio.wait_for(feed.wait_changed(), 1)
    assert feed.take() == {RUN, "r-2"}
    assert feed.take() == frozenset()
    waiting = asyncio.ensure_future(feed.wait_changed())
    await asyncio.sleep(0)
    assert not waiting.done()
    other.close()
    other.close()
    publisher.mark(RUN)
    await asyncio.wait_for(waiting, 1)
    assert other.take() == {RUN, "r-2"}, "nothing reaches a subscription that was closed"


async def test_a_reader_that_comes_late_gets_everything_from_the_first_event_on() -> None:
    history = EventHistory()
    for _ in range(3):
        history.tell(event)
    stream = history.stream()
    history.tell(event)
    history.end()
    assert [told.seq async for told in stream] == [1, 2, 3, 4]
    assert [told.seq async for told in history.stream()] == [1, 2, 3, 4]


async def test_what_was_let_go_of_is_told_as_lagged() -> None:
    history = EventHistory()
    large = "x" * (feeds.HISTORY_CHARS_MAX // 4)
    for _ in range(10):
        history.tell(lambda seq: event(seq, large))
    history.end()
    told = [one async for one in history.stream()]
    assert told[0].type == "lagged"
    assert [one.seq for one in told[1:]] == list(range(told[0].data["lost"] + 1, 11))
    assert len(told) <= 5


async def test_the_events_of_a_run_are_numbered_in_order_and_end_with_it(
    engine: Engine, tmp_path: Path
) -> None:
    path = write(tmp_path, {"a": python("say('output', value=1)"), "b": shell("true")}, ("a", "b"))
    run = await launch(engine, path)
    early = [told async for told in engine.events(run)]
    await ended(engine, run)
    late = [told async for told in engine.events(run)]
    assert late == early
    assert [told.seq for told in early] == list(range(1, len(early) + 1))
    assert (early[0].type, early[-1].type) == ("run_launched", "run_ended")
    kinds = [told.type for told in early if told.slot == "a"]
    order = ["attempt_claimed", "starting", "started", "output", "exit", "attempt_ended"]
    assert [kind for kind in kinds if kind in order] == order
    assert [told async for told in engine.events(RunId("r-none"))] == []


async def test_a_reader_that_leaves_is_forgotten(engine: Engine, tmp_path: Path) -> None:
    run = await launch(engine, write(tmp_path, {"a": shell("sleep 0.3")}))
    reading = engine.events(run)
    assert (await anext(reading)).type == "run_launched"
    history = engine._live._actors[run].book.history
    assert len(history._streams) == 1
    await reading.aclose()  # type: ignore[attr-defined]
    assert history._streams == []
    await ended(engine, run)


async def test_memory_keeps_the_newest_ended_runs_only(engine: Engine, tmp_path: Path) -> None:
    path = write(tmp_path, {"a": shell("true")})
    views = [await to_end(engine, path) for _ in range(20)]
    assert len(engine._live._actors) <= 18
    assert engine.live_run(views[0].run_id) is None
    assert await engine.run(views[0].run_id) == views[0]
    assert await engine.wait_ended(views[0].run_id) == views[0]
    assert len(engine.runs()) == 20
