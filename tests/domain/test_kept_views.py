"""A view made with kept parts equals the one made anew, at every step; what did not move is the same object (performance)."""

from __future__ import annotations

from random import Random

from quarterdeck.domain.events import AttemptEnded, Entry
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.join import LiveTotals, run_view
from quarterdeck.domain.kept_views import KeptViews
from quarterdeck.domain.reports_fold import AttemptFold, baseline_of
from quarterdeck.domain.run_fold import advance
from quarterdeck.domain.run_state import RunState
from tests.domain.build import claimed, entries, launched
from tests.domain.test_join_order import KINDS, Reports, random_history

HISTORIES = 400


class Life:
    """One process's knowledge of a run, with a keeper; every step is compared with a view made anew."""

    def __init__(self, reports: Reports, upto: dict[AttemptId, int]) -> None:
        self.state: RunState | None = None
        self.folds: dict[AttemptId, AttemptFold] = {}
        self.live: dict[AttemptId, LiveTotals] = {}
        self.kept = KeptViews()
        self.waiting = {a: list(stream) for a, stream in reports.items()}
        self.upto = upto

    def take(self, entry: Entry) -> None:
        if entry.event.kind == "attempt_claimed" and self.state is not None:
            before = self.state.slots[entry.event.slot_id].attempts
            for earlier in before:
                while self.waiting[earlier]:
                    self.hear(AttemptId(earlier))
            self.folds[entry.event.attempt_id] = AttemptFold(baseline_of([self.folds[a] for a in before]))
        self.state = advance(self.state, entry)

    def hear(self, attempt: AttemptId) -> None:
        report = self.waiting[attempt].pop(0)
        is_late = report["seq"] > self.upto.get(attempt, 10**9)
        (self.folds[attempt].apply_late if is_late else self.folds[attempt].apply)(report)

    def count(self, attempt: AttemptId, number: int) -> None:
        self.live[attempt] = LiveTotals(FiguresTotals(turns=number), tail=f"line {number}")

    def audible(self) -> list[AttemptId]:
        assert self.state is not None
        ended = self.state.attempts
        return [
            a for a in self.folds
            if self.waiting[a] and (self.waiting[a][0]["seq"] <= self.upto.get(a, 10**9) or ended[a].is_terminal)
        ]  # fmt: skip

    def check(self, words: str) -> None:
        assert self.state is not None
        anew = run_view(self.state, self.folds, self.live, KINDS)
        assert run_view(self.state, self.folds, self.live, KINDS, kept=self.kept) == anew, words


def test_kept_views_equal_views_made_anew_after_every_entry_report_and_total(sweep: int) -> None:
    """Random histories of every event kind, step by step."""
    for seed in range(HISTORIES * sweep):
        random = Random(seed)
        journal, reports, _ = random_history(random)
        life = Life(
            reports, {e.event.attempt_id: e.event.upto for e in journal if isinstance(e.event, AttemptEnded)}
        )
        todo = list(journal)
        while todo or life.audible():
            if todo and (life.state is None or random.random() < 0.5 or not life.audible()):
                life.take(todo.pop(0))
            elif random.random() < 0.3:
                life.count(random.choice(list(life.folds)), random.randrange(9))
            else:
                life.hear(random.choice(life.audible()))
            life.check(f"seed {seed}, {len(todo)} entries left")


def test_a_slot_that_did_not_move_keeps_its_view() -> None:
    state: RunState | None = None
    for entry in entries(launched(["a", "b"]), claimed("a", 1), claimed("b", 2)):
        state = advance(state, entry)
    assert state is not None
    kept, live = KeptViews(), {AttemptId("a-1"): LiveTotals(FiguresTotals(turns=1))}
    first = run_view(state, {}, live, KINDS, kept=kept)
    live[AttemptId("a-1")] = LiveTotals(FiguresTotals(turns=2))
    second = run_view(state, {}, live, KINDS, kept=kept)
    before, after = ({s.slot_id: s for s in view.slots} for view in (first, second))
    assert after[SlotId("b")] is before[SlotId("b")]
    assert after[SlotId("a")].turns == 2
