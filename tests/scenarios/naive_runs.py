"""What has become of each run, recounted from the whole list of facts. Imports nothing of the product.

Written from the state machine of the requirements (A15), design §5 and its rulings, in the plainest words. A fact is a dict:
`what` is `journal`, `report`, `totals`, `look`, `again` or `tick`; `ms` and `wall` are the two clocks when it became known.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tests.scenarios.naive_money import amount_of, usage_of

Fact = dict[str, Any]
ENDS = {"succeeded", "failed", "stopped", "interrupted", "never_started"}
PASSING = {"E_CAPACITY", "E_STORE"}
PRINTS = {
    "starting",
    "session",
    "turn",
    "usage",
    "approval",
    "effect",
    "progress",
    "output",
    "error",
    "something_new",
}
"""Reports that come of a line that the agent has printed; its keeper counts from its own beginning."""


class Tried:
    """One attempt."""

    def __init__(self, fact: Fact, kind: str) -> None:
        self.id, self.slot, self.epoch = fact["attempt_id"], fact["slot_id"], fact["epoch"]
        self.kind = kind
        self.status, self.message, self.lost_message = "starting", "", ""
        self.pause_asked = self.stop_asked = False
        self.reports: list[Fact] = []
        self.told = 0
        """Of so many reports the figures were told while it lives; the others lie in its file."""
        self.upto: int | None = None
        self.late_told = 0
        self.ended_at: Fact | None = None
        self.lost_at: Fact | None = None
        self.found_late = False
        """Its end was found in a run that was not live any more."""
        self.printed: Fact | None = None
        """The last thing that it printed; its file is as old."""
        self.printed_told: int | None = None
        """When that was, as its keeper told while it lives."""

    def heard(self) -> list[Fact]:
        """What counts for its state: everything up to its end (row 6)."""
        return self.reports if self.upto is None else self.reports[: self.upto]

    def last(self, kind: str) -> Fact | None:
        return next((r for r in reversed(self.heard()) if r["kind"] == kind), None)

    def is_held(self) -> bool:
        switched = [r["kind"] for r in self.heard() if r["kind"] in ("paused", "continued")]
        return bool(switched) and switched[-1] == "paused"

    def questions(self, answered: set[str]) -> list[str]:
        if self.upto is not None or self.status in ENDS:
            return []
        still: dict[str, None] = {}
        for r in self.heard():
            if r["kind"] == "approval":
                still[r["id"]] = None
            elif r["kind"] == "approval_answered":
                still.pop(r["id"], None)
        return [f"{self.id}:{own}" for own in still if f"{self.id}:{own}" not in answered]

    def effects(self) -> dict[str, str]:
        """What was sent and never answered is unknown once the attempt has ended (EFF2)."""
        states: dict[str, str] = {}
        for r in self.heard():
            if r["kind"] == "effect" and not (r["state"] == "intended" and r["id"] in states):
                states[r["id"]] = r["state"]
        is_over = self.status in ENDS
        return {e: "unknown" if state == "sent" and is_over else state for e, state in states.items()}

    def clock(self, now: Fact) -> int | None:
        """Milliseconds from its agent's start to its agent's end, or to now; where contact was lost it stands still (REC6)."""
        begun, over = self.last("started"), self.last("exit")
        if begun is None:
            return None
        end = self.lost_at or now if self.upto is None else over or self.ended_at or now
        return max(0, int(end["ms"]) - int(begun["ms"]))

    def is_clock_at_least(self) -> bool:
        """Whether nobody saw its agent end: contact was lost, or who settled the run found it gone, without an exit."""
        return (
            self.lost_at is not None if self.upto is None else self.found_late and self.last("exit") is None
        )


class Slot:
    def __init__(self, slot: str, node: str, title: str) -> None:
        self.id, self.node, self.title = slot, node, title
        self.state, self.token = "pending", False
        self.hold: str | None = None
        self.refusal: tuple[str, str] | None = None
        self.failed_for_now = self.retry_cancelled = False
        self.asked: str | None = None
        self.choice: str | None = None
        self.tries: list[Tried] = []


class Run:
    """One run; `take` hears of one fact after the other."""

    def __init__(self, fact: Fact, kinds: dict[str, str]) -> None:
        self.id, self.flow, self.launched = fact["run"], fact["workflow_id"], fact
        self.flow_name, self.launch_seq = fact["workflow_name"], fact["launch_seq"]
        self.foreign = bool(fact["foreign"])
        self.kinds = kinds
        self.live, self.reason = True, ""
        self.outcome: str | None = None
        self.end_seq: int | None = None
        self.ended_at: Fact | None = None
        self.sat: list[tuple[Fact, Fact | None]] = [(fact, None)]
        """Begin and end of each time in which it was live."""
        self.stop, self.go_on = False, True
        self.answered: set[str] = set()
        self.limits: dict[str, Decimal] = {}
        self.warned: dict[tuple[str, Decimal], Fact] = {}
        """Of which limits 80 % were said to be spent: the run's own (`run`), or a slot's."""
        self.slots = {s["slot"]: Slot(s["slot"], s["node"], s["title"]) for s in fact["slots"]}
        self.tries: dict[str, Tried] = {}

    def take(self, fact: Fact) -> None:
        if fact["what"] == "report":
            tried = self.tries[fact["attempt"]]
            tried.reports.append(fact)
            if fact["kind"] in PRINTS:
                tried.printed = fact
        elif fact["what"] == "printed":
            self.tries[fact["attempt"]].printed = fact
        elif fact["what"] == "totals":
            tried = self.tries[fact["attempt"]]
            if tried.upto is None:
                tried.told = fact["upto"]
                tried.printed_told = fact.get("last_output_ms")
        elif fact["what"] == "journal":
            getattr(self, fact["kind"])(fact)

    # -------------------------------------------------------------- decisions

    def attempt_claimed(self, f: Fact) -> None:
        slot = self.slots[f["slot_id"]]
        slot.state, slot.hold, slot.token, slot.refusal = "claimed", None, False, None
        slot.failed_for_now = slot.retry_cancelled = False
        tried = Tried(f, self.kinds[f["agent"]])
        slot.tries.append(tried)
        self.tries[tried.id] = tried

    def attempt_pause_requested(self, f: Fact) -> None:
        self.tries[f["attempt_id"]].pause_asked = True

    def attempt_continue_requested(self, f: Fact) -> None:
        self.tries[f["attempt_id"]].pause_asked = False

    def attempt_stop_requested(self, f: Fact) -> None:
        self.tries[f["attempt_id"]].stop_asked = True

    def run_stop_requested(self, f: Fact) -> None:
        self.stop = True

    def attempt_lost(self, f: Fact) -> None:
        tried = self.tries[f["attempt_id"]]
        tried.status, tried.lost_message, tried.lost_at = "lost", f["message"], f

    def attempt_ended(self, f: Fact) -> None:
        slot, tried = self.slots[f["slot_id"]], self.tries[f["attempt_id"]]
        tried.status, tried.message, tried.upto, tried.ended_at = f["status"], f["message"], f["upto"], f
        tried.found_late = not self.live
        slot.state = f["next_state"]
        if slot.state == "retry_wait":
            timed = f["hold"] == "timer" and self.live and not tried.stop_asked
            slot.hold = "timer" if timed else "person"
            slot.failed_for_now = f["status"] == "failed" and f["hold"] == "person"

    def retry_cancelled(self, f: Fact) -> None:
        slot = self.slots[f["slot_id"]]
        slot.hold, slot.retry_cancelled = "person", True

    def slot_failed(self, f: Fact) -> None:
        self.slots[f["slot_id"]].state = "failed"

    def slot_cancelled(self, f: Fact) -> None:
        slot = self.slots[f["slot_id"]]
        slot.state, slot.refusal = "cancelled", None

    def slot_reassigned(self, f: Fact) -> None:
        slot = self.slots[f["slot_id"]]
        slot.token, slot.hold, slot.refusal, slot.retry_cancelled = True, "person", None, False

    def claim_refused(self, f: Fact) -> None:
        self.slots[f["slot_id"]].refusal = (f["code"], f["message"])

    def budget_raised(self, f: Fact) -> None:
        self.limits[f["scope"]] = Decimal(f["limit_usd"])

    def budget_warned(self, f: Fact) -> None:
        self.warned[f["scope"], Decimal(f["limit_usd"])] = f

    def command_refused(self, f: Fact) -> None:
        pass

    def approval_asked(self, f: Fact) -> None:
        self.slots[f["slot_id"]].asked = f["request_id"]

    def approval_answered(self, f: Fact) -> None:
        self.answered.add(f["request_id"])
        if f["attempt_id"] is None:
            slot = self.slots[f["slot_id"]]
            slot.state, slot.choice = "done", f["choice"]

    def run_ended(self, f: Fact) -> None:
        self.sat[-1] = (self.sat[-1][0], f)
        self.live, self.outcome, self.reason, self.end_seq = False, f["outcome"], f["message"], f["end_seq"]
        self.ended_at = f
        for slot in self.slots.values():
            if slot.state == "retry_wait":
                slot.hold = "person"

    def sitting_opened(self, f: Fact) -> None:
        """Whoever takes up a run reads all of its files: from here on what came late is known (ruling 9)."""
        self.sat.append((f, None))
        self.live, self.outcome, self.reason, self.stop, self.go_on = True, None, "", False, f["go_on"]
        self.ended_at = None
        for slot in self.slots.values():
            if f["go_on"] and slot.state == "pending":
                slot.refusal = None
        for tried in self.tries.values():
            tried.told = tried.late_told = len(tried.reports)

    def was_live(self, now: Fact) -> int:
        """Milliseconds of all its sittings; what lies between them is nobody's time."""
        return sum(max(0, int((end or now)["ms"]) - int(begin["ms"])) for begin, end in self.sat)

    # -------------------------------------------------------------- what it comes to

    def status(self, tried: Tried) -> str:
        if tried.status != "starting":
            return tried.status
        if tried.stop_asked or self.stop or tried.last("ending"):
            return "stopping"
        if not tried.last("started"):
            return "starting"
        return "paused" if tried.is_held() and not tried.last("exit") else "running"

    def word(self, slot: Slot) -> str:
        blocked = slot.refusal is not None and slot.refusal[0] not in PASSING
        if slot.state in ("done", "failed", "cancelled"):
            return {"done": "Done", "failed": "Failed", "cancelled": "Skipped"}[slot.state]
        if slot.state == "pending":
            if blocked:
                return "Failed"
            if slot.asked is not None:
                return "Needs you"
            return "Waiting" if self.live and not self.stop and self.go_on else "Not started"
        if slot.state == "retry_wait":
            if slot.token:
                return "Re-opened, waiting to start"
            if slot.failed_for_now or blocked:
                return "Failed"
            return "Retrying" if slot.hold == "timer" and not self.stop else "Stopped"
        return self.word_of_last(slot.tries[-1])

    def word_of_last(self, tried: Tried) -> str:
        status = self.status(tried)
        if status == "lost":
            over = tried.last("exit")
            if over is not None and not over["tree_empty"]:
                return "Could not stop"
            return "Still ending" if self.live and tried.last("ending") else "Still alive"
        if status == "running" and tried.questions(self.answered):
            return "Needs you"
        return status.capitalize()

    def reason_of(self, slot: Slot) -> str:
        if slot.refusal is not None:
            return str(slot.refusal[1])
        if slot.choice is not None:
            return f"answered: {slot.choice}"
        if slot.state == "cancelled":
            return "its condition was not met"
        words = ""
        if slot.tries:
            tried = slot.tries[-1]
            words = tried.message if tried.upto is not None else tried.lost_message
            if tried.upto is not None and tried.pause_asked and tried.status == "interrupted":
                words = f"{words} (was paused)" if words else "was paused"
        return f"{words}; stopped before its next try" if slot.retry_cancelled else words

    def waiting(self) -> list[tuple[str, str]]:
        """Open questions, as (slot, request), in the order of the workflow."""
        found: list[tuple[str, str]] = []
        for slot in self.slots.values():
            if slot.state == "pending" and slot.asked is not None:
                found.append((slot.id, slot.asked))
            elif slot.tries:
                found += [(slot.id, q) for q in slot.tries[-1].questions(self.answered)]
        return found

    def all_tries(self) -> list[tuple[Any, ...]]:
        """Every attempt with its status, start and end, its effects, and whether it gave an output."""
        rows = []
        for tried in (t for slot in self.slots.values() for t in slot.tries):
            begun, over = tried.last("started"), (tried.last("exit") or tried.ended_at)
            ended = None if tried.upto is None or over is None else over["ms"]
            effects = tried.effects()
            gave = tried.last("output") is not None
            rows.append((tried.id, self.status(tried), begun and begun["ms"], ended, effects, gave))
        return rows

    # -------------------------------------------------------------- turns and money

    def counted(self, tried: Tried) -> tuple[list[Fact], list[Fact]]:
        """(reports that count as the attempt's, late ones), as far as they are told here."""
        if self.foreign and self.live:  # read from its files, whole
            upto = len(tried.reports) if tried.upto is None else tried.upto
            return tried.reports[:upto], tried.reports[upto:]
        if tried.upto is None:
            return tried.reports[: tried.told], []
        return tried.reports[: tried.upto], tried.reports[tried.upto : max(tried.upto, tried.late_told)]

    def spent(self, slots: list[Slot], practice: bool | None = None) -> tuple[int, Decimal | None, bool]:
        """(turns, what is known to be spent, whether that is all) of these slots; late usage counts too (ruling 9).

        practice: of practice agents alone, or of all others alone.
        """
        turns, whole, amounts = 0, True, []
        for slot in slots:
            messages: dict[tuple[str, str], Decimal] = {}
            for tried in slot.tries:
                if practice is not None and (tried.kind == "practice") is not practice:
                    continue
                own, late = self.counted(tried)
                turns += sum(r["kind"] == "turn" for r in own + late)
                known, complete = usage_of(tried, own, messages)
                amounts += known
                whole = (
                    whole
                    and complete
                    and not (tried.status == "lost" and any(r["kind"] == "usage" for r in own))
                )
                if any(r["kind"] in ("turn", "usage") for r in late):
                    amounts += [
                        amount_of(r) for r in late if r["kind"] == "usage" and r["cost_usd"] is not None
                    ]
                    whole = whole and usage_of(tried, own + late, {})[1]
            amounts += messages.values()
        return turns, sum(amounts, Decimal(0)) if amounts else None, whole

    def paid(self, slots: list[Slot]) -> tuple[Decimal | None, bool, Decimal | None, bool]:
        """(paid, whether that is all of it, pretended by practice agents, whether that is all of it); what practice pretends
        was never paid.
        """
        tries = [tried for slot in slots for tried in slot.tries]
        if not any(tried.kind == "practice" for tried in tries):
            _, cost, whole = self.spent(slots)
            return cost if tries or len(slots) != len(self.slots) else Decimal(0), whole, None, True
        _, cost, whole = self.spent(slots, practice=False)
        has_own = any(tried.kind != "practice" for tried in tries)
        return (cost if has_own else Decimal(0), whole, *self.spent(slots, practice=True)[1:])

    def spent_of_newest(self, slot: Slot) -> tuple[int, Decimal | None, bool]:
        """The same of its newest attempt alone: what all of its attempts come to, less those before."""
        newest, before = Slot(slot.id, slot.node, slot.title), Slot(slot.id, slot.node, slot.title)
        newest.tries, before.tries = slot.tries[-1:], slot.tries[:-1]
        turns, cost, whole = self.spent([newest])
        if cost is None:
            return turns, None, whole
        return turns, (self.spent([slot])[1] or Decimal(0)) - (self.spent([before])[1] or Decimal(0)), whole

    def total(self) -> tuple[int, Decimal | None, bool]:
        """The same of the whole run; one in which nothing was tried cost a known nothing."""
        turns, cost, whole = self.spent(list(self.slots.values()))
        return turns, cost if self.tries else Decimal(0), whole
