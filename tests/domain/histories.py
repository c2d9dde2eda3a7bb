"""Random histories of one run: journal events and reports, made with the naive run alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from random import Random
from typing import Any

from quarterdeck.domain.events import (
    AgentSwitched,
    ApprovalAnswered,
    ApprovalAsked,
    AttemptContinueRequested,
    AttemptLost,
    AttemptPauseRequested,
    AttemptStopRequested,
    ClaimRefused,
    CommandRefused,
    EffectSettled,
    Event,
    MessageSent,
    RetryCancelled,
    RunDiscarded,
    RunEnded,
    RunStopRequested,
    SlotCancelled,
    SlotFailed,
)
from quarterdeck.domain.ids import AttemptId, CommandId, MessageId, NodeId, RequestId, SlotId, TokenId
from quarterdeck.domain.states import AttemptStatus, EndReason, Hold, LeaseStatus, Outcome
from tests.domain.build import OWNER, SPEC_B, claimed, ended, reassigned, sitting
from tests.domain.naive_run import NaiveRun

SLOTS = ["a", "b", "q"]
ENDINGS = [
    (AttemptStatus.SUCCEEDED, LeaseStatus.RELEASED),
    (AttemptStatus.FAILED, LeaseStatus.RELEASED),
    (AttemptStatus.STOPPED, LeaseStatus.REVOKED),
    (AttemptStatus.INTERRUPTED, LeaseStatus.EXPIRED_PROVED),
    (AttemptStatus.NEVER_STARTED, LeaseStatus.EXPIRED_PROVED),
]


def plain(event: Event) -> dict[str, Any]:
    """The event as the naive run reads it."""
    return {**dataclasses.asdict(event), "kind": event.kind}


class Proposer:
    """Proposes events, most of them sensible and some impossible, for the run as the naive model knows it."""

    def __init__(self, random: Random, run: NaiveRun) -> None:
        self.random, self.run, self.minted = random, run, 0

    def propose(self) -> Event:
        kinds: list[Callable[[], Event]] = [
            self.claim, self.claim, self.claim, self.end, self.end, self.reassign, self.on_attempt, self.on_slot,
            self.on_run, self.settle,
        ]  # fmt: skip
        return self.random.choice(kinds)()

    def mint(self) -> int:
        self.minted += 1
        return self.minted

    def slot(self) -> str:
        return self.random.choice(SLOTS[:2])

    def attempt(self) -> tuple[SlotId, AttemptId]:
        known = [(s, a) for s, slot in self.run.slots.items() for a in slot["attempts"]]
        slot, attempt = self.random.choice(known) if known else ("a", "a-0")
        return SlotId(slot), AttemptId(attempt)

    def claim(self) -> Event:
        name = self.slot()
        slot = self.run.slots[name]
        token = slot["token"] if self.random.random() < 0.9 else "k-0"
        cause = "person" if token else "retry" if slot["attempts"] else "schedule"
        epoch = slot["epoch"] + (1 if self.random.random() < 0.95 else self.random.choice([0, 2]))
        return claimed(name, self.mint(), epoch, token=token and TokenId(token), cause=cause)

    def end(self) -> Event:
        slot, attempt = self.attempt()
        epoch = self.run.slots[slot]["epoch"]
        if self.run.attempts.get(attempt):
            epoch = 1 + self.run.slots[slot]["attempts"].index(attempt)
        status, lease = self.random.choice(ENDINGS)
        hold, retry = (None if status is AttemptStatus.SUCCEEDED else Hold.PERSON), None
        if status is AttemptStatus.FAILED and self.random.random() < 0.5:
            hold, retry = Hold.TIMER, 1_000 + self.mint()
        event = ended(slot, 0, epoch, status, lease=lease, hold=hold, retry_at_ms=retry)
        upto = len(self.run.reports.get(attempt, []))
        return dataclasses.replace(event, attempt_id=attempt, upto=upto)

    def reassign(self) -> Event:
        name = self.slot()
        attempts = self.run.slots[name]["attempts"]
        prior = int(attempts[-1].removeprefix("a-")) if attempts else 0
        used = sorted(self.run.used_tokens)
        token = self.random.choice(used) if used and self.random.random() < 0.1 else f"k-{self.mint()}"
        return reassigned(name, prior, token)

    def on_attempt(self) -> Event:
        slot, attempt = self.attempt()
        kinds: list[Event] = [
            AttemptPauseRequested(slot, attempt, OWNER),
            AttemptContinueRequested(slot, attempt, OWNER),
            AttemptStopRequested(slot, attempt, OWNER, EndReason.PERSON),
            AttemptLost(slot, attempt, "no answer"),
            MessageSent(slot, attempt, 1, MessageId(f"m-{self.mint()}"), "a word", OWNER),
        ]
        return self.random.choice(kinds)

    def on_slot(self) -> Event:
        slot = SlotId(self.slot())
        request, command = RequestId("q:approval"), CommandId(f"c-{self.mint()}")
        kinds: list[Event] = [
            RetryCancelled(slot, OWNER),
            SlotFailed(slot),
            SlotCancelled(slot),
            ClaimRefused(slot, self.random.choice(["E_CRED_REMEMBERED", "E_CAPACITY"]), "not now"),
            CommandRefused("ClaimSlot", slot, "E_CAPACITY", "not now", OWNER),
            ApprovalAsked(SlotId("q"), request, "Go on?", ("Approve", "Reject")),
            ApprovalAnswered(SlotId("q"), None, 0, request, "Approve", OWNER),
            AgentSwitched(slot, SPEC_B.agent, SPEC_B.worker_class, SPEC_B.spec, OWNER, command),
        ]
        return self.random.choice(kinds)

    def on_run(self) -> Event:
        if self.run.phase == "ended" and self.random.random() < 0.8:
            return sitting(self.run.sittings + 1, go_on=self.random.random() < 0.5)
        kinds: list[Event] = [
            RunEnded(self.random.choice(list(Outcome)), self.mint(), 3, "over"),
            RunEnded(Outcome.STOPPED, self.mint(), 3, "over"),
            RunStopRequested(OWNER, EndReason.PERSON),
        ]
        if self.random.random() < 0.05:
            kinds.append(RunDiscarded(OWNER))
        return self.random.choice(kinds)

    def settle(self) -> Event:
        slot, attempt = self.attempt()
        states: list[Any] = ["confirmed", "absent", "unknown", "accepted_by_person"]
        return EffectSettled(slot, attempt, "e1", self.random.choice(states), "v", "seen", OWNER)


class Reporter:
    """Says random, well-formed reports of attempts, each in its own sequence."""

    def __init__(self, random: Random, run: NaiveRun) -> None:
        self.random, self.run = random, run

    def say(self, attempt: str) -> dict[str, Any]:
        told = self.run.reports[attempt]
        seq = len(told) + 1
        body = self.body(attempt, {r["kind"] for r in told})
        report = {"seq": seq, "epoch": 1, "boot_ms": seq, "wall_ms": seq, **body}
        told.append(report)
        return report

    def body(self, attempt: str, before: set[str]) -> dict[str, Any]:
        if not before:
            return {"kind": "starting", "boot": "boot-1"}
        if "started" not in before and self.random.random() < 0.8:
            return {"kind": "started", "pid": 7, "containment": "tree", "cwd": "/w"}
        if "session" not in before:
            return {"kind": "session", "id": self.run.attempts[attempt]["slot"], "resumable": True}
        cost = f"0.{self.random.randrange(1, 999):03d}"
        message = self.random.choice([None, None, "m1", "m2"])
        return dict(
            self.random.choice(
                [
                    {"kind": "turn"},
                    {
                        "kind": "usage",
                        "cost_usd": cost,
                        "input_tokens": 3,
                        "model": "m",
                        "message_id": message,
                    },
                    {
                        "kind": "effect",
                        "id": "e1",
                        "state": self.random.choice(["intended", "sent", "confirmed"]),
                    },
                    {"kind": self.random.choice(["paused", "continued"])},
                    {"kind": "approval", "id": "p1", "question": "May I?", "options": ["yes", "no"]},
                    {"kind": "approval_answered", "id": "p1", "answer": "yes"},
                    {"kind": "said", "id": "m-1", "text": "a word", "delivered": True, "at_byte": 3},
                    {"kind": "progress", "done": 1, "total": 3, "label": "files"},
                    {"kind": "something_new", "of": "a later version"},
                    {"kind": "output", "value": {"n": cost}},
                    {"kind": "ending", "reason": "stop"} if self.random.random() < 0.3 else {"kind": "turn"},
                ]
            )
        )


NODE_IDS = tuple(NodeId(name) for name in SLOTS)
