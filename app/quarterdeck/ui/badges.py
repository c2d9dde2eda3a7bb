"""Which icon, word and family a state has. The one place that decides how a state looks (OWN3, rulings 2, 28).

Words come from the views (`SlotView.display`); nothing here invents a state.
"""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.domain.states import AttemptStatus, Outcome, SlotState
from quarterdeck.domain.views import RunSummary, RunView, SlotView
from quarterdeck.ui.language import Later, Texts
from quarterdeck.ui.tokens import Family

tr = Texts("States")


@dataclass(frozen=True, slots=True)
class Badge:
    """A state as it is shown: Lucide icon, word and family always together. `state`: its English word, to compare by."""

    family: Family
    icon: str
    state: str
    silent_min: int = 0
    """Minutes for which an agent at work has printed nothing; 0 where that is not said."""

    @property
    def word(self) -> str:
        """The state in the person's language."""
        if self.silent_min:
            return tr("Silent {minutes} min", minutes=f"{self.silent_min:,}")
        return self.state.now if isinstance(self.state, Later) else tr.find(self.state)

    @property
    def inner(self) -> str:
        """The word as it stands inside a sentence; how long an agent was silent is left out, so that it does not tick."""
        if self.silent_min:
            return tr("running without output")
        return self.word.lower()

    @property
    def standing(self) -> str:
        """The word as it stands in a title: how long an agent was silent is left out there, too."""
        return tr("Silent") if self.silent_min else self.word

    @property
    def is_turning(self) -> bool:
        """True for work that goes on by itself; only then does the icon turn."""
        return self.icon == "loader-circle"


NEVER_RUN = Badge(Family.NEUTRAL, "circle-dashed", tr.later("Not started"))
INTERRUPTED = Badge(Family.INTERRUPTED, "unplug", tr.later("Stopped"))

_BY_WORD: dict[str, tuple[Family, str]] = {
    tr.later("Not started"): (Family.NEUTRAL, "circle-dashed"),
    tr.later("Waiting"): (Family.NEUTRAL, "clock"),
    tr.later("Skipped"): (Family.NEUTRAL, "circle-slash"),
    tr.later("Stopped"): (Family.NEUTRAL, "square"),
    tr.later("Starting"): (Family.RUNNING, "loader-circle"),
    tr.later("Running"): (Family.RUNNING, "loader-circle"),
    tr.later("Stopping"): (Family.RUNNING, "hourglass"),
    tr.later("Needs you"): (Family.NEEDS, "hand"),
    tr.later("Paused"): (Family.NEEDS, "pause"),
    tr.later("Retrying"): (Family.NEEDS, "rotate-cw"),
    tr.later("Re-opened, waiting to start"): (Family.NEEDS, "clock"),
    tr.later("Done"): (Family.DONE, "check"),
    tr.later("Failed"): (Family.FAILED, "x"),
    tr.later("Blocked"): (Family.FAILED, "lock"),
    tr.later("Could not stop"): (Family.FAILED, "triangle-alert"),
    tr.later("Still alive"): (Family.FAILED, "triangle-alert"),
    tr.later("Still ending"): (Family.INTERRUPTED, "unplug"),
    tr.later("Not known"): (Family.NEUTRAL, "circle-question-mark"),
}
_URGENCY = (
    "Could not stop",
    "Still alive",
    "Needs you",
    "Running",
    "Starting",
    "Stopping",
    "Paused",
    "Retrying",
    "Still ending",
    "Failed",
    "Blocked",
    "Re-opened, waiting to start",
    "Stopped",
    "Waiting",
    "Not started",
    "Done",
    "Skipped",
)
"""Where several slots share one row, the first word that any of them shows stands for all."""
_PLACE = {word: place for place, word in enumerate(_URGENCY)}
_LOUD = (Family.NEEDS, Family.FAILED, Family.RUNNING, Family.INTERRUPTED, Family.NEUTRAL, Family.DONE)


