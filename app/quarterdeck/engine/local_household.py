"""The household of this computer (`engine.household.Household`).

Every method does its reading, writing and waiting in a worker thread. Programs are started only where a person asked
for it (ruling 25), by an argument list, never through a shell.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.practice import is_practice_alone
from quarterdeck.domain.preferences import Preferences, PreferencesRead, QuietProgram
from quarterdeck.domain.shared_limits import SharedLimits
from quarterdeck.domain.views import RunView
from quarterdeck.engine.agent_look import look_for_agents
from quarterdeck.engine.agent_processes import count_processes
from quarterdeck.engine.doctor.findings import Examination, Part
from quarterdeck.engine.file_marks import file_marks
from quarterdeck.engine.household import AgentsLooked, FileMarks, ProcessCount
from quarterdeck.store.settings_file import (
    SettingsNotKept,
    config_folder,
    read_preferences,
    write_budgets,
    write_preferences,
)

if TYPE_CHECKING:
    from quarterdeck.engine.mcp_import import ImportPlan

PRACTICE_FILE = "practice-night.workflow.json"
NOTHING_LIVE = "No crash is simulated: no run of this window is live."
NOT_PRACTICE = "No crash is simulated: an agent that is no practice agent is at work in this window."
NOTIFIER = "notify-send"
NO_BUS = "notify-send did not start: this desktop has no message bus, so nothing shows its notices."
log = logging.getLogger(__name__)


class LocalHousehold:
    """See `Household` for what each method does. `data` is the data folder, `examples` where the bundled ones lie, `live`
    gives the live runs of this process.
    """

    def __init__(
        self,
        data: Path,
        examples: Path,
        config: Path | None = None,
        live: Callable[[], Iterable[RunView]] = tuple,
    ) -> None:
        self._data, self._examples, self._live = data, examples, live
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

    async def keep_budgets(self, wanted: SharedLimits) -> str:
        """Write them."""
        try:
            await asyncio.to_thread(write_budgets, self._config, wanted)
        except SettingsNotKept as error:
            return str(error)
        return ""

    async def practice_workspace(self) -> Path:
        """The practice folder."""
        return await asyncio.to_thread(copy_practice, self._examples, self._data / "examples")

    async def data_folder(self) -> str:
        """Its path."""
        return str(self._data)

    async def file_marks(self, folder: Path) -> FileMarks:
        """The marks."""
        return await asyncio.to_thread(file_marks, folder)

    async def look_for_agents(self) -> AgentsLooked:
        """The look."""
        return await asyncio.to_thread(look_for_agents)

    async def examine(self, part: Part) -> Examination | str:
        """By a process of its own."""
        from quarterdeck.engine.doctor.child import examine_apart

        return await examine_apart(part)

    async def plan_mcp_import(self, path: Path, agent: str, source: Path | None) -> ImportPlan | str:
        """The plan."""
        from quarterdeck.engine.mcp_import import CannotImport, plan_import

        try:
            return await asyncio.to_thread(plan_import, path, agent, source)
        except CannotImport as error:
            return str(error)

    async def write_mcp_import(self, plan: ImportPlan) -> str:
        """Write it."""
        from quarterdeck.engine.mcp_import import CannotImport, write_import

        try:
            await asyncio.to_thread(write_import, plan)
        except CannotImport as error:
            return str(error)
        return ""

    async def count_processes(self) -> Mapping[RunId, ProcessCount]:
        """The count."""
        return await asyncio.to_thread(count_processes)

    async def start_program(self, argv: Sequence[str]) -> str:
        """Start it."""
        return await asyncio.to_thread(start_detached, tuple(argv))

    async def simulate_crash(self) -> str:
        """Nothing is closed, saved or stopped first: what a crash leaves is what is to be seen."""
        live = tuple(self._live())
        if not live:
            return NOTHING_LIVE
        if not all(map(is_practice_alone, live)):
            return NOT_PRACTICE
        log.warning("a person asked to simulate a crash: this process kills itself")
        os.kill(os.getpid(), signal.SIGKILL)
        return ""

    async def write_text(self, path: Path, text: str) -> str:
        """Write it."""
        return await asyncio.to_thread(_write_text, path, text)


def _read_preferences(config: Path) -> PreferencesRead:
    from quarterdeck.engine.systemd_inhibit import missing_program

    return replace(read_preferences(config), no_inhibitor=missing_program(), quiet=quiet_programs())


def quiet_programs() -> tuple[QuietProgram, ...]:
    """The kinds of agents whose programs are switched quiet, by name."""
    from quarterdeck.agents.registry import PROGRAMS, switches_of

    found = ((kind, switches_of(kind)) for kind in sorted(PROGRAMS))
    return tuple(QuietProgram(kind, switches) for kind, switches in found if switches)


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


def start_detached(argv: tuple[str, ...]) -> str:
    """Start a program in a session of its own, with no input and no output kept; a thread reaps it."""
    if not argv:
        return "No program is named."
    if argv[0] == NOTIFIER and not _has_session_bus():
        log.warning("%s", NO_BUS)
        return NO_BUS
    try:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        fault = f"{argv[0]} did not start: {getattr(error, 'strerror', None) or error}."
        log.warning("%s", fault)
        return fault
    _reap(child, argv[0])
    return ""


def _has_session_bus() -> bool:
    """Whether anybody can hear a notice. Where nobody can, `notify-send` would start a message bus, and leave it behind."""
    if os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return True
    folder = os.environ.get("XDG_RUNTIME_DIR")
    return bool(folder) and Path(str(folder), "bus").exists()


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
