"""The open question *Stop…*, kept in step with what is live: its words, its figures, and what of it has ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.ui.dialogs.stop_dialog import StopChoice, StopDialog, run_choices
from quarterdeck.ui.present_agent import can_stop
from quarterdeck.ui.watching import Shown


@dataclass(frozen=True, slots=True)
class StopQuestion:
    """choices: what is asked about; none: all live runs of the `workflow`."""

    dialog: StopDialog
    workflow: WorkflowId | None = None
    choices: tuple[StopChoice, ...] = ()

    def show(self, shown: Shown) -> None:
        """Follow what is shown. What was asked of another workflow than that shown now is not asked any more."""
        if self.choices:
            self.dialog.show_choices([choice for choice in self.choices if _is_live(choice, shown)])
        elif workflow_of(shown) == self.workflow:
            self.dialog.show_choices(live_choices(shown))
        else:
            self.dialog.reject()


def workflow_of(shown: Shown) -> WorkflowId | None:
    """Whose live runs Stop… asks about."""
    return shown.workflow.id if shown.workflow is not None else None


def live_choices(shown: Shown) -> Sequence[StopChoice]:
    """Each live run of the shown workflow, and all of them."""
    return run_choices(shown.facts.live)


def _is_live(choice: StopChoice, shown: Shown) -> bool:
    """Whether it can still be stopped, so far as is known."""
    live = {run.run_id for run in shown.known.runs if run.is_live}
    if choice.slot is None or not live.issuperset(choice.runs):
        return live.issuperset(choice.runs)
    view = shown.known.views.get(choice.runs[0])
    slots = view.slots if view is not None else ()
    return all(can_stop(view, slot) for slot in slots if view is not None and slot.slot_id == choice.slot)
