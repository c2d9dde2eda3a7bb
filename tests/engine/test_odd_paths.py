"""Runs whose files are odd, and paths that no journal can hold: told in a sentence, and nothing else suffers."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.works import shell, to_end, write

ODD = RunId("r-" + "2" * 32)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
@pytest.mark.parametrize("name", ["journal.jsonl", "record.json", "owner.lock"])
async def test_an_odd_run_is_told_and_the_others_are_shown(
    make: Callable[[Path], None], name: str, engine: Engine, open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    view = await to_end(engine, write(tmp_path, {"a": shell("true")}))
    await engine.close()
    (data / "runs" / ODD).mkdir()
    make(data / "runs" / ODD / name)
    for session in (data / "sessions").glob("*.json"):  # settling has then to look at every run
        session.write_bytes(b"torn")
    (data / "sessions" / "s-odd.json").write_bytes(b"torn")
    again = await open_engine()
    assert [line.run_id for line in again.runs()] == [view.run_id]
    assert (await again.run(view.run_id)) is not None
    if name == "owner.lock":  # no journal and no record: a launch that was cut off
        assert again.unreadable() == {}
        return
    assert list(again.unreadable()) == [ODD]
    found = await again.find_run("r-2222")
    assert isinstance(found, Refusal)
    assert "cannot be read" in found.message
    assert name in found.message


@pytest.mark.parametrize("place", ["folder", "cwd", "program"])
async def test_a_path_that_is_not_utf8_is_refused_before_anything_is_written(
    place: str, engine: Engine, data: Path, tmp_path: Path
) -> None:
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/odd-\xff"))
    odd.mkdir()
    program = odd / "tool"
    program.symlink_to("/bin/true")
    work = odd if place == "folder" else tmp_path
    if place == "cwd":
        agent = shell("true", cwd="{{ inputs.place }}")
        path = write(tmp_path, {"a": agent}, inputs=[{"name": "place", "type": "folder"}])
        asked = LaunchRequest(path, {"place": str(odd)})
    else:
        agent = shell("true")
        if place == "program":
            agent["argv"] = ["tool"]
        path = write(work, {"a": agent})
        asked = LaunchRequest(path)
    with pytest.MonkeyPatch.context() as patch:
        if place == "program":
            patch.setenv("PATH", f"{odd}:{os.environ['PATH']}")
        refused = await engine.launch(asked)
    assert isinstance(refused, Refusal)
    assert refused.code is (Code.E_INPUT if place == "cwd" else Code.E_WORKFLOW)
    assert "UTF-8" in refused.message
    refused.message.encode("utf-8")
    assert list((data / "runs").iterdir()) == []
