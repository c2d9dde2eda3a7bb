"""What is drawn: the workflow as the shown runs began with it, not as its file says by now (PIN4, REC2, OWN8). Pure, no Qt.

The newest shown run's workflow is drawn whole; nodes that only other shown runs have stand in free places beside it, so
that no node with a state is missing. The file is drawn where no run is shown. What cannot be read any more is drawn
after the file, and after the slots of its run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quarterdeck.domain.ids import NodeId, Revision, RunId
from quarterdeck.domain.layout import CARD_H, CARD_W, COLUMN_W, ROW_H, arrange
from quarterdeck.domain.views import RunView
from quarterdeck.domain.workflow import AgentSpec, Edge, Frame, Node, Note, Workflow
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import short_id

tr = Texts("PresentGraph")

COLUMNS_OF_RECORD = 4
Place = tuple[float, float]
Graphs = Mapping[Revision, Workflow | None]
"""Workflows as they were launched, by their pinned revision; None: it cannot be read any more."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node, the workflow that says what its agent is, and its upper left corner."""

    node: Node
    source: Workflow
    place: Place


@dataclass(frozen=True, slots=True)
class Drawn:
    """Everything that is drawn whatever the shown runs do."""

    nodes: tuple[DrawnNode, ...] = ()
    edges: tuple[Edge, ...] = ()
    frames: tuple[Frame, ...] = ()
    notes: tuple[Note, ...] = ()
    changed: frozenset[Revision] = frozenset()
    """Pinned workflows of shown runs that differ from what the open file says."""
    missing: frozenset[Revision] = frozenset()
    """Pinned workflows of shown runs that cannot be read any more."""

    def node(self, node_id: NodeId) -> DrawnNode | None:
        """The drawn node of that id."""
        return next((n for n in self.nodes if n.node.id == node_id), None)


