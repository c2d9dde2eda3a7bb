"""The link's part about this computer: settings, examples, sizes, agent programs, programs and files of the person.

Verbs return at once; each answer is one past-tense signal with one frozen value.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.preferences import Preferences
from quarterdeck.engine.doctor.findings import Examination, Part
from quarterdeck.engine.household import FileMarks, Household
from quarterdeck.ui.language import Texts

if TYPE_CHECKING:
    from quarterdeck.engine.mcp_import import ImportPlan

tr = Texts("HouseLink")
UNSAID = ""
"""What is asked by itself is not shown as something that is waited for."""


@dataclass(frozen=True, slots=True)
class PreferencesKept:
    """The answer to `keep`; `fault` in words where they were not kept."""

    wanted: Preferences
    fault: str


@dataclass(frozen=True, slots=True)
class TextWritten:
    """The answer to `write`; `fault` in words where nothing was written."""

    path: Path
    fault: str


@dataclass(frozen=True, slots=True)
class ProgramAnswered:
    """The answer to `start`; `fault` in words where it did not start."""

    argv: tuple[str, ...]
    fault: str


@dataclass(frozen=True, slots=True)
class Examined:
    """The answer to `examine`; in words why nothing was found."""

    part: Part
    result: Examination | str


@dataclass(frozen=True, slots=True)
class ImportPlanned:
    """The answer to `plan_import`; `ticket` tells which question it answers; in words why nothing can be taken over."""

    ticket: int
    result: ImportPlan | str


@dataclass(frozen=True, slots=True)
class ImportWritten:
    """The answer to `write_import`; `fault` in words where nothing was written."""

    plan: ImportPlan
    fault: str


@dataclass(frozen=True, slots=True)
class FilesLooked:
    """The answer to `look_at_files`."""

    folder: Path
    marks: FileMarks


class HouseLink(QObject):
    """Made by the link, which runs and guards what is asked."""

    preferences_read = Signal(object)
    """PreferencesRead."""
    preferences_kept = Signal(object)
    practice_ready = Signal(object)
    """Path of the folder."""
    folder_known = Signal(object)
    """Str: the data folder."""
    agents_found = Signal(object)
    """AgentsLooked."""
    examined = Signal(object)
    """Examined."""
    import_planned = Signal(object)
    """ImportPlanned."""
    import_written = Signal(object)
    """ImportWritten."""
    processes_counted = Signal(object)
    """{RunId: ProcessCount}."""
    files_looked = Signal(object)
    """FilesLooked."""
    program_answered = Signal(object)
    text_written = Signal(object)
    crash_refused = Signal(object)

    def __init__(self, ask: Callable[..., None], household: Callable[[], Household], parent: QObject) -> None:
        super().__init__(parent)
        self._ask: Callable[..., None] = ask
        self._household = household

    def read_preferences(self) -> None:
        """The settings file → `preferences_read`."""
        self._ask(tr("Reading the settings"), self._read)

    def keep(self, wanted: Preferences) -> None:
        """Write the settings → `preferences_kept`."""
        self._ask(tr("Saving the settings"), self._keep, wanted)

    def open_practice(self) -> None:
        """The person's copy of Practice night → `practice_ready`."""
        self._ask(tr("Opening Practice night"), self._tell, self.practice_ready, "practice_workspace")

    def ask_folder(self) -> None:
        """Where the data folder is → `folder_known`."""
        self._ask(tr("Looking for the data folder"), self._tell, self.folder_known, "data_folder")

    def look_for_agents(self) -> None:
        """Only on a person's click (ruling 25) → `agents_found`."""
        self._ask(tr("Looking for agent programs"), self._tell, self.agents_found, "look_for_agents")

    def examine(self, part: Part) -> None:
        """Only on a person's click (ruling 25) → `examined`."""
        self._ask(self.words_of(part), self._examine, part)

    def words_of(self, part: Part) -> str:
        """How it is called while it is waited for, and where it failed."""
        return tr("Checking this computer") if part is Part.MACHINE else tr("Trying the three promises")

    def plan_import(self, ticket: int, path: Path, agent: str, source: Path | None) -> None:
        """What an import of MCP servers would write → `import_planned`."""
        self._ask(tr("Reading the MCP servers"), self._plan_import, ticket, path, agent, source)

    def write_import(self, plan: ImportPlan) -> None:
        """Take the servers over, as they were shown → `import_written`."""
        self._ask(tr("Writing {name}", name=plan.path.name), self._write_import, plan)

    def count_processes(self) -> None:
        """The processes of agents, again and again, so that nobody is told of it → `processes_counted`."""
        self._ask(UNSAID, self._tell, self.processes_counted, "count_processes")

    def look_at_files(self, folder: Path) -> None:
        """How a folder's workflow files stand, again and again, so that nobody is told of it → `files_looked`."""
        self._ask(UNSAID, self._look_at_files, folder)

    def start(self, argv: Sequence[str]) -> None:
        """A program of the person's own → `program_answered`."""
        self._ask(
            tr("Starting {program}", program=argv[0]) if argv else tr("Starting a program"),
            self._start,
            tuple(argv),
        )

    def write(self, path: Path, text: str) -> None:
        """An export → `text_written`."""
        self._ask(tr("Writing {name}", name=path.name), self._write, path, text)

    def simulate_crash(self) -> None:
        """End this process as a crash would; where it is not done → `crash_refused` with why, in words."""
        self._ask(tr("Simulating a crash"), self._tell, self.crash_refused, "simulate_crash")

    async def _examine(self, part: Part) -> None:
        self.examined.emit(Examined(part, await self._household().examine(part)))

    async def _plan_import(self, ticket: int, path: Path, agent: str, source: Path | None) -> None:
        result = await self._household().plan_mcp_import(path, agent, source)
        self.import_planned.emit(ImportPlanned(ticket, result))

    async def _write_import(self, plan: ImportPlan) -> None:
        self.import_written.emit(ImportWritten(plan, await self._household().write_mcp_import(plan)))

    async def _look_at_files(self, folder: Path) -> None:
        self.files_looked.emit(FilesLooked(folder, await self._household().file_marks(folder)))

    async def _read(self) -> None:
        self.preferences_read.emit(await self._household().preferences())

    async def _keep(self, wanted: Preferences) -> None:
        fault = await self._household().keep_preferences(wanted)
        self.preferences_kept.emit(PreferencesKept(wanted, fault))

    async def _tell(self, signal: Any, verb: str) -> None:
        answer: Awaitable[object] = getattr(self._household(), verb)()
        signal.emit(await answer)

    async def _start(self, argv: tuple[str, ...]) -> None:
        self.program_answered.emit(ProgramAnswered(argv, await self._household().start_program(argv)))

    async def _write(self, path: Path, text: str) -> None:
        self.text_written.emit(TextWritten(path, await self._household().write_text(path, text)))
