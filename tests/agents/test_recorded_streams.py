"""What Codex and OpenCode printed in every scenario that was recorded: each failure in its class, however the bytes come."""

from __future__ import annotations

import pytest

from tests.agents.replays import of_kind, recording, reports_of

CODEX = {
    "plain": [], "tool": [], "write": [], "quoted": [], "resume_after_kill": [], "resume_finished": [], "hang": [],
    "kill_midtool": [],
    "auth401": [("auth", "medium", 401)], "auth401raw": [("auth", "medium", 401)], "auth401mid": [("auth", "medium", 401)],
    "nokey": [("auth", "medium", None)],
    "auth403": [("other", "medium", 403)],
    "rate429": [("rate_limit", "medium", 429)], "rate429ra": [("rate_limit", "medium", 429)] * 2,  # passing, then given up
    "quota": [("usage_limit", "medium", None)],
    "over529": [("overloaded", "medium", None)],
    "bad400": [("invalid", "medium", 400)],
    "drop": [("overloaded", "medium", None)] * 2,
    "resume_unknown": [("other", "medium", None)],
}  # fmt: skip
OPENCODE = {
    "plain": [], "tool": [], "write": [], "quoted": [], "resume_after_kill": [], "resume_finished": [], "hang": [],
    "kill_midtool": [],
    "rate429": [], "over529": [], "quota": [], "drop": [],  # it tries again for ever, and says nothing
    "auth401": [("auth", "strong", 401)], "auth401raw": [("auth", "strong", 401)], "auth401mid": [("auth", "strong", 401)],
    "nokey": [("auth", "strong", 401)],
    "auth403": [("other", "strong", 403)],
    "rate429ra": [("rate_limit", "strong", 429)],
    "bad400": [("invalid", "strong", 400)],
    "resume_unknown": [("other", "medium", None)],
}  # fmt: skip
ENDS = {("codex", name): ends for name, ends in CODEX.items()} | {
    ("opencode", name): ends for name, ends in OPENCODE.items()
}


@pytest.mark.parametrize(("program", "scenario"), ENDS)
def test_each_recorded_failure_is_told_once_in_its_class(program: str, scenario: str) -> None:
    """AUT6, AUT7: five tries of Codex at a dead sign-in are one error; a status in a field of OpenCode is strong."""
    errors = of_kind(reports_of(recording(program, scenario)), "error")
    assert [(e["class"], e.get("strength"), e.get("status")) for e in errors] == ENDS[program, scenario]


@pytest.mark.parametrize(("program", "scenario"), ENDS)
def test_pieces_of_every_size_give_the_same_reports(program: str, scenario: str) -> None:
    """Chunks end anywhere."""
    recorded = recording(program, scenario)
    whole = reports_of(recorded)
    assert all(reports_of(recorded, size) == whole for size in (1, 7, 100, 4096))
