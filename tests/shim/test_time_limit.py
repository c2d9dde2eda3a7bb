"""The time limit of an agent counts time awake; a sleep gives one clean window (LSE5). Both clocks are the test's."""

from __future__ import annotations

from quarterdeck.shim.time_limit import WINDOW_S, TimeLimit, TimeLimits


class Machine:
    """Time awake in seconds, and how long it slept in milliseconds."""

    def __init__(self, limit_s: float | None) -> None:
        self.awake_s, self.slept_ms = 1_000.0, 0
        self.limit = TimeLimit(limit_s, self.awake_s, lambda: self.slept_ms)

    def works(self, seconds: float) -> bool:
        """Whether the agent's time is over after so many more seconds, looked at when the limit asks to be."""
        end = self.awake_s + seconds
        while True:
            wait_s = self.limit.wait_s(self.awake_s)
            self.awake_s = end if wait_s is None else min(end, self.awake_s + max(wait_s, 0.001))
            if self.limit.is_over(self.awake_s) or self.awake_s >= end:
                return self.limit.is_over(self.awake_s)

    def sleeps(self, hours: float) -> None:
        self.slept_ms += round(hours * 3_600_000)


def test_without_sleep_the_limit_is_the_limit() -> None:
    machine = Machine(600)
    assert not machine.works(599.9)
    assert machine.works(0.2)
    assert not Machine(None).works(10**9)


def test_a_night_of_sleep_uses_up_nothing() -> None:
    machine = Machine(600)
    machine.works(300)
    machine.sleeps(8)
    assert not machine.works(299)
    assert machine.works(2)


def test_after_a_sleep_just_before_its_end_the_agent_gets_one_clean_window() -> None:
    machine = Machine(600)
    machine.works(599)
    machine.sleeps(8)
    assert not machine.works(WINDOW_S)
    assert machine.works(2)


def test_the_window_is_given_once_for_a_sleep_and_is_no_longer_than_the_limit() -> None:
    machine = Machine(5)
    machine.works(4)
    machine.sleeps(8)
    assert not machine.works(4)
    assert machine.works(2.1)


def test_held_time_and_sleep_while_held_do_not_count() -> None:
    machine = Machine(100)
    machine.works(90)
    machine.limit.hold(machine.awake_s)
    machine.sleeps(1)
    assert not machine.works(500)
    machine.limit.go_on(machine.awake_s)
    assert not machine.works(9)
    assert machine.works(WINDOW_S + 2)


def test_silence_begins_anew_with_each_output_and_after_a_question_and_a_hold() -> None:
    """The limit on the whole work does not: what passes first is the reason."""
    limits = TimeLimits(100, 10, 0.0, lambda: 0)
    limits.saw_output(9.0)
    assert limits.passed(18.9, is_asking=False) is None
    assert limits.passed(30.0, is_asking=True) is None
    assert limits.passed(39.9, is_asking=False) is None
    limits.hold(39.9)
    assert limits.passed(80.0, is_asking=False) is None
    assert limits.wait_s(80.0) is None
    limits.go_on(80.0)
    assert limits.passed(89.9, is_asking=False) is None
    assert limits.passed(90.0, is_asking=False) == "stall"
    limits.saw_output(139.0)
    assert limits.passed(140.2, is_asking=False) == "timeout"
    assert TimeLimits(None, None, 0.0, lambda: 0).wait_s(1e9) is None
