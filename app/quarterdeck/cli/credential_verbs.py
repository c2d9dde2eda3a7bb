"""The command line of `credentials`, as typer reads it. What it does is in a module that is loaded when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from quarterdeck.cli.program import Program


def credentials(
    ctx: typer.Context,
    action: Annotated[str, typer.Argument(metavar="list|set|test|remove", help="What to do.")] = "list",
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Of an entry; `test` takes env:NAME, too.")
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="api_key|own_login|environment",
            help="set: a key in the keyring, the program's own login, or a variable of the environment.",
        ),
    ] = None,
    program: Annotated[
        str | None,
        typer.Option("--program", metavar="NAME", help="set: the kind of agent or provider that it is for."),
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="set: a base URL other than its own.")
    ] = None,
    variable: Annotated[
        str | None, typer.Option("--variable", metavar="NAME", help="set: the variable that holds it.")
    ] = None,
    account: Annotated[
        str | None, typer.Option("--account", metavar="TEXT", help="set: which account, in your words.")
    ] = None,
    keep_secret: Annotated[
        bool, typer.Option("--keep-secret", help="set: the key stays; only the rest is changed.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Sign-ins of agents: list, save, test or remove them. A key is asked for, or read from stdin; never an argument."""
    from quarterdeck.cli import credentials as verbs

    call: Program = ctx.obj
    call.console.as_json = as_json
    wish = verbs.Wish(action, name, kind, program, endpoint, variable, account, keep_secret)
    ready = verbs.prepare(call.console, wish)
    return call.call(lambda one: verbs.credentials(one, ready), as_json=as_json)
