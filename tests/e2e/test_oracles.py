"""The oracles themselves: each sees the fault that it is there for, and stays silent where nothing is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from tests.e2e.judge import _is_in_order
from tests.e2e.seen import cost_of, lines_of
from tests.e2e.test_numbers import factors
from tests.e2e.test_window import SETTLES_S, Sample, Truth, judge

RUN = "r-7f3c0000"
SOUND = Sample(
    at=10.0,
    title="Quarterdeck – Twice: Running, run A r-7f3c, 1 live",
    badge="Twice: Running, run A r-7f3c, 1 live",
    canvas="Work, Running",
    agents=["Work · A · Running"],
    runs=["r-7f3c · Running"],
    stop=True,
    blue=True,
)
AT_WORK = Truth((RUN,), frozenset({RUN}))
IDLE = Truth((), frozenset())


def test_a_window_that_tells_the_truth_has_no_fault() -> None:
    assert judge(SOUND, AT_WORK) == []
    over = replace(
        SOUND, title="Quarterdeck – Twice: Done, none live", agents=["Done"], stop=False, blue=False
    )
    assert judge(over, IDLE) == []


@pytest.mark.parametrize(
    "lie",
    [
        {"agents": ["Work · A · Done"]},
        {"canvas": "Work, Done"},
        {"blue": False},
        {"stop": False},
        {"badge": "Twice: Done"},
        {"title": "Quarterdeck – Twice: Done, run A r-7f3c, none live"},
        {"title": "Quarterdeck – Twice: Running, run A r-7f3c, 2 live"},
        {"title": "Quarterdeck – Twice: Running, run B r-ffff, 1 live"},
    ],
)
def test_each_visual_that_lies_is_a_fault(lie: dict[str, object]) -> None:
    assert judge(replace(SOUND, **lie), AT_WORK)  # type: ignore[arg-type]


@pytest.mark.parametrize("lie", [{"stop": True}, {"blue": True}, {"agents": ["Running"]}])
def test_what_runs_on_after_the_end_is_a_fault(lie: dict[str, object]) -> None:
    over = replace(SOUND, title="none live", agents=["Done"], stop=False, blue=False)
    assert judge(replace(over, **lie), IDLE)  # type: ignore[arg-type]


def test_truth_is_made_of_what_agents_wrote_down(tmp_path: Path) -> None:
    def log(name: str, run: str, **spans: float) -> None:
        lines = [{"at": at, "what": what, "run": run, "node": name} for what, at in spans.items()]
        (tmp_path / f"{name}.a-{run}.log").write_text("".join(json.dumps(line) + "\n" for line in lines))

    log("work", "r-1", begun=1.0)
    log("work", "r-2", begun=2.0, ended=5.0)
    assert Truth.at(tmp_path, 4.0).at_work == ("r-1", "r-2")
    assert Truth.at(tmp_path, 2.5) == Truth(("r-1",), frozenset({"r-1", "r-2"}))
    assert Truth.at(tmp_path, 5.0 + SETTLES_S / 2) == Truth(("r-1",), frozenset({"r-1", "r-2"}))
    assert Truth.at(tmp_path, 5.1 + SETTLES_S) == Truth(("r-1",), frozenset({"r-1"}))


def test_the_naive_sum_counts_a_message_once_and_running_totals_by_their_last_word() -> None:
    printed = b'text\n{"type":"usage","cost_usd":"0.1","message_id":1}\n{"type":"usage","cost_usd":0.2,"message_id":1}\n'
    printed += b'{"type":"usage","cost_usd":"1.5","cumulative":true}\n{"type":"usage","cost_usd":"1.7","cumulative":true}\n'
    printed += (
        b'{"type":"usage","cost_usd":"0.05"}\n{"type":"usage","cost_usd":"0.05"}\n{"type":"usage","cost'
    )
    assert cost_of(lines_of(printed)) == Decimal("2.0")
    assert cost_of([]) is None


def test_only_whole_numbers_of_the_own_prime_factor() -> None:
    assert factors("0.000202", 101)
    assert not factors("0.000204", 101)
    assert not factors("0.000103", 101)
    assert not factors("0.004141", 101)


def test_a_printed_line_that_is_not_kept_or_out_of_order_is_seen() -> None:
    assert _is_in_order([b"a", b"c"], [b"a", b"b", b"c"])
    assert not _is_in_order([b"a", b"d"], [b"a", b"b", b"c"])
    assert not _is_in_order([b"c", b"a"], [b"a", b"b", b"c"])
    assert not _is_in_order([b"a", b"a"], [b"a", b"b"])
