"""A workflow as read from its file (design §6), immutable. Reading and checking the file is not done here.

`extra` keeps unknown keys, so that a file goes through a round trip whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from quarterdeck.domain.ids import NodeId, WorkflowId

FORMAT = "quarterdeck.workflow/1"
NODES_MAX = 5_000
FILE_BYTES_MAX = 10_000_000
AGENT_KINDS = ("command", "claude-code", "codex", "gemini", "opencode", "acp", "practice")


PRICE_KEYS = ("input", "output", "cache_read", "cache_write")


class InputType(StrEnum):
    """Type of a launch input."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    CHOICE = "choice"
    FILE = "file"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class InputSpec:
    """One question that a launch asks."""

    name: str
    type: InputType
    required: bool = False
    default: Any = None
    label: str = ""
    options: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentSpec:
    """One agent of the file. `argv[1:]`, `cwd` and `env` values are templates; `argv[0]` is taken as it is."""

    name: str
    kind: str
    argv: tuple[str, ...] = ()
    protocol: str = "text"
    """`text` or `lines` (design §7); practice agents always speak lines."""
    cwd: str = ""
    env: tuple[tuple[str, str], ...] = ()
    secrets: tuple[tuple[str, str], ...] = ()
    pass_env: tuple[str, ...] = ()
    success_codes: tuple[int, ...] = (0,)
    timeout_s: float | None = None
    stall_timeout_s: float | None = None
    """How long it may print nothing before its attempt is ended."""
    model: str | None = None
    credential: str | None = None
    credential_env: str | None = None
    permissions: str | None = None
    mode: str | None = None
    """Of an `acp` agent: the mode of its session, by the agent's own id."""
    max_turns: int | None = None
    budget_usd: Decimal | None = None
    prices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """{model: {one of PRICE_KEYS: US dollars for a million tokens, decimal text}}; what is not told is unknown."""
    worker_class: str = ""
    """`class` in the file; the kind where absent."""
    allow_dash: bool = False
    containment: str = "auto"
    """`auto` (PID namespace where permitted without a user namespace), `user_namespace` (opt-in), `tree`."""
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """As `domain.mcp_servers` says; references to variables are kept."""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RetrySpec:
    """`retry` of a node; absent means one attempt (ruling 1)."""

    max_attempts: int = 1


@dataclass(frozen=True, slots=True)
class Node:
    """One node. `prompt`, `question` are templates; attachments are paths inside the workspace, by role."""

    id: NodeId
    title: str
    kind: str = "agent"
    """`agent` or `approval`."""
    agent: str | None = None
    prompt: str = ""
    alternatives: tuple[str, ...] = ()
    attach: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    library: tuple[str, ...] = ()
    retry: RetrySpec = RetrySpec()
    budget_usd: Decimal | None = None
    timeout_s: float | None = None
    for_each: str | None = None
    question: str = ""
    effects: str | tuple[str, ...] | None = None
    position: tuple[float, float] | None = None
    """Upper left corner on the canvas; None: laid out where it is shown (domain.layout)."""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Loop:
    """`loop` of an edge that goes back."""

    until: str
    max_rounds: int


@dataclass(frozen=True, slots=True)
class Edge:
    """One dependency. `when` is `success`, `failure`, `always`, or an expression over the source's output."""

    source: NodeId
    target: NodeId
    when: str = "success"
    loop: Loop | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Frame:
    """A group drawn around nodes, or at `rect` (x, y, width, height) where it is given."""

    title: str
    nodes: tuple[NodeId, ...] = ()
    rect: tuple[float, float, float, float] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Note:
    """A sheet with words on the canvas; `size` is width and height, None: as the words need."""

    text: str
    position: tuple[float, float]
    size: tuple[float, float] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Limits:
    """`limits` of the file; None means no limit."""

    max_parallel: int | None = None
    budget_usd: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Workflow:
    """A whole, checked workflow: ids unique, references resolved, no cycle but through `loop` edges."""

    id: WorkflowId
    name: str
    outcome: str
    """A template; the name where absent."""
    inputs: tuple[InputSpec, ...]
    agents: Mapping[str, AgentSpec]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    limits: Limits = Limits()
    frames: tuple[Frame, ...] = ()
    notes: tuple[Note, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)

    def node(self, node_id: NodeId) -> Node:
        """The node of that id; KeyError where there is none."""
        for node in self.nodes:
            if node.id == node_id:
                return node
        raise KeyError(node_id)
