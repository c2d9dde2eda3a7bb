"""Size by language, largest files, and licences. usage: size.py FOLDER"""

from __future__ import annotations

import collections
import re
import sys
from pathlib import Path, PurePath

import agent
import folder as examined

LISTED = 10
HEAD_BYTES = 4_000
LANGUAGES = {
    ".py": "Python", ".pyi": "Python", ".md": "Markdown", ".rst": "reStructuredText", ".txt": "Text", ".json": "JSON",
    ".toml": "TOML", ".yml": "YAML", ".yaml": "YAML", ".js": "JavaScript", ".mjs": "JavaScript", ".ts": "TypeScript",
    ".tsx": "TypeScript", ".jsx": "JavaScript", ".html": "HTML", ".css": "CSS", ".c": "C", ".h": "C", ".cc": "C++",
    ".cpp": "C++", ".hpp": "C++", ".rs": "Rust", ".go": "Go", ".java": "Java", ".kt": "Kotlin", ".rb": "Ruby",
    ".sh": "Shell", ".sql": "SQL", ".csv": "CSV", ".svg": "SVG", ".xml": "XML", ".ini": "INI", ".cfg": "INI",
}  # fmt: skip
LICENCE_FILE = re.compile(r"(?i)^(licen[cs]e|copying|unlicense|notice)([.-].*)?$")
PHRASES = (
    ("Apache-2.0", "apache license version 2.0"),
    ("MPL-2.0", "mozilla public license version 2.0"),
    ("AGPL-3.0", "gnu affero general public license version 3"),
    ("LGPL-3.0", "gnu lesser general public license version 3"),
    ("LGPL-2.1", "gnu lesser general public license version 2.1"),
    ("GPL-3.0", "gnu general public license version 3"),
    ("GPL-2.0", "gnu general public license version 2"),
    ("BSD-3-Clause", "neither the name of"),
    ("BSD-2-Clause", "redistributions in binary form must reproduce"),
    ("MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software"),
    ("Unlicense", "this is free and unencumbered software released into the public domain"),
)
SPDX = re.compile(rb"SPDX-License-Identifier:[ \t]*([A-Za-z0-9.+() -]{1,80})")


def examine() -> dict:
    folder = examined.folder_of(sys.argv)
    names, remark = examined.files(folder)
    languages: dict[str, list[int]] = {}
    sizes: list[tuple[int, str]] = []
    spdx: collections.Counter = collections.Counter()
    totals = {"bytes": 0, "lines": 0, "binary_files": 0, "not_utf8_files": 0, "unreadable_files": 0}
    for number, name in enumerate(names):
        if number % 200 == 0:
            agent.progress(number, len(names), "measuring")
        content = examined.read(folder / name)
        if content is None:
            totals["unreadable_files"] += 1
            continue
        sizes.append((len(content), name))
        _measure(name, content, totals, languages, spdx)
    sizes.sort(key=lambda item: (-item[0], item[1]))
    table = [[language, *figures] for language, figures in languages.items()]
    return {
        "files": len(names),
        **totals,
        "languages": sorted(table, key=lambda row: (-row[2], row[0])),
        "largest": [[examined.shown(name), size] for size, name in sizes[:LISTED]],
        **licences(folder, names, spdx),
        "remarks": [remark] if remark else [],
    }


def _measure(name: str, content: bytes, totals: dict, languages: dict, spdx: collections.Counter) -> None:
    totals["bytes"] += len(content)
    if examined.is_binary(content):
        totals["binary_files"] += 1
        return
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        totals["not_utf8_files"] += 1
    lines = content.count(b"\n") + (0 if content.endswith(b"\n") or not content else 1)
    totals["lines"] += lines
    row = languages.setdefault(LANGUAGES.get(PurePath(name).suffix.lower(), "Other"), [0, 0, 0])
    row[0], row[1], row[2] = row[0] + 1, row[1] + lines, row[2] + len(content)
    found = SPDX.search(content[:HEAD_BYTES])
    if found:
        spdx[found[1].decode().strip()] += 1


def licences(folder: Path, names: list[str], spdx: collections.Counter) -> dict:
    """Licence files with what they seem to be, and how many files name one in their head."""
    found = []
    for name in names:
        if LICENCE_FILE.match(PurePath(name).name):
            words = " ".join((examined.read(folder / name) or b"").decode("utf-8", "replace").lower().split())
            words = words.replace(" ,", ",").replace("license, version", "license version")
            known = next((licence for licence, phrase in PHRASES if phrase in words), "not recognised")
            found.append([examined.shown(name), known])
    main = next((known for name, known in found if "/" not in name and known != "not recognised"), None)
    return {
        "licence": main,
        "licence_files": found[:LISTED],
        "spdx_files": sum(spdx.values()),
        "spdx": sorted(spdx.items(), key=lambda pair: (-pair[1], pair[0])),
    }


if __name__ == "__main__":
    agent.run_part("size", examine)
