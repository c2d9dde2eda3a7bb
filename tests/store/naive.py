"""A reader of the files that was written from the documents alone. It imports nothing of the product."""

from __future__ import annotations

import json
import re
import zlib
from pathlib import Path
from typing import Any


def is_good(line: bytes) -> bool:
    """A whole line: JSON object, crc last, right over all bytes before it."""
    head, mark, end = line.rpartition(b',"crc":"')
    if not mark or len(end) != 10 or end[8:] != b'"}' or not set(end[:8]) <= set(b"0123456789abcdef"):
        return False
    try:
        return int(end[:8], 16) == zlib.crc32(head) and isinstance(json.loads(line), dict)
    except ValueError:
        return False


def good_prefix(content: bytes) -> list[dict[str, Any]]:
    """Objects of the longest run of good lines from the start; a good last line may lack its newline."""
    found = []
    for line in content.split(b"\n"):
        if not is_good(line):
            break
        obj = json.loads(line)
        del obj["crc"]
        found.append(obj)
    return found


def journal_of(folder: Path) -> list[dict[str, Any]]:
    """What a run's folder says: the segment with the highest number."""
    numbers = {}
    for path in folder.iterdir():
        match = re.fullmatch(r"journal(?:\.(\d+))?\.jsonl", path.name)
        if match:
            numbers[int(match[1] or 1)] = path
    return good_prefix(numbers[max(numbers)].read_bytes()) if numbers else []
