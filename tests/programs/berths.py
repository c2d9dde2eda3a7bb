"""Every program that is played for real, one line each: where it lies, how it is led to the scripted service and launched by the product.

A `Berth` starts it in a real shim, with a home of its own. Programs that ask (`codex-acp`, `qwen`) are allowed once
whatever they ask.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quarterdeck.agents.launching import Ask
from quarterdeck.agents.registry import launch_of
from quarterdeck.domain.workflow import AgentSpec
from tests.programs import claude_program, gemini_program
from tests.programs.installed import installed
from tests.programs.seen import KINDS
from tests.service import anthropic, gemini, openai, programs
from tests.service.openai_service import OpenAIService
from tests.service.server import ModelService, serving
from tests.shim.harness import Dock, Running

CLAUDE_MODEL = "claude-sonnet-4-5"


@dataclass(frozen=True, slots=True)
class Way:
    """One program, and how it is played. env: variables that lead it to (home, address of a scenario)."""

    title: str
    name: str
    package: str
    version: str
    spec: Mapping[str, Any]
    key_name: str
    key: str
    env: Callable[[Path, str], dict[str, str]]
    serve: Callable[[], AbstractContextManager[Any]]
    asked: Callable[[Any], int]
    """How many requests for work came in so far."""
    booked: Callable[[Any, str], dict[str, int]]
    price: tuple[str, Mapping[str, str]]
    """A model, and what a million of its tokens cost, as the engine writes it into a launch."""
    is_in_ci: bool = False
    beside: tuple[str, ...] = ()
    """Words of its argv behind the program."""
    instead: Mapping[str, str] = field(default_factory=dict)
    """What the service answers it instead, by what it answers others: Codex asks only where the model says that it should."""
    before_resume: Callable[[Path, str], None] = lambda home, session: None

    def program(self) -> Path | str:
        """Where it lies, or why it is not played, in words."""
        if not self.is_in_ci and self.name not in programs.WANTED:
            return f"played where asked for by QUARTERDECK_LIVE={self.name}"
        found = installed(self.title, self.name, self.package, self.version)
        if isinstance(found, Path):
            told = json.loads(Path(found.parents[1], self.package, "package.json").read_text("utf-8"))
            assert told["version"] == self.version
        return found


def _anthropic_books(service: ModelService, _served: str) -> dict[str, int]:
    books = anthropic.books(service.asked)
    return {kind: getattr(books, kind) for kind in KINDS}


def _gemini_books(service: ModelService, served: str) -> dict[str, int]:
    taken = [one.usage for one in service.work(served) if one.usage and one.is_whole]
    sums = {kind: sum(usage[kind] for usage in taken) for kind in ("input_tokens", "output_tokens")}
    return {**dict.fromkeys(KINDS, 0), **sums}


def _openai_books(service: OpenAIService, served: str) -> dict[str, int]:
    total = service.books(served).total()
    return dict(zip(KINDS, (total.fresh, total.cached, 0, total.given), strict=True))


def _asked_of_model_service(service: ModelService) -> int:
    return len(service.work())


def _asked_of_openai(service: OpenAIService) -> int:
    with service.told.lock:
        return len(service.told.asked)


def _claude_env(home: Path, url: str) -> dict[str, str]:
    return {"HOME": str(home), "ANTHROPIC_BASE_URL": url, "CLAUDE_CODE_MAX_RETRIES": "1"}


def _gemini_env(home: Path, url: str) -> dict[str, str]:
    (home / ".gemini").mkdir(exist_ok=True)
    (home / ".gemini" / "settings.json").write_text(json.dumps(gemini_program.SETTINGS))
    return {"HOME": str(home), "GOOGLE_GEMINI_BASE_URL": url}


def _qwen_env(home: Path, url: str) -> dict[str, str]:
    return {"HOME": str(home), "OPENAI_BASE_URL": url, "OPENAI_MODEL": openai.MODEL}


def _of_openai(title: str, name: str, spec: Mapping[str, Any], env: Any, **more: Any) -> Way:
    package, version = programs.PACKAGES[name]
    told = {"key_name": "SCRIPTED_KEY", "key": programs.KEY, "price": (openai.MODEL, OPENAI_PRICE), **more}
    return Way(title, name, package, version, spec, env=env, serve=OpenAIService, asked=_asked_of_openai, booked=_openai_books, **told)  # fmt: skip


OPENAI_PRICE = {"input": "3", "output": "15", "cache_read": "0.3"}
_CLAUDE_PRICE = dict(zip(("input", "output", "cache_read", "cache_write"), anthropic.PRICES[CLAUDE_MODEL], strict=True))  # fmt: skip
WAYS: Mapping[str, Way] = {
    "claude": Way(
        "Claude Code", "claude", claude_program.PACKAGE, claude_program.VERSION,
        {"kind": "claude-code", "model": CLAUDE_MODEL, "permissions": "full"}, "ANTHROPIC_API_KEY", claude_program.KEY,
        _claude_env, lambda: serving([anthropic.wire()]), _asked_of_model_service, _anthropic_books, (CLAUDE_MODEL, _CLAUDE_PRICE),
        is_in_ci=True,
    ),
    "gemini": Way(
        "Gemini", "gemini", gemini_program.PACKAGE, gemini_program.VERSION,
        {"kind": "gemini", "model": gemini_program.MODEL, "permissions": "full", "credential": "env:KEY"}, "GEMINI_API_KEY", "scripted-dummy",
        _gemini_env, lambda: serving([gemini.wire()]), _asked_of_model_service, _gemini_books,
        (gemini_program.MODEL, {"input": "0.3", "output": "2.5"}), is_in_ci=True, before_resume=gemini_program.begun_in_another_minute,
    ),
    "codex": _of_openai(
        "Codex", "codex", {"kind": "codex", "model": openai.MODEL, "permissions": "full"}, programs.codex_home
    ),
    "codex-acp": _of_openai(
        "codex-acp", "codex-acp", {"kind": "codex", "permissions": "ask"}, programs.codex_home,
        instead={"tool": "asktool", "slowtool": "slowasktool"},
    ),
    "opencode": _of_openai(
        "OpenCode", "opencode", {"kind": "opencode", "permissions": "full"}, programs.opencode_home
    ),
    "qwen": _of_openai(
        "Qwen Code", "qwen", {"kind": "acp", "mode": "default"}, _qwen_env, key_name="OPENAI_API_KEY",
        beside=("--acp", "--auth-type", "openai"), price=(f"$runtime|openai|{openai.MODEL}(openai)", OPENAI_PRICE),
    ),
}  # fmt: skip


@dataclass
class Berth:
    """Starts one program in a shim, led to the scripted service."""

    dock: Dock
    way: Way
    program: Path
    service: Any

    @property
    def folder(self) -> Path:
        return self._made("project")

    @property
    def home(self) -> Path:
        return self._made("home")

    def _made(self, name: str) -> Path:
        folder = self.dock.folder / name
        folder.mkdir(exist_ok=True)
        return folder

    def start(self, served: str, *, has_key: bool = True, **fields: Any) -> Running:
        """By the launch of the product. fields: `session` of the Ask; `baseline`."""
        argv = (str(self.program), *self.way.beside)
        spec = AgentSpec("writer", argv=argv, **self.way.spec)
        session = fields.pop("session", None)
        own = "5b9e2a74-4c1f-4b7e-9d58-0f6a3c2e1d90"
        launch = launch_of(Ask(spec, argv, argv[0], "Do the task.", str(self.folder), session, own))
        env = {"PATH": os.environ["PATH"], **launch.env, **self.way.env(self.home, self.service.url(served))}
        model, price = self.way.price
        return self.dock.start(
            list(launch.argv),
            {self.way.key_name: self.way.key} if has_key else {},
            kind=spec.kind, protocol=launch.protocol, stdin=launch.stdin, prompt="Do the task.", wire=dict(launch.wire), env=env,
            cwd=str(self.folder), grace_s=4.0, prices={model: price}, **fields,
        )  # fmt: skip
