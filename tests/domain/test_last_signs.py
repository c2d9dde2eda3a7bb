"""Ends of attempts, sittings and runs: what was lost ended with its last sign, not when somebody looked (REC2, REC6)."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.domain.events import (
    AttemptEnded,
    CommandRefused,
    Entry,
    Event,
    RunEnded,
    RunStopRequested,
    SlotCancelled,
)
from quarterdeck.domain.fold_check import check
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.join import run_view, summary
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.record import run_from_record, summary_from_json
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_time import is_time_at_least
from quarterdeck.domain.show import record_of, summary_to_json
from quarterdeck.domain.states import AttemptStatus, EndReason, Evidence, LeaseStatus, Outcome, SlotState
from quarterdeck.domain.views import RunView, is_end_at_least
from quarterdeck.domain.waits import Wait, within
from tests.domain.build import OWNER, at, claimed, ended, launched, reassigned, sitting

LOOKED_MS = 623_000
A = AttemptId("a-1")


def journal(*said: tuple[int, Event]) -> list[Entry]:
    return [Entry(seq, at(ms), event) for seq, (ms, event) in enumerate(said, 1)]


def lost(slot: str = "a", number: int = 1, epoch: int = 1, **changes: Any) -> AttemptEnded:
    values = {
        "status": AttemptStatus.INTERRUPTED,
        "lease": LeaseStatus.EXPIRED_PROVED,
        "reason": EndReason.APP_CLOSED,
        "message": "app closed",
        "evidence": Evidence.NO_TRACE,
        "next_state": SlotState.RETRY_WAIT,
        **changes,
    }
    return ended(slot, number, epoch, **values)


def closed(settled: bool | None, outcome: Outcome = Outcome.INTERRUPTED, end_seq: int = 1) -> RunEnded:
    return RunEnded(outcome, end_seq, 3, "app closed", settled)


APP_CLOSED = RunStopRequested(OWNER, EndReason.APP_CLOSED)


def report(seq: int, ms: int, kind: str, **fields: Any) -> dict[str, Any]:
    moment = at(ms)
    return {
        "seq": seq,
        "epoch": 1,
        "kind": kind,
        "boot_ms": moment.boot_ms,
        "wall_ms": moment.wall_ms,
        **fields,
    }


def folded(*reports: dict[str, Any]) -> AttemptFold:
    found = AttemptFold()
    for one in reports:
        found.apply(one)
    found.close()
    return found


STARTED = (report(1, 20, "starting", boot="boot-1"), report(2, 30, "started", pid=7))


def view_of(entries: list[Entry], *reports: dict[str, Any]) -> RunView:
    return run_view(fold(entries), {A: folded(*STARTED, *reports)}, {}, {})


@pytest.mark.parametrize("settled", [True, None], ids=["this version", "an earlier version"])
def test_a_run_whose_owner_was_killed_ended_with_its_agents_exit(settled: bool | None) -> None:
    """Killed at 5 s, looked at ten minutes later: it ran 5 s, at least."""
    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)),
        (LOOKED_MS, lost(evidence=Evidence.EXIT_FILE)), (LOOKED_MS, APP_CLOSED), (LOOKED_MS, closed(settled)),
    )  # fmt: skip
    view = view_of(entries, report(3, 5_000, "exit", signal=15, after_ending=True))
    (only,) = view.sittings
    assert view.ended_at == only.ended_at == at(5_000)
    assert only.settled_at == at(LOOKED_MS)
    assert is_end_at_least(view)
    assert duration_ms(view.started_at, view.ended_at) == 5_000
    assert view.slots[0].attempts[0].ended_at == at(5_000)
    assert not view.slots[0].attempts[0].ended_at_least, "its keeper saw it end"


@pytest.mark.parametrize("settled", [True, None])
def test_an_agent_that_left_no_exit_ended_with_its_last_report(settled: bool | None) -> None:
    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)),
        (LOOKED_MS, lost()), (LOOKED_MS, APP_CLOSED), (LOOKED_MS, closed(settled)),
    )  # fmt: skip
    view = view_of(entries, report(3, 4_000, "turn"))
    assert view.slots[0].attempts[0].ended_at == view.ended_at == at(4_000)
    assert is_time_at_least(view.slots[0].attempts[0]), "nobody saw its end (REC6)"
    assert run_from_record(record_of(view)) == view


def test_the_owners_last_entry_is_a_sign_where_it_is_the_latest() -> None:
    entries = journal(
        (0, launched(("a", "b"))), (10, claimed("a", 1)), (2_000, ended("a", 1)), (9_000, claimed("b", 2)),
        (LOOKED_MS, lost("b", 2, status=AttemptStatus.NEVER_STARTED, reason=EndReason.NEVER_STARTED)),
        (LOOKED_MS, APP_CLOSED), (LOOKED_MS, closed(True)),
    )  # fmt: skip
    view = view_of(entries)
    assert view.ended_at == at(9_000)
    assert view.slots[0].attempts[0].ended_at == at(2_000), "its owner saw that end"


def test_a_run_that_is_rolled_forward_ended_with_its_last_agent() -> None:
    """REC3: done, and its end was journaled a restart later."""
    entries = journal(
        (0, launched(("a", "b"))), (10, claimed("a", 1)), (2_000, ended("a", 1)),
        (LOOKED_MS, SlotCancelled(SlotId("b"))), (LOOKED_MS, closed(True, Outcome.COMPLETED)),
    )  # fmt: skip
    assert view_of(entries, report(3, 1_990, "exit", code=0)).ended_at == at(1_990)


@pytest.mark.parametrize("settled", [False, None])
def test_an_owner_that_was_told_to_close_ended_the_run_itself(settled: bool | None) -> None:
    """Ruling 20: it was there, and saw the end of an agent that had been silent."""
    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)), (60_000, APP_CLOSED), (64_000, lost()),
        (64_001, closed(settled)),
    )  # fmt: skip
    view = view_of(entries)
    assert (view.ended_at, view.sittings[0].settled_at) == (at(64_001), None)
    assert view.slots[0].attempts[0].ended_at == at(64_000)
    assert not is_time_at_least(view.slots[0].attempts[0])
    assert not is_end_at_least(view)


def test_a_run_without_agents_at_work_that_its_owner_closed_ended_then() -> None:
    entries = journal((0, launched(("a",))), (60_000, APP_CLOSED), (60_001, closed(False)))
    assert run_view(fold(entries), {}, {}, {}).ended_at == at(60_001)


def test_a_survivor_is_a_sign_until_it_was_settled() -> None:
    from quarterdeck.domain.events import AttemptLost

    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)), (LOOKED_MS, AttemptLost(SlotId("a"), A, "still alive")),
        (LOOKED_MS, APP_CLOSED), (LOOKED_MS + 1, closed(True)),
    )  # fmt: skip
    assert view_of(entries).ended_at == at(LOOKED_MS + 1)


def test_what_is_known_of_how_long_a_survivor_worked_is_no_less_once_it_has_ended() -> None:
    """“At least” never falls: it was seen alive when it was lost, whenever it told something last."""
    from quarterdeck.domain.events import AttemptLost

    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)), (LOOKED_MS, AttemptLost(SlotId("a"), A, "still alive")),
        (LOOKED_MS, APP_CLOSED), (LOOKED_MS + 1, closed(True)), (900_000, lost()),
    )  # fmt: skip
    view = view_of(entries, report(3, 4_000, "turn"))
    assert (view.ended_at, view.slots[0].attempts[0].ended_at) == (at(LOOKED_MS), at(LOOKED_MS))
    assert is_end_at_least(view)


def test_a_refused_command_is_no_sign() -> None:
    """Ruling 14: it moves nothing, and who asks may be another process."""
    entries = journal(
        (0, launched(("a",))), (700, CommandRefused("ClaimSlot", SlotId("a"), "E_CAPACITY", "wait", OWNER)),
        (LOOKED_MS, APP_CLOSED), (LOOKED_MS, closed(True)),
    )  # fmt: skip
    assert run_view(fold(entries), {}, {}, {}).ended_at == at(0)


def test_another_boot_is_compared_by_the_wall_clock() -> None:
    entries = journal((0, launched(("a",))), (10, claimed("a", 1)))
    for seq, event in enumerate((lost(evidence=Evidence.OTHER_BOOT), APP_CLOSED, closed(True)), 3):
        entries.append(Entry(seq, Moment("boot-2", 50, at(0).wall_ms + LOOKED_MS), event))
    assert view_of(entries, report(3, 4_000, "turn")).ended_at == at(4_000)


def test_a_later_sitting_leaves_the_end_of_the_first_as_it_was() -> None:
    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)),
        (LOOKED_MS, lost()), (LOOKED_MS, APP_CLOSED), (LOOKED_MS, closed(True)),
        (700_000, reassigned("a", 1, "t")), (700_001, sitting(2)),
    )  # fmt: skip
    view = view_of(entries, report(3, 4_000, "turn"))
    assert view.ended_at is None
    assert [s.ended_at for s in view.sittings] == [at(4_000), None]


def test_record_and_list_say_the_same_end() -> None:
    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)),
        (LOOKED_MS, lost()), (LOOKED_MS, APP_CLOSED), (LOOKED_MS, closed(True)),
    )  # fmt: skip
    view = view_of(entries, report(3, 4_000, "turn"))
    assert run_from_record(record_of(view)) == view
    line = summary_from_json(summary_to_json(summary(view)))
    assert (line.ended_at, line.sittings) == (view.ended_at, view.sittings)
    assert is_end_at_least(line)


def test_a_record_of_an_earlier_version_has_no_word_of_settling() -> None:
    entries = journal((0, launched(("a",))), (60_000, APP_CLOSED), (60_001, closed(False)))
    value = record_of(run_view(fold(entries), {}, {}, {}))
    for one in value["sittings"]:
        del one["settled_at"], one["settled_clock"]
    assert run_from_record(value).sittings[0].settled_at is None


def test_asking_whether_an_end_fits_changes_nothing() -> None:
    entries = journal(
        (0, launched(("a",))), (10, claimed("a", 1)), (LOOKED_MS, lost()), (LOOKED_MS, APP_CLOSED)
    )
    state = fold(entries)
    check(state, closed(True), at(LOOKED_MS))
    assert state == fold(entries)


def test_no_question_waits_longer_than_the_sitting_that_was_lost() -> None:
    entries = journal((0, launched(("a",))), (LOOKED_MS, APP_CLOSED), (LOOKED_MS, closed(True)))
    entries[1:1] = [Entry(2, at(2_000), claimed("a", 1)), Entry(3, at(LOOKED_MS), lost())]
    entries = [Entry(seq, entry.at, entry.event) for seq, entry in enumerate(entries, 1)]
    view = view_of(entries, report(3, 4_000, "turn"))
    asked = Wait(SlotId("a"), A, "q", "Go on?", at(3_000), at(LOOKED_MS))  # type: ignore[arg-type]
    answered = Wait(SlotId("a"), A, "r", "Sure?", at(3_000), at(3_500), was_answered=True)  # type: ignore[arg-type]
    assert [w.answered_at for w in within((asked, answered), view.sittings)] == [at(4_000), at(3_500)]
