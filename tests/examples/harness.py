"""Runs the scripts of the example workspace as processes, as the engine would, and reads their report."""

from __future__ import annotations

import html.parser
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[2] / "resources" / "examples"
PARTS = {
    "history": "history.py",
    "lint": "lint.py",
    "tests": "run_tests.py",
    "structure": "structure.py",
    "todos": "todos.py",
    "size": "size.py",
}


@dataclass
class Said:
    """What one script wrote."""

    code: int
    lines: list[dict[str, Any]]
    errors: str

    @property
    def output(self) -> dict[str, Any]:
        return next(line["value"] for line in reversed(self.lines) if line["type"] == "output")

    def artifacts(self) -> dict[str, str]:
        return {line["name"]: line["text"] for line in self.lines if line["type"] == "artifact"}


@dataclass
class Report:
    """A whole check: the outputs of all parts, and the report in both forms."""

    outputs: dict[str, dict[str, Any]]
    output: dict[str, Any]
    markdown: str
    page: str

    @property
    def figures(self) -> dict[str, Any]:
        figures: dict[str, Any] = self.output["figures"]
        return figures


def run_script(script: str, *arguments: str, cache: Path, context: Path | None = None) -> Said:
    """One script, with an own cache folder and without anything written beside it."""
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "XDG_CACHE_HOME": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if context is not None:
        environment["QUARTERDECK_CONTEXT"] = str(context)
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "tools" / script), *arguments],
        cwd=EXAMPLES,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return Said(done.returncode, lines, done.stderr.decode("utf-8", "replace"))


def check(folder: str, work: Path, tests: str = "") -> Report:
    """The whole check of a folder; empty text is the sample."""
    cache = work / "cache"
    prepared = run_script("prepare.py", folder, cache=cache)
    assert prepared.code == 0, prepared.errors
    outputs = {"prepare": prepared.output}
    for part, script in PARTS.items():
        more = (tests,) if part == "tests" else ()
        said = run_script(script, outputs["prepare"]["repo"], *more, cache=cache)
        assert said.code == 0, f"{part}: {said.errors}"
        outputs[part] = said.output
    return report_of(outputs, work)


def report_of(outputs: dict[str, dict[str, Any]], work: Path) -> Report:
    context = work / "context.json"
    nodes = {name: {"output": value, "status": "done", "artifacts": {}} for name, value in outputs.items()}
    context.write_text(json.dumps({"nodes": nodes}))
    said = run_script("report.py", cache=work / "cache", context=context)
    assert said.code == 0, said.errors
    made = said.artifacts()
    return Report(outputs, said.output, made["report.md"], made["report.html"])


class _Page(html.parser.HTMLParser):
    """Figures, visible text and everything that a page would load."""

    def __init__(self) -> None:
        super().__init__()
        self.figures: dict[str, str] = {}
        self.loads: list[str] = []
        self.open: list[str] = []
        self._key: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._key = found.get("data-figure")
        self.loads += [value for name, value in attrs if name in ("src", "href") and value]
        self.loads += [tag] if tag in ("script", "link", "img", "iframe", "object") else []
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"<{tag}> is not closed in order"

    def handle_data(self, data: str) -> None:
        if self._key:
            self.figures[self._key] = data
            self._key = None


def read_page(page: str) -> _Page:
    parser = _Page()
    parser.feed(page)
    parser.close()
    return parser
