"""What is said aloud: an agent that needs somebody, fails, ends or is stopped is announced wherever the person looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.desktop import what_is_missing
from tests.display.driven import launch_by_keys, stop_by_keys, window_on
from tests.display.person import Person
from tests.display.story import Told, told_in, write_story

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing() or "all is here"),
]


def agents(workspace: Path, person: Person, node: str, what: str, count: int) -> list[Told]:
    """So many agents of a node, oldest first, once they have noted this."""

    def found(_: object) -> list[Told]:
        told = [t for t in told_in(workspace) if t.node == node and t.at(what)]
        return told if len(told) >= count else []

    return person.wait_for(found, f"{count} {node} {what}")


def wait_said(person: Person, words: str, told: Told, what: str) -> None:
    """These words were announced once, and not before the agent had noted it."""
    person.wait_for(lambda _: times(person, words), f"announced: {words!r}")
    (at,) = times(person, words)
    noted = told.at(what)
    assert noted is not None
    assert noted <= at, f"{words!r} was said before it was so"


def times(person: Person, words: str) -> list[float]:
    return [at for at, said in person.announcements() if words in said]


def test_needs_you_failed_done_and_stopped_are_said_aloud_and_once(tmp_path: Path) -> None:
    """Two runs beside each other; the end of the one is said while the other goes on."""
    workspace = tmp_path / "workspace"
    write_story(workspace, ("asker", "ask"), ("bad", "fail"), ("work", "work"))
    with window_on(tmp_path, workspace) as (person, _):
        launch_by_keys(person, "short")
        (bad,), (asker,), (work,) = (
            agents(workspace, person, node, what, 1)
            for node, what in (("bad", "failed"), ("asker", "asked"), ("work", "ended"))
        )
        wait_said(person, "Bad, run A, failed", bad, "failed")
        wait_said(person, "Asker, run A, needs you", asker, "asked")
        wait_said(person, "Work, run A, done", work, "ended")
        launch_by_keys(person, "long")
        wait_said(person, "Bad, run B, failed", agents(workspace, person, "bad", "failed", 2)[1], "failed")
        wait_said(
            person, "Asker, run B, needs you", agents(workspace, person, "asker", "asked", 2)[1], "asked"
        )
        person.press("ctrl+shift+a", "ctrl+3")
        person.tab_to("push button", "Answer yes")
        person.press("space")
        (asker,) = agents(workspace, person, "asker", "ended", 1)
        assert asker.words("answered", "answer") == "yes"
        wait_said(person, "Asker, run A, done", asker, "ended")
        stop_by_keys(person)
        for node in ("Asker", "Work"):
            person.wait_for(lambda _, n=node: times(person, f"{n}, run B, stopped"), f"{node} stopped, aloud")
        said = [words for _, words in person.announcements()]
        assert sum(words.count("failed") for words in said) == 2, said
        assert sum(words.count("needs you") for words in said) == 2, said
