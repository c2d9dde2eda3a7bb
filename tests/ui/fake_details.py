"""Details of attempts in memory, read by the same code as the engine's: nothing of a page is made up."""

from __future__ import annotations

from dataclasses import dataclass, field

from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.views import ArtifactView
from quarterdeck.engine.attempt_details import (
    FoundPart,
    KeptFile,
    KeptState,
    LaunchWords,
    Sought,
    TranscriptPage,
    Way,
)
from quarterdeck.engine.attempt_reading import found_as, page_as


class BytesSource:
    """Bytes in memory, as a source of lines."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def size(self) -> int:
        return len(self._content)

    def read(self, offset: int, count: int) -> bytes:
        return self._content[offset : offset + max(0, count)]


@dataclass
class FakeDetails:
    """`protocol`: attempts that speak the lines protocol. `wires`: {attempt: protocol of a program's own}. `words`: by attempt,
    or by slot before the first one.
    """

    transcripts: dict[AttemptId, bytes]
    protocol: set[AttemptId] = field(default_factory=set)
    wires: dict[AttemptId, str] = field(default_factory=dict)
    words: dict[str, LaunchWords] = field(default_factory=dict)
    states: dict[str, KeptState] = field(default_factory=dict)
    asked: list[tuple[str, int]] = field(default_factory=list)

    async def page(
        self, run: RunId, attempt: AttemptId, at: int, way: Way, is_raw: bool = False
    ) -> TranscriptPage:
        self.asked.append((str(way), at))
        if attempt not in self.transcripts:
            return TranscriptPage(0, 0, 0, missing=True)
        return page_as(self._wire(attempt), BytesSource(self.transcripts[attempt]), at, way, is_raw)

    async def find(self, run: RunId, attempt: AttemptId, sought: Sought, start: int, limit: int) -> FoundPart:
        source = BytesSource(self.transcripts.get(attempt, b""))
        return found_as(self._wire(attempt), source, sought, start, limit)

    def _wire(self, attempt: AttemptId) -> str:
        return self.wires.get(attempt, "lines" if attempt in self.protocol else "text")

    async def launch_words(self, run: RunId, slot: SlotId, attempt: AttemptId | None) -> LaunchWords:
        return self.words.get(attempt or slot, LaunchWords(agent="check", kind="command"))

    async def kept_files(
        self, run: RunId, attempt: AttemptId, artifacts: tuple[ArtifactView, ...]
    ) -> tuple[KeptFile, ...]:
        return tuple(self._kept(a) for a in artifacts)

    def _kept(self, artifact: ArtifactView) -> KeptFile:
        state = self.states.get(artifact.name, KeptState.KEPT if artifact.stored else KeptState.NOT_KEPT)
        path = f"/data/artifacts/{artifact.stored}" if artifact.stored else artifact.path
        return KeptFile(artifact, state, path)
