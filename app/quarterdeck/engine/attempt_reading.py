"""The details of one attempt, read from its folder and its pins in worker threads. See `engine.attempt_details`.

The transcript is the agent's stdout and stderr as they came, so a line on stderr that looks like the protocol is shown
as such; nothing but the picture follows from it (facts come from the reports alone).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from quarterdeck.agents.registry import LINE_READERS
from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import AttemptId, Revision, RunId, SlotId
from quarterdeck.domain.mcp_servers import KINDS, server_line
from quarterdeck.domain.pins import SpecRef
from quarterdeck.domain.views import ArtifactView
from quarterdeck.engine.attempt_details import (
    FoundPart,
    KeptFile,
    KeptState,
    LaunchWords,
    PinnedFile,
    Sought,
    TranscriptPage,
    Way,
)
from quarterdeck.engine.disk_views import read_state
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.instructions import instructions_above
from quarterdeck.engine.pinning import PinMissing, read_spec
from quarterdeck.engine.shown_hits import shown_only
from quarterdeck.engine.slot_past import never_began
from quarterdeck.engine.told_pages import found_told, told_page
from quarterdeck.engine.transcript_pages import page_of
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, StoreError, disk_errors
from quarterdeck.store.regular import open_regular
from quarterdeck.store.transcript_file import (
    Source,
    opened,
)
from quarterdeck.store.transcript_search import Found, find_all

P = ParamSpec("P")
T = TypeVar("T")
PROTOCOLS_KEPT = 256
HASH_BLOCK_BYTES = 1024 * 1024


class AttemptReading:
    """One for each engine."""

    def __init__(self, store: Store, secrets: Callable[[RunId], Iterable[str]] = lambda run: ()) -> None:
        """secrets: those that are known of a run; pages show asterisks in their place. Asked in worker threads."""
        self._store, self._secrets = store, secrets
        self._protocols: OrderedDict[AttemptId, str] = OrderedDict()

    async def page(
        self, run: RunId, attempt: AttemptId, at: int, way: Way, is_raw: bool = False
    ) -> TranscriptPage:
        """About 16 KB of whole lines; more where a program's wire shows less."""
        return await _off_loop(self._page, run, attempt, at, way, is_raw)

    async def find(self, run: RunId, attempt: AttemptId, sought: Sought, start: int, limit: int) -> FoundPart:
        """Every place of it in `limit` bytes from `start`."""
        return await _off_loop(self._find, run, attempt, sought, start, limit)

    async def launch_words(self, run: RunId, slot: SlotId, attempt: AttemptId | None) -> LaunchWords:
        """What the attempt was told."""
        return await _off_loop(read_launch_words, self._store, run, slot, attempt)

    async def kept_files(
        self, run: RunId, attempt: AttemptId, artifacts: tuple[ArtifactView, ...]
    ) -> tuple[KeptFile, ...]:
        """The attempt's saved files, each checked against its hash."""
        return await _off_loop(self._kept_files, run, attempt, artifacts)

    # ------------------------------------------------------------------------------- blocking

    def _page(self, run: RunId, attempt: AttemptId, at: int, way: Way, is_raw: bool) -> TranscriptPage:
        path = self._store.attempts.folder(run, attempt).transcript_path
        with disk_errors(path), opened(path) as source:
            if source is None:
                return TranscriptPage(0, 0, 0, missing=True)
            return page_as(self._protocol(run, attempt), source, at, way, is_raw, self._secrets(run))

    def _find(self, run: RunId, attempt: AttemptId, sought: Sought, start: int, limit: int) -> FoundPart:
        path = self._store.attempts.folder(run, attempt).transcript_path
        with disk_errors(path), opened(path) as source:
            if source is None:
                return FoundPart((), 0, 0, 0)
            return found_as(self._protocol(run, attempt), source, sought, start, limit)

    def _protocol(self, run: RunId, attempt: AttemptId) -> str:
        if attempt not in self._protocols:
            launch = self._store.attempts.launch(run, attempt)
            self._protocols[attempt] = str(launch.get("protocol", "")) if launch is not None else ""
            if len(self._protocols) > PROTOCOLS_KEPT:
                self._protocols.popitem(last=False)
        return self._protocols[attempt]

    def _kept_files(
        self, run: RunId, attempt: AttemptId, artifacts: tuple[ArtifactView, ...]
    ) -> tuple[KeptFile, ...]:
        folder = self._store.attempts.folder(run, attempt).path / "artifacts"
        return tuple(kept_file(folder, artifact) for artifact in artifacts)


