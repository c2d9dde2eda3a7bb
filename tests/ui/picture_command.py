"""What the commands that take pictures share: their folder, an application, the product's own loop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from quarterdeck.ui.loop import new_loop

PICTURES = Path(__file__).parents[1] / "pictures" / "different"


def folder_asked() -> Path:
    """The first argument, else the ignored folder."""
    return Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES


def size_asked(otherwise: str) -> tuple[int, int]:
    """The second argument, as `1440x900`: (width, height) in logical pixels."""
    wide, high = (sys.argv[2] if len(sys.argv) > 2 else otherwise).split("x")
    return int(wide), int(high)


def run_pictures(take: Callable[[QApplication], Coroutine[Any, Any, object]]) -> None:
    """Take them on a loop of their own, in this process."""
    app = QApplication(["quarterdeck"])
    app.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=lambda: new_loop(app)) as runner:
        runner.run(take(app))
