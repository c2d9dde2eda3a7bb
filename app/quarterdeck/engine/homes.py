"""Where a workflow lives (STO5): its id is in its file, so history follows a folder that was moved. A folder that was copied
makes two files of one id; that is said, and the copy can get an id of its own. Blocking.
"""

from __future__ import annotations

import json
import os
import re
import stat
import uuid
from pathlib import Path
from typing import Any

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.events import RunLaunched
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged, StoreError
from quarterdeck.store.json_text import fast_loads
from quarterdeck.store.regular import read_regular
from quarterdeck.store.workflow_file import SUFFIX

FILES_MAX = 200
"""Files of a folder that are looked into."""
FILE_BYTES_MAX = 10_000_000


class NoNewId(Exception):
    """The file cannot be given another id; its text says why."""


def other_home(store: Store, workflow: WorkflowId, path: Path) -> Path | None:
    """Another file of the same id, where the workflow was last launched from; None where there is none (any more)."""
    folder = _last_folder(store, workflow)
    if folder is None or os.path.realpath(folder) == os.path.realpath(path.parent):
        return None
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))[:FILES_MAX]
    except OSError:
        return None
    for name in names:
        found = folder / name
        try:
            if _id_of(_read(found)) == workflow and not os.path.samefile(found, path):
                return found
        except (OSError, ValueError, StoreDamaged):
            continue  # no workflow, or gone: no home
    return None


def give_new_id(path: Path, io: DurableIO | None = None) -> str:
    """Another id in the file, whose text stays as it is otherwise; the new id. Raises NoNewId."""
    try:
        content = read_regular(path, follow_links=True)
        before = json.loads(content)
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, ValueError, StoreDamaged) as error:
        raise NoNewId(f"{path} cannot be read: {error}") from error
    old, new = _id_of(before), str(uuid.uuid4())
    if not old:
        raise NoNewId(f"{path} has no id.")
    written = b"|".join(map(re.escape, _ways_to_write(old)))
    pattern = re.compile(rb'("id"\s*:\s*)(?:' + written + b")")
    for found in pattern.finditer(content):
        after = content[: found.end(1)] + json.dumps(new).encode() + content[found.end() :]
        if json.loads(after) == {**before, "id": new}:
            break
    else:
        raise NoNewId(
            f"The id in {path} is written in a way that cannot be replaced; write another one by hand."
        )
    try:
        place = path.resolve()  # a link stays one
        replace_file(io or DurableIO(), place, after)
        place.chmod(mode)
    except OSError as error:
        raise NoNewId(f"{path} cannot be written: {error.strerror or error}.") from error
    return new


def _last_folder(store: Store, workflow: WorkflowId) -> Path | None:
    marks = [b'"workflow_id":' + text for text in _ways_to_write(workflow)]
    own = [
        (int(fast_loads(text).get("launch_seq") or 0), run)
        for run, text in store.index.texts().items()
        if any(mark in text for mark in marks)
    ]
    return _folder_of(store, max(own)[1]) if own else None


def _ways_to_write(text: str) -> set[bytes]:
    """JSON of it, with letters beyond ASCII as they are and escaped."""
    escaped = json.dumps(text).encode()
    try:
        return {escaped, json.dumps(text, ensure_ascii=False).encode()}
    except UnicodeEncodeError:
        return {escaped}  # half a surrogate pair can only be escaped


def _folder_of(store: Store, run: RunId) -> Path | None:
    try:
        entries = store.runs.read(run).entries
    except (StoreError, DomainError):
        return None
    first = entries[0].event if entries else None
    return Path(first.workflow_folder) if isinstance(first, RunLaunched) else None


def _read(path: Path) -> Any:
    if path.stat().st_size > FILE_BYTES_MAX:
        raise ValueError("too large")
    return json.loads(read_regular(path, follow_links=True))


def _id_of(document: Any) -> str:
    found = document.get("id") if isinstance(document, dict) else None
    return found if isinstance(found, str) else ""
