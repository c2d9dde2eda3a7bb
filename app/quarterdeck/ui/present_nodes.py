"""What a node shows: one row for each shown run, newest two, then the number of the others; and the outline's rows."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from quarterdeck.domain.ids import NodeId, RunId, SlotId
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import RunView, SlotView
from quarterdeck.domain.workflow import Node, Workflow
from quarterdeck.ui.badges import NEVER_RUN, Badge, badge_of_slot, badge_of_slots
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import clock_text, count_text, money_text, one_line, short_id

ROWS_MAX = 2
TITLE_SHOWN_MAX = 120
_KIND_ICONS = {"command": "terminal", "practice": "graduation-cap", "approval": "hand"}
_LOUDEST = (Family.NEEDS, Family.FAILED, Family.RUNNING, Family.INTERRUPTED, Family.DONE, Family.NEUTRAL)


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One run's line in a node. `slot_id` is the slot that a click selects."""

    run_id: RunId
    slot_id: SlotId
    letter: str
    badge: Badge
    elapsed: str
    cost: str
    part: str
    """`3/8` where the node has several slots in this run."""


@dataclass(frozen=True, slots=True)
class NodeFace:
    """Everything that the canvas paints of one node."""

    node_id: NodeId
    title: str
    subtitle: str
    icon: str
    is_practice: bool
    position: tuple[float, float]
    rows: tuple[NodeRow, ...]
    more: int
    loudest: Badge
    """The most urgent badge of all shown runs: border, minimap and far zoom."""
    spoken: str


@dataclass(frozen=True, slots=True)
class AgentRow:
    """One row of the outline: one slot of one shown run."""

    key: tuple[RunId, SlotId]
    node_id: NodeId
    title: str
    run: str
    badge: Badge
    reason: str
    turns: int
    elapsed: str
    cost: str


def node_faces(
    workflow: Workflow, views: tuple[RunView, ...], letters: Mapping[RunId, str], now: Moment, memo: Memo
) -> tuple[NodeFace, ...]:
    """One face a node, in the file's order. `views`: shown runs, oldest launch first."""
    by_node = [slots_by_node(view, memo) for view in views]
    faces = []
    for node in workflow.nodes:
        present = tuple(
            (view.run_id, letters.get(view.run_id, "") if view.is_live else "", slots[node.id])
            for view, slots in zip(views, by_node, strict=True)
            if node.id in slots
        )
        tick = now.boot_ms // 1000 if any(_is_ticking(s) for _, _, ss in present for s in ss) else 0
        make = functools.partial(_face, workflow, node, present, now)
        faces.append(memo.value(("face", node.id), (workflow.agents, node, present, tick), make))
    return tuple(faces)


def agent_rows(
    views: tuple[RunView, ...], letters: Mapping[RunId, str], now: Moment, memo: Memo
) -> tuple[AgentRow, ...]:
    """The outline: node by node, within a node run by run, as the canvas shows them."""
    place: dict[NodeId, int] = {}
    rows: list[tuple[int, AgentRow]] = []
    for view in views:
        letter = letters.get(view.run_id, "") if view.is_live else ""
        for slot in view.slots:
            tick = now.boot_ms // 1000 if _is_ticking(slot) else 0
            make = functools.partial(_agent_row, view.run_id, letter, slot, now)
            row = memo.value(("agent", view.run_id, slot.slot_id), (slot, letter, tick), make)
            rows.append((place.setdefault(slot.node_id, len(place)), row))
    return tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))


def passed_edges(
    workflow: Workflow, views: tuple[RunView, ...], memo: Memo
) -> frozenset[tuple[NodeId, NodeId]]:
    """Edges whose source is done and whose target has begun in a shown run."""
    begun: set[tuple[NodeId, NodeId]] = set()
    for view in views:
        slots = slots_by_node(view, memo)
        done = {n for n, ss in slots.items() if all(s.state is SlotState.DONE for s in ss)}
        started = {n for n, ss in slots.items() if any(s.attempts or s.state is SlotState.DONE for s in ss)}
        begun |= {(e.source, e.target) for e in workflow.edges if e.source in done and e.target in started}
    return frozenset(begun)


def slot_elapsed_ms(slot: SlotView, now: Moment) -> int | None:
    """Milliseconds of the slot's last attempt, so far or in all; None where none has started."""
    if not slot.attempts or slot.attempts[-1].started_at is None:
        return None
    last = slot.attempts[-1]
    assert last.started_at is not None
    return duration_ms(last.started_at, last.ended_at or now)


def slots_by_node(view: RunView, memo: Memo) -> dict[NodeId, tuple[SlotView, ...]]:
    """The slots of each node in this run."""
    return memo.value(("by_node", view.run_id), (view.slots,), functools.partial(_group, view))


def _is_ticking(slot: SlotView) -> bool:
    """True while the slot's shown time grows."""
    return bool(slot.attempts) and slot.attempts[-1].ended_at is None


def _group(view: RunView) -> dict[NodeId, tuple[SlotView, ...]]:
    found: defaultdict[NodeId, list[SlotView]] = defaultdict(list)
    for slot in view.slots:
        found[slot.node_id].append(slot)
    return {node: tuple(slots) for node, slots in found.items()}


def _face(
    workflow: Workflow, node: Node, present: tuple[tuple[RunId, str, tuple[SlotView, ...]], ...], now: Moment
) -> NodeFace:
    rows = tuple(_row(run, letter, slots, now) for run, letter, slots in present)
    shown = rows[-ROWS_MAX:]
    title = one_line(node.title or node.id, TITLE_SHOWN_MAX)
    kind, subtitle = _kind_and_subtitle(workflow, node)
    return NodeFace(
        node_id=node.id,
        title=title,
        subtitle=subtitle,
        icon=_KIND_ICONS.get(kind, "bot"),
        is_practice=kind == "practice",
        position=node.position,
        rows=shown,
        more=len(rows) - len(shown),
        loudest=_loudest(rows),
        spoken=_spoken(title, rows),
    )


def _kind_and_subtitle(workflow: Workflow, node: Node) -> tuple[str, str]:
    if node.kind == "approval" or node.agent is None:
        return "approval", "asks a person"
    spec = workflow.agents.get(node.agent)
    if spec is None:
        return "agent", one_line(node.agent, 60)
    if spec.kind == "practice":
        return spec.kind, "practice · no model"
    if spec.kind == "command":
        program = spec.argv[0].rsplit("/", 1)[-1] if spec.argv else spec.name
        return spec.kind, one_line(f"command · {program}", 60)
    return spec.kind, one_line(f"{spec.kind} · {spec.model}" if spec.model else spec.kind, 60)


def _row(run: RunId, letter: str, slots: tuple[SlotView, ...], now: Moment) -> NodeRow:
    badge = badge_of_slots(slots)
    leading = next((s for s in slots if badge_of_slot(s) == badge), slots[0])
    times = [t for s in slots if (t := slot_elapsed_ms(s, now)) is not None]
    known = [s.cost_usd for s in slots if s.cost_usd is not None]
    started = any(s.attempts for s in slots)
    complete = len(known) == len(slots) and all(s.cost_is_complete for s in slots)
    cost = money_text(sum(known, Decimal(0)) if known else None, complete) if started else ""
    done = sum(s.state is SlotState.DONE for s in slots)
    return NodeRow(
        run_id=run,
        slot_id=leading.slot_id,
        letter=letter,
        badge=badge,
        elapsed=clock_text(max(times)) if times else "",
        cost=cost.replace("at least ", "≥ ").replace("unknown", "$?"),
        part=f"{done}/{len(slots)}" if len(slots) > 1 else "",
    )


def _loudest(rows: tuple[NodeRow, ...]) -> Badge:
    if not rows:
        return NEVER_RUN
    return min((r.badge for r in rows), key=lambda b: _LOUDEST.index(b.family))


def _spoken(title: str, rows: tuple[NodeRow, ...]) -> str:
    """`Repo researcher, run A needs you, $1.92; run B waiting.`"""
    if not rows:
        return f"{title}, not started."
    said = (
        ", ".join(filter(None, (f"{_run_words(row)} {row.badge.word.lower()}", row.part, row.cost)))
        for row in rows
    )
    return f"{title}, {'; '.join(said)}."


def _run_words(row: NodeRow) -> str:
    return f"run {row.letter}" if row.letter else f"past run {short_id(row.run_id)}"


def _agent_row(run: RunId, letter: str, slot: SlotView, now: Moment) -> AgentRow:
    elapsed = slot_elapsed_ms(slot, now)
    suffix = slot.slot_id[len(slot.node_id) :] if slot.slot_id.startswith(slot.node_id) else ""
    return AgentRow(
        key=(run, slot.slot_id),
        node_id=slot.node_id,
        title=one_line(f"{slot.title}{suffix}", TITLE_SHOWN_MAX),
        run=f"{letter} · {short_id(run)}" if letter else short_id(run),
        badge=badge_of_slot(slot),
        reason=one_line(slot.reason) if slot.reason else "",
        turns=slot.turns,
        elapsed=clock_text(elapsed) if elapsed is not None else "",
        cost=money_text(slot.cost_usd, slot.cost_is_complete) if slot.attempts else "",
    )


def more_text(more: int) -> str:
    """`+3` as it stands below the rows, in words for a screen reader elsewhere."""
    return f"+{count_text(more, 'run', 'runs')}"
