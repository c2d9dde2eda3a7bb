"""Failures that real programs had at the scripted service, each told in the class that it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.agents.replays import failures, fold_of, recording, reports_of
from tests.agents.test_claude_stream import stdout_of
from tests.agents.test_claude_stream import told as claude_told
from tests.agents.test_codex import ENDS as CODEX_ENDS
from tests.agents.test_gemini_recorded import told as gemini_told
from tests.agents.test_opencode import ENDS as OPENCODE_ENDS

PROGRAMS = ("codex", "opencode")
"""Those with a file of recorded failures: a program more is a word more."""
OTHERS: dict[str, tuple[Callable[[str], list[dict[str, Any]]], dict[str, str]]] = {
    "claude": (lambda name: claude_told(stdout_of(name)), {
        "auth401": "auth", "auth401mid": "auth", "auth401raw": "auth", "nokey": "auth", "bad400": "invalid",
        "nomodel404": "invalid", "unknown": "invalid", "error500": "overloaded", "over529": "overloaded", "drop": "overloaded",
        "quota": "usage_limit", "rate429": "rate_limit", "rate429ra": "rate_limit",
    }),
    "gemini": (lambda name: gemini_told(name)[1], {
        "auth401": "auth", "auth401mid": "auth", "auth401raw": "auth", "nokey": "auth", "bad400": "invalid", "quota": "usage_limit",
        "auth403": "other", "unknown_session": "invalid",
    }),
}  # fmt: skip
"""{program: (reports of a run by its name, {name: what it is})} of those whose failures lie among their recorded runs."""
SHARE = 0.99
TAUGHT = ("overloaded: 503 slow", "invalid: 404 model")
"""What was looked at when the classes were made; it counts for nothing."""


def _told() -> list[tuple[str, str, str, bool]]:
    """(name, class that it is, class that was told, whether it would be remembered) of every recorded failure."""
    found = []
    for program in PROGRAMS:
        for is_a, recorded in failures(program):
            is_silent = recorded.code < 0  # it tried again until it was ended
            if is_silent or recorded.scenario.startswith(TAUGHT):
                continue
            reports = reports_of(recorded)
            error = fold_of(reports, code=recorded.code).standing_error or {}
            found.append((f"{program}: {recorded.scenario}", is_a, *_judged(error)))
    for program, (reports_by, scenarios) in OTHERS.items():
        for scenario, is_a in scenarios.items():
            error = fold_of(reports_by(scenario), code=1).standing_error or {}
            found.append((f"{program}: {scenario}", is_a, *_judged(error)))
    return found


def _judged(error: Mapping[str, Any]) -> tuple[str, bool]:
    """(class, whether a sign-in would be remembered)."""
    return str(error.get("class")), error.get("class") == "auth"


def test_of_two_hundred_failures_ninety_nine_in_a_hundred_are_told_right() -> None:
    """AUT6. What is wrong is the word of a plain text, which Codex hands on without its status."""
    told = _told()
    wrong = [one for one in told if one[1] != one[2]]
    assert len(told) >= 200
    assert len(wrong) <= (1 - SHARE) * len(told), wrong


def test_only_a_refused_sign_in_would_be_remembered() -> None:
    """AUT6: not a 403, a limit, a proxy or a fault of the service."""
    assert {(is_a == "auth") == is_remembered for _, is_a, _, is_remembered in _told()} == {True}


def test_each_class_is_there_at_the_start_and_in_the_middle() -> None:
    classes = Counter(is_a for _, is_a, _, _ in _told())
    assert set(classes) == {"auth", "usage_limit", "rate_limit", "overloaded", "invalid", "other"}
    assert min(classes.values()) >= 5


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_scenario_that_was_recorded_is_looked_at(program: str) -> None:
    """What is recorded anew fails here until its table knows it."""
    known = {"codex": CODEX_ENDS, "opencode": OPENCODE_ENDS}[program]
    for scenario in known:
        assert recording(program, scenario).program == program
