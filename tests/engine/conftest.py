"""One fork server for the whole room; each test has engines of its own, closed at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer

Opener = Callable[..., Awaitable[Engine]]


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """Shared: starting one costs more than most tests."""
    server = ForkServer.start()
    yield server
    server.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of the test."""
    return tmp_path / "data"


@pytest.fixture
async def open_engine(data: Path, fork_server: ForkServer) -> AsyncIterator[Opener]:
    """Opens an engine over the test's data folder; all are closed at the end."""
    engines: list[Engine] = []

    async def open_one(**more: Any) -> Engine:
        engine = await Engine.open(data, fork_server=fork_server, **more)
        engines.append(engine)
        return engine

    yield open_one
    for engine in engines:
        await engine.close()


@pytest.fixture
async def engine(open_engine: Opener) -> Engine:
    """An engine over the test's data folder."""
    return await open_engine()
