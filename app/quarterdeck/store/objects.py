"""Pinned contents under their hash: `objects/<sha256>`. Content-addressed, so writing one twice changes nothing.

Who pins holds `pinning` from its first content until its run names them durably: nothing is removed meanwhile, as it may
be about to use a content that is there already. What is needed is the engine's to say (`engine.objects_kept`).
"""

from __future__ import annotations

import os
import re
from contextlib import AbstractContextManager
from pathlib import Path

from quarterdeck.domain.canonical import content_revision
from quarterdeck.domain.ids import Revision
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import ObjectDamaged, ObjectMissing, StoreDamaged, StoreDown, disk_errors
from quarterdeck.store.locks import HeldLock, shared_lock, try_lock
from quarterdeck.store.regular import open_regular, read_regular

_HASH = re.compile(rb'"([0-9a-f]{64})"')


class ObjectStore:
    """Contents that runs pin. Blocking; any number of threads and processes may put at a time."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._folder = io, folder
        self._lock = folder.with_name("objects.lock")

    def pinning(self) -> AbstractContextManager[None]:
        """Any number at a time, over all processes. StoreDown."""
        return shared_lock(self._io, self._lock)

    def removing(self) -> HeldLock | None:
        """The right to remove; None while somebody pins. StoreDown."""
        return try_lock(self._io, self._lock)

    def sizes(self) -> dict[Revision, int]:
        """{object: bytes} of everything that is here by its name; what is no object of ours is left out. StoreDown."""
        with disk_errors(self._folder):
            try:
                entries = list(os.scandir(self._folder))
            except FileNotFoundError:
                return {}
        found = {}
        for entry in entries:
            try:
                if _is_name(entry.name) and entry.is_file(follow_symlinks=False):
                    found[Revision(entry.name)] = entry.stat(follow_symlinks=False).st_size
            except FileNotFoundError:
                continue  # another process removed it
        return found

    def named_in(self, revision: Revision) -> set[Revision]:
        """Objects that a content may name: every text in it that is a hash. None in what is no JSON object, or is missing.

        Of a damaged one what can still be read of it.
        """
        try:
            with open(open_regular(self._path(revision)), "rb") as file:
                start = file.read(1)
                return hashes_in(start + file.read()) if start == b"{" else set()
        except (FileNotFoundError, StoreDamaged):
            return set()
        except OSError as error:
            raise StoreDown(error.errno or 0, str(self._folder / revision)) from error

    def remove(self, revision: Revision) -> None:
        """With the right to. What another process removed is no error. StoreDown."""
        path = self._path(revision)
        with disk_errors(path):
            try:
                self._io.unlink(path)
            except FileNotFoundError:
                return

    def looked_through_ms(self) -> int | None:
        """When it was last looked for what nothing needs, or first pinned (Unix milliseconds); None: never."""
        try:
            return int(os.stat(self._lock).st_mtime * 1000)
        except OSError:
            return None

    def note_looked_through(self, at_ms: int) -> None:
        """Says so; nothing rests on it but when it is done again."""
        with disk_errors(self._lock):
            try:
                os.utime(self._lock, (at_ms / 1000, at_ms / 1000))
            except FileNotFoundError:
                return  # nothing was ever pinned here

    def put(self, content: bytes) -> Revision:
        """Durable when this returns. An object that is there and whole is left alone; a damaged one is replaced."""
        revision = content_revision(content)
        path = self._folder / revision
        with disk_errors(path):
            if not _holds(path, content):
                replace_file(self._io, path, content)
        return revision

    def get(self, revision: Revision) -> bytes:
        """The content, checked against its hash. Raises ObjectMissing, ObjectDamaged, StoreDown."""
        path = self._path(revision)
        with disk_errors(path):
            try:
                content = read_regular(path)
            except FileNotFoundError:
                raise ObjectMissing(revision) from None
            except StoreDamaged as error:
                raise ObjectDamaged(error.path, error.reason) from error
        if content_revision(content) != revision:
            raise ObjectDamaged(str(path), "its content does not match its hash")
        return content

    def _path(self, revision: Revision) -> Path:
        if not _is_name(revision):
            raise ObjectMissing(revision)
        return self._folder / revision


def hashes_in(content: bytes) -> set[Revision]:
    """Every JSON text in it that looks like the name of an object."""
    return {Revision(found.decode()) for found in _HASH.findall(content)}


def _is_name(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and read_regular(path) == content
    except (FileNotFoundError, StoreDamaged):
        return False
