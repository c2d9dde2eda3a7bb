"""What people left for later: TODO, FIXME, XXX and HACK in text files. usage: todos.py FOLDER"""

from __future__ import annotations

import collections
import re
import sys

import agent
import folder as examined

MARK = re.compile(rb"(?<![A-Za-z0-9_])(TODO|FIXME|XXX|HACK)(?![A-Za-z0-9_])")
LISTED = 25


def examine() -> dict:
    folder = examined.folder_of(sys.argv)
    names, remark = examined.files(folder)
    marks: collections.Counter = collections.Counter()
    by_file: collections.Counter = collections.Counter()
    listed: list[list[str]] = []
    for number, name in enumerate(names):
        if number % 200 == 0:
            agent.progress(number, len(names), "looking for TODO and FIXME")
        content = examined.read(folder / name)
        if content is None or len(content) > examined.TEXT_BYTES_MAX or examined.is_binary(content):
            continue
        for line_number, line in enumerate(content.split(b"\n"), 1):
            for mark in MARK.findall(line):
                marks[mark.decode()] += 1
                by_file[name] += 1
                if len(listed) < LISTED:
                    words = line.decode("utf-8", "replace").strip()[:160]
                    listed.append([mark.decode(), f"{examined.shown(name)}:{line_number}", words])
    return {
        "marks": sum(marks.values()),
        "by_mark": sorted(marks.items(), key=lambda pair: (-pair[1], pair[0])),
        "files_with_marks": len(by_file),
        "listed": listed,
        "remarks": [remark] if remark else [],
    }


if __name__ == "__main__":
    agent.run_part("todos", examine)
