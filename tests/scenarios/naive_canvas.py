"""What canvas and outline must show of the runs that a naive window has before it. Imports nothing of the product."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tests.scenarios.naive_runs import Fact, Run, Slot
from tests.scenarios.naive_signs import silent_minutes, slot_badge
from tests.scenarios.naive_states import URGENT_FIRST, badge, badge_of_slot, end_of, has_come, loudness
from tests.scenarios.naive_words import money, paid_money, short, short_time, spoken_money, spoken_time

if TYPE_CHECKING:
    from tests.scenarios.naive_window import Window

Said = dict[str, Any]


class Canvas:
    """The canvas of one look."""

    def __init__(self, window: Window) -> None:
        self.window = window

    def drawn(self) -> list[Fact]:
        """Files whose nodes are on the canvas, the one that is drawn whole first: what the shown runs began with (PIN4)."""
        newest_first = [self.window.began[run.id] for run in reversed(self.window.on_canvas())]
        return newest_first or [self.window.flows[self.window.shown_flow]]

    def nodes(self) -> list[Fact]:
        """Every node of every shown run, once."""
        found: dict[str, Fact] = {}
        for node in (node for flow in self.drawn() for node in flow["nodes"]):
            found.setdefault(node["id"], node)
        return list(found.values())

    def note(self) -> str:
        """How what is drawn differs from the file of now."""
        shown, file = self.window.on_canvas(), self.window.flows[self.window.shown_flow]
        names = {run.id: self.window.letter(run) if run.live else short(run.id) for run in shown}
        old = [names[run.id] for run in shown if self.window.began[run.id] != file]
        if not old:
            return ""
        if len(old) == len(shown):
            whose = "this run" if len(old) == 1 else "these runs"
        elif len(old) == 1:
            whose = f"run {old[0]}"
        else:
            whose = f"runs {', '.join(old[:6])}" + (" …" if len(old) > 6 else "")
        said = f"The file has changed since {whose} began."
        if any(self.window.began[run.id] != self.window.began[shown[0].id] for run in shown):
            said += f" Drawn is what run {names[shown[-1].id]} began with, then what only other runs have."
        return said

    def faces(self) -> list[Said]:
        return [self.face(node) for node in self.nodes()]

    def face(self, node: Fact) -> Said:
        rows = [
            self.node_row(run, own)
            for run in self.window.on_canvas()
            if (own := [slot for slot in run.slots.values() if slot.node == node["id"]])
        ]
        loud = {row.pop("loud"): row["badge"] for row in reversed(rows)}
        loudest = loud[min(loud)] if loud else badge("Not started")
        spoken = "; ".join(", ".join(filter(None, (row["spoken"], row["part"], row["cost"]))) for row in rows)
        heard = "; ".join(row.pop("heard") for row in rows)
        for row in rows:
            del row["spoken"]
        title = node["title"]
        return {
            "title": title,
            "rows": rows[-2:],
            "more": max(0, len(rows) - 2),
            "loudest": loudest,
            "spoken": f"{title}, {spoken}." if rows else f"{title}, not started.",
            "heard": f"{title}, {heard}" if rows else f"{title}, not started",
        }

    def node_row(self, run: Run, slots: list[Slot]) -> Said:
        now = self.window.now
        leading = min(
            slots, key=lambda s: (URGENT_FIRST.index(badge_of_slot(run, s)[2]), silent_minutes(run, s, now))
        )
        silent, shown = silent_minutes(run, leading, now), slot_badge(run, leading, now)
        newest = [slot.tries[-1] for slot in slots if slot.tries]
        times = [(t, n.is_clock_at_least()) for n in newest if (t := n.clock(self.window.now)) is not None]
        longest, is_least = max(times, default=(0, False))
        sounds = f"{'at least ' if is_least else ''}{spoken_time(longest)}"
        each = [run.spent([slot]) for slot in slots]
        known = [cost for _, cost, _ in each if cost is not None]
        whole = len(known) == len(slots) and all(is_all for _, _, is_all in each)
        cost, begun = sum(known, Decimal(0)) if known else None, any(slot.tries for slot in slots)
        done = sum(slot.state == "done" for slot in slots)
        word = "running without output" if silent else shown[2].lower()
        letter = self.window.letter(run)
        name = f"run {letter}" if run.live else f"past run {short(run.id)}"
        heard = [word, f"{done} of {len(slots)} done" if len(slots) > 1 else ""]
        heard += [sounds if times else "", spoken_money(cost, whole) if begun else ""]
        return {
            "run": run.id,
            "letter": letter if run.live else "",
            "badge": shown,
            "loud": loudness(shown, silent),
            "time": short_time(longest, is_least) if times else "",
            "cost": money(cost, whole).replace("at least ", "≥ ").replace("unknown", "$?") if begun else "",
            "part": f"{done}/{len(slots)}" if len(slots) > 1 else "",
            "spoken": f"{name} {word}",
            "heard": f"{name} {', '.join(filter(None, heard))}",
        }

    def passed(self) -> Said:
        """Wires that something went through in a shown run; green are those that no shown run has yet to come to (OWN3)."""
        went, waiting = set(), set()
        for run in self.window.on_canvas():
            for edge in self.window.began[run.id]["edges"]:
                before, after = (
                    [s for s in run.slots.values() if s.node == edge[end]] for end in ("from", "to")
                )
                wire = (edge["from"], edge["to"])
                if not any(s.tries or s.state == "done" or s.asked is not None for s in after):
                    if not all(end_of(run, s) for s in after):
                        waiting.add(wire)
                elif has_come([end_of(run, s) for s in before], edge.get("when", "success")):
                    went.add(wire)
        return {"went": sorted(went), "green": sorted(went - waiting)}

    def agent_rows(self, shown: list[Run]) -> list[tuple[Any, ...]]:
        rows = []
        for node in self.nodes():
            for run in shown:
                rows += [self.agent_row(run, slot) for slot in run.slots.values() if slot.node == node["id"]]
        return rows

    def agent_row(self, run: Run, slot: Slot) -> tuple[Any, ...]:
        turns, _, _ = run.spent([slot])
        title = slot.title + slot.id[len(slot.node) :]
        named = f"{self.window.letter(run)} · {short(run.id)}" if run.live else short(run.id)
        newest = slot.tries[-1] if slot.tries else None
        time = short_time(newest.clock(self.window.now), newest.is_clock_at_least()) if newest else ""
        spent = paid_money(*run.paid([slot])) if slot.tries else ""
        return (
            (run.id, slot.id),
            title,
            named,
            slot_badge(run, slot, self.window.now),
            run.reason_of(slot),
            turns,
            time,
            spent,
        )
