"""What leaves a bounded store, against a model that knows nothing of it (STO6, STO7, STO9, ruling 16)."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, replace

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.keeping import KeptRun, Limits, Why, runs_leaving, transcripts_leaving

STEPS = 100_000 * int(os.environ.get("QUARTERDECK_SWEEP", "1"))


def kept(number: int, workflow: str = "w", size: int = 1, **more: object) -> KeptRun:
    made = KeptRun(RunId(f"r{number:07d}"), WorkflowId(workflow), number, number, size)
    return replace(made, **more)  # type: ignore[arg-type]


def leaving(runs: list[KeptRun], limits: Limits, *last: int) -> list[int]:
    late = {f"r{number:07d}" for number in last}
    return [one.kept.launch_seq for one in runs_leaving(runs, limits, lambda run: run in late)]


def capped(count: int = 10**9, size: int = 10**9, transcripts: int = 10**9) -> Limits:
    return Limits(count, size, 10**9, transcripts)


def test_the_oldest_leave_first_until_the_cap_holds() -> None:
    """STO6."""
    runs = [kept(number) for number in (3, 1, 5, 2, 4)]
    assert leaving(runs, capped(3)) == [1, 2]
    assert leaving(runs, capped(5)) == []
    assert leaving(runs, capped(size=2)) == [1, 2, 3]


def test_the_newest_of_each_workflow_outranks_every_cap() -> None:
    """STO7: 40 workflows, a cap of 10: 40 stay."""
    runs = [kept(number, f"w{number % 40}") for number in range(200)]
    assert leaving(runs, capped(10)) == list(range(160))
    assert leaving(runs, capped(size=1)) == list(range(160))


def test_spared_runs_stay_and_do_not_hold_the_older_ones() -> None:
    """STO9."""
    runs = [kept(1, is_spared=True), kept(2), kept(3, end_seq=None), kept(4), kept(5)]
    assert leaving(runs, capped(1)) == [2, 4]


def test_runs_with_unknown_effects_go_last() -> None:
    """Ruling 16."""
    runs = [kept(number) for number in range(1, 7)]
    assert leaving(runs, capped(4), 1) == [2, 3]
    assert leaving(runs, capped(2), 1, 2) == [3, 4, 5, 1]


def test_a_run_without_a_record_leaves_whole_and_pins_nothing() -> None:
    """STO8."""
    runs = [kept(1), kept(2, is_too_large=True)]
    assert [(one.kept.launch_seq, one.why) for one in runs_leaving(runs, capped(), lambda _: False)] == [
        (2, Why.TOO_LARGE)
    ]


def test_the_oldest_transcripts_leave_by_a_budget_of_their_own() -> None:
    runs = [kept(number, transcript_bytes=10) for number in range(1, 5)]
    runs[1] = replace(runs[1], is_spared=True)
    assert [one.kept.launch_seq for one in transcripts_leaving(runs, capped(transcripts=20))] == [1, 3]
    assert list(transcripts_leaving(runs, capped(transcripts=40))) == []


@dataclass
class Model:
    """Rows of (age, workflow, size, spared); the oldest that is nobody's newest goes, while there are too many."""

    rows: list[tuple[int, str, int, bool]]

    def shrink(self, count: int, size: int) -> None:
        newest: dict[str, int] = {}
        for age, workflow, _, _ in self.rows:
            newest[workflow] = max(age, newest.get(workflow, -1))
        total = sum(row[2] for row in self.rows)
        for row in list(self.rows):  # they are in the order of their ages
            if len(self.rows) <= count and total <= size:
                return
            age, workflow, weight, spared = row
            if age != newest[workflow] and not spared:
                self.rows.remove(row)
                total -= weight


def test_a_hundred_thousand_ends_lose_no_pin_and_leave_what_the_model_leaves() -> None:
    """STO6, STO7."""
    chance = random.Random(7)
    model, store, limits = Model([]), {}, capped(12, 60)
    newest: dict[str, int] = {}
    for step in range(STEPS):
        if step % 5_000 == 0:
            limits = capped(chance.randint(1, 20), chance.randint(5, 120))
        workflow = f"w{min(chance.randrange(8), chance.randrange(8))}"
        size, spared = chance.randint(1, 9), chance.random() < 0.02
        one = kept(step, workflow, size, is_spared=spared)
        store[step], newest[workflow] = one, step
        model.rows.append((step, workflow, size, spared))
        if chance.random() < 0.05:  # answered, or no longer looked at
            store = {number: replace(run, is_spared=False) for number, run in store.items()}
            model.rows = [(*row[:3], False) for row in model.rows]
        for gone in list(runs_leaving(store.values(), limits, lambda _: False)):
            del store[gone.kept.launch_seq]
        model.shrink(limits.runs, limits.size_bytes)
        assert list(store) == [row[0] for row in model.rows]
        assert set(newest.values()) <= store.keys()
