"""Ways to spoil the product for the length of a test, each a fault that somebody could write; the oracle must see them all.

The habits are those that broke comparable products: the last writer wins, late events count, a part of the window keeps
what it once showed, a sibling's numbers slip in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from quarterdeck.domain import join, kept_views, reports_fold
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.scheduling import NodeEnd
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.usage_fold import UsageFold
from quarterdeck.engine import report_folds
from quarterdeck.engine.feed import ChangeFeed
from quarterdeck.engine.run_book import RunBook
from quarterdeck.ui import (
    badges,
    link,
    present,
    present_asking,
    present_board,
    present_graph,
    present_nodes,
    present_runs,
    taskbar,
    watching,
)
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.tokens import Family

Patch = pytest.MonkeyPatch
TAMPERINGS: dict[str, Callable[[Patch], None]] = {}


def tampering(spoil: Callable[[Patch], None]) -> Callable[[Patch], None]:
    TAMPERINGS[spoil.__name__] = spoil
    return spoil


@tampering
def what_holds_counts_as_done_on_the_task_bar(patch: Patch) -> None:
    """OWN3: a bar that is full while a person is waited for."""
    patch.setattr(taskbar, "OVER", taskbar.OVER | {SlotState.RETRY_WAIT, SlotState.FAILED})


@tampering
def the_last_event_decides_the_workflow(patch: Patch) -> None:
    """OWN1, OWN2: whoever ended last speaks, also while another run is live."""

    def last_writer(runs: Any) -> Any:
        return max(runs, key=lambda run: (run.end_seq or 0, run.launch_seq), default=None)

    patch.setattr(present, "projected_run", last_writer)


present_projected = present.projected_run


@tampering
def the_oldest_live_run_is_shown(patch: Patch) -> None:
    def oldest(runs: Any) -> Any:
        known = tuple(runs)
        live = [run for run in known if run.is_live]
        return min(live, key=lambda r: r.launch_seq) if live else present_projected(known)

    patch.setattr(present, "projected_run", oldest)


@tampering
def newest_goes_by_the_wall_clock(patch: Patch) -> None:
    """ID2."""
    right = present.projected_run

    def by_the_clock(runs: Any) -> Any:
        known = tuple(runs)
        live = [run for run in known if run.is_live]
        return max(live, key=lambda run: run.started_at.wall_ms) if live else right(known)

    patch.setattr(present, "projected_run", by_the_clock)


@tampering
def late_reports_move_the_run(patch: Patch) -> None:
    """ID4, row 6: the guard against what comes after the end, or from elsewhere, is gone."""
    patch.setattr(RunBook, "_is_own", lambda book, attempt, report: True)


@tampering
def any_fact_is_folded_at_once(patch: Patch) -> None:
    """The same, without a look at where it belongs."""

    def take(book: RunBook, attempt: Any, report: Any) -> None:
        fold = book.folds.get(attempt)
        if fold is not None:
            fold.apply(report)
            book.changed()

    patch.setattr(RunBook, "take_fact", take)


@tampering
def a_report_that_comes_twice_counts_twice(patch: Patch) -> None:
    def apply(fold: AttemptFold, report: Any) -> None:
        fold.upto = max(fold.upto, report["seq"])
        take = reports_fold._TAKERS.get(report["kind"])
        if take is not None:
            take(fold, report)

    patch.setattr(AttemptFold, "apply", apply)


@tampering
def a_message_counts_each_time_it_is_told(patch: Patch) -> None:
    """Ruling 10."""
    right = UsageFold.take
    patch.setattr(UsageFold, "take", lambda fold, report: right(fold, {**report, "message_id": None}))


@tampering
def running_totals_are_added_up(patch: Patch) -> None:
    """Ruling 10."""
    right = UsageFold.take
    patch.setattr(UsageFold, "take", lambda fold, report: right(fold, {**report, "cumulative": False}))


@tampering
def money_is_a_float(patch: Patch) -> None:
    """I5: a sum that is off by the last digit."""

    def rounded(amounts: Any) -> Any:
        known = [float(a) for a in amounts if a is not None]
        return Decimal(sum(known)) if known else None

    patch.setattr(join, "sum_known", rounded)


@tampering
def dots_of_the_list_are_swapped(patch: Patch) -> None:
    right = present_runs._segments
    patch.setattr(present_runs, "_segments", lambda view: tuple(reversed(right(view))))


@tampering
def a_chip_keeps_its_first_state(patch: Patch) -> None:
    """The stale chip."""
    right = present._live_run
    first: dict[Any, Any] = {}

    def stale(known: Any, run: Any, *rest: Any) -> Any:
        made = right(known, run, *rest)
        return first.setdefault(run.run_id, made)

    patch.setattr(present, "_live_run", stale)


@tampering
def rows_are_kept_for_ever(patch: Patch) -> None:
    def value(memo: Memo, key: Any, parts: Any, make: Any) -> Any:
        memo._used.add(key)
        if key not in memo._kept:
            memo._kept[key] = (parts, make())
        return memo._kept[key][1]

    patch.setattr(Memo, "value", value)


@tampering
def kept_views_miss_a_report(patch: Patch) -> None:
    right = kept_views._attempt_parts
    patch.setattr(kept_views, "_attempt_parts", lambda *args: right(*args)[:9])


@tampering
def the_board_misses_what_moved(patch: Patch) -> None:
    patch.setattr(present_board._RunPart, "take", lambda part, slots, now: [])
    patch.setattr(present_board._RunPart, "has_begun_more", False, raising=False)


@tampering
def oldest_two_rows_are_shown(patch: Patch) -> None:
    right = present_nodes.node_face

    def oldest(workflow: Any, node: Any, place: Any, runs: Any, now: Any) -> Any:
        return right(workflow, node, place, tuple(reversed(runs)), now)

    patch.setattr(present_board, "node_face", oldest)


@tampering
def a_letter_moves_to_another_run(patch: Patch) -> None:
    right = present.assign_letters
    patch.setattr(watching, "assign_letters", lambda previous, live: right({}, live))


@tampering
def stop_follows_the_badge(patch: Patch) -> None:
    """OWN3: Stop is off while the shown run waits, though it lives."""
    right = present.present

    def wrong(*args: Any, **named: Any) -> Any:
        facts = right(*args, **named)
        return replace(facts, can_stop=facts.badge.is_turning)

    patch.setattr(watching, "present", wrong)


@tampering
def a_change_is_lost_on_its_way(patch: Patch) -> None:
    marked = [0]
    right = ChangeFeed.mark

    def mark(feed: ChangeFeed, run: Any) -> None:
        marked[0] += 1
        if marked[0] % 7:
            right(feed, run)

    patch.setattr(ChangeFeed, "mark", mark)


@tampering
def a_stopping_run_reads_as_running(patch: Patch) -> None:
    right = badges.badge_of_run
    wrong = badges.badge_of_word("Running")
    patch.setattr(present, "run_badge_at", lambda run, now: wrong if run.is_live else right(run))


@tampering
def runs_of_other_workflows_wait_unseen(patch: Patch) -> None:
    right = present_asking.waiting_of
    patch.setattr(present, "waiting_of", lambda views: right(views)[:1])


@tampering
def a_narrowed_canvas_goes_dark_at_the_end(patch: Patch) -> None:
    """OWN8: the run to which the canvas was narrowed ends, and nobody lets go of it."""
    patch.setattr(watching.Watching, "_letters_now", lambda self: {})


@tampering
def files_do_not_say_which_agents_tell_their_cost(patch: Patch) -> None:
    """Ruling 11: a run of another process seems free until its agents have told what they spent."""
    patch.setattr(report_folds, "SILENT_KINDS", frozenset({"command", "practice", "claude-code"}))


@tampering
def each_place_has_its_own_now(patch: Patch) -> None:
    """Kept rows lag behind chips that are made anew."""
    patch.setattr(watching.Watching, "_now", lambda self: self._clock())


@tampering
def the_canvas_draws_the_file_of_now(patch: Patch) -> None:
    """OWN8, PIN4: after an edit the nodes of a live run are those of the file."""
    right = present_board.Board.show

    def show(board: Any, workflow: Any, views: Any, letters: Any, now: Any, graphs: Any = None) -> Any:
        return right(board, workflow, views, letters, now, {view.pins.workflow: workflow for view in views})

    patch.setattr(present_board.Board, "show", show)


@tampering
def the_newest_run_alone_is_drawn(patch: Patch) -> None:
    """Nodes that only older runs have are left out, with their states."""
    right = present_graph._sources
    patch.setattr(present_graph, "_sources", lambda *asked: right(*asked)[:1])


@tampering
def nobody_says_that_the_file_has_changed(patch: Patch) -> None:
    patch.setattr(present, "drawn_words", lambda *asked, **named: "")


@tampering
def a_workflow_once_read_is_drawn_for_every_run(patch: Patch) -> None:
    """The stale drawing: what the window read first stands for what later runs began with."""
    right = link._graphs_of
    first: dict[Any, Any] = {}

    async def stale(*asked: Any) -> Any:
        graphs = await right(*asked)
        return {revision: first.setdefault(graph.id, graph) for revision, graph in graphs.items()}

    patch.setattr(link, "_graphs_of", stale)


@tampering
def wires_are_green_whatever_they_wait_for(patch: Patch) -> None:
    def passed(edge: Any, end: Any, *, is_approval: bool, target_began: bool) -> bool:
        return target_began and end is NodeEnd.SUCCESS

    patch.setattr(present_board, "is_passed", passed)


@tampering
def a_wire_is_green_once_one_run_went_through(patch: Patch) -> None:
    """OWN3: a run that has no row of its own speaks for those that wait."""
    patch.setattr(present_board, "is_to_come", lambda edge, end, *, target_began: False)


@tampering
def a_run_that_is_done_is_louder_than_one_that_waits(patch: Patch) -> None:
    """OWN3: the same of nodes."""

    def loudness(badge: Any) -> Any:
        return badge.family is Family.NEUTRAL, *badges.loudness(badge)

    patch.setattr(present_nodes, "loudness", loudness)


@tampering
def a_list_of_workflows_keeps_its_first_status(patch: Patch) -> None:
    """OWN3: what was read when the folder was opened stands in the picker until it is opened again."""
    right = present.listed
    first: dict[Any, Any] = {}

    def stale(*asked: Any) -> Any:
        return {flow: first.setdefault(flow, status) for flow, status in right(*asked).items()}

    patch.setattr(present, "listed", stale)


@tampering
def a_sibling_speaks_in_the_list(patch: Patch) -> None:
    """ID4: the newest run of any workflow lends its status to all that are listed."""
    right = present.listed

    def of_all(flows: Any, living: Any, *rest: Any) -> Any:
        lent = [replace(run, workflow_id=flow) for flow in flows for run in living]
        return right(flows, tuple(lent), *rest)

    patch.setattr(present, "listed", of_all)
