"""`check FILE`: every fault of a workflow file, with its place. Opens the store for reading only; writes nothing."""

from __future__ import annotations

from pathlib import Path

from quarterdeck.cli import exits, failures
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import count_text, escaped
from quarterdeck.cli.words import title_text
from quarterdeck.engine.door import BrokenWorkflow, LoadedWorkflow


async def check(call: Call, file: Path) -> int:
    """Exit 0 where a launch would take the file, else 2. Warnings alone leave 0."""
    async with call.door(read_only=True) as door:
        loaded = await door.load(file)
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


def tell_broken(call: Call, broken: BrokenWorkflow) -> int:
    """A file that does not load."""
    faults = count_text(sum(not one.warning for one in broken.problems), "fault")
    message = f"{escaped(str(broken.path))} cannot be used: correct {faults}."
    return failures.tell_problems(call.console, broken.path, broken.problems, "E_WORKFLOW", message)


def tell_not_built(call: Call, loaded: LoadedWorkflow) -> int:
    """A file that uses parts of the format which this version does not build yet."""
    message = f"{escaped(str(loaded.path))} uses what this version cannot run yet: take it out, or wait for a later one."
    return failures.tell_problems(call.console, loaded.path, loaded.not_built, "E_NOT_BUILT", message)
