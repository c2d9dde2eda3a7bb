"""`python -m tests.crash.told_nursery FOLDER`: one JSON list `[beginning, kind of file, family, seed]` a line from stdin; a JSON object each.

One file of a killed app's folder is made into a crash image (`images`), is taken away, or something else lies in its place; then the
product opens it, twice, and everything that list, prompt, views and statuses of terminal and window say is judged by `told`, against
the folder as it was. Every other point opens it for reading alone, as `recover`, `runs`, `status` and `show` do, before anybody else has.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import random
import shutil
import sys
import time
import traceback
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.cli.history import _runs_table, _status_row
from quarterdeck.cli.recovering import _lines
from quarterdeck.domain.moment import Moment
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.recovery import InterruptedRun, Owed
from quarterdeck.engine.service import Engine
from quarterdeck.ui.badges import badge_of_run
from quarterdeck.ui.present_recovery import recovery_facts
from tests.crash import lab, told, works
from tests.crash.images import FAMILIES, Image
from tests.crash.kill_nursery import beginning

FILES = {
    "journal": "store/runs/*/journal.jsonl",
    "reports": "store/runs/*/attempts/*/reports.jsonl",
    "exit": "store/runs/*/attempts/*/exit.json",
    "record": "store/runs/*/record.json",
    "index": "store/index.jsonl",
    "ledger": "store/ledger.jsonl",
    "session": "store/sessions/*.json",
    "store": "store/store.json",
    "attempts": "store/runs/*/attempts",
    "attempt": "store/runs/*/attempts/*",
    "lock": "store/runs/*/owner.lock",
}
MADE = {"attempts": ("gone", "file", "link"), "attempt": ("file", "link")}
PLACES = ("attempts", "attempt", "lock")
"""Kinds that are no files of lines: of these something else lies in the place, or nothing does."""
BEGINNINGS = ("cut off", "settled")
NEEDED = {name: {*agents, *(node["id"] for node in more)} for name, (agents, _, more) in works.SHAPES.items()}


def damage(home: Path, kind: str, family: int, chance: random.Random) -> tuple[Path, Image] | None:
    """One file of that kind, spoilt in its place. None: there is none here."""
    files = sorted(path for path in home.glob(FILES[kind]) if path.stat().st_size or kind in PLACES)
    if not files:
        return None
    path = chance.choice(files)
    if kind in PLACES or chance.random() < 0.1:
        return path, replace(path, kind, chance)
    image = FAMILIES[family](path.read_bytes(), chance)
    path.unlink()  # links of the original may share it
    path.write_bytes(image.content)
    return path, image


def replace(path: Path, kind: str, chance: random.Random) -> Image:
    """Nothing is there any more, or a file, a folder or a link that leads nowhere. An attempt of which nothing at all is left looks
    as one whose claim is all that there was: a kill may have come between the two, so that is not tried.
    """
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    made = chance.choice(MADE.get(kind, ("gone", "file", "folder", "link")))
    if made == "file":
        path.write_bytes(b"x")
    elif made == "folder":
        path.mkdir()
    elif made == "link":
        path.symlink_to("nowhere")
    return Image(made, b"", 0)


async def _tell(home: Path, *, read_only: bool) -> dict[str, Any]:
    try:
        engine = await Engine.open(home / "store", read_only=read_only)
    except StoreUnusable as error:
        return {"unusable": str(error)}
    try:
        await engine.refresh()
        runs = engine.runs()
        views = {line.run_id: await engine.run(line.run_id) for line in runs}
        owed = await engine.recovery.owed()
        statuses = engine.statuses()
        named = {one.run for one in await engine.keeping.unreadable()}
    finally:
        await engine.close()
    texts = [badge_of_run(line).word for line in runs]
    texts += [badge_of_run(view).word for view in views.values() if view is not None]
    texts += _runs_table(list(runs), 10_000).splitlines()[1:]
    texts += [str(_status_row(one)[1]) for one in statuses]
    return {
        "runs": {line.run_id: _line(line, views[line.run_id]) for line in runs},
        "owed": {run.run_id: _owed(run) for run in owed.runs},
        "unreadable": sorted({*named, *(one.run_id for one in owed.unreadable)} - {""}),
        "statuses": [
            {"name": one.workflow_name, "live": one.live, "outcome": str(one.outcome)} for one in statuses
        ],
        "texts": [*texts, *_prompt_texts(owed)],
    }


def _line(line: Any, view: Any) -> dict[str, Any]:
    return {
        "phase": line.phase.value,
        "outcome": str(line.outcome),
        "reason": line.reason,
        "turns": line.turns,
        "cost_usd": None if line.cost_usd is None else str(line.cost_usd),
        "cost_is_complete": line.cost_is_complete and (view is None or view.cost_is_complete),
        "slots": {slot.slot_id: slot.display for slot in view.slots} if view is not None else None,
    }


def _owed(run: InterruptedRun) -> dict[str, Any]:
    return {
        "turns": run.turns,
        "cost_usd": None if run.cost_usd is None else str(run.cost_usd),
        "cost_is_complete": run.cost_is_complete,
        "torn": run.torn,
        "damage": run.damage,
        "agents": [
            {
                "slot_id": agent.slot_id,
                "effects": [effect.id for effect in agent.effects],
                "outside": agent.outside.value,
                "unread": bool(agent.unread),
            }
            for agent in run.agents
        ],
        "texts": _money_texts(run),
    }


def _money_texts(run: InterruptedRun) -> list[str]:
    """The lines of terminal and window that show what the run cost."""
    line = next(text for text in _lines(Owed((run,)), {}, True) if text.startswith("  started "))
    facts = recovery_facts(Owed((run,)), run.started_at, {})
    return [line, facts.cards[0].line, facts.totals[2].value]


def _prompt_texts(owed: Owed) -> list[str]:
    """All that terminal and window say in the prompt, but what it promises of Resume."""
    now = Moment("b", 0, 0)
    facts = recovery_facts(owed, now, {})
    texts = [text for text in _lines(owed, {}, True) if not text.startswith("  $ ")]
    for card in facts.cards:
        texts += [card.line, card.stands, card.rest, *card.others]
        texts += [part for agent in card.agents for part in (agent.subtitle, agent.badge.word, agent.note)]
    return [*texts, *(total.caption for total in facts.totals), *(one.words for one in facts.unreadable)]


def try_point(folder: Path, begin: str, kind: str, family: int, seed: int) -> dict[str, Any]:
    template, home = beginning(folder, begin), folder / "home"
    truths = _truths(template)
    shutil.copytree(template / "store", home / "store", ignore=shutil.ignore_patterns("*.sock"))
    os.environ["QUARTERDECK_CONFIG_DIR"] = str(home / "config")
    spoilt = damage(home, kind, family, random.Random(seed))
    if spoilt is None:
        shutil.rmtree(home)
        return {"faults": [], "file": None}
    path, image = spoilt
    read_only = bool(seed % 2)
    first = asyncio.run(_tell(home, read_only=read_only))
    faults = told.judge(truths, first)
    second = asyncio.run(_tell(home, read_only=read_only))
    faults += [f"the second time: {fault}" for fault in told.judge(truths, second) if fault not in faults]
    if faults:
        faults.append(
            f"{path.relative_to(home)}: {image.family}, untouched {image.untouched}; told {first}"[:2500]
        )
    shutil.rmtree(home)
    return {"faults": faults, "file": path.name, "named": first.get("unreadable", ["store"])}


_TRUTHS: dict[Path, list[told.Truth]] = {}


def _truths(template: Path) -> list[told.Truth]:
    if template not in _TRUTHS:
        _TRUTHS[template] = told.truths_of(template, NEEDED)
        assert sum((one.cost for one in _TRUTHS[template]), Decimal(0)) > 0
    return _TRUTHS[template]


def main(folder: Path) -> None:
    lab.warm_up()
    for number, line in enumerate(sys.stdin):
        point = json.loads(line)
        begun_s = time.monotonic()
        try:
            result = try_point(folder, *point)
        except Exception:
            result = {"faults": [traceback.format_exc()], "file": None}
            shutil.rmtree(folder / "home", ignore_errors=True)
        took_s = round(time.monotonic() - begun_s, 3)
        print(json.dumps({"point": point, "took_s": took_s, **result}), flush=True)
        if number % 100 == 99:
            gc.collect()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
