"""The household of this computer (`engine.household.Household`).

Every method does its reading, writing and waiting in a worker thread. Programs are started only where a person asked
for it (ruling 25), by an argument list, never through a shell.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from quarterdeck.domain.preferences import Preferences, PreferencesRead
from quarterdeck.engine.household import AgentProgram, KeptSize
from quarterdeck.store.settings_file import (
    SettingsNotKept,
    config_folder,
    read_preferences,
    write_preferences,
)

AGENT_PROGRAMS = ("claude", "codex", "gemini", "opencode", "qwen")
VERSION_WAIT_S = 5.0
VERSION_SHOWN_MAX = 60
PRACTICE_FILE = "practice-night.workflow.json"
_NUMBERS = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
log = logging.getLogger(__name__)


class LocalHousehold:
    """See `Household` for what each method does. `data` is the data folder, `examples` where the bundled ones lie."""

    def __init__(self, data: Path, examples: Path, config: Path | None = None) -> None:
        self._data, self._examples = data, examples
        self._config = config or config_folder()

    async def preferences(self) -> PreferencesRead:
        """The settings."""
        return await asyncio.to_thread(_read_preferences, self._config)

    async def keep_preferences(self, wanted: Preferences) -> str:
        """Write them."""
        try:
            await asyncio.to_thread(write_preferences, self._config, wanted)
        except SettingsNotKept as error:
            return str(error)
        return ""

    async def practice_workspace(self) -> Path:
        """The practice folder."""
        return await asyncio.to_thread(copy_practice, self._examples, self._data / "examples")

    async def kept_size(self) -> KeptSize:
        """The size."""
        return await asyncio.to_thread(measure_folder, self._data)

    async def look_for_agents(self) -> tuple[AgentProgram, ...]:
        """All at once, each in a thread of its own."""
        looks = (asyncio.to_thread(look_for_agent, name) for name in AGENT_PROGRAMS)
        return tuple(await asyncio.gather(*looks))

    async def start_program(self, argv: Sequence[str]) -> str:
        """Start it."""
        return await asyncio.to_thread(start_detached, tuple(argv))

    async def write_text(self, path: Path, text: str) -> str:
        """Write it."""
        return await asyncio.to_thread(_write_text, path, text)


def _read_preferences(config: Path) -> PreferencesRead:
    from quarterdeck.engine.systemd_inhibit import missing_program

    return replace(read_preferences(config), no_inhibitor=missing_program())


def bundled_examples() -> Path:
    """Where the examples lie: inside the package in a wheel, in the top folder `resources/` in a checkout."""
    package = Path(__file__).resolve().parents[1]
    packaged = package / "_resources" / "examples"
    return packaged if packaged.is_dir() else package.parents[1] / "resources" / "examples"


def copy_practice(examples: Path, target: Path) -> Path:
    """Copy *Practice night* into `target` unless a file of that name is there: it may be the person's own by now."""
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    copy = target / PRACTICE_FILE
    if not copy.exists():
        fresh = target / f".{PRACTICE_FILE}.{os.getpid()}.tmp"
        shutil.copyfile(examples / PRACTICE_FILE, fresh)
        fresh.replace(copy)
    return target


def measure_folder(folder: Path) -> KeptSize:
    """Sum of the sizes of all files below; what vanishes while it is counted is left out."""
    total, runs, open_folders = 0, 0, [folder]
    while open_folders:
        place = open_folders.pop()
        try:
            entries = list(os.scandir(place))
        except OSError:
            continue  # it was there a moment ago: moved aside or removed by another process
        if place == folder / "runs":
            runs = sum(entry.is_dir(follow_symlinks=False) for entry in entries)
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    open_folders.append(Path(entry.path))
                else:
                    total += entry.stat(follow_symlinks=False).st_size
            except OSError:
                continue
    return KeptSize(str(folder), runs, total)


def look_for_agent(name: str) -> AgentProgram:
    """Where a program is in PATH, and what it answers to `--version` within some seconds."""
    path = shutil.which(name)
    if path is None:
        return AgentProgram(name)
    try:
        child = subprocess.Popen(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        return AgentProgram(name, path, fault=f"It did not start: {error.strerror or error}.")
    try:
        said, _ = child.communicate(timeout=VERSION_WAIT_S)
    except subprocess.TimeoutExpired:
        _end_group(child)
        return AgentProgram(name, path, fault=f"It did not tell its version within {VERSION_WAIT_S:g} s.")
    return _version_of(name, path, child.returncode, said[:4000].decode("utf-8", "replace"))


def _version_of(name: str, path: str, code: int, said: str) -> AgentProgram:
    first = said.strip().split("\n", 1)[0].strip()
    if code != 0 or not first:
        return AgentProgram(name, path, fault=f"It did not tell its version (exit {code}).")
    number = _NUMBERS.search(first)
    return AgentProgram(name, path, (number.group() if number else first)[:VERSION_SHOWN_MAX])


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End a program that we started in a session of its own, with what it started there, and reap it."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        log.debug("%s had already ended", child.pid)
    child.communicate()


def start_detached(argv: tuple[str, ...]) -> str:
    """Start a program in a session of its own, with no input and no output kept; a thread reaps it."""
    if not argv:
        return "No program is named."
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"{argv[0]} did not start: {getattr(error, 'strerror', None) or error}."
    _reap(child, argv[0])
    return ""


def _reap(child: subprocess.Popen[bytes], name: str) -> None:
    def wait() -> None:
        code = child.wait()
        if code:
            log.info("%s ended with exit code %s", name, code)

    threading.Thread(target=wait, name=f"reaping {name}", daemon=True).start()


def _write_text(path: Path, text: str) -> str:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        return f"{path} cannot be written: {error.strerror or error}."
    return ""
