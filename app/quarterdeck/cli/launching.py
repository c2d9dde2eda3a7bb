"""`run FILE`: check, show what will start, launch, supervise, sum up.

The file is judged over a store opened for reading only, so that a bad file leaves nothing written; the bytes that were
shown are the bytes that are launched.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.cli.checking import say_other_home, tell_broken, tell_not_built
from quarterdeck.cli.console import Console, OutputLost
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.cli.failures import say_problems, tell_lost
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import count_text, escaped
from quarterdeck.cli.supervise import Ending, Manner, supervise
from quarterdeck.cli.words import run_summary_text, run_word, slot_title, title_text
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.planned import BrokenWorkflow, FoundSettings, LaunchPreview, PlannedCommand


@dataclass(frozen=True, slots=True)
class LaunchWish:
    """What stood on the command line."""

    file: Path
    inputs: tuple[str, ...]
    events: bool = False
    no_wait: bool = False


async def launch(call: Call, wish: LaunchWish) -> int:
    """Launch and supervise; the exit code of design §8."""
    request = LaunchRequest(wish.file.absolute(), _inputs(wish.inputs))
    preview = await _preview(call, request)
    if isinstance(preview, int):
        return preview
    _say_commands(call.console, preview)
    agreed = LaunchRequest(request.path, request.inputs, content=preview.content)
    async with call.door() as door:
        run = await door.launch(agreed)
        if isinstance(run, Refusal):
            raise Refused(run)
        call.console.say(f"Run {run} has started.")
        ending = await supervise(call, door, run, Manner(events=wish.events, no_wait=wish.no_wait))
    return finish(call.console, ending, events=wish.events)


def _inputs(pairs: tuple[str, ...]) -> dict[str, str]:
    inputs: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageProblem(f"--input takes NAME=VALUE, not {pair!r}.")
        if name in inputs:
            raise UsageProblem(f"--input {name} is given twice; give it once.")
        inputs[name] = value
    return inputs


async def _preview(call: Call, request: LaunchRequest) -> LaunchPreview | int:
    async with call.door(read_only=True) as door:
        loaded = await door.load(request.path)
        if isinstance(loaded, BrokenWorkflow):
            return tell_broken(call, loaded)
        if loaded.not_built:
            return tell_not_built(call, loaded)
        say_problems(call.console, request.path, loaded.warnings)
        await say_other_home(call, door, loaded)
        preview = await door.preview(request)
        if isinstance(preview, Refusal):
            raise Refused(preview)
        return preview


def _say_commands(console: Console, preview: LaunchPreview) -> None:
    """What will start, and where (ruling 26)."""
    console.say(escaped(f"{title_text(preview.loaded.workflow.name)}: {preview.outcome}"))
    for command in preview.commands:
        console.say(_command_line(command))
    for command in preview.alternatives:
        console.say(f"{_command_line(command)}; instead, where a person chooses so")
    for grant in preview.grants:
        console.say(escaped(f"  {grant.what} of {grant.agent}: {grant.text}"))
    for server in preview.servers:
        console.say(escaped(f"  MCP server {server.name} of {server.agent}: {server.line}"))
    for path in preview.instructions:
        console.say(escaped(f"  Instructions found: {path}"))
    for found in preview.settings:
        console.say(escaped(f"  Settings found: {_settings_line(found)}"))


def _settings_line(found: FoundSettings) -> str:
    if not found.is_readable:
        return f"{found.path}; what it starts cannot be told"
    more = [f"and {found.more} more"] if found.more else []
    return f"{found.path}; it starts {'; '.join([*found.starts, *more])}" if found.starts else str(found.path)


def _command_line(command: PlannedCommand) -> str:
    what = shlex.join(command.argv) if command.argv else command.kind
    practice = " (practice: no model, no cost)" if command.kind == "practice" else ""
    found = f" [{command.program}]" if command.program and command.program not in command.argv[:1] else ""
    return escaped(f"  {title_text(command.node_title)}{practice}: {what}{found}, in {command.cwd}")


def finish(console: Console, ending: Ending, *, events: bool = False) -> int:
    """The summary on stderr and, with `--json`, the run on stdout."""
    view = ending.view
    for line in _summary(view, console.now_ms()):
        console.say(line)
    if console.as_json and not events:
        try:
            console.print_document(run_to_json(view, with_slots=True))
        except BrokenPipeError:
            return ending.exit_code  # nobody wants the document; the run's result stands
        except OutputLost as fault:
            return tell_lost(console, fault, ending.exit_code)
    return ending.exit_code


def _remedy(view: RunView) -> str:
    return f"see to {view.waits_for}" if view.waits_for else "free some space"


def _summary(view: RunView, now_ms: int) -> list[str]:
    why = f" ({view.reason.rstrip('.')})" if view.reason else ""
    lines = [f"{title_text(view.workflow_name)}: {run_word(view)}{why}. {run_summary_text(view, now_ms)}."]
    refused = [slot for slot in view.slots if slot.refused == Code.E_CRED_REMEMBERED]
    lines += [
        f"  {slot_title(slot)}: {slot.display}" + (f", {slot.reason}" if slot.reason else "")
        for slot in view.slots
        if slot.display not in ("Done", "Skipped", "Not started")
        and not (len(refused) > 1 and slot in refused)
    ]
    if len(refused) > 1:  # one message and a summary, not one for each (AUT7)
        lines.append(
            f"  {count_text(len(refused), 'agent')} were not started, as their sign-in is known to fail."
        )
    if view.fault:
        lines.append(view.fault)
    elif view.recording is False:
        lines.append(
            f"The store could not be written, so what is recorded of this run is incomplete: {_remedy(view)}."
        )
    lines.append(f"`quarterdeck show {view.run_id[:14]}` shows it in full.")
    return [escaped(line) for line in lines]
