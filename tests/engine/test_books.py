"""The money of every page is the same money: run, ledger, limits and `show --json` against books that the test keeps (I5).

Agents say what a seed gives them: costs, tokens of a priced model, messages told twice, running totals, over several runs,
two workflows, a kill in the middle and a resume.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.spend_rows import total
from quarterdeck.engine.service import Engine
from tests.engine.works import ended, python, slot_of, to_end, write

SEEDS = range(int(os.environ.get("QUARTERDECK_SWEEP", "2")))
PRICE = {"input": "3", "output": "15", "cache_read": "0.3", "cache_write": "3.75"}
OTHER = "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d11"


@dataclass
class Books:
    """What one agent spends, by nothing but what it is made to say."""

    chance: random.Random
    says: list[str] = field(default_factory=list)
    spent: Decimal = Decimal(0)

    def write(self, lines: int) -> None:
        for number in range(lines):
            kind = self.chance.choice(["cost", "tokens", "twice"])
            cost = Decimal(self.chance.randrange(1, 10**12)) / Decimal(10) ** 13
            counts = [self.chance.randrange(200_000) for _ in range(4)]
            if kind == "tokens":
                self._tokens(f"{number}", counts)
                continue
            if kind == "twice":  # the later line is the one that counts
                self._say(f"'m{number}'", "'0.123'")
            self._say(f"'m{number}'", repr(str(cost)))
            self.spent += cost

    def _say(self, message: str, cost: str) -> None:
        own = f"os.environ['QUARTERDECK_ATTEMPT'] + {message}"
        self.says.append(
            f"say('turn'); say('usage', input_tokens=1, cost_usd={cost}, model='told', message_id={own})"
        )

    def _tokens(self, name: str, counts: list[int]) -> None:
        fields = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
        told = ", ".join(f"{key}={count}" for key, count in zip(fields, counts, strict=True))
        own = f"os.environ['QUARTERDECK_ATTEMPT'] + 't{name}'"
        self.says.append(f"say('turn'); say('usage', {told}, model='priced', message_id={own})")
        for count, price in zip(counts, PRICE.values(), strict=True):
            self.spent += Decimal(count) * Decimal(price) / 1_000_000


def agent(chance: random.Random, end: str) -> tuple[dict[str, Any], Decimal]:
    books = Books(chance)
    books.write(chance.randrange(1, 12))
    return python("\n".join(books.says) + f"\n{end}\n", prices={"priced": PRICE}), books.spent


@pytest.mark.parametrize("seed", SEEDS)
async def test_every_sum_is_that_of_the_books(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    config = tmp_path / "config"
    config.mkdir()
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(config))
    limits = f'night_usd = "900"\nnight_from = "00:00"\nworkflows = {{"{OTHER}" = "900"}}\n'
    (config / "settings.toml").write_text(f"[budgets]\n{limits}")
    chance = random.Random(seed)
    whole, of_other = Decimal(0), Decimal(0)
    for number in range(3):
        is_other = chance.random() < 0.5
        agents, spent = {}, Decimal(0)
        for name, end in (("a", ""), ("b", "sys.exit(1)"), ("c", "os.kill(os.getpid(), 9)")):
            agents[name], cost = agent(chance, end)
            spent += cost * (2 if name == "c" else 1)  # it is resumed once, and spends as much again
        more = {"id": OTHER} if is_other else {}
        view = await to_end(engine, write(tmp_path, agents, name=f"n{number}", **more))
        assert await engine.reassign(view.run_id, SlotId("c"), "once more") is None
        assert not isinstance(await engine.claim(view.run_id, SlotId("c")), Refusal)
        view = await ended(engine, view.run_id)
        assert len(slot_of(view, "c").attempts) == 2
        assert view.cost_usd == spent
        shown = run_to_json(view)
        attempts = [one for slot in shown["slots"] for one in slot["attempts"]]
        assert sum(Decimal(one["cost_usd"]) for one in attempts) == Decimal(shown["cost_usd"]) == spent
        whole += spent
        of_other += spent if is_other else 0
    rows = (await engine.past.spend()).rows
    assert total(rows).cost_usd == whole
    standings = (await engine.shared_spending()).standings
    assert [one.spent.cost_usd for one in standings] == [whole, of_other]
