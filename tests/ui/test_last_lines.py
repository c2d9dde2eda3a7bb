"""What `recover` and a look say of the last lines of an agent."""

from __future__ import annotations

from quarterdeck.cli.recovering import _agent_lines
from quarterdeck.ui.present_evidence import evidence_parts
from tests.ui import interrupted_made as left

LOST = "9,558 bytes of the transcript could not be kept: the disk did not take them"


def test_a_last_line_that_is_not_the_last_that_was_printed_is_not_called_so() -> None:
    (run,) = left.owed_one().runs
    agent = left.agent("web", "Web", last_line='{"type": "text", "text": "line 12', transcript_lost=LOST)
    told = "\n".join(_agent_lines(run, agent, None))
    assert "last line that was kept: {" in told
    assert f"its transcript ends early: {LOST}" in told
    whole = left.agent("web", "Web", last_line="done")
    assert "last line: done" in "\n".join(_agent_lines(run, whole, None))


def test_a_look_says_that_more_was_printed_than_these_lines() -> None:
    headings = [part.heading for part in evidence_parts(left.evidence(transcript_lost=LOST))]
    assert headings[1:3] == ["Last lines", "Missing after these lines"]
    assert "Missing after these lines" not in [part.heading for part in evidence_parts(left.evidence())]
