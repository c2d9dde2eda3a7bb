"""The real programs, for those who have them: where they lie, at which versions, and how they are asked.

They are used where QUARTERDECK_LIVE names them, and installed from npm where they are not there yet (`tests/programs/installed.py`):
`QUARTERDECK_LIVE=codex,opencode python -m pytest tests/programs`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from tests.programs.installed import BASE, installed
from tests.service.openai import MODEL

WANTED = frozenset(filter(None, os.environ.get("QUARTERDECK_LIVE", "").split(",")))
"""Read when the tests are collected: each test has an environment of its own."""
PACKAGES = {
    "codex": ("@openai/codex", "0.171.0"),
    "opencode": ("opencode-ai", "1.18.33"),
    "codex-acp": ("@agentclientprotocol/codex-acp", "2.6.0"),
    "qwen": ("@qwen-code/qwen-code", "0.15.10"),
}
KEY = "sk-scripted-dummy"


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is there, or the words why it is not."""

    path: Path
    missing: str = ""


def path_of(name: str) -> Path:
    """Where the program lies at its pinned version, if it is there."""
    return BASE / f"{name}-{PACKAGES[name][1]}" / "node_modules" / ".bin" / name


def program(name: str) -> Program:
    """The program of that name, for a test."""
    if name not in WANTED:
        return Program(path_of(name), f"asked for by QUARTERDECK_LIVE={name}")
    found = installed(name, name, *PACKAGES[name])
    return Program(path_of(name), found if isinstance(found, str) else "")


def codex_home(folder: Path, url: str, key_name: str = "SCRIPTED_KEY") -> dict[str, str]:
    """A home of Codex whose only provider is the scripted service; the variables that lead there."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f'model = "{MODEL}"',
        'model_provider = "scripted"',
        "[model_providers.scripted]",
        'name = "scripted"',
        f'base_url = "{url}"',
        f'env_key = "{key_name}"',
        'wire_api = "responses"',
        "supports_websockets = false",
    ]
    (folder / "config.toml").write_text("\n".join(lines) + "\n", "utf-8")
    return {"CODEX_HOME": str(folder), "HOME": str(folder)}


def opencode_home(folder: Path, url: str) -> dict[str, str]:
    """Folders and a configuration of OpenCode whose only provider is the scripted service."""
    prices = {"input": 3, "output": 15, "cache_read": 0.3}
    limits = {
        "context": 200_000,
        "output": 32_000,
    }  # without them it tells no cost through its Agent Client Protocol
    model = {"name": "Scripted", "cost": prices, "limit": limits}
    options = {"baseURL": url, "apiKey": "{env:SCRIPTED_KEY}"}
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options}
    config = {"provider": {"scripted": {**provider, "models": {MODEL: model}}}}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "opencode.json"
    path.write_text(
        json.dumps({**config, "model": f"scripted/{MODEL}", "small_model": f"scripted/{MODEL}"}), "utf-8"
    )
    named = {f"XDG_{kind.upper()}_HOME": str(folder / kind) for kind in ("config", "data", "cache", "state")}
    return {"OPENCODE_CONFIG": str(path), "HOME": str(folder), **named}
