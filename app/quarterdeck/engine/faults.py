"""What becomes of a run whose actor met a fault of our own, or whose disk never came back before the process had to end.

Its agents' sockets are closed by then, so they are ending. The run is settled by evidence, as recovery does; where even
that is impossible it is shown with its reason, and stays listed for whoever starts next. Blocking.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace

from quarterdeck.domain.events import Entry
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.views import RunView
from quarterdeck.engine.app_log import FILE_NAME, log_folder
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.settling import Settlement

log = logging.getLogger(__name__)
ENDED_BY_FAULT = "a fault of Quarterdeck ended it; its log says more"
NOT_SETTLED = "it could not be recorded to its end; it is settled when Quarterdeck starts again"


@dataclass(frozen=True, slots=True)
class SettledFault:
    """The run as it was settled, and what that journaled."""

    state: RunState
    view: RunView
    entries: tuple[Entry, ...]


def settle_after_fault(context: EngineContext, book: RunBook) -> SettledFault | None:
    """Settle the run by what is on disk; None where that is impossible, which is logged."""
    try:
        context.store.writer.run(
            _nothing
        ).result()  # whatever was asked of the journal before is done after this
        settlement = Settlement(context.store, book.run_id, book.journal, context.now, ENDED_BY_FAULT)
        view = settlement.settle()
    except Exception:
        log.exception("run %s could not be settled after a fault", book.run_id)
        return None
    return SettledFault(settlement.state, view, tuple(settlement.entries))


def view_of_fault(view: RunView) -> RunView:
    """A run that is neither live in truth nor ended on disk: it says so in words.

    On a disk that takes nothing that is the reason; on any other it is a fault of ours, and the log is named.
    """
    words = (
        f"A fault of Quarterdeck kept this run from its end; the log says more: {log_folder() / FILE_NAME}"
    )
    return replace(view, reason=NOT_SETTLED, stopping=True, fault="" if view.recording is False else words)


def _nothing() -> None:
    """Work that only marks its place in the writer's queue."""
