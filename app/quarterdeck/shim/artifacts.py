"""Keeping what an agent names: a copy below the attempt's `artifacts/` with its hash (design §7, CON4).

The work runs on the writer thread in steps of one block. What cannot be kept is said in the report (`problem`), never
dropped: the agent's paths are untrusted, only regular files are read, and nothing is followed by name twice. A report that
names a kept file comes after file and name are on the medium (JNL3).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

from quarterdeck.domain import kept_facts, reports
from quarterdeck.domain.reports import Report
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import open_regular

KEPT_BYTES_MAX = 64 * 1024 * 1024
"""A larger file is hashed, not copied."""
HASHED_BYTES_MAX = 4 * 1024 * 1024 * 1024
"""A larger file is only named."""
FILES_MAX = kept_facts.ARTIFACTS.count
"""More files of one attempt are only named; an output is always kept."""
TOO_MANY = f"it is not kept, as {FILES_MAX:,} files are"
BLOCK_BYTES = 256 * 1024
Done = Callable[[Report], None]


class ArtifactStore:
    """Files below `folder`, numbered as they come; `report` is handed back completed, through `done`, at `name_all`."""

    def __init__(self, io: DurableIO, folder: Path, cwd: str) -> None:
        self._io, self._folder, self._cwd = io, folder, cwd
        self._count = 0
        self._is_named = False
        """Whether the folder's own name is on the medium."""
        self._held: list[tuple[Report, Done]] = []

    def keep_file(self, report: Report, path: str, done: Done) -> Iterator[None]:
        """Hash the file that the agent named (relative to its folder) and copy it where it is small enough."""
        if self._is_beyond(report):
            self._hold(done, {**report, **_nothing_kept(path, f"{path}: {TOO_MANY}")})
            return
        try:
            source = open_regular(os.path.join(self._cwd, path), follow_links=True)
        except StoreDamaged:
            self._hold(done, {**report, **_nothing_kept(path, f"{path} is not a regular file")})
            return
        except (OSError, ValueError) as error:
            self._hold(done, {**report, **_nothing_kept(path, f"{path} cannot be read: {error}")})
            return
        try:
            size = os.fstat(source).st_size
            if size > HASHED_BYTES_MAX:
                self._hold(done, {**report, **_nothing_kept(path, f"{path} is too large to be hashed", size)})
                return
            kept = yield from self._copy(source, size, Path(path).suffix)
        except OSError as error:
            kept = _nothing_kept(path, f"{path} could not be kept: {error}")
        finally:
            os.close(source)
        self._hold(done, {**report, "path": path, **kept})

    def keep_bytes(self, report: Report, content: bytes, suffix: str, done: Done) -> Iterator[None]:
        """Store bytes that the agent gave in a line, or an output that is too large for a line."""
        digest = hashlib.sha256(content).hexdigest()
        told = {"sha256": digest, "size_bytes": len(content), "path": None}
        if self._is_beyond(report):
            self._hold(done, {**report, **told, "stored": None, "problem": TOO_MANY})
            return
        name = self._next_name(suffix)
        kept = {**told, "stored": name}
        try:
            target = self._create(name)
            try:
                for start in range(0, len(content), BLOCK_BYTES):
                    self._io.write(target, content[start : start + BLOCK_BYTES])
                    yield
                self._io.fsync(target)
            finally:
                self._io.close(target)
        except OSError as error:
            kept |= {"stored": None, "problem": f"it could not be kept: {error}"}
        self._hold(done, {**report, **kept})

    def _copy(self, source: int, size: int, suffix: str) -> Generator[None, None, Report]:
        digest, taken = hashlib.sha256(), 0
        name = self._next_name(suffix) if size <= KEPT_BYTES_MAX else None
        target = None if name is None else self._create(name)
        try:
            while block := os.read(source, BLOCK_BYTES):
                digest.update(block)
                taken += len(block)
                if target is not None and taken > KEPT_BYTES_MAX:  # it grew while it was read
                    self._io.truncate(target, 0)
                    self._io.close(target)
                    target = name = None
                if target is not None:
                    self._io.write(target, block)
                yield
            if target is not None:
                self._io.fsync(target)
        finally:
            if target is not None:
                self._io.close(target)
        return {"sha256": digest.hexdigest(), "size_bytes": taken, "stored": name}

    def pass_on(self, report: Report, done: Done) -> Iterator[None]:
        """Keep nothing but the place of a report behind the files before it."""
        yield
        self._hold(done, report)

    def name_all(self) -> None:
        """Make the names of the files that were kept since the last call durable, then hand out all reports in order.

        Called after each round of jobs: one sync of the folder for many files.
        """
        held, self._held = self._held, []
        problem = ""
        if any(report.get("stored") for report, _ in held):
            try:
                self._io.fsync_folder(self._folder)
            except OSError as error:
                problem = f"it could not be kept: {error}"
        for report, done in held:
            lost = {"stored": None, "problem": problem} if problem and report.get("stored") else {}
            done({**report, **lost})

    def _hold(self, done: Done, report: Report) -> None:
        self._held.append((report, done))

    def _is_beyond(self, report: Report) -> bool:
        return self._count >= FILES_MAX and report["kind"] != reports.OUTPUT

    def _next_name(self, suffix: str) -> str:
        self._count += 1
        safe = "".join(c for c in suffix.lower() if c.isascii() and (c.isalnum() or c == "."))[:12]
        return f"{self._count:04d}{safe}"

    def _create(self, name: str) -> int:
        try:
            self._io.mkdir(self._folder)
        except FileExistsError:
            pass  # made by an earlier artifact
        if not self._is_named:
            self._io.fsync_folder(self._folder.parent)
            self._is_named = True
        return self._io.open(self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)


def _nothing_kept(path: str, problem: str, size: int = 0) -> Report:
    return {"sha256": "", "size_bytes": size, "path": path, "stored": None, "problem": problem}
