"""Lines and places of a transcript of any length, against what a naive reader of the whole says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from quarterdeck.store import transcript_file, transcript_search
from quarterdeck.store.transcript_file import (
    FileSource,
    RawPage,
    opened,
    page_after,
    page_around,
    page_before,
)
from quarterdeck.store.transcript_search import find_all

SHAPES = (64, 300, 5_000)


def random_text(rnd: random.Random) -> bytes:
    longest = rnd.choice((1, 3, 200))
    lines = ["é€😀x" * rnd.randint(0, longest) for _ in range(rnd.randint(0, 12))]
    return "\n".join(lines).encode()


def whole(pages: list[RawPage], data: bytes) -> None:
    """The pages are the file: every byte once, no character cut, each line's ends told as they are."""
    at = 0
    for page in pages:
        assert page.start == at
        for line in page.lines:
            assert line.offset == at
            assert data[line.offset : line.end] == line.content + (b"\n" if line.ends else b"")
            assert line.starts == (at == 0 or data[at - 1 : at] == b"\n")
            line.content.decode("utf-8", "strict")
            at = line.end
        assert page.end == at
    assert at == len(data)


@pytest.mark.parametrize("seed", range(60))
def test_pages_are_the_file_from_either_end_and_from_anywhere(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sweep: int
) -> None:
    for turn in range(20 * sweep):
        rnd = random.Random(seed * 1_000_003 + turn)
        monkeypatch.setattr(transcript_file, "LINE_WHOLE_MAX", rnd.choice(SHAPES))
        monkeypatch.setattr(transcript_file, "PIECE_BYTES", rnd.choice((16, 40)))
        limit = rnd.choice((20, 50, 200))
        data = random_text(rnd)
        (tmp_path / "transcript").write_bytes(data)
        with opened(tmp_path / "transcript") as source:
            assert source is not None
            whole(forward(source, limit), data)
            whole(backward(source, limit), data)
            for _ in range(4):
                at = rnd.randint(0, len(data))
                page = page_around(source, at, limit)
                assert page.start <= at <= page.end
                assert at < page.end or at == len(data)
                for line in page.lines:
                    line.content.decode("utf-8", "strict")


def forward(source: FileSource, limit: int) -> list[RawPage]:
    pages = [page_after(source, 0, limit)]
    while pages[-1].end < source.size():
        pages.append(page_after(source, pages[-1].end, limit))
    return pages


def backward(source: FileSource, limit: int) -> list[RawPage]:
    pages = [page_before(source, 2**62, limit)]
    while pages[0].start > 0:
        pages.insert(0, page_before(source, pages[0].start, limit))
    return pages


def test_a_line_up_to_a_megabyte_is_whole_and_a_longer_one_is_in_pieces(tmp_path: Path) -> None:
    """Cases 97 and 98: 132 KB and 10 MB in one line."""
    for size, pieces in ((132_000, 1), (10_000_000, None)):
        (tmp_path / "t").write_bytes(b"before\n" + b"y" * size + b"\nafter\n")
        with opened(tmp_path / "t") as source:
            assert source is not None
            page = page_after(source, 7)
            assert len(page.lines) == pieces if pieces else len(page.lines) > 1
            assert page_before(source, source.size()).lines[-1].content == b"after"


def test_a_missing_file_is_none(tmp_path: Path) -> None:
    with opened(tmp_path / "none") as source:
        assert source is None


def naive_places(data: bytes, needles: tuple[bytes, ...]) -> list[int]:
    found = []
    for needle in needles:
        at = data.find(needle)
        while at >= 0:
            found.append(at)
            at = data.find(needle, at + len(needle))
    return sorted(found)


@pytest.mark.parametrize("has_library", [True, False])
def test_every_place_is_found_across_the_blocks_of_the_search(
    has_library: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_library:
        monkeypatch.setattr(transcript_search, "_library", None)
    rnd = random.Random(7)
    for _ in range(300):
        letters = rnd.choice((b"abcX\n", b"abcX\n\0"))  # a zero byte ends a text of the C library
        data = bytes(rnd.choice(letters) for _ in range(rnd.randint(0, 400)))
        needles = tuple({bytes(rnd.choice(b"abcX") for _ in range(rnd.randint(1, 5))) for _ in range(2)})
        monkeypatch.setattr(transcript_search, "SEARCH_BLOCK_BYTES", rnd.choice((7, 64)))
        (tmp_path / "t").write_bytes(data)
        with opened(tmp_path / "t") as source:
            assert source is not None
            for needle in needles:
                found = find_all(source, (needle,), True, 0, 2**40)
                assert list(found.offsets) == naive_places(data, (needle,))
                assert found.searched_to == found.size_bytes == len(data)
            loose = find_all(source, needles[:1], False, 0, 2**40)
            assert list(loose.offsets) == naive_places(data.lower(), (needles[0].lower(),))


def test_a_search_in_parts_is_the_search_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript_search, "SEARCH_BLOCK_BYTES", 64)
    data = b"one needle, two needles\n" * 200
    (tmp_path / "t").write_bytes(data)
    with opened(tmp_path / "t") as source:
        assert source is not None
        offsets: list[int] = []
        at = 0
        while at < len(data):
            part = find_all(source, (b"needle",), True, at, 100)
            offsets += part.offsets
            at = part.searched_to
    assert offsets == naive_places(data, (b"needle",))


def test_more_places_than_are_told_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_search, "OFFSETS_MAX", 10)
    (tmp_path / "t").write_bytes(b"x" * 1000)
    with opened(tmp_path / "t") as source:
        assert source is not None
        found = find_all(source, (b"x",), True, 0, 2**40)
    assert (len(found.offsets), found.count) == (10, 1000)
