"""One window over a real engine with a fork server of its own, for a test; everything is ended afterwards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.ui.desk import Desk, desk_over


class RealDesk(NamedTuple):
    """What a test holds in hand."""

    desk: Desk
    engine: Engine
    path: Path


@asynccontextmanager
async def real_engine(data: Path, **more: Any) -> AsyncIterator[Engine]:
    """An engine of a window, over a data folder. more: as `Engine.open` takes it."""
    fork_server = ForkServer.start()
    try:
        engine = await Engine.open(data, fork_server=fork_server, kind="window", **more)
        try:
            yield engine
        finally:
            await engine.close(reason="person")
    finally:
        fork_server.close()


@asynccontextmanager
async def real_desk(data: Path, path: Path, engine: Engine | None = None) -> AsyncIterator[RealDesk]:
    """A window that has opened a workflow file, over this engine or one of its own."""
    async with AsyncExitStack() as stack:
        under = engine if engine is not None else await stack.enter_async_context(real_engine(data))
        desk = await stack.enter_async_context(desk_over(under, path=str(path)))
        yield RealDesk(desk, under, path)
