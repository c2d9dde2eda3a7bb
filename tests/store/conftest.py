"""Stores that are closed at the end of their test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO


@pytest.fixture
def make_store(tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Opens the test's data folder, with another seam if asked; all are closed afterwards."""
    opened: list[Store] = []

    def make(io: DurableIO | None = None, name: str = "data") -> Store:
        opened.append(Store.open(tmp_path / name, io))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: Callable[..., Store]) -> Store:
    return make_store()
