"""What the product's window shows, as the plain values that the naive reading gives. No judgement, only other shapes."""

from __future__ import annotations

from typing import Any

from quarterdeck.domain.projection import project
from quarterdeck.domain.views import RunView
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.present import Known, LiveRun, WindowFacts
from quarterdeck.ui.present_budgets import Nearly
from quarterdeck.ui.present_nodes import AgentRow, NodeFace, NodeRow
from quarterdeck.ui.present_runs import RunRow
from quarterdeck.ui.taskbar import task_progress
from quarterdeck.ui.tray import tray_facts
from tests.scenarios.naive_window import Said


def plain(facts: WindowFacts, known: Known, views: list[RunView], flows: dict[str, str]) -> Said:
    """Everything that is compared. flows: {workflow id: its name}; views: every run, looked at or not."""
    tray = tray_facts(facts)
    progress = task_progress(known.views.values())
    return {
        "badge": _badge(facts.badge),
        "badge_text": facts.badge_text,
        "title": facts.title,
        "sentence": facts.sentence,
        "live": [_chip(live) for live in facts.live],
        "elsewhere": facts.live_elsewhere,
        "waiting": [(w.run_id, w.slot_id, w.request_id) for w in facts.waiting],
        "shown": list(facts.shown),
        "showing_past": facts.showing_past,
        "can_stop": facts.can_stop,
        "runs": [_list_row(row) for row in facts.run_rows],
        "faces": [_face(face) for face in facts.faces],
        "wires": sorted((edge.source, edge.target) for edge in facts.drawn.edges),
        "note": facts.drawn_note,
        "passed": {"went": sorted(facts.passed.went), "green": sorted(facts.passed.green)},
        "agents": [_agent(row) for row in facts.agent_rows],
        "canvas": facts.canvas_text,
        "foot": (
            facts.footing.today,
            facts.footing.agents,
            facts.footing.unproved,
            facts.footing.recording,
        ),
        "nearly": sorted((_nearly(near) for near in facts.nearly), key=str),
        "tray": (tray.family.value if tray.family else None, tray.words, tray.count),
        "progress": (progress.done, progress.count),
        "totals": {v.run_id: (v.turns, v.cost_usd, v.cost_is_complete) for v in views},
        "tries": {v.run_id: _tries(v) for v in views},
        "statuses": {flow: _status(known, flow, name) for flow, name in flows.items()},
        "listed": {flow: (_badge(own.badge), own.live, own.words) for flow, own in facts.listed.items()},
    }


def _badge(badge: Badge) -> tuple[str, str, str]:
    return (badge.family.value, badge.icon, badge.word)


def _chip(live: LiveRun) -> tuple[Any, ...]:
    return (
        live.run_id,
        live.letter,
        _badge(live.badge),
        live.elapsed,
        live.started,
        live.spend,
        live.foreign,
    )


def _list_row(row: RunRow) -> tuple[Any, ...]:
    if row.badge is None:
        return (row.heading,)
    dots = [family.value for family in row.segments]
    return (row.run_id, row.letter, _badge(row.badge), row.when, row.spend, dots, row.spoken, row.foreign)


def _face(face: NodeFace) -> Said:
    return {
        "title": face.title,
        "rows": [_node_row(row) for row in face.rows],
        "more": face.more,
        "loudest": _badge(face.loudest),
        "spoken": face.spoken,
        "heard": face.heard,
    }


def _node_row(row: NodeRow) -> Said:
    return {
        "run": row.run_id,
        "letter": row.letter,
        "badge": _badge(row.badge),
        "time": row.elapsed,
        "cost": row.cost,
        "part": row.part,
    }


def _agent(row: AgentRow) -> tuple[Any, ...]:
    return (row.key, row.title, row.run, _badge(row.badge), row.reason, row.turns, row.elapsed, row.cost)


def _nearly(near: Nearly) -> tuple[Any, ...]:
    return (near.run_id, near.slot_id, near.title, near.limit_usd, near.spent, near.share)


def _tries(view: RunView) -> list[tuple[Any, ...]]:
    return [
        (
            a.attempt_id,
            a.status.value,
            a.started_at.boot_ms if a.started_at is not None else None,
            a.ended_at.boot_ms if a.ended_at is not None else None,
            {effect.id: effect.state.value for effect in a.effects},
            a.has_output,
        )
        for slot in view.slots
        for a in slot.attempts
    ]


def _status(known: Known, flow: str, name: str) -> tuple[Any, ...]:
    status = project(flow, name, known.runs)  # type: ignore[arg-type]
    outcome = status.outcome.value if status.outcome is not None else None
    return (status.state, status.live, status.shown_run, outcome, status.turns, status.cost_usd)
