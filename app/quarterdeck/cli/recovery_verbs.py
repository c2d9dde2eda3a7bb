"""Verbs for interrupted runs: their options and help. What they do is in modules that are loaded when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from quarterdeck.cli.program import Program

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="Run id, or an unambiguous start of one.")]
EffectArgument = Annotated[str, typer.Argument(metavar="EFFECT", help="NODE#id, as `recover` names it.")]


def add_recovery_verbs(app: typer.Typer) -> None:
    """Add them to the program."""
    app.command("recover")(_recover)
    app.command("probe")(_probe)
    app.command("settle")(_settle)
    app.command("export")(_export)


def _recover(
    ctx: typer.Context,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Look into working folders, and ask git what changed.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """What a crash left, with what is known of each agent. Starts nothing."""
    from quarterdeck.cli.recovering import recover

    return _program(ctx).call(lambda call: recover(call, evidence), as_json=as_json)


def _probe(ctx: typer.Context, run: RunArgument, effect: EffectArgument, as_json: JsonOption = False) -> int:
    """Ask where it happened whether an effect happened: files and git, read-only."""
    from quarterdeck.cli.recovering import probe

    return _program(ctx).call(lambda call: probe(call, run, effect), as_json=as_json)


def _settle(
    ctx: typer.Context,
    run: RunArgument,
    effect: EffectArgument,
    said: Annotated[str, typer.Option("--as", metavar="happened|absent", help="What became of it.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="How that is known; kept.")],
    as_json: JsonOption = False,
) -> int:
    """Say what became of an effect whose outcome is not known."""
    from quarterdeck.cli.recovering import settle

    return _program(ctx).call(lambda call: settle(call, run, effect, said, reason), as_json=as_json)


def _export(
    ctx: typer.Context,
    run: RunArgument,
    form: Annotated[str, typer.Option("--format", metavar="json|markdown", help="Of the text.")] = "json",
    preview: Annotated[
        bool, typer.Option("--preview", help="Only its first lines, and what is taken out.")
    ] = False,
    without_check: Annotated[
        bool,
        typer.Option("--without-secrets-check", help="Also where a secret is not known now; read it first."),
    ] = False,
) -> int:
    """One run as text, without environments, home folders and the secrets that can be looked for."""
    from quarterdeck.cli.exporting import export

    return _program(ctx).call(lambda call: export(call, run, form, preview, without_check), as_json=False)


def _program(ctx: typer.Context) -> Program:
    program: Program = ctx.obj
    return program
