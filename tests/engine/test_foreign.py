"""Two engines on one folder: commands travel to the owner, files tell the rest (ruling 18)."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cli import acting
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine import foreign, owner_socket
from quarterdeck.engine.owner_socket import AnotherVersion, OwnerServer, OwnerSilent, ask_owner
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.works import (
    FOREVER,
    A,
    attempt_of,
    displays,
    ended,
    launch,
    python,
    shell,
    shows,
    slot_of,
    until,
    write,
)

ASKS = (
    "say('approval', id='q', question='Go?', options=['yes', 'no'])\nsay('output', value=told()['answer'])\n"
)


async def _seen(engine: Engine, run: RunId) -> RunView:
    view = await engine.run(run)
    assert view is not None
    return view


async def test_another_process_stops_pauses_continues_and_answers(
    open_engine: Opener, tmp_path: Path
) -> None:
    owner, other = await open_engine(), await open_engine()
    run = await launch(owner, write(tmp_path, {"a": python(ASKS + FOREVER), "b": python(FOREVER)}))
    view = await until(owner, run, shows("a", "Needs you"))
    (asked,) = slot_of(view, "a").approvals
    async with asyncio.timeout(5):  # the fact comes over the owner's sockets first, then into the file
        while slot_of(seen := await _seen(other, run), "a").approvals != (asked,):
            await asyncio.sleep(0.02)
    assert (seen.foreign, seen.is_live, seen.recording) == (True, True, None)
    wrong = await other.answer(run, asked.request_id, "perhaps")
    assert isinstance(wrong, Refusal)
    assert wrong.code is Code.E_REQUEST
    assert await other.answer(run, asked.request_id, "no") is None
    await until(owner, run, lambda view: attempt_of(view, "a").output == "no")
    assert await other.pause(run, A) is None
    await until(owner, run, shows("a", "Paused"))
    assert await other.continue_(run, A) is None
    await until(owner, run, shows("a", "Running"))
    assert await other.stop_slot(run, A) is None
    await until(owner, run, shows("a", "Stopped"))
    claimed = await other.claim(run, A)
    assert isinstance(claimed, Refusal)
    assert claimed.code is Code.E_NOT_CLAIMABLE
    assert await other.reassign(run, A, "once more") is None
    claimed = await other.claim(run, A)
    assert not isinstance(claimed, Refusal)
    await until(owner, run, lambda view: attempt_of(view, "a").attempt_id == claimed)
    assert await other.stop_run(run) is None
    view = await ended(owner, run)
    assert view.outcome is Outcome.STOPPED
    assert await other.stop_run(run) is None, "it is stopped: the same again changes nothing"
    assert await other.run(run) == view


async def test_a_foreign_live_run_is_listed_and_found_and_its_end_is_noticed(
    open_engine: Opener, tmp_path: Path
) -> None:
    owner, other = await open_engine(), await open_engine()
    feed = other.subscribe()
    path = write(tmp_path, {"a": python(FOREVER)})
    run = await launch(owner, path)
    async with asyncio.timeout(15):
        while not other.runs():
            await feed.wait_changed()
            feed.take()
    assert [(line.run_id, line.foreign) for line in other.runs()] == [(run, True)]
    assert await other.find_run(run[:8]) == run
    (status,) = other.statuses(tmp_path)
    assert (status.live, status.shown_run, status.state) == (1, run, "live")
    await owner.stop_run(run)
    async with asyncio.timeout(15):
        while other.runs()[0].is_live:
            await feed.wait_changed()
            feed.take()
    feed.close()
    assert other.runs()[0].outcome is Outcome.STOPPED


async def test_an_id_that_fits_several_runs_or_none_is_refused(open_engine: Opener, tmp_path: Path) -> None:
    engine = await open_engine()
    path = write(tmp_path, {"a": shell("true")})
    runs = [await launch(engine, path) for _ in range(17)]
    for run in runs:
        await ended(engine, run)
        assert await engine.find_run(run) == run
        assert await engine.find_run(run.removeprefix("r-").upper()) == run
    firsts = [run[2] for run in runs]
    twice = next(letter for letter in firsts if firsts.count(letter) > 1)
    for start, code in (
        (twice, Code.E_AMBIGUOUS),
        ("zz", Code.E_RUN),
        ("r-", Code.E_AMBIGUOUS),
        ("R", Code.E_AMBIGUOUS),
        ("", Code.E_RUN),
    ):
        refused = await engine.find_run(start)
        assert isinstance(refused, Refusal)
        assert refused.code is code
    assert [line.launch_seq for line in engine.runs()] == list(range(17, 0, -1)), "ID2: newest first"


async def test_of_an_owner_that_hangs_it_is_said_that_what_was_asked_may_still_come(
    open_engine: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REC2: the stop was carried out once the owner went on, and nobody had said that it might be."""
    owner, other = await open_engine(), await open_engine()
    run = await launch(owner, write(tmp_path, {"a": python(FOREVER)}))
    await until(owner, run, shows("a", "Running"))
    goes_on = asyncio.Event()
    answers = OwnerServer._answer

    async def late(server: OwnerServer, line: bytes) -> dict[str, Any]:
        await goes_on.wait()
        return await answers(server, line)

    monkeypatch.setattr(OwnerServer, "_answer", late)
    monkeypatch.setattr(owner_socket, "ANSWER_WITHIN_S", 0.2)
    monkeypatch.setattr(foreign, "ASK_AGAIN_WITHIN_S", 0.0)
    refused = await other.stop_run(run)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_OWNER
    assert "may still be carried out" in refused.message
    goes_on.set()
    assert (await ended(owner, run)).outcome is Outcome.STOPPED


