"""What a node shows: one row for each shown run, newest two, then the number of the others; and the outline's rows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from quarterdeck.domain.figures import source_of
from quarterdeck.domain.ids import NodeId, RunId, SlotId
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.run_time import is_time_at_least
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import SlotView
from quarterdeck.domain.workflow import Node, Workflow
from quarterdeck.ui.badges import NEVER_RUN, Badge, loudness
from quarterdeck.ui.heard import heard_duration, heard_money
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_money import slot_money
from quarterdeck.ui.silence import badge_at, leading_slot
from quarterdeck.ui.words import brief_money, least_clock_text, one_line, short_id

tr = Texts("PresentNodes")

ROWS_MAX = 2
TITLE_SHOWN_MAX = 120
_KIND_ICONS = {"command": "terminal", "practice": "graduation-cap", "approval": "hand"}


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
    heard: str
    """`needs you, 15 minutes, 1 dollar 92`."""


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
    """The loudest badge of all shown runs, rows or none: border, minimap and far zoom. *Done* only where all are done."""
    spoken: str
    """Its states for the canvas as a whole, without growing times."""
    heard: str
    """Its accessible name: every run with state, time and cost in words."""


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


def slot_elapsed_ms(slot: SlotView, now: Moment) -> int | None:
    """Milliseconds of the slot's last attempt, so far or in all; of a lost one until contact was lost. None where none began."""
    if not slot.attempts or slot.attempts[-1].started_at is None:
        return None
    last = slot.attempts[-1]
    assert last.started_at is not None
    return duration_ms(last.started_at, last.stood_at or now)


def is_elapsed_at_least(slot: SlotView) -> bool:
    """Whether that time is no more than its last sign gives (REC6)."""
    return bool(slot.attempts) and is_time_at_least(slot.attempts[-1])


def is_ticking(slot: SlotView) -> bool:
    """True while the slot's shown time grows."""
    return bool(slot.attempts) and slot.attempts[-1].stood_at is None


def node_face(
    workflow: Workflow,
    node: Node,
    place: tuple[float, float],
    present: tuple[tuple[RunId, str, tuple[SlotView, ...]], ...],
    now: Moment,
) -> NodeFace:
    """One node. present: (run, letter, the node's slots in it) for each shown run, oldest launch first."""
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
        position=place,
        rows=shown,
        more=len(rows) - len(shown),
        loudest=min((row.badge for row in rows), key=loudness, default=NEVER_RUN),
        spoken=_spoken(title, rows),
        heard=heard(title, rows),
    )


def _kind_and_subtitle(workflow: Workflow, node: Node) -> tuple[str, str]:
    if node.kind == "approval" or node.agent is None:
        return "approval", tr("asks a person")
    spec = workflow.agents.get(node.agent)
    if spec is None:
        return "agent", one_line(node.agent, 60)
    if spec.kind == "practice":
        return spec.kind, tr("practice · no model")
    if spec.kind == "command":
        program = spec.argv[0].rsplit("/", 1)[-1] if spec.argv else spec.name
        return spec.kind, one_line(tr("command · {program}", program=program), 60)
    return spec.kind, one_line(f"{spec.kind} · {spec.model}" if spec.model else spec.kind, 60)


def _row(run: RunId, letter: str, slots: tuple[SlotView, ...], now: Moment) -> NodeRow:
    leading = leading_slot(slots, now)
    shown = badge_at(leading, now)
    times = [(t, is_elapsed_at_least(s)) for s in slots if (t := slot_elapsed_ms(s, now)) is not None]
    longest, is_least = max(times, default=(0, False))
    known = [s.cost_usd for s in slots if s.cost_usd is not None]
    started = any(s.attempts for s in slots)
    complete = len(known) == len(slots) and all(s.cost_is_complete for s in slots)
    spent = sum(known, Decimal(0)) if known else None
    source = source_of(s.cost_source for s in slots)
    done = sum(s.state is SlotState.DONE for s in slots)
    return NodeRow(
        run_id=run,
        slot_id=leading.slot_id,
        letter=letter,
        badge=shown,
        elapsed=least_clock_text(longest, is_least=is_least) if times else "",
        cost=brief_money(spent, complete, source) if started else "",
        part=f"{done}/{len(slots)}" if len(slots) > 1 else "",
        heard=", ".join(
            filter(
                None,
                (
                    shown.inner,
                    tr("{done} of {count} done", done=done, count=len(slots)) if len(slots) > 1 else "",
                    heard_duration(longest, is_least=is_least) if times else "",
                    heard_money(spent, complete, source) if started else "",
                ),
            )
        ),
    )


def _spoken(title: str, rows: tuple[NodeRow, ...]) -> str:
    """`Repo researcher, run A needs you, $1.92; run B waiting.`"""
    if not rows:
        return tr("{title}, not started.", title=title)
    said = (
        ", ".join(
            filter(
                None, (tr("{run} {state}", run=_run_words(row), state=row.badge.inner), row.part, row.cost)
            )
        )
        for row in rows
    )
    return f"{title}, {'; '.join(said)}."


def heard(title: str, rows: tuple[NodeRow, ...]) -> str:
    """`Repo researcher, run A needs you, 15 minutes, 1 dollar 92; run B waiting`."""
    if not rows:
        return tr("{title}, not started", title=title)
    return f"{title}, {'; '.join(tr('{run} {state}', run=_run_words(row), state=row.heard) for row in rows)}"


def _run_words(row: NodeRow) -> str:
    return (
        tr("run {letter}", letter=row.letter)
        if row.letter
        else tr("past run {run}", run=short_id(row.run_id))
    )


def agent_row(run: RunId, letter: str, slot: SlotView, now: Moment) -> AgentRow:
    """One row of the outline."""
    elapsed = slot_elapsed_ms(slot, now)
    suffix = slot.slot_id[len(slot.node_id) :] if slot.slot_id.startswith(slot.node_id) else ""
    return AgentRow(
        key=(run, slot.slot_id),
        node_id=slot.node_id,
        title=one_line(f"{slot.title}{suffix}", TITLE_SHOWN_MAX),
        run=f"{letter} · {short_id(run)}" if letter else short_id(run),
        badge=badge_at(slot, now),
        reason=one_line(in_words(slot.reason)) if slot.reason else "",
        turns=slot.turns,
        elapsed=least_clock_text(elapsed, is_least=is_elapsed_at_least(slot)) if elapsed is not None else "",
        cost=slot_money(slot),
    )
