"""The report as Markdown."""

from __future__ import annotations

import re

from facts import Facts, Part, Table


def markdown(found: Facts) -> str:
    lines = [f"# Repository check: {plain(found.title)}", ""]
    if found.folder:
        lines += [f"Folder: {plain(found.folder)}", ""]
    if found.remark:
        lines += [plain(found.remark), ""]
    lines += [f"- {plain(problem)}" for problem in found.problems]
    for part in found.parts:
        lines += _part(part)
    return "\n".join(lines).rstrip() + "\n"


def _part(part: Part) -> list[str]:
    lines = ["", f"## {part.title}", ""]
    if part.problem:
        lines += [plain(part.problem), ""]
    if part.figures:
        lines += _table(["Figure", "Value"], [[figure.label, figure.shown()] for figure in part.figures])
    for remark in part.remarks:
        lines += ["", plain(remark)]
    for table in part.tables:
        lines += ["", f"### {table.title}", "", *_table(table.columns, [_row(table, row) for row in table.rows])]
    return lines


def _row(table: Table, row: list[object]) -> list[str]:
    return [f"{value:,}" if isinstance(value, int) else str(value) for value in row]


def _table(columns: list[str], rows: list[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return lines + ["| " + " | ".join(plain(cell) for cell in row) + " |" for row in rows]


def plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    one_line = " ".join(text.split())
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", one_line)
