"""What a sound file gives, and what is kept and warned of (design §6)."""

from __future__ import annotations

import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.store.workflow_file import WorkflowFile, load_workflow, parse_workflow
from tests.workflow_files.samples import loads, sound, written


def test_a_sound_file_becomes_a_workflow() -> None:
    flow = loads(sound()).workflow
    assert [node.id for node in flow.nodes] == ["first", "second", "ask"]
    assert flow.agents["echo"].argv == ("echo", "{{ inputs.topic }}")
    assert flow.nodes[1].retry.max_attempts == 2
    assert flow.nodes[1].position == (320.0, 0.0)
    assert [(edge.source, edge.target, edge.when) for edge in flow.edges] == [
        ("first", "second", "success"),
        ("second", "ask", "always"),
    ]


def test_defaults_are_those_of_the_format() -> None:
    document = sound()
    del document["outcome"], document["edges"], document["limits"], document["nodes"][1:]
    flow = loads(document).workflow
    assert flow.outcome == "Sound"
    assert (flow.nodes[0].prompt, flow.agents["echo"].cwd, flow.agents["echo"].worker_class) == (
        "",
        "",
        "command",
    )
    assert flow.agents["echo"].success_codes == (0,)
    assert flow.agents["other"].worker_class == "play"
    assert flow.agents["other"].protocol == "lines"


@pytest.mark.parametrize("title", ["", "  ", "\t"])
def test_a_node_without_a_title_that_can_be_read_is_called_by_its_id(title: str) -> None:
    document = sound()
    document["nodes"][0]["title"] = title
    assert loads(document).workflow.nodes[0].title == "first"


@pytest.mark.parametrize(("raw", "amount"), [("0.10", "0.10"), (0.1, "0.1"), (2, "2"), ("1e-3", "0.001")])
def test_money_is_read_as_the_decimal_that_is_written(raw: object, amount: str) -> None:
    document = sound()
    document["limits"]["budget_usd"] = raw
    assert loads(document).workflow.limits.budget_usd == Decimal(amount)


def test_unknown_keys_are_kept_and_warned_of_with_their_line() -> None:
    document = sound()
    document["colour"] = "blue"
    document["nodes"][0]["mood"] = {"of": ["the", "day"]}
    document["agents"]["echo"]["speed"] = 3
    found = loads(document)
    assert [warning.place for warning in found.warnings] == [
        "$.agents.echo.speed",
        "$.nodes[0].mood",
        "$.colour",
    ]
    lines = written(document).decode().splitlines()
    assert '"speed"' in lines[found.warnings[0].line - 1]
    assert found.workflow.extra == {"colour": "blue"}
    assert found.workflow.nodes[0].extra == {"mood": {"of": ["the", "day"]}}
    assert found.document == document


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda d: d["nodes"][0].update(for_each="inputs.topic"), "$.nodes[0].for_each"),
        (lambda d: d["nodes"][0].update(join="any"), "$.nodes[0].join"),
        (lambda d: d["nodes"][0].update(disabled=True), "$.nodes[0].disabled"),
        (lambda d: d["nodes"][0].update(isolation="worktree"), "$.nodes[0].isolation"),
        (lambda d: d["nodes"][0].update(workflow="other.workflow.json"), "$.nodes[0].workflow"),
        (lambda d: d.update(schedule={"every": "day"}), "$.schedule"),
        (
            lambda d: d["edges"].append(
                {"from": "second", "to": "first", "loop": {"until": "true", "max_rounds": 3}}
            ),
            "$.edges[2].loop",
        ),
    ],
)
def test_parts_that_are_not_built_load_and_are_named(change, place: str) -> None:
    document = sound()
    change(document)
    found = loads(document)
    assert [part.place for part in found.not_built] == [place]
    assert not found.warnings


def test_what_is_never_used_does_not_hinder_a_launch() -> None:
    document = sound()
    document["agents"]["spare"] = {"kind": "claude-code", "credential": "anthropic"}
    document["agents"]["echo"]["credential"] = "env:TOKEN"
    document["nodes"][0]["disabled"] = False
    document["notes"] = [{"text": "hello"}]
    document["frames"] = []
    found = loads(document)
    assert found.not_built == ()
    assert found.warnings == ()


def test_frames_notes_and_missing_places_are_read_for_showing() -> None:
    document = sound()
    del document["nodes"][0]["position"]
    document["frames"] = [
        {"title": "Both", "nodes": ["first", "second"]},
        {"rect": [0, 0, 10, 20.5], "ink": 1},
    ]
    document["notes"] = [{"text": "words", "position": [1, 2], "size": [200, 60]}, {"text": "more"}]
    found = loads(document)
    flow = found.workflow
    assert flow.nodes[0].position is None
    assert [(f.title, f.nodes, f.rect) for f in flow.frames] == [
        ("Both", ("first", "second"), None),
        ("", (), (0.0, 0.0, 10.0, 20.5)),
    ]
    assert [(n.text, n.position, n.size) for n in flow.notes] == [
        ("words", (1.0, 2.0), (200.0, 60.0)),
        ("more", (0.0, 0.0), None),
    ]
    assert [w.place for w in found.warnings] == ["$.frames[1].ink"]


def test_a_byte_order_mark_is_passed_over() -> None:
    assert isinstance(parse_workflow(b"\xef\xbb\xbf" + written(sound()), None), WorkflowFile)


def test_a_file_is_read_from_disk_in_a_folder_with_any_name(tmp_path: Path) -> None:
    """Case 137."""
    folder = tmp_path / "Ünï 空"
    folder.mkdir()
    (folder / "prompts").mkdir()
    (folder / "prompts" / "räume.md").write_text("x")
    document = sound()
    document["nodes"][0]["attach"] = ["prompts/räume.md"]
    path = folder / "näme.workflow.json"
    path.write_bytes(written(document))
    found = load_workflow(path)
    assert isinstance(found, WorkflowFile)
    assert json.loads(found.content) == document


def test_importing_the_module_loads_neither_pydantic_nor_jinja2() -> None:
    """Import budget: both are loaded when the first file is read."""
    code = (
        "import sys, quarterdeck.store.workflow_file, quarterdeck.engine.templates, quarterdeck.engine.inputs\n"
        "assert not {'pydantic', 'jinja2', 'PySide6'} & set(sys.modules), sorted(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_price_key_that_is_not_known_is_kept_and_warned_of() -> None:
    document = sound()
    document["agents"]["echo"]["prices"] = {"m": {"input": "1", "thinking": "2"}}
    found = loads(document)
    assert found.workflow.agents["echo"].prices == {"m": {"input": "1"}}
    assert [w.place for w in found.warnings] == ["$.agents.echo.prices.m.thinking"]
