"""The command line of `budgets`, as typer reads it; `cli.program` registers it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def budgets(
    ctx: typer.Context,
    night: Annotated[
        str | None,
        typer.Option("--night", metavar="USD", help="What all runs of a night may spend; none: no limit."),
    ] = None,
    night_from: Annotated[
        str | None,
        typer.Option("--from", metavar="HH:MM", help="When a night begins, by this computer's clock."),
    ] = None,
    workflow: Annotated[
        Path | None, typer.Option("--workflow", metavar="FILE", help="The workflow that --limit is for.")
    ] = None,
    limit: Annotated[
        str | None,
        typer.Option("--limit", metavar="USD", help="What all its runs may spend together; none: no limit."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Limits of spending beyond one run, and how they stand: of a night, and of a workflow. Starts nothing."""
    from quarterdeck.cli.budgets import Wanted
    from quarterdeck.cli.budgets import budgets as verb

    wanted = Wanted(night, night_from, workflow, limit)
    code: int = ctx.obj.call(lambda call: verb(call, wanted), as_json=as_json)
    return code
