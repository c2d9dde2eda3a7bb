"""Plays the adapter against the scripted agent of the SDK, in one process: a pair of sockets stands for the pipes."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import acp

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.domain.reports import Report
from tests.service.acp_agent import ScriptedAgent

DEADLINE_S = 30.0
Step = Callable[[AcpAdapter, Report], bytes | None]
"""What a person does when a report comes: bytes for the agent, or None."""


@dataclass
class Played:
    """What came of it. told: what the agent was asked, in order."""

    adapter: AcpAdapter
    reports: list[Report] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)

    def of_kind(self, kind: str) -> list[Report]:
        return [report for report in self.reports if report["kind"] == kind]

    @property
    def output(self) -> Any:
        (only,) = self.of_kind("output")
        return only["value"]

    @property
    def error(self) -> Report:
        (only,) = self.of_kind("error")
        return only

    def effects(self) -> list[tuple[str, str]]:
        return [(report["id"], report["state"]) for report in self.of_kind("effect")]

    def asked(self, what: str) -> list[dict[str, Any]]:
        return [one for one in self.told if one["what"] == what]


async def play(
    scenario: str, folder: Path, *switches: str, person: Step | None = None, **wire: Any
) -> Played:
    """Until the work is over. The agent's sessions lie in `folder`, which is also where it works."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    reader, writer = await asyncio.open_connection(sock=theirs, limit=64 * 1024 * 1024)
    agent = ScriptedAgent(scenario, frozenset(switches), folder, folder)
    task = asyncio.create_task(acp.run_agent(agent, writer, reader, use_unstable_protocol=True))
    played = Played(AcpAdapter({"prompt": "do it", "cwd": str(folder), **wire}))
    try:
        async with asyncio.timeout(DEADLINE_S):
            await _talk(played, ours, person)
    finally:
        ours.close()
        await task
        writer.close()
    played.reports += played.adapter.finish()
    told = folder / "told.jsonl"
    played.told = [json.loads(line) for line in told.read_text().splitlines()]
    return played


async def _talk(played: Played, ours: socket.socket, person: Step | None) -> None:
    loop, adapter = asyncio.get_running_loop(), played.adapter
    await loop.sock_sendall(ours, adapter.begin() + adapter.take_input())
    while not adapter.is_over:
        chunk = await loop.sock_recv(ours, 64 * 1024)
        if not chunk:
            return
        for report in adapter.feed("stdout", chunk):
            played.reports.append(report)
            answer = person(adapter, report) if person is not None else None
            played.reports += adapter.take_due()
            await loop.sock_sendall(ours, answer or b"")
        await loop.sock_sendall(ours, adapter.take_input())


def answering(choice: object) -> Step:
    """A person who answers every question so."""

    def step(adapter: AcpAdapter, report: Report) -> bytes | None:
        return adapter.answer(report["id"], choice) if report["kind"] == "approval" else None

    return step


def saying(*messages: str) -> Step:
    """A person who says all this as soon as the agent has begun to answer."""
    waiting = list(messages)

    def step(adapter: AcpAdapter, report: Report) -> bytes | None:
        if report["kind"] != "turn":
            return None
        taken = [adapter.say(message) for message in waiting]
        waiting.clear()
        assert None not in taken
        return b"".join(filter(None, taken))

    return step


def spent(reports: list[Report], baseline: Any = None) -> Mapping[str, Any]:
    """What the fold makes of usage and turns."""
    from quarterdeck.domain.figures_json import figures_to_json
    from quarterdeck.domain.reports_fold import EMPTY, AttemptFold

    fold = AttemptFold(baseline or EMPTY, reports_cost=True)
    for seq, report in enumerate([{"kind": "started"}, *reports, {"kind": "exit", "code": 0}], start=1):
        fold.apply({**report, "seq": seq})
    return figures_to_json(fold.totals())


def opened(*capabilities: str, **wire: Any) -> AcpAdapter:
    """An adapter whose agent has opened the session `s` and was prompted by the request 2."""
    adapter = AcpAdapter({"prompt": "do it", "cwd": "/w", **wire})
    adapter.begin()
    answer = {"protocolVersion": 1, "agentCapabilities": dict.fromkeys(capabilities, True)}
    first = json.dumps({"id": 0, "result": answer}).encode()
    adapter.feed("stdout", first + b'\n{"id":1,"result":{"sessionId":"s"}}\n')
    return adapter
