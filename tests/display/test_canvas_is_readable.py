"""The canvas read from outside by a screen reader's means: the real window, real practice agents, none of our code.

For everybody: nodes have name, state, run, place; they are children of the canvas.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.display.desktop import what_is_missing
from tests.display.driven import window_on
from tests.display.person import Thing

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing() or "all is here"),
]

FLOW = {
    "format": "quarterdeck.workflow/1",
    "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d77",
    "name": "Read aloud",
    "agents": {"player": {"kind": "practice"}},
    "nodes": [
        {
            "id": "first",
            "title": "Opener",
            "agent": "player",
            "prompt": "cost 0.4 a step\nwork 200ms in 1 step",
        },
        {"id": "second", "title": "Asker", "agent": "player", "prompt": "ask Go on? | yes | no"},
        {"id": "third", "title": "Closer", "agent": "player", "prompt": "work 200ms in 1 step"},
    ],
    "edges": [{"from": "first", "to": "second"}, {"from": "second", "to": "third"}],
}


def nodes_of(seen: list[Thing]) -> list[Thing]:
    return [thing for thing in seen if thing.path[-1:] == ("Workflow canvas",)]


def test_nodes_are_read_with_name_state_run_and_place(tmp_path: Path) -> None:
    """Names alone tell what each node does in which run, before a run, while it waits, and after it was stopped."""
    work = tmp_path / "work"
    work.mkdir()
    file = work / "aloud.workflow.json"
    file.write_text(json.dumps(FLOW))
    with window_on(tmp_path, file) as (person, _):
        seen = person.wait_for(lambda s: s if len(nodes_of(s)) == 3 else None, "three nodes")
        assert [n.name for n in nodes_of(seen)] == [
            "Opener, not started",
            "Asker, not started",
            "Closer, not started",
        ]
        assert {n.role for n in nodes_of(seen)} == {"list item"}
        person.do(person.wait_thing("push button", "Run"))
        person.do(person.wait_thing("push button", "Start run"))
        seen = person.wait_for(
            lambda s: s if any("Asker, run A needs you" in n.name for n in nodes_of(s)) else None,
            "the question",
        )
        opener, asker, closer = nodes_of(seen)
        assert opener.name.startswith("Opener, run A done, ")
        assert "40 cents" in opener.name
        assert closer.name == "Closer, run A waiting"
        assert_places(opener, asker, closer, next(t for t in seen if t.name == "Workflow canvas"))
        assert asker.place is not None
        person.click_at(asker.place[0] + 40, asker.place[1] + 12)
        person.wait_for(
            lambda s: any("selected" in n.states and "Asker" in n.name for n in nodes_of(s)), "the choice"
        )
        person.do(person.wait_thing("push button", "Stop"))
        person.do(person.wait_thing("push button", "Stop it"))
        person.wait_for(
            lambda s: any(n.name.startswith("Asker, past run") for n in nodes_of(s)), "the end of the run"
        )


def assert_places(*things: Thing) -> None:
    """Nodes stand from left to right inside the canvas, each with a size."""
    *nodes, canvas = [thing.place for thing in things if thing.place is not None]
    assert len(nodes) == len(things) - 1
    assert [x for x, *_ in nodes] == sorted(x for x, *_ in nodes)
    for x, y, width, height in nodes:
        assert width > 20
        assert height > 20
        assert canvas[0] <= x <= canvas[0] + canvas[2]
        assert canvas[1] <= y <= canvas[1] + canvas[3]