async def _off_loop(call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    try:
        return await asyncio.to_thread(call, *args, **named)
    except (StoreError, ValueError) as error:
        raise StoreUnusable(f"This attempt cannot be read: {error}") from error


# ------------------------------------------------------------------------------------------- transcript


def page_as(
    protocol: str, source: Source, at: int, way: Way, is_raw: bool, secrets: Iterable[str] = ()
) -> TranscriptPage:
    """A page as the protocol of its launch is read; `is_raw`, and what has no protocol: line by line."""
    read = LINE_READERS.get(protocol)
    if read is not None and not is_raw:
        return told_page(source, at, way, read, secrets)
    return page_of(source, at, way, protocol == "lines" or read is not None, secrets)


def found_as(protocol: str, source: Source, sought: Sought, start: int, limit: int) -> FoundPart:
    """Its places in a part of a source, as the protocol of its launch is shown."""
    read = LINE_READERS.get(protocol)
    if read is not None and not sought.is_raw:
        return found_told(source, sought, start, limit, read)
    return found_in(source, sought, start, limit, protocol == "lines" or read is not None)


def found_in(source: Source, sought: Sought, start: int, limit: int, is_protocol: bool) -> FoundPart:
    """Its places in a part of a source: all of them, or those that are seen where the protocol is shown as blocks."""
    found: Found = find_all(source, needles_of(sought.words, is_protocol), sought.match_case, start, limit)
    offsets: Sequence[int] = found.offsets
    if is_protocol and not sought.is_raw:
        offsets = shown_only(source, offsets)
    count = found.count - len(found.offsets) + len(offsets)
    return FoundPart(tuple(offsets), count, found.searched_to, found.size_bytes)


def needles_of(words: str, is_protocol: bool) -> tuple[bytes, ...]:
    """The bytes to look for: as typed, and where the agent writes JSON also as JSON escapes it."""
    plain = words.encode("utf-8", "replace")
    if not is_protocol:
        return (plain,)
    ways = (json.dumps(words)[1:-1], json.dumps(words, ensure_ascii=False)[1:-1])
    return tuple(dict.fromkeys((plain, *(way.encode("utf-8", "replace") for way in ways))))


# ------------------------------------------------------------------------------------------- what it was told


def read_launch_words(store: Store, run: RunId, slot: SlotId, attempt: AttemptId | None) -> LaunchWords:
    """From `launch.json` and the pinned specification; what is missing is said, nothing is put in its place (PIN5)."""
    launch = store.attempts.launch(run, attempt) if attempt is not None else None
    problems = []
    if attempt is not None and launch is None:
        problems.append(_no_launch(store, run, attempt))
    spec: Mapping[str, Any] = {}
    ref: SpecRef | None = None
    try:
        ref = _spec_ref(store, run, slot, attempt)
        spec = read_spec(store.objects.get, ref.spec) if ref is not None else {}
    except PinMissing as error:
        problems.append(f"{error} (E_PIN_MISSING)")
    except (StoreError, DomainError) as error:
        problems.append(f"What is pinned for this run cannot be read: {error}")
    told = launch or {}
    agent = spec.get("agent", {})
    return LaunchWords(
        agent=ref.agent if ref is not None else str(told.get("agent", "")),
        kind=str(told.get("kind") or agent.get("kind") or ""),
        model=str(agent.get("model") or ""),
        worker_class=ref.worker_class if ref is not None else "",
        spec=Revision(ref.spec) if ref is not None else None,
        prompt=str(told.get("prompt") or "") if launch else "" if attempt else str(spec.get("prompt") or ""),
        is_rendered=launch is not None,
        argv=tuple(map(str, told.get("argv", () if attempt else agent.get("argv") or ()))),
        cwd=str(told.get("cwd") or ""),
        attachments=_attachments(spec),
        secret_names=tuple(map(str, told.get("secret_names", ()))),
        problem=" ".join(problems),
        servers=tuple((name, server_line(one)) for name, one in (agent.get("mcp_servers") or {}).items()),
        instructions=_instructions(told),
    )


def _no_launch(store: Store, run: RunId, attempt: AttemptId) -> str:
    """Of one that was not begun none is written, so that it is not missed."""
    try:
        record = read_state(store, run).attempts.get(attempt)
    except (StoreError, DomainError):
        record = None
    is_there = os.path.lexists(store.attempts.folder(run, attempt).launch_path)
    if record is not None and not is_there and never_began(record):
        return "This attempt was not begun, so nothing was told to its agent."
    return "The launch file of this attempt is missing or damaged: what it was told is not known."


def _attachments(spec: Mapping[str, Any]) -> tuple[PinnedFile, ...]:
    told = spec.get("attachments", ())
    return tuple(PinnedFile(a["path"], a["role"], a["sha256"], a["size_bytes"]) for a in told)


def _instructions(told: Mapping[str, Any]) -> tuple[str, ...]:
    cwd = str(told.get("cwd") or "")
    if told.get("kind") not in KINDS or not os.path.isabs(cwd):
        return ()
    return tuple(map(str, instructions_above(Path(cwd))))


def _spec_ref(store: Store, run: RunId, slot: SlotId, attempt: AttemptId | None) -> SpecRef | None:
    """The specification that the attempt was claimed with; without an attempt the one that would be claimed next."""
    state = read_state(store, run)
    if attempt is not None and attempt in state.attempts:
        return state.attempts[attempt].spec
    record = state.slots.get(slot)
    if record is None:
        return None
    if record.reopened is not None:
        return record.reopened.spec
    refs = next((b.specs for b in state.header.bindings if b.node_id == record.node_id), ())
    return refs[0] if refs else None


# ------------------------------------------------------------------------------------------- what it saved


def kept_file(folder: Path, artifact: ArtifactView) -> KeptFile:
    """How a saved file stands now: its copy below `folder` against its hash (CON4); blocking."""
    if artifact.stored is None:
        return KeptFile(artifact, KeptState.NOT_KEPT, artifact.path)
    path = folder / Path(artifact.stored).name
    try:
        is_whole = os.path.getsize(path) == artifact.size_bytes and _sha256(path) == artifact.sha256
    except FileNotFoundError:
        return KeptFile(artifact, KeptState.MISSING, None)
    except (OSError, StoreDamaged):
        return KeptFile(artifact, KeptState.DAMAGED, str(path))
    return KeptFile(artifact, KeptState.KEPT if is_whole else KeptState.DAMAGED, str(path))


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(open_regular(path), "rb") as file:
        while block := file.read(HASH_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()
