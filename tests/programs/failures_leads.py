"""How each program is led to a failing answer: over which API, with which retries, and what of it is not worth a look. Pure but for a home's files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.programs.berths import WAYS, Way
from tests.service import openai, programs
from tests.service.answers.told import Failing


@dataclass(frozen=True, slots=True)
class Lead:
    """How a program is led to an answer. wire: the API that it speaks. skips: what it tries again for ever, in silence."""

    wire: str
    env: Callable[[Path, str, Failing], dict[str, str]]
    limit_s: float = 45.0
    skips: Callable[[Failing], bool] = lambda failing: False
    program: str = ""
    """By which name it stands among the programs, where a program is led over several APIs."""


def _claude(home: Path, url: str, answer: Failing) -> dict[str, str]:
    env = {"ANTHROPIC_BASE_URL": url, "CLAUDE_CODE_MAX_RETRIES": "1"}
    if answer.ends == "hangs":
        env["API_TIMEOUT_MS"] = "4000"
    if answer.way == "bedrock":
        env |= {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_BEDROCK_BASE_URL": url, "AWS_REGION": "us-east-1"}
        env |= {"CLAUDE_CODE_SKIP_BEDROCK_AUTH": "1"}
    if answer.way == "vertex":
        env |= {
            "CLAUDE_CODE_USE_VERTEX": "1",
            "ANTHROPIC_VERTEX_BASE_URL": url,
            "CLOUD_ML_REGION": "us-east5",
        }
        env |= {"CLAUDE_CODE_SKIP_VERTEX_AUTH": "1", "ANTHROPIC_VERTEX_PROJECT_ID": "p1"}
    return env


def _gemini(home: Path, url: str, _answer: Failing) -> dict[str, str]:
    env = WAYS["gemini"].env(home, url)
    path = home / ".gemini" / "settings.json"
    settings = json.loads(path.read_text())
    settings["general"]["maxAttempts"] = 1
    path.write_text(json.dumps(settings))
    return env


def _codex(home: Path, url: str, answer: Failing) -> dict[str, str]:
    env = programs.codex_home(home, f"{url}/v1")
    with (home / "config.toml").open("a") as file:
        file.write("request_max_retries = 0\nstream_max_retries = 1\n")
        if answer.ends == "hangs":
            file.write("stream_idle_timeout_ms = 4000\n")
    return env


def _opencode(home: Path, url: str, _answer: Failing) -> dict[str, str]:
    return programs.opencode_home(home, f"{url}/v1")


def _opencode_over(library: str, version: str) -> Callable[[Path, str, Failing], dict[str, str]]:
    """OpenCode through another library of its own."""

    def env(home: Path, url: str, _answer: Failing) -> dict[str, str]:
        led = programs.opencode_home(home, f"{url}/{version}")
        path = Path(led["OPENCODE_CONFIG"])
        path.write_text(path.read_text("utf-8").replace("@ai-sdk/openai-compatible", library), "utf-8")
        return led

    return env


def _qwen(home: Path, url: str, _answer: Failing) -> dict[str, str]:
    (home / ".qwen").mkdir(exist_ok=True)
    settings = {"model": {"generationConfig": {"maxRetries": 0}}, "telemetry": {"enabled": False}}
    (home / ".qwen" / "settings.json").write_text(json.dumps(settings))
    return {"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": openai.MODEL}


def _is_retried(one: Failing) -> bool:
    return (
        one.status == 429
        or one.status >= 500
        or one.status == 0
        or one.way in ("bedrock", "vertex", "refused")
    )


LEADS: Mapping[str, Lead] = {
    "claude": Lead("anthropic", _claude, 90.0),
    "gemini": Lead("google", _gemini, 90.0),
    "codex": Lead("responses", _codex, 60.0),
    "codex-acp": Lead("responses", _codex, 60.0),
    "opencode": Lead("chat", _opencode, 100.0, _is_retried),
    "opencode-anthropic": Lead(
        "anthropic", _opencode_over("@ai-sdk/anthropic", "v1"), 100.0, _is_retried, "opencode"
    ),
    "opencode-google": Lead(
        "google", _opencode_over("@ai-sdk/google", "v1beta"), 100.0, _is_retried, "opencode"
    ),
    "qwen": Lead("chat", _qwen, 75.0, _is_retried),
}


def way_of(name: str) -> Way:
    """How the program of a lead is played."""
    return WAYS[LEADS[name].program or name]
