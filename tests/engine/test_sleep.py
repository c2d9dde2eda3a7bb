"""A machine that sleeps while a run is live: a gap, and nothing else (LSE5, case 128). The clock is injected at its seam."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.moment import duration_ms
from quarterdeck.domain.states import Evidence, Outcome
from quarterdeck.engine import deaths, sleep_watch
from quarterdeck.engine.deaths import DeathWatch, Verdict
from quarterdeck.engine.service import Engine
from quarterdeck.store import machine
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.durable_io import DurableIO
from tests.engine.works import (
    FOREVER,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    to_end,
    until,
    write,
)

NIGHT_MS = 8 * 3_600_000


class Clock:
    """How long the machine has slept, as the engine sees it; boot time goes on with it."""

    def __init__(self, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
        self.slept_ms = machine.slept_ms()
        monkeypatch.setattr(sleep_watch, "LOOK_EVERY_S", 0.02)
        assert engine._own is not None
        engine._own._context.slept_ms = lambda: self.slept_ms


async def test_a_night_of_sleep_is_a_gap_in_the_run_and_ends_nothing(
    engine: Engine, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LSE5: journaled once, shown, in the record; the agent, its lease and its time limit stay as they are."""
    clock = Clock(engine, monkeypatch)
    monkeypatch.setattr(
        sleep_watch.SleepWatch, "_was_live", lambda *_: True
    )  # boot time itself cannot be moved here
    agents = {"a": python(FOREVER, timeout_s=600), "b": shell("true")}
    run = await launch(engine, write(tmp_path, agents, ("a", "b")))
    await until(engine, run, shows("a", "Running"))
    clock.slept_ms += NIGHT_MS
    view = await until(engine, run, lambda view: view.sleeps)
    (sleep,) = view.sleeps
    assert duration_ms(sleep.began_at, sleep.ended_at) == NIGHT_MS
    assert view.is_live
    assert shows("a", "Running")(view)
    assert view.slots[0].attempts[0].lease.value == "granted"
    assert len(view.slots[0].attempts) == 1
    await engine.close(reason="person")
    assert journal_kinds(data, run).count("machine_slept") == 1
    (record,) = data.glob("runs/*/record.json")
    (told,) = json.loads(record.read_text())["sleeps"]
    assert told["ended_clock"][1] - told["began_clock"][1] == NIGHT_MS


async def test_a_run_launched_after_the_sleep_has_no_gap(
    engine: Engine, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(engine, monkeypatch)
    run = await launch(engine, write(tmp_path, {"a": shell("sleep 0.3")}))
    clock.slept_ms += NIGHT_MS  # it began, by the boot-time clock, long before the launch
    view = await ended(engine, run)
    assert view.outcome is Outcome.COMPLETED
    assert view.sleeps == ()


async def test_nobody_looks_for_sleep_while_no_run_is_live(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleep_watch, "LOOK_EVERY_S", 0.02)
    assert engine._own is not None
    watch = engine._own._watches._sleep
    assert not vars(watch)["_task"]
    await to_end(engine, write(tmp_path, {"a": shell("true")}))
    assert watch._task is not None
    await watch._task
    assert watch._task.done()


# ------------------------------------------------------------------------------------------- the end of a process


RUN, ATTEMPT = RunId("r-1"), AttemptId("a-1")


class HalfEnded(Attempts):
    """An attempt whose keeper wrote `ending`, holds its lease, and has not ended."""

    def __init__(self, ending: Mapping[str, object] | None) -> None:
        super().__init__(DurableIO(), lambda _: Path("/nonexistent"))
        self._reports: list[dict[str, Any]] = [
            {"kind": "starting", "boot": machine.boot_id(), "shim_pid": 0, "shim_start_ticks": 0}
        ]
        if ending is not None:
            self._reports.append({"kind": "ending", **ending})

    def each_report(self, run_id: RunId, attempt_id: AttemptId) -> Iterator[dict[str, Any]]:
        return iter(self._reports)

    def find_report(
        self, run_id: RunId, attempt_id: AttemptId, kind: str, start: int = 0
    ) -> tuple[dict[str, Any] | None, int]:
        return next((report for report in self._reports if report["kind"] == kind), None), 0

    def exit_file(self, run: RunId, attempt: AttemptId) -> None:
        return None

    def lease_is_free(self, run: RunId, attempt: AttemptId) -> bool:
        return False


@pytest.mark.parametrize(("rest_ms", "verdict"), [(2_000, Verdict.STILL_ENDING), (-1_100, Verdict.SURVIVOR)])
def test_an_agent_that_slept_with_the_machine_has_the_rest_of_its_grace_yet(
    rest_ms: int, verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LSE5: by boot time its deadline is long over; time awake decides, so no alarm is raised for having slept."""
    monkeypatch.setattr(deaths, "LOOK_APART_S", 0.0)
    over = {
        "deadline_boot_ms": machine.boot_ms() - NIGHT_MS,
        "deadline_awake_ms": machine.awake_ms() + rest_ms,
    }
    found = DeathWatch(HalfEnded(over), RUN, ATTEMPT).look(0)
    assert found.verdict is verdict
    if verdict is Verdict.SURVIVOR:
        assert found.evidence is Evidence.COULD_NOT_STOP


def test_an_earlier_versions_deadline_is_taken_by_boot_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deaths, "LOOK_APART_S", 0.0)
    boot_ms = machine.boot_ms()
    assert (
        DeathWatch(HalfEnded({"deadline_boot_ms": boot_ms + 2_000}), RUN, ATTEMPT).look(0).verdict
        is Verdict.STILL_ENDING
    )
    assert (
        DeathWatch(HalfEnded({"deadline_boot_ms": boot_ms - 2_000}), RUN, ATTEMPT).look(0).verdict
        is Verdict.SURVIVOR
    )


def test_an_agent_that_is_only_starting_has_a_moment_before_it_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Case 26: its lease is held and no process of it is there yet; after a second awake that is a survivor."""
    monkeypatch.setattr(deaths, "LOOK_APART_S", 0.0)
    assert DeathWatch(HalfEnded(None), RUN, ATTEMPT).look(0).verdict is Verdict.STILL_ENDING
    assert DeathWatch(HalfEnded(None), RUN, ATTEMPT).look(1_100).verdict is Verdict.SURVIVOR
