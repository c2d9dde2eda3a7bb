"""`discard RUN [--undo]`, `pin RUN [--undo]` and `prune [--dry-run]`: what leaves the list, by a person's word or by the caps of
the store, and what a person holds there.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.errors import Refused
from quarterdeck.cli.finding import find_run
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import count_text, escaped, size_text, table
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.keeping import Why
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import run_to_json

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door
    from quarterdeck.engine.keeping import Collected, Pruned

_WHY = {
    Why.COUNT: "more runs than are kept",
    Why.SIZE: "records above their size",
    Why.TOO_LARGE: "its record is too large",
    Why.TRANSCRIPTS: "transcripts only: above their size",
}
PINNED_MAX = 20
"""Pinned runs that are named, one a line."""


async def discard(call: Call, start: str, undo: bool) -> int:
    """Exit 0, or 5 where a guard refuses. What nobody knows is said before anything is done (REC13)."""
    async with call.door() as door:
        if undo:
            return await _undo(call.console, door, start)
        run = await _find_any(door, start)
        await _say_effects(call.console, door, run)
        was_pinned = run in door.pinned()
        done = await door.keeping.discard(run)
        if isinstance(done, Refusal):
            raise Refused(done)
        until = datetime.fromtimestamp(done.until_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
        call.console.say(
            escaped(
                f"{done.workflow_name or 'The run'} ({run[:14]}) is discarded. Its totals stay; files that its agents wrote are not "
                f"touched. `quarterdeck discard {run} --undo` brings it back until {until}."
            )
        )
        if was_pinned:
            call.console.say(
                "It was pinned. If it is brought back, it is pinned again; otherwise it goes like any other."
            )
        if call.console.as_json:
            unread: dict[str, Any] = {"run_id": run, "phase": "closed", "slots": []}
            call.console.print_document(run_to_json(done.view) if done.view is not None else unread)
    return exits.DONE


async def _undo(console: Console, door: Door, start: str) -> int:
    bare = start.strip().lower().removeprefix("r-")
    found = [one.run for one in await door.keeping.discarded()]
    fitting = [run for run in found if bare and run.removeprefix("r-").startswith(bare)]
    if len(fitting) > 1:
        message = f"{start!r} fits {len(fitting)} discarded runs; write more of the id."
        raise Refused(Refusal(Code.E_AMBIGUOUS, message))
    done = await door.keeping.undo_discard(fitting[0] if fitting else RunId(start))
    if isinstance(done, Refusal):
        raise Refused(done)
    console.say(escaped(f"{done[:14]} is back, with everything that it had."))
    if console.as_json and (view := await door.run(done)) is not None:
        console.print_document(run_to_json(view))
    return exits.DONE


async def pin(call: Call, start: str, undo: bool) -> int:
    """Exit 0, or 5 where there is no such run."""
    async with call.door() as door:
        run = await _find_any(door, start)
        done = await (door.keeping.unpin(run) if undo else door.keeping.pin(run))
        if isinstance(done, Refusal):
            raise Refused(done)
        if undo:
            call.console.say(f"{run[:14]} is not pinned any more; it leaves when its turn comes.")
        else:
            call.console.say(
                f"{run[:14]} is pinned: it stays with its transcripts, also above what the settings allow, until "
                f"`quarterdeck pin {run} --undo` or a discard."
            )
        if call.console.as_json:
            call.console.print_document({"run_id": run, "pinned": not undo})
    return exits.DONE


async def _find_any(door: Door, start: str) -> RunId:
    """A run by a start of its id, also one that cannot be read (case 20)."""
    found = await door.find_run(start)
    if not isinstance(found, Refusal):
        return found
    unread = dict(found.detail).get("run")
    if found.code is Code.E_RUN and unread and unread in door.unreadable():
        return RunId(unread)
    await find_run(door, start)
    raise Refused(found)


async def _say_effects(console: Console, door: Door, run: RunId) -> None:
    effects = await door.keeping.unknown_effects(run)
    if effects:
        console.say(
            f"What became of {count_text(len(effects), 'effect')} is not known; look before you forget:"
        )
    for one in effects:
        console.say(escaped(f"  {one.slot or one.attempt}#{one.id}  {one.type}  {one.target}"))


async def prune(call: Call, dry_run: bool) -> int:
    """What goes and why, then it goes; with --dry-run only the first."""
    async with call.door(read_only=dry_run) as door:
        done = await door.keeping.prune(dry_run=dry_run)
    if isinstance(done, Refusal):
        raise Refused(done)
    if call.console.as_json:
        call.console.print_document(prune_document(done))
    else:
        _print_table(call.console, done)
    freed = sum(one.size_bytes for one in done.leaving)
    verb = "would go" if dry_run else "went"
    call.console.say(
        f"{count_text(_runs_in(done), 'run')} {verb}, {size_text(freed)} in all. Kept: {count_text(done.runs, 'run')}, "
        f"{size_text(done.size_bytes)} and {size_text(done.transcript_bytes)} of transcripts."
    )
    _say_pinned(call.console, done)
    _say_collected(call.console, done.collected, dry_run)
    if done.is_over:
        call.console.say(
            "That is above what the settings allow: the newest run of each workflow is kept, and so are runs that you pinned, "
            "and those that are live, looked at, or interrupted and not answered."
        )
    return exits.DONE


def _say_pinned(console: Console, done: Pruned) -> None:
    """What no cap lets go, and what it comes to."""
    if not done.pinned:
        return
    size = sum(one.size_bytes + one.transcript_bytes for one in done.pinned)
    console.say(
        f"Kept: pinned by you: {count_text(len(done.pinned), 'run')}, {size_text(size)} with transcripts."
    )
    for one in done.pinned[:PINNED_MAX]:
        name = done.names.get(one.run, "")
        console.say(escaped(f"  {one.run[:14]}  {size_text(one.size_bytes + one.transcript_bytes)}  {name}"))
    if len(done.pinned) > PINNED_MAX:
        console.say(f"  and {len(done.pinned) - PINNED_MAX} more")


def _say_collected(console: Console, found: Collected, dry_run: bool) -> None:
    """Contents that no run needs any more."""
    if found.why_not:
        console.say(escaped(f"Pinned contents stay as they are: {found.why_not}."))
    elif found.count:
        verb = "would go" if dry_run else "went"
        what = count_text(found.count, "pinned content")
        console.say(f"{what} that no run needs any more {verb}, {size_text(found.size_bytes)}.")


def prune_document(done: Pruned) -> dict[str, Any]:
    """`prune --json`."""
    limits = done.limits
    return {
        "dry_run": done.dry_run,
        "leaving": [
            {
                "run_id": one.kept.run,
                "workflow_id": one.kept.workflow,
                "workflow_name": done.names.get(one.kept.run, ""),
                "why": one.why.value,
                "size_bytes": one.size_bytes,
            }
            for one in done.leaving
        ],
        "kept": {
            "runs": done.runs,
            "size_bytes": done.size_bytes,
            "transcript_bytes": done.transcript_bytes,
            "is_over": done.is_over,
        },
        "pinned": _pinned_documents(done),
        "objects": {
            "count": done.collected.count,
            "size_bytes": done.collected.size_bytes,
            "why_not": done.collected.why_not,
        },
        "limits": {
            "runs": limits.runs,
            "size_bytes": limits.size_bytes,
            "record_bytes": limits.record_bytes,
            "transcript_bytes": limits.transcripts_bytes,
        },
    }


def _pinned_documents(done: Pruned) -> list[dict[str, Any]]:
    return [
        {
            "run_id": one.run,
            "workflow_id": one.workflow,
            "workflow_name": done.names.get(one.run, ""),
            "size_bytes": one.size_bytes,
            "transcript_bytes": one.transcript_bytes,
        }
        for one in done.pinned
    ]


def _runs_in(done: Pruned) -> int:
    return sum(one.why is not Why.TRANSCRIPTS for one in done.leaving)


def _print_table(console: Console, done: Pruned) -> None:
    rows: list[tuple[str, ...]] = [
        (one.kept.run[:14], done.names.get(one.kept.run, ""), size_text(one.size_bytes), _WHY[one.why])
        for one in done.leaving
    ]
    if rows:
        console.print_text(table(("RUN", "WORKFLOW", "SIZE", "WHY"), rows, console.out.size()[0]))
