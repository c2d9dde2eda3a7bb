"""Discard and its undo (A15 row 16, REC13, C7, C12, rulings 15–17)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.engine import local_keeping
from quarterdeck.engine.closing import UNDO_MS, tidy_asides
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.works import FOREVER, ended, launch, python, shell, shows, spends, to_end, until, write

EFFECT = "say('effect', id='e1', state='sent', kind='ticket', target='T-1')\nsay('output', value=1)"


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def ledger_of(data: Path, kind: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (data / "ledger.jsonl").read_text().splitlines()]
    return [line for line in lines if line["kind"] == kind]


async def discarded(engine: Engine, run: RunId, actor: str | None = None) -> Discarded:
    done = await engine.keeping.discard(run, actor)
    assert isinstance(done, Discarded), done
    return done


async def test_discard_takes_a_run_out_of_the_list_and_undo_brings_everything_back(
    engine: Engine, tmp_path: Path, data: Path
) -> None:
    """REC13, ruling 17."""
    run = (await to_end(engine, write(tmp_path / "w", {"a": spends("0.25")}))).run_id
    before, view = files_of(data / "runs" / run), await engine.run(run)
    done = await discarded(engine, run)
    assert done.view is not None
    assert (done.view.phase, done.view.outcome) == (Phase.CLOSED, Outcome.COMPLETED)
    assert done.until_ms - done.at_ms == 7 * 24 * 3600 * 1000
    assert engine.runs() == ()
    assert await engine.run(run) is None
    assert engine.live_run(run) is None
    assert not (data / "runs" / run).exists()
    assert [one.run for one in await engine.keeping.discarded()] == [run]
    assert await engine.keeping.undo_discard(run) == run
    assert files_of(data / "runs" / run) == before
    assert [line.run_id for line in engine.runs()] == [run]
    assert await engine.run(run) == view
    assert await engine.keeping.discarded() == ()


async def test_totals_count_a_discarded_run_once(engine: Engine, tmp_path: Path, data: Path) -> None:
    """REC13: analytics from the ledger are the same before, after, and after an undo and another discard."""
    run = (await to_end(engine, write(tmp_path / "w", {"a": spends("0.25", "0.5")}))).run_id
    spent = (await engine.past.spend()).rows
    await discarded(engine, run)
    assert (await engine.past.spend()).rows == spent
    assert await engine.keeping.undo_discard(run) == run
    await discarded(engine, run)
    assert (await engine.past.spend()).rows == spent
    (line,) = Store.open(data).ledger.closings("discard").values()
    row = line["summary"]
    assert (row["workflow_name"], row["turns"], row["cost_usd"], row["phase"]) == (
        "work",
        2,
        "0.75",
        "closed",
    )
    assert line["state"] == "discarded"


async def test_the_workflow_shows_that_its_last_run_was_discarded(engine: Engine, tmp_path: Path) -> None:
    """C12: not silently the one before."""
    path = write(tmp_path / "w", {"a": shell("exit 0")})
    first = (await to_end(engine, path)).run_id
    second = (await to_end(engine, path)).run_id
    await discarded(engine, second)
    (status,) = engine.statuses()
    assert (status.shown_run, status.closed, status.live) == (second, "discarded", 0)
    assert [line.run_id for line in engine.runs()] == [first]
    assert await engine.keeping.undo_discard(second) == second
    (status,) = engine.statuses()
    assert (status.shown_run, status.closed) == (second, "")
    third = (await to_end(engine, path)).run_id
    await discarded(engine, second)
    (status,) = engine.statuses()
    assert (status.shown_run, status.closed) == (third, "")


async def test_what_nobody_knows_is_named_and_stays_in_the_ledger(
    engine: Engine, tmp_path: Path, data: Path
) -> None:
    """REC13: effects of unknown outcome are listed first."""
    run = (await to_end(engine, write(tmp_path / "w", {"a": python(EFFECT)}))).run_id
    (effect,) = await engine.keeping.unknown_effects(run)
    assert (effect.slot, effect.id, effect.type, effect.target) == ("a", "e1", "ticket", "T-1")
    done = await discarded(engine, run)
    assert done.effects == (effect,)
    (line,) = ledger_of(data, "discard")
    assert [one["target"] for one in line["effects"]] == ["T-1"]


async def test_a_live_run_is_not_discarded(engine: Engine, tmp_path: Path, data: Path) -> None:
    """A15 row 16."""
    run = await launch(engine, write(tmp_path / "w", {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))
    refused = await engine.keeping.discard(run)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_SURVIVOR
    assert (data / "runs" / run).is_dir()
    await engine.stop_run(run)
    await ended(engine, run)
    await discarded(engine, run)


async def test_only_its_owner_discards_a_run_or_brings_it_back(
    engine: Engine, tmp_path: Path, data: Path
) -> None:
    """C7."""
    run = (await to_end(engine, write(tmp_path / "w", {"a": shell("exit 0")}))).run_id
    refused = await engine.keeping.discard(run, "somebody else")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ACTOR
    await discarded(engine, run)
    refused = await engine.keeping.undo_discard(run, "somebody else")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ACTOR
    assert await engine.keeping.undo_discard(run) == run


@pytest.mark.parametrize("damage", ["journal", "both", "folder"])
async def test_a_run_whose_record_has_no_body_can_be_discarded(
    damage: str, engine: Engine, tmp_path: Path, data: Path
) -> None:
    """Case 20."""
    run = (await to_end(engine, write(tmp_path / "w", {"a": shell("exit 0")}))).run_id
    folder = data / "runs" / run
    (folder / "journal.jsonl").write_bytes(b"")
    if damage != "journal":
        (folder / "record.json").write_bytes(b"")
    if damage == "folder":
        (folder / "journal.jsonl").unlink()
    await engine.refresh()
    before = files_of(folder)
    done = await discarded(engine, run)
    assert (done.view is None) == (damage != "journal")
    assert not folder.exists()
    assert await engine.keeping.undo_discard(run) == run
    assert files_of(folder) == before


async def test_an_unknown_run_is_refused_in_words(engine: Engine) -> None:
    for name in ("r-none", "../x", ""):
        refused = await engine.keeping.discard(RunId(name))
        assert isinstance(refused, Refusal)
        assert refused.code is Code.E_RUN
        assert isinstance(await engine.keeping.undo_discard(RunId(name)), Refusal)


async def test_a_discarded_run_is_deleted_after_seven_days_and_its_row_stays(
    engine: Engine, tmp_path: Path, data: Path
) -> None:
    """Ruling 17."""
    run = (await to_end(engine, write(tmp_path / "w", {"a": spends("0.25")}))).run_id
    done = await discarded(engine, run)
    store = Store.open(data)
    tidy_asides(store, replace(now(), wall_ms=done.at_ms + UNDO_MS))
    assert [one.run for one in store.asides.discarded()] == [run]
    tidy_asides(store, replace(now(), wall_ms=done.at_ms + UNDO_MS + 1))
    assert store.asides.discarded() == store.asides.leaving() == ()
    assert not [path for path in data.rglob("*") if run in path.name]
    assert (await engine.past.spend()).rows
    await engine.refresh()
    (status,) = engine.statuses()
    assert (status.shown_run, status.closed) == (run, "discarded")
    assert isinstance(await engine.keeping.undo_discard(run), Refusal)
    store.close()


async def test_after_seven_days_nothing_is_brought_back_also_while_it_is_not_deleted_yet(
    engine: Engine, tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ruling 17: the bound that was said is the bound; what is past it is not offered either."""
    done = await discarded(engine, (await to_end(engine, write(tmp_path, {"a": shell("true")}))).run_id)
    for late_ms, is_offered in ((UNDO_MS, True), (UNDO_MS + 1, False)):
        at = replace(now(), wall_ms=done.at_ms + late_ms)
        monkeypatch.setattr(local_keeping, "now", lambda at=at: at)
        assert [one.run for one in await engine.keeping.discarded()] == [done.run] * is_offered
    refused = await engine.keeping.undo_discard(done.run)
    assert isinstance(refused, Refusal)
    assert "more than 7 days ago" in refused.message
    assert not (data / "runs" / done.run).exists()
    assert engine.runs() == ()


async def test_a_clock_that_went_back_deletes_nothing(engine: Engine, tmp_path: Path, data: Path) -> None:
    run = (await to_end(engine, write(tmp_path / "w", {"a": shell("exit 0")}))).run_id
    done = await discarded(engine, run)
    store = Store.open(data)
    tidy_asides(store, replace(now(), wall_ms=done.at_ms - 10 * UNDO_MS))
    store.close()
    assert await engine.keeping.undo_discard(run) == run


async def test_another_process_sees_what_was_discarded_and_brings_it_back(
    open_engine: Opener, tmp_path: Path
) -> None:
    one, other = await open_engine(), await open_engine()
    run = (await to_end(one, write(tmp_path / "w", {"a": shell("exit 0")}))).run_id
    await discarded(one, run)
    await other.refresh()
    assert other.runs() == ()
    assert await other.keeping.undo_discard(run) == run
    await one.refresh()
    assert [line.run_id for line in one.runs()] == [run]
