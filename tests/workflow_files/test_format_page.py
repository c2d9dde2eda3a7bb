"""The page on the format says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quarterdeck.domain.workflow import AGENT_KINDS, NODES_MAX, InputType
from quarterdeck.store.template_syntax import FILTERS, RUN_FIELDS
from quarterdeck.store.workflow_file import WorkflowFile, parse_workflow
from quarterdeck.store.workflow_schema import AgentPart, EdgePart, InputPart, NodePart

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "workflow-format.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["workflow-format.md", "adding-an-agent.md"])
def test_the_workflow_of_the_page_loads(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    (example,) = [text for text in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if '"format"' in text]
    found = parse_workflow(example.encode(), None)
    assert isinstance(found, WorkflowFile), found
    assert (found.warnings, found.not_built) == ((), ())


def test_no_table_stands_on_two_pages() -> None:
    """Two copies differ before long: one page has it, the others lead there."""
    pages = sorted(Path(__file__).resolve().parents[2].joinpath("docs").glob("*.md"))
    keys = {
        page.name: set(re.findall(r"^\| (`[^|]+`) \|", page.read_text(encoding="utf-8"), re.M))
        for page in pages
    }
    assert len(keys["lines-protocol.md"]) > 8
    twice = [
        (one, other) for one in keys for other in keys if one < other and len(keys[one] & keys[other]) > 4
    ]
    assert twice == []


def test_every_key_filter_and_limit_is_on_the_page() -> None:
    later = {"loop", "for_each", "model", "permissions", "max_turns"}
    for model in (InputPart, AgentPart, NodePart, EdgePart):
        for name, field in model.model_fields.items():
            word = field.alias or name
            assert f"`{word}`" in PAGE or word in later, f"{model.__name__}.{word}"
    listed = re.search(r"these filters: ([a-z,\s]+)\.", PAGE)
    assert listed
    assert set(re.split(r",\s+", listed[1])) == FILTERS
    assert all(f"run.{field}" in PAGE for field in RUN_FIELDS)
    assert all(f"`{kind}`" in PAGE for kind in (*AGENT_KINDS, *InputType))
    assert f"{NODES_MAX:,} nodes" in PAGE
