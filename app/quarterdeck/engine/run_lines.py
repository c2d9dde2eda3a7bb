"""The list of runs as the JSON lines that the index keeps, for who prints it and makes no value of it (P17).

Nothing is loaded that the list does not need: `run_lines` gives it where no run has to be looked into, which is so where
nothing lives and nothing died. Everything else (a run that is live, a line that no longer fits, a session to be settled, a
damaged file) is `Engine`'s, which gives the same list.
"""

from __future__ import annotations

import fcntl
import os
import re

from quarterdeck.store.index_lines import Line, has_header, is_framed, stamps, take_lines

READ_BYTES = 1 << 20
_STORE = re.compile(rb'\{"schema":1,"tenant":"[^"]*",.*\n?')
_HEAD = re.compile(
    rb'\{"run_id":"(?P<run>[^"\\]+)","workflow_id":"(?P<id>[^"\\]*)","workflow_name":"(?P<name>[^"\\]*(?:\\.[^"\\]*)*)"'
    rb',"launch_seq":(?P<launch>[0-9]+),"end_seq":[0-9]+,"phase":"ended","outcome":(?:"(?P<outcome>[a-z]+)"|null),'
)
_REST = b',"exit_code":'
"""What follows a line of `runs --json` in the summary of a record; within a text its quotes would be escaped."""


RunLine = tuple[int, "re.Match[bytes]", bytes]
"""A run that ended: the number of its launch, what it is chosen by, and its line of `runs --json`."""


def workflow_of(line: RunLine) -> tuple[str, str]:
    """Id and name of the run's workflow."""
    name = line[1]["name"]
    if b"\\" not in name:
        return line[1]["id"].decode(), name.decode()
    import json

    return line[1]["id"].decode(), json.loads(b'"%b"' % name)


def outcome_of(line: RunLine) -> str:
    """How the run ended; empty where that is not known."""
    return (line[1]["outcome"] or b"").decode()


def run_lines(folder: str) -> list[RunLine] | None:
    """The ended runs of a data folder, newest launch first; None where the list needs the engine. Writes nothing."""
    try:
        if not _is_at_rest(folder):
            return None
        known: dict[str, Line] = {}
        with open(f"{folder}/index.jsonl", "rb", READ_BYTES, opener=_without_waiting) as file:
            if not has_header(file.readline()) or take_lines(file, known) < 0:
                return None
        present = stamps(f"{folder}/runs", known)
    except OSError:
        return None
    found: list[RunLine] = []
    for name, stamp in present.items():
        line = known.get(name)
        made = None if line is None or line[0] != stamp else _line(name, line[1])
        if made is None:
            return None
        found.append(made)
    found.sort(key=_newest_first)
    return found


def _newest_first(line: RunLine) -> int:
    return -line[0]


def _is_at_rest(folder: str) -> bool:
    """A store of ours, and every session that is not clean lives. Raises OSError."""
    with open(f"{folder}/store.json", "rb", opener=_without_waiting) as file:
        said = file.read()
    if _STORE.fullmatch(said) is None or not is_framed(said):
        return False
    sessions = f"{folder}/sessions"
    return all(
        _is_held(f"{sessions}/{name[:-5]}.lock") for name in os.listdir(sessions) if name.endswith(".json")
    )


def _without_waiting(path: str, flags: int) -> int:
    """A named pipe in a file's place must not hold the list up; it reads as an empty file."""
    return os.open(path, flags | os.O_NONBLOCK)


def _is_held(path: str) -> bool:
    """Whether the lock is held: its session lives. Looked at as in `store.locks`."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def _line(name: str, summary: bytes) -> RunLine | None:
    head = _HEAD.match(summary)
    end = summary.find(_REST)
    if head is None or end < 0 or head["run"] != name.encode():
        return None
    return int(head[4]), head, summary[:end] + b"}"
