"""Tests that read the product's source share one process: it is read once there, which takes longer than most of them."""

from __future__ import annotations

import pytest

from tests.tidy import source


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if getattr(getattr(item, "module", None), "modules", None) is source.modules:
            item.add_marker(pytest.mark.xdist_group("source"))
