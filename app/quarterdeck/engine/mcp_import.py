"""MCP servers of a file taken over into an agent of a workflow file: first what would be written, then, on a person's word, that.

No server is started, no value of a variable is read. The rest of the workflow file stays as it is, byte for byte. Blocking.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.mcp_servers import KINDS, server_line, variables_of
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.mcp_file import ServerFound, read_servers
from quarterdeck.store.workflow_file import BrokenFile, load_workflow, parse_workflow
from quarterdeck.store.workflow_json import member_span

SOURCES = (".mcp.json", ".vscode/mcp.json")


class CannotImport(Exception):
    """Nothing can be taken over; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class ImportedServer:
    """One server as it would be written. line: its command or address, references kept. replaces: one of that name is there."""

    name: str
    line: str
    replaces: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do. source: the file that was read. before, after: the workflow file, whole. left_out: servers that are not taken over, and why.

    variables: those that the servers refer to; they are let through to the agent (`pass_env`).
    """

    path: Path
    agent: str
    source: Path
    servers: tuple[ImportedServer, ...]
    left_out: tuple[str, ...]
    variables: tuple[str, ...]
    before: bytes
    after: bytes


def plan_import(path: Path, agent: str, source: Path | None = None) -> ImportPlan:
    """What taking over would do; writes nothing. source: None looks beside the workflow file. Raises CannotImport."""
    source = source or _beside(path)
    file = load_workflow(path)
    if isinstance(file, BrokenFile):
        raise CannotImport(f"{path} has faults; `quarterdeck check` names them.")
    spec = file.workflow.agents.get(agent)
    takers = [name for name, one in file.workflow.agents.items() if one.kind in KINDS]
    if spec is None or spec.kind not in KINDS:
        listed = (
            f"name one of: {', '.join(takers)}" if takers else "this workflow has none that takes MCP servers"
        )
        why = "there is no such agent" if spec is None else f"an agent of kind {spec.kind} takes none"
        raise CannotImport(f"“{agent[:80]}” cannot be given MCP servers: {why}; {listed}.")
    read = read_servers(source)
    if not read.found:
        raise CannotImport(" ".join(read.faults) or f"{source} lists no server.")
    told = file.document["agents"][agent]
    before: Mapping[str, Any] = told.get("mcp_servers") or {}
    wanted = {**before, **{one.name: one.server for one in read.found}}
    variables = variables_of({one.name: one.server for one in read.found})
    passed = list(dict.fromkeys([*(told.get("pass_env") or []), *variables]))
    changed = {**told, "mcp_servers": wanted} | ({"pass_env": passed} if passed else {})
    after = _written(file.content, agent, changed, file.document)
    return ImportPlan(
        path,
        agent,
        source,
        tuple(_imported(one, before) for one in read.found),
        read.faults,
        variables,
        file.content,
        after,
    )


def write_import(plan: ImportPlan, io: DurableIO | None = None) -> None:
    """Do what was shown. Raises CannotImport where the file is another by now, or cannot be written."""
    now = load_workflow(plan.path)
    if isinstance(now, BrokenFile) or now.content != plan.before:
        raise CannotImport(f"{plan.path} was changed meanwhile; look at what would be written once more.")
    try:
        place = plan.path.resolve()  # a link stays one
        mode = stat.S_IMODE(place.stat().st_mode)
        replace_file(io or DurableIO(), place, plan.after)
        place.chmod(mode)
    except OSError as error:
        raise CannotImport(f"{plan.path} cannot be written: {error.strerror or error}.") from error


def _beside(path: Path) -> Path:
    places = [path.absolute().parent / name for name in SOURCES]
    return next((place for place in places if place.is_file()), places[0])


def _imported(one: ServerFound, before: Mapping[str, Any]) -> ImportedServer:
    return ImportedServer(one.name, server_line(one.server), one.name in before, one.notes)


def _written(content: bytes, agent: str, changed: dict[str, Any], document: dict[str, Any]) -> bytes:
    """The file with this one agent in another form; everything else stays as it was written."""
    text = content.decode("utf-8-sig")
    start, end = member_span(text, ("agents", agent))
    line = text[text.rfind("\n", 0, start) + 1 : start]
    indent = line[: len(line) - len(line.lstrip())]
    fresh = json.dumps(changed, indent=2, ensure_ascii=False).replace("\n", f"\n{indent}")
    after = (text[:start] + fresh + text[end:]).encode("utf-8")
    wanted = {**document, "agents": {**document["agents"], agent: changed}}
    if json.loads(after) != wanted or isinstance(parse_workflow(after, None), BrokenFile):
        raise CannotImport(
            "The file is written in a way that cannot be changed here; add the servers by hand."
        )
    return after
