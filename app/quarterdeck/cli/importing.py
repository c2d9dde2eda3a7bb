"""`import-mcp FILE --agent NAME [--from PATH] [--write]`: MCP servers of `.mcp.json` for an agent; without --write only shown."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.cli import exits
from quarterdeck.cli.errors import UsageProblem
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import escaped
from quarterdeck.engine.mcp_import import CannotImport, ImportPlan, plan_import, write_import


@dataclass(frozen=True, slots=True)
class ImportWish:
    """What stood on the command line. source: None looks beside the workflow file."""

    file: Path
    agent: str
    source: Path | None
    write: bool


async def import_mcp(call: Call, wish: ImportWish) -> int:
    """Exit 0, or 2 where nothing can be taken over. Opens no store and starts nothing."""
    try:
        plan = await asyncio.to_thread(plan_import, wish.file, wish.agent, wish.source)
        if wish.write:
            await asyncio.to_thread(write_import, plan)
    except CannotImport as error:
        raise UsageProblem(str(error)) from error
    _tell(call, plan, wish.write)
    return exits.DONE


def _tell(call: Call, plan: ImportPlan, is_written: bool) -> None:
    console = call.console
    if console.as_json:
        servers = [
            {"name": one.name, "line": one.line, "replaces": one.replaces, "notes": list(one.notes)}
            for one in plan.servers
        ]
        console.print_document(
            {
                "file": str(plan.path),
                "source": str(plan.source),
                "agent": plan.agent,
                "written": is_written,
                "servers": servers,
                "left_out": list(plan.left_out),
                "variables": list(plan.variables),
            }
        )
        return
    for one in plan.servers:
        replaces = " (replaces the one that is there)" if one.replaces else ""
        console.print_text(escaped(f"{one.name}{replaces}: {one.line}") + "\n")
        for note in one.notes:
            console.print_text(escaped(f"  {note}") + "\n")
    for words in plan.left_out:
        console.say(escaped(words))
    if plan.variables:
        console.say(escaped(f"Let through to {plan.agent}: {', '.join(plan.variables)}."))
    console.say("Written." if is_written else "Nothing was written; --write does that.")