def badge_of_word(word: str) -> Badge:
    """A shown word with its icon and family; a word that is not in the table is shown as it is, neutral."""
    family, icon = _BY_WORD.get(word, (Family.NEUTRAL, "info"))
    return Badge(family, icon, word)


def badge_of_slot(slot: SlotView) -> Badge:
    """The badge of one slot; an interrupted agent is *Stopped* with the unplug icon (ruling 28)."""
    if slot.display == "Stopped" and _was_interrupted(slot):
        return INTERRUPTED
    return badge_of_word(slot.display)


def badge_of_slots(slots: tuple[SlotView, ...]) -> Badge:
    """The badge of a node with several slots: its most urgent one."""
    return badge_of_slot(min(slots, key=lambda s: _PLACE.get(s.display, len(_PLACE))))


def loudness(badge: Badge) -> tuple[int, int, int]:
    """How soon a run's badge speaks for a node that several runs have; the least first. Never a colour of its own.

    What calls for a person, has failed, goes on or was cut off is loud. What is still to come is louder than what is over:
    a node is *Done* only where every run is done with it, and *Skipped* only where none did anything else (OWN3).
    """
    place = len(_LOUD) if badge.state == "Skipped" else _LOUD.index(badge.family)
    return place, badge.silent_min, _PLACE.get(badge.state, len(_PLACE))


def badge_of_run(run: RunSummary | RunView) -> Badge:
    """The badge of a run. A live run needs its view for more than *Running* (a summary does not know why it waits)."""
    if not run.is_live:
        return _badge_of_end(run.outcome)
    if not isinstance(run, RunView):
        return badge_of_word("Running")
    shown = {slot.display for slot in run.slots}
    for word in ("Could not stop", "Needs you"):
        if word in shown:
            return badge_of_word(word)
    if run.stopping:
        return badge_of_word("Stopping")
    if "Paused" in shown and not shown & {"Running", "Starting", "Stopping"}:
        return badge_of_word("Paused")
    if "Retrying" in shown and not shown & {"Running", "Starting", "Stopping"}:
        return badge_of_word("Retrying")
    return badge_of_word("Running")


def _badge_of_end(outcome: Outcome | None) -> Badge:
    match outcome:
        case Outcome.COMPLETED:
            return badge_of_word("Done")
        case Outcome.FAILED:
            return badge_of_word("Failed")
        case Outcome.INTERRUPTED:
            return INTERRUPTED
        case Outcome.STOPPED:
            return badge_of_word("Stopped")
        case None:
            return Badge(Family.NEUTRAL, "circle-alert", tr.later("Not recorded"))


def _was_interrupted(slot: SlotView) -> bool:
    if slot.state not in {SlotState.RETRY_WAIT, SlotState.HELD, SlotState.CANCELLED, SlotState.PENDING}:
        return False
    return bool(slot.attempts) and slot.attempts[-1].status is AttemptStatus.INTERRUPTED


_ATTEMPT_WORDS = {
    AttemptStatus.STARTING: "Starting",
    AttemptStatus.RUNNING: "Running",
    AttemptStatus.PAUSED: "Paused",
    AttemptStatus.STOPPING: "Stopping",
    AttemptStatus.SUCCEEDED: "Done",
    AttemptStatus.FAILED: "Failed",
    AttemptStatus.STOPPED: "Stopped",
}


def badge_of_attempt(status: AttemptStatus) -> Badge:
    """The badge of one attempt in the list of attempts."""
    match status:
        case AttemptStatus.INTERRUPTED:
            return INTERRUPTED
        case AttemptStatus.LOST:
            return Badge(Family.INTERRUPTED, "unplug", tr.later("Contact lost"))
        case AttemptStatus.NEVER_STARTED:
            return Badge(Family.NEUTRAL, "circle-dashed", tr.later("Never started"))
        case _:
            return badge_of_word(_ATTEMPT_WORDS[status])
