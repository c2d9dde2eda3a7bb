"""What the agents of a scenario do and say, as plain facts. Imports nothing of the product."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.scenarios.naive_runs import Fact, Run, Tried

if TYPE_CHECKING:
    from tests.scenarios.making import Story

STYLES = ("plain", "messages", "cumulative", "unknown", "silent")
ENDS_BADLY = (
    ("failed", "exit 1"),
    ("interrupted", "app closed"),
    ("interrupted", "its keeper was ended from outside"),
    ("failed", "sign-in"),
)


class AgentStory:
    """Tells the agents' part of a story."""

    def __init__(self, story: Story) -> None:
        self.story, self.random = story, story.random
        self.styles: dict[str, str] = {}
        self.sums: dict[str, int] = {}

    def say(self, run: Run, tried: Tried, kind: str, **fields: Any) -> None:
        """A report, at its place in the attempt's own sequence; it lies in the file and is sent."""
        seq = len(tried.reports) + 1
        told = self.story.fact(
            "report", run=run.id, attempt=tried.id, seq=seq, kind=kind, epoch=tried.epoch, **fields
        )
        run.take(told)

    def move(self, run: Run, tried: Tried) -> None:
        """One step of an attempt that has not ended."""
        if tried.status == "lost":
            if self.random.random() < 0.5:
                self.end(run, tried, "interrupted", "no trace found")
        elif not tried.reports:
            self.say(run, tried, "starting", boot="boot-1")
        elif not tried.last("started"):
            self.start(run, tried)
        elif over := tried.last("exit"):
            self.end_by_exit(run, tried, over["code"])
        elif tried.last("ending"):
            self.say(run, tried, "exit", code=143, after_ending=True, tree_empty=self.random.random() < 0.8)
        else:
            self.work(run, tried)

    def tell_totals(self, run: Run, tried: Tried) -> None:
        """Its keeper tells what it came to, and when it printed last."""
        assert tried.printed is not None
        said = {"upto": len(tried.reports), "last_output_ms": tried.printed["ms"]}
        run.take(self.story.fact("totals", run=run.id, attempt=tried.id, **said))

    def start(self, run: Run, tried: Tried) -> None:
        if self.random.random() < 0.1:
            self.end(run, tried, self.random.choice(("never_started", "failed")), "could not be started")
            return
        self.say(
            run, tried, "started", pid=4_000 + len(self.story.facts), containment="tree", cwd="/somewhere"
        )
        self.styles[tried.id] = self.random.choice(STYLES)
        if self.styles[tried.id] == "messages":  # the agent's session goes on in the next attempt
            self.say(run, tried, "session", id=f"s-{run.id}-{tried.slot}", resumable=True)

    def work(self, run: Run, tried: Tried) -> None:
        chance = self.random.random()
        if tried.is_held() and chance < 0.5:
            self.story.journal(run, "attempt_continue_requested", slot_id=tried.slot, attempt_id=tried.id)
            self.say(run, tried, "continued")
        elif chance < 0.18:
            self.say(run, tried, "turn")
        elif chance < 0.38:
            self.spend(run, tried)
            if self.random.random() < 0.6:
                self.story.limit(run)
        elif chance < 0.54:
            self.tell_totals(run, tried)
        elif chance < 0.58:
            run.take(self.story.fact("printed", run=run.id, attempt=tried.id))
        elif chance < 0.66:
            self.ask_or_hear(run, tried)
        elif chance < 0.80:
            self.be_ordered(run, tried)
        elif chance < 0.86:
            kind = self.random.choice(("progress", "output", "error", "something_new"))
            self.say(run, tried, kind, **self.more())
        elif chance < 0.97:
            code = self.random.choice((0, 0, 0, 1))
            self.say(run, tried, "exit", code=code, after_ending=False, tree_empty=True)
        else:
            self.story.journal(
                run, "attempt_lost", slot_id=tried.slot, attempt_id=tried.id, message="still alive"
            )

    def more(self) -> dict[str, Any]:
        return {"value": "v", "done": 1, "total": 2, "label": "files", "class": "other", "message": "odd"}

    def spend(self, run: Run, tried: Tried, *, late: bool = False) -> None:
        style = "plain" if late else self.styles[tried.id]
        amount = self.random.randrange(1, 99_999)
        cost: str | None = f"{amount // 10_000}.{amount % 10_000:04d}"
        message, cumulative = None, False
        if style == "silent":
            return
        if style == "messages":
            message = self.random.choice(("m1", "m2", "m3"))
        elif style == "cumulative":
            cumulative = True
            self.sums[tried.id] = amount = self.sums.get(tried.id, 0) + amount
            cost = f"{amount // 10_000}.{amount % 10_000:04d}"
        elif style == "unknown" and self.random.random() < 0.5:
            cost = None
        self.say(
            run, tried, "usage", cost_usd=cost, message_id=message, cumulative=cumulative, model="m",
            input_tokens=self.random.randrange(1, 900), source="reported" if cost else "unknown",
        )  # fmt: skip

    def ask_or_hear(self, run: Run, tried: Tried) -> None:
        own = tried.questions(run.answered)
        if not own:
            self.say(
                run, tried, "approval", id=f"q{len(tried.reports)}", question="May I?", options=["Yes", "No"]
            )
        elif self.random.random() < 0.5:
            answer = {"slot_id": tried.slot, "attempt_id": tried.id, "request_id": own[0], "choice": "Yes"}
            self.story.journal(run, "approval_answered", **answer)
        else:
            self.say(
                run, tried, "approval_answered", id=own[0].rpartition(":")[2], answer="Yes", delivered=True
            )

    def be_ordered(self, run: Run, tried: Tried) -> None:
        named = {"slot_id": tried.slot, "attempt_id": tried.id}
        match self.random.randrange(7):
            case 0 | 1:
                self.story.journal(run, "attempt_pause_requested", **named)
                self.say(run, tried, "paused")
            case 2:
                self.story.journal(run, "attempt_stop_requested", **named)
                self.say(run, tried, "ending", reason="stop", grace_s=4.0)
            case 3:
                self.say(
                    run,
                    tried,
                    "ending",
                    reason=self.random.choice(("cap", "timeout", "lost_app")),
                    grace_s=2.0,
                )
            case _:
                self.say(
                    run, tried, "effect", id="e1", state=self.random.choice(("intended", "sent", "confirmed"))
                )

    # -------------------------------------------------------------- ends

    def end_by_exit(self, run: Run, tried: Tried, code: int) -> None:
        if self.random.random() < 0.3:
            self.tell_totals(run, tried)
        over = tried.last("exit")
        assert over is not None
        if not over["tree_empty"]:
            self.story.journal(
                run, "attempt_lost", slot_id=tried.slot, attempt_id=tried.id, message="could not stop"
            )
        elif code == 0:
            self.end(run, tried, "succeeded", "")
        elif over["after_ending"]:
            self.end(run, tried, self.random.choice(("stopped", "interrupted")), "stopped by you")
        else:
            self.end(run, tried, *self.random.choice(ENDS_BADLY))

    def end(self, run: Run, tried: Tried, status: str, message: str) -> None:
        hold = None if status == "succeeded" else "person"
        if status == "failed" and self.random.random() < 0.4:
            hold = "timer"
        self.story.journal(
            run, "attempt_ended", slot_id=tried.slot, attempt_id=tried.id, epoch=tried.epoch, status=status, message=message,
            upto=len(tried.reports), next_state="done" if status == "succeeded" else "retry_wait", hold=hold,
        )  # fmt: skip
        if self.random.random() < 0.15:
            self.late_of(run, tried)

    def late(self, run: Run) -> None:
        """Something of an attempt that has ended turns up in its file, and is sent."""
        ended = [t for t in run.tries.values() if t.upto is not None and t.id in self.styles]
        if ended:
            self.late_of(run, self.random.choice(ended))

    def late_of(self, run: Run, tried: Tried) -> None:
        if tried.id not in self.styles:
            return
        match self.random.randrange(7):
            case 0:
                self.say(run, tried, "turn")
            case 1:
                self.spend(run, tried, late=True)
            case 2:
                self.say(run, tried, "approval", id="late", question="May I still?", options=["Yes"])
            case 3:
                kind = self.random.choice(("paused", "ending", "output"))
                self.say(run, tried, kind, **self.more(), reason="stop")
            case 4:
                self.say(run, tried, "exit", code=0, after_ending=False, tree_empty=True)
            case 5:
                self.say(run, tried, "effect", id="e1", state="confirmed")
            case _:
                self.say(run, tried, "started", pid=1, containment="tree", cwd="/elsewhere")

    def again(self) -> None:
        """A fact or the newest running totals come twice, or to a run that they do not belong to."""
        told: dict[Any, Fact] = {}
        for fact in self.story.facts:
            if fact["what"] in ("report", "totals"):
                told[fact["attempt"], fact.get("seq")] = fact
        turning = [f for f in told.values() if f.get("kind") in ("paused", "approval", "effect")]
        if turning and self.random.random() < 0.5:
            told = dict(enumerate(turning))  # what changes something, if it counts again
        if told:
            fact = self.random.choice(list(told.values())[-25:])
            to = self.random.choice([fact["run"], fact["run"], *self.story.runs])
            self.story.fact("again", of=fact, to=to)
