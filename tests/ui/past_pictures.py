"""Pictures of the bottom panel and of Timeline and spend: python -m tests.ui.past_pictures [FOLDER]. Not a test."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QDialog

from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.domain.views import ArtifactView, SittingView
from quarterdeck.engine.past import LogLine, LogTail
from quarterdeck.ui.theme import Scheme
from tests.ui import made, past_made
from tests.ui.desk import Desk, desk_over
from tests.ui.fake_door import FakeDoor
from tests.ui.past_made import DAY_S, MIN
from tests.ui.picture_command import folder_asked, run_pictures
from tests.ui.take_pictures import IS_BRIEF, SCHEMES, save_still


def full_door() -> FakeDoor:
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    past, waits = past_made.resumed_run(16, -DAY_S * 0.9)
    door.put(past)
    door.past.waited[past.run_id] = waits
    outcomes = [Outcome.COMPLETED, Outcome.FAILED, Outcome.COMPLETED, Outcome.STOPPED, Outcome.INTERRUPTED]
    for n in range(1, 15):
        start = -DAY_S * (15 - n) + 3600 * (n % 3)
        view = made.ended(made.run_view(n, start=start), outcomes[n % 5], start + 900 + 37 * n * (n % 4))
        sittings = (SittingView(view.started_at, view.ended_at, "ana"),)
        door.put(replace(view, sittings=sittings, cost_usd=Decimal("3.02") + n, turns=20 * n))
        door.past.waited[view.run_id] = (
            past_made.wait("repo", "a-1", start + 60, start + 60 + 31 * (n % 5), n),
        )
    live = made.run_view(18, {"planner": "Done", "web": "Running", "repo": "Needs you"}, start=0)
    slots = tuple(
        replace(
            s,
            approvals=(made.question(live.run_id, attempt_id=AttemptId("a-41")),),
            cost_usd=Decimal("1.24"),
            attempts=past_made.attempts(
                (AttemptStatus.FAILED, 1.5, 4), (AttemptStatus.RUNNING, 5, None), first=40
            ),
        )
        if s.slot_id == "repo"
        else s
        for s in live.slots
    )
    slots = tuple(
        replace(
            s,
            attempts=(
                replace(s.attempts[0], artifacts=(ArtifactView("notes.md", "b" * 64, 4100, None, "n"),)),
            ),
        )
        if s.slot_id == "planner"
        else s
        for s in slots
    )
    door.put(replace(live, slots=slots, sittings=(SittingView(live.started_at, None, "ana"),)))
    failed = made.run_view(19, {"planner": "Done", "web": "Failed", "repo": "Running"}, start=900)
    door.put(failed)
    door.past.ledger = past_made.ledger()
    door.past.log = LogTail(
        Path("/logs/quarterdeck.log"),
        (
            LogLine("2025-11-29T13:02:03.120Z", "info", "quarterdeck.engine.settling", "2 runs were settled"),
            LogLine(
                "2025-11-29T13:04:00.001Z",
                "warning",
                "quarterdeck.engine.catalog",
                "the journal of run r-1 cannot be folded",
            ),
            LogLine(
                "2025-11-29T13:05:00.001Z", "error", "asyncio", "Task exception", "Traceback\nValueError: no"
            ),
        ),
    )
    return door


async def settle() -> None:
    for _ in range(8):
        await asyncio.sleep(0.03)


async def bottom(folder: Path) -> None:
    async with desk_over(full_door(), Scheme.LIGHT) as desk:
        w = desk.window
        live = max((r for r in w.watching._known.runs if r.is_live), key=lambda r: -r.launch_seq)
        w.watching.choose_slot(live.run_id, SlotId("repo"))
        for scheme in SCHEMES:
            w.theme.choose(scheme)
            for name, tab in (
                ("agents", w.agents),
                ("activity", w.bottom.activity),
                ("timeline", w.bottom.timeline),
                ("problems", w.bottom.problems),
                ("log", w.bottom.log),
            ):
                w.bottom.tabs.setCurrentWidget(tab)
                await settle()
                await save_still(w, folder / f"bottom-{name}-{w.theme.tokens.name}.png")


async def page(folder: Path, name: str, door: FakeDoor) -> None:
    async with desk_over(door, Scheme.LIGHT) as desk:
        await open_page(desk)
        w = desk.window
        for scheme in SCHEMES:
            w.theme.choose(scheme)
            await settle()
            await save_still(w, folder / f"page-{name}-{w.theme.tokens.name}.png")
        if name == "full" and not IS_BRIEF:
            await of_live(desk, folder)


async def of_live(desk: Desk, folder: Path) -> None:
    """A live run on the page, two runs beside each other, and the page in a small window."""
    w = desk.window
    live = max((r for r in w.watching._known.runs if r.is_live), key=lambda r: -r.launch_seq)
    w.watching.choose_run(live.run_id)
    size = w.size()
    for scheme in SCHEMES:
        w.theme.choose(scheme)
        await settle()
        await save_still(w, folder / f"page-live-{w.theme.tokens.name}.png")
        w.looking_back.page.head.compare.click()
        await settle()
        (dialog,) = (d for d in w.findChildren(QDialog) if d.isVisible())
        await save_still(dialog, folder / f"compare-{w.theme.tokens.name}.png")
        dialog.reject()
        w.resize(1000, 640)
        await settle()
        await save_still(w, folder / f"page-small-{w.theme.tokens.name}.png")
        w.resize(size)


async def open_page(desk: Desk) -> None:
    await settle()
    past = [v for v in desk.window.watching._known.runs if not v.is_live and v.launch_seq == 16]
    if past:
        desk.window.watching.choose_run(past[0].run_id)
    desk.window.actions_["go_timeline"].trigger()
    await settle()


def crowded_door() -> FakeDoor:
    flow = made.workflow("Sweep", 200, "w-1")
    door = FakeDoor((made.loaded(flow),))
    view = made.run_view(16, {f"n{i}": ("Done", "Failed", "Running")[i % 3] for i in range(150)}, flow)
    spread = tuple(
        replace(
            s,
            attempts=past_made.attempts(
                *((AttemptStatus.FAILED, (i % 9) + k * 2, (i % 9) + k * 2 + 1.5) for k in range(i % 4)),
                *(
                    (s.attempts[-1].status, (i % 9) + 8, (i % 9) + 9.5 if s.attempts[-1].ended_at else None)
                    for _ in s.attempts
                ),
                first=10 * i,
            )
            if s.attempts
            else (),
        )
        for i, s in enumerate(view.slots)
    )
    door.put(made.ended(replace(view, slots=spread), Outcome.FAILED, 20 * MIN))
    door.past.ledger = past_made.ledger(90, 3, 12)
    return door


async def take(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    await page(folder, "full", full_door())
    if IS_BRIEF:
        return
    await bottom(folder)
    await page(folder, "empty", FakeDoor((made.loaded(),)))
    await page(folder, "crowded", crowded_door())


def main() -> None:
    run_pictures(lambda app: take(folder_asked()))


if __name__ == "__main__":
    main()
