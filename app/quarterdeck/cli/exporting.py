"""`export`: one run as JSON or Markdown on stdout, without secrets, home folders and environments."""

from __future__ import annotations

from quarterdeck.cli import exits
from quarterdeck.cli.errors import UsageProblem
from quarterdeck.cli.finding import find_run
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import escaped_lines

PREVIEW_LINES = 40


async def export(call: Call, start: str, form: str, preview: bool) -> int:
    """preview: the first lines alone; in both cases what is taken out is said on stderr."""
    if form not in ("json", "markdown"):
        raise UsageProblem(f"--format takes json or markdown, not {form!r}.")
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        made = await door.recovery.export(view, "json" if form == "json" else "markdown")
    text = made.text
    if preview:
        lines = text.splitlines(keepends=True)
        text = "".join(lines[:PREVIEW_LINES])
        call.console.say(f"Preview: {min(len(lines), PREVIEW_LINES)} of {len(lines)} lines.")
    call.console.print_text(escaped_lines(text) if call.console.out.is_terminal else text)
    call.console.say("Taken out, or no part of it: " + "; ".join(made.stripped) + ".")
    return exits.DONE
