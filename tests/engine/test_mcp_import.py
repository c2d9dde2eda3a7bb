"""Import of MCP servers: shown first, written on a person's word, the rest of the file byte for byte as it was; instructions as found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.engine.attempt_details import LaunchWords
from quarterdeck.engine.attempt_reading import _instructions
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.instructions import instructions_above
from quarterdeck.engine.launch_preview import instructions_of, planned_servers
from quarterdeck.engine.mcp_import import CannotImport, ImportPlan, plan_import, write_import
from quarterdeck.engine.planned import LaunchPreview, PlannedCommand
from quarterdeck.engine.service import Engine
from quarterdeck.store.workflow_file import BrokenFile, WorkflowFile, load_workflow, parse_workflow
from quarterdeck.ui.present_details import prompt_facts
from tests.cli.real import quarterdeck
from tests.engine.works import PYTHON, slot_of, to_end, write

TEXT = """{
    "format":   "quarterdeck.workflow/1",
  "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10", "name": "Ünï 空",
  "agents": {
    "other": {"kind": "practice"},
    "writer": {"kind": "claude-code", "model": "sonnet", "pass_env": ["PLACE"]}
  },
  "nodes": [{"id":"a","agent":"writer"},   {"id":"b","agent":"other"}], "x-own": [1,2]
}
"""
MCP = {"mcpServers": {"files": {"command": "npx", "args": ["files"], "env": {"TOKEN": "${TOKEN}"}}}}
COMMAND = {"command": "x", "args": [], "env": {}}


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    path = tmp_path / "flow.workflow.json"
    path.write_text(TEXT, "utf-8")
    (tmp_path / ".mcp.json").write_text(json.dumps(MCP))
    return path


def plan(flow: Path, agent: str = "writer") -> ImportPlan:
    return plan_import(flow, agent, flow.parent / ".mcp.json")


def test_a_plan_writes_nothing_and_says_what_would_be(flow: Path) -> None:
    made = plan(flow)
    assert flow.read_text("utf-8") == TEXT
    assert [(one.name, one.line, one.replaces) for one in made.servers] == [("files", "npx files", False)]
    assert made.variables == ("TOKEN",)


def test_only_this_agent_s_object_is_written_anew(flow: Path) -> None:
    write_import(plan(flow))
    after = flow.read_text("utf-8")
    begin, end = TEXT.split('{"kind": "claude-code", "model": "sonnet", "pass_env": ["PLACE"]}')
    assert after.startswith(begin)
    assert after.endswith(end)
    found = load_workflow(flow)
    assert isinstance(found, WorkflowFile)
    agent = found.workflow.agents["writer"]
    assert agent.mcp_servers == {"files": {"command": "npx", "args": ["files"], "env": {"TOKEN": "${TOKEN}"}}}
    assert agent.pass_env == ("PLACE", "TOKEN")
    assert agent.model == "sonnet"


def test_a_second_import_replaces_by_name_and_keeps_others(flow: Path) -> None:
    write_import(plan(flow))
    (flow.parent / ".mcp.json").write_text(
        json.dumps({"mcpServers": {"files": {"command": "other"}, "more": {"url": "https://x"}}})
    )
    made = plan(flow)
    assert [(one.name, one.replaces) for one in made.servers] == [("files", True), ("more", False)]
    write_import(made)
    found = load_workflow(flow)
    assert isinstance(found, WorkflowFile)
    assert set(found.workflow.agents["writer"].mcp_servers) == {"files", "more"}


def test_a_file_that_changed_since_it_was_shown_is_left_alone(flow: Path) -> None:
    made = plan(flow)
    flow.write_text(TEXT.replace("sonnet", "opus"), "utf-8")
    with pytest.raises(CannotImport, match="changed"):
        write_import(made)
    assert "mcp_servers" not in flow.read_text("utf-8")


@pytest.mark.parametrize("agent", ["other", "nobody"])
def test_an_agent_that_takes_none_is_refused_with_those_that_do(flow: Path, agent: str) -> None:
    with pytest.raises(CannotImport, match="name one of: writer"):
        plan(flow, agent)


def test_a_source_without_servers_is_refused_in_words(flow: Path) -> None:
    with pytest.raises(CannotImport, match="cannot be read"):
        plan_import(flow, "writer", flow.parent / "none.json")


def test_the_terminal_shows_first_and_writes_only_when_it_is_told_to(flow: Path) -> None:
    shown = quarterdeck("import-mcp", flow, "--agent", "writer")
    assert shown.returncode == 0, shown.stderr
    assert b"files: npx files" in shown.stdout
    assert flow.read_text("utf-8") == TEXT
    written = quarterdeck("import-mcp", flow, "--agent", "writer", "--write", "--json")
    document = json.loads(written.stdout)
    assert (document["written"], document["variables"]) == (True, ["TOKEN"])
    assert "mcp_servers" in flow.read_text("utf-8")
    assert quarterdeck("import-mcp", flow, "--agent", "other").returncode == 2


# ------------------------------------------------------------------------------------------- the format


def faults(**servers: Any) -> list[str]:
    document = json.loads(TEXT)
    document["agents"]["writer"]["mcp_servers"] = servers
    found = parse_workflow(json.dumps(document).encode(), None)
    return [one.place for one in found.problems] if isinstance(found, BrokenFile) else []


def test_servers_of_a_workflow_file_are_checked_at_their_place() -> None:
    place = "$.agents.writer.mcp_servers"
    assert faults(s=COMMAND, w={"url": "https://x", "headers": {"A": "${B}"}, "type": "sse"}) == []
    assert faults(s={}) == [f"{place}.s"]
    assert faults(s={"command": "x", "url": "https://x"}) == [f"{place}.s"]
    assert faults(s={"command": "x", "headers": {"a": "b"}}) == [f"{place}.s"]
    assert faults(s={"url": "https://x", "args": ["y"]}) == [f"{place}.s"]
    assert faults(s={"command": 3}) == [f"{place}.s.command"]
    assert faults(s={"command": "x", "type": "pigeon"}) == [f"{place}.s.type"]
    assert faults(**{"a b": COMMAND}) == [f'{place}["a b"]']


def test_a_command_agent_takes_none() -> None:
    document = json.loads(TEXT)
    document["agents"]["other"]["mcp_servers"] = {"s": COMMAND}
    found = parse_workflow(json.dumps(document).encode(), None)
    assert isinstance(found, BrokenFile)
    assert [one.place for one in found.problems] == ["$.agents.other.mcp_servers"]


# ------------------------------------------------------------------------------------------- what a launch shows


def test_a_preview_names_servers_and_instructions_as_found(flow: Path) -> None:
    write_import(plan(flow))
    found = load_workflow(flow)
    assert isinstance(found, WorkflowFile)
    (server,) = planned_servers(found.workflow)
    assert (server.agent, server.name, server.line) == ("writer", "files", "npx files")
    (flow.parent / "AGENTS.md").write_text("Be kind.")
    here = PlannedCommand("A", "writer", "claude-code", (), str(flow.parent), None)
    there = PlannedCommand("B", "b", "command", ("true",), str(flow.parent), None)
    assert list(instructions_of([here, here, there])) == [flow.parent / "AGENTS.md"]
    assert list(instructions_of([there])) == []


def test_instructions_are_found_nearest_first_up_to_the_repository_and_no_further(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    deep = repository / "a" / "b"
    (deep).mkdir(parents=True)
    (repository / ".git").mkdir()
    for path in (
        tmp_path / "AGENTS.md",
        repository / "AGENTS.md",
        repository / "CLAUDE.md",
        deep / "AGENTS.md",
    ):
        path.write_text("x")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.md")}
    assert instructions_above(deep) == (
        deep / "AGENTS.md",
        repository / "AGENTS.md",
        repository / "CLAUDE.md",
    )
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.md")}
    loose = tmp_path / "loose"
    loose.mkdir()
    assert instructions_above(loose) == ()


def test_what_an_agent_was_handed_and_found_is_told_with_its_prompt(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.")
    words = LaunchWords(
        kind="codex",
        servers=(("files", "npx files"),),
        instructions=tuple(_instructions({"kind": "codex", "cwd": str(tmp_path)})),
    )
    facts = {fact.name: fact.value for fact in prompt_facts(words, "A").facts}
    assert facts["MCP server files"] == "npx files"
    assert facts["Instructions found"] == str(tmp_path / "AGENTS.md")
    assert _instructions({"kind": "command", "cwd": str(tmp_path)}) == ()
    assert _instructions({"kind": "codex", "cwd": ""}) == ()


async def test_the_preview_of_a_workflow_without_any_has_none(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "p.workflow.json"
    document = json.loads(TEXT)
    document["agents"] = {"other": {"kind": "practice"}}
    document["nodes"] = [{"id": "b", "agent": "other"}]
    path.write_text(json.dumps(document))
    preview = await engine.preview(LaunchRequest(path))
    assert isinstance(preview, LaunchPreview)
    assert (preview.servers, preview.instructions) == ((), ())


async def test_a_server_whose_variable_is_missing_keeps_its_agent_from_starting(
    engine: Engine, tmp_path: Path
) -> None:
    servers = {"files": {"command": "files-server", "env": {"TOKEN": "${NOT_THERE}"}}}
    agent = {"kind": "acp", "argv": [PYTHON, "-c", "pass"], "mcp_servers": servers}
    view = await to_end(engine, write(tmp_path, {"a": agent}))
    (attempt,) = slot_of(view, "a").attempts
    assert attempt.evidence == "never_started"
    assert "needs the variable NOT_THERE" in slot_of(view, "a").reason
