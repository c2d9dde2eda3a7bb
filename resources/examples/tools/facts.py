"""What the report says, before it is Markdown or HTML: figures, tables, remarks."""

from __future__ import annotations

import dataclasses

PARTS = {
    "history": "History and churn",
    "lint": "Lint",
    "tests": "Tests",
    "structure": "Complexity and dead code",
    "todos": "Left for later",
    "size": "Size and licences",
}


@dataclasses.dataclass
class Figure:
    """One number of the report. `key` is PART.NAME."""

    key: str
    label: str
    value: object
    tone: str = ""  # "good", "bad" or ""

    def shown(self) -> str:
        if self.value is None:
            return "–"
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return f"{self.value:,}"
        return str(self.value)


@dataclasses.dataclass
class Table:
    """Rows under a heading. bar: the column that is drawn as a bar, or None."""

    title: str
    columns: list[str]
    rows: list[list[object]]
    bar: int | None = None


@dataclasses.dataclass
class Part:
    key: str
    title: str
    figures: list[Figure]
    tables: list[Table]
    remarks: list[str]
    problem: str = ""


@dataclasses.dataclass
class Facts:
    title: str
    folder: str
    remark: str
    parts: list[Part]

    @property
    def figures(self) -> list[Figure]:
        return [figure for part in self.parts for figure in part.figures]

    @property
    def problems(self) -> list[str]:
        return [f"{part.title}: {part.problem}" for part in self.parts if part.problem]


def gather(outputs: dict) -> Facts:
    """Everything that is known; a part without result says so."""
    prepared = outputs.get("prepare", {})
    return Facts(
        title=str(prepared.get("name", "Repository")),
        folder=str(prepared.get("repo", "")),
        remark=str(prepared.get("remark") or ""),
        parts=[_part(key, title, outputs.get(key)) for key, title in PARTS.items()],
    )


def _part(key: str, title: str, found: dict | None) -> Part:
    if found is None:
        return Part(key, title, [], [], [], "This part gave no result.")
    figures = [
        Figure(f"{key}.{name}", label, found[name], _tone(key, name, found[name]))
        for name, label in FIGURES[key]
        if name in found
    ]
    tables = [] if found.get("problem") else [table for table in TABLES[key](found) if table.rows]
    return Part(key, title, figures, tables, list(found.get("remarks") or []), found.get("problem") or "")


FIGURES = {
    "history": [
        ("commits", "Commits"), ("authors", "Authors"), ("first_day", "First commit"), ("last_day", "Last commit"),
        ("lines_added", "Lines added"), ("lines_deleted", "Lines deleted"), ("files_touched", "Files ever touched"),
    ],
    "lint": [
        ("findings", "Findings"), ("files_with_findings", "Files with findings"), ("files", "Python files"),
    ],
    "tests": [
        ("tests", "Tests"), ("passed", "Passed"), ("failed", "Failed"), ("errors", "Errors"), ("skipped", "Skipped"),
        ("seconds", "Seconds"),
    ],
    "structure": [
        ("functions", "Functions"), ("mean_complexity", "Mean complexity"), ("dead", "Seemingly unused"),
        ("files", "Files looked at"), ("unreadable", "Files that are no Python"),
    ],
    "todos": [("marks", "Marks"), ("files_with_marks", "Files with marks")],
    "size": [
        ("files", "Files"), ("lines", "Lines"), ("bytes", "Bytes"), ("binary_files", "Binary files"),
        ("not_utf8_files", "Not UTF-8"), ("unreadable_files", "Not readable"), ("licence", "Licence"),
        ("spdx_files", "Files that name a licence"),
    ],
}  # fmt: skip


def _tone(part: str, name: str, value: object) -> str:
    if (part, name) in {("tests", "failed"), ("tests", "errors"), ("lint", "findings"), ("structure", "unreadable")}:
        return "bad" if value else "good"
    if (part, name) == ("tests", "passed"):
        return "good" if value else ""
    return "bad" if (part, name) == ("size", "licence") and value is None else ""


def _history(found: dict) -> list[Table]:
    return [
        Table("Commits by month", ["Month", "Commits"], found["months"], bar=1),
        Table("Authors", ["Author", "Commits"], found["top_authors"], bar=1),
        Table("Most changed files", ["File", "Lines changed", "Commits"], found["top_churn"], bar=1),
    ]


def _lint(found: dict) -> list[Table]:
    rules = [[code, number, words] for code, number, words in found.get("rules", [])]
    return [
        Table("Rules", ["Rule", "Findings", "For example"], rules, bar=1),
        Table("Files", ["File", "Findings"], found.get("top_files", []), bar=1),
    ]


def _tests(found: dict) -> list[Table]:
    return [
        Table("Failed", ["Test", "What it said"], found.get("bad", [])),
        Table("Slowest", ["Test", "Seconds"], found.get("slowest", []), bar=1),
    ]


def _structure(found: dict) -> list[Table]:
    ranks = [[letter, number] for letter, number in found.get("ranks", {}).items()]
    return [
        Table("Functions by rank of complexity (A is simple)", ["Rank", "Functions"], ranks, bar=1),
        Table("Most complex", ["Function", "Where", "Complexity"], found.get("most_complex", []), bar=2),
        Table("Seemingly unused", ["What", "Where", "Confidence %"], found.get("dead_items", [])),
    ]


def _todos(found: dict) -> list[Table]:
    return [
        Table("Marks", ["Mark", "Times"], found.get("by_mark", []), bar=1),
        Table("Where", ["Mark", "Where", "Line"], found.get("listed", [])),
    ]


def _size(found: dict) -> list[Table]:
    return [
        Table("Languages", ["Language", "Files", "Lines", "Bytes"], found["languages"], bar=2),
        Table("Largest files", ["File", "Bytes"], found["largest"], bar=1),
        Table("Licence files", ["File", "Seems to be"], found["licence_files"]),
        Table("Licences named in files", ["Licence", "Files"], found["spdx"], bar=1),
    ]


TABLES = {
    "history": _history,
    "lint": _lint,
    "tests": _tests,
    "structure": _structure,
    "todos": _todos,
    "size": _size,
}
