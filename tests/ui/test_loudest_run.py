"""What a node and a wire say for several live runs, of which two have rows: done is said last (OWN1, OWN3)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from quarterdeck.domain.views import RunView
from quarterdeck.ui.badges import badge_of_word
from quarterdeck.ui.present import Known, Looking, WindowFacts, assign_letters, present
from tests.ui import made


def facts_of(*views: RunView) -> WindowFacts:
    runs = tuple(made.summary(view) for view in reversed(views))
    letters = assign_letters({}, [view.run_id for view in views])
    known = Known(runs, {view.run_id: view for view in views})
    return present(known, Looking(made.workflow(), None, letters), made.at(1024))


def test_a_wire_is_green_only_where_no_shown_run_has_yet_to_come_to_it() -> None:
    """OWN3: what a run without a row of its own is done with says nothing of those that are shown."""
    ahead = made.run_view(1, {"planner": "Done", "web": "Done"})
    behind = made.run_view(2, {"planner": "Running"})
    both = facts_of(ahead, behind).passed
    assert both.went == facts_of(ahead).passed.green > both.green == frozenset()
    caught_up = made.run_view(2, {"planner": "Done", "web": "Running"})
    assert facts_of(ahead, caught_up).passed.green == {("planner", "web")}


def test_a_wire_is_green_where_another_run_will_never_take_it() -> None:
    ahead = made.run_view(1, {"planner": "Done", "web": "Done"})
    other = made.run_view(2, {"planner": "Failed", "web": "Skipped"})
    assert facts_of(ahead, other).passed.green == {("planner", "web")}


def showing(number: int, word: str) -> RunView:
    """A live run whose *web* shows this word."""
    view = made.run_view(number)
    slots = tuple(replace(s, display=word) if s.slot_id == "web" else s for s in view.slots)
    return replace(view, slots=slots)


LOUD_FIRST = (
    *("Needs you", "Paused", "Retrying", "Re-opened, waiting to start"),
    *("Could not stop", "Still alive", "Failed"),
    *("Running", "Starting", "Stopping", "Still ending"),
    *("Stopped", "Waiting", "Not started", "Done", "Skipped"),
)


@pytest.mark.parametrize(("louder", "quieter"), tuple(pairwise(LOUD_FIRST)))
def test_the_loudest_run_speaks_for_a_node_and_one_that_is_done_speaks_last(
    louder: str, quieter: str
) -> None:
    """OWN3: whichever run is the older one."""
    for words in ((louder, quieter), (quieter, louder)):
        facts = facts_of(*(showing(n, word) for n, word in enumerate(words, 1)))
        assert next(f for f in facts.faces if f.node_id == "web").loudest.word == louder


def test_a_run_without_a_row_of_its_own_makes_no_node_done_that_others_wait_for() -> None:
    """OWN3: hidden under +1, the oldest of three is done; both that are shown have yet to come to the node."""
    hidden = made.run_view(1, {"planner": "Done", "web": "Done"})
    waiting = [made.run_view(n, {"planner": "Running", "web": "Waiting"}) for n in (2, 3)]
    web = next(f for f in facts_of(hidden, *waiting).faces if f.node_id == "web")
    assert (web.more, [row.badge.word for row in web.rows]) == (1, ["Waiting", "Waiting"])
    assert web.loudest == badge_of_word("Waiting")
    ready = [made.run_view(n, {"planner": "Done", "web": "Done"}) for n in (2, 3)]
    assert next(f for f in facts_of(hidden, *ready).faces if f.node_id == "web").loudest.word == "Done"
