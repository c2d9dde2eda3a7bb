"""The command line: verbs, options and help, read with typer; errors become one sentence and an exit code.

A verb's own module is imported when the verb is called. Nothing here knows Qt: the window is opened by a function
that the composition root hands in.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from quarterdeck import __version__
from quarterdeck.cli import (
    budget_verbs,
    credential_verbs,
    doctor_verb,
    exits,
    failures,
    import_verb,
    keeping_verbs,
)
from quarterdeck.cli.console import Console, FdSink
from quarterdeck.cli.errors import UsageProblem
from quarterdeck.cli.loop import EngineSource, LocalEngine, Verb, run_call
from quarterdeck.cli.recovery_verbs import add_recovery_verbs

# Typer keeps its own copy of click, earlier releases import click: this is the root of either's usage errors.
_CommandLineError: type[Exception] = typer.BadParameter.__mro__[2]

OpenWindow = Callable[[Path | None], int]
NewSource = Callable[[bool], EngineSource]

_SETTINGS: dict[str, Any] = {
    "invoke_without_command": True,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "subcommand_metavar": "[PATH | VERB ...]",
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 110},
    "epilog": "Exit codes of run, claim and resume: 0 done, 1 failed, 2 usage or invalid file, 3 stopped or interrupted, "
    "4 waits for a person, 5 refused, 6 the store cannot be written, 130 Ctrl+C.",
}
app = typer.Typer(name="quarterdeck", **_SETTINGS)


@dataclass
class Program:
    """What the verbs share in one call."""

    console: Console
    open_window: OpenWindow
    new_source: NewSource

    def call(self, verb: Verb, *, as_json: bool, starts_agents: bool = False) -> int:
        """Run a verb over an engine of its own."""
        self.console.as_json = as_json
        try:
            return run_call(verb, self.console, self.new_source(starts_agents))
        except BrokenPipeError:  # who read stdout has seen enough; typer would make an exit 1 of it
            return exits.DONE


def run_program(
    argv: Sequence[str],
    *,
    open_window: OpenWindow,
    new_source: NewSource = LocalEngine,
    console: Console | None = None,
) -> int:
    """One call of the program, to its exit code. `quarterdeck [PATH]` opens the window; all else is a verb."""
    console = console or _console()
    program = Program(console, open_window, new_source)
    console.as_json = "--json" in argv  # for what goes wrong before the verb is known
    try:
        if _is_for_window(argv):
            return open_window(_window_path(argv))
        result = app(args=list(argv), standalone_mode=False, prog_name="quarterdeck", obj=program)
        return result if isinstance(result, int) else exits.DONE
    except _CommandLineError as error:
        verb = f" {argv[0]}" if argv and argv[0] in _verbs() else ""
        message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
        return failures.tell_usage(console, f"{message}. See `quarterdeck{verb} --help`.")
    except typer.Abort:
        return exits.CTRL_C
    except KeyboardInterrupt:
        return exits.CTRL_C
    except Exception as error:  # noqa: BLE001 - the top of the program: each error gets its sentence and its code
        return failures.tell(console, error)


def _console() -> Console:
    return Console(
        out=FdSink(1, getattr(sys.stdout, "encoding", None) or "utf-8"),
        err=FdSink(2, getattr(sys.stderr, "encoding", None) or "utf-8"),
        stdin_fd=0 if sys.stdin is not None else None,
    )


def _verbs() -> tuple[str, ...]:
    return tuple(command.name for command in app.registered_commands if command.name)


def _is_for_window(argv: Sequence[str]) -> bool:
    if "_QUARTERDECK_COMPLETE" in os.environ:
        return False
    return not argv or argv[0] == "--" or not (argv[0].startswith("-") or argv[0] in _verbs())


def _window_path(argv: Sequence[str]) -> Path | None:
    words = list(argv[1:] if argv[:1] == ["--"] else argv)
    if not words:
        return None
    path = Path(words[0])
    if not path.exists():
        near = difflib.get_close_matches(words[0], _verbs(), n=1)
        hint = f"Did you mean `quarterdeck {near[0]}`?" if near else "See `quarterdeck --help`."
        raise UsageProblem(f"There is no verb and no file or folder named {words[0]!r}. {hint}")
    if len(words) > 1:
        raise UsageProblem("The window opens one workspace or workflow; give one path.")
    return path


# ------------------------------------------------------------------------------------------- the verbs

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Run id, or an unambiguous start of one.")]
NodeArgument = Annotated[str, typer.Argument(metavar="NODE", help="Node id; node[3] with for_each.")]
MaybeNodeArgument = Annotated[
    str | None, typer.Argument(metavar="[NODE]", help="Node id; node[3] with for_each.")
]
AgentOption = Annotated[
    str | None, typer.Option("--agent", metavar="NAME", help="Another of the node's agents.")
]
ClassOption = Annotated[str | None, typer.Option("--class", metavar="CLASS", help="Any agent of this class.")]
ReasonOption = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept in the record.")]
GoOnOption = Annotated[bool, typer.Option("--go-on", help="Let the workflow go on from here.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"quarterdeck {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Launch workflows of AI agents, watch them, and be told the truth about them.

    With a PATH, or alone, the window opens on that workspace or workflow. With a verb the work is done here.
    """


@app.command("run")
def _run(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A NAME.workflow.json.")],
    inputs: Annotated[
        list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="One input; may be repeated.")
    ] = None,
    as_json: JsonOption = False,
    events: Annotated[
        bool, typer.Option("--events", help="One event a line on stdout, as they happen.")
    ] = False,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="End an agent that asks, with exit 4.")] = False,
) -> int:
    """Launch a workflow and supervise it here. Its commands are shown first; naming the file is trust for them."""
    from quarterdeck.cli.launching import LaunchWish, launch

    wish = LaunchWish(file, tuple(inputs or ()), events=events, no_wait=no_wait)
    return _program(ctx).call(lambda call: launch(call, wish), as_json=as_json, starts_agents=True)


@app.command("runs")
def _runs(
    ctx: typer.Context,
    workflow: Annotated[str | None, typer.Option("--workflow", metavar="W", help="Id or name.")] = None,
    state: Annotated[
        str | None, typer.Option("--state", metavar="live|ended|interrupted", help="Only runs of this state.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """The runs that are known, newest first."""
    from quarterdeck.cli.history import list_runs

    return _program(ctx).call(lambda call: list_runs(call, workflow, state), as_json=as_json)


@app.command("show")
def _show(ctx: typer.Context, run: RunArgument, as_json: JsonOption = False) -> int:
    """One run in full."""
    from quarterdeck.cli.history import show

    return _program(ctx).call(lambda call: show(call, run), as_json=as_json)


@app.command("logs")
def _logs(
    ctx: typer.Context,
    run: RunArgument,
    node: MaybeNodeArgument = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Wait for more until the run ends.")] = False,
    in_words: Annotated[
        bool | None,
        typer.Option(
            "--words/--raw", help="What protocols say in words, or as it came. On a terminal: words."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """What the agents printed. Raw bytes into a file or pipe; in words, control sequences escaped, on a terminal."""
    from quarterdeck.cli.transcripts import logs

    return _program(ctx).call(lambda call: logs(call, run, node, follow, in_words=in_words), as_json=as_json)


@app.command("status")
def _status(
    ctx: typer.Context,
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="A folder; default: this one.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Each workflow of a folder with its projected run and the number of live runs."""
    from quarterdeck.cli.history import status

    return _program(ctx).call(lambda call: status(call, path), as_json=as_json)


@app.command("pause")
def _pause(ctx: typer.Context, run: RunArgument, node: NodeArgument, as_json: JsonOption = False) -> int:
    """Hold an agent. A request that it already sent may still be billed."""
    from quarterdeck.cli.acting import pause

    return _program(ctx).call(lambda call: pause(call, run, node), as_json=as_json)


@app.command("continue")
def _continue(ctx: typer.Context, run: RunArgument, node: NodeArgument, as_json: JsonOption = False) -> int:
    """Let a paused agent go on."""
    from quarterdeck.cli.acting import continue_

    return _program(ctx).call(lambda call: continue_(call, run, node), as_json=as_json)


@app.command("stop")
def _stop(
    ctx: typer.Context, run: RunArgument, node: MaybeNodeArgument = None, as_json: JsonOption = False
) -> int:
    """End a run, or one agent of it, also where another process owns the run."""
    from quarterdeck.cli.acting import stop

    return _program(ctx).call(lambda call: stop(call, run, node), as_json=as_json)


@app.command("answer")
def _answer(
    ctx: typer.Context,
    run: RunArgument,
    request: Annotated[str, typer.Argument(metavar="REQUEST", help="The question's id, or its node.")],
    choice: Annotated[str, typer.Argument(metavar="CHOICE", help="One of the question's options.")],
    as_json: JsonOption = False,
) -> int:
    """Answer an open question, once."""
    from quarterdeck.cli.acting import answer

    return _program(ctx).call(lambda call: answer(call, run, request, choice), as_json=as_json)


@app.command("say")
def _say(
    ctx: typer.Context,
    run: RunArgument,
    node: NodeArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say to the agent, as one argument.")],
    as_json: JsonOption = False,
) -> int:
    """Send a message to an agent at work, where its program takes one."""
    from quarterdeck.cli.acting import say

    return _program(ctx).call(lambda call: say(call, run, node, text), as_json=as_json)


@app.command("reassign")
def _reassign(
    ctx: typer.Context,
    run: RunArgument,
    node: NodeArgument,
    reason: ReasonOption,
    agent: AgentOption = None,
    worker_class: ClassOption = None,
    as_json: JsonOption = False,
) -> int:
    """Re-open the slot of an agent that ended. Starts nothing."""
    from quarterdeck.cli.reopening import Reopening, reassign

    wish = Reopening(run, node, reason, agent, worker_class)
    return _program(ctx).call(lambda call: reassign(call, wish), as_json=as_json)


@app.command("claim")
def _claim(
    ctx: typer.Context,
    run: RunArgument,
    node: NodeArgument,
    go_on: GoOnOption = False,
    as_json: JsonOption = False,
) -> int:
    """Start one attempt on a slot and supervise it until it ends (with --go-on: until the run ends)."""
    from quarterdeck.cli.reopening import claim

    return _program(ctx).call(lambda call: claim(call, run, node, go_on), as_json=as_json, starts_agents=True)


@app.command("resume")
def _resume(
    ctx: typer.Context,
    run: RunArgument,
    node: NodeArgument,
    reason: ReasonOption,
    agent: AgentOption = None,
    worker_class: ClassOption = None,
    go_on: GoOnOption = False,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="USD", help="A new limit for the agent.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Reassign, then claim: one agent goes on, by your decision and with your reason."""
    from quarterdeck.cli.reopening import Reopening, resume

    wish = Reopening(run, node, reason, agent, worker_class)
    return _program(ctx).call(
        lambda call: resume(call, wish, go_on, budget), as_json=as_json, starts_agents=True
    )


app.command("discard")(keeping_verbs.discard)
app.command("pin")(keeping_verbs.pin)
app.command("prune")(keeping_verbs.prune)
app.command("withdraw")(keeping_verbs.withdraw)
app.command("credentials")(credential_verbs.credentials)
app.command("budgets")(budget_verbs.budgets)
add_recovery_verbs(app)
app.command("doctor")(doctor_verb.doctor)
app.command("import-mcp")(import_verb.import_mcp)


@app.command("check")
def _check(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A NAME.workflow.json.")],
    new_id: Annotated[
        bool, typer.Option("--new-id", help="Give a copied file an id of its own first.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Check a workflow file: every fault at once, each with its place. Starts nothing; writes only with --new-id."""
    from quarterdeck.cli.checking import check

    return _program(ctx).call(lambda call: check(call, file, new_id), as_json=as_json)


def _program(ctx: typer.Context) -> Program:
    program: Program = ctx.obj
    return program
