"""What is known: `runs`, `show`, `status`. Reads through the door and starts nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.cli import exits
from quarterdeck.cli.errors import UsageProblem
from quarterdeck.cli.finding import find_run
from quarterdeck.cli.loop import Call
from quarterdeck.cli.masking import mask_listed, mask_run
from quarterdeck.cli.plain_text import count_text, escaped, money_text, size_text, table, time_text
from quarterdeck.cli.words import run_money, run_word
from quarterdeck.domain.projection import WorkflowStatus
from quarterdeck.domain.show import run_to_json, status_to_json, summary_to_json
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunSummary

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

STATES = ("live", "ended", "interrupted")


async def list_runs(call: Call, workflow: str | None, state: str | None) -> int:
    """`runs`: newest launch first, as a table or as `{"runs": […]}`. An interrupted run has also ended."""
    if state is not None and state not in STATES:
        raise UsageProblem(f"--state takes one of {', '.join(STATES)}, not {state!r}.")
    async with call.door(read_only=True) as door:
        found = [run for run in door.runs() if _fits(run, workflow, state)]
        await mask_listed(call.console.masks, door, found, os.environ)
        found = [call.console.masks.value(run) for run in found]
        unreadable = await door.keeping.unreadable()
        kept = None if call.console.as_json or not found else await door.keeping.kept()
        none = "" if call.console.as_json or found else await _none_words(door)
    if call.console.as_json:
        listed = [{"run_id": one.run or None, "path": str(one.path), "reason": one.why} for one in unreadable]
        call.console.print_document({"runs": [summary_to_json(run) for run in found], "unreadable": listed})
    elif found:
        call.console.print_text(_runs_table(found, call.console.out.size()[0]))
    else:
        call.console.say("No run fits." if workflow or state or unreadable else none)
    if unreadable:
        what = "1 thing" if len(unreadable) == 1 else f"{len(unreadable)} things"
        told = "; ".join(f"{one.run or one.path} ({one.why})" for one in unreadable)
        call.console.say(escaped(f"{what} in the store could not be read: {told}"))
    if kept is not None:
        call.console.say(
            f"Kept on this computer only: {count_text(kept.runs, 'run')}, {size_text(kept.size_bytes)}."
        )
    return exits.DONE


async def _none_words(door: Door) -> str:
    """Where no run is kept: that there were some is not forgotten."""
    if discarded := len(await door.keeping.discarded()):
        what = "1 run was discarded" if discarded == 1 else f"{discarded:,} runs were discarded"
        return f"No run is kept here any more. {what}: `quarterdeck discard RUN --undo` brings one back."
    if door.closed():
        return "No run is kept here any more. `quarterdeck run FILE` starts one."
    return "Nothing was run yet. `quarterdeck run FILE` starts."


def _fits(run: RunSummary, workflow: str | None, state: str | None) -> bool:
    if (
        workflow is not None
        and workflow != run.workflow_id
        and workflow.casefold() != run.workflow_name.casefold()
    ):
        return False
    match state:
        case "live":
            return run.is_live
        case "ended":
            return not run.is_live
        case "interrupted":
            return run.outcome is Outcome.INTERRUPTED
        case _:
            return True


def _runs_table(runs: list[RunSummary], columns: int) -> str:
    rows: list[tuple[str, ...]] = [
        (
            run.run_id[:14],
            run.workflow_name,
            time_text(run.started_at),
            run_word(run),
            str(run.turns),
            run_money(run),
            "another Quarterdeck runs it" if run.is_live and run.foreign else run.reason,
        )
        for run in runs
    ]
    return table(("RUN", "WORKFLOW", "STARTED", "STATE", "TURNS", "COST", "WHY"), rows, columns)


async def show(call: Call, start: str) -> int:
    """`show RUN`: one run in full."""
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        await mask_run(call.console.masks, door, view.run_id)
    view = call.console.masks.value(view)
    if call.console.as_json:
        call.console.print_document(run_to_json(view, with_slots=True))
    else:
        from quarterdeck.cli.detail import run_detail

        call.console.print_text(run_detail(view, call.console.now_ms()))
    return exits.DONE


async def status(call: Call, path: Path | None) -> int:
    """`status [PATH]`: the workflows of a folder, joined with those in the store (ruling 29)."""
    folder = _folder(path)
    async with call.door(read_only=True) as door:
        await door.workspace(folder)  # statuses are of the folder as it was read last
        statuses = door.statuses(folder)
    if call.console.as_json:
        call.console.print_document({"workflows": [status_to_json(one) for one in statuses]})
    elif statuses:
        rows = [_status_row(one) for one in statuses]
        head = ("WORKFLOW", "STATE", "LIVE", "TURNS", "COST", "RUN")
        call.console.print_text(table(head, rows, call.console.out.size()[0]))
    else:
        call.console.say("There is no workflow here, and none was run yet.")
    return exits.DONE


def _folder(path: Path | None) -> Path:
    folder = path or Path.cwd()
    if folder.is_file():
        folder = folder.parent
    if not folder.is_dir():
        raise UsageProblem(f"There is no folder {str(folder)!r}; name the folder that holds the workflows.")
    return folder.absolute()


def _status_row(one: WorkflowStatus) -> tuple[str, ...]:
    if one.shown_run is None:
        return (one.workflow_name, "never run", "0", "–", "–", "–")
    state = "live" if one.state == "live" else (one.outcome.value if one.outcome else one.state)
    state += f", {one.closed}" if one.closed else ""
    return (
        one.workflow_name,
        state,
        str(one.live),
        str(one.turns),
        money_text(one.cost_usd, one.cost_is_complete, one.cost_source),
        one.shown_run[:14],
    )
