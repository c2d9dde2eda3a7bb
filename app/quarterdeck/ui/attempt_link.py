"""The link's part about one attempt: pages of its transcript, finding in it, what it was told, the files it saved.

Verbs return at once; each answer is one past-tense signal with one frozen value. A search answers part by part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.views import ArtifactView
from quarterdeck.engine.attempt_details import (
    AttemptDetails,
    FoundPart,
    KeptFile,
    LaunchWords,
    Sought,
    TranscriptPage,
    Way,
)
from quarterdeck.ui.hiding import Hiding
from quarterdeck.ui.language import Texts

tr = Texts("AttemptLink")

PART_BYTES = 256 * 1024 * 1024
"""Searched at a time: after each part the search may be given up, and what was found is shown."""


@dataclass(frozen=True, slots=True)
class PageRead:
    """The answer to `read_page` with the same ticket."""

    ticket: int
    page: TranscriptPage


@dataclass(frozen=True, slots=True)
class SearchMoved:
    """A part of the search with this ticket is done; `is_done`: it was the last one."""

    ticket: int
    part: FoundPart
    is_done: bool


@dataclass(frozen=True, slots=True)
class LaunchRead:
    """What an attempt was told, or without an attempt what is pinned for the slot."""

    run: RunId
    slot: SlotId
    attempt: AttemptId | None
    words: LaunchWords


@dataclass(frozen=True, slots=True)
class FilesChecked:
    """How an attempt's saved files stand."""

    run: RunId
    attempt: AttemptId
    files: tuple[KeptFile, ...]


class AttemptLink(QObject):
    """Made by the link, which runs and guards what is asked."""

    page_read = Signal(object)
    search_moved = Signal(object)
    launch_read = Signal(object)
    files_checked = Signal(object)

    def __init__(
        self, ask: Callable[..., None], details: Callable[[], AttemptDetails], parent: QObject, hiding: Hiding
    ) -> None:
        super().__init__(parent)
        self._hiding = hiding
        self._ask: Callable[..., None] = ask
        self._details: Callable[[], AttemptDetails] = details
        self._search = 0

    def read_page(
        self, ticket: int, run: RunId, attempt: AttemptId, at: int, way: Way, is_raw: bool = False
    ) -> None:
        """Lines of a transcript → `page_read`."""
        self._ask(tr("Reading the transcript"), self._read_page, ticket, run, attempt, at, way, is_raw)

    def search(self, ticket: int, run: RunId, attempt: AttemptId, sought: Sought) -> None:
        """Find it in the transcript → `search_moved`, again and again; a new search gives up the one before."""
        self._search = ticket
        self._ask(tr("Searching the transcript"), self._run_search, ticket, run, attempt, sought)

    def give_up_search(self) -> None:
        """No more parts are looked at."""
        self._search = 0

    def read_launch(self, run: RunId, slot: SlotId, attempt: AttemptId | None) -> None:
        """What the attempt was told → `launch_read`."""
        self._ask(tr("Reading what the agent was told"), self._read_launch, run, slot, attempt)

    def check_files(self, run: RunId, attempt: AttemptId, artifacts: tuple[ArtifactView, ...]) -> None:
        """Compare saved files with their hashes → `files_checked`."""
        self._ask(tr("Checking the saved files"), self._check_files, run, attempt, artifacts)

    async def _read_page(
        self, ticket: int, run: RunId, attempt: AttemptId, at: int, way: Way, is_raw: bool
    ) -> None:
        self.page_read.emit(PageRead(ticket, await self._details().page(run, attempt, at, way, is_raw)))

    async def _run_search(self, ticket: int, run: RunId, attempt: AttemptId, sought: Sought) -> None:
        is_done, start = False, 0
        while not is_done and ticket == self._search:
            part = await self._details().find(run, attempt, sought, start, PART_BYTES)
            is_done, start = part.searched_to >= part.size_bytes, part.searched_to
            if ticket == self._search:
                self.search_moved.emit(SearchMoved(ticket, part, is_done))

    async def _read_launch(self, run: RunId, slot: SlotId, attempt: AttemptId | None) -> None:
        words = self._hiding.value(await self._details().launch_words(run, slot, attempt))
        self.launch_read.emit(LaunchRead(run, slot, attempt, words))

    async def _check_files(self, run: RunId, attempt: AttemptId, artifacts: tuple[ArtifactView, ...]) -> None:
        files = self._hiding.value(await self._details().kept_files(run, attempt, artifacts))
        self.files_checked.emit(FilesChecked(run, attempt, files))
