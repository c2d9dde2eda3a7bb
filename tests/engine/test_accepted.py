"""What was accepted is done: late answers, askers that go away, commands said twice, and stops that hold (cases 14, 17)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.events import SlotFailed
from quarterdeck.domain.ids import CommandId, RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome
from quarterdeck.engine import foreign
from quarterdeck.engine.owner_socket import OwnerSilent, ask_owner
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.works import (
    FOREVER,
    A,
    Disk,
    at_work,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    slot_of,
    until,
    waits_for,
    write,
)

ONE, TWO = CommandId("c-" + "1" * 32), CommandId("c-" + "2" * 32)


async def _waits_for_its_disk(engine: Engine, disk: Disk, folder: Path) -> RunId:
    """A run whose actor cannot record that an agent ended; another agent is at work, and one would follow."""
    path = write(
        folder, {"a": python(FOREVER), "q": waits_for(folder / "go"), "b": shell("true")}, ("q", "b")
    )
    run = await at_work(engine, path, "a", "q")
    disk.full = True
    (folder / "go").touch()
    await until(engine, run, lambda view: not view.recording)
    return run


async def test_a_stop_that_the_owner_could_not_record_in_time_is_recorded_and_nothing_is_claimed(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """ID5, case 17, ruling 18: the limit ends the waiting of who asked, not what was asked."""
    disk = Disk()
    engine = await open_engine(io=disk)
    run = await _waits_for_its_disk(engine, disk, tmp_path)
    engine._foreign.answer_within_s = 0.3
    answer = await engine._foreign.serve({"verb": "stop", "run": run, "actor": "p"})
    assert (answer["ok"], answer["code"]) == (False, "E_STORE")
    assert "will be recorded" in answer["message"]
    claim = await engine._foreign.serve({"verb": "claim", "run": run, "slot": "b", "actor": "p"})
    assert "may still happen" in claim["message"]
    disk.full = False
    view = await ended(engine, run)
    assert view.outcome is Outcome.STOPPED
    assert slot_of(view, "b").attempts == ()
    kinds = journal_kinds(data, run)
    assert kinds.count("run_stop_requested") == 1
    assert kinds.count("attempt_claimed") == 2


async def test_a_command_goes_on_where_who_gave_it_is_gone(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    disk = Disk()
    engine = await open_engine(io=disk)
    run = await _waits_for_its_disk(engine, disk, tmp_path)
    asked = asyncio.ensure_future(engine.stop_run(run))
    await asyncio.sleep(0)
    asked.cancel()
    disk.full = False
    assert (await ended(engine, run)).outcome is Outcome.STOPPED
    assert "run_stop_requested" in journal_kinds(data, run)


# ------------------------------------------------------------------------------------------- said twice (SLT19)


async def test_the_same_command_id_gets_the_first_answer_a_hundred_times(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """SLT19: here, over the socket, and after the process that answered has gone."""
    owner, other = await open_engine(), await open_engine()
    run = await launch(owner, write(tmp_path, {"a": shell("exit 1"), "b": python(FOREVER)}))
    await until(owner, run, shows("a", "Failed"))
    for engine in (owner, other) * 50:
        assert await engine.reassign(run, A, "again", command_id=ONE) is None
    assert journal_kinds(data, run).count("slot_reassigned") == 1
    claims = {await engine.claim(run, A, command_id=TWO) for engine in (other, owner) * 10}
    assert len(claims) == 1
    view = await until(owner, run, lambda view: len(slot_of(view, "a").attempts) == 2)
    assert attempt_of(view, "a").attempt_id in claims
    await owner.stop_run(run)
    await ended(owner, run)
    await owner.close()
    later = await open_engine()
    assert await later.reassign(run, A, "again", command_id=ONE) is None
    assert journal_kinds(data, run).count("slot_reassigned") == 1
    assert await later.reassign(run, A, "once more", command_id=CommandId("c-3")) is None
    assert journal_kinds(data, run).count("slot_reassigned") == 2


async def test_an_answer_is_given_once_and_its_id_hears_so_again(engine: Engine, tmp_path: Path) -> None:
    asks = "say('approval', id='q', question='Go?', options=['yes', 'no'])\ntold()\n"
    run = await launch(engine, write(tmp_path, {"a": python(asks + FOREVER)}))
    view = await until(engine, run, shows("a", "Needs you"))
    (asked,) = slot_of(view, "a").approvals
    answers = [await engine.answer(run, asked.request_id, "yes", command_id=ONE) for _ in range(3)]
    assert answers == [None, None, None]
    refused = await engine.answer(run, asked.request_id, "yes", command_id=TWO)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_REQUEST
    assert await engine.answer(run, asked.request_id, "yes", command_id=TWO) == refused


async def test_a_broken_connection_is_tried_once_more_with_the_same_id(
    open_engine: Opener, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, other = await open_engine(), await open_engine()
    run = await launch(owner, write(tmp_path, {"a": shell("exit 1"), "b": python(FOREVER)}))
    await until(owner, run, shows("a", "Failed"))
    ids = []

    async def breaks_after(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
        answer = await ask_owner(path, asked)
        ids.append(asked["command_id"])
        if len(ids) == 1:
            raise OwnerSilent("the connection broke", was_asked=True)
        return answer

    monkeypatch.setattr(foreign, "ask_owner", breaks_after)
    assert await other.reassign(run, A, "again") is None
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert journal_kinds(data, run).count("slot_reassigned") == 1


# ------------------------------------------------------------------------------------------- a stop holds


async def test_a_stopped_slot_that_waited_for_its_retry_is_not_started_again(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    path = write(
        tmp_path, {"a": shell("exit 1"), "b": python(FOREVER)}, nodes={"a": {"retry": {"max_attempts": 3}}}
    )
    run = await launch(engine, path)
    await until(engine, run, shows("a", "Retrying"))
    assert await engine.stop_slot(run, A) is None
    assert await engine.stop_slot(run, A) is None, "the same again changes nothing"
    view = engine.live_run(run)
    assert view is not None
    slot = slot_of(view, "a")
    assert (slot.retry_at_ms, len(slot.attempts)) == (None, 1)
    assert journal_kinds(data, run).count("retry_cancelled") == 1
    await engine.stop_run(run)
    view = await ended(engine, run)
    assert len(slot_of(view, "a").attempts) == 1
    assert journal_kinds(data, run).count("attempt_claimed") == 2


async def test_a_stop_while_an_agents_output_is_drained_is_followed_by_no_retry(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """The leader has failed; what it started still holds its output, so the agent is shown as running."""
    command = f"(trap '' TERM; touch '{tmp_path}/left'; sleep 1.5) & while [ ! -e '{tmp_path}/left' ]; do :; done; exit 1"
    path = write(tmp_path, {"a": shell(command)}, nodes={"a": {"retry": {"max_attempts": 3}}})
    run = await launch(engine, path)
    view = await until(engine, run, lambda view: slot_of(view, "a").attempts and (tmp_path / "left").exists())
    pid = attempt_of(await until(engine, run, lambda view: attempt_of(view, "a").pid), "a").pid
    async with asyncio.timeout(5):
        while Path(f"/proc/{pid}").exists():
            await asyncio.sleep(0.01)
    assert await engine.stop_slot(run, A) is None
    view = await ended(engine, run)
    assert len(slot_of(view, "a").attempts) == 1
    assert displays(view)["a"] in ("Stopped", "Failed")
    assert journal_kinds(data, run).count("attempt_claimed") == 1


async def test_stopping_what_was_stopped_changes_nothing_and_is_no_error(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    run = await at_work(engine, write(tmp_path, {"a": python(FOREVER), "b": python(FOREVER)}), "a")
    assert await engine.stop_slot(run, A) is None
    await until(engine, run, shows("a", "Stopped"))
    assert await engine.stop_slot(run, A) is None
    assert await engine.stop_run(run) is None
    await ended(engine, run)
    before = journal_kinds(data, run)
    assert await engine.stop_run(run) is None
    assert await engine.stop_slot(run, A) is None
    assert journal_kinds(data, run) == before


async def test_an_event_that_the_fold_would_refuse_is_never_written(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """A bug of ours raises before a byte is in the journal, which goes on as it was."""
    run = await at_work(engine, write(tmp_path, {"a": python(FOREVER)}), "a")
    book = engine._live._actors[run].book
    before, seq = journal_kinds(data, run), book.state.seq
    with pytest.raises(DomainError):
        await engine._live.order(run, lambda _orders: book.record(SlotFailed(A)))
    assert (journal_kinds(data, run), book.state.seq) == (before, seq)
    assert await engine.stop_run(run) is None
    assert (await ended(engine, run)).outcome is Outcome.STOPPED
