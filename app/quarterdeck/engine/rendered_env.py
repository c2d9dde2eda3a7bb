"""An agent's definition with the values of its `env` as it would start now: two accounts of one template are two sign-ins (AUT2)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.pins import SpecRef
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.node_values import DecidedNode, decided_nodes, node_values
from quarterdeck.engine.pinning import agent_of
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.templates import TemplateProblem, render
from quarterdeck.store.attempts import Attempts

log = logging.getLogger(__name__)


async def agent_as_it_starts(book: RunBook, attempts: Attempts, slot: SlotId, spec: SpecRef) -> AgentSpec:
    """Off the loop where a template is to be rendered. One that cannot be stays as it is written: the start says why."""
    agent = agent_of(book.plan.specs[spec.spec])
    if not any("{{" in value for _, value in agent.env):
        return agent
    before = decided_nodes(book.state, book.folds, book.plan.upstream(book.state.slots[slot].node_id))
    return await asyncio.to_thread(_rendered, book, attempts, agent, before)


def _rendered(
    book: RunBook, attempts: Attempts, agent: AgentSpec, before: tuple[DecidedNode, ...]
) -> AgentSpec:
    try:
        context = context_of(book, node_values(book.run_id, before, attempts))
        return replace(agent, env=tuple((name, render(value, context)) for name, value in agent.env))
    except (TemplateProblem, OSError) as problem:
        log.info("run %s: the environment of %s cannot be rendered: %s", book.run_id, agent.name, problem)
        return agent


def context_of(book: RunBook, nodes: Mapping[str, Any]) -> dict[str, Any]:
    """What a template of the run may know."""
    header = book.state.header
    run = {"id": header.run_id, "workflow": header.workflow_name, "outcome": header.outcome_asked}
    return {"inputs": book.plan.inputs, "nodes": nodes, "run": run}
