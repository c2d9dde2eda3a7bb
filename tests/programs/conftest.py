"""Real programs under real shims: the fixtures of shim and engine, and the program itself or a skip in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.conftest import data, engine, fork_server, open_engine
from tests.programs import claude_program
from tests.service import anthropic
from tests.service.server import ModelService, serving
from tests.shim.conftest import dock

__all__ = ["claude", "data", "dock", "engine", "fork_server", "home", "open_engine", "service"]


@pytest.fixture(scope="session")
def claude() -> Path:
    """Claude Code of the tested version."""
    found = claude_program.program()
    if not isinstance(found, Path):
        pytest.skip(found)
    return found


@pytest.fixture
def service() -> Iterator[ModelService]:
    """The scripted service, with Anthropic's wire."""
    with serving([anthropic.wire()]) as one:
        yield one


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder that no sign-in lies in."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder
