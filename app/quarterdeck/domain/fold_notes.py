"""What the fold of a journal keeps or passes over without moving any slot, attempt or lease."""

from __future__ import annotations

from quarterdeck.domain.budget_words import Shared, whose
from quarterdeck.domain.events import BudgetRaised, BudgetWarned, CommandRefused, MachineSlept
from quarterdeck.domain.fold_checks import need_live, need_not_closed, slot_of
from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.run_state import RunState, Sleep


def command_refused(state: RunState, event: CommandRefused, at: Moment) -> None:
    """Moves nothing (ruling 14)."""


def budget_warned(state: RunState, event: BudgetWarned, at: Moment) -> None:
    """Said once for each limit."""
    state.warned.setdefault((event.scope, event.limit_usd), (event.spent_usd, at, event.spent_source))


def budget_raised(state: RunState, event: BudgetRaised, at: Moment) -> None:
    """The limit of the run, or of one slot."""
    need_not_closed(state, event.kind)
    of = whose(event.scope)
    if of is Shared.RUN:
        state.budget_usd = event.limit_usd
        return
    state.slot_budgets[slot_of(state, SlotId(of)).slot_id] = event.limit_usd


def machine_slept(state: RunState, event: MachineSlept, at: Moment) -> None:
    """A gap for showing: it expires nothing and stops nothing (LSE5)."""
    need_live(state, event.kind)
    since_ms = max(0, at.boot_ms - event.ended_boot_ms)
    ended = Moment(at.boot, event.ended_boot_ms, at.wall_ms - since_ms)
    began = Moment(at.boot, ended.boot_ms - event.slept_ms, ended.wall_ms - event.slept_ms)
    state.sleeps.append(Sleep(began, ended))
