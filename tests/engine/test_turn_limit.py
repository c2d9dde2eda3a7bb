"""`max_turns` ends an agent that begins one turn more, whether or not anybody knows what a turn costs (case 88)."""

from __future__ import annotations

from pathlib import Path

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.service import Engine
from tests.engine.works import attempt_of, ended, python, slot_of, to_end, write

FOREVER = "while True: time.sleep(0.05)\n"


def turns(count: int, then: str = "") -> str:
    return f"for n in range({count}): say('turn'); say('usage', input_tokens=9, model='x', message_id=str(n))\n{then}"


async def test_an_agent_may_take_all_its_turns(engine: Engine, tmp_path: Path) -> None:
    view = await to_end(engine, write(tmp_path, {"a": python(turns(3), max_turns=3)}))
    assert (view.exit_code, attempt_of(view, "a").figures.turns) == (0, 3)


async def test_one_turn_more_ends_it_and_a_person_decides(engine: Engine, tmp_path: Path) -> None:
    """As at a spending cap (ruling 12): stopped, held for a person, its siblings go on; resumed, it may take as many again."""
    agents = {"a": python(turns(4, FOREVER), max_turns=3, budget_usd="0.01"), "b": python(turns(5))}
    view = await to_end(engine, write(tmp_path, agents))
    one = attempt_of(view, "a")
    assert (one.status.value, one.reason) == ("stopped", "its limit of turns was reached")
    assert (one.figures.turns, one.figures.is_unpriced) == (4, True)
    assert (slot_of(view, "b").display, view.exit_code) == ("Done", 4)
    assert await engine.reassign(view.run_id, SlotId("a"), "once more") is None
    assert not isinstance(await engine.claim(view.run_id, SlotId("a")), Refusal)
    again = await ended(engine, view.run_id)
    assert [a.reason for a in slot_of(again, "a").attempts] == ["its limit of turns was reached"] * 2
