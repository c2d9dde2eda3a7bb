"""A naive run: what A15, design §5 and the rulings say, in the plainest words. Imports nothing of the product.

It takes journal events as plain dicts (`kind` and fields) and reports as plain dicts, says whether an event may happen,
and recounts everything from the beginning whenever it is asked what a person is shown.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

ENDS = {"succeeded", "failed", "stopped", "interrupted", "never_started"}
PASSING = {"E_CAPACITY", "E_STORE"}


class NaiveRun:
    def __init__(self, slots: list[str]) -> None:
        self.phase, self.outcome, self.stop, self.go_on, self.sittings = "live", None, False, True, 1
        self.slots: dict[str, dict[str, Any]] = {
            name: {
                "state": "pending", "epoch": 0, "attempts": [], "hold": None, "retry_at": None, "token": None,
                "refusal": None, "asked": None, "failed_for_now": False,
            }
            for name in slots
        }  # fmt: skip
        self.attempts: dict[str, dict[str, Any]] = {}
        self.used_tokens: set[str] = set()
        self.answered: set[str] = set()
        self.settled: dict[tuple[str, str], str] = {}
        self.reports: dict[str, list[dict[str, Any]]] = {}

    # ----------------------------------------------------------------- may it happen?

    def legal(self, e: dict[str, Any]) -> bool:
        return bool(getattr(self, "may_" + e["kind"])(e))

    def open_attempts(self) -> list[dict[str, Any]]:
        return [a for a in self.attempts.values() if a["status"] not in ENDS]

    def is_open(self, e: dict[str, Any]) -> bool:
        a = self.attempts.get(e["attempt_id"])
        return a is not None and a["slot"] == e["slot_id"] and a["status"] not in ENDS

    def may_sitting_opened(self, e: dict[str, Any]) -> bool:
        reopenable = self.outcome in ("failed", "stopped", "interrupted")
        return self.phase == "ended" and reopenable and e["sitting"] == self.sittings + 1

    def may_attempt_claimed(self, e: dict[str, Any]) -> bool:
        s = self.slots[e["slot_id"]]
        if self.phase != "live" or self.stop or e["attempt_id"] in self.attempts:
            return False
        if any(self.attempts[a]["status"] not in ENDS for a in s["attempts"]) or e["epoch"] != s["epoch"] + 1:
            return False
        if s["state"] == "retry_wait":
            if s["token"] is not None:
                return bool(e["token"] == s["token"])
            return s["hold"] == "timer" and e["token"] is None
        return bool(s["state"] == "pending")

    def may_attempt_pause_requested(self, e: dict[str, Any]) -> bool:
        return self.is_open(e)

    may_attempt_continue_requested = may_attempt_stop_requested = may_attempt_lost = (
        may_attempt_pause_requested
    )

    may_message_sent = may_attempt_pause_requested

    def may_attempt_ended(self, e: dict[str, Any]) -> bool:
        return self.is_open(e) and self.phase != "closed"

    def may_retry_cancelled(self, e: dict[str, Any]) -> bool:
        s = self.slots[e["slot_id"]]
        return self.phase == "live" and s["state"] == "retry_wait" and s["hold"] == "timer"

    def may_run_stop_requested(self, e: dict[str, Any]) -> bool:
        return self.phase == "live"

    def may_slot_failed(self, e: dict[str, Any]) -> bool:
        s = self.slots[e["slot_id"]]
        return (
            self.phase == "live"
            and s["state"] == "retry_wait"
            and s["hold"] == "person"
            and s["token"] is None
        )

    def may_slot_cancelled(self, e: dict[str, Any]) -> bool:
        return self.phase == "live" and self.slots[e["slot_id"]]["state"] == "pending"

    def may_slot_reassigned(self, e: dict[str, Any]) -> bool:
        s = self.slots[e["slot_id"]]
        fresh = e["token"] not in self.used_tokens and e["token"] != s["token"]
        return (
            self.phase != "closed"
            and s["state"] == "retry_wait"
            and fresh
            and s["attempts"][-1] == e["prior"]
        )

    def may_agent_switched(self, e: dict[str, Any]) -> bool:
        s = self.slots[e["slot_id"]]
        return self.phase != "closed" and s["state"] == "pending" and not s["attempts"]

    def may_claim_refused(self, e: dict[str, Any]) -> bool:
        return self.phase != "closed"

    def may_command_refused(self, e: dict[str, Any]) -> bool:
        return True

    def may_approval_asked(self, e: dict[str, Any]) -> bool:
        return self.phase == "live" and self.slots[e["slot_id"]]["state"] == "pending"

    def may_approval_answered(self, e: dict[str, Any]) -> bool:
        s = self.slots[e["slot_id"]]
        open_ = s["state"] == "pending" and s["asked"] == e["request_id"]
        return self.phase != "closed" and open_ and e["request_id"] not in self.answered

    def may_effect_settled(self, e: dict[str, Any]) -> bool:
        return self.phase != "closed" and e["attempt_id"] in self.attempts

    def may_run_ended(self, e: dict[str, Any]) -> bool:
        return self.phase == "live" and all(a["status"] == "lost" for a in self.open_attempts())

    def may_run_discarded(self, e: dict[str, Any]) -> bool:
        return self.phase == "ended" and not self.open_attempts()

    # ----------------------------------------------------------------- it happens

    def take(self, e: dict[str, Any]) -> None:
        getattr(self, "do_" + e["kind"])(e)

    def do_sitting_opened(self, e: dict[str, Any]) -> None:
        self.phase, self.outcome, self.stop, self.go_on = "live", None, False, e["go_on"]
        self.sittings += 1
        for s in self.slots.values():
            if e["go_on"] and s["state"] == "pending":
                s["refusal"] = None

    def do_attempt_claimed(self, e: dict[str, Any]) -> None:
        s = self.slots[e["slot_id"]]
        if s["token"] is not None:
            self.used_tokens.add(s["token"])
        s.update(
            state="claimed",
            epoch=e["epoch"],
            hold=None,
            retry_at=None,
            token=None,
            refusal=None,
            failed_for_now=False,
        )
        s["attempts"].append(e["attempt_id"])
        self.attempts[e["attempt_id"]] = {
            "slot": e["slot_id"],
            "status": "starting",
            "stop": False,
            "upto": None,
        }
        self.reports[e["attempt_id"]] = []

    def do_attempt_pause_requested(self, e: dict[str, Any]) -> None:
        pass

    do_attempt_continue_requested = do_command_refused = do_message_sent = do_attempt_pause_requested

    def do_attempt_stop_requested(self, e: dict[str, Any]) -> None:
        self.attempts[e["attempt_id"]]["stop"] = True

    def do_attempt_lost(self, e: dict[str, Any]) -> None:
        self.attempts[e["attempt_id"]]["status"] = "lost"

    def do_attempt_ended(self, e: dict[str, Any]) -> None:
        s, a = self.slots[e["slot_id"]], self.attempts[e["attempt_id"]]
        a.update(status=e["status"], upto=e["upto"])
        s["state"] = e["next_state"]
        if e["next_state"] == "retry_wait":
            timed = e["hold"] == "timer" and self.phase == "live" and not a["stop"]
            s["hold"], s["retry_at"] = ("timer", e["retry_at_ms"]) if timed else ("person", None)
            s["failed_for_now"] = e["status"] == "failed" and e["hold"] == "person"

    def do_retry_cancelled(self, e: dict[str, Any]) -> None:
        self.slots[e["slot_id"]].update(hold="person", retry_at=None)

    def do_run_stop_requested(self, e: dict[str, Any]) -> None:
        self.stop = True

    def do_slot_failed(self, e: dict[str, Any]) -> None:
        self.slots[e["slot_id"]].update(state="failed", hold=None)

    def do_slot_cancelled(self, e: dict[str, Any]) -> None:
        self.slots[e["slot_id"]].update(state="cancelled", refusal=None)

    def do_slot_reassigned(self, e: dict[str, Any]) -> None:
        s = self.slots[e["slot_id"]]
        if s["token"] is not None:
            self.used_tokens.add(s["token"])
        s.update(token=e["token"], hold="person", retry_at=None, refusal=None)

    def do_agent_switched(self, e: dict[str, Any]) -> None:
        self.slots[e["slot_id"]]["refusal"] = None

    def do_claim_refused(self, e: dict[str, Any]) -> None:
        self.slots[e["slot_id"]]["refusal"] = e["code"]

    def do_approval_asked(self, e: dict[str, Any]) -> None:
        self.slots[e["slot_id"]]["asked"] = e["request_id"]

    def do_approval_answered(self, e: dict[str, Any]) -> None:
        self.answered.add(e["request_id"])
        self.slots[e["slot_id"]].update(state="done")

    def do_effect_settled(self, e: dict[str, Any]) -> None:
        self.settled[e["attempt_id"], e["effect_id"]] = e["state"]

    def do_run_ended(self, e: dict[str, Any]) -> None:
        self.phase, self.outcome = "ended", e["outcome"]
        for s in self.slots.values():
            s["retry_at"] = None
            if s["state"] == "retry_wait":
                s["hold"] = "person"

    def do_run_discarded(self, e: dict[str, Any]) -> None:
        self.phase = "closed"

    # ----------------------------------------------------------------- what is shown

    def counted(self, attempt: str) -> list[dict[str, Any]]:
        upto = self.attempts[attempt]["upto"]
        return [r for r in self.reports[attempt] if upto is None or r["seq"] <= upto]

    def status(self, attempt: str) -> str:
        a = self.attempts[attempt]
        kinds = [r["kind"] for r in self.counted(attempt)]
        if a["status"] != "starting":
            return str(a["status"])
        if a["stop"] or self.stop or "ending" in kinds:
            return "stopping"
        if "started" not in kinds:
            return "starting"
        return "paused" if is_paused(kinds) and "exit" not in kinds else "running"

    def shown_state(self, slot: str) -> str:
        s = self.slots[slot]
        if s["state"] == "pending" and s["asked"] is not None:
            return "held"
        if s["state"] == "claimed":
            kinds = [r["kind"] for r in self.counted(s["attempts"][-1])]
            if "started" in kinds:
                return "held" if is_paused(kinds) else "active"
        return str(s["state"])

    def word(self, slot: str) -> str:
        s = self.slots[slot]
        blocked = s["refusal"] is not None and s["refusal"] not in PASSING
        if s["state"] in ("done", "failed", "cancelled"):
            return {"done": "Done", "failed": "Failed", "cancelled": "Skipped"}[s["state"]]
        if s["state"] == "pending":
            if blocked:
                return "Failed"
            if s["asked"] is not None:
                return "Needs you"
            return "Waiting" if self.phase == "live" and not self.stop and self.go_on else "Not started"
        if s["state"] == "retry_wait":
            if s["token"] is not None:
                return "Re-opened, waiting to start"
            if s["failed_for_now"] or blocked:
                return "Failed"
            return "Retrying" if s["hold"] == "timer" and not self.stop else "Stopped"
        status = self.status(s["attempts"][-1])
        if status == "lost":
            return self.lost_word(s["attempts"][-1])
        if status == "running" and self.questions(s["attempts"][-1]):
            return "Needs you"
        return {"starting": "Starting", "running": "Running", "paused": "Paused", "stopping": "Stopping"}[
            status
        ]

    def lost_word(self, attempt: str) -> str:
        seen = self.counted(attempt)
        if any(r["kind"] == "exit" and not r["tree_empty"] for r in seen):
            return "Could not stop"
        ending = any(r["kind"] == "ending" for r in seen)
        return "Still ending" if ending and self.phase == "live" else "Still alive"

    def questions(self, attempt: str) -> set[str]:
        open_: set[str] = set()
        for r in self.counted(attempt):
            if r["kind"] == "approval":
                open_.add(r["id"])
            elif r["kind"] == "approval_answered":
                open_.discard(r["id"])
        return open_

    def effects(self, attempt: str) -> dict[str, str]:
        states: dict[str, str] = {}
        for r in self.counted(attempt):
            if r["kind"] == "effect" and not (r["state"] == "intended" and r["id"] in states):
                states[r["id"]] = r["state"]
        for effect, state in states.items():
            if state == "sent" and self.attempts[attempt]["status"] in ENDS:
                states[effect] = "unknown"
            states[effect] = self.settled.get((attempt, effect), states[effect])
        return states

    def money(self) -> tuple[int, Decimal | None]:
        """Turns and known cost of the run: every report counts once, late ones too; a message id once in its slot."""
        turns, known = 0, []
        for slot in self.slots.values():
            by_message: dict[str, Decimal] = {}
            for attempt in slot["attempts"]:
                for r in self.reports[attempt]:
                    turns += r["kind"] == "turn"
                    if r["kind"] == "usage" and r["message_id"] is None:
                        known.append(Decimal(r["cost_usd"]))
                    elif r["kind"] == "usage":
                        by_message[r["message_id"]] = Decimal(r["cost_usd"])
            known += by_message.values()
        return turns, sum(known, Decimal(0))


def is_paused(kinds: list[str]) -> bool:
    last = [k for k in kinds if k in ("paused", "continued")]
    return bool(last) and last[-1] == "paused"
