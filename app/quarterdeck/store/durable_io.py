"""The one seam for durable input and output. Standard library only: the shim loads it in a bare interpreter.

Everything of Quarterdeck that writes to disk goes through a `DurableIO`, so that tests can fail or kill at any
operation (`before` is called ahead of each). Errors are plain OSErrors here; the store turns them into StoreDown.
Nothing here knows what is written.
"""

from __future__ import annotations

import errno
import os
import pathlib

FILE_MODE = 0o600
FOLDER_MODE = 0o700
TEMP_SUFFIX = ".tmp"


class DurableIO:
    """Blocking durable operations. Stateless; one instance may serve many threads."""

    def before(self, operation: str, target: str) -> None:
        """Called before each operation with its name and its path (or `fd:N`). Tests override it."""

    def open(self, path: str | os.PathLike[str], flags: int, mode: int = FILE_MODE) -> int:
        """A close-on-exec descriptor; a symbolic link as last part is refused (ELOOP), a named pipe is never waited for."""
        self.before("open", os.fspath(path))
        return os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode)

    def write(self, fd: int, content: bytes | bytearray | memoryview) -> None:
        """Writes the whole content, also where the system takes only a part at a time."""
        view = memoryview(content)
        while len(view):
            taken = self.write_some(fd, view)
            if taken <= 0:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            view = view[taken:]

    def write_some(self, fd: int, view: memoryview) -> int:
        """One write call; returns the number of bytes taken."""
        self.before("write", f"fd:{fd}")
        return os.write(fd, view)

    def fdatasync(self, fd: int) -> None:
        """Content and size are on the medium afterwards. After an error the file must not be trusted (JNL7)."""
        self.before("fdatasync", f"fd:{fd}")
        getattr(os, "fdatasync", os.fsync)(fd)

    def fsync(self, fd: int) -> None:
        """Content and metadata are on the medium afterwards."""
        self.before("fsync", f"fd:{fd}")
        os.fsync(fd)

    def fsync_folder(self, folder: str | os.PathLike[str]) -> None:
        """The names in the folder are on the medium afterwards."""
        self.before("fsync_folder", os.fspath(folder))
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def replace(self, source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
        """Atomic rename over what is there."""
        self.before("replace", os.fspath(target))
        os.replace(source, target)

    def unlink(self, path: str | os.PathLike[str]) -> None:
        """Removes a name."""
        self.before("unlink", os.fspath(path))
        os.unlink(path)

    def mkdir(self, path: str | os.PathLike[str], mode: int = FOLDER_MODE) -> None:
        """A new folder; FileExistsError where it exists."""
        self.before("mkdir", os.fspath(path))
        os.mkdir(path, mode)

    def rmdir(self, path: str | os.PathLike[str]) -> None:
        """Removes an empty folder."""
        self.before("rmdir", os.fspath(path))
        os.rmdir(path)

    def truncate(self, fd: int, size: int) -> None:
        """Cuts the file to `size` bytes."""
        self.before("truncate", f"fd:{fd}")
        os.ftruncate(fd, size)

    def allocate(self, fd: int, offset: int, size: int) -> None:
        """Reserves space, so that a later write there does not meet a full disk."""
        self.before("allocate", f"fd:{fd}")
        allocate = getattr(os, "posix_fallocate", None)
        if allocate is not None:
            allocate(fd, offset, size)

    def close(self, fd: int) -> None:
        """Closes a descriptor. Not counted as an operation: what matters was synced before."""
        os.close(fd)


class ReadOnlyIO(DurableIO):
    """Refuses every operation: for a store that this version must not write (JNL9)."""

    def before(self, operation: str, target: str) -> None:
        """EROFS, always."""
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), target)


def replace_file(
    io: DurableIO, path: str | os.PathLike[str], content: bytes, *, folder_sync: bool = True
) -> None:
    """Publishes `content` under `path`, complete or not at all (STO10, style 27).

    A new file beside it (O_EXCL, O_NOFOLLOW, 0600), write, fsync, rename, fsync of the folder. An error leaves
    what was there before; where only the last step failed, the new file may be visible but not yet durable.
    """
    folder, name = os.path.split(os.fspath(path))
    temp = os.path.join(folder, f".{name}.{os.getpid()}.{os.urandom(6).hex()}{TEMP_SUFFIX}")
    fd = io.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        try:
            io.write(fd, content)
            io.fsync(fd)
        finally:
            io.close(fd)
        io.replace(temp, path)
    except OSError:
        discard_temp(io, temp)
        raise
    if folder_sync:
        io.fsync_folder(folder)


def discard_temp(io: DurableIO, temp: str) -> None:
    """Removes our own temp file after an error; what cannot be removed now is swept at the next start."""
    try:
        io.unlink(temp)
    except OSError:  # the disk is already in trouble, and the first error is the one that is told
        return


def probe_path(folder: pathlib.Path) -> pathlib.Path:
    """Where to try whether a folder takes a file; `sweep_temps` finds it after a kill."""
    return folder / f".probe.{os.getpid()}.{os.urandom(6).hex()}{TEMP_SUFFIX}"


def sweep_temps(io: DurableIO, folder: str | os.PathLike[str]) -> int:
    """Removes temp files whose writing process is gone (STO10); returns how many. Others may sweep at the same time."""
    swept = 0
    with os.scandir(folder) as entries:
        stale = [e.path for e in entries if _is_temp_name(e.name) and not e.is_dir(follow_symlinks=False)]
    for path in stale:
        parts = os.path.basename(path)[1 : -len(TEMP_SUFFIX)].rsplit(".", 2)
        if len(parts) == 3 and parts[1].isdigit() and not _is_alive(int(parts[1])):
            try:
                io.unlink(path)
            except FileNotFoundError:
                continue  # another process that starts was faster
            swept += 1
    return swept


def _is_temp_name(name: str) -> bool:
    return name.startswith(".") and name.endswith(TEMP_SUFFIX)


def make_folder(io: DurableIO, path: str | os.PathLike[str]) -> bool:
    """Makes one folder (0700) durably; False where it exists already. Its parent must exist."""
    try:
        io.mkdir(path)
    except FileExistsError:
        return False
    io.fsync_folder(os.path.dirname(os.fspath(path)))
    return True


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
