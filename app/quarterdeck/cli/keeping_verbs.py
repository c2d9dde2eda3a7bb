"""The command lines of `discard`, `pin`, `prune` and `withdraw`, as typer reads them; `cli.program` registers them."""

from __future__ import annotations

from typing import Annotated

import typer

_Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]


def discard(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or an unambiguous start of one.")],
    undo: Annotated[bool, typer.Option("--undo", help="Bring a discarded run back, for 7 days.")] = False,
    as_json: _Json = False,
) -> int:
    """Take an ended run out of the list. Its totals stay; what its agents made is not touched."""
    from quarterdeck.cli.keeping import discard as verb

    code: int = ctx.obj.call(lambda call: verb(call, run, undo), as_json=as_json)
    return code


def pin(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or an unambiguous start of one.")],
    undo: Annotated[bool, typer.Option("--undo", help="Let it leave again when its turn comes.")] = False,
    as_json: _Json = False,
) -> int:
    """Keep a run above every cap of the settings, its transcripts too."""
    from quarterdeck.cli.keeping import pin as verb

    code: int = ctx.obj.call(lambda call: verb(call, run, undo), as_json=as_json)
    return code


def prune(
    ctx: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go and why; change nothing.")
    ] = False,
    as_json: _Json = False,
) -> int:
    """Hold what is kept to the caps of the settings now: oldest runs go first."""
    from quarterdeck.cli.keeping import prune as verb

    code: int = ctx.obj.call(lambda call: verb(call, dry_run), as_json=as_json)
    return code


def withdraw(
    ctx: typer.Context,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Run id, or an unambiguous start of one.")],
    request: Annotated[
        str, typer.Argument(metavar="REQUEST", help="The request that was allowed; `show` lists it.")
    ],
    as_json: _Json = False,
) -> int:
    """Take back what was allowed for the run: identical requests are asked again."""
    from quarterdeck.cli.acting import withdraw as verb

    code: int = ctx.obj.call(lambda call: verb(call, run, request), as_json=as_json)
    return code
