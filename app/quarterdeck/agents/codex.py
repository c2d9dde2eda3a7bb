"""Codex: `codex exec --json` for work that nobody watches; where a person approves, codex-acp.

What it tells: the thread at once; a turn only as a whole, so its first item is where a turn is seen to live; tokens at the
end of a turn, as running totals of the thread; no cost. A failed call is told in words, of which only the beginning is
read: what stands behind it may be anybody's. It tries again by itself, for seconds or for as long as the service says; of a
refused sign-in only the end of that counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.acp_agent import wire_of
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.codex_errors import PASSING, failed_call, is_retry, told_of
from quarterdeck.agents.failed_calls import FailedCall
from quarterdeck.agents.json_stream import JsonStream, count_of, part_of, text_of
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch, Program
from quarterdeck.agents.mcp_servers import codex_overrides
from quarterdeck.agents.sign_ins import PROGRAMS, PROVIDERS
from quarterdeck.agents.told_session import ToldSession
from quarterdeck.domain import reports
from quarterdeck.domain.reports import Report
from quarterdeck.domain.workflow import AgentSpec

_TOOLS: Final = {
    "command_execution": ("command", "command"),
    "file_change": ("file change", "changes"),
    "mcp_tool_call": ("tool", "tool"),
    "collab_tool_call": ("agent", "tool"),
    "web_search": ("web search", "query"),
}
"""{type of an item: (type of the effect, the field that says what it is done to)}."""
_NOT_DONE = frozenset({"declined", "rejected"})


SANDBOXES: Mapping[str | None, str] = {
    None: "workspace-write",
    "read-only": "read-only",
    "full": "danger-full-access",
}
"""{permissions: what the sandbox of Codex lets its commands do}; nobody is asked in any of them."""
ASKING: Mapping[str | None, str] = {"ask": "read-only", "edits": "workspace-write"}
"""{permissions: the mode of codex-acp in which it asks a person before it does more}."""
OWN_KEYS = PROGRAMS["codex"].key_variables
"""Variables in which a key is one of OpenAI's own service."""
SERVICE = PROVIDERS["openai"].endpoint
PROVIDER = "quarterdeck"
"""The name, for one start, of the service that a key is handed over for."""
QUIET = ("check_for_update_on_startup=false", "analytics.enabled=false", "features.plugins=false")
"""Settings of Codex for this start alone: it looks for no update, sends no telemetry, and asks no list of plug-ins (of chatgpt.com and
github.com). codex-acp hands them on too late: its Codex runs already.
"""


def launch(ask: Ask) -> Launch:
    """How Codex is started. Raises CannotLaunch for permissions that it does not have."""
    permissions = ask.spec.permissions
    if permissions in ASKING:
        asking = wire_of(ask, ASKING[permissions])
        return Launch((ask.program, *ask.argv[1:]), "acp", "open", env=_acp_settings(ask), wire=asking)
    if permissions not in SANDBOXES:
        known = ", ".join(f"“{name}”" for name in (*SANDBOXES, *ASKING) if name)
        raise CannotLaunch(f"Codex has no permissions “{permissions}”; it knows {known}, or none written.")
    servers, cannot = codex_overrides(ask.spec.mcp_servers)
    if cannot:
        raise CannotLaunch(" ".join(cannot))
    settings = [*(QUIET if ask.is_quiet else ()), f'sandbox_mode="{SANDBOXES[permissions]}"']
    if ask.endpoint:
        settings += [
            f"model_provider={json.dumps(PROVIDER)}",
            *_provider_settings(_service(ask, ask.key_variable)),
        ]
    argv = [ask.program, "exec", *(["resume"] if ask.session else []), "--json", "--skip-git-repo-check"]
    argv += [part for setting in settings for part in ("-c", setting)] + list(servers)
    argv += [f"--model={ask.spec.model}"] if ask.spec.model else []
    argv += [*ask.argv[1:], "--", *([ask.session] if ask.session else []), "-"]
    wire = {
        "model": ask.spec.model or "",
        "cwd": ask.cwd,
        "mark": ask.new_session[:8],
        "session": ask.session,
    }
    return Launch(tuple(argv), "codex", "prompt", wire=wire)


def _acp_settings(ask: Ask) -> dict[str, str]:
    """What codex-acp hands on to its Codex. Its own way to sign in with a key writes that into the person's `auth.json`, over what
    stands there; as a service that names its variable, the key stays in the environment, and nobody has to sign in.
    """
    variable = next((name for name in _key_variables(ask) if ask.endpoint or name in OWN_KEYS), "")
    if not variable and not ask.endpoint:
        return {}
    service = {"model_provider": PROVIDER, "model_providers": {PROVIDER: _service(ask, variable)}}
    return {"CODEX_CONFIG": json.dumps(service)}


def _service(ask: Ask, variable: str) -> dict[str, str]:
    """The service that its key is for; it asks no other with it. OPENAI_BASE_URL it does not read. Raises CannotLaunch."""
    if not variable:
        raise CannotLaunch(f"Codex can be led to {ask.endpoint} only with a key.")
    base_url = ask.endpoint or SERVICE
    return {"name": "OpenAI", "base_url": base_url, "env_key": variable, "wire_api": "responses"}


def _provider_settings(service: Mapping[str, str]) -> list[str]:
    """The same on its command line: TOML, whose texts are those of JSON."""
    return [
        f"model_providers.{PROVIDER}.{name}={json.dumps(value, ensure_ascii=False)}"
        for name, value in service.items()
    ]


def _key_variables(ask: Ask) -> list[str]:
    """Where it is handed a key: its credential, else the variable that only Codex reads."""
    if ask.key_variable:
        return [ask.key_variable]
    named = {name for name, _ in (*ask.spec.secrets, *ask.spec.env)} | set(ask.spec.pass_env)
    return [OWN_KEYS[0]] if OWN_KEYS[0] in named else []


