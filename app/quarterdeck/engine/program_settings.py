"""Settings that agent programs read in a folder by themselves, and what these start: servers, hooks, plugins (ruling 26). Blocking.

They are shown and hashed as found, never changed; nothing of them is started here. What a program reads in the home of the person
is the person's own and is not looked at.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from quarterdeck.agents.registry import settings_of
from quarterdeck.engine.instructions import folders_up
from quarterdeck.engine.planned import FoundSettings
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular

FILE_BYTES_MAX = 4_000_000
FILES_MAX = 500
STARTS_MAX = 50
_COMMANDS = ("command", "cmd")
_ADDRESSES = ("url", "httpUrl", "serverUrl")


def settings_found(folders: Iterable[tuple[str, Path]]) -> tuple[FoundSettings, ...]:
    """folders: (kind of agent, where it works). Each file once, nearest first; of kinds that read none, none."""
    found: dict[Path, FoundSettings] = {}
    for kind, folder in dict.fromkeys(folders):
        for path in _paths(kind, folder):
            if path not in found and len(found) < FILES_MAX:
                found[path] = _read(path)
    return tuple(found.values())


def _paths(kind: str, folder: Path) -> Iterator[Path]:
    names = settings_of(kind)
    for place in folders_up(folder) if names else ():
        for name in names:
            try:
                yield from (path for path in sorted(place.glob(name)) if path.is_file())
            except OSError:
                continue  # what may not be listed by us is not read by a program of the same person either


def _read(path: Path) -> FoundSettings:
    try:
        content = read_regular(path, FILE_BYTES_MAX + 1, follow_links=True)
    except (OSError, StoreDamaged, ValueError):
        return FoundSettings(path, "", (), is_readable=False)
    digest = hashlib.sha256(content).hexdigest()
    if len(content) > FILE_BYTES_MAX:
        return FoundSettings(path, digest, (), is_readable=False)
    if path.suffix not in (".json", ".jsonc", ".toml"):
        return FoundSettings(path, digest, ())
    try:
        text = content.decode("utf-8-sig")
        document = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
        starts = tuple(dict.fromkeys(_starts(document)))
    except (ValueError, RecursionError):
        return FoundSettings(path, digest, (), is_readable=False)
    return FoundSettings(path, digest, starts[:STARTS_MAX], more=max(0, len(starts) - STARTS_MAX))


def _starts(value: Any) -> Iterator[str]:
    """Every command and address in it, and plugins by name: what it is for differs by program, that it is started does not."""
    if isinstance(value, Mapping):
        for key in _COMMANDS:
            if isinstance(value.get(key), str | list):
                yield " ".join(map(str, _items(value[key]) + _items(value.get("args"))))
        yield from (value[key] for key in _ADDRESSES if isinstance(value.get(key), str))
        yield from map(str, _items(value.get("plugin")))
        for inner in value.values():
            yield from _starts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _starts(inner)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []
