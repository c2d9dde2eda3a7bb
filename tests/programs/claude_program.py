"""Claude Code 2.1.197 for tests: where it lies, and one run of it by an adapter against the scripted service.

It is installed once from npm into a folder that stays (`QUARTERDECK_AGENTS_CACHE`, else below the person's cache), about 240 MB. Where
that cannot be done, `program` says in words why, and its tests are skipped with them. As a script it records the fixtures
of `tests/agents/recorded`: `python -m tests.programs.claude_program [SCENARIO…]`.
"""

from __future__ import annotations

import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quarterdeck.agents.launching import Ask, Launch
from quarterdeck.agents.registry import adapter_for, launch_of
from quarterdeck.domain.workflow import AgentSpec
from tests.programs.installed import installed
from tests.service import anthropic
from tests.service.server import ModelService, serving

PACKAGE = "@anthropic-ai/claude-code"
VERSION = os.environ.get("QUARTERDECK_CLAUDE") or "2.1.197"
"""Another version by `QUARTERDECK_CLAUDE=2.1.332`; npm refuses one that wants a newer Node, but an installed one is taken."""
KEY = "sk-ant-scripted-key"
RECORDED = Path(__file__).parents[1] / "agents" / "recorded" / f"claude-{VERSION}"
_CACHED: list[Path | str] = []


def program() -> Path | str:
    """The program, or why there is none, in words. Installs it where it is not there yet."""
    if not _CACHED:
        _CACHED.append(_find())
    return _CACHED[0]


def _find() -> Path | str:
    return installed("Claude Code", "claude", PACKAGE, VERSION)


def launch(
    path: Path, service: ModelService, scenario: str, folder: Path, home: Path, **fields: Any
) -> tuple[Launch, dict[str, str]]:
    """(launch, environment) of one attempt. fields: of Ask, and of the specification by `spec`."""
    spec = {"model": "claude-sonnet-4-5", "permissions": "ask", **fields.pop("spec", {})}
    asked = {"prompt": "do the task", "cwd": str(folder), "new_session": str(uuid.uuid4()), **fields}
    ready = launch_of(Ask(AgentSpec("writer", "claude-code", **spec), (), str(path), **asked))
    own = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "ANTHROPIC_BASE_URL": service.url(scenario),
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_MAX_RETRIES": "1",
    }
    return ready, {**own, **ready.env}


@dataclass
class Told:
    """What one run gave."""

    stdout: bytes = b""
    stderr: bytes = b""
    code: int | None = None
    reports: list[dict[str, Any]] = field(default_factory=list)
    pieces: list[tuple[str, bytes]] = field(default_factory=list)


