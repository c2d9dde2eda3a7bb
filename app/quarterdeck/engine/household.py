"""What the window asks of this computer besides runs, as a protocol: settings, sizes, agent programs, notices.

Loaded before the first paint, so it imports nothing heavy; the one implementation is `local_household`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.preferences import Preferences, PreferencesRead
from quarterdeck.domain.shared_limits import SharedLimits
from quarterdeck.engine.doctor.findings import Examination, Part

if TYPE_CHECKING:
    from quarterdeck.engine.mcp_import import ImportPlan

FileMarks = Mapping[str, tuple[int, int, int]]
"""What tells the workflow files of a folder from what they were before, by name."""


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """An agent program that was looked for. `path` empty: not found. `version` as it said itself, empty: it did not."""

    name: str
    path: str = ""
    version: str = ""
    fault: str = ""
    only_in_login: bool = False
    """It is in the PATH of the person's login shell and not where agents are started from (case 131)."""

    @property
    def folder(self) -> str:
        """Where it lies; empty where it was not found."""
        return str(Path(self.path).parent) if self.path else ""


@dataclass(frozen=True, slots=True)
class AgentsLooked:
    """What a look for agent programs gave, in the order of the known ones. shell_fault: why the login shell was no help."""

    programs: tuple[AgentProgram, ...]
    shell_fault: str = ""


@dataclass(frozen=True, slots=True)
class ProcessCount:
    """The living processes of one run's agents. memory_bytes: the sum of what each holds; shared parts count for each."""

    processes: int = 0
    memory_bytes: int = 0


class Household(Protocol):
    """The part of the door that is about this computer and its person. All methods run on the engine's loop."""

    async def preferences(self) -> PreferencesRead:
        """The settings as the file says now."""

    async def keep_preferences(self, wanted: Preferences) -> str:
        """Write the settings; empty, or in words why they were not kept."""

    async def keep_budgets(self, wanted: SharedLimits) -> str:
        """Write the limits of workflow and night into the settings, and nothing else there; empty, or in words why not. They
        hold for every run from the next moment on, also for those of other processes.
        """

    async def practice_workspace(self) -> Path:
        """The folder with the person's copy of *Practice night*, made where it is missing. Raises OSError."""

    async def data_folder(self) -> str:
        """Where everything is kept."""

    async def file_marks(self, folder: Path) -> FileMarks:
        """How the workflow files of a folder stand now; none of them is read. Empty where the folder cannot be read."""

    async def look_for_agents(self) -> AgentsLooked:
        """Look for the known agent programs where agents are started from and in the PATH of the login shell, and ask each
        for its version. Starts that shell and the programs found, so only on a person's click (ruling 25).
        """

    async def examine(self, part: Part) -> Examination | str:
        """What the doctor finds, as in the terminal; in words why there is nothing. Starts processes, so only on a person's
        click (ruling 25): programs for their versions, and for the trust checks practice agents in a store of their own.
        """

    async def plan_mcp_import(self, path: Path, agent: str, source: Path | None) -> ImportPlan | str:
        """What taking MCP servers over into an agent of a workflow file would write; in words why nothing. source: None looks
        beside the workflow. Starts and writes nothing.
        """

    async def write_mcp_import(self, plan: ImportPlan) -> str:
        """Do what was shown; empty, or in words why not."""

    async def count_processes(self) -> Mapping[RunId, ProcessCount]:
        """The processes of agents on this computer, by run; a run without any is left out. Starts nothing."""

    async def start_program(self, argv: Sequence[str]) -> str:
        """Start a program of the person's own and leave it; empty, or in words why it did not start."""

    async def simulate_crash(self) -> str:
        """End this process by SIGKILL, as a crash would; it does not return. In words why not, where a live run of this
        process is more than practice, or none is live. Only on a person's word (Practice night).
        """

    async def write_text(self, path: Path, text: str) -> str:
        """Write an export where the person said; empty, or in words why not."""
