"""What the door tells of one attempt beyond its view: its transcript by lines, what it was told, what it saved.

Only values and the protocol; `engine.attempt_reading` is the implementation over the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from quarterdeck.domain.ids import AttemptId, Revision, RunId, SlotId
from quarterdeck.domain.views import ArtifactView


class Way(StrEnum):
    """Which lines a page holds: from a place on, up to a place, or from the line around a place on."""

    AFTER = "after"
    BEFORE = "before"
    AROUND = "around"


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """One line of a transcript, a piece of a line over 1 MB, or a part of what a program's wire says (`engine.told_lines`).

    content: raw bytes without the newline; empty where a program's wire was read. starts, ends: whether the line begins and is
    finished here. item: the line as the agent's protocol says it (`agents.said`), with its `kind`; None where it is text.
    """

    offset: int
    end: int
    content: bytes
    starts: bool = True
    ends: bool = True
    item: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class TranscriptPage:
    """Lines from `start` up to `end`; `size_bytes` is the file's size then. missing: there is no file.

    is_protocol: the agent speaks a protocol, so lines without `item` are its other output.
    """

    start: int
    end: int
    size_bytes: int
    lines: tuple[TranscriptLine, ...] = ()
    missing: bool = False
    is_protocol: bool = False


@dataclass(frozen=True, slots=True)
class FoundPart:
    """Where a text was found in a part of a transcript: the first 10,000 places, the count of all, how far it looked."""

    offsets: tuple[int, ...]
    count: int
    searched_to: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """An attachment, by content."""

    path: str
    role: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class LaunchWords:
    """What an attempt was told, as `launch.json` has it; without an attempt, what is pinned for the slot.

    is_rendered: False while the prompt is still the pinned template. secret_names: names only; values and the
    environment are never given. problem: in words, where a part is missing or damaged (PIN5); empty otherwise.
    """

    agent: str = ""
    kind: str = ""
    model: str = ""
    worker_class: str = ""
    spec: Revision | None = None
    prompt: str = ""
    is_rendered: bool = False
    argv: tuple[str, ...] = ()
    cwd: str = ""
    attachments: tuple[PinnedFile, ...] = ()
    secret_names: tuple[str, ...] = ()
    problem: str = ""
    servers: tuple[tuple[str, str], ...] = ()
    """(name, command or address) of the MCP servers that it was handed; references to variables as they are written."""
    instructions: tuple[str, ...] = ()
    """AGENTS.md and the like that lie above its folder now, nearest first, where its program reads such files."""


class KeptState(StrEnum):
    """How a saved file stands now."""

    KEPT = "kept"
    NOT_KEPT = "not kept"
    """Only its hash was kept: it was too large, or could not be copied."""
    MISSING = "missing"
    DAMAGED = "damaged"
    """Its content is not what was saved."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A saved file and where its copy lies; `path` is None where there is none."""

    artifact: ArtifactView
    state: KeptState
    path: str | None


@dataclass(frozen=True, slots=True)
class Sought:
    """A literal text that is looked for in a transcript. is_raw: in every character, and not only in what blocks show."""

    words: str
    match_case: bool = False
    is_raw: bool = False


class AttemptDetails(Protocol):
    """Asked for what the person looks at, when they look. Everything reads disk in a worker thread."""

    async def page(
        self, run: RunId, attempt: AttemptId, at: int, way: Way, is_raw: bool = False
    ) -> TranscriptPage:
        """About 16 KB of whole lines; a place beyond the end is the end. is_raw: every line as it came. Raises EngineError."""

    async def find(self, run: RunId, attempt: AttemptId, sought: Sought, start: int, limit: int) -> FoundPart:
        """Every place of it in `limit` bytes from `start`. Raises EngineError."""

    async def launch_words(self, run: RunId, slot: SlotId, attempt: AttemptId | None) -> LaunchWords:
        """What the attempt was told. Raises EngineError."""

    async def kept_files(
        self, run: RunId, attempt: AttemptId, artifacts: tuple[ArtifactView, ...]
    ) -> tuple[KeptFile, ...]:
        """The attempt's saved files, each checked against its hash. Raises EngineError."""