def talk(
    ready: Launch,
    env: Mapping[str, str],
    folder: Path,
    react: Callable[[Any, dict[str, Any], subprocess.Popen[bytes]], bytes | None],
    timeout_s: float = 60.0,
) -> Told:
    """Run it to its end. react: (adapter, report, process) gives what else goes to its stdin."""
    adapter, told = adapter_for("claude-code", ready.protocol, ready.wire), Told()
    process = subprocess.Popen(
        ready.argv, cwd=folder, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    names = {process.stdout: "stdout", process.stderr: "stderr"}
    _give(process, adapter.begin())
    while names:
        readable, _, _ = select.select(list(names), [], [], timeout_s)
        if not readable:
            os.killpg(process.pid, signal.SIGKILL)
        for stream in readable:
            chunk = os.read(stream.fileno(), 65536)
            name = names[stream]
            if not chunk:
                del names[stream]
                continue
            told.pieces.append((name, chunk))
            for report in adapter.feed(name, chunk):
                told.reports.append(report)
                _give(process, react(adapter, report, process) or b"")
            _give(process, adapter.take_input())
            if adapter.is_over and not process.stdin.closed:
                process.stdin.close()
    told.code = process.wait(timeout_s)
    told.reports += adapter.finish()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    told.stdout = b"".join(chunk for name, chunk in told.pieces if name == "stdout")
    told.stderr = b"".join(chunk for name, chunk in told.pieces if name == "stderr")
    return told


def _give(process: subprocess.Popen[bytes], content: bytes) -> None:
    assert process.stdin is not None
    if content and not process.stdin.closed:
        process.stdin.write(content)
        process.stdin.flush()


def allow(adapter: Any, report: dict[str, Any], _process: Any) -> bytes | None:
    """Allow whatever is asked."""
    return adapter.answer(report["id"], "Allow once") if report["kind"] == "approval" else None


def deny(adapter: Any, report: dict[str, Any], _process: Any) -> bytes | None:
    """Deny whatever is asked."""
    return adapter.answer(report["id"], "Deny") if report["kind"] == "approval" else None


# ------------------------------------------------------------------------------------------- recording

SCENARIOS = (
    "plain", "tool", "denied", "write", "twotools", "quoting", "quotingtool", "auth401", "auth401raw", "auth403", "auth401mid",
    "rate429", "rate429ra", "over529", "error500", "quota", "bad400", "nomodel404", "drop", "nokey", "unknown", "rate429,plain",
    "drop,plain", "messages", "resumed",
)  # fmt: skip
_LONG = (
    "tools",
    "slash_commands",
    "agents",
    "skills",
    "plugins",
    "mcp_servers",
    "memory_paths",
    "capabilities",
)


def run_scenario(path: Path, service: ModelService, name: str, folder: Path, home: Path) -> Told:
    """One run of what a fixture is named after."""
    others = {"denied": "tool", "nokey": "plain", "unknown": "plain", "messages": "tool", "resumed": "plain"}
    scenario = others.get(name, name)
    session = {"session": str(uuid.uuid4())} if name == "unknown" else {}
    if name == "resumed":
        ready, env = launch(path, service, "tool", folder, home)
        session = {"session": ready.wire["session"]}
        talk(ready, env, folder, allow)
        service.asked.clear()  # the books are those of the resume
    ready, env = launch(path, service, scenario, folder, home, **session)
    if name == "nokey":
        env["ANTHROPIC_API_KEY"] = ""

    def message(adapter: Any, report: dict[str, Any], process: Any) -> bytes | None:
        if report["kind"] == "output":
            return None
        said = (
            adapter.say("and this as well")
            if report["kind"] == "effect" and report["state"] == "sent"
            else None
        )
        return said if said is not None else allow(adapter, report, process)

    return talk(ready, env, folder, deny if name == "denied" else message if name == "messages" else allow)


def file_name(scenario: str) -> str:
    """`a,b` as a file of its own name."""
    return scenario.replace(",", "-then-")


def _clean(stdout: bytes, folder: str, home: str) -> bytes:
    """The lines with our folders by short names, and without its lists of what it can do."""
    lines = []
    for raw in stdout.replace(folder.encode(), b"/folder").replace(home.encode(), b"/person").splitlines():
        line = json.loads(raw)
        if line.get("subtype") == "init":
            line |= {name: [] for name in _LONG if name in line}
        lines.append(json.dumps(line, separators=(",", ":"), ensure_ascii=False))
    return re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8899", "\n".join(lines)).encode() + b"\n"


def main(names: list[str]) -> None:
    """Record the fixtures of these scenarios, or of all."""
    path = program()
    if not isinstance(path, Path):
        raise SystemExit(path)
    RECORDED.mkdir(parents=True, exist_ok=True)
    for name in names or SCENARIOS:
        with tempfile.TemporaryDirectory() as base, serving([anthropic.wire()]) as service:
            folder, home = Path(base, "folder"), Path(base, "home")
            folder.mkdir()
            home.mkdir()
            told = run_scenario(path, service, name, folder, home)
            kept = anthropic.books(service.asked)
            (RECORDED / f"{file_name(name)}.jsonl").write_bytes(_clean(told.stdout, str(folder), str(home)))
            books = {
                "code": told.code,
                "stderr": told.stderr.decode()[:500],
                "cost_usd": str(kept.cost_usd),
                "requests": kept.requests,
            }
            books |= {"input_tokens": kept.input_tokens, "output_tokens": kept.output_tokens}
            books |= {
                "cache_read_tokens": kept.cache_read_tokens,
                "cache_write_tokens": kept.cache_write_tokens,
            }
            (RECORDED / f"{file_name(name)}.books.json").write_text(json.dumps(books, indent=1) + "\n")
            print(name, told.code, [r["kind"] for r in told.reports])


if __name__ == "__main__":
    main(sys.argv[1:])
