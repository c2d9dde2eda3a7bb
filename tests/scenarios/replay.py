"""`python -m tests.scenarios.replay SEED [STEPS]`: a scenario again, fact by fact, and what the window shows at its end."""

from __future__ import annotations

import pprint
import sys

from tests.scenarios.judge import play_scenario
from tests.scenarios.making import Scenario, scenario
from tests.scenarios.naive_window import Window


def main(seed: int, steps: int | None) -> None:
    """Prints the facts, the fault, and what would be true."""
    whole = scenario(seed)
    told = Scenario(seed, whole.flows, whole.facts[:steps])
    for number, fact in enumerate(told.facts, 1):
        print(number, {key: value for key, value in fact.items() if key != "wall"})
    pprint.pprint(Window(told.flows, told.facts).said(), width=140)
    print(play_scenario(told) or "no fault")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None)
