"""Pins (PIN1–PIN5): everything that a launch decides, put into the object store by content, once.

A launch makes a *package* (outcome, inputs, attachments), the *workflow* revision (canonical JSON of the file) and a
*binding* (for each node the specifications of its agents). Every claim, also of a resume, reads the specification
and nothing else: later edits of files, prompts or defaults change nothing. Contents are reached through `put` and
`get` of the object store, which come in as arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.canonical import canonical_json, content_revision
from quarterdeck.domain.ids import Revision
from quarterdeck.domain.money import parse_usd, usd_text
from quarterdeck.domain.pins import NodeBinding, Pins, SpecRef
from quarterdeck.domain.workflow import AgentSpec, Node, Workflow
from quarterdeck.store.attachments import ATTACHMENT_ROLES, attachment_fault
from quarterdeck.store.errors import ObjectDamaged, ObjectMissing, StoreDamaged
from quarterdeck.store.regular import read_regular
from quarterdeck.store.workflow_file import FileProblem, WorkflowFile, parse_workflow

SPEC_SCHEMA = 1
ATTACHMENT_BYTES_MAX = 10_000_000
"""A longer attachment is refused in words at the launch."""

Put = Callable[[bytes], Revision]
Get = Callable[[Revision], bytes]


class PinMissing(Exception):
    """A pinned content is gone or damaged (E_PIN_MISSING, PIN5). Never replaced by what a file says now."""

    def __init__(self, revision: Revision, what: str) -> None:
        super().__init__(
            f"The pinned {what} {revision[:12]}… is missing or damaged; launch the workflow anew."
        )
        self.revision, self.what = revision, what


class PinProblems(Exception):
    """Attachments that cannot be pinned; nothing was launched."""

    def __init__(self, problems: tuple[FileProblem, ...]) -> None:
        super().__init__(" ".join(f"{problem.place}: {problem.message}." for problem in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class PinnedLaunch:
    """What a launch pinned. `package` is the content of the package revision."""

    pins: Pins
    bindings: tuple[NodeBinding, ...]
    package: Mapping[str, Any]


def build_pins(
    file: WorkflowFile,
    inputs: Mapping[str, Any],
    outcome: str,
    folder: Path,
    put: Put,
    programs: Mapping[str, str] | None = None,
) -> PinnedLaunch:
    """Pins a launch. Blocking: it reads attachments and `put` writes.

    inputs: typed values by name. outcome: rendered. folder: the workspace. programs: {agent: absolute path} as found
    now, kept in the specification so that a resume starts the same program. Raises PinProblems before anything is put.
    """
    contents = _read_attachments(file.workflow, folder)
    for content in dict.fromkeys(contents.values()):
        put(content)
    attached = {path: _attachment(path, content) for path, content in contents.items()}
    bindings = tuple(
        _bind(file.workflow, node, folder, attached, programs or {}, put) for node in file.workflow.nodes
    )
    package = {
        "schema": SPEC_SCHEMA,
        "outcome": outcome,
        "inputs": dict(inputs),
        "attachments": [attached[path] for path in sorted(attached)],
    }
    binding = {
        "schema": SPEC_SCHEMA,
        "nodes": {
            bound.node_id: [{"agent": s.agent, "class": s.worker_class, "spec": s.spec} for s in bound.specs]
            for bound in bindings
        },
    }
    pins = Pins(
        package=put(canonical_json(package)),
        workflow=put(canonical_json(file.document)),
        binding=put(canonical_json(binding)),
    )
    return PinnedLaunch(pins, bindings, package)


# ------------------------------------------------------------------------------------------- reading pins


def pinned_spec(get: Get, revision: Revision) -> dict[str, Any]:
    """The same for who only looks; empty where it is missing or damaged."""
    try:
        return read_spec(get, revision)
    except PinMissing:
        return {}


def read_spec(get: Get, revision: Revision) -> dict[str, Any]:
    """The specification of one agent for one node, as `_spec` wrote it. Raises PinMissing."""
    return _read_object(get, revision, "agent specification")


def read_package(get: Get, revision: Revision) -> dict[str, Any]:
    """Outcome, inputs and attachments of a launch. Raises PinMissing."""
    return _read_object(get, revision, "package")


def require_binding(get: Get, revision: Revision) -> None:
    """Which agent may claim which node stands in the run's header as well; its pinned content has to be there all the same.
    Raises PinMissing.
    """
    _get(get, revision, "binding")


def read_workflow(get: Get, revision: Revision) -> Workflow:
    """The workflow as it was launched; its attachments are not looked for. Raises PinMissing."""
    read = parse_workflow(_get(get, revision, "workflow"), None)
    if not isinstance(read, WorkflowFile):
        raise PinMissing(revision, "workflow")
    return read.workflow


def read_attachment(get: Get, attachment: Mapping[str, Any]) -> bytes:
    """The content of one attachment of a specification or package. Raises PinMissing."""
    return _get(get, Revision(attachment["sha256"]), f"attachment {attachment['path']}")


def agent_of(spec: Mapping[str, Any]) -> AgentSpec:
    """The agent's definition in a specification; templates in it are not rendered."""
    fields = dict(spec["agent"])
    for key in ("argv", "pass_env", "success_codes"):
        fields[key] = tuple(fields[key])
    for key in ("env", "secrets"):
        fields[key] = tuple((name, value) for name, value in fields[key])
    fields["budget_usd"] = _amount(fields["budget_usd"])
    return AgentSpec(**fields)


def budget_of(spec: Mapping[str, Any]) -> Decimal | None:
    """The attempt's budget: the smaller of the node's and the agent's; None where neither has one."""
    return _amount(spec["budget_usd"])


def _amount(text: str | None) -> Decimal | None:
    return None if text is None else parse_usd(text)


def _read_object(get: Get, revision: Revision, what: str) -> dict[str, Any]:
    try:
        value = json.loads(_get(get, revision, what))
    except ValueError:
        raise PinMissing(revision, what) from None
    if not isinstance(value, dict) or value.get("schema") != SPEC_SCHEMA:
        raise PinMissing(revision, what)
    return value


def _get(get: Get, revision: Revision, what: str) -> bytes:
    try:
        return get(revision)
    except (ObjectMissing, ObjectDamaged) as error:
        raise PinMissing(revision, what) from error


# ------------------------------------------------------------------------------------------- specifications


def _bind(
    workflow: Workflow,
    node: Node,
    folder: Path,
    attached: Mapping[str, Mapping[str, Any]],
    programs: Mapping[str, str],
    put: Put,
) -> NodeBinding:
    names = [name for name in (node.agent, *node.alternatives) if name is not None]
    refs = []
    for name in names:
        agent = workflow.agents[name]
        spec = _spec(node, agent, folder, attached, programs.get(name))
        refs.append(SpecRef(name, agent.worker_class, put(canonical_json(spec))))
    return NodeBinding(node.id, tuple(refs))


def _spec(
    node: Node, agent: AgentSpec, folder: Path, attached: Mapping[str, Mapping[str, Any]], program: str | None
) -> dict[str, Any]:
    """Everything that a claim of `node` by `agent` needs beside the package and the outputs of earlier nodes."""
    budgets = [amount for amount in (node.budget_usd, agent.budget_usd) if amount is not None]
    return {
        "schema": SPEC_SCHEMA,
        "node_id": node.id,
        "title": node.title,
        "agent": {**asdict(agent), "budget_usd": usd_text(agent.budget_usd), "extra": dict(agent.extra)},
        "class": agent.worker_class,
        "program": program,
        "folder": str(folder),
        "prompt": node.prompt,
        "attachments": [
            {"role": role, **attached[path]} for role in ATTACHMENT_ROLES for path in getattr(node, role)
        ],
        "budget_usd": usd_text(min(budgets)) if budgets else None,
        "timeout_s": agent.timeout_s if node.timeout_s is None else node.timeout_s,
        "retry": {"max_attempts": node.retry.max_attempts},
        "effects": list(node.effects) if isinstance(node.effects, tuple) else node.effects,
    }


def _attachment(path: str, content: bytes) -> dict[str, Any]:
    return {"path": path, "sha256": content_revision(content), "size_bytes": len(content)}


def _read_attachments(workflow: Workflow, folder: Path) -> dict[str, bytes]:
    """{path as written: content} of all attachments; PinProblems names every one that cannot be read."""
    contents: dict[str, bytes] = {}
    problems: list[FileProblem] = []
    for index, node in enumerate(workflow.nodes):
        for role in ATTACHMENT_ROLES:
            for position, path in enumerate(getattr(node, role)):
                if path in contents:
                    continue
                content = _read_attachment_now(path, folder)
                if isinstance(content, bytes):
                    contents[path] = content
                else:
                    problems.append(FileProblem(f"$.nodes[{index}].{role}[{position}]", 0, content))
    if problems:
        raise PinProblems(tuple(problems))
    return contents


def _read_attachment_now(path: str, folder: Path) -> bytes | str:
    """The bytes of a file inside the workspace, or why not, in words."""
    fault = attachment_fault(path, folder)
    if fault:
        return fault
    try:
        # what was judged is what is opened: no link may have taken its place
        content = read_regular((folder / path).resolve(), ATTACHMENT_BYTES_MAX + 1)
    except StoreDamaged:
        return f"“{path[:200]}” is no file"
    except (OSError, ValueError) as error:
        return f"“{path[:200]}” cannot be read: {getattr(error, 'strerror', None) or error}"
    if len(content) > ATTACHMENT_BYTES_MAX:
        return f"“{path[:200]}” is longer than {ATTACHMENT_BYTES_MAX:,} bytes"
    return content
