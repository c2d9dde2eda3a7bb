"""Gemini CLI 0.61.0 for tests: where it lies, and how a test starts it in a real shim, led to the scripted service.

It is installed once from npm into a folder that stays (`QUARTERDECK_AGENTS_CACHE`, else below the person's cache), about 100 MB.
Where that cannot be done, its tests are skipped, with the reason in words.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.agents.launching import Ask
from quarterdeck.agents.registry import launch_of
from quarterdeck.domain.workflow import AgentSpec
from tests.programs.installed import installed
from tests.service.server import ModelService
from tests.shim.harness import Dock, Running

PACKAGE = "@google/gemini-cli"
VERSION = "0.61.0"
MODEL = "gemini-2.5-flash"
SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"enableAutoUpdate": False},
}


def gemini_program() -> Path:
    """The program, installed where it is not there yet; skips the test where that cannot be."""
    found = installed("Gemini", "gemini", PACKAGE, VERSION)
    if isinstance(found, str):
        pytest.skip(found)
    return found


def begun_in_another_minute(home: Path, session: str) -> None:
    """Gemini names a session's file by the minute, and begins it anew where the session is loaded within that."""
    (file,) = (home / ".gemini" / "tmp").glob(f"*/chats/session-*-{session[:8]}.jsonl")
    file.rename(file.with_name(f"session-2020-01-01T00-00-{session[:8]}.jsonl"))


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
