"""Workflow files (design §6): one file read whole, checked whole, all of its faults told at once.

Bytes come from disk or from the caller; nothing is written and nothing is executed. Faults are `FileProblem`s with a
JSON path and a line. The text of the file is `workflow_json`'s, its shape `workflow_schema`'s, what it refers to
`workflow_checks`' and `workflow_templates`'; pydantic and jinja2 are loaded on first use.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarterdeck.domain.ids import NodeId, WorkflowId
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.workflow import (
    FILE_BYTES_MAX,
    PRICE_KEYS,
    AgentSpec,
    Edge,
    Frame,
    InputSpec,
    InputType,
    Limits,
    Loop,
    Node,
    Note,
    RetrySpec,
    Workflow,
)
from quarterdeck.store.workflow_json import DocumentRead, Fault, FileProblem, locate, read_document

if TYPE_CHECKING:
    from quarterdeck.store.workflow_schema import (
        AgentPart,
        EdgePart,
        InputPart,
        NodePart,
        PricePart,
        ServerPart,
        WorkflowPart,
    )

SUFFIX = ".workflow.json"

__all__ = [
    "SUFFIX",
    "BrokenFile",
    "FileProblem",
    "WorkflowFile",
    "load_workflow",
    "parse_workflow",
    "read_content",
]


@dataclass(frozen=True, slots=True)
class WorkflowFile:
    """A file that loads. `document` is its JSON, unknown keys included; `content` the exact bytes that were read.

    warnings: unknown keys. not_built: parts of the format that a launch refuses (E_NOT_BUILT).
    """

    workflow: Workflow
    content: bytes
    document: dict[str, Any]
    warnings: tuple[FileProblem, ...] = ()
    not_built: tuple[FileProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A file that does not load, with all of its faults (at most 100, then one that counts the rest)."""

    problems: tuple[FileProblem, ...]

    def __bool__(self) -> bool:
        return False


def load_workflow(path: Path) -> WorkflowFile | BrokenFile:
    """Reads and checks one workflow file; its folder is the workspace. Raises nothing of the file's doing."""
    content = read_content(path)
    return content if isinstance(content, BrokenFile) else parse_workflow(content, path.parent)


