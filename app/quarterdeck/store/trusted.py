"""Contents of workflows that a person let start (ruling 26): `trusted/<hash>`, one small file for each folder and content.

That the file is there is the trust, whatever is in it: it appears by one rename, and who takes it away takes the trust back. What
the content is, and who may trust, is the engine's.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from quarterdeck.domain.ids import Revision
from quarterdeck.store.durable_io import DurableIO, make_folder, replace_file
from quarterdeck.store.errors import disk_errors
from quarterdeck.store.lines import frame
from quarterdeck.store.regular import lies_there

TRUSTED = "trusted"


class TrustedContents:
    """All trust of a store. Blocking; every method may raise StoreDown."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._folder = io, folder / TRUSTED

    def add(self, folder: Path, content: Revision, actor: str, at_ms: int) -> None:
        """Durable when this returns. folder: where the workflow lies. at_ms: Unix milliseconds."""
        path = self._place(folder, content)
        with disk_errors(self._folder):
            make_folder(self._io, self._folder)
            if not self.has(folder, content):
                line = {"folder": _written(folder), "content": content, "actor": actor, "at_ms": at_ms}
                replace_file(self._io, path, frame(line))

    def has(self, folder: Path, content: Revision) -> bool:
        """Whether this content may start from this folder without a question."""
        return lies_there(self._place(folder, content))

    def _place(self, folder: Path, content: Revision) -> Path:
        name = hashlib.sha256(os.fsencode(os.path.realpath(folder)) + b"\0" + content.encode()).hexdigest()
        return self._folder / name


def _written(folder: Path) -> str:
    return os.fsencode(os.path.realpath(folder)).decode("utf-8", "backslashreplace")
