"""One window for each data folder; a second one hands its request to the first (JNL10). Blocking, without threads.

Loaded before the first paint, so it imports next to nothing: the rest only where another window has the place.
"""

from __future__ import annotations

import json
import os
import select
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreDamaged, StoreError
from quarterdeck.store.locks import HeldLock, is_locked, try_lock
from quarterdeck.store.network_folder import refused_system
from quarterdeck.store.regular import read_regular
from quarterdeck.store.store_file import STORE_SCHEMA, read_store

SHOW_WINDOW = "show_window"
LOCK_NAME = "window.lock"
ANSWER_WITHIN_S = 10.0
"""A first window that is still starting, or that closes, is waited for so long."""
ASK_AGAIN_S = 0.1
SILENT = "Another window has {folder} and takes no request. Go on there where it can be used; else it hangs: close it, or end it."
DATA_DIR_VARIABLE = "QUARTERDECK_DATA_DIR"


class WindowAsked(NamedTuple):
    """What a second window wants of the first. activation: the desktop's token that lets it come to the front."""

    path: Path | None
    activation: str = ""


class Place(NamedTuple):
    """What came of it. lock: this process is the window, for as long as it holds it (None: the folder takes no lock).

    is_handed: the first window has taken the request. silent: it has the place and does not answer.
    """

    lock: HeldLock | None = None
    is_handed: bool = False
    silent: str = ""


def data_folder() -> Path:
    """As the store names it."""
    chosen = os.environ.get(DATA_DIR_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    from platformdirs import user_data_path

    return Path(user_data_path("quarterdeck", appauthor=False))


def take_place(folder: Path, path: Path | None, within_s: float = ANSWER_WITHIN_S) -> Place:
    """Be the window of this folder, or hand the request to the one that is. The end of a process frees its place at once."""
    if _is_never_written(folder):
        return (
            Place()
        )  # two windows that only read do not meet; what is wrong is said when the store is opened
    end_s = time.monotonic() + within_s
    while True:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = try_lock(DurableIO(), folder / LOCK_NAME)
        except (OSError, StoreError):
            # a folder that takes no lock: what is wrong with it is said when the store is opened
            return Place(is_handed=_asked_at_door(folder, _request(path)))
        if lock is not None:
            return Place(lock)
        if _is_taken(folder, path):
            return Place(is_handed=True)
        if time.monotonic() > end_s:
            return Place(silent=SILENT.format(folder=folder))
        select.select((), (), (), ASK_AGAIN_S)


def _is_never_written(folder: Path) -> bool:
    """Whether nothing at all may be written there: a network holds the folder, or a newer version wrote it (JNL9)."""
    if refused_system(folder):
        return True
    try:
        content = read_store(folder)
    except StoreError:
        return False
    return content is not None and content["schema"] > STORE_SCHEMA


def _is_taken(folder: Path, path: Path | None) -> bool:
    request = _request(path)
    sockets = _window_sockets(folder / "sessions")
    return any(_asked(place, request) for place in sockets) or _asked_at_door(folder, request)


def _request(path: Path | None) -> dict[str, Any]:
    return {
        "v": 1,
        "verb": SHOW_WINDOW,
        "path": None if path is None else os.fspath(path),
        "activation": os.environ.get("XDG_ACTIVATION_TOKEN") or os.environ.get("DESKTOP_STARTUP_ID") or "",
    }


def _window_sockets(sessions: Path) -> Iterator[Path]:
    """Where living windows listen."""
    for file in sorted(sessions.glob("s-*.json")):
        try:
            kind = json.loads(read_regular(file)).get("kind")
            if kind == "window" and is_locked(file.with_suffix(".lock")):
                yield file.with_suffix(".sock")
        except (OSError, ValueError, AttributeError, StoreDamaged):
            continue  # it ended meanwhile, or is none that can be asked


def door_address(folder: Path, uid: int) -> bytes:
    """The name at which a window over this folder is found that has no session; in no folder of a disk. OSError."""
    status = folder.stat()
    return f"\0quarterdeck-window-{uid}-{status.st_dev:x}-{status.st_ino:x}".encode()


def _asked(place: Path, request: dict[str, Any]) -> bool:
    from quarterdeck.engine.owner_socket import short_address

    try:
        with short_address(place) as address:
            return _asked_at(address, request)
    except OSError:
        return False


def _asked_at_door(folder: Path, request: dict[str, Any]) -> bool:
    if sys.platform != "linux":
        return False
    try:
        return _asked_at(door_address(folder, os.getuid()), request)
    except OSError:
        return False


def _asked_at(address: str | bytes, request: dict[str, Any]) -> bool:
    """OSError where nobody is there."""
    from quarterdeck.engine.owner_socket import peer_uid

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(ANSWER_WITHIN_S)
        sock.connect(address)
        if peer_uid(sock) != os.getuid():
            return False
        try:
            sock.sendall(json.dumps(request).encode() + b"\n")
            with sock.makefile("rb") as answers:
                answer = json.loads(answers.readline(65_536))
        except (OSError, ValueError):
            return False
    return isinstance(answer, dict) and answer.get("ok") is True


def asked_of(request: Mapping[str, Any]) -> WindowAsked:
    """The request as the first window takes it."""
    path, activation = request.get("path"), request.get("activation")
    return WindowAsked(
        Path(path) if isinstance(path, str) and path and "\0" not in path else None,
        activation if isinstance(activation, str) else "",
    )
