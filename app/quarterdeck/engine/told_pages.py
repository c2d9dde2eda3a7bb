"""Pages of a transcript as its program's wire is read, and finding in what they show. Blocking; it only reads.

A page begins where no text and no call is cut in two, as far as PAGE_BYTES_MAX reach, and goes on until it shows something. It is
read from any place without what lies before it, so that a transcript of any length costs the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quarterdeck.agents.said import LineReader
from quarterdeck.engine.attempt_details import FoundPart, Sought, TranscriptLine, TranscriptPage, Way
from quarterdeck.engine.told_lines import is_clean_start, is_open, joined, texts_shown, told
from quarterdeck.store.transcript_file import RawPage, Source, page_after, page_around, page_before
from quarterdeck.store.transcript_search import OFFSETS_MAX

PARTS_MIN = 40
"""A page goes on until it has so many."""
PAGE_BYTES_MAX = 256 * 1024
FIND_BYTES_MAX = 8 * 1024 * 1024
"""Looked through at a time: every line is read as JSON for it."""


class _Told:
    """The parts of a stretch of a source."""

    def __init__(self, source: Source, read: LineReader, secrets: Sequence[str]) -> None:
        self._source, self._read, self._secrets = source, read, secrets
        self.lines: list[TranscriptLine] = []
        self.start = self.end = self.size = 0

    def begin(self, at: int) -> None:
        """An empty stretch at a place where a line begins."""
        self.start = self.end = at
        self.size = self._source.size()

    def grow(self) -> bool:
        """Take in what follows; False at the end of the source."""
        if self.end >= self.size:
            return False
        page = page_after(self._source, self.end)
        self.end, self.size = page.end, page.size_bytes
        self.lines += self._lines(page)
        return bool(page.lines)

    def grow_back(self) -> bool:
        """Take in what stands before; False at the beginning."""
        if self.start <= 0:
            return False
        page = page_before(self._source, self.start)
        self.start = page.start
        self.lines[:0] = self._lines(page)
        return bool(page.lines)

    def begin_cleanly(self) -> bool:
        """Begin with the first part that nothing before belongs to; False where there is none."""
        return self._cut(next((n for n in range(len(self.lines)) if is_clean_start(self.lines, n)), None))

    def begin_cleanly_at(self, at: int) -> bool:
        """Begin with the part that holds `at`, whole; False where it began before these lines."""
        places = [n for n, line in enumerate(self.lines) if line.offset <= at]
        if not places:
            return not self.lines or is_clean_start(self.lines, 0)
        return self._cut(next((n for n in reversed(places) if is_clean_start(self.lines, n)), None))

    def _cut(self, place: int | None) -> bool:
        if self.start <= 0 or place is None:
            return self.start <= 0
        if place:
            self.start, self.lines = self.lines[place].offset, self.lines[place:]
        return True

    def end_cleanly(self) -> bool:
        """Leave out the last part where more of it may follow; False where there is none before it."""
        if self.end >= self.size or not is_open(self.lines):
            return True
        for place in range(len(self.lines) - 1, 0, -1):
            if is_clean_start(self.lines, place):
                self.end, self.lines = self.lines[place].offset, self.lines[:place]
                return True
        return False

    @property
    def read_bytes(self) -> int:
        """How long it is."""
        return self.end - self.start

    def shown(self) -> list[TranscriptLine]:
        """As it is shown."""
        return joined(self.lines, self._secrets, is_end=self.end >= self.size)

    def _lines(self, page: RawPage) -> list[TranscriptLine]:
        return [line for raw in page.lines for line in told(raw, self._read, self._secrets)]


def told_page(
    source: Source, at: int, way: Way, read: LineReader, secrets: Iterable[str] = ()
) -> TranscriptPage:
    """A page of a program's wire. secrets: shown as asterisks; the file stays as the program wrote it."""
    made = _Told(source, read, tuple(secrets))
    if way is Way.BEFORE:
        return _before(made, source, at)
    begin = _line_start(source, at)
    made.begin(begin)
    if way is Way.AROUND:
        made.grow()
        while not made.begin_cleanly_at(at) and made.read_bytes < PAGE_BYTES_MAX:
            made.grow_back()
    _fill(made, made.end + PAGE_BYTES_MAX)
    start = max(made.start, min(at, made.size)) if way is Way.AFTER else made.start
    return _page(made, start, made.end)


def _before(made: _Told, source: Source, end: int) -> TranscriptPage:
    end = min(max(0, end), source.size())
    made.begin(_line_end(source, end))
    while made.grow_back() and made.read_bytes < PAGE_BYTES_MAX:
        if len(made.lines) >= PARTS_MIN and made.begin_cleanly():
            break
    return _page(made, made.start, end)


def _fill(made: _Told, end_max: int) -> None:
    """Until it shows enough; then it ends before a text or a call that it would cut."""
    while made.end < end_max:
        if len(made.lines) >= PARTS_MIN and made.end_cleanly():
            return
        if not made.grow():
            return


def _page(made: _Told, start: int, end: int) -> TranscriptPage:
    lines = tuple(line for line in made.shown() if start <= line.offset < end)
    return TranscriptPage(start, end, made.size, lines, is_protocol=True)


def _line_start(source: Source, at: int) -> int:
    """Where the line begins that holds this byte."""
    at = min(max(0, at), source.size())
    return at if at == 0 or source.read(at - 1, 1) == b"\n" else page_around(source, at, 1).start


def _line_end(source: Source, end: int) -> int:
    """Where the line ends that `end` cuts; `end` itself where it cuts none."""
    if end == 0 or end >= source.size() or source.read(end - 1, 1) == b"\n":
        return end
    return next((line.end for line in page_around(source, end, 1).lines if line.end > end), end)


# ------------------------------------------------------------------------------------------- finding


def found_told(source: Source, sought: Sought, start: int, limit: int, read: LineReader) -> FoundPart:
    """Its places in what is shown from `start` on, in about `limit` bytes: each has an offset of its own inside its part."""
    wanted = sought.words if sought.match_case else sought.words.lower()
    size = source.size()
    stop, at = min(size, start + min(limit, FIND_BYTES_MAX)), start
    offsets: list[int] = []
    count = 0
    while at < stop:
        page = told_page(source, at, Way.AFTER, read)
        for line in page.lines:
            hits = sum(_count(text, wanted, sought.match_case) for text in texts_shown(line))
            places = range(line.offset, min(line.end, line.offset + hits))
            offsets += places[: max(0, OFFSETS_MAX - len(offsets))]
            count += len(places)
        if page.end <= at:
            break
        at = page.end
    return FoundPart(tuple(offsets), count, at, size)


def _count(text: str, wanted: str, match_case: bool) -> int:
    return (text if match_case else text.lower()).count(wanted) if wanted else 0
