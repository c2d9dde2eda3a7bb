"""What `recover` prints of names and figures, without a process."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from quarterdeck.cli.recovering import _lines
from quarterdeck.domain.practice import Spent
from quarterdeck.engine.recovery import OtherAgent, Owed
from tests.ui import interrupted_made as left

LONG = "A title that somebody pasted " * 12


def printed(
    *, number: int = 1, title: str = "Drafter", rest: tuple[OtherAgent, ...] = (), can_act: bool = True
) -> list[str]:
    told = left.run(left.FIRST, 0, 60, (left.agent("a", title, number, 21),), rest=rest)
    return list(_lines(Owed((replace(told, workflow_name=title),)), {}, can_act))


def test_a_long_title_is_shortened_as_in_every_list() -> None:
    lines = printed(title=LONG, rest=(OtherAgent(LONG, "Done"),))
    assert not any(LONG.strip() in line for line in lines)
    assert sum("A title that somebody pasted" in line for line in lines) == 3, "run, agent, others"
    assert all(len(line) < 160 for line in lines if "pasted" in line)
    assert any("Drafter [a]" in line for line in printed()), "a short one is whole"


def test_turns_and_cost_of_all_attempts_are_not_told_as_those_of_the_newest() -> None:
    assert any("attempt 2, in all 21 turns, $" in line for line in printed(number=2))
    assert any("attempt 1, 21 turns, $" in line for line in printed())


def test_where_nothing_can_be_written_no_resume_is_offered() -> None:
    """JNL9: the store of a newer version is looked at, and that is all."""
    assert any("quarterdeck resume" in line for line in printed())
    assert not any("quarterdeck resume" in line for line in printed(can_act=False))


def test_what_practice_agents_pretended_is_no_money_spent() -> None:
    cost = Spent(Decimal(0), True, Decimal("0.28"))
    agents = (left.agent("a", "Drafter", is_practice=True, cost_usd=Decimal("0.28")),)
    told = left.run(left.FIRST, 0, 60, agents, cost_usd=Decimal("0.28"), practice=cost)
    lines = list(_lines(Owed((told,)), {}, can_act=True))
    assert sum(line.endswith("$0.28 practice") for line in lines) == 2, "of the run, and of its agent"
