"""The one word and colour of agents and runs, and what edges wait for, in plain words. Imports nothing of the product."""

from __future__ import annotations

from tests.scenarios.naive_runs import Run, Slot

PALETTE = {
    "Not started": ("neutral", "circle-dashed"), "Waiting": ("neutral", "clock"), "Skipped": ("neutral", "circle-slash"),
    "Stopped": ("neutral", "square"), "Starting": ("running", "loader-circle"), "Running": ("running", "loader-circle"),
    "Stopping": ("running", "hourglass"), "Needs you": ("needs", "hand"), "Paused": ("needs", "pause"),
    "Retrying": ("needs", "rotate-cw"), "Re-opened, waiting to start": ("needs", "clock"), "Done": ("done", "check"),
    "Failed": ("failed", "x"), "Could not stop": ("failed", "triangle-alert"), "Still alive": ("failed", "triangle-alert"),
    "Still ending": ("interrupted", "unplug"),
}  # fmt: skip
URGENT_FIRST = (
    "Could not stop", "Still alive", "Needs you", "Running", "Starting", "Stopping", "Paused", "Retrying", "Still ending", "Failed",
    "Re-opened, waiting to start", "Stopped", "Waiting", "Not started", "Done", "Skipped",
)  # fmt: skip
LOUD_FIRST = ("needs", "failed", "running", "interrupted", "neutral", "done")
OUTCOMES = {"completed": "Done", "failed": "Failed", "stopped": "Stopped"}
INTERRUPTED = ("interrupted", "unplug", "Stopped")
Badge = tuple[str, str, str]


def badge(word: str) -> Badge:
    return (*PALETTE[word], word)


def loudness(shown: Badge, silent: int) -> tuple[bool, int, int, int]:
    """The least stands for all live runs of a node: done only if all are done with it, skipped only if all skipped it."""
    colour, _, word = shown
    return (
        word == "Skipped",
        LOUD_FIRST.index(colour),
        silent,
        URGENT_FIRST.index("Running" if silent else word),
    )


def badge_of_slot(run: Run, slot: Slot) -> Badge:
    word = run.word(slot)
    was_cut_off = bool(slot.tries) and slot.tries[-1].status == "interrupted" and slot.state == "retry_wait"
    return INTERRUPTED if word == "Stopped" and was_cut_off else badge(word)


def badge_of_run(run: Run) -> Badge:
    if not run.live:
        return INTERRUPTED if run.outcome == "interrupted" else badge(OUTCOMES[str(run.outcome)])
    words = {run.word(slot) for slot in run.slots.values()}
    for loud in ("Could not stop", "Needs you"):
        if loud in words:
            return badge(loud)
    if run.stop:
        return badge("Stopping")
    at_work = words & {"Running", "Starting", "Stopping"}
    for quiet in ("Paused", "Retrying"):
        if quiet in words and not at_work:
            return badge(quiet)
    return badge("Running")


def end_of(run: Run, slot: Slot) -> str:
    """What became of a slot; empty while that is open. One that failed for now may still be taken up."""
    if slot.state == "retry_wait" and run.word(slot) == "Failed":
        return "failed for now"
    return slot.state if slot.state in ("done", "failed", "cancelled") else ""


def has_come(ends: list[str], when: str) -> bool:
    """Whether what an edge waits for has come, where its target began: so an expression over a success was true (§6)."""
    if "" in ends:
        return False
    if when == "always":
        return True
    if "failed for now" in ends or "failed" in ends:
        return when == "failure"
    if "done" not in ends:
        return False
    return when != "failure"