class Places:
    """Where the nodes of drawn workflows stand, kept while these are drawn: laying out a thousand nodes takes a second."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Workflow, dict[NodeId, Place]]] = {}

    def of(self, sources: Iterable[Workflow]) -> list[dict[NodeId, Place]]:
        """The places of each; what is not among them is forgotten."""
        known = self._kept
        self._kept = {id(s): known[id(s)] if id(s) in known else (s, places_of(s)) for s in sources}
        return [places for _, places in self._kept.values()]


def draw(
    file: Workflow | None, views: tuple[RunView, ...], graphs: Graphs, places: Places | None = None
) -> Drawn:
    """What is drawn of these runs. `file`: what the open file says; `views`: shown runs, oldest launch first.

    `places` saves work and changes nothing.
    """
    revisions = dict.fromkeys(view.pins.workflow for view in views)
    pinned = {r: graph for r in revisions if (graph := graphs.get(r)) is not None}
    changed = frozenset(r for r, graph in pinned.items() if file is not None and graph != file)
    if file is not None:
        pinned = {r: graph if r in changed else file for r, graph in pinned.items()}
    sources = _sources(file, views, pinned)
    if not sources:
        return Drawn()
    first = sources[0]
    return Drawn(
        nodes=_nodes(sources, (places or Places()).of(sources)),
        edges=_edges(sources),
        frames=first.frames,
        notes=first.notes,
        changed=changed,
        missing=frozenset(r for r in revisions if r in graphs and r not in pinned),
    )


def _sources(
    file: Workflow | None, views: tuple[RunView, ...], pinned: Mapping[Revision, Workflow]
) -> list[Workflow]:
    """The workflows that are drawn, each once, the one that is drawn whole first."""
    sources: dict[int, Workflow] = {}
    for view in reversed(views):
        graph = pinned.get(view.pins.workflow)
        wanted = (graph,) if graph is not None else (file, workflow_of_record(view))
        sources.update((id(one), one) for one in wanted if one is not None)
    if not sources and file is not None:
        return [file]
    return list(sources.values())


def _nodes(sources: list[Workflow], places: list[dict[NodeId, Place]]) -> tuple[DrawnNode, ...]:
    found: dict[NodeId, DrawnNode] = {}
    taken = _Taken()
    for source, own in zip(sources, places, strict=True):
        for node in source.nodes:
            if node.id not in found:
                place = own[node.id] if source is sources[0] else taken.free_from(own[node.id])
                taken.take(place)
                found[node.id] = DrawnNode(node, source, place)
    return tuple(found.values())


def _edges(sources: list[Workflow]) -> tuple[Edge, ...]:
    if len(sources) == 1:
        return sources[0].edges
    found: dict[tuple[NodeId, NodeId], Edge] = {}
    for edge in (e for source in sources for e in source.edges):
        found.setdefault((edge.source, edge.target), edge)
    return tuple(found.values())


class _Taken:
    """Where cards stand, by squares of the size of a card, so that a free place is found among thousands."""

    def __init__(self) -> None:
        self._at: defaultdict[tuple[int, int], list[Place]] = defaultdict(list)

    def take(self, place: Place) -> None:
        self._at[self._square(place)].append(place)

    def free_from(self, place: Place) -> Place:
        """This place, or the next one below it at which no card stands."""
        while blocking := [
            p for p in self._near(place) if abs(p[0] - place[0]) < CARD_W and abs(p[1] - place[1]) < CARD_H
        ]:
            place = (place[0], max(p[1] for p in blocking) + ROW_H)
        return place

    def _near(self, place: Place) -> Iterable[Place]:
        x, y = self._square(place)
        return (p for dx in (-1, 0, 1) for dy in (-1, 0, 1) for p in self._at.get((x + dx, y + dy), ()))

    @staticmethod
    def _square(place: Place) -> tuple[int, int]:
        return int(place[0] // CARD_W), int(place[1] // CARD_H)


def places_of(workflow: Workflow) -> dict[NodeId, Place]:
    """Where every node stands: as the file says, the others laid out among them."""
    pinned = {n.id: n.position for n in workflow.nodes if n.position is not None}
    wires = [(e.source, e.target) for e in workflow.edges if e.loop is None]
    return arrange([n.id for n in workflow.nodes], wires, pinned)


def workflow_of_record(view: RunView) -> Workflow:
    """What a run's slots tell of its workflow where nothing else does: nodes in rows, no wires."""
    nodes: dict[NodeId, Node] = {}
    agents: dict[str, AgentSpec] = {}
    for slot in view.slots:
        if slot.node_id not in nodes:
            at = len(nodes)
            place = (COLUMN_W * (at % COLUMNS_OF_RECORD), ROW_H * (at // COLUMNS_OF_RECORD))
            kind = "agent" if slot.agent else "approval"
            nodes[slot.node_id] = Node(slot.node_id, slot.title, kind, slot.agent or None, position=place)
            agents.setdefault(slot.agent, AgentSpec(slot.agent, slot.agent_kind))
    return Workflow(view.workflow_id, view.workflow_name, "", (), agents, tuple(nodes.values()), ())


# ------------------------------------------------------------------------------------------- in words


def drawn_words(
    drawn: Drawn, views: tuple[RunView, ...], letters: Mapping[RunId, str], *, is_file_broken: bool
) -> str:
    """How what is drawn differs from the file, in sentences; empty where it does not."""
    said = []
    old = [view for view in views if view.pins.workflow in drawn.changed]
    lost = [view for view in views if view.pins.workflow in drawn.missing]
    if is_file_broken:
        said.append(tr("The file cannot be read any more: see Problems. This is what it said before."))
    elif old:
        said.append(_changed_words(old, views, letters))
    if len({view.pins.workflow for view in views}) > 1 and len(old) + len(lost) > 0:
        said.append(
            tr(
                "Drawn is what run {run} began with, then what only other runs have.",
                run=_name(views[-1], letters),
            )
        )
    if lost:
        runs = _names(lost, letters)
        said.append(tr("What was launched as {runs} cannot be read any more.", runs=runs))
    return " ".join(said)


def _changed_words(old: list[RunView], views: tuple[RunView, ...], letters: Mapping[RunId, str]) -> str:
    if len(views) == 1:
        return tr("The file has changed since this run began.")
    if len(old) == len(views):
        return tr("The file has changed since these runs began.")
    if len(old) == 1:
        return tr("The file has changed since run {run} began.", run=_name(old[0], letters))
    return tr("The file has changed since runs {runs} began.", runs=_names(old, letters))


def _names(views: list[RunView], letters: Mapping[RunId, str], named_max: int = 6) -> str:
    names = [_name(view, letters) for view in views[:named_max]]
    return ", ".join(names) + (" …" if len(views) > named_max else "")


def _name(view: RunView, letters: Mapping[RunId, str]) -> str:
    return (letters.get(view.run_id, "") if view.is_live else "") or short_id(view.run_id)
