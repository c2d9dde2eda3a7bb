"""Reading a file that must be a regular one: every file of the store, and every path that a person or an agent names.

Standard library only (the shim reads lines). A folder, a named pipe, a device or a symbolic link in its place is damage of what that file belongs to: it never blocks
the reader, and it is no fault of the disk.
"""

from __future__ import annotations

import errno
import os
import stat

from quarterdeck.store.errors import StoreDamaged, disk_errors

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def open_regular(path: str | os.PathLike[str], *, follow_links: bool = False) -> int:
    """A descriptor for reading. StoreDamaged where it is no regular file, OSError as it comes.

    follow_links: for files that are not the store's own, which a person may have linked to where they lie.
    """
    try:
        fd = os.open(path, _FLAGS if follow_links else _FLAGS | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP:
            said = "its links lead in a circle" if follow_links else "it is a symbolic link, not a file"
            raise StoreDamaged(os.fspath(path), said) from error
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise StoreDamaged(os.fspath(path), "it is not a file") from error
        raise
    try:
        need_regular(fd, path)
    except BaseException:
        os.close(fd)
        raise
    return fd


def need_regular(fd: int, path: str | os.PathLike[str]) -> None:
    """StoreDamaged where what was opened is no regular file; the descriptor stays open."""
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        raise StoreDamaged(os.fspath(path), f"it is {_KINDS.get(stat.S_IFMT(mode), 'a device')}, not a file")


def read_regular(path: str | os.PathLike[str], limit: int = -1, *, follow_links: bool = False) -> bytes:
    """The content, or its first `limit` bytes; errors as of `open_regular`."""
    with open(open_regular(path, follow_links=follow_links), "rb") as file:
        return file.read(limit)


def lies_there(path: str | os.PathLike[str]) -> bool:
    """Whether anything is at that place, whatever it is. Raises StoreDown where the disk does not say."""
    with disk_errors(path):
        try:
            os.lstat(path)
        except FileNotFoundError:
            return False
    return True
