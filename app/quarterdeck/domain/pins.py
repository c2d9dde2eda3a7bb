"""What a run pins at launch (PIN1–PIN5), and the launch specification of one agent for one slot.

The contents of the three revisions lie in the object store under their hash. A later edit of workflow, prompt or
settings changes neither a live run nor a resume (PIN4): every launch reads these contents and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.domain.ids import NodeId, Revision


@dataclass(frozen=True, slots=True)
class Pins:
    """The three revisions of a run: `package` (outcome, inputs, attachments), `workflow`, `binding`."""

    package: Revision
    workflow: Revision
    binding: Revision


@dataclass(frozen=True, slots=True)
class SpecRef:
    """One agent that may claim a node: its name, class, and the revision of its pinned specification."""

    agent: str
    worker_class: str
    spec: Revision


@dataclass(frozen=True, slots=True)
class NodeBinding:
    """The agents of a node, the chosen one first, then its alternatives."""

    node_id: NodeId
    specs: tuple[SpecRef, ...]
