"""What stands in a list where there is no run: how to start one, only where one can be started, and nothing before it is known."""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.ui.actions import Actions
from quarterdeck.ui.language import Texts
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import NOT_KNOWN, UNREADABLE

tr = Texts("Window")


@dataclass(frozen=True, slots=True)
class NoneWords:
    """For the list of runs, and for the outline of agents."""

    of_runs: str
    of_agents: str


def none_words(shown: Shown, actions: Actions, *, is_unreadable: bool, can_start: bool = True) -> NoneWords:
    """is_unreadable: the records could not be opened, so that nothing else is claimed. can_start: they take a new run."""
    if not shown.has_heard:
        words = (UNREADABLE if is_unreadable else NOT_KNOWN).now
        return NoneWords(words, words)
    is_first = not shown.known.closed  # else there were some, and they have left
    keys = actions.key_text("run").replace("Return", "Enter")
    if not keys or not can_start or not isinstance(shown.file, LoadedWorkflow):
        return NoneWords(tr("No runs yet.") if is_first else tr("No run is kept."), tr("No run to show."))
    of_runs = (
        tr("No runs yet. {keys} starts one.", keys=keys)
        if is_first
        else tr("No run is kept. {keys} starts one.", keys=keys)
    )
    return NoneWords(of_runs, tr("No run to show. {keys} starts one.", keys=keys))
