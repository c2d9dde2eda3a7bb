"""P6: durable facts a second against DBOS (a step) and LangGraph's SQLite saver (a put), in the same run.

The peers are installed by the extra `bench-peers`; where one is missing its rows say so.
"""

from __future__ import annotations

import importlib.util
import statistics
import time
from pathlib import Path
from typing import Any

from tests.bench.row import BenchRow, own_folder
from tests.bench.store_bench import facts_per_s

ROUNDS = 3
GOALS = {"DBOS": (20.0, 500.0), "LangGraph": (2.5, 80.0)}


def p6() -> list[BenchRow]:
    """Ours one by one and in groups, against each peer."""
    rates: dict[str, list[float | None]] = {"single": [], "grouped": [], "DBOS": [], "LangGraph": []}
    for _ in range(ROUNDS):  # in turns, so that all meet the same load
        with own_folder() as folder:
            rates["single"].append(facts_per_s(folder, 2_000, 1))
            rates["DBOS"].append(dbos_steps_per_s(folder))
            rates["grouped"].append(facts_per_s(folder, 100_000, 500))
            rates["LangGraph"].append(langgraph_puts_per_s(folder))
    single, grouped = _median(rates["single"]) or 0.0, _median(rates["grouped"]) or 0.0
    peers = {name: _median(rates[name]) for name in GOALS}
    return [row for name, rate in peers.items() for row in _rows(name, rate, single, grouped)]


def _median(rates: list[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return statistics.median(known) if known else None


def _rows(peer: str, rate: float | None, single: float, grouped: float) -> list[BenchRow]:
    rows = []
    ways = (("one by one", single, GOALS[peer][0]), ("in groups", grouped, GOALS[peer][1]))
    for way, ours, goal in ways:
        figures: dict[str, float | str] = {
            "ours_per_s": ours,
            "peer_per_s": rate if rate else "not installed",
        }
        rows.append(
            BenchRow(
                f"P6 {peer}, {way}",
                f"durable facts a second against {peer}, {way}",
                ours / rate if rate else None,
                goal,
                "at least",
                figures,
                "" if rate else f"{peer} is not installed (extra bench-peers)",
            )
        )
    return rows


def dbos_steps_per_s(folder: Path, count: int = 500) -> float | None:
    """Steps a second of one workflow on DBOS with SQLite; None where it is not installed."""
    if importlib.util.find_spec("dbos") is None:
        return None
    from dbos import DBOS

    config: Any = {
        "name": "bench",
        "system_database_url": f"sqlite:///{folder / 'dbos.sqlite'}",
        "run_admin_server": False,
        "log_level": "ERROR",
    }
    DBOS(config=config)

    @DBOS.step()  # type: ignore[untyped-decorator, unused-ignore]
    def step(number: int) -> int:
        return number

    @DBOS.workflow()  # type: ignore[untyped-decorator, unused-ignore]
    def workflow() -> float:
        start = time.perf_counter()
        for number in range(count):
            step(number)
        return time.perf_counter() - start

    DBOS.launch()
    try:
        return count / float(workflow())
    finally:
        DBOS.destroy()


def langgraph_puts_per_s(folder: Path, count: int = 2_000) -> float | None:
    """Puts a second of LangGraph's SQLite saver; None where it is not installed."""
    if importlib.util.find_spec("langgraph") is None or not _has_saver():
        return None
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.sqlite import SqliteSaver

    with SqliteSaver.from_conn_string(str(folder / "langgraph.sqlite")) as saver:
        saver.setup()
        config: Any = {"configurable": {"thread_id": "1", "checkpoint_ns": ""}}
        checkpoints = [empty_checkpoint() for _ in range(count)]
        start = time.perf_counter()
        for checkpoint in checkpoints:
            config = saver.put(config, checkpoint, {"source": "loop", "step": 1, "parents": {}}, {})
        return count / (time.perf_counter() - start)


def _has_saver() -> bool:
    try:
        return importlib.util.find_spec("langgraph.checkpoint.sqlite") is not None
    except ModuleNotFoundError:
        return False
