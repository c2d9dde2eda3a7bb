"""What the app does while it is killed or its disk fails: one coroutine a scene. Each tells everything that it was told.

`prepare` makes, once, the folder that a scene begins with; `SCENES` names what is done in a copy of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from quarterdeck.domain.ids import CommandId, RunId, SlotId
from quarterdeck.domain.keeping import Limits
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine import bounding
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from quarterdeck.store.durable_io import DurableIO
from tests.crash import works
from tests.crash.lab import Life, Say, live

END_WITHIN_S = 90.0
"""A busy machine may need long for a moment; who is closed before the end finds a run that was cut off."""
TRIES = 4
T = TypeVar("T")
Act = Callable[[Engine, Path, Say], Awaitable[None]]


class _Teller(logging.Handler):
    """The app's log is one of the places where a fault is told."""

    def __init__(self, say: Say) -> None:
        super().__init__(logging.INFO)
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        error = repr(record.exc_info[1]) if record.exc_info else ""
        self._say("log", record.levelname, record.getMessage(), error)


def _begin(home: Path, say: Say) -> None:
    os.chdir(home / "work")
    os.environ["QUARTERDECK_CONFIG_DIR"] = str(home / "config")
    logger = logging.getLogger()  # what asyncio has to say is told too
    logger.addHandler(_Teller(say))
    logger.setLevel(logging.INFO)


def look_twice(home: Path, lasting: Callable[[Path], object]) -> Life:
    """What the next process sees (`seen`), and the one after it (`again`); `lasting` is said after each. It starts nothing."""

    def work(say: Say) -> None:
        _begin(home, say)
        asyncio.run(look(home, say, lasting))

    return live(work, has_server=False)


async def look(home: Path, say: Say, lasting: Callable[[Path], object]) -> None:
    """Both looks of `look_twice`, in this process."""
    for word in ("seen", "again"):
        engine = await Engine.open(home / "store")
        await recovered(engine, home, lambda _, *what, word=word: say(word, *what))
        await engine.close()
        say("lasting", lasting(home))


def play(home: Path, io: DurableIO, act: Act) -> Life:
    """One life over the folder: opened, the act, closed."""

    async def scene(fork_server: ForkServer, say: Say) -> None:
        try:
            engine = await Engine.open(home / "store", fork_server=fork_server, io=io)
        except StoreUnusable as error:
            say("unusable", str(error))
            return
        say("opened")
        try:
            async with asyncio.timeout(END_WITHIN_S):
                await act(engine, home, say)
        except StoreUnusable as error:
            say("unusable", str(error))
        except TimeoutError:
            say("gave up waiting")
        finally:
            try:
                await engine.close()
            except Exception as error:
                say("close failed", repr(error))
        say("closed")

    def work(say: Say, fork_server: ForkServer) -> None:
        _begin(home, say)
        asyncio.run(scene(fork_server, say))

    return live(work)


async def follow(
    engine: Engine, run: RunId, say: Say, *, on: dict[str, Callable[[], Any]] | None = None
) -> None:
    """Every event of the run until its sitting ends; `on`: what is done at the first event of that type."""
    recording = asyncio.create_task(_watch_recording(engine, run, say))
    todo = dict(on or {})
    try:
        async with asyncio.timeout(END_WITHIN_S):
            async for happened in engine.events(run):
                say(
                    "event",
                    happened.type,
                    run,
                    happened.attempt,
                    happened.slot,
                    happened.data.get("report_seq"),
                )
                if (do := todo.pop(happened.type, None)) is not None:
                    await do()
            view = await engine.wait_ended(run)
        say("ended", run, str(view.outcome), [slot.reason for slot in view.slots if slot.reason])
    finally:
        recording.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await recording


async def _watch_recording(engine: Engine, run: RunId, say: Say) -> None:
    feed, before = engine.subscribe(), True
    try:
        while True:
            await feed.wait_changed()
            feed.take()
            view = engine.live_run(run)
            if view is not None and view.recording is not before:
                before = bool(view.recording)
                say("recording", before)
    finally:
        feed.close()


async def _taken(ask: Callable[[], Awaitable[T]], say: Say) -> T:
    """The answer to a command; where the store refused it, the person tries again. Each refusal is told."""
    for _ in range(TRIES):
        answer = await ask()
        if not isinstance(answer, Refusal):
            return answer
        say("refused", answer.code.value, answer.message)
        if answer.code is not Code.E_STORE:
            break
        await asyncio.sleep(0.05)
    return answer


def _launching(shape: str, on: Callable[[Engine, RunId, Path], dict[str, Any]] | None = None) -> Act:
    async def act(engine: Engine, home: Path, say: Say) -> None:
        run = await _taken(
            lambda: engine.launch(LaunchRequest(home / "work" / f"{shape}.workflow.json")), say
        )
        if isinstance(run, Refusal):
            return
        say("launched", run)
        await follow(engine, run, say, on=on(engine, run, home) if on is not None else None)

    return act


