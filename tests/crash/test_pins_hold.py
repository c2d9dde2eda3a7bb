"""PIN4, one mutation at a time: nothing that a person changes after the launch reaches a resumed attempt's `launch.json`.

What may differ belongs to the attempt: its id, its epoch, its paths, its baseline. PIN5: a pinned content that is gone is
E_PIN_MISSING, and nothing is started.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer

Document = dict[str, Any]
OF_THE_ATTEMPT = ("attempt", "epoch", "context_path", "resume_path", "record_folder", "baseline", "crc")
FAILS = 'test -n "$QUARTERDECK_RESUME"'
A = SlotId("a")


def _document(folder: Path) -> Document:
    agent = {
        "kind": "command",
        "argv": ["/bin/sh", "-c", FAILS],
        "cwd": "{{ inputs.where }}",
        "env": {"TOPIC": "{{ inputs.topic }}"},
        "budget_usd": "3.00",
        "timeout_s": 60,
        "class": "coding",
    }
    return {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-0000000000bb",
        "name": "pinned",
        "outcome": "Say {{ inputs.topic }}",
        "inputs": [
            {"name": "topic", "type": "text", "default": "whales"},
            {"name": "where", "type": "folder", "default": str(folder / "place")},
        ],
        "agents": {"one": agent},
        "nodes": [
            {
                "id": "a",
                "title": "A",
                "agent": "one",
                "prompt": "About {{ inputs.topic }}, for {{ run.outcome }}",
                "attach": ["notes.md"],
                "skills": ["skill.md"],
                "library": ["book.md"],
            }
        ],
        "edges": [],
        "limits": {"max_parallel": 2, "budget_usd": "9.00"},
    }


def _in_file(change: Callable[[Document], Any]) -> Callable[[Path], None]:
    def mutate(folder: Path) -> None:
        path = folder / "pinned.workflow.json"
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))

    return mutate


def _agent(document: Document) -> Document:
    return dict.__getitem__(document["agents"], "one")


MUTATIONS: dict[str, Callable[[Path], None]] = {
    "name": _in_file(lambda d: d.update(name="other")),
    "outcome": _in_file(lambda d: d.update(outcome="Shout")),
    "default of an input": _in_file(lambda d: d["inputs"][0].update(default="sharks")),
    "arguments": _in_file(lambda d: _agent(d).update(argv=["/bin/false"])),
    "folder": _in_file(lambda d: _agent(d).update(cwd="/")),
    "environment": _in_file(lambda d: _agent(d).update(env={"TOPIC": "x", "NEW": "y"})),
    "budget of the agent": _in_file(lambda d: _agent(d).update(budget_usd="0.01")),
    "time limit": _in_file(lambda d: _agent(d).update(timeout_s=1)),
    "class": _in_file(lambda d: _agent(d).update({"class": "other"})),
    "prompt": _in_file(lambda d: d["nodes"][0].update(prompt="Something else")),
    "title": _in_file(lambda d: d["nodes"][0].update(title="Other")),
    "attachments of the node": _in_file(lambda d: d["nodes"][0].update(attach=[])),
    "limits of the run": _in_file(lambda d: d.update(limits={"max_parallel": 1, "budget_usd": "0.01"})),
    "content of an attachment": lambda folder: (folder / "notes.md").write_text("changed") and None,
    "an attachment is gone": lambda folder: (folder / "book.md").unlink(),
    "the skill is a link elsewhere": lambda folder: _link(folder / "skill.md"),
    "the workflow is gone": lambda folder: (folder / "pinned.workflow.json").unlink(),
}


def _link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    server = ForkServer.start()
    yield server
    server.close()


async def _failed_run(engine: Engine, folder: Path) -> Any:
    (folder / "place").mkdir(parents=True)
    for name in ("notes.md", "skill.md", "book.md"):
        (folder / name).write_text(f"first {name}")
    path = folder / "pinned.workflow.json"
    path.write_text(json.dumps(_document(folder)))
    run = await engine.launch(LaunchRequest(path))
    assert not isinstance(run, Refusal), run
    await engine.wait_ended(run)
    assert await engine.reassign(run, A, "again") is None
    return run


def _launches(data: Path, run: str) -> list[bytes]:
    """Without what belongs to the attempt; the order of the keys stays."""
    found = []
    for path in sorted((data / "runs" / run / "attempts").glob("*/launch.json"), key=os.path.getmtime):
        launch = json.loads(path.read_bytes())
        found.append(json.dumps({k: v for k, v in launch.items() if k not in OF_THE_ATTEMPT}).encode())
    return found


@pytest.mark.parametrize("mutation", MUTATIONS)
async def test_nothing_that_changes_after_the_launch_reaches_a_resume(
    tmp_path: Path, fork_server: ForkServer, mutation: str
) -> None:
    engine = await Engine.open(tmp_path / "data", fork_server=fork_server)
    try:
        run = await _failed_run(engine, tmp_path / "work")
        MUTATIONS[mutation](tmp_path / "work")
        claimed = await engine.claim(run, A)
        assert not isinstance(claimed, Refusal), claimed
        await engine.wait_ended(run)
        first, second = _launches(tmp_path / "data", run)
        assert first == second
        assert b"About whales, for Say whales" in first
    finally:
        await engine.close()


@pytest.mark.parametrize("what", ["package", "workflow", "binding", "spec"])
async def test_a_pinned_content_that_is_gone_is_named_and_starts_nothing(
    tmp_path: Path, fork_server: ForkServer, what: str
) -> None:
    engine = await Engine.open(tmp_path / "data", fork_server=fork_server)
    try:
        run = await _failed_run(engine, tmp_path / "work")
        (journal,) = (tmp_path / "data" / "runs" / run).glob("journal.jsonl")
        header = json.loads(journal.read_bytes().split(b"\n")[0])
        pinned = header["pins"][what] if what != "spec" else header["bindings"][0]["specs"][0]["spec"]
        (tmp_path / "data" / "objects" / pinned).unlink()
        refused = await engine.claim(run, A)
        assert isinstance(refused, Refusal)
        assert refused.code is Code.E_PIN_MISSING
        assert len(_launches(tmp_path / "data", run)) == 1
    finally:
        await engine.close()
