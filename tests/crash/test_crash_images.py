"""Crash images of every journal and record format: what is read is a prefix of what was written, and damage has a name.

JNL2, JNL5, JNL6, STO3, STO10, FIM1's power cuts; cases 101–104. The images and the reader that judges are `images.py`'s.
"""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.engine.deaths import DeathWatch
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import RecordDamaged, StoreDamaged
from quarterdeck.store.index import Index
from quarterdeck.store.journal import read_journal
from quarterdeck.store.lines import read_lines
from quarterdeck.store.store_file import read_store
from tests.crash import genuine
from tests.crash.images import FAMILIES, Image, lines_with_ends, read_naively, whole_before
from tests.store.builders import AT, event
from tests.store.faulty_io import UnsyncedIO
from tests.store.naive import journal_of

pytestmark = [pytest.mark.slow, pytest.mark.sweep, pytest.mark.timeout(7200)]
EACH = 3_200
"""Images of each format; eight formats."""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> genuine.Genuine:
    return genuine.make(tmp_path_factory.mktemp("genuine"))


@pytest.fixture
def store(written: genuine.Genuine, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(written.folder, tmp_path / "data", symlinks=True)
    store = Store.open(tmp_path / "data", UnsyncedIO())
    yield store
    store.close()


@dataclass(frozen=True)
class Read:
    """What the product made of an image. accounted: bytes that it read or called torn; is_named: something was said."""

    objects: tuple[Any, ...]
    accounted: int
    is_named: bool


def sweep_over(
    path: Path, count: int, seed: int, look: Callable[[bytes, Image, random.Random], None]
) -> Counter[str]:
    """Every family in turn over the file; it is as it was afterwards. How many images of each family there were."""
    whole, chance = path.read_bytes(), random.Random(seed)
    done: Counter[str] = Counter()
    for number in range(count):
        image = FAMILIES[number % len(FAMILIES)](whole, chance)
        path.unlink()  # a new file: where one is cut and written again, some file systems wait for the disk
        path.write_bytes(image.content)
        try:
            look(whole, image, chance)
        except BaseException:
            path.with_suffix(".image").write_bytes(image.content)
            print(f"image {number} of seed {seed}, {image.family}, untouched {image.untouched}")
            raise
        done[image.family] += 1
    path.write_bytes(whole)
    assert min(done.values()) >= count // len(FAMILIES)
    return done


def judge_prefix(whole: bytes, image: Image, expected: tuple[Any, ...], read: Read) -> None:
    """Prefix semantics, against the naive reader; nothing that was passed over is passed over in silence."""
    naive = read_naively(image.content, numbered=True)
    kept = len(read.objects)
    assert read.objects == expected[:kept], "not a prefix of what was written"
    assert kept >= whole_before(lines_with_ends(whole), image.untouched), "lost what lies before the damage"
    assert kept >= len(naive.prefix), "a naive reader finds more"
    if kept < len(expected) and len(image.content) > sum(map(len, lines_with_ends(whole)[:kept])):
        assert read.is_named, "damage without a name"
    if not read.is_named:
        assert read.accounted == len(image.content), "bytes that nobody accounts for"


def test_journals(store: Store, written: genuine.Genuine, sweep: int) -> None:
    """Also carried on from: nothing is ever appended after a torn tail, and no damaged file is repaired in its place."""
    folder = store.runs.folder(written.run)
    path = folder / "journal.jsonl"
    whole = read_journal(folder)
    assert whole is not None
    naive = read_naively(path.read_bytes(), numbered=True).prefix
    assert [entry.seq for entry in whole.entries] == [line["seq"] for line in naive]
    assert len(naive) > 11

    def look(content: bytes, image: Image, chance: random.Random) -> None:
        read = read_journal(folder)
        assert read is not None
        lines = read_lines(path, numbered=True)
        accounted = lines.good_bytes + read.torn_bytes
        is_named = bool(read.damage or read.torn_bytes or read.unknown)
        judge_prefix(content, image, whole.entries, Read(read.entries, accounted, is_named))
        if read.entries and chance.random() < 0.05:
            carried_on(image, read.entries, bool(read.damage))

    def carried_on(image: Image, before: tuple[Any, ...], is_damaged: bool) -> None:
        journal = store.runs.open(written.run)
        journal.append(event("carried on"), AT, sync=True).result(20)
        journal.close()
        after = store.runs.read(written.run)
        assert after.entries[:-1] == before
        assert after.is_whole
        assert journal_of(folder)[-1]["message"] == "carried on"
        assert len(journal_of(folder)) == len(before) + 1
        if is_damaged:
            assert path.read_bytes() == image.content, "a damaged journal was repaired in place"
        else:
            assert b"\0" not in path.read_bytes()
        for later in folder.glob("journal.*.jsonl"):
            later.unlink()

    sweep_over(path, EACH * sweep, 20261130, look)


def test_reports(store: Store, written: genuine.Genuine, sweep: int) -> None:
    path = store.attempts.folder(written.run, written.attempt).reports_path
    whole = store.attempts.reports(written.run, written.attempt)
    assert len(whole.objects) == len(read_naively(path.read_bytes(), numbered=True).prefix) > 25

    def look(content: bytes, image: Image, _chance: random.Random) -> None:
        read = store.attempts.reports(written.run, written.attempt)
        accounted = read.good_bytes + read.torn_bytes
        judge_prefix(
            content,
            image,
            whole.objects,
            Read(read.objects, accounted, bool(read.damage or read.torn_bytes)),
        )

    sweep_over(path, EACH * sweep, 20261131, look)


def test_records(store: Store, written: genuine.Genuine, sweep: int) -> None:
    """A record is whole or it is no record: nothing else is ever read of it."""
    path = store.runs.folder(written.run) / "record.json"
    whole = store.records.read(written.run)
    assert whole is not None

    def look(content: bytes, image: Image, _chance: random.Random) -> None:
        try:
            assert store.records.read(written.run) == whole
        except RecordDamaged:
            assert image.content != content
        else:
            assert image.content.startswith(content[:-1]), "a damaged record was taken"

    sweep_over(path, EACH * sweep, 20261132, look)


def test_ends_of_attempts(
    store: Store, written: genuine.Genuine, sweep: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A damaged `exit.json` proves nothing, and that it is damaged is said."""
    path = store.attempts.folder(written.run, written.attempt).exit_path
    whole = store.attempts.exit_file(written.run, written.attempt)
    assert whole is not None

    def look(content: bytes, image: Image, chance: random.Random) -> None:
        read = store.attempts.exit_file(written.run, written.attempt)
        if read is not None:
            assert read == whole
            assert image.content.startswith(content[:-1])
        elif chance.random() < 0.02:
            caplog.clear()
            found = DeathWatch(store.attempts, written.run, written.attempt).look(10**6)
            assert found.evidence is not None
            assert found.evidence.value != "exit_file"
            assert "exit.json" in caplog.text, "damage without a name"

    sweep_over(path, EACH * sweep, 20261133, look)


def test_sessions(store: Store, written: genuine.Genuine, sweep: int) -> None:
    """A session whose file cannot be read is found as that: its runs are unknown, and every run is looked at."""
    path = store.folder / "sessions" / f"{written.session}.json"
    (whole,) = store.sessions.dead()
    assert whole.runs

    def look(content: bytes, image: Image, _chance: random.Random) -> None:
        (read,) = store.sessions.dead()
        assert read.session_id == whole.session_id
        if read != whole:
            assert (read.identity, read.runs, read.clean) == (None, (), False)
            assert image.content != content
        else:
            assert image.content.startswith(content[:-1])

    sweep_over(path, EACH * sweep, 20261134, look)


def test_the_file_of_the_store(store: Store, sweep: int) -> None:
    """Damaged, it is set aside and made again: the same tenant, counters above everything that was counted."""
    path = store.folder / "store.json"
    whole = read_store(store.folder)
    assert whole is not None

    def look(content: bytes, image: Image, chance: random.Random) -> None:
        try:
            assert read_store(store.folder) == whole
            assert image.content.startswith(content[:-1])
        except StoreDamaged:
            if chance.random() < 0.02:
                made_again(image)

    def made_again(image: Image) -> None:
        again = Store.open(store.folder, UnsyncedIO())
        assert again.tenant == whole["tenant"]
        assert again.next_launch_seq() > whole["launch_seq"]
        assert again.next_end_seq() > whole["end_seq"]
        (aside,) = again.quarantine.files()
        assert aside.read_bytes() == image.content
        aside.unlink()
        again.close()

    sweep_over(path, EACH * sweep, 20261135, look)


def _key(line: dict[str, Any]) -> str:
    return json.dumps(line, sort_keys=True, default=str)


def test_the_ledger(store: Store, sweep: int) -> None:
    """Its lines stand on their own: each good one counts, and sums say that something is missing."""
    path = store.folder / "ledger.jsonl"
    whole = {_key(line) for line in read_naively(path.read_bytes(), numbered=False).good}
    assert len(whole) > 15

    def look(content: bytes, image: Image, chance: random.Random) -> None:
        found = {_key(line) for line in store.ledger.load()}
        assert found <= whole, "a line that nobody wrote"
        good = {_key(line) for line in read_naively(image.content, numbered=False).good}
        assert found >= good, "a good line was passed over"
        read = read_lines(path)
        if found != whole and image.content.rstrip(b"\n") not in content:
            assert store.ledger.damage() or read.torn_bytes, "damage without a name"
        for line in store.ledger.closings("discard").values():
            assert _key(line) in whole
        if chance.random() < 0.05:
            mended(image, found)

    def mended(image: Image, found: set[str]) -> None:
        was_damaged = bool(store.ledger.damage())
        store.ledger.mend(store.quarantine)
        store.ledger.append([{"run": "r-x", "attempt": "a-x", "model": "m", "hour": "h", "upto": 1}])
        naive = read_naively(path.read_bytes(), numbered=False)
        assert len(naive.prefix) == len(naive.good), "appended after what is damaged"
        assert {_key(line) for line in naive.good} >= found
        aside = store.quarantine.files()
        assert [file.read_bytes() for file in aside] == ([image.content] if was_damaged else [])
        for file in aside:
            file.unlink()

    sweep_over(path, EACH * sweep, 20261136, look)


def test_the_index(store: Store, sweep: int) -> None:
    """STO3: a cache. Whatever happened to it, the same runs are seen; what is damaged is set aside, not written over."""
    path = store.folder / "index.jsonl"
    whole = store.index.load()
    assert len(whole) == 2

    def look_afresh() -> dict[Any, Any]:
        return Index(store.io, store.folder, store.runs, store.records, store.quarantine).load()

    def look(_content: bytes, image: Image, _chance: random.Random) -> None:
        assert look_afresh() == whole
        naive = read_naively(image.content, numbered=False)
        aside = store.quarantine.files()
        if len(naive.good) > len(naive.prefix) and naive.good[0].get("kind") == "index":
            assert [file.read_bytes() for file in aside] == [image.content], "damage without a name"
        for file in aside:
            assert file.read_bytes() == image.content
            file.unlink()
        assert look_afresh() == whole

    sweep_over(path, EACH * sweep, 20261137, look)
