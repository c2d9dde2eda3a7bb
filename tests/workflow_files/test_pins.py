"""Pins (PIN1–PIN5): what a launch decided never changes afterwards, or is said to be missing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import Revision
from quarterdeck.engine.pinning import (
    ATTACHMENT_BYTES_MAX,
    PinMissing,
    PinnedLaunch,
    PinProblems,
    agent_of,
    budget_of,
    build_pins,
    read_attachment,
    read_package,
    read_spec,
    read_workflow,
)
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.objects import ObjectStore
from tests.workflow_files.samples import loads, sound


class Bench:
    """A workspace, an object store, and launches of the sound workflow."""

    def __init__(self, folder: Path) -> None:
        self.space = folder / "space"
        self.space.mkdir()
        for name in ("role.md", "skill.md", "book.md"):
            (self.space / name).write_text(f"content of {name}")
        self.objects_folder = folder / "objects"
        self.objects_folder.mkdir()
        self.objects = ObjectStore(DurableIO(), self.objects_folder)
        self.document = sound()
        self.document["nodes"][0] |= {
            "attach": ["role.md"],
            "skills": ["skill.md"],
            "library": ["book.md", "role.md"],
        }
        self.document["nodes"][0]["budget_usd"] = "0.25"

    def launch(self, **inputs: Any) -> PinnedLaunch:
        file = loads(self.document, self.space)
        return build_pins(file, inputs, "About tides", self.space, self.objects.put, {"echo": "/bin/echo"})

    def everything(self, launch: PinnedLaunch) -> bytes:
        """All that a claim would read, as one text."""
        parts: list[Any] = [read_package(self.objects.get, launch.pins.package)]
        for bound in launch.bindings:
            for ref in bound.specs:
                spec = read_spec(self.objects.get, ref.spec)
                contents = [read_attachment(self.objects.get, item).decode() for item in spec["attachments"]]
                parts.append([bound.node_id, ref.agent, spec, contents])
        parts.append(repr(read_workflow(self.objects.get, launch.pins.workflow)))
        return json.dumps(parts, sort_keys=True).encode()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def naive_revision(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_launch_pins_package_workflow_and_binding(bench: Bench) -> None:
    """PIN1–PIN3; the revisions are recomputed from the contents by other means."""
    launch = bench.launch(topic="tides", size="m")
    contents = {
        path.name: json.loads(path.read_bytes())
        for path in bench.objects_folder.iterdir()
        if path.read_bytes()[:1] == b"{"
    }
    assert launch.pins.workflow == naive_revision(bench.document)
    package = contents[launch.pins.package]
    assert launch.pins.package == naive_revision(package)
    assert package["outcome"] == "About tides"
    assert package["inputs"] == {"topic": "tides", "size": "m"}
    hashes = {
        name: hashlib.sha256((bench.space / name).read_bytes()).hexdigest()
        for name in ("book.md", "role.md", "skill.md")
    }
    assert {item["path"]: item["sha256"] for item in package["attachments"]} == hashes
    binding = contents[launch.pins.binding]
    assert {node: [part["agent"] for part in parts] for node, parts in binding["nodes"].items()} == {
        "first": ["echo"],
        "second": ["other", "echo"],
        "ask": [],
    }
    for bound in launch.bindings:
        assert [ref.spec for ref in bound.specs] == [part["spec"] for part in binding["nodes"][bound.node_id]]
        assert all(naive_revision(contents[ref.spec]) == ref.spec for ref in bound.specs)
    spec = read_spec(bench.objects.get, launch.bindings[0].specs[0].spec)
    assert [(item["role"], item["path"]) for item in spec["attachments"]] == [
        ("attach", "role.md"),
        ("skills", "skill.md"),
        ("library", "book.md"),
        ("library", "role.md"),
    ]
    assert spec["program"] == "/bin/echo"
    assert budget_of(spec) == Decimal("0.10")  # the smaller of node and agent


def test_the_same_launch_twice_has_the_same_pins_and_other_inputs_another_package(bench: Bench) -> None:
    first, again, other = bench.launch(topic="a"), bench.launch(topic="a"), bench.launch(topic="b")
    assert first.pins == again.pins
    assert other.pins.package != first.pins.package
    assert (other.pins.workflow, other.pins.binding) == (first.pins.workflow, first.pins.binding)


def test_the_agent_comes_back_from_its_specification_as_it_was(bench: Bench) -> None:
    bench.document["agents"]["echo"] |= {
        "env": {"B": "1", "A": "{{ inputs.topic }}"}, "secrets": {"KEY": "env:KEY"}, "pass_env": ["EDITOR"],
        "success_codes": [0, 3], "timeout_s": 5, "class": "tool", "allow_dash": True, "colour": "blue",
        "prices": {"m": {"input": 0.1, "cache_write": "3.750"}, "": {"output": "1"}},
    }  # fmt: skip
    launch = bench.launch()
    file = loads(bench.document, bench.space)
    for bound in launch.bindings:
        for ref in bound.specs:
            assert agent_of(read_spec(bench.objects.get, ref.spec)) == file.workflow.agents[ref.agent]
    assert read_workflow(bench.objects.get, launch.pins.workflow) == file.workflow


Edit = Callable[[Bench], object]
EDITS: dict[str, Edit] = {
    "attachment changed": lambda b: (b.space / "role.md").write_text("other"),
    "attachment deleted": lambda b: (b.space / "skill.md").unlink(),
    "attachment became a link": lambda b: (
        (b.space / "book.md").unlink(),
        (b.space / "book.md").symlink_to("role.md"),
    ),
    "attachment became a folder": lambda b: ((b.space / "book.md").unlink(), (b.space / "book.md").mkdir()),
    "prompt": lambda b: b.document["nodes"][1].update(prompt="other"),
    "argv": lambda b: b.document["agents"]["echo"].update(argv=["true"]),
    "env": lambda b: b.document["agents"]["echo"].update(env={"A": "1"}),
    "budget": lambda b: b.document["agents"]["echo"].update(budget_usd="9"),
    "prices": lambda b: b.document["agents"]["echo"].update(prices={"m": {"input": "9"}}),
    "timeout": lambda b: b.document["nodes"][0].update(timeout_s=1),
    "retry": lambda b: b.document["nodes"][1].update(retry={"max_attempts": 9}),
    "class": lambda b: b.document["agents"]["other"].update({"class": "work"}),
    "agent of a node": lambda b: b.document["nodes"][0].update(agent="other"),
    "alternatives": lambda b: b.document["nodes"][1].update(alternatives=[]),
    "default": lambda b: b.document["inputs"][1].update(default="s"),
    "outcome": lambda b: b.document.update(outcome="another"),
    "node removed": lambda b: (b.document["nodes"].pop(), b.document["edges"].pop()),
    "model alias": lambda b: b.document["agents"]["other"].update(model="new"),
    "the whole folder gone": lambda b: b.space.rename(b.space.with_name("moved")),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_later_edit_changes_nothing_of_what_a_claim_reads(bench: Bench, edit: str) -> None:
    """PIN4."""
    launch = bench.launch(topic="tides")
    before = bench.everything(launch)
    EDITS[edit](bench)
    assert bench.everything(launch) == before


def test_a_pinned_content_that_is_gone_or_damaged_is_never_replaced(bench: Bench) -> None:
    """PIN5."""
    launch = bench.launch(topic="tides")
    ref = launch.bindings[0].specs[0]
    spec = read_spec(bench.objects.get, ref.spec)
    (bench.objects_folder / spec["attachments"][0]["sha256"]).unlink()
    with pytest.raises(PinMissing, match=r"role\.md"):
        read_attachment(bench.objects.get, spec["attachments"][0])
    damaged = bench.objects_folder / ref.spec
    damaged.write_bytes(damaged.read_bytes().replace(b"echo", b"ecco"))
    with pytest.raises(PinMissing, match="agent specification"):
        read_spec(bench.objects.get, ref.spec)
    (bench.objects_folder / launch.pins.workflow).unlink()
    with pytest.raises(PinMissing, match="workflow"):
        read_workflow(bench.objects.get, launch.pins.workflow)
    with pytest.raises(PinMissing):
        read_package(bench.objects.get, Revision("0" * 64))


def test_attachments_that_cannot_be_pinned_are_all_named_and_nothing_is_put(
    bench: Bench, tmp_path: Path
) -> None:
    """PIN3: symlinked out, deleted, over-long between the check of the file and its launch."""
    file = loads(bench.document, bench.space)
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    (bench.space / "role.md").unlink()
    (bench.space / "role.md").symlink_to(outside)
    (bench.space / "skill.md").unlink()
    (bench.space / "book.md").write_bytes(b"x" * (ATTACHMENT_BYTES_MAX + 1))
    with pytest.raises(PinProblems) as caught:
        build_pins(file, {}, "", bench.space, bench.objects.put)
    places = [
        "$.nodes[0].attach[0]",
        "$.nodes[0].skills[0]",
        "$.nodes[0].library[0]",
        "$.nodes[0].library[1]",
    ]
    assert [problem.place for problem in caught.value.problems] == places
    assert "link that leads out" in str(caught.value)
    assert list(bench.objects_folder.iterdir()) == []


def test_an_attachment_of_the_greatest_length_is_pinned_whole(bench: Bench) -> None:
    content = b"\xff\x00" * (ATTACHMENT_BYTES_MAX // 2)
    (bench.space / "book.md").write_bytes(content)
    launch = bench.launch()
    spec = read_spec(bench.objects.get, launch.bindings[0].specs[0].spec)
    book = next(item for item in spec["attachments"] if item["path"] == "book.md")
    assert read_attachment(bench.objects.get, book) == content
    assert book["size_bytes"] == len(content)
