"""What the parts of a workflow file refer to: agents, nodes, edges, cycles, inputs (files: `attachments`).

Takes the typed parts of `workflow_schema`; gives faults by place. Templates are judged by `workflow_templates`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quarterdeck.domain.workflow import NODES_MAX, InputType
from quarterdeck.store.attachments import ATTACHMENT_ROLES, attachment_fault
from quarterdeck.store.mcp_checks import server_faults
from quarterdeck.store.workflow_graph import first_cycle
from quarterdeck.store.workflow_json import Fault
from quarterdeck.store.workflow_schema import (
    RESERVED_VARIABLES,
    VARIABLE,
    AgentPart,
    InputPart,
    NodePart,
    _Part,
    kind_of,
)
from quarterdeck.store.workflow_shape import Shape

EDGES_MAX = 100_000
EDGE_SHAPE = ("from", "to", "loop")
LATER_NODE_KEYS = ("join", "disabled", "isolation", "workflow")
SILENT_TOP_KEYS = ("schedule", "$schema")


def reference_faults(shape: Shape, folder: Path | None) -> Iterator[Fault]:
    """Every fault of what the parts refer to. `folder` is the workspace; None leaves attachments unchecked."""
    yield from _input_faults(shape)
    for name, agent in shape.agents.items():
        yield from _agent_faults(name, agent)
    yield from _node_faults(shape, folder)
    yield from _edge_faults(shape)


def raw_names(document: dict[str, Any], key: str, name: str) -> set[str] | None:
    """Names of a list's parts as written, also of parts with other faults; None where there is no such list.

    So a fault is told once, at its own place, and not again wherever the part is named.
    """
    raw = document.get(key, [])
    if not isinstance(raw, list):
        return None
    return {item[name] for item in raw if isinstance(item, dict) and isinstance(item.get(name), str)}


def has_all_edges(shape: Shape) -> bool:
    """Whether every edge says where it leads: only then is anything known of a way that is not there."""
    raw = shape.document.get("edges", [])
    is_list = isinstance(raw, list) and len(raw) == len(shape.edges)
    return is_list and not any(edge.is_told(*EDGE_SHAPE) for _, edge in shape.edges)


def raw_edges(document: dict[str, Any]) -> list[tuple[str, str]]:
    """(from, to) of every edge that says both, also of edges with other faults."""
    raw = document.get("edges")
    ends = (
        [(item.get("from"), item.get("to")) for item in raw if isinstance(item, dict)]
        if isinstance(raw, list)
        else []
    )
    return [
        (source, target) for source, target in ends if isinstance(source, str) and isinstance(target, str)
    ]


def size_fault(document: Any) -> Fault | None:
    """The one fault of a file with too many parts, told before anything is read of them."""
    if not isinstance(document, dict):
        return None
    for key, limit in (
        ("nodes", NODES_MAX),
        ("edges", EDGES_MAX),
        ("agents", NODES_MAX),
        ("inputs", NODES_MAX),
    ):
        part = document.get(key)
        if isinstance(part, list | dict) and len(part) > limit:
            return Fault((key,), f"there are {len(part):,} {key}; a workflow may have {limit:,}")
    return None


# ------------------------------------------------------------------------------------------- inputs, agents


def _input_faults(shape: Shape) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, part in shape.inputs:
        if part.name in seen and not part.is_told("name"):
            yield Fault(("inputs", index, "name"), f"there are two inputs called “{part.name}”")
        seen.add(part.name)
        if part.is_told("type", "options"):
            continue
        if part.type == InputType.CHOICE and not part.options:
            yield Fault(("inputs", index, "options"), "a choice needs at least one option")
        said = default_fault(part)
        if said:
            yield Fault(("inputs", index, "default"), said)


def default_fault(part: InputPart) -> str | None:
    """What is wrong with the default of an input; None where nothing is."""
    value = part.default
    if value is None:
        return None
    match part.type:
        case InputType.NUMBER:
            is_number = (
                isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            )
            return None if is_number else f"the default of a number must be a number, not {kind_of(value)}"
        case InputType.BOOLEAN:
            return (
                None
                if isinstance(value, bool)
                else f"the default must be true or false, not {kind_of(value)}"
            )
        case InputType.CHOICE:
            return None if value in part.options else "the default is not one of the options"
        case _:
            return None if isinstance(value, str) else f"the default must be text, not {kind_of(value)}"


def _agent_faults(name: str, agent: AgentPart) -> Iterator[Fault]:
    path = ("agents", name)
    if agent.kind in ("command", "acp") and not agent.argv and not agent.is_told("argv", "kind"):
        yield Fault(
            (*path, "argv"), f"an agent of kind {agent.kind} needs “argv”: the program and its arguments"
        )
    if agent.argv and not agent.argv[0].strip():
        yield Fault((*path, "argv", 0), "the program must not be empty")
    if agent.argv and "{{" in agent.argv[0]:
        yield Fault(
            (*path, "argv", 0), "the program is taken as it is written; only what follows can be a template"
        )
    yield from server_faults(name, agent)
    for key in ("env", "secrets"):
        for variable in getattr(agent, key):
            said = _variable_fault(variable)
            if said:
                yield Fault((*path, key, variable), said)
    for index, variable in enumerate(agent.pass_env):
        if not VARIABLE.fullmatch(variable):
            yield Fault((*path, "pass_env", index), "this is no name of an environment variable")
    if agent.credential_env is not None and not VARIABLE.fullmatch(agent.credential_env):
        yield Fault((*path, "credential_env"), "this is no name of an environment variable")


def _variable_fault(variable: str) -> str | None:
    if not VARIABLE.fullmatch(variable):
        return "this is no name of an environment variable: letters, digits and _, not a digit first"
    if variable.startswith(RESERVED_VARIABLES):
        return f"variables that begin with {RESERVED_VARIABLES} are set by Quarterdeck"
    return None


# ------------------------------------------------------------------------------------------- nodes


def _node_faults(shape: Shape, folder: Path | None) -> Iterator[Fault]:
    seen: dict[str, int] = {}
    known = shape.document.get("agents")
    agents = (
        set(known) if isinstance(known, dict) else None
    )  # None: told already, and not once more for each node
    if shape.document.get("nodes") == []:
        yield Fault(("nodes",), "a workflow needs at least one node")
    for index, node in shape.nodes:
        path = ("nodes", index)
        if node.id and node.id in seen:
            yield Fault(
                (*path, "id"), f"two nodes are called “{node.id}” (the other is $.nodes[{seen[node.id]}])"
            )
        seen.setdefault(node.id, index)
        yield from _node_agent_faults(path, node, agents)
        for role in ATTACHMENT_ROLES:
            for position, text in enumerate(getattr(node, role)):
                said = attachment_fault(text, folder)
                if said:
                    yield Fault((*path, role, position), said)


def _node_agent_faults(
    path: tuple[str | int, ...], node: NodePart, agents: set[str] | None
) -> Iterator[Fault]:
    if node.kind == "approval":
        if node.agent is not None:
            yield Fault((*path, "agent"), "an approval waits for a person and has no agent")
        if not node.question.strip() and not node.is_told("question"):
            yield Fault((*path, "question"), "an approval needs a “question”")
        return
    is_told = node.is_told("agent", "kind")
    if node.agent is None and not is_told and not (node.model_extra or {}).get("workflow"):
        yield Fault((*path, "agent"), f"node “{node.id}” has no “agent”")
    for place, name in _named_agents(path, node):
        if agents is not None and name not in agents:
            listed = ", ".join(sorted(agents)[:10]) or "none"
            yield Fault(place, f"there is no agent “{name[:80]}” in “agents” (there are: {listed})")
    if len(set(node.alternatives)) < len(node.alternatives) or node.agent in node.alternatives:
        yield Fault((*path, "alternatives"), "an agent stands twice among the agents of this node")


def _named_agents(path: tuple[str | int, ...], node: NodePart) -> Iterator[tuple[tuple[str | int, ...], str]]:
    if node.agent is not None:
        yield (*path, "agent"), node.agent
    for index, name in enumerate(node.alternatives):
        yield (*path, "alternatives", index), name


# ------------------------------------------------------------------------------------------- edges


def _edge_faults(shape: Shape) -> Iterator[Fault]:
    ids = raw_names(shape.document, "nodes", "id")
    successors: dict[str, list[str]] = {node.id: [] for _, node in shape.nodes}
    place: dict[tuple[str, str], int] = {}
    for index, edge in shape.edges:
        for key, end in (("from", edge.source), ("to", edge.target)):
            if ids is not None and end not in ids and not edge.is_told(key):
                yield Fault(("edges", index, key), f"there is no node “{end[:80]}”")
        if edge.loop is None and not edge.is_told(*EDGE_SHAPE):
            successors.setdefault(edge.source, []).append(edge.target)
            place.setdefault((edge.source, edge.target), index)
    cycle = first_cycle(successors)
    if cycle is not None:
        last = place[cycle[-1], cycle[0]]
        yield Fault(("edges", last), _cycle_words(cycle))
    elif has_all_edges(shape):
        yield from _loop_faults(shape, successors)


def _cycle_words(cycle: list[str]) -> str:
    if len(cycle) == 1:
        return f"node “{cycle[0]}” waits for itself; only an edge with “loop” may go back"
    names = cycle if len(cycle) <= 12 else [*cycle[:6], "…", *cycle[-5:]]
    return f"these nodes wait for each other: {' → '.join([*names, cycle[0]])}; only an edge with “loop” may go back"


def _loop_faults(shape: Shape, successors: dict[str, list[str]]) -> Iterator[Fault]:
    for index, edge in shape.edges:
        if edge.loop is not None and edge.target in successors and edge.source in successors:
            seen, stack = {edge.target}, [edge.target]
            while stack:
                fresh = [node for node in successors.get(stack.pop(), ()) if node not in seen]
                seen.update(fresh)
                stack.extend(fresh)
            if edge.source not in seen:
                said = f"a loop goes back to a node before it, but “{edge.target}” does not lead to “{edge.source}”"
                yield Fault(("edges", index), said)


# ------------------------------------------------------------------------------------------- what is not built, unknown


def not_built(shape: Shape) -> Iterator[Fault]:
    """Parts of the format that this version cannot launch yet."""
    for index, node in shape.nodes:
        if node.for_each is not None:
            yield Fault(("nodes", index, "for_each"), "“for_each” cannot be launched yet in this version")
        for key in LATER_NODE_KEYS:
            if (node.model_extra or {}).get(key):
                yield Fault(("nodes", index, key), f"“{key}” cannot be launched yet in this version")
    for index, edge in shape.edges:
        if edge.loop is not None:
            yield Fault(("edges", index, "loop"), "loops cannot be launched yet in this version")
    if shape.document.get("schedule"):
        yield Fault(("schedule",), "“schedule” cannot be launched yet in this version")


def unknown_keys(shape: Shape) -> Iterator[Fault]:
    """Keys that this version does not know; they are kept."""
    if shape.whole is None:
        return
    known = {"nodes": LATER_NODE_KEYS, "": SILENT_TOP_KEYS}
    parts: list[tuple[tuple[str | int, ...], _Part, tuple[str, ...]]] = [((), shape.whole, known[""])]
    parts.append((("limits",), shape.whole.limits, ()))
    parts += [(("frames", index), part, ()) for index, part in enumerate(shape.whole.frames)]
    parts += [(("notes", index), part, ()) for index, part in enumerate(shape.whole.notes)]
    parts += [(("inputs", index), part, ()) for index, part in shape.inputs]
    for name, agent in shape.agents.items():
        parts.append((("agents", name), agent, ()))
        parts += [(("agents", name, "prices", model), price, ()) for model, price in agent.prices.items()]
        parts += [(("agents", name, "mcp_servers", s), part, ()) for s, part in agent.mcp_servers.items()]
    for index, node in shape.nodes:
        parts += [(("nodes", index), node, LATER_NODE_KEYS), (("nodes", index, "retry"), node.retry, ())]
    for index, edge in shape.edges:
        parts.append((("edges", index), edge, ()))
        if edge.loop is not None:
            parts.append((("edges", index, "loop"), edge.loop, ()))
    for path, part, silent in parts:
        for key in part.model_extra or {}:
            if key not in silent:
                yield Fault(
                    (*path, key), "this key is not known to this version; it is kept and has no effect"
                )
