"""What passes between link and widgets: commands that a person gave, and past-tense news. Frozen values, no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from quarterdeck.domain.ids import RequestId, RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.household import FileMarks
from quarterdeck.engine.planned import BrokenWorkflow, LaunchPreview, LoadedWorkflow


@dataclass(frozen=True, slots=True)
class WorkspaceLoaded:
    """The workflows of a folder, sorted by name; `chosen` is the one to show first, None for the first."""

    folder: Path
    files: tuple[LoadedWorkflow | BrokenWorkflow, ...]
    chosen: Path | None
    error: str = ""
    """In words, where the folder cannot be read."""
    marks: FileMarks | None = None
    """How the files stood before they were read; None: not known."""
    unasked: bool = False
    """Nobody asked for it: the files changed. What is shown stays."""


@dataclass(frozen=True, slots=True)
class LaunchPreviewed:
    """The answer to `Link.preview`; `ticket` tells which question it answers."""

    ticket: int
    request: LaunchRequest
    result: LaunchPreview | Refusal


@dataclass(frozen=True, slots=True)
class RunLaunched:
    """The answer to `Link.launch`: the run, or why there is none."""

    request: LaunchRequest
    result: RunId | Refusal


@dataclass(frozen=True, slots=True)
class CommandAnswered:
    """The answer to a command on a run; `refusal` None means that it was accepted and is durable."""

    verb: str
    """`stop_run`, `stop_slot`, `pause`, `continue`, `answer`, `say`, `switch_agent`, `withdraw_allowed`, `raise_budget`."""
    run: RunId
    slot: SlotId | None
    request: RequestId | None
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class RunRead:
    """One run in full, read once (a past run); None where it is unknown."""

    run: RunId
    view: RunView | None


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """The engine raised where it should have answered: our bug, told to the person in words."""

    what: str
    error: str


class Quit(StrEnum):
    """The person's answer to *quit with live runs* (REC16)."""

    STOP = "stop"
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class QuitAsked:
    """Close the program: stop what is live, or let it finish within `finish_within_s` seconds and stop the rest."""

    how: Quit
    finish_within_s: float = 0.0
