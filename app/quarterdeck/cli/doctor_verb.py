"""The command line of `doctor`, as typer reads it; `cli.program` registers it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer


def doctor(
    ctx: typer.Context,
    only: Annotated[
        str | None,
        typer.Option(
            "--only", metavar="machine|trust", help="This computer, or the three trust checks, alone."
        ),
    ] = None,
    leashed: Annotated[bool, typer.Option("--leashed", hidden=True, help="End with stdin.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Check this computer, and try three promises with practice agents. Exit 1 where something is broken."""
    from quarterdeck.cli.doctor import TrialSource
    from quarterdeck.cli.doctor import doctor as verb
    from quarterdeck.cli.errors import UsageProblem
    from quarterdeck.engine.doctor.findings import Part

    if only is not None and only not in tuple(Part):
        raise UsageProblem(
            f"There is nothing to check by the name {only!r}; --only takes {' or '.join(Part)}."
        )
    part = Part(only) if only is not None else None
    source = TrialSource(part is not Part.MACHINE)
    program = replace(ctx.obj, new_source=lambda _starts_agents: source)
    code: int = program.call(lambda call: verb(call, source, part, leashed=leashed), as_json=as_json)
    return code
