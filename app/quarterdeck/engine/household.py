"""What the window asks of this computer besides runs, as a protocol: settings, sizes, agent programs, notices.

Loaded before the first paint, so it imports nothing heavy; the one implementation is `local_household`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from quarterdeck.domain.preferences import Preferences, PreferencesRead


@dataclass(frozen=True, slots=True)
class AgentProgram:
    """An agent program that was looked for. `path` empty: not found. `version` as it said itself, empty: it did not."""

    name: str
    path: str = ""
    version: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class KeptSize:
    """How much the data folder holds."""

    folder: str
    runs: int
    size_bytes: int


class Household(Protocol):
    """The part of the door that is about this computer and its person. All methods run on the engine's loop."""

    async def preferences(self) -> PreferencesRead:
        """The settings as the file says now."""

    async def keep_preferences(self, wanted: Preferences) -> str:
        """Write the settings; empty, or in words why they were not kept."""

    async def practice_workspace(self) -> Path:
        """The folder with the person's copy of *Practice night*, made where it is missing. Raises OSError."""

    async def kept_size(self) -> KeptSize:
        """Size of the data folder, by its entries."""

    async def look_for_agents(self) -> tuple[AgentProgram, ...]:
        """Look for the known agent programs in PATH and ask each for its version. Only on a person's click."""

    async def start_program(self, argv: Sequence[str]) -> str:
        """Start a program of the person's own and leave it; empty, or in words why it did not start."""

    async def simulate_crash(self) -> str:
        """End this process by SIGKILL, as a crash would; it does not return. In words why not, where a live run of this
        process is more than practice, or none is live. Only on a person's word (Practice night).
        """

    async def write_text(self, path: Path, text: str) -> str:
        """Write an export where the person said; empty, or in words why not."""
