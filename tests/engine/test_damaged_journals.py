"""A journal that is damaged before its end: its run is named, never carried on, and can be discarded (JNL2, JNL5, JNL6, case 101)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.recovery import ResumePreview
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.test_settling import short_life
from tests.engine.works import FOREVER, python, spends, to_end, write

A = SlotId("a")
Spoil = Callable[[Path], None]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def nuls(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 5] = bytes(5)
    path.write_bytes(bytes(content))


def without_claims(path: Path) -> None:
    """The claim and all after it are gone, as by a tail that is lost: only the attempt's folder tells of it."""
    lines = path.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    path.write_bytes(b"".join(lines[: kinds.index("attempt_claimed")]))


def done_and_cut_off(data: Path, tmp_path: Path, spoil: Spoil) -> RunId:
    """A run whose first agent is done and whose second was running when the owner was killed."""
    path = write(tmp_path / "w", {"a": spends("0.25"), "b": python(FOREVER)}, ("a", "b"))
    with short_life(data, path) as life:
        life.wait_said("a=Done", "b=Running")
        life.kill()
    spoil(data / "runs" / life.run / "journal.jsonl")
    return life.run


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name.startswith(("journal", "record"))
    }


def refused_for_damage(answer: object) -> bool:
    return (
        isinstance(answer, Refusal)
        and answer.code is Code.E_STORE
        and "journal is damaged" in answer.message
        and "Launch it anew, or discard it" in answer.message
    )


@pytest.mark.parametrize("spoil", [flip, nuls, without_claims])
async def test_damage_before_recovery_is_named_and_starts_nothing_again(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """JNL5, JNL6: what is read is "at least", and done work is not begun anew."""
    run = done_and_cut_off(data, tmp_path, spoil)
    before, attempts = content(data / "runs" / run), sorted((data / "runs" / run / "attempts").iterdir())
    engine = await open_engine()
    await engine.refresh()
    if spoil is not without_claims:
        assert run in {one.run for one in await engine.keeping.unreadable()}
        (line,) = engine.runs()
        assert not line.cost_is_complete
    owed = await engine.recovery.owed()
    assert [(one.run_id, one.torn, one.cost_is_complete) for one in owed.runs] == [(run, True, False)]
    assert [(one.run_id, "damaged" in one.why) for one in owed.unreadable] == [(run, True)]
    assert refused_for_damage(await engine.claim(run, A))
    assert refused_for_damage(await engine.reassign(run, A, "again"))
    assert refused_for_damage(await engine.recovery.keep_as_stopped(run))
    assert not isinstance(await engine.recovery.before_resume(run, A), ResumePreview)
    assert content(data / "runs" / run) == before, "a damaged journal was written"
    assert sorted((data / "runs" / run / "attempts").iterdir()) == attempts


@pytest.mark.parametrize("spoil", [flip, nuls, without_claims])
async def test_a_run_with_a_damaged_journal_that_nobody_has_can_be_discarded(
    spoil: Spoil, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Case 20: also where what is left of the journal says that it is live."""
    run = done_and_cut_off(data, tmp_path, spoil)
    engine = await open_engine()
    await engine.refresh()
    refused = await engine.keeping.discard(run, "somebody else")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ACTOR
    assert isinstance(await engine.keeping.discard(run), Discarded)
    assert engine.runs() == ()
    assert await engine.keeping.undo_discard(run) == run


@pytest.mark.parametrize("spoil", [flip, nuls])
async def test_an_ended_run_with_a_damaged_journal_is_shown_by_its_record_named_and_discardable(
    spoil: Spoil, engine: Engine, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """Ruling 15: the record, where it is whole. The damage is named at each look, not only at the first."""
    view = await to_end(engine, write(tmp_path / "w", {"a": spends("0.25")}))
    run = view.run_id
    await engine.close()
    spoil(data / "runs" / run / "journal.jsonl")
    other = await open_engine()
    for _ in range(2):
        await other.refresh()
        assert [one.run for one in await other.keeping.unreadable()] == [run]
    shown = await other.run(run)
    assert shown is not None
    assert (shown.outcome, shown.turns, shown.cost_usd) == (view.outcome, view.turns, view.cost_usd)
    assert [line.outcome for line in other.runs()] == [view.outcome]
    assert refused_for_damage(await other.claim(run, A))
    assert isinstance(await other.keeping.discard(run), Discarded)
