"""A desktop of its own for a test: X server, D-Bus session, accessibility registry, and our program in it.

The order of start matters: what offers accessibility must be there before the program. Everything is ended afterwards.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

LAUNCHER, REGISTRY = "/usr/libexec/at-spi-bus-launcher", "/usr/libexec/at-spi2-registryd"
SYSTEM_PYTHON = "/usr/bin/python3"
LOOK = Path(__file__).with_name("look.py")
APP = Path(__file__).resolve().parents[2] / "app"
WITHIN_S = 40.0


def what_is_missing() -> str:
    """Why no such desktop can be made here; empty where it can."""
    programs = [
        "/usr/bin/Xvfb",
        "/usr/bin/xdotool",
        "/usr/bin/dbus-daemon",
        LAUNCHER,
        REGISTRY,
        SYSTEM_PYTHON,
    ]
    missing = [program for program in programs if not Path(program).exists()]
    if missing:
        return f"not here: {', '.join(missing)}"
    can = subprocess.run([SYSTEM_PYTHON, "-c", "import pyatspi"], capture_output=True, check=False)
    return "" if can.returncode == 0 else f"{SYSTEM_PYTHON} has no pyatspi"


@dataclass
class Desktop:
    """A running desktop. `environment` is what a program in it gets."""

    environment: dict[str, str]
    _ended: ExitStack = field(default_factory=ExitStack)

    def start(self, *arguments: object, **more: Any) -> subprocess.Popen[bytes]:
        """A program of this desktop; it is ended with the desktop at the latest."""
        process = subprocess.Popen([str(a) for a in arguments], env=self.environment, **more)
        self._ended.callback(end, process)
        return process

    def quarterdeck(self, *arguments: object, log: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
        """Our program, as a person starts it."""
        return self.start(sys.executable, "-m", "quarterdeck", *arguments, stdout=log, stderr=log)

    def look(self, *asked: str) -> list[dict[str, Any]]:
        """All that a screen reader finds in the windows."""
        done = subprocess.run(
            [SYSTEM_PYTHON, str(LOOK), *asked],
            env=self.environment,
            capture_output=True,
            check=False,
            timeout=WITHIN_S,
        )
        return json.loads(done.stdout) if done.returncode == 0 and done.stdout else []

    def click(self, x: int, y: int) -> None:
        """The mouse goes there and clicks."""
        asked = ["xdotool", "mousemove", "--sync", str(x), str(y), "click", "1"]
        subprocess.run(asked, env=self.environment, check=True, timeout=WITHIN_S)

    def wait_seen(
        self, condition: Callable[[list[dict[str, Any]]], object], what: str
    ) -> list[dict[str, Any]]:
        """What is seen once the condition holds of it; fails after a deadline."""
        deadline = time.monotonic() + WITHIN_S
        while True:
            seen = self.look()
            if seen and condition(seen):
                return seen
            assert time.monotonic() < deadline, (
                f"{what}: not seen; last: {[s['name'] for s in seen if s['path'][-1:] == ['Workflow canvas']]}"
            )


@contextmanager
def desktop(home: Path) -> Iterator[Desktop]:
    """A desktop whose sockets and caches lie below `home`."""
    runtime = home / "runtime"
    runtime.mkdir(mode=0o700)
    kept = {
        k: v for k, v in os.environ.items() if not k.startswith(("DBUS_", "XDG_", "WAYLAND", "AT_SPI", "QT_"))
    }
    environment = kept | {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(runtime),
        "PYTHONPATH": str(APP),
        "QT_QPA_PLATFORM": "xcb",
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "NO_AT_BRIDGE": "0",
    }
    with ExitStack() as ended:
        made = Desktop(environment, ended)
        screen = (
            "-screen",
            "0",
            "1600x1000x24",
            "-nolisten",
            "tcp",
            "-noreset",
        )  # a reset ends who is just coming
        number = first_line(made, "Xvfb", "-displayfd", "1", *screen)
        environment["DISPLAY"] = f":{number}"
        environment["DBUS_SESSION_BUS_ADDRESS"] = first_line(
            made, "dbus-daemon", "--session", "--nofork", "--print-address=1", f"--address=unix:dir={runtime}"
        )
        made.start(LAUNCHER, "--launch-immediately", stderr=subprocess.DEVNULL)
        made.start(REGISTRY, stderr=subprocess.DEVNULL)
        yield made


def first_line(made: Desktop, *arguments: str) -> str:
    """Start a program that tells on its first line where it is."""
    process = made.start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    line = process.stdout.readline().decode().strip()
    process.stdout.close()
    assert line, f"{arguments[0]} did not start"
    return line


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that this test started, politely first."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
