"""A desktop of its own for a test: X server, D-Bus session, accessibility registry, and our program in it.

The order of start matters: what offers accessibility must be there before the program. Everything is ended afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

LAUNCHER, REGISTRY = "/usr/libexec/at-spi-bus-launcher", "/usr/libexec/at-spi2-registryd"
SYSTEM_PYTHON = "/usr/bin/python3"
APP = Path(__file__).resolve().parents[2] / "app"


def what_is_missing() -> str:
    """Why no such desktop can be made here; empty where it can."""
    programs = [
        "/usr/bin/Xvfb",
        "/usr/bin/xdotool",
        "/usr/bin/xclip",
        "/usr/bin/openbox",
        "/usr/bin/dbus-daemon",
        LAUNCHER,
        REGISTRY,
        SYSTEM_PYTHON,
    ]
    missing = [program for program in programs if not Path(program).exists()]
    if missing:
        return f"not here: {', '.join(missing)}"
    can = subprocess.run(
        [SYSTEM_PYTHON, "-c", "import gi; gi.require_version('Atspi', '2.0')"],
        capture_output=True,
        check=False,
    )
    return "" if can.returncode == 0 else f"{SYSTEM_PYTHON} has no gi with Atspi"


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
        made.start(LAUNCHER, "--launch-immediately", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        made.start(REGISTRY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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
