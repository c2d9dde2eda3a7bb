"""Errors of this room.

ShimError
├── ForkServerFailed    no shim could be started, neither by the fork server nor by a fresh one
├── SpawnFailed         the agent's program could not be started; names the path and the errno
└── LaunchUnreadable    launch.json is missing, damaged, or of a schema that this version does not know
"""

from __future__ import annotations


class ShimError(Exception):
    """Root of the tree."""


class ForkServerFailed(ShimError):
    """No shim could be started for `launch_path`."""

    def __init__(self, launch_path: str, detail: str) -> None:
        super().__init__(f"no shim could be started for {launch_path}: {detail}")
        self.launch_path = launch_path


class SpawnFailed(ShimError):
    """The program at `path` could not be started; the message is a sentence for a person (case 107)."""

    def __init__(self, path: str, message: str, errno: int | None = None) -> None:
        super().__init__(message)
        self.path, self.errno = path, errno


class LaunchUnreadable(ShimError):
    """`path` holds no launch specification that this version understands."""

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(f"{path} cannot be used as a launch specification: {detail}")
        self.path = path
