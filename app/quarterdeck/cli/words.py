"""Icons and short texts for states; each state has a shape and a word, never a colour alone."""

from __future__ import annotations

from collections import Counter

from quarterdeck.cli.plain_text import clipped, count_text, duration_text, escaped, money_text, time_text
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.practice import Spent, spent
from quarterdeck.domain.run_time import live_ms
from quarterdeck.domain.states import EffectState, Outcome, Phase
from quarterdeck.domain.views import (
    ApprovalView,
    AttemptView,
    EffectView,
    RunSummary,
    RunView,
    SlotView,
)

TITLE_COLUMNS_MAX = 60
"""Of a name or title in a list; a title may have a million characters."""

_ICONS = {
    "Not started": ("○", "."),
    "Waiting": ("◌", "."),
    "Starting": ("◔", ">"),
    "Running": ("▸", ">"),
    "Paused": ("‖", "="),
    "Needs you": ("?", "?"),
    "Retrying": ("↻", "~"),
    "Stopping": ("◼", "#"),
    "Done": ("✓", "+"),
    "Failed": ("✗", "x"),
    "Stopped": ("◼", "#"),
    "Skipped": ("–", "-"),
    "Re-opened, waiting to start": ("↺", "~"),
    "Could not stop": ("!", "!"),
    "Still ending": ("…", "~"),
    "Still alive": ("!", "!"),
}
AT_WORK = frozenset(
    {
        "Starting",
        "Running",
        "Paused",
        "Needs you",
        "Stopping",
        "Could not stop",
        "Still ending",
        "Still alive",
    }
)
NOT_BEGUN = frozenset({"Not started", "Waiting"})


def icon(display: str, *, ascii_only: bool) -> str:
    """The shape of a state."""
    fancy, plain = _ICONS.get(display, ("·", "."))
    return plain if ascii_only else fancy


def elapsed_ms(slot: SlotView, now_ms: int) -> int | None:
    """How long the latest attempt worked, or works; None where none began. now_ms: boot clock."""
    if not slot.attempts or slot.attempts[-1].started_at is None:
        return None
    attempt = slot.attempts[-1]
    assert attempt.started_at is not None
    return _between(attempt.started_at, attempt.stood_at, now_ms)


def run_elapsed_ms(view: RunView | RunSummary, now_ms: int) -> int:
    """How long it was live, as the window says it: its sittings together. now_ms: boot clock."""
    opened = view.sittings[-1].opened_at if view.sittings else view.started_at
    return live_ms(view, Moment(opened.boot, now_ms, opened.wall_ms))


def _between(start: Moment, end: Moment | None, now_ms: int) -> int:
    return duration_ms(start, end) if end is not None else max(0, now_ms - start.boot_ms)


def run_word(view: RunView | RunSummary) -> str:
    """How the run stands: `Live`, `Done`, `Failed`, `Stopped`; why it ended is said beside it."""
    if view.phase in (Phase.CREATED, Phase.LIVE):
        return "Live"
    match view.outcome:
        case Outcome.COMPLETED:
            return "Done"
        case Outcome.FAILED:
            return "Failed"
        case Outcome.INTERRUPTED:
            return "Interrupted"
        case _:
            return "Stopped"


def counts_text(view: RunView) -> str:
    """`3 done · 1 failed · 2 running`, in the order of the workflow's states."""
    counts = Counter(slot.display for slot in view.slots)
    return " · ".join(f"{count} {display[0].lower()}{display[1:]}" for display, count in counts.items())


def title_text(title: str) -> str:
    """A name or title as lists show it: escaped, and shortened where it is long. `--json` has it in full."""
    return clipped(escaped(title), TITLE_COLUMNS_MAX)


def slot_title(slot: SlotView) -> str:
    """Title and, with several slots a node, its place; practice is labelled wherever it shows."""
    title = title_text(slot.title or slot.node_id)
    title += slot.slot_id.removeprefix(slot.node_id)
    return f"{title} (practice)" if slot.is_practice else title


def spent_text(turns: int, money: str) -> str:
    """`12 turns, $0.42`."""
    return f"{count_text(turns, 'turn')}, {money}"


def run_money(run: RunSummary | RunView) -> str:
    """`$3.21`, `$0.28 practice`, `$2.93 and $0.28 practice`: what is pretended is never told as money spent."""
    return cost_money(spent(run))


def cost_money(cost: Spent) -> str:
    """The same of a cost in its two parts."""
    paid = money_text(cost.paid, cost.complete, cost.source)
    if cost.practice is None:
        return paid
    practice = f"{money_text(cost.practice, is_complete=cost.practice_is_complete)} practice"
    return practice if cost.paid == 0 and cost.complete else f"{paid} and {practice}"


def acting_text(attempt: AttemptView) -> str:
    """Which limits act on an agent whose price nobody knows."""
    turns = f"{attempt.max_turns:,} turns" if attempt.max_turns is not None else ""
    time = duration_text(round(attempt.timeout_s * 1000)) if attempt.timeout_s is not None else ""
    told = " and ".join(part for part in (turns, time) if part)
    if not told:
        return "It has no limit of turns or of time either: nothing but you ends it."
    return f"Its limit of {told} still ends it."


def run_summary_text(view: RunView, now_ms: int) -> str:
    """One line about a run: how long, how much, which agents stand how."""
    spent_by_run = spent_text(view.turns, run_money(view))
    return f"{duration_text(run_elapsed_ms(view, now_ms))}, {spent_by_run}; {counts_text(view)}"


def settled_text(effect: EffectView) -> str:
    """`happened, as you said 14:02:11: it is in the tracker`; empty where nothing was found or said. Foreign text."""
    settled = effect.settled
    if settled is None:
        return ""
    if effect.state is EffectState.ACCEPTED_BY_PERSON:
        return f"{settled.value}, as {settled.actor} said {time_text(settled.at)}: {settled.reason}"
    return f"{effect.state.value}, as a probe found {time_text(settled.at)}: {settled.value}"


def told_of(question: ApprovalView) -> list[tuple[str, str]]:
    """What the agent's program told of what it asks for, by name; what it did not tell is left out."""
    said = (
        ("with", question.tool),
        ("exactly", question.action),
        ("where", question.where),
        ("network", question.network),
        ("writes", question.writes),
    )
    told = [(name, text) for name, text in said if text and text != question.question]
    if question.whole_chars:
        told.append(
            ("not shown", f"the question has {question.whole_chars:,} characters; only its start is here")
        )
    return told


def unrecorded(view: RunView) -> str:
    """That a run of another process cannot be recorded, and what that means for what is printed of it."""
    why = view.waits_for or "the store cannot be written"
    return escaped(f"Recording stopped: {why}. What the agents print meanwhile may be missing here.")
