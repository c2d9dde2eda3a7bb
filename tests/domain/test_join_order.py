"""The fold is a join of independent streams: arrival order changes nothing (design §5, rulings 9 and 15)."""

from __future__ import annotations

import dataclasses
from random import Random
from typing import Any

from quarterdeck.domain.events import AttemptEnded, Entry, Event
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.join import run_view
from quarterdeck.domain.record import run_from_record
from quarterdeck.domain.reports import SENT_ONE_BY_ONE
from quarterdeck.domain.reports_fold import AttemptFold, baseline_of, split_late
from quarterdeck.domain.run_fold import advance
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.show import record_of
from quarterdeck.domain.views import RunView
from tests.domain.build import entries, launched
from tests.domain.histories import SLOTS, Proposer, Reporter, plain
from tests.domain.naive_run import NaiveRun

HISTORIES = 4_000
KINDS = {"writer": "command", "painter": "practice"}
Reports = dict[str, list[dict[str, Any]]]


def random_history(random: Random) -> tuple[list[Entry], Reports, NaiveRun]:
    """A legal history of one run, as journal and report files; some reports come after their attempt's end."""
    naive = NaiveRun(SLOTS)
    proposer, reporter = Proposer(random, naive), Reporter(random, naive)
    events: list[Event] = [launched(SLOTS)]
    for _ in range(random.randrange(15, 50)):
        for attempt in naive.attempts:
            says = random.random() < (0.6 if naive.attempts[attempt]["upto"] is None else 0.05)
            for _ in range(random.randrange(1, 4) if says else 0):
                reporter.say(attempt)
        event = proposer.propose()
        if naive.legal(plain(event)):
            naive.take(plain(event))
            events.append(event)
    return with_figures(entries(*events), naive.reports), naive.reports, naive


def with_figures(journal: list[Entry], reports: Reports) -> list[Entry]:
    """Ends carry the figures of their reports, as the shim folds them."""
    folds = whole_folds(journal, reports)
    done = []
    for entry in journal:
        event = entry.event
        if isinstance(event, AttemptEnded):
            event = dataclasses.replace(event, figures=folds[event.attempt_id].totals())
        done.append(dataclasses.replace(entry, event=event))
    return done


def whole_folds(journal: list[Entry], reports: Reports) -> dict[AttemptId, AttemptFold]:
    """Folds of whole report files, as recovery makes them after a restart."""
    upto = {e.event.attempt_id: e.event.upto for e in journal if isinstance(e.event, AttemptEnded)}
    slots: dict[str, list[AttemptFold]] = {}
    folds = {}
    for entry in journal:
        if entry.event.kind == "attempt_claimed":
            earlier = slots.setdefault(entry.event.slot_id, [])
            attempt = entry.event.attempt_id
            fold = AttemptFold(baseline_of(earlier))
            counted, late = split_late(reports[attempt], upto.get(attempt, 10**9))
            for report in counted:
                fold.apply(report)
            if attempt in upto:
                fold.close()
            for report in late:
                fold.apply_late(report)
            earlier.append(fold)
            folds[attempt] = fold
    return folds


def view_by_arrival(journal: list[Entry], reports: Reports, random: Random) -> RunView:
    """The view of a process that met entries and reports in some order of arrival, duplicates among them.

    Only what holds in every life is kept: each stream in its own sequence, and late reports after the end that made
    them late. An attempt's earlier attempts are whole before it reports, as its launch needs their baseline.
    """
    state: RunState | None = None
    folds: dict[AttemptId, AttemptFold] = {}
    upto = {e.event.attempt_id: e.event.upto for e in journal if isinstance(e.event, AttemptEnded)}
    waiting = {attempt: list(stream) for attempt, stream in reports.items()}
    todo = list(journal)

    def hear(attempt: str) -> None:
        report = waiting[attempt].pop(0)
        is_late = report["seq"] > upto.get(AttemptId(attempt), 10**9)
        take = folds[AttemptId(attempt)].apply_late if is_late else folds[AttemptId(attempt)].apply
        for _ in range(random.choice([1, 1, 2])):
            take(report)

    def audible() -> list[str]:
        assert state is not None
        return [
            a
            for a in folds
            if waiting[a] and (waiting[a][0]["seq"] <= upto.get(a, 10**9) or state.attempts[a].is_terminal)
        ]

    while todo or audible():
        if todo and (state is None or random.random() < 0.4 or not audible()):
            entry = todo.pop(0)
            if entry.event.kind == "attempt_claimed" and state is not None:
                for earlier in state.slots[entry.event.slot_id].attempts:
                    while waiting[earlier]:
                        hear(earlier)
                before = [folds[a] for a in state.slots[entry.event.slot_id].attempts]
                folds[entry.event.attempt_id] = AttemptFold(baseline_of(before))
            state = advance(state, entry)
            continue
        hear(random.choice(audible()))
    assert state is not None
    return run_view(state, folds, {}, KINDS)


def view_from_disk(journal: list[Entry], reports: Reports) -> RunView:
    state: RunState | None = None
    for entry in journal:
        state = advance(state, entry)
    assert state is not None
    return run_view(state, whole_folds(journal, reports), {}, KINDS)


def test_any_order_of_arrival_gives_the_view_that_disk_gives(sweep: int) -> None:
    """4,000 random histories: live view, restored view and record are one (REC2, row 6)."""
    for seed in range(HISTORIES * sweep):
        random = Random(seed)
        journal, reports, naive = random_history(random)
        restored = view_from_disk(journal, reports)
        assert view_by_arrival(journal, reports, random) == restored, f"seed {seed}"
        assert run_from_record(record_of(restored)) == restored, f"seed {seed}"
        assert_money(restored, naive, seed)


def assert_money(view: RunView, naive: NaiveRun, seed: int) -> None:
    """I5, ruling 9: every usage report counts once, in its own run, late ones too."""
    turns, cost = naive.money()
    assert (view.turns, view.cost_usd or 0) == (turns, cost), f"seed {seed}"


def _has_no_exit(stream: list[dict[str, Any]]) -> bool:
    """Then the engine reads the file at the end: the last sign of such an agent may be any report."""
    return not any(report["kind"] == "exit" for report in stream)


def _sent(stream: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [report for report in stream if report["kind"] in SENT_ONE_BY_ONE]


def test_facts_sent_one_by_one_give_the_same_view_once_ends_are_journaled() -> None:
    """What reaches the app is a part of the file; after the ends the view is whole all the same (design §4)."""
    for seed in range(300):
        journal, reports, _ = random_history(Random(seed))
        upto = {e.event.attempt_id: e.event.upto for e in journal if isinstance(e.event, AttemptEnded)}
        told = {a: stream[: upto.get(AttemptId(a), 0)] for a, stream in reports.items()}
        facts = {a: stream if _has_no_exit(stream) else _sent(stream) for a, stream in told.items()}
        assert view_from_disk(journal, told).slots == view_from_disk(journal, facts).slots, f"seed {seed}"


def test_a_report_of_another_attempt_is_never_in_this_one() -> None:
    """ID4: folds are keyed by attempt, and an end keeps its own figures."""
    journal, reports, _ = random_history(Random(5))
    view = view_from_disk(journal, reports)
    for slot in view.slots:
        for attempt in slot.attempts:
            turns = sum(r["kind"] == "turn" for r in reports[attempt.attempt_id])
            late = attempt.late.turns if attempt.late is not None else 0
            assert attempt.figures.turns + late == turns
