"""`python -m tests.bench.first_paint ours|bare`: says `painted` when the first window was, and ends."""

from __future__ import annotations

import os
import sys
from typing import Any


def ours() -> None:
    """The program's own way to its first paint; what would follow it is left out."""
    from quarterdeck import bootstrap

    async def told(*_: Any) -> int:
        print("painted", flush=True)
        os._exit(0)

    bootstrap._serve = told  # type: ignore[assignment]
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
    {"ours": ours, "bare": bare}[sys.argv[1]]()
