"""A fork server of its own for each test, and an end for everything that it started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from quarterdeck.shim.client import ForkServer
from tests.shim.harness import Dock


@pytest.fixture
def dock(tmp_path: Path) -> Iterator[Dock]:
    server = ForkServer.start()
    dock = Dock(tmp_path, server)
    try:
        yield dock
    finally:
        dock.close()
        server.close()
