"""What is never promised stands in the documentation (NOT1–NOT12), and no sentence of ours promises it (A12)."""

from __future__ import annotations

import re
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SAID = {
    "NOT1": "Exactly once",
    "NOT2": "same conclusions twice",
    "NOT3": "Memory",
    "NOT4": "may safely be done again",
    "NOT5": "services stand still",
    "NOT6": "cancels what it had sent",
    "NOT7": "a service is there when you resume",
    "NOT8": "a saved result is right",
    "NOT9": "unknown effect is ever settled by itself",
    "NOT10": "History on another computer",
    "NOT11": "resumes by itself",
    "NOT12": "not measured",
}
PROMISES = re.compile(
    r"(?i)resume all|will (?:automatically )?resume|resumes automatically|guaranteed|exactly-once|"
    r"picks? up where|continues? where (?:you|it) left"
)


def test_each_promise_that_is_not_made_is_named() -> None:
    text = (TOP / "docs" / "recovery.md").read_text(encoding="utf-8")
    section = text.split("## What is never promised", 1)[1]
    lines = re.findall(r"^\d+\. .*$", section, re.MULTILINE)
    assert len(lines) == len(SAID)
    for line, (name, words) in zip(lines, SAID.items(), strict=True):
        assert words in line, name


def test_no_text_of_ours_promises_it() -> None:
    named = [
        f"{path.relative_to(TOP)}: {found[0]}"
        for folder in ("app/quarterdeck", "docs")
        for path in sorted((TOP / folder).rglob("*"))
        if path.suffix in (".py", ".md") and (found := PROMISES.search(_sentences(path)))
    ]
    assert not named, "\n".join(named)


def _sentences(path: Path) -> str:
    """The file's text without what says that it is absent or impossible."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(
        line for line in lines if not re.search(r"(?i)\b(?:no|not|never|nothing|absent|none)\b", line)
    )
