"""`export`: one run as JSON or Markdown on stdout, without environments, home folders and the secrets that can be looked for."""

from __future__ import annotations

from quarterdeck.cli import exits
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.cli.finding import find_run
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import escaped, escaped_lines
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.recovery import UnsoughtSecret, named_secret

PREVIEW_LINES = 40
NOT_WRITTEN = (
    "Nothing was written: secrets that its agents were given could not be looked for, so they may stand in the text: {secrets}. "
    "Export it where they are known, or look at it with --preview and give --without-secrets-check."
)


async def export(call: Call, start: str, form: str, preview: bool, without_check: bool) -> int:
    """preview: the first lines alone; what is taken out, and what could not be looked for, is said on stderr in both cases.

    without_check: written also where a secret that an agent was given is not known now, so that it may stand in the text.
    """
    if form not in ("json", "markdown"):
        raise UsageProblem(f"--format takes json or markdown, not {form!r}.")
    async with call.door(read_only=True) as door:
        view = await find_run(door, start)
        made = await door.recovery.export(view, "json" if form == "json" else "markdown")
    unsought = "; ".join(map(_unsought, made.unsought))
    if unsought and not (preview or without_check):
        raise Refused(Refusal(Code.E_CREDENTIAL, NOT_WRITTEN.format(secrets=unsought)))
    text = made.text
    if preview:
        lines = text.splitlines(keepends=True)
        text = "".join(lines[:PREVIEW_LINES])
        call.console.say(f"Preview: {min(len(lines), PREVIEW_LINES)} of {len(lines)} lines.")
    call.console.print_text(escaped_lines(text) if call.console.out.is_terminal else text)
    call.console.say("Taken out, or no part of it: " + escaped("; ".join(made.stripped)) + ".")
    if unsought:
        call.console.say(f"Not looked for, so it may stand in the text: {unsought}.")
    return exits.DONE


def _unsought(secret: UnsoughtSecret) -> str:
    return f"{escaped(named_secret(secret.variable, secret.source))} ({secret.why})"
