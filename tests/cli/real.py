"""The real program in processes of its own, over real agents that a test writes down in a few words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WITHIN_S = 30.0

ASKS = """
import json, sys
def say(**line): print(json.dumps(line), flush=True)
say(type="approval", id="q1", question="Deploy to prod?", options=["yes", "no"])
for line in sys.stdin:
    given = json.loads(line)
    if given.get("type") == "approval":
        say(type="output", value={"given": given["answer"]})
        break
"""

SPENDS = """
import json, os
def say(**line): print(json.dumps(line), flush=True)
mine = os.environ["QUARTERDECK_ATTEMPT"]  # a message counts once per session, so each attempt has its own
say(type="session", id=mine, resumable=False)
say(type="turn")
say(type="usage", input_tokens=10, output_tokens=3, cost_usd="0.9", model="m", message_id=mine)
say(type="output", value="spent")
"""


def shell(command: str) -> dict[str, Any]:
    """A text agent."""
    return {"kind": "command", "argv": ["/bin/sh", "-c", command]}


def python(code: str, **more: Any) -> dict[str, Any]:
    """An agent that speaks the lines protocol."""
    return {"kind": "command", "protocol": "lines", "argv": [sys.executable, "-c", code], **more}


def workflow(
    folder: Path, *edges: tuple[str, str], limits: dict[str, Any] | None = None, **agents: Any
) -> Path:
    """A file with one node an agent, named alike."""
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10",
        "name": "Real check",
        "agents": agents,
        "nodes": [{"id": name, "title": name.capitalize(), "agent": name} for name in agents],
        "edges": [{"from": source, "to": target} for source, target in edges],
        **({"limits": limits} if limits else {}),
    }
    path = folder / "real.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path


def quarterdeck(*arguments: object, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """One call, to its end."""
    return subprocess.run(
        command(*arguments), env={**os.environ, **environment}, capture_output=True, timeout=60, check=False
    )


def command(*arguments: object) -> list[str]:
    """The command line of a call."""
    return [sys.executable, "-m", "quarterdeck", *map(str, arguments)]


def document(*arguments: object) -> Any:
    """The document of a call that must end well."""
    told = quarterdeck(*arguments, "--json")
    assert told.returncode == 0, told.stderr.decode()
    return json.loads(told.stdout)


@dataclass
class Running:
    """A `run` at work, with its streams in files."""

    process: subprocess.Popen[bytes]
    out: Path
    err: Path
    seen: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        return self.err.read_text(errors="replace")

    def wait_said(self, words: str) -> None:
        """Returns once stderr holds the words."""
        wait_until(lambda: words in self.said or self.process.poll() is not None)
        assert words in self.said, self.said

    def ended(self) -> int:
        """The exit code."""
        return self.process.wait(WITHIN_S)

    def document(self) -> Any:
        """The one document on stdout."""
        return json.loads(self.out.read_text())


@contextmanager
def running(folder: Path, *arguments: object) -> Iterator[Running]:
    """A call at work; asked to end at the end of the block, if it has not ended."""
    out, err = folder / "stdout", folder / "stderr"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        process = subprocess.Popen(
            command(*arguments), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr
        )
    try:
        yield Running(process, out, err)
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_until(condition: Callable[[], object]) -> None:
    """Returns once the condition holds; fails after WITHIN_S."""
    end = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < end, "the condition did not come true in time"
        time.sleep(0.02)  # a condition with a deadline: another process makes it true
