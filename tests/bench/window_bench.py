"""P15: the transcript's panel over the real reader: opening at its end, 100,000 events, and finding against ripgrep.

`QUARTERDECK_BENCH_BYTES` makes the file smaller than 1 GB. Where ripgrep is missing, `grep -F` takes its place and the
row says so; `QUARTERDECK_BENCH_RG` names one that is not on the PATH.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from tests.bench.row import BenchRow, own_folder, seconds
from tests.ui.fake_sign_ins import FakeSignIns

BYTES = int(os.environ.get("QUARTERDECK_BENCH_BYTES", str(1024**3)))
EVENTS = 100_000
ROUNDS = 5
OPEN_MS, EVENTS_MS = 200.0, 1000.0
NEEDLES = ("a needle in the hay", "failed")
TICK_S = 0.001


def p15() -> list[BenchRow]:
    """Rows: open, 100,000 events (case 91), find for each needle."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with own_folder() as folder:
        attempts = _attempts(folder)
        opened = {name: _opened_ms(folder, name) for name in ("long", "events")}
        rows = [
            _open_row(f"open {BYTES / 1e9:.2f} GB at its end", OPEN_MS, opened["long"]),
            _open_row(f"open {EVENTS:,} events at their end", EVENTS_MS, opened["events"]),
        ]
        return rows + [_find_row(folder, attempts["long"], needle) for needle in NEEDLES]


def _attempts(folder: Path) -> dict[str, Path]:
    """{name: transcript}: one of plain lines, one of the lines protocol."""
    from quarterdeck.domain.ids import AttemptId, RunId
    from quarterdeck.store.data_folder import Store

    store = Store.open(folder / "data")
    run = store.runs.folder(RunId("r-bench"))
    (run / "attempts").mkdir(parents=True)
    made = {}
    for name, protocol in (("long", "text"), ("events", "lines")):
        attempt = store.attempts.create(
            RunId("r-bench"), AttemptId(name), {"schema": 1, "protocol": protocol}
        )
        made[name] = attempt.transcript_path
    store.writer.close()
    block = "".join(
        f"2026-01-02 03:04:{i % 60:02d} checking file number {i:05d} of the list, and more words\n"
        for i in range(15_000)
    ).encode()
    with open(made["long"], "wb") as file:
        while file.tell() < BYTES:
            file.write(block)
        file.write(b"a needle in the hay: failed\n")
    with open(made["events"], "w", encoding="utf-8") as lines:
        for i in range(EVENTS):
            lines.write(json.dumps(_event(i)) + "\n")
    return made


def _event(i: int) -> dict[str, Any]:
    if i % 3 == 0:
        return {"type": "text", "text": f"I look at file {i} and say what I see."}
    if i % 3 == 1:
        return {
            "type": "effect",
            "id": f"e{i}",
            "state": "confirmed",
            "kind": "shell",
            "target": f"cat {i}.txt",
        }
    return {
        "type": "usage",
        "input_tokens": 12,
        "output_tokens": 3,
        "cost_usd": "0.0001",
        "message_id": f"m{i}",
    }


# ------------------------------------------------------------------------------------------- opening


class _Bound:
    """A door of which only the details are asked."""

    def __init__(self, details: Any) -> None:
        self.details = details
        self.sign_ins = FakeSignIns()


@asynccontextmanager
async def _panel(folder: Path) -> AsyncIterator[Any]:
    from PySide6.QtWidgets import QApplication

    from quarterdeck.engine.attempt_reading import AttemptReading
    from quarterdeck.engine.door import Door
    from quarterdeck.store.data_folder import Store
    from quarterdeck.ui.link import Link
    from quarterdeck.ui.theme import Scheme, Theme
    from quarterdeck.ui.transcript import TranscriptPanel

    store = Store.open(folder / "data")
    theme, link = Theme(cast(QApplication, QApplication.instance()), Scheme.LIGHT), Link()
    link.bind(cast(Door, _Bound(AttemptReading(store))))
    panel = TranscriptPanel(theme, link.attempts)
    panel.resize(360, 700)
    panel.show()
    await asyncio.sleep(0.1)
    try:
        yield panel
    finally:
        await link.stop()
        panel.close()
        panel.deleteLater()
        store.writer.close()


def _on_qt(work: Callable[[], Any]) -> Any:
    from PySide6.QtWidgets import QApplication

    from quarterdeck.ui.loop import new_loop

    app = QApplication.instance() or QApplication([])
    with asyncio.Runner(loop_factory=lambda: new_loop(cast(QApplication, app))) as runner:
        return runner.run(work())


def _opened_ms(folder: Path, attempt: str) -> list[float]:
    """From the choice of the attempt to its last lines painted, several times."""
    from quarterdeck.domain.ids import AttemptId, RunId

    async def measured() -> list[float]:
        times = []
        for _ in range(ROUNDS):
            async with _panel(folder) as panel:
                start = time.perf_counter()
                panel.show_attempt((RunId("r-bench"), AttemptId(attempt)), is_live=False)
                while not panel.pager.is_known:
                    await asyncio.sleep(TICK_S)
                panel.grab()
                times.append((time.perf_counter() - start) * 1000)
        return times

    found: list[float] = _on_qt(measured)
    return found


def _open_row(what: str, goal_ms: float, times: list[float]) -> BenchRow:
    median = statistics.median(times)
    figures: dict[str, float | str] = {"median_ms": median, "longest_ms": max(times)}
    return BenchRow(
        f"P15 {what}", f"{what}, against {goal_ms:g} ms", median / goal_ms, 1.0, "at most", figures
    )


# ------------------------------------------------------------------------------------------- finding


def _find_row(folder: Path, path: Path, needle: str) -> BenchRow:
    """The whole way through link and reader, in turns with the peer; and how long the window stood still meanwhile."""
    name, peer = _peer()
    ours, theirs, gaps = [], [], []
    for _ in range(ROUNDS):
        took, gap = _on_qt(lambda: _searched(folder, needle))
        ours.append(took)
        gaps.append(gap)
        theirs.append(
            seconds(lambda: subprocess.run([*peer, needle, str(path)], stdout=subprocess.DEVNULL, check=True))
        )
    mine, other = statistics.median(ours), statistics.median(theirs)
    figures: dict[str, float | str] = {
        "ours_s": mine,
        f"{name}_s": other,
        "longest_gap_of_the_window_ms": max(gaps) * 1000,
    }
    note = "" if name == "ripgrep" else "ripgrep is not installed: against grep -F"
    return BenchRow(
        f"P15 find “{needle}”",
        f"literal find, speed against {name}",
        other / mine,
        0.5,
        "at least",
        figures,
        note,
    )


def _peer() -> tuple[str, list[str]]:
    found = os.environ.get("QUARTERDECK_BENCH_RG") or shutil.which("rg")
    return ("ripgrep", [found, "-F", "-c"]) if found else ("grep", ["grep", "-F", "-c"])


async def _searched(folder: Path, needle: str) -> tuple[float, float]:
    """Seconds of one search, and the longest time that the window's loop did not turn."""
    from quarterdeck.domain.ids import AttemptId, RunId
    from quarterdeck.engine.attempt_details import Sought

    async with _panel(folder) as panel:
        link = panel.finder._link
        parts: list[Any] = []
        link.search_moved.connect(parts.append)
        start = last = time.perf_counter()
        longest = 0.0
        link.search(1, RunId("r-bench"), AttemptId("long"), Sought(needle, match_case=True))
        while not parts or not parts[-1].is_done:
            await asyncio.sleep(TICK_S)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        return time.perf_counter() - start, longest
