"""The real window in a process of its own, with a finger inside that presses its buttons (no desktop is needed).

`python -m tests.e2e.pressed_window launch PATH` presses *Run*, then *Start run*. `… look PATH SECONDS` goes over every
view and dialog for so long and starts nothing. `… crash PATH` launches and then simulates a crash. Prints `pressed` once it has done so, `looked` at the end of the time.
"""

from __future__ import annotations

import os
import sys
from itertools import cycle
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtCore import QCoreApplication, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QTableView

from quarterdeck import bootstrap
from quarterdeck.ui import loop

EVERY_MS = int(os.environ.get("EVERY_MS", "100"))
ONLY_LOOKS = (
    *(
        "Go to runs",
        "Go to canvas",
        "Go to inspector",
        "Go to agents",
        "Timeline and spend",
        "Go to activity",
    ),
    *("Go to the run's timeline", "Go to problems", "Go to the app log", "Open transcript", "Go to canvas"),
    *(
        "Go to files of the agent",
        "Find here",
        "Fit the workflow",
        "100 %",
        "Dark",
        "Light",
        "Reload workflows",
    ),
    *("Keys…", "About Quarterdeck", "Settings…", "Search or run a command", "Next that needs you"),
)


def say(word: str) -> None:
    print(word, flush=True)


def launch() -> None:
    """Press what a person presses to launch the open workflow; once."""
    for button in (w for w in QApplication.allWidgets() if isinstance(w, QPushButton)):
        if button.accessibleName() == "Start run" and button.isVisible() and button.isEnabled():
            button.click()
            say("pressed")
            timer.stop()
            return
    if not any(isinstance(w, QDialog) and w.isVisible() for w in QApplication.allWidgets()):
        press("Run…")


def crash() -> None:
    """Launch, and once the run is live press what simulates a crash."""
    for button in (w for w in QApplication.allWidgets() if isinstance(w, QPushButton)):
        if button.text() == "End Quarterdeck now" and button.isVisible():
            say("pressed")
            button.click()
            timer.stop()
            return
    if not press("Simulate a crash…"):
        launch_once()


def launch_once() -> None:
    """Press what launches, until it was pressed."""
    if "launched" not in done:
        for button in (w for w in QApplication.allWidgets() if isinstance(w, QPushButton)):
            if button.text() == "Start run" and button.isVisible() and button.isEnabled():
                done.add("launched")
                button.click()
                return
        if not any(isinstance(w, QDialog) and w.isVisible() for w in QApplication.allWidgets()):
            press("Run…")


def press(title: str) -> bool:
    """Trigger the action of that title, where it is enabled; whether it was."""
    for window in QApplication.topLevelWidgets():
        for action in window.findChildren(QAction):
            if action.text().replace("&", "") == title and action.isEnabled():
                action.trigger()
                return True
    return False


def look() -> None:
    """One view after the other; each dialog is closed by Esc's way, each table goes to another row."""
    for dialog in (w for w in QApplication.allWidgets() if isinstance(w, QDialog) and w.isVisible()):
        if (
            dialog.windowTitle() != "Interrupted runs"
        ):  # closing the prompt answers it, and nothing is answered here
            dialog.reject()
    for table in (w for w in QApplication.allWidgets() if isinstance(w, QTableView) and w.isVisible()):
        rows = table.model().rowCount()
        if rows:
            table.selectRow((table.currentIndex().row() + 1) % rows)
    press(next(views))


def end() -> None:
    say("looked")
    QCoreApplication.quit()


def main() -> int:
    mode, path = sys.argv[1], Path(sys.argv[2])
    real = loop.new_loop

    def with_finger(app: QApplication) -> object:
        timer.setParent(app)
        timer.timeout.connect({"launch": launch, "crash": crash}.get(mode, look))
        timer.start(EVERY_MS)
        if mode == "look":
            QTimer.singleShot(int(1000 * float(sys.argv[3])), app, lambda: say("looked"))
        return real(app)

    loop.new_loop = with_finger  # type: ignore[assignment]
    return bootstrap.run_window(path)


views = cycle(ONLY_LOOKS)
timer = QTimer()
done: set[str] = set()

if __name__ == "__main__":
    sys.exit(main())
