"""Figures of the store: P1–P5 and P7. Each function measures one goal and returns its rows."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from quarterdeck.domain.events import ClaimRefused, RunEnded
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.states import Outcome
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.event_codec import decode_entry, encode_entry, encode_event
from quarterdeck.store.json_text import report_loads
from quarterdeck.store.lines import frame, parse_lines
from tests.bench.row import BenchRow, own_folder, seconds
from tests.store.builders import AT, finish_run, new_run, record, run_id

WINDOW_S = 0.25
RECORD_BYTES = 500_000


class QuickIO(DurableIO):
    """Fills a store without waiting for the disk; for what stands there before the measuring begins."""

    def fdatasync(self, fd: int) -> None:
        pass

    def fsync(self, fd: int) -> None:
        pass

    def fsync_folder(self, folder: str | os.PathLike[str]) -> None:
        pass


class WeighingIO(DurableIO):
    """Counts bytes written, and remembers when each sync began and ended."""

    def __init__(self) -> None:
        self.written = 0
        self.syncs: list[tuple[float, float]] = []

    def write_some(self, fd: int, view: memoryview) -> int:
        taken = super().write_some(fd, view)
        self.written += taken
        return taken

    def fdatasync(self, fd: int) -> None:
        start = time.perf_counter()
        super().fdatasync(fd)
        self.syncs.append((start, time.perf_counter()))


def fill(folder: Path, count: int) -> None:
    """A store with so many finished runs."""
    store = Store.open(folder, QuickIO())
    for number in range(1, count + 1):
        finish_run(store, number, size=500)
    store.close()


def end_run(store: Store, number: int, size: int) -> tuple[float, int]:
    """Seconds and bytes from the last decision of a run to its line in the index."""
    io = store.io
    assert isinstance(io, WeighingIO)
    journal = new_run(store, number)
    made = record(number, 2, size)
    written, start = io.written, time.perf_counter()
    seq = store.next_end_seq()
    journal.append(RunEnded(Outcome.COMPLETED, seq, 0, ""), AT, sync=True).result()
    store.records.publish(run_id(number), made)
    store.index.append(made)
    store.ledger.append(
        [{"kind": "spend", "attempt": AttemptId("a-1"), "model": "m", "hour": "h", "upto": number}]
    )
    took, weight = time.perf_counter() - start, io.written - written
    journal.close()
    return took, weight


def p1(many: int = 10_000) -> list[BenchRow]:
    """End of a run with many stored records against ten: bytes, and time."""
    with own_folder() as folder:
        few = Store.open(_filled(folder / "few", 10), WeighingIO())
        lots = Store.open(_filled(folder / "lots", many), WeighingIO())
        costs: dict[str, list[tuple[float, int]]] = {"few": [], "lots": []}
        for n in range(1, 41):  # in turns, so that both meet the same load
            costs["few"].append(end_run(few, 20_000 + n, 500))
            costs["lots"].append(end_run(lots, 20_000 + n, 500))
        few.close()
        lots.close()
    times = {name: statistics.median(cost[0] for cost in cost_list) for name, cost_list in costs.items()}
    weights = {name: statistics.mean(cost[1] for cost in cost_list) for name, cost_list in costs.items()}
    figures: dict[str, float | str] = {
        "few_ms": times["few"] * 1e3,
        "many_ms": times["lots"] * 1e3,
        "few_bytes": weights["few"],
        "many_bytes": weights["lots"],
    }
    what = f"end of a run with {many:,} records against 10"
    return [
        BenchRow("P1 bytes", f"{what}: bytes", weights["lots"] / weights["few"], 1.1, "at most", figures),
        BenchRow("P1 time", f"{what}: time", times["lots"] / times["few"], 1.2, "at most", figures),
    ]


def _filled(folder: Path, count: int) -> Path:
    fill(folder, count)
    return folder


def p2() -> list[BenchRow]:
    """End of a 500 KB run against a raw write, fsync and rename of the same bytes."""
    with own_folder() as folder:
        store = Store.open(folder / "data", WeighingIO())
        made = record(1, 1, RECORD_BYTES)
        new_run(store, 1).close()
        size = store.records.publish(run_id(1), made)
        content = bytes(size)

        def ours() -> None:
            store.records.publish(run_id(1), made)
            store.index.append(made)

        pairs = [(seconds(ours), seconds(lambda: _raw_replace(folder, content))) for _ in range(40)]
        store.close()
    own, raw = (statistics.median(values) for values in zip(*pairs, strict=True))
    figures: dict[str, float | str] = {"ours_ms": own * 1e3, "raw_ms": raw * 1e3, "bytes": size}
    return [
        BenchRow(
            "P2", "end of a 500 KB run against raw write, fsync, rename", own / raw, 3, "at most", figures
        )
    ]


def _raw_replace(folder: Path, content: bytes) -> None:
    fd = os.open(folder / "raw.tmp", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(fd, content)
    os.fsync(fd)
    os.close(fd)
    os.replace(folder / "raw.tmp", folder / "raw")


def p3(records: int = 1_000) -> list[BenchRow]:
    """The same against one settings blob that holds all records and is written whole."""
    with own_folder() as folder:
        store = Store.open(folder / "data", WeighingIO())
        made = record(1, 1, RECORD_BYTES)
        new_run(store, 1).close()

        def ours() -> None:
            store.records.publish(run_id(1), made)
            store.index.append(made)

        blob = {f"run-{n}": made for n in range(records)}
        own_times, blob_times = [], []
        for _ in range(3):  # in turns, so that both meet the same load
            own_times += [seconds(ours) for _ in range(10)]
            blob_times.append(seconds(lambda: _raw_replace(folder, orjson.dumps(blob))))
            _settle(folder)
        store.close()
    own, settings = statistics.median(own_times), statistics.median(blob_times)
    figures: dict[str, float | str] = {"ours_ms": own * 1e3, "blob_ms": settings * 1e3}
    what = f"end of a 500 KB run against one settings blob with {records:,} records, times faster"
    return [BenchRow("P3", what, settings / own, 300, "at least", figures)]


def _settle(folder: Path) -> None:
    """What the disk still has to do for the last blob is not part of the next figure."""
    (folder / "raw").unlink()
    os.sync()


def usage_report(seq: int) -> dict[str, Any]:
    """A report of usual size."""
    return {
        "seq": seq,
        "kind": "usage",
        "epoch": 1,
        "boot_ms": 123_456_789,
        "wall_ms": 1_700_000_000_000,
        "input_tokens": 1200,
        "output_tokens": 340,
        "cost_usd": "0.0123",
        "source": "reported",
        "model": "sonnet",
        "message_id": f"msg_{seq:08d}",
        "cumulative": False,
    }


def facts_per_s(folder: Path, count: int, group: int) -> float:
    """Durable facts a second through the seam: framed, written and synced in groups of so many."""
    io = DurableIO()
    fd = io.open(folder / f"facts-{group}", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    reports = [usage_report(n) for n in range(1, count + 1)]
    start = time.perf_counter()
    for at in range(0, count, group):
        io.write(fd, b"".join([frame(report) for report in reports[at : at + group]]))
        io.fdatasync(fd)
    took = time.perf_counter() - start
    os.close(fd)
    return count / took


def p4() -> list[BenchRow]:
    """Durable events a second with group commit against a sync for each."""
    with own_folder() as folder:
        rounds = [
            (
                facts_per_s(folder, 2_000, 1),
                facts_per_s(folder, 100_000, 500),
                _raw_syncs_per_s(folder, 2_000),
            )
            for _ in range(3)
        ]
        single, grouped, raw = (statistics.median(rates) for rates in zip(*rounds, strict=True))
        futures = _journal_per_s(folder, 20_000)
    figures: dict[str, float | str] = {
        "grouped_per_s": grouped,
        "single_per_s": single,
        "raw_fdatasync_per_s": raw,
        "decisions_with_futures_per_s": futures,
    }
    what = "durable events a second, groups against a sync for each"
    return [BenchRow("P4", what, grouped / single, 25, "at least", figures)]


def _raw_syncs_per_s(folder: Path, count: int) -> float:
    line = frame(usage_report(1))
    fd = os.open(folder / "raw-syncs", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    start = time.perf_counter()
    for _ in range(count):
        os.write(fd, line)
        os.fdatasync(fd)
    took = time.perf_counter() - start
    os.close(fd)
    return count / took


def _journal_per_s(folder: Path, count: int) -> float:
    store = Store.open(folder / "journal")
    journal = new_run(store)
    decision = _decision()
    start = time.perf_counter()
    futures = [journal.append(decision, AT, sync=True) for _ in range(count)]
    futures[-1].result()
    took = time.perf_counter() - start
    journal.close()
    store.close()
    return count / took


def _decision() -> ClaimRefused:
    return ClaimRefused(
        SlotId("report"), "E_CAPACITY", "all four places are taken; it starts when one is free"
    )


def p5(rate: int = 2_000, for_s: float = 2.0) -> list[BenchRow]:
    """From an event to its durability: in the window, and for decisions that something waits for."""
    with own_folder() as folder:
        io = WeighingIO()
        store = Store.open(folder / "data", io)
        journal = new_run(store)
        written = _at_rate(rate, for_s, lambda: journal.append(_decision(), AT, sync=False).result())
        journal.close()
        delays = sorted(_durable_after(at, io.syncs) for at in written)
        late = delays[int(len(delays) * 0.99)]
        journal = new_run(store, 2)
        waited, raw = _claim_against_raw(journal.append, folder)
        journal.close()
        store.close()
    figures: dict[str, float | str] = {
        "durable_p50_ms": delays[len(delays) // 2] * 1e3,
        "durable_p99_ms": late * 1e3,
        "events": len(written),
        "claim_p50_us": waited * 1e6,
        "raw_fdatasync_p50_us": raw * 1e6,
    }
    window = f"event to durable at {rate:,}/s, 99th percentile, against the window of 250 ms"
    return [
        BenchRow("P5 window", window, late / WINDOW_S, 1.3, "at most", figures),
        BenchRow(
            "P5 claim", "claim to durable against one raw fdatasync", waited / raw, 3, "at most", figures
        ),
    ]


def _at_rate(rate: int, for_s: float, call: Callable[[], object]) -> list[float]:
    """Calls at a fixed rate; when each returned."""
    start, returned = time.perf_counter(), []
    for n in range(int(rate * for_s)):
        wait = start + n / rate - time.perf_counter()
        if wait > 0:
            time.sleep(wait)
        call()
        returned.append(time.perf_counter())
    return returned


def _durable_after(at: float, syncs: list[tuple[float, float]]) -> float:
    return next(end for begin, end in syncs if begin >= at) - at


def _claim_against_raw(append: Callable[..., Any], folder: Path) -> tuple[float, float]:
    line = encode_entry(1, AT, "claim_refused", encode_event(_decision())[1])
    fd = os.open(folder / "raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def raw() -> None:
        os.write(fd, line)
        os.fdatasync(fd)

    pairs = [
        (seconds(lambda: append(_decision(), AT, sync=True).result()), seconds(raw)) for _ in range(1_000)
    ]
    os.close(fd)
    ours, bare = (statistics.median(values) for values in zip(*pairs, strict=True))
    return ours, bare


def p7(count: int = 100_000) -> list[BenchRow]:
    """Replay of reports, with checksum and sequence checked, against bare orjson; decisions with types beside it."""
    content = b"".join(frame(usage_report(n)) for n in range(1, count + 1))
    lines = content.splitlines()
    kind, (_, fields) = _decision().kind, encode_event(_decision())
    decisions = b"".join(encode_entry(n, AT, kind, fields) for n in range(1, count + 1))
    ways: list[Callable[[], object]] = [
        lambda: [orjson.loads(line) for line in lines],
        lambda: parse_lines(content, numbered=True, loads=report_loads),
        lambda: parse_lines(content, numbered=True, loads=orjson.loads),
        lambda: [decode_entry(o) for o in parse_lines(decisions, numbered=True, loads=orjson.loads).objects],
    ]
    rounds = [[count / seconds(way) for way in ways] for _ in range(5)]  # in turns: all meet the same load
    bare, ours, fast, typed = (statistics.median(rates) for rates in zip(*rounds, strict=True))
    figures: dict[str, float | str] = {
        "bare_orjson_per_s": bare,
        "checked_reports_per_s": ours,
        "checked_lines_per_s": fast,
        "typed_decisions_per_s": typed,
    }
    what = f"replay of {count:,} events with checksums against bare orjson"
    return [
        BenchRow("P7", what, fast / bare, 0.5, "at least", figures),
        BenchRow("P7 rate", "replayed events a second", fast, 300_000, "at least", figures),
    ]
