"""The real Gemini CLI against the scripted service: where it lies, and how a test starts it in a real shim.

It is looked for in `~/.cache/quarterdeck-agents/gemini-VERSION` (or QUARTERDECK_LIVE_FOLDER); where it is not there,
`QUARTERDECK_LIVE=gemini` installs it with npm, and without that its tests are skipped with the line that does it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.agents.launching import Ask
from quarterdeck.agents.registry import launch_of
from quarterdeck.domain.workflow import AgentSpec
from tests.service.server import ModelService
from tests.shim.harness import Dock, Running

VERSION = "0.61.0"
MODEL = "gemini-2.5-flash"
FOLDER = Path(os.environ.get("QUARTERDECK_LIVE_FOLDER") or Path.home() / ".cache" / "quarterdeck-agents")
WANTED = "gemini" in os.environ.get("QUARTERDECK_LIVE", "").split(",")
INSTALL_S = 600
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}


def gemini_program() -> Path:
    """The program; skips the test where it is not there."""
    folder = FOLDER / f"gemini-{VERSION}"
    program = folder / "node_modules" / ".bin" / "gemini"
    install = [
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--prefix",
        str(folder),
        f"@google/gemini-cli@{VERSION}",
    ]
    if shutil.which("node") is None:
        pytest.skip("Gemini needs node, which is not there")
    if not program.exists() and not WANTED:
        pytest.skip(f"Gemini {VERSION} is not there: {' '.join(install)} (QUARTERDECK_LIVE=gemini does it)")
    if not program.exists():
        subprocess.run(install, check=True, timeout=INSTALL_S, capture_output=True)
    return program


@dataclass
class Live:
    """Starts Gemini in a shim, led to the scripted service, with a home of its own."""

    dock: Dock
    service: ModelService
    program: Path
    has_settings: bool = True

    @property
    def folder(self) -> Path:
        folder = self.dock.folder / "project"
        folder.mkdir(exist_ok=True)
        return folder

    @property
    def home(self) -> Path:
        home = self.dock.folder / "home"
        (home / ".gemini").mkdir(parents=True, exist_ok=True)
        if self.has_settings:
            (home / ".gemini" / "settings.json").write_text(json.dumps(SETTINGS))
        return home

    def start(
        self,
        scenario: str,
        permissions: str | None = None,
        *,
        key: str | None = "scripted-dummy",
        **fields: Any,
    ) -> Running:
        """By the launch of the product; `session` and `prompt` are the Ask's."""
        spec = AgentSpec("gemini", "gemini", model=MODEL, permissions=permissions, credential="env:KEY")
        prompt, session = fields.pop("prompt", "Do it."), fields.pop("session", None)
        launch = launch_of(Ask(spec, (), str(self.program), prompt, str(self.folder), session, "unused"))
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), **launch.env}
        env["GOOGLE_GEMINI_BASE_URL"] = self.service.url(scenario)
        return self.dock.start(
            list(launch.argv),
            secrets={} if key is None else {"GEMINI_API_KEY": key},
            **{
                "kind": "gemini",
                "protocol": launch.protocol,
                "stdin": launch.stdin,
                "wire": dict(launch.wire),
                "env": env,
                "cwd": str(self.folder),
                "grace_s": 4.0,
                **fields,
            },
        )


def answer_all(running: Running, answer: str, until: Callable[[], bool], deadline_s: float) -> int:
    """Answer each question as it comes until the condition holds; how many there were."""
    answered: set[str] = set()

    def is_news(message: dict[str, Any]) -> bool:
        fact = message.get("fact", {})
        return (fact.get("kind") == "approval" and fact["id"] not in answered) or until()

    while not until():
        fact = running.wait_message(is_news, deadline_s).get("fact", {})
        if fact.get("kind") == "approval" and fact["id"] not in answered:
            answered.add(fact["id"])
            running.say(do="answer", id=fact["id"], answer=answer)
    return len(answered)
