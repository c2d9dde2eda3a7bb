"""`check FILE`: every fault of a workflow file, with its place. Opens the store for reading only; writes nothing but, with
`--new-id`, another id into the file.
"""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.cli import exits, failures
from quarterdeck.cli.errors import UsageProblem
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import count_text, escaped
from quarterdeck.cli.words import title_text
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door


async def check(call: Call, file: Path, new_id: bool = False) -> int:
    """Exit 0 where a launch would take the file, else 2. Warnings alone leave 0. new_id: a copy gets an id of its own first."""
    if new_id:
        from quarterdeck.engine.homes import NoNewId, give_new_id

        try:
            call.console.say(escaped(f"{file} has a new id: {await asyncio.to_thread(give_new_id, file)}."))
        except NoNewId as error:
            raise UsageProblem(str(error)) from error
    async with call.door(read_only=True) as door:
        loaded = await door.load(file)
        await say_other_home(call, door, loaded)
    if isinstance(loaded, BrokenWorkflow):
        return tell_broken(call, loaded)
    if loaded.not_built:
        return tell_not_built(call, loaded)
    failures.say_problems(call.console, file, loaded.warnings)
    workflow = loaded.workflow
    if call.console.as_json:
        document = {
            "file": str(file),
            "workflow_id": workflow.id,
            "workflow_name": workflow.name,
            "valid": True,
        }
        call.console.print_document(
            {**document, "problems": [failures.problem_document(one) for one in loaded.warnings]}
        )
    else:
        parts = f"{count_text(len(workflow.nodes), 'node')}, {count_text(len(workflow.agents), 'agent')}"
        call.console.print_text(escaped(f"{title_text(workflow.name)}: no fault found ({parts}).") + "\n")
    return exits.DONE


async def say_other_home(call: Call, door: Door, loaded: LoadedWorkflow | BrokenWorkflow) -> None:
    """A file that was copied with its id shares its runs with the other one (STO5)."""
    if isinstance(loaded, BrokenWorkflow):
        return
    other = await door.keeping.other_home(loaded.workflow.id, loaded.path)
    if other is not None:
        text = f"{other} has the same id, so the runs of both are shown as those of one workflow."
        call.console.say(
            escaped(
                f"{text} `quarterdeck check {shlex.quote(loaded.path.name)} --new-id` gives this one an id of its own."
            )
        )


def tell_broken(call: Call, broken: BrokenWorkflow) -> int:
    """A file that does not load."""
    faults = count_text(sum(not one.warning for one in broken.problems), "fault")
    message = f"{escaped(str(broken.path))} cannot be used: correct {faults}."
    return failures.tell_problems(call.console, broken.path, broken.problems, "E_WORKFLOW", message)


def tell_not_built(call: Call, loaded: LoadedWorkflow) -> int:
    """A file that uses parts of the format which this version does not build yet."""
    message = f"{escaped(str(loaded.path))} uses what this version cannot run yet: take it out, or wait for a later one."
    return failures.tell_problems(call.console, loaded.path, loaded.not_built, "E_NOT_BUILT", message)
