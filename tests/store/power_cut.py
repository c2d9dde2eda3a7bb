"""What a power cut may leave: a seam that logs every operation, and images of the disk made from a part of the log.

Names are durable once their folder was synced, contents once the file was. Two images for a cut: `strict` keeps nothing
else; `loose` keeps all names and lets unsynced content arrive in part, with a hole of NULs or shortened.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.store.faulty_io import UnsyncedIO

Step = tuple[Any, ...]


class LoggingIO(UnsyncedIO):
    """Does everything but the syncs and writes down what was done."""

    def __init__(self) -> None:
        self.log: list[Step] = []
        self._names: dict[int, str] = {}

    def open(self, path: str | os.PathLike[str], flags: int, mode: int = 0o600) -> int:
        is_new = not os.path.exists(path)
        fd = super().open(path, flags, mode)
        self._names[fd] = os.fspath(path)
        if is_new:
            self.log.append(("create", os.fspath(path)))
        return fd

    def write_some(self, fd: int, view: memoryview) -> int:
        taken = super().write_some(fd, view)
        self.log.append(("write", self._names[fd], bytes(view[:taken])))
        return taken

    def truncate(self, fd: int, size: int) -> None:
        super().truncate(fd, size)
        self.log.append(("truncate", self._names[fd], size))

    def fsync(self, fd: int) -> None:
        super().fsync(fd)
        self.log.append(("sync", self._names[fd]))

    def fdatasync(self, fd: int) -> None:
        super().fdatasync(fd)
        self.log.append(("sync", self._names[fd]))

    def fsync_folder(self, folder: str | os.PathLike[str]) -> None:
        super().fsync_folder(folder)
        self.log.append(("sync_folder", os.fspath(folder)))

    def replace(self, source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
        super().replace(source, target)
        self.log.append(("replace", os.fspath(source), os.fspath(target)))

    def unlink(self, path: str | os.PathLike[str]) -> None:
        super().unlink(path)
        self.log.append(("unlink", os.fspath(path)))

    def mkdir(self, path: str | os.PathLike[str], mode: int = 0o700) -> None:
        super().mkdir(path, mode)
        self.log.append(("mkdir", os.fspath(path)))

    def say(self, what: str, value: object) -> None:
        """An acknowledgement, at its place among the operations."""
        self.log.append(("ack", what, value))


@dataclass
class _File:
    content: bytes = b""
    synced: bytes = b""


@dataclass
class _Folder:
    names: dict[str, Any] = field(default_factory=dict)
    durable: dict[str, Any] = field(default_factory=dict)


class Disk:
    """The state after a part of a log. `root` exists from the start."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._top = _Folder()

    def play(self, steps: list[Step]) -> None:
        for step in steps:
            if step[0] != "ack":
                getattr(self, f"_{step[0]}")(*step[1:])

    def image(self, target: Path, *, strict: bool, hole: bool = False) -> None:
        """Writes what a cut leaves into a new folder."""
        self._copy(self._top, target, strict, hole)

    def _copy(self, folder: _Folder, target: Path, strict: bool, hole: bool) -> None:
        target.mkdir(parents=True)
        for name, node in (folder.durable if strict else folder.names).items():
            if isinstance(node, _Folder):
                self._copy(node, target / name, strict, hole)
            else:
                (target / name).write_bytes(node.synced if strict else _arrived(node, hole))

    def _find(self, path: str) -> Any:
        node: Any = self._top
        for part in os.path.relpath(path, self._root).split(os.sep):
            node = node if part == "." else node.names[part]
        return node

    def _place(self, path: str) -> tuple[dict[str, Any], str]:
        return self._find(os.path.dirname(path)).names, os.path.basename(path)

    def _create(self, path: str) -> None:
        names, name = self._place(path)
        names[name] = _File()

    def _mkdir(self, path: str) -> None:
        names, name = self._place(path)
        names[name] = _Folder()

    def _write(self, path: str, content: bytes) -> None:
        self._find(path).content += content

    def _truncate(self, path: str, size: int) -> None:
        file = self._find(path)
        file.content = file.content[:size]

    def _sync(self, path: str) -> None:
        file = self._find(path)
        file.synced = file.content

    def _sync_folder(self, path: str) -> None:
        if os.path.relpath(path, self._root).startswith(".."):
            return  # above the root, which is there anyway
        folder = self._find(path)
        folder.durable = dict(folder.names)

    def _replace(self, source: str, target: str) -> None:
        names, name = self._place(source)
        node = names.pop(name)
        names, name = self._place(target)
        names[name] = node

    def _unlink(self, path: str) -> None:
        names, name = self._place(path)
        del names[name]


def _arrived(file: _File, hole: bool) -> bytes:
    """Synced content, and of what came after it either a shortened part or NULs before its last bytes."""
    if not file.content.startswith(file.synced):
        return file.synced
    late = file.content[len(file.synced) :]
    if hole:
        return file.synced + b"\0" * max(0, len(late) - 9) + late[len(late) - 9 :] if late else file.synced
    return file.synced + late[: len(late) // 2]
