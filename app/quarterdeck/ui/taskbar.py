"""The task bar's icon: how much of the live runs is done, for desktops that show it (Unity's launcher protocol over D-Bus).

The value is that of the tray and of the window: agents that are done, of all agents of the live runs. It is sent when it
changes and never otherwise. Where no session bus or no listener is there, nothing fails and nobody waits: a signal is a
word into the room.
"""

from __future__ import annotations

import functools
import os
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import RunView

OVER = frozenset({SlotState.DONE, SlotState.CANCELLED})
BUS_NAMED_BY = "DBUS_SESSION_BUS_ADDRESS"
INTERFACE, MEMBER = "com.canonical.Unity.LauncherEntry", "Update"


@dataclass(frozen=True, slots=True)
class TaskProgress:
    """done of count agents, of all live runs; count 0: nothing is live and no bar is shown."""

    done: int = 0
    count: int = 0

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.done / self.count if self.count else 0.0

    @property
    def is_shown(self) -> bool:
        """Whether there is something to show."""
        return self.count > 0


def task_progress(views: Iterable[RunView]) -> TaskProgress:
    """Of every live run that is known, whatever workflow is looked at (OWN6). What was skipped is over as well. Pure."""
    slots = [slot for view in views if view.is_live for slot in view.slots]
    return TaskProgress(sum(slot.state in OVER for slot in slots), len(slots))


def path_of(desktop_file: str) -> str:
    """The object that the signal comes from: any path, the same for the same program."""
    return f"/com/canonical/unity/launcherentry/{zlib.crc32(desktop_file.encode())}"


def properties_of(progress: TaskProgress) -> dict[str, object]:
    """As the protocol names them."""
    return {"progress": progress.share, "progress-visible": progress.is_shown}


Send = Callable[[TaskProgress], None]


class TaskBar:
    """Sends what differs from what was sent last. Nothing is sent before there was something to show."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.shown = TaskProgress()

    def show(self, progress: TaskProgress) -> None:
        """Follow the runs."""
        if progress != self.shown:
            self.shown = progress
            self._send(progress)

    def close(self) -> None:
        """Take the bar away."""
        self.show(TaskProgress())


def send_to_desktop(desktop_file: str, progress: TaskProgress) -> None:
    """Tell the desktop, where there is a session bus; D-Bus is loaded when there is first something to tell.

    Where no bus is named, none is looked for: looking would start one (ruling 25).
    """
    if not os.environ.get(BUS_NAMED_BY):
        return
    from PySide6.QtDBus import QDBusConnection, QDBusMessage

    bus = QDBusConnection.sessionBus()
    if not bus.isConnected():
        return
    message = QDBusMessage.createSignal(path_of(desktop_file), INTERFACE, MEMBER)
    message.setArguments([f"application://{desktop_file}.desktop", properties_of(progress)])
    bus.send(message)


def desktop_sender(desktop_file: str) -> Send:
    """A sender for this program; without a desktop file no icon could be named, and nothing is sent."""
    return functools.partial(send_to_desktop, desktop_file) if desktop_file else _nobody


def _nobody(_progress: TaskProgress) -> None:
    """There is no icon to show it at."""