def _answers(engine: Engine, run: RunId, home: Path) -> dict[str, Any]:
    async def answer() -> None:
        view = engine.live_run(run)
        assert view is not None
        (asked,) = [one for slot in view.slots for one in slot.approvals]
        while isinstance(await engine.answer(run, asked.request_id, "Approve"), Refusal):
            await asyncio.sleep(0.05)

    return {"approval_asked": answer}


def _stops(engine: Engine, run: RunId, home: Path) -> dict[str, Any]:
    async def stop() -> None:
        await engine.stop_run(run)

    return {"checkpoint": stop}


def only_run(engine: Engine) -> RunId:
    (run,) = [line.run_id for line in engine.runs() if line.workflow_name == "stays"]
    return run


async def recovered(engine: Engine, home: Path, say: Say) -> None:
    """Opening is what settles; then everything is looked at."""
    for line in engine.runs():
        view = await engine.run(line.run_id)
        assert view is not None
        statuses = [
            [slot.slot_id, slot.display, [str(a.status) for a in slot.attempts]] for slot in view.slots
        ]
        say(
            "seen", line.run_id, view.phase.value, str(view.outcome), str(view.cost_usd), statuses, view.turns
        )


def _resuming(go_on: bool) -> Act:
    async def act(engine: Engine, home: Path, say: Say) -> None:
        run, slot = only_run(engine), SlotId("b")
        again, claim = CommandId("c-reassign"), CommandId("c-claim")
        if isinstance(
            await _taken(lambda: engine.reassign(run, slot, "again", command_id=again), say), Refusal
        ):
            return
        say("reassigned", run)
        claimed = await _taken(lambda: engine.claim(run, slot, go_on, command_id=claim), say)
        if isinstance(claimed, Refusal):
            return
        say("claimed", run, claimed)
        await follow(engine, run, say)

    return act


async def discarding(engine: Engine, home: Path, say: Say) -> None:
    run = only_run(engine)
    if not isinstance(await _taken(lambda: engine.keeping.discard(run), say), Refusal):
        say("discarded", run)


async def undoing(engine: Engine, home: Path, say: Say) -> None:
    (kept,) = await engine.keeping.discarded()
    if not isinstance(await _taken(lambda: engine.keeping.undo_discard(kept.run), say), Refusal):
        say("back", kept.run)


async def evicting(engine: Engine, home: Path, say: Say) -> None:
    bounding.current_limits = lambda _store: Limits(1, 10**12, 10**12, 10**12)
    done = await _taken(lambda: engine.keeping.prune(dry_run=False), say)
    if not isinstance(done, Refusal):
        say("evicted", [one.kept.run for one in done.leaving])


SCENES: dict[str, tuple[str, Act]] = {
    "chain": ("fresh", _launching("chain")),
    "pair": ("fresh", _launching("pair")),
    "failing": ("fresh", _launching("failing")),
    "asks": ("fresh", _launching("asks", _answers)),
    "stopped": ("fresh", _launching("stays", _stops)),
    "recovery": ("cut off", recovered),
    "resume": ("settled", _resuming(go_on=False)),
    "resume and go on": ("settled", _resuming(go_on=True)),
    "discard": ("settled", discarding),
    "undo": ("discarded", undoing),
    "eviction": ("many", evicting),
}


def prepare(home: Path, beginning: str) -> None:
    """fresh: workflows and an empty store. cut off: three runs of a killed app, one at its end, one with an agent at work, one
    that waits for a person. settled, discarded, many: what follows from that.
    """
    for shape in works.SHAPES:
        works.write(home / "work", shape)
    (home / "config").mkdir()
    if beginning in ("cut off", "settled", "discarded"):
        life = play(home, DurableIO(), _cut_off)
        assert life.was_killed, life.said
    if beginning in ("settled", "discarded"):
        assert not play(home, DurableIO(), recovered).status
    if beginning == "discarded":
        assert play(home, DurableIO(), discarding).heard("discarded")
    if beginning == "many":
        assert not play(home, DurableIO(), _many).status


async def _cut_off(engine: Engine, home: Path, say: Say) -> None:
    """Killed while `stays` has an effect under way; `chain` has just ended, `asks` waits for its answer."""
    await _launching("chain")(engine, home, say)
    asks = await engine.launch(LaunchRequest(home / "work" / "asks.workflow.json"))
    assert not isinstance(asks, Refusal)

    async def wait_asked() -> None:
        async for happened in engine.events(asks):
            if happened.type == "approval_asked":
                return

    await wait_asked()

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    await _launching("stays", lambda engine, run, home: {"effect": _until_sent(engine, run, die)})(
        engine, home, say
    )


def _until_sent(engine: Engine, run: RunId, die: Callable[[], None]) -> Callable[[], Awaitable[None]]:
    async def wait() -> None:
        async for happened in engine.events(run):
            if happened.type == "effect" and happened.slot == "b":
                die()

    return wait


async def _many(engine: Engine, home: Path, say: Say) -> None:
    for shape in ("chain", "chain", "pair", "chain"):
        await _launching(shape)(engine, home, say)
