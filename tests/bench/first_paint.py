"""`python -m tests.bench.first_paint ours|whole|bare`: says `painted` when the window was, and ends.

`ours` is the window's first paint, bare as it is; `whole` that of the furnished window, before any record is read.
"""

from __future__ import annotations

import os
import sys
from typing import Any


def ours() -> None:
    """The program's own way to its first paint, from its command line on; what would follow it is left out."""
    from quarterdeck import __main__, bootstrap

    def told(*_: Any) -> int:
        print("painted", flush=True)
        os._exit(0)

    bootstrap._run_loop = told
    sys.argv[1:] = []
    __main__.main()


def whole() -> None:
    """The program's own way until all parts of the window were painted."""
    from quarterdeck import bootstrap

    async def told(window: Any, *_: Any) -> int:
        import asyncio

        painted = asyncio.Event()
        window.painted.connect(painted.set)
        window.update()
        await painted.wait()
        print("painted", flush=True)
        os._exit(0)

    bootstrap._serve = told
    bootstrap.run_window(None)


def bare() -> None:
    from PySide6.QtWidgets import QApplication, QMainWindow

    class Bare(QMainWindow):
        def paintEvent(self, event: Any) -> None:
            super().paintEvent(event)
            print("painted", flush=True)
            os._exit(0)

    app = QApplication([])
    window = Bare()
    window.resize(1440, 900)
    window.show()
    app.exec()


if __name__ == "__main__":
    {"ours": ours, "whole": whole, "bare": bare}[sys.argv[1]]()
