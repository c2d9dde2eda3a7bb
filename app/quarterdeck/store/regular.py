"""Reading a file of the store that must be a regular one. Standard library only (the shim reads lines).

A folder, a named pipe, a device or a symbolic link in its place is damage of what that file belongs to: it never blocks
the reader, and it is no fault of the disk.
"""

from __future__ import annotations

import errno
import os
import stat

from quarterdeck.store.errors import StoreDamaged

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}


def open_regular(path: str | os.PathLike[str]) -> int:
    """A descriptor for reading. StoreDamaged where it is no regular file, OSError as it comes."""
    try:
        fd = os.open(path, _FLAGS)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StoreDamaged(os.fspath(path), "it is a symbolic link, not a file") from error
        if error.errno in (errno.ENXIO, errno.ENODEV):
            raise StoreDamaged(os.fspath(path), "it is not a file") from error
        raise
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return fd
    os.close(fd)
    raise StoreDamaged(os.fspath(path), f"it is {_KINDS.get(stat.S_IFMT(mode), 'a device')}, not a file")


def read_regular(path: str | os.PathLike[str], limit: int = -1) -> bytes:
    """The content, or its first `limit` bytes; errors as of `open_regular`."""
    with open(open_regular(path), "rb") as file:
        return file.read(limit)