def read_content(path: Path) -> bytes | BrokenFile:
    """The bytes of the file, at most the limit and one more; a fault in words where it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a named pipe must not block
        try:
            said = _unfit(path, os.fstat(descriptor))
            if said:
                return _broken(said)
            with open(descriptor, "rb", closefd=False) as file:
                return file.read(FILE_BYTES_MAX + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return _broken(f"there is no file {path}")
    except (OSError, ValueError) as error:
        return _broken(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}")


def _unfit(path: Path, status: os.stat_result) -> str | None:
    if stat.S_ISDIR(status.st_mode):
        return f"{path} is a folder; name a file that ends in {SUFFIX}"
    if not stat.S_ISREG(status.st_mode):
        return f"{path} is no regular file"
    if status.st_size > FILE_BYTES_MAX:
        return f"{path} has {status.st_size:,} bytes; at most {FILE_BYTES_MAX:,} are read"
    return None


def parse_workflow(content: bytes, folder: Path | None) -> WorkflowFile | BrokenFile:
    """Checks the bytes of a workflow file. `folder` is the workspace of its attachments; None leaves them unchecked."""
    from quarterdeck.store.workflow_checks import size_fault

    read = read_document(content, size_fault)
    if not isinstance(read, DocumentRead):
        return BrokenFile(read)
    text, document = read.text, read.value
    if not isinstance(document, dict):
        return BrokenFile((FileProblem("$", 1, "a workflow file holds one JSON object"),))
    return _check(text, content, document, folder)


def _check(
    text: str, content: bytes, document: dict[str, Any], folder: Path | None
) -> WorkflowFile | BrokenFile:
    from quarterdeck.store.workflow_checks import not_built, reference_faults, unknown_keys
    from quarterdeck.store.workflow_shape import read_shape
    from quarterdeck.store.workflow_templates import TemplateChecks

    shape = read_shape(document)
    faults: list[Fault] = [*shape.faults, *reference_faults(shape, folder), *TemplateChecks(shape).faults()]
    if faults or shape.whole is None:
        return BrokenFile(locate(text, faults))
    return WorkflowFile(
        workflow=_workflow(shape.whole),
        content=content,
        document=document,
        warnings=locate(text, [*unknown_keys(shape)]),
        not_built=locate(text, [*not_built(shape)]),
    )


def _broken(message: str) -> BrokenFile:
    return BrokenFile((FileProblem("$", 0, message),))


# ------------------------------------------------------------------------------------------- to the domain's types


def _workflow(part: WorkflowPart) -> Workflow:
    return Workflow(
        id=WorkflowId(part.id),
        name=part.name,
        outcome=part.name if part.outcome is None else part.outcome,
        inputs=tuple(_input(item) for item in part.inputs),
        agents={name: _agent(name, agent) for name, agent in part.agents.items()},
        nodes=tuple(_node(node) for node in part.nodes),
        edges=tuple(_edge(edge) for edge in part.edges),
        limits=Limits(part.limits.max_parallel, part.limits.budget_usd),
        frames=tuple(
            Frame(f.title, tuple(map(NodeId, f.nodes)), f.rect, dict(f.model_extra or {}))
            for f in part.frames
        ),
        notes=tuple(Note(n.text, n.position, n.size, dict(n.model_extra or {})) for n in part.notes),
        extra=dict(part.model_extra or {}),
    )


def _input(part: InputPart) -> InputSpec:
    return InputSpec(
        name=part.name,
        type=InputType(part.type),
        required=part.required,
        default=part.default,
        label=part.label,
        options=tuple(part.options),
        extra=dict(part.model_extra or {}),
    )


def _agent(name: str, part: AgentPart) -> AgentSpec:
    return AgentSpec(
        name=name,
        kind=part.kind,
        argv=tuple(part.argv),
        protocol=part.protocol or ("lines" if part.kind == "practice" else "text"),
        cwd=part.cwd,
        env=tuple(sorted(part.env.items())),
        secrets=tuple(sorted(part.secrets.items())),
        pass_env=tuple(part.pass_env),
        success_codes=tuple(part.success_codes),
        timeout_s=part.timeout_s,
        stall_timeout_s=part.stall_timeout_s,
        model=part.model,
        credential=part.credential,
        credential_env=part.credential_env,
        permissions=part.permissions,
        mode=part.mode,
        max_turns=part.max_turns,
        budget_usd=part.budget_usd,
        prices={model: _price(price) for model, price in part.prices.items()},
        mcp_servers={server: _server(told) for server, told in part.mcp_servers.items()},
        worker_class=part.worker_class or part.kind,
        allow_dash=part.allow_dash,
        containment=part.containment,
        extra=dict(part.model_extra or {}),
    )


def _server(part: ServerPart) -> dict[str, Any]:
    if part.url is not None:
        return {"type": part.type or "http", "url": part.url, "headers": dict(part.headers)}
    return {"command": part.command, "args": list(part.args), "env": dict(part.env)}


def _price(part: PricePart) -> dict[str, str]:
    told = {key: usd_text(getattr(part, key)) for key in PRICE_KEYS}
    return {key: text for key, text in told.items() if text is not None}


def _node(part: NodePart) -> Node:
    return Node(
        id=NodeId(part.id),
        title=part.title if part.title.strip() else part.id,
        kind=part.kind,
        agent=part.agent,
        prompt=part.prompt,
        alternatives=tuple(part.alternatives),
        attach=tuple(part.attach),
        skills=tuple(part.skills),
        library=tuple(part.library),
        retry=RetrySpec(part.retry.max_attempts),
        budget_usd=part.budget_usd,
        timeout_s=part.timeout_s,
        for_each=part.for_each,
        question=part.question,
        effects=part.effects,
        position=part.position,
        extra=dict(part.model_extra or {}),
    )


def _edge(part: EdgePart) -> Edge:
    return Edge(
        source=NodeId(part.source),
        target=NodeId(part.target),
        when=part.when,
        loop=None if part.loop is None else Loop(part.loop.until, part.loop.max_rounds),
        extra=dict(part.model_extra or {}),
    )