class CodexStream(JsonStream):
    """The events of one `codex exec`."""

    def __init__(self, wire: Mapping[str, Any]) -> None:
        super().__init__(wire)
        self._session = ToldSession(wire.get("session"))
        self._is_turn_seen = self._is_complete = self._has_given_up = False
        self._final: str | None = None
        self._held: FailedCall | None = None
        self._told: FailedCall | None = None
        """The failed call that was told while Codex tries again by itself."""

    def take(self, line: Mapping[str, Any]) -> Iterator[Report]:
        """One event."""
        match line.get("type"):
            case "thread.started":
                yield from self._begin_thread(text_of(line.get("thread_id")))
            case "turn.started":
                self._is_turn_seen, self._final, self._is_complete = False, None, False
            case "item.started" | "item.updated" | "item.completed":
                yield from self._item(str(line["type"]), part_of(line, "item"))
            case "turn.completed":
                yield from self._end_turn(part_of(line, "usage"))
            case "turn.failed":
                yield from self._hear_of(text_of(part_of(line, "error").get("message")))
            case "error":
                yield from self._hear_of(text_of(line.get("message")))
            case _:
                return  # kept in the transcript

    def at_end(self) -> Iterator[Report]:
        """What was said last of a failed call, where nothing came after it; else the final text."""
        if self._held is not None and (self._has_given_up or self._held != self._told):
            yield told_of(self._held)
        if self._is_complete:
            yield from self.output(self._final)

    # ------------------------------------------------------------------ one kind of event each

    def _begin_thread(self, thread: str) -> Iterator[Report]:
        if thread:
            yield self._session.opened(thread)

    def _live(self) -> Iterator[Report]:
        """The model has answered: the thread is worth going on with, and the turn counts."""
        if self._told is not None:
            self._is_turn_seen = False  # it was asked anew, and answered
        self._held = self._told = None
        if not self._is_turn_seen:
            self._is_turn_seen = True
            yield {"kind": reports.TURN}
        yield from self._session.answered()

    def _item(self, event: str, item: Mapping[str, Any]) -> Iterator[Report]:
        kind = text_of(item.get("type"))
        if kind == "error":  # a warning, whatever it is called
            self.show(text_of(item.get("message")))
            return
        yield from self._live()
        if kind == "agent_message" and event == "item.completed":
            self._final = text_of(item.get("text"))
            self.hear(self._final)
        elif kind == "todo_list":
            yield from _progress(item.get("items"))
        elif kind in _TOOLS and event != "item.updated":
            yield from self._tool(kind, item, is_over=event == "item.completed")

    def _tool(self, kind: str, item: Mapping[str, Any], *, is_over: bool) -> Iterator[Report]:
        type_, field = _TOOLS[kind]
        status, code = text_of(item.get("status")), item.get("exit_code")
        target = _target(item, field)
        if not is_over:
            self.show(f"{type_}: {target}")
            yield self.effect(text_of(item.get("id")), "sent", type_, target)
            return
        detail = f"exit code {code}" if isinstance(code, int) else status
        state = "refused" if status in _NOT_DONE else "confirmed"
        yield self.effect(text_of(item.get("id")), state, type_, target, detail, code)
        if kind == "file_change" and status == "completed" and not self.is_ending:
            yield from self._files(item.get("changes"))

    def _files(self, changes: object) -> Iterator[Report]:
        for change in changes if isinstance(changes, list) else []:
            if isinstance(change, Mapping) and change.get("kind") != "delete":
                report = self.written(text_of(change.get("path")))
                if report is not None:
                    yield report

    def _end_turn(self, usage: Mapping[str, Any]) -> Iterator[Report]:
        yield from self._live()
        self._is_complete = True
        cached = count_of(usage.get("cached_input_tokens"))
        written = count_of(usage.get("cache_write_input_tokens"))
        whole = count_of(usage.get("input_tokens"))
        yield {
            "kind": reports.USAGE,
            "input_tokens": max(0, whole - cached - written),
            "output_tokens": count_of(usage.get("output_tokens")),
            "cache_read_tokens": cached,
            "cache_write_tokens": written,
            "cost_usd": None,
            "source": "unknown",
            "model": self.model,
            "message_id": None,
            "cumulative": True,
        }

    def _hear_of(self, message: str) -> Iterator[Report]:
        """A failed call. What passes is told when it is first tried again, as the wait may be long; what it comes to, once
        nothing came after it. No call follows a turn that is complete.
        """
        self.show(message)
        if self._is_complete:
            return
        self._held = call = failed_call(message)
        self._has_given_up = not is_retry(message)
        is_known = self._told is not None and self._told.error_class is call.error_class
        if call.error_class in PASSING and not self._has_given_up and not is_known:
            self._told = call
            yield told_of(call, is_passing=True)


def _target(item: Mapping[str, Any], field: str) -> str:
    value = item.get(field)
    if isinstance(value, list):
        return ", ".join(text_of(part_of(change).get("path")) for change in value)
    server = text_of(item.get("server"))
    return f"{server}/{text_of(value)}" if server else text_of(value)


def _progress(items: object) -> Iterator[Report]:
    if isinstance(items, list) and items:
        steps = [step for step in items if isinstance(step, Mapping)]
        done = sum(step.get("completed") is True for step in steps)
        label = next((text_of(step.get("text")) for step in steps if step.get("completed") is not True), "")
        yield {"kind": reports.PROGRESS, "done": done, "total": len(steps), "label": label[:500]}


def _adapter(protocol: str, wire: Mapping[str, Any]) -> Adapter:
    return AcpAdapter(wire) if protocol == "acp" else CodexStream(wire)


def _name(spec: AgentSpec) -> str:
    if spec.argv:
        return spec.argv[0]
    return "codex-acp" if spec.permissions in ASKING else "codex"


PROGRAM = Program(
    launch,
    _adapter,
    name=_name,
    looked_for=("codex", "codex-acp"),
    quiet_settings=QUIET,
    settings=(".codex/config.toml", ".codex/hooks.json"),
)
