"""Failures recorded from the real programs (`recorded/failures`, made by `tests/programs/failures_recorded.py`), and what the adapters make of them.

`python -m tests.agents.recorded_failures [LIST]` prints what is told in another class than the one that was written down beforehand.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.agents.registry import adapter_for
from tests.agents.replays import fold_of

FOLDER = Path(__file__).parent / "recorded" / "failures"
KINDS: Mapping[str, tuple[str, str]] = {
    "claude": ("claude-code", "claude"),
    "gemini": ("gemini", "acp"),
    "codex": ("codex", "codex"),
    "codex-acp": ("codex", "acp"),
    "opencode": ("opencode", "opencode"),
    "opencode-anthropic": ("opencode", "opencode"),
    "opencode-google": ("opencode", "opencode"),
    "qwen": ("acp", "acp"),
}
"""{program: (kind of the agent, protocol of its wire)}"""
SILENT = {
    ("codex", "silence"), ("codex-acp", "silence"), ("gemini", "closed in the stream"), ("gemini", "high demand in the stream"),
    ("opencode", "a page where an answer was due"), ("opencode", "nothing listens"),
    ("gemini", "closed before a word"), ("opencode-anthropic", "silence"), ("opencode-anthropic", "a page where an answer was due"),
    ("opencode-google", "a page where an answer was due"), ("opencode-google", "high demand in the stream"),
}  # fmt: skip
"""Where the program told of no failure at all before it was ended, or took it for the end of an answer: nothing there can be read."""
HIDES: tuple[tuple[str, str, str], ...] = (
    (r"codex(-acp)?", "exceeded retry limit, last status: 429", "rate_limit"),
    (r"codex(-acp)?", "stream closed before response.completed", "overloaded"),
    ("codex-acp", '"error":{"code":-32000,"message":"Authentication required"}', "auth"),
    ("qwen", '"details":"401 status code (no body)"', "auth"),
    ("qwen", '"details":"403 status code (no body)"', "other"),
    ("qwen", '"details":"Model stream ended without a finish reason."', "overloaded"),
    ("gemini", "Incomplete JSON segment at the end", "overloaded"),
)
"""(program, what it says of different failures in the same words, the class of most of them), which is right there as well: what a
program does not tell nobody can read. Written down before any was judged.
"""


@dataclass(frozen=True, slots=True)
class Shape:
    """One failure as a program told it. is_a: the classes that are right, the first before all. code: None where the program was ended.

    hidden_as: what its program's words, the same for several failures, mean most often; empty where it says what was answered.
    """

    program: str
    name: str
    is_a: tuple[str, ...]
    hidden_as: str
    code: int | None
    wire: Mapping[str, Any]
    said: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What was told of a shape at its end. is_remembered: it would refuse other agents (strong, a sign-in)."""

    shape: Shape
    told: str
    strength: str
    message: str

    @property
    def is_right(self) -> bool:
        """In one of its classes, or in that of its program's words."""
        return self.told in (*self.shape.is_a, self.shape.hidden_as or self.shape.is_a[0])

    @property
    def is_remembered(self) -> bool:
        """Whether it would refuse all other agents of the sign-in."""
        return self.told == "auth" and self.strength == "strong"


def shapes(called: str = "first", *, is_told: bool = True) -> Iterator[Shape]:
    """All that is recorded of a list, by program: what a program told of, or the rest."""
    for path in sorted((FOLDER / called).glob("*.jsonl")):
        program = path.stem.rpartition("-")[0]
        for line in path.read_text("utf-8").splitlines():
            kept = json.loads(line)
            is_a = tuple(filter(None, (kept["is_a"], kept["or_is"])))
            said = tuple((stream, text) for stream, text in kept["said"])
            if ((program, kept["name"]) not in SILENT) is is_told:
                yield Shape(
                    program, kept["name"], is_a, _hidden_as(program, said), kept["code"], kept["wire"], said
                )


def _hidden_as(program: str, said: tuple[tuple[str, str], ...]) -> str:
    text = "\n".join(line for stream, line in said if stream == "out")
    return next((is_a for name, words, is_a in HIDES if re.fullmatch(name, program) and words in text), "")


def reports_of(shape: Shape) -> list[dict[str, Any]]:
    """What the product's adapter reports of it; what it asks is allowed, as it was."""
    adapter = adapter_for(*KINDS[shape.program], shape.wire)
    reports: list[dict[str, Any]] = []
    adapter.begin()
    adapter.take_input()
    for stream, text in shape.said:
        for report in adapter.feed(f"std{stream}", f"{text}\n".encode()):
            reports.append(report)
            if report["kind"] == "approval":
                adapter.answer(report["id"], "Allow once")
                reports += adapter.take_due()
        adapter.take_input()
    return [*reports, *adapter.finish()]


def judged(shape: Shape) -> Judged:
    """What stands at the end of the attempt."""
    error = fold_of(reports_of(shape), code=shape.code).standing_error or {}
    return Judged(shape, str(error.get("class")), str(error.get("strength")), str(error.get("message"))[:200])


def main() -> None:
    """Print figures and what is wrong."""
    found = [judged(shape) for shape in shapes(*sys.argv[1:2])]
    for program in KINDS:
        mine = [one for one in found if one.shape.program == program]
        right = sum(one.is_right for one in mine)
        first = sum(one.told == one.shape.is_a[0] for one in mine)
        print(f"{program}: {right} of {len(mine)} right, {first} in the first class")
    print(len(found), Counter(one.is_right for one in found))
    for one in found:
        is_false = one.is_remembered and one.shape.is_a[0] != "auth"
        if not one.is_right or is_false:
            mark = "REMEMBERED" if is_false else ""
            print(
                one.shape.program, "|", one.shape.name, "|", one.shape.is_a, "|", one.told, one.strength, mark
            )
            print("     ", one.message)


if __name__ == "__main__":
    main()
