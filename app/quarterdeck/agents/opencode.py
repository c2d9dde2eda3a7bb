"""OpenCode: `opencode run --format json` for work that nobody watches; where a person approves, `opencode acp`.

What it tells: steps (a step is a turn) with tokens and cost; a tool call only when it is over. So that a call cut off in
the middle is not taken for one that never was, one effect stands for what an open step may be doing: it is open as long
as the step is. While it waits for a busy service it says nothing. An error is told in fields, as its last line.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.acp_agent import wire_of
from quarterdeck.agents.acp_work import LAST_CALL
from quarterdeck.agents.adapter import Adapter
from quarterdeck.agents.error_classes import class_of_words
from quarterdeck.agents.error_evidence import judged_text
from quarterdeck.agents.error_reports import MEDIUM, STRONG, error_report
from quarterdeck.agents.failed_calls import FailedCall, report_of, wait_of, words_of
from quarterdeck.agents.json_stream import JsonStream, count_of, part_of, text_of
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch, Program, quiet_env
from quarterdeck.agents.mcp_servers import opencode_config
from quarterdeck.agents.sign_ins import PROVIDERS, base_path
from quarterdeck.agents.told_session import ToldSession
from quarterdeck.domain import reports
from quarterdeck.domain.money import ZERO, parse_usd, usd_text
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

OPEN_STEP = "open step"
OPEN_STEP_SAYS = (
    "OpenCode tells of a tool call only when it is over; while a step is open, one may be going on."
)
_LOOKS = frozenset({"glob", "grep", "list", "lsp", "read", "skill", "todoread", "todowrite"})
"""Tools that change nothing outside the session: no effects."""
_NOT_ALLOWED = ("The user rejected permission", "The user has specified a rule which prevents")
_ENDED = frozenset({"MessageAbortedError"})
"""Nothing failed."""

QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}
"""It looks for no update, and fetches neither lists of models nor language servers."""
NO_TITLE: Mapping[str, Any] = {"agent": {"title": {"disable": True}}}
"""Where its session cannot be given a title, OpenCode asks its model for one, which costs and is told nowhere."""
_READING = dict.fromkeys(("glob", "grep", "list", "lsp", "skill", "todoread", "todowrite"), "allow")
_FILES = {"*": "allow", "*.env": "ask", "*.env.*": "ask", "*.env.example": "allow"}
RULES: Mapping[str | None, Mapping[str, Any]] = {
    None: {},
    "full": {},
    "read-only": {"bash": "deny", "edit": "deny", "task": "deny", "webfetch": "deny"},
    "ask": {"*": "ask", "read": _FILES, **_READING},
    "edits": {"*": "ask", "read": _FILES, **_READING, "edit": "allow"},
}
"""{permissions: rules that outrank those of OpenCode's own configuration}. What a rule asks is refused where nobody is there."""
ASKING = frozenset({"ask", "edits"})


def launch(ask: Ask) -> Launch:
    """How OpenCode is started. Raises CannotLaunch for permissions that it does not have."""
    permissions = ask.spec.permissions
    if permissions not in RULES:
        known = ", ".join(f"“{name}”" for name in filter(None, RULES))
        raise CannotLaunch(f"OpenCode has no permissions “{permissions}”; it knows {known}, or none written.")
    rules = {"OPENCODE_PERMISSION": json.dumps(RULES[permissions])} if RULES[permissions] else {}
    env = {**quiet_env(ask, QUIET), **rules}
    if config := _config(ask):
        env["OPENCODE_CONFIG_CONTENT"] = json.dumps(config)
    if permissions in ASKING:
        asks = {**wire_of(ask, None), "usage": LAST_CALL}
        return Launch((ask.program, "acp", *ask.argv[1:]), "acp", "open", env=env, wire=asks)
    argv = [ask.program, "run", "--format", "json", *(["--auto"] if permissions == "full" else [])]
    argv += [f"--model={ask.spec.model}"] if ask.spec.model else []
    argv += [f"--session={ask.session}" if ask.session else f"--title={_title(ask)}", *ask.argv[1:]]
    wire = {
        "model": ask.spec.model or "",
        "cwd": ask.cwd,
        "mark": ask.new_session[:8],
        "session": ask.session,
    }
    return Launch(tuple(argv), "opencode", "prompt", env=env, wire=wire)


def _config(ask: Ask) -> dict[str, Any]:
    """What outranks its own configuration. Raises CannotLaunch for an endpoint of a service that is not named."""
    config: dict[str, Any] = {}
    if ask.spec.permissions in ASKING:
        config.update(NO_TITLE)
    elif ask.spec.mcp_servers:
        config["mcp"] = opencode_config(ask.spec.mcp_servers)
    if ask.endpoint:
        service = PROVIDERS.get(ask.provider)
        if service is None:
            raise CannotLaunch(
                f"OpenCode cannot be led to {ask.endpoint}: it is not said whose service that is."
            )
        base = ask.endpoint.rstrip("/")
        path = "" if base.endswith(base_path(service)) else base_path(service)
        config["provider"] = {service.name: {"options": {"baseURL": base + path}}}
    return config


def _title(ask: Ask) -> str:
    """A name for its session; without one OpenCode asks its model for one, which costs and is told nowhere."""
    return ask.spec.name or "Quarterdeck"


class OpenCodeStream(JsonStream):
    """The events of one `opencode run`."""

    def __init__(self, wire: Mapping[str, Any]) -> None:
        super().__init__(wire)
        self._session = ToldSession(wire.get("session"))
        self._is_step_open = self._is_done = False
        self._final: str | None = None
        self._error: Report | None = None

    def take(self, line: Mapping[str, Any]) -> Iterator[Report]:
        """One event; those of another session are none of this agent's."""
        session, part = text_of(line.get("sessionID")), part_of(line, "part")
        if not session or (self._session.id and session != self._session.id):
            return
        if not self._session.id:
            yield self._session.opened(session)
        match line.get("type"):
            case "step_start":
                yield from self._begin_step()
            case "text":
                self._final = text_of(part.get("text"))
                self.hear(self._final)
            case "tool_use":
                yield from self._tool(part)
            case "step_finish":
                yield from self._end_step(part)
            case "error":
                if self._error is not None:
                    yield error_report(ErrorClass.OTHER, str(self._error["message"]), MEDIUM)
                self._error = self._read_error(part_of(line, "error"))
            case _:
                return  # kept in the transcript

    def at_end(self) -> Iterator[Report]:
        """The error that was its last word, or the final text."""
        if self._error is not None:
            yield self._error
        elif self._is_done or self._lost_line_bytes:
            yield from self.output(self._final)

    # ------------------------------------------------------------------ one kind of event each

    def _went_on(self) -> Iterator[Report]:
        """An error that was not the last word is one that passed: it says nothing of the sign-in."""
        if self._error is not None:
            yield error_report(ErrorClass.OVERLOADED, str(self._error["message"]), MEDIUM)
            self._error = None

    def _begin_step(self) -> Iterator[Report]:
        yield from self._went_on()
        self._is_done, self._is_step_open = False, True
        yield {"kind": reports.TURN}
        yield from self._session.answered()
        yield self.effect(OPEN_STEP, "sent", "step", "tool calls", OPEN_STEP_SAYS)

    def _end_step(self, part: Mapping[str, Any]) -> Iterator[Report]:
        if self._is_step_open:
            self._is_step_open = False
            yield self.effect(OPEN_STEP, "confirmed", "step", "tool calls")
        self._is_done = part.get("reason") != "tool-calls"
        yield self._usage(part)

    def _usage(self, part: Mapping[str, Any]) -> Report:
        tokens, cache = part_of(part, "tokens"), part_of(part, "tokens", "cache")
        read, written = count_of(cache.get("read")), count_of(cache.get("write"))
        asked = count_of(tokens.get("input"))
        given = count_of(tokens.get("output")) + count_of(tokens.get("reasoning"))
        if (total := count_of(tokens.get("total"))) > asked + read + written:
            given = total - asked - read - written  # versions differ in whether `output` holds the reasoning
        cost = parse_usd(part.get("cost"))
        if cost == ZERO and asked + given + read + written > 0:
            cost = None  # a model that its price table does not have
        return {
            "kind": reports.USAGE,
            "input_tokens": asked,
            "output_tokens": given,
            "cache_read_tokens": read,
            "cache_write_tokens": written,
            "cost_usd": usd_text(cost),
            "source": "unknown" if cost is None else "reported",
            "model": self.model,
            "message_id": text_of(part.get("id"))[:500] or None,
            "cumulative": False,
        }

    def _tool(self, part: Mapping[str, Any]) -> Iterator[Report]:
        state, tool = part_of(part, "state"), text_of(part.get("tool"))
        given = part_of(state, "input")
        wrong = text_of(state.get("error"))
        target = (
            text_of(state.get("title")) or text_of(given.get("command")) or text_of(given.get("filePath"))
        )
        self.show(f"{tool}: {target}")
        if tool in _LOOKS:
            return
        is_refused = state.get("status") == "error" and wrong.startswith(_NOT_ALLOWED)
        code = part_of(state, "metadata").get("exit")
        detail = wrong or (f"exit code {code}" if isinstance(code, int) else text_of(state.get("status")))
        name = text_of(part.get("id")) or text_of(part.get("callID"))
        yield self.effect(name, "refused" if is_refused else "confirmed", tool, target, detail, code)
        if state.get("status") == "completed" and not self.is_ending:
            yield from self._files(tool, given, part_of(state, "metadata"))

    def _files(self, tool: str, given: Mapping[str, Any], told: Mapping[str, Any]) -> Iterator[Report]:
        changed = told.get("files")
        paths = [text_of(given.get("filePath"))] if tool in ("write", "edit", "multiedit") else []
        if tool in ("apply_patch", "patch") and isinstance(changed, list):
            paths += [_path_of(change) for change in changed]
        for path in paths:
            report = self.written(path)
            if report is not None:
                yield report

    def _read_error(self, error: Mapping[str, Any]) -> Report:
        told, name = part_of(error, "data"), text_of(error.get("name"))
        message = text_of(told.get("message")) or name
        self.show(message)
        if self._is_done:  # no call follows the last step, so this is about something else
            return error_report(ErrorClass.OTHER, message, MEDIUM)
        return _judged(name, message, told)


def _judged(name: str, message: str, told: Mapping[str, Any]) -> Report:
    """By what the service answered and the status; without either by the name that OpenCode gives it; else by its words."""
    status, body = told.get("statusCode"), text_of(told.get("responseBody"))
    words, said = words_of(body)
    is_status = isinstance(status, int) and not isinstance(status, bool)
    if is_status or words:
        prose = f"{message}\n{said or body}"
        call = FailedCall(
            message, status if is_status else None, words, wait_of(told.get("responseHeaders")), prose=prose
        )
        return report_of(call, STRONG if call.judged.is_sure else MEDIUM)
    named = class_of_words((name,))
    by_words = judged_text(message) if name not in _ENDED else None
    spoken = None if by_words is None else by_words.error_class
    if named is None:  # whose key it is, these words do not say
        kind = ErrorClass.OTHER if spoken is None or spoken is ErrorClass.AUTH else spoken
        return error_report(kind, message, MEDIUM)
    if named is ErrorClass.AUTH and spoken is not None and spoken is not named:
        return error_report(spoken, message, MEDIUM)
    return error_report(named, message, STRONG)


def _path_of(change: object) -> str:
    told = part_of(change)
    if told.get("type") == "delete":
        return ""
    return text_of(told.get("movePath")) or text_of(told.get("filePath"))


def _adapter(protocol: str, wire: Mapping[str, Any]) -> Adapter:
    return AcpAdapter(wire) if protocol == "acp" else OpenCodeStream(wire)


PROGRAM = Program(
    launch,
    _adapter,
    looked_for=("opencode",),
    name=lambda spec: spec.argv[0] if spec.argv else "opencode",
    quiet=QUIET,
    settings=(
        "opencode.json",
        "opencode.jsonc",
        ".opencode/opencode.json",
        ".opencode/opencode.jsonc",
        ".opencode/plugin/*",
        ".opencode/plugins/*",
        ".opencode/tool/*",
        ".opencode/tools/*",
    ),
)
