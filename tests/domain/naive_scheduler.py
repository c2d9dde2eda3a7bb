"""A naive scheduler over a DAG, written from design §6, rulings 1–3 and the decisions that the product documents.

Imports nothing of the product. `results` says what each node does when it runs: `ok`, `fail` (retries exhausted) or
`stop` (a person stopped it). Gives {node: done | failed | failed_for_now | cancelled | stopped | pending}.
"""

from __future__ import annotations

Edge = tuple[str, str, str, bool]
"""source, target, when (`success`, `failure`, `always`, `expr`), what the expression gives."""


def settle(nodes: list[str], edges: list[Edge], results: dict[str, str]) -> dict[str, str]:
    became = dict.fromkeys(nodes, "pending")
    while True:
        moved = False
        for node in nodes:
            incoming = [e for e in edges if e[1] == node]
            if became[node] != "pending":
                continue
            verdicts = [lets(became[source], when, holds) for source, _, when, holds in incoming]
            if "never" in verdicts:
                became[node] = "cancelled"
                moved = True
            elif "wait" not in verdicts:
                for source, _, when, _ in incoming:
                    if became[source] == "failed_for_now" and when in ("failure", "always"):
                        became[source] = "failed"
                became[node] = {"ok": "done", "fail": "failed_for_now", "stop": "stopped"}[results[node]]
                moved = True
        if not moved:
            return became


def lets(source: str, when: str, holds: bool) -> str:
    """Whether an edge lets its target start: `yes`, `wait` or `never`."""
    if source in ("pending", "stopped"):
        return "wait"
    if when == "always":
        return "yes"
    if source == "cancelled":
        return "never"
    if when == "failure":
        return "never" if source == "done" else "yes"
    if source == "failed_for_now":
        return "wait"
    if source == "failed":
        return "never"
    return "yes" if when == "success" or holds else "never"


def outcome(became: dict[str, str]) -> tuple[str, int]:
    """Ruling 1, without stops of the run."""
    if "failed_for_now" in became.values():
        return "failed", 1
    if "stopped" in became.values() or "pending" in became.values():
        return "stopped", 4
    return "completed", 0
