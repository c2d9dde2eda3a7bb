"""The command line of `import-mcp`, as typer reads it; `cli.program` registers it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def import_mcp(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A NAME.workflow.json.")],
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="The agent that gets the servers.")],
    source: Annotated[
        Path | None, typer.Option("--from", metavar="PATH", help="Default: .mcp.json beside the workflow.")
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Write it; without it, only show what would be.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> int:
    """Take MCP servers of .mcp.json over into a workflow: references to variables are kept, values never. Starts nothing."""
    from quarterdeck.cli.importing import ImportWish
    from quarterdeck.cli.importing import import_mcp as verb

    wish = ImportWish(file, agent, source, write)
    code: int = ctx.obj.call(lambda call: verb(call, wish), as_json=as_json)
    return code
