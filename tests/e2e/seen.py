"""What can be seen from outside, by code of the test's own: marked processes, files, sums. Imports nothing of the product.

Written from the pages of the design: framed lines, marks in the environment, the lines protocol, what a transcript is.
"""

from __future__ import annotations

import hashlib
import json
import os
import select
import time
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.store.naive import good_prefix, is_good, journal_of

Line = dict[str, Any]
__all__ = ["AGENT", "KEEPER", "good_prefix", "is_good", "journal_of"]


AGENT, KEEPER = b"QUARTERDECK_ATTEMPT=", b"QUARTERDECK_SHIM="


def marked(word: bytes, *marks: bytes) -> dict[int, str]:
    """Living processes with `word` anywhere in their environment and a variable that begins with a mark, by pid.

    Without marks: agents and what they started.
    """
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            environment = Path(f"/proc/{name}/environ").read_bytes()
        except OSError:
            continue  # it ended while we looked; a zombie has no environment either
        if word in environment and any(part.startswith(marks or AGENT) for part in environment.split(b"\0")):
            found[int(name)] = environment.decode(errors="replace")
    return found


def wait_until(condition: Callable[[], Any], within_s: float, what: str = "") -> Any:
    """The first true value of the condition; fails after the deadline."""
    end = time.monotonic() + within_s
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {within_s} s: {what or condition}"
        select.select([], [], [], 0.02)
    return value


def objects_of(path: Path) -> list[Line]:
    """Whole lines of a framed file; nothing where it is missing."""
    return good_prefix(path.read_bytes()) if path.exists() else []


def lines_of(transcript: bytes) -> list[Line]:
    """The objects that an agent printed, one a line; other lines are text. A last line without its end is not counted."""
    found = []
    for line in transcript.split(b"\n")[:-1]:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def cost_of(lines: Iterable[Line]) -> Decimal | None:
    """What usage lines of one agent session sum up to: a message counts once, cumulative figures replace (ruling 10)."""
    by_message: dict[Any, Decimal] = {}
    cumulative: dict[Any, Decimal] = {}
    for number, line in enumerate(lines):
        if line.get("type") != "usage" or line.get("cost_usd") is None:
            continue
        amount = Decimal(str(line["cost_usd"]))
        if line.get("cumulative"):
            cumulative[line.get("model")] = amount
        else:
            by_message[line.get("message_id", ("unnamed", number))] = amount
    amounts = [*by_message.values(), *cumulative.values()]
    return sum(amounts, Decimal(0)) if amounts else None


def tree(*places: Path) -> dict[str, tuple[int, str]]:
    """Every file and folder below, with its time of change in nanoseconds and the hash of its content."""
    found: dict[str, tuple[int, str]] = {}
    for place in places:
        for path in (place, *sorted(place.rglob("*"))):
            if not path.exists():
                continue
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            found[str(path)] = (path.stat().st_mtime_ns, content)
    return found