async def test_of_an_owner_that_cannot_be_reached_it_is_said_that_nothing_was_asked(
    open_engine: Opener, tmp_path: Path
) -> None:
    owner, other = await open_engine(), await open_engine()
    run = await launch(owner, write(tmp_path, {"a": python(FOREVER)}))
    await until(owner, run, shows("a", "Running"))
    assert owner._server is not None
    await owner._server.close()
    refused = await other.stop_run(run)
    assert isinstance(refused, Refusal)
    assert "nothing was asked of it" in refused.message


def test_no_stop_takes_longer_than_the_terminals_page_says() -> None:
    """An owner that waits for its disk answers before its asker gives up; one that hangs is given up in time."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")
    assert f"waits up to {acting.STOP_WITHIN_S:g} s for the proof" in page
    assert foreign.ANSWER_WITHIN_S < owner_socket.ANSWER_WITHIN_S
    assert owner_socket.ANSWER_WITHIN_S + foreign.ASK_AGAIN_WITHIN_S <= acting.STOP_WITHIN_S


# ------------------------------------------------------------------------------------------- the socket


async def _served(path: Path, answer: dict[str, Any]) -> OwnerServer:
    async def handler(asked: dict[str, Any]) -> dict[str, Any]:
        if asked.get("verb") == "fault":
            raise RuntimeError("a bug")
        return answer

    server = OwnerServer(path, handler)
    await server.start()
    return server


async def test_the_socket_is_the_users_alone_and_replaces_a_stale_one_at_any_path_length(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ("x" * 200)
    folder.mkdir()
    path = folder / ("y" * 40 + ".sock")
    stale = socket.socket(socket.AF_UNIX)
    with owner_socket.short_address(path) as address:
        stale.bind(address)
    stale.close()
    server = await _served(path, {"ok": True})
    assert path.stat().st_mode & 0o777 == 0o600
    assert (await ask_owner(path, {"verb": "stop"}))["ok"] is True
    await server.close()
    await server.close()
    assert not path.exists()
    with pytest.raises(OwnerSilent):
        await ask_owner(path, {"verb": "stop"})


async def test_a_process_of_another_user_is_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await _served(tmp_path / "s.sock", {"ok": True})
    monkeypatch.setattr(owner_socket, "peer_uid", lambda _: os.getuid() + 1)
    with pytest.raises(OwnerSilent):
        await ask_owner(tmp_path / "s.sock", {"verb": "stop"})
    await server.close()


async def test_other_versions_garbage_and_over_long_lines_are_answered_or_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.sock"
    server = await _served(path, {"ok": True})
    reader, writer = await asyncio.open_unix_connection(str(path))
    for line in (b"nonsense", b"[]", b'{"v": 2, "verb": "stop"}', b'"x"'):
        writer.write(line + b"\n")
        assert "error" in json.loads(await reader.readline())
    writer.write(b"z" * (owner_socket.LINE_BYTES_MAX + 10) + b"\n")
    try:
        assert await reader.read() == b""
    except ConnectionResetError:
        pass  # the owner let go while the line was still being sent
    writer.close()
    assert (await ask_owner(path, {"verb": "stop"}))["ok"] is True, "and it serves on"
    with pytest.raises(AnotherVersion):
        await ask_owner(path, {"verb": "fault"})
    monkeypatch.setattr(owner_socket, "VERSION", 7)
    asked = ask_owner(path, {"verb": "stop"})
    monkeypatch.setattr(owner_socket, "VERSION", 7)
    assert (await asked)["ok"] is True
    await server.close()


async def test_requests_without_a_run_or_of_an_unknown_verb_are_refused(
    open_engine: Opener, tmp_path: Path
) -> None:
    engine = await open_engine()
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))
    path = engine._opened.session.socket_path  # type: ignore[union-attr]
    for asked in ({}, {"verb": 7, "run": run}, {"verb": "stop"}, {"verb": "dance", "run": run}):
        answer = await ask_owner(path, asked)
        assert answer["ok"] is False
        assert answer["message"]
    assert displays(engine.live_run(run))["a"] == "Running"  # type: ignore[arg-type]
    await engine.stop_run(run)
    await ended(engine, run)


async def test_a_live_run_whose_owner_is_silent_says_so(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    owner, other = await open_engine(), await open_engine()
    run = await launch(owner, write(tmp_path, {"a": python(FOREVER)}))
    await until(owner, run, shows("a", "Running"))
    owner._opened.session.socket_path.unlink()  # type: ignore[union-attr]
    refused = await other.stop_run(run)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_OWNER
    unknown = await other.stop_run(RunId("r-" + "0" * 32))
    assert isinstance(unknown, Refusal)
    assert unknown.code is Code.E_RUN
    await owner.stop_run(run)


async def test_a_live_run_of_another_process_is_told_as_it_moves_though_its_journal_stands_still(
    open_engine: Opener, tmp_path: Path
) -> None:
    """ID6: a question stands in the reports alone; whoever follows the feed sees it without asking by itself."""
    owner, other = await open_engine(), await open_engine()
    feed = other.subscribe()
    quiet = "import time; time.sleep(2.5)\n"
    run = await launch(owner, write(tmp_path, {"a": python(quiet + ASKS + FOREVER)}))
    shown: list[str] = []
    async with asyncio.timeout(20):
        while "Needs you" not in shown:
            await feed.wait_changed()
            if run in feed.take():
                shown.append(slot_of(await _seen(other, run), "a").display)
    feed.close()
