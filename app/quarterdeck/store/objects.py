"""Pinned contents under their hash: `objects/<sha256>`. Content-addressed, so writing one twice changes nothing."""

from __future__ import annotations

from pathlib import Path

from quarterdeck.domain.canonical import content_revision
from quarterdeck.domain.ids import Revision
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import ObjectDamaged, ObjectMissing, StoreDamaged, disk_errors
from quarterdeck.store.regular import read_regular


class ObjectStore:
    """Contents that runs pin. Blocking; any number of threads and processes may put at a time."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._folder = io, folder

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
        if len(revision) != 64 or not set(revision) <= set("0123456789abcdef"):
            raise ObjectMissing(revision)
        return self._folder / revision


def _holds(path: Path, content: bytes) -> bool:
    try:
        return path.stat().st_size == len(content) and read_regular(path) == content
    except (FileNotFoundError, StoreDamaged):
        return False
