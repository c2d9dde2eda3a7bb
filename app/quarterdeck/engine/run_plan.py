"""The pinned configuration of a run, read back from the object store: the only source of what its agents are told.

A launch and a later claim read the same contents (PIN4); a missing one is PinMissing, never a default (PIN5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.budget import Budgets, pinned_budgets
from quarterdeck.domain.events import RunLaunched
from quarterdeck.domain.ids import NodeId, Revision
from quarterdeck.domain.scheduling import Graph
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.pinning import Get, read_package, read_spec, read_workflow, require_binding


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run needs to go on. `kinds` gives the kind of each agent by name; `specs` each pinned specification."""

    workflow: Workflow
    graph: Graph
    package: Mapping[str, Any]
    specs: Mapping[Revision, Mapping[str, Any]]
    kinds: Mapping[str, str]
    budgets: Budgets
    folder: Path

    @property
    def inputs(self) -> Mapping[str, Any]:
        """Typed input values by name."""
        inputs: Mapping[str, Any] = self.package["inputs"]
        return inputs

    def upstream(self, node_id: NodeId) -> frozenset[NodeId]:
        """Every node from which a path leads to this one: what a template of it may refer to."""
        found: set[NodeId] = set()
        queue = [node_id]
        while queue:
            for edge in self.graph.nodes[queue.pop()].incoming:
                if edge.source not in found:
                    found.add(edge.source)
                    queue.append(edge.source)
        return frozenset(found)


def read_plan(get: Get, header: RunLaunched) -> RunPlan:
    """The plan of a launched run; blocking. Raises PinMissing."""
    require_binding(get, header.pins.binding)
    workflow = read_workflow(get, header.pins.workflow)
    wanted = {ref.spec for binding in header.bindings for ref in binding.specs}
    return RunPlan(
        workflow=workflow,
        graph=Graph.of(workflow),
        package=read_package(get, header.pins.package),
        specs={revision: read_spec(get, revision) for revision in wanted},
        kinds={name: agent.kind for name, agent in workflow.agents.items()},
        budgets=pinned_budgets(workflow),
        folder=Path(header.workflow_folder),
    )
