"""A document as the typed parts of `workflow_schema`: the whole file, or what of it is sound, with every fault of its shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import ValidationError

from quarterdeck.domain.workflow import InputType
from quarterdeck.store.workflow_json import Fault
from quarterdeck.store.workflow_schema import AgentPart, EdgePart, InputPart, NodePart, WorkflowPart, _Part


@dataclass(frozen=True, slots=True)
class Shape:
    """What could be read. The lists hold (index, part) of every part, with the keys that are sound by themselves, so that
    all faults of a file can be told at once: `is_told` of a part says which are not. `whole` is None where there are faults."""

    document: dict[str, Any]
    whole: WorkflowPart | None
    faults: list[Fault]
    inputs: list[tuple[int, InputPart]]
    agents: dict[str, AgentPart]
    nodes: list[tuple[int, NodePart]]
    edges: list[tuple[int, EdgePart]]
    outcome: str | None


def read_shape(document: dict[str, Any]) -> Shape:
    """The document as typed parts, with every fault of its shape."""
    try:
        whole = WorkflowPart.model_validate(document)
    except ValidationError as error:
        return _partial(
            document, [_fault(item) for item in error.errors(include_url=False, include_input=False)]
        )
    return Shape(
        document,
        whole,
        [],
        list(enumerate(whole.inputs)),
        whole.agents,
        list(enumerate(whole.nodes)),
        list(enumerate(whole.edges)),
        whole.name if whole.outcome is None else whole.outcome,
    )


def _partial(document: dict[str, Any], faults: list[Fault]) -> Shape:
    agents = document.get("agents")
    outcome = document.get("outcome")
    return Shape(
        document,
        None,
        faults,
        _sound(InputPart, document.get("inputs")),
        {}
        if not isinstance(agents, dict)
        else {k: p for k, v in agents.items() if (p := _one(AgentPart, v))},
        _sound(NodePart, document.get("nodes")),
        _sound(EdgePart, document.get("edges")),
        outcome if isinstance(outcome, str) else None,
    )


PartType = TypeVar("PartType", bound=_Part)


def _sound(model: type[PartType], values: Any) -> list[tuple[int, PartType]]:
    if not isinstance(values, list):
        return []
    return [(index, part) for index, value in enumerate(values) if (part := _one(model, value))]


_STAND_INS: dict[str, Any] = {
    "id": "_", "name": "_", "type": str(InputType.TEXT), "kind": "practice", "from": "", "to": "",
}  # fmt: skip
"""What stands for a required key that has a fault; `is_told` says that it does."""


def _one(model: type[PartType], value: Any) -> PartType | None:
    """The part; without the keys that have a fault, which is told with the whole file."""
    if not isinstance(value, dict):
        return None
    try:
        return model.model_validate(value)
    except ValidationError as error:
        told = frozenset(str(item["loc"][0]) for item in error.errors(include_url=False, include_input=False))
    sound = {key: inner for key, inner in value.items() if key not in told}
    required = {str(f.alias or name) for name, f in model.model_fields.items() if f.is_required()}
    part = model.model_validate(sound | {key: _STAND_INS[key] for key in told & required})
    part._told = told
    if isinstance(part, NodePart) and "id" in told:
        part.id = value["id"] if isinstance(value.get("id"), str) else ""
    return part


def _fault(item: Any) -> Fault:
    path = tuple(step for step in item["loc"])
    match item["type"]:
        case "words":
            return Fault(path, item["ctx"]["said"])
        case "missing":
            return Fault(path, f"“{path[-1]}” is missing; it is required")
        case _:  # no model above lets pydantic judge by itself; kept so that a fault is never lost
            return Fault(path, f"this value cannot be used here ({item['msg']})")
