"""A launch pins what it was launched with; nothing that changes afterwards reaches a resume (ID1–ID4, PIN1–PIN5)."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import Revision, RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
from tests.engine.works import A, ended, launch, launch_file, python, shell, slot_of, to_end, write

OF_THE_ATTEMPT = frozenset(
    {"attempt", "epoch", "context_path", "resume_path", "record_folder", "baseline", "crc"}
)
TELLS = (
    "context = json.load(open(os.environ['QUARTERDECK_CONTEXT']))\n"
    "context['attachments'] = [open(one['file']).read() for one in context['attachments']]\n"
    "say('output', value=context)\n"
    "sys.exit(0 if os.environ.get('QUARTERDECK_RESUME') else 1)\n"
)


def _workflow(folder: Path) -> Path:
    for name in ("notes.md", "skill.md", "book.md"):
        (folder / name).write_text(f"first {name}")
    (folder / "place").mkdir()
    agent = {
        **python(TELLS),
        "cwd": "{{ inputs.where }}",
        "env": {"TOPIC": "{{ inputs.topic }}", "PLAIN": "as it was"},
        "budget_usd": "3.00",
        "timeout_s": 60,
        "success_codes": [0],
        "class": "coding",
    }
    node = {
        "prompt": "About {{ inputs.topic }}, for {{ run.outcome }}",
        "attach": ["notes.md"],
        "skills": ["skill.md"],
        "library": ["book.md"],
        "alternatives": ["other"],
    }
    return write(
        folder,
        {"a": agent},
        nodes={"a": node},
        outcome="Say {{ inputs.topic }}",
        inputs=[
            {"name": "topic", "type": "text", "default": "whales"},
            {"name": "where", "type": "folder", "required": True},
        ],
        limits={"max_parallel": 2, "budget_usd": "9.00"},
    )


def _change_everything(path: Path) -> None:
    """Some fifteen things that a person may change after the launch."""
    document: dict[str, Any] = json.loads(path.read_text())
    agent, node = document["agents"]["a"], document["nodes"][0]
    document["name"] = "another"
    document["outcome"] = "Shout"
    document["inputs"][0]["default"] = "sharks"
    document["limits"] = {"max_parallel": 1, "budget_usd": "0.01"}
    agent["argv"][-1] = "raise SystemExit(9)"
    agent["env"] = {"TOPIC": "x", "NEW": "y"}
    agent |= {"budget_usd": "0.01", "timeout_s": 1, "cwd": "/", "class": "other", "success_codes": [0, 1]}
    node |= {"prompt": "Something else", "attach": [], "title": "Other title", "effects": "none"}
    path.write_text(json.dumps(document))
    for name in ("notes.md", "skill.md"):
        (path.parent / name).write_text("changed")
    (path.parent / "book.md").unlink()


async def test_a_resume_starts_from_the_pins_whatever_was_changed_since(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    """PIN4: the launch specification is byte-identical but for what belongs to the attempt; also in a later life."""
    path = _workflow(tmp_path)
    document = json.loads(path.read_text())
    document["agents"]["other"] = shell("true")
    path.write_text(json.dumps(document))
    engine = await open_engine()
    view = await to_end(engine, path, where=str(tmp_path / "place"))
    run = view.run_id
    await engine.close()
    _change_everything(path)
    engine = await open_engine()
    assert await engine.reassign(run, A, "again") is None
    assert not isinstance(await engine.claim(run, A), Refusal)
    view = await ended(engine, run)
    first, second = slot_of(view, "a").attempts
    before, after = (launch_file(data, run, each.attempt_id) for each in (first, second))
    kept = {name: value for name, value in before.items() if name not in OF_THE_ATTEMPT}
    assert {name: value for name, value in after.items() if name not in OF_THE_ATTEMPT} == kept
    assert before["prompt"] == "About whales, for Say whales"
    assert (before["env"]["TOPIC"], before["env"]["PLAIN"]) == ("whales", "as it was")
    assert before["cwd"] == str(tmp_path / "place")
    assert before["cap_usd"] == "3"
    assert first.output == second.output
    assert second.output["attachments"] == ["first notes.md", "first skill.md", "first book.md"]
    assert view.workflow_name == "work"
    assert view.outcome_asked == "Say whales"


async def test_pins_are_named_by_what_they_hold(engine: Engine, data: Path, tmp_path: Path) -> None:
    """PIN1–PIN3; a second launch of the same has the same pins and another run."""
    path = write(tmp_path, {"a": shell("true")})
    one, two = await to_end(engine, path), await to_end(engine, path)
    assert one.pins == two.pins
    assert one.run_id != two.run_id
    assert (one.launch_seq, two.launch_seq) == (1, 2)
    for revision in (one.pins.package, one.pins.workflow, one.pins.binding):
        assert hashlib.sha256((data / "objects" / revision).read_bytes()).hexdigest() == revision
    assert one.accepted_by
    path.write_text(path.read_text().replace("true", "exit 0"))
    assert (await to_end(engine, path)).pins.workflow != one.pins.workflow


@pytest.mark.parametrize("damage", ["gone", "changed"])
async def test_a_missing_pin_is_never_replaced_by_what_a_file_says_now(
    engine: Engine, data: Path, tmp_path: Path, damage: str
) -> None:
    """PIN5."""
    view = await to_end(engine, write(tmp_path, {"a": shell("exit 1")}))
    assert await engine.reassign(view.run_id, A, "again") is None
    workflow = data / "objects" / view.pins.workflow
    workflow.chmod(0o600)
    workflow.unlink()
    if damage == "changed":
        workflow.write_text("{}")
    refused = await engine.claim(view.run_id, A)
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_PIN_MISSING
    after = await engine.run(view.run_id)
    assert after is not None
    assert len(slot_of(after, "a").attempts) == 1


async def test_what_was_launched_is_read_back_as_it_was_or_said_to_be_gone(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    """PIN4, PIN5: by revision, whatever the file says by now."""
    path = write(tmp_path, {"a": shell("true")})
    before = await engine.load(path)
    view = await to_end(engine, path)
    path.write_text(path.read_text().replace("true", "exit 9"))
    assert isinstance(before, LoadedWorkflow)
    assert await engine.launched_workflow(view.pins.workflow) == before.workflow
    (data / "objects" / view.pins.workflow).unlink()
    assert await engine.launched_workflow(view.pins.workflow) is None
    assert await engine.launched_workflow(Revision("../../etc/passwd")) is None


async def test_what_was_agreed_to_is_what_is_launched(engine: Engine, tmp_path: Path) -> None:
    """Ruling 26: the bytes that were shown, though the file changed since."""
    path = write(tmp_path, {"a": shell("echo shown")})
    preview = await engine.preview(LaunchRequest(path))
    assert not isinstance(preview, Refusal)
    path.write_text(path.read_text().replace("echo shown", "echo swapped"))
    run = await engine.launch(LaunchRequest(path, content=preview.content))
    assert not isinstance(run, Refusal)
    assert slot_of(await ended(engine, run), "a").attempts[0].output.strip() == "shown"


async def test_a_run_writes_nothing_into_the_workspace(engine: Engine, tmp_path: Path) -> None:
    """STO1."""
    folder = tmp_path / "space"
    path = write(folder, {"a": shell("true")})

    def look() -> list[tuple[str, int, bytes]]:
        return [(p.name, p.stat().st_mtime_ns, p.read_bytes()) for p in sorted(folder.rglob("*"))]

    before = look()
    for _ in range(3):
        await to_end(engine, path)
    assert look() == before


async def test_two_launches_in_one_tick_are_two_runs(engine: Engine, tmp_path: Path) -> None:
    """ID1: a double click."""
    import asyncio

    path = write(tmp_path, {"a": shell("true")})
    runs: list[RunId] = list(await asyncio.gather(*(launch(engine, path) for _ in range(4))))
    assert len(set(runs)) == 4
    views = [await ended(engine, run) for run in runs]
    assert sorted(view.launch_seq for view in views) == [1, 2, 3, 4]
    assert sorted(view.end_seq or 0 for view in views) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("needs", "place"),
    [
        ({"credential": "env:DIGEST_KEY"}, "$.agents.a.credential"),
        ({"credential": "env:DIGEST_KEY", "credential_env": "KEY"}, "$.agents.a.credential"),
        ({"secrets": {"KEY": "env:DIGEST_KEY"}}, "$.agents.a.secrets.KEY"),
    ],
)
@pytest.mark.parametrize("role", ["agent", "alternatives"])
async def test_a_launch_whose_credential_is_not_set_is_refused_by_agent_and_variable_and_writes_nothing(
    needs: dict[str, Any],
    place: str,
    role: str,
    engine: Engine,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DIGEST_KEY", raising=False)
    nodes = {"n": {"agent": "a"} if role == "agent" else {"agent": "b", "alternatives": ["a"]}}
    agents = {"a": shell("true", **needs), "b": shell("true")}
    path = write(tmp_path, agents, nodes=nodes)
    document = json.loads(path.read_text())
    document["nodes"] = [node for node in document["nodes"] if node["id"] == "n"]
    path.write_text(json.dumps(document))
    for refused in (await engine.preview(LaunchRequest(path)), await engine.launch(LaunchRequest(path))):
        assert isinstance(refused, Refusal)
        assert refused.code is Code.E_WORKFLOW
        assert place in refused.message
        assert "Agent “a” needs the variable DIGEST_KEY" in refused.message
    assert list((data / "runs").iterdir()) == []
    assert list((data / "objects").iterdir()) == []
    monkeypatch.setenv("DIGEST_KEY", "set")
    assert not isinstance(await engine.preview(LaunchRequest(path)), Refusal)


async def test_a_loaded_file_tells_the_revision_that_a_launch_of_it_pins(
    engine: Engine, tmp_path: Path
) -> None:
    """PIN1: another content is another revision, and nothing else is."""
    path = write(tmp_path, {"a": shell("true")})
    loaded = await engine.load(path)
    assert isinstance(loaded, LoadedWorkflow)
    view = await ended(engine, await launch(engine, path))
    assert loaded.revision == view.pins.workflow
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document, indent=7, sort_keys=True))
    same = await engine.load(path)
    path.write_text(json.dumps({**document, "name": "Another"}))
    other = await engine.load(path)
    assert isinstance(same, LoadedWorkflow)
    assert isinstance(other, LoadedWorkflow)
    assert same.revision == loaded.revision != other.revision
