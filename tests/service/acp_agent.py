"""A scripted ACP agent on the SDK: `python acp_agent.py SCENARIO [switch…]`. No model, no network; what it does is in its name.

It keeps its sessions as files in $ACP_AGENT_STORE, so that another process can resume or load one, and writes there what it was
told (`told.jsonl`), one JSON object a request. Switches: `--no-resume` (it loads, as Gemini does), `--forgets` (neither), `--late-history`.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Any

import acp
from acp import schema

MODEL = "scripted-1"
MODES = ("default", "auto")


class Told:
    """What this process was asked, appended to a file that the test reads."""

    def __init__(self, store: Path) -> None:
        self._path = store / "told.jsonl"

    def note(self, what: str, **fields: Any) -> None:
        with self._path.open("a") as file:
            file.write(json.dumps({"what": what, **fields}) + "\n")


class ScriptedAgent(acp.Agent):
    """One scenario; several sessions are possible, one is used."""

    def __init__(self, scenario: str, switches: frozenset[str], store: Path, cwd: Path) -> None:
        self.scenario, self.switches, self.store, self.cwd = scenario, switches, store, cwd
        self.told = Told(store)
        self.mode = "auto"
        self.spent_usd = 0.0
        self.cancelled = asyncio.Event()
        self.calls = 0

    def on_connect(self, conn: acp.Client) -> None:
        self.app = conn

    # ------------------------------------------------------------------------------------------- the session

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, client_info: Any = None, **_: Any
    ):
        self.told.note(
            "initialize", version=protocol_version, client=client_info.name if client_info else None
        )
        resumes = not self.switches & {"--no-resume", "--forgets"} or "--says-resume" in self.switches
        resume = schema.SessionResumeCapabilities() if resumes else None
        return schema.InitializeResponse(
            protocol_version=9 if self.scenario == "other_version" else 1,
            agent_capabilities=schema.AgentCapabilities(
                load_session="--forgets" not in self.switches,
                session_capabilities=schema.SessionCapabilities(resume=resume),
                mcp_capabilities=schema.McpCapabilities(http=False, sse=False),
            ),
            agent_info=schema.Implementation(name="scripted", version="1"),
        )

    async def authenticate(self, method_id: str, **_: Any):
        self.told.note("authenticate", method=method_id)
        self.scenario = "plain"
        return schema.AuthenticateResponse()

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any):
        whole = [server.model_dump(mode="json", by_alias=True) for server in mcp_servers or ()]
        self.told.note("new", cwd=cwd, servers=[server["name"] for server in whole], whole=whole)
        if self.scenario in ("nokey", "wants_sign_in"):
            raise acp.RequestError(-32000, "The key is missing.")
        session = f"scripted-{uuid.uuid4()}"
        self._keep(session)
        return schema.NewSessionResponse(session_id=session, **self._offers())

    async def load_session(self, cwd: str, session_id: str, mcp_servers: Any = None, **_: Any):
        self.told.note("load", session=session_id)
        if "--loads-anything" in self.switches and not (self.store / session_id).exists():
            return schema.LoadSessionResponse(**self._offers())
        self._recall(session_id)
        if "--late-history" in self.switches:
            task = asyncio.get_running_loop().create_task(self._tell_history(session_id))
            self._late = task
        else:
            await self._tell_history(session_id)
        return schema.LoadSessionResponse(**self._offers())

    async def resume_session(self, session_id: str, cwd: str, mcp_servers: Any = None, **_: Any):
        self.told.note("resume", session=session_id)
        if "--no-resume" in self.switches:
            raise acp.RequestError.method_not_found("session/resume")
        self._recall(session_id)
        return schema.ResumeSessionResponse(**self._offers())

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any):
        self.told.note("mode", mode=mode_id)
        self.mode = mode_id
        return schema.SetSessionModeResponse()

    async def cancel(self, session_id: str, **_: Any) -> None:
        self.told.note("cancel", session=session_id)
        self.cancelled.set()

    def _offers(self) -> dict[str, Any]:
        modes = [schema.SessionMode(id=mode, name=mode.title()) for mode in MODES]
        option = schema.SessionConfigOptionSelect(
            id="model",
            name="Model",
            category="model",
            type="select",
            current_value=MODEL,
            options=[
                schema.SessionConfigSelectOption(value=name, name=name) for name in (MODEL, "scripted-2")
            ],
        )
        return {
            "modes": schema.SessionModeState(current_mode_id=self.mode, available_modes=modes),
            "config_options": [option],
        }

    async def set_config_option(self, config_id: str, session_id: str, value: Any, **_: Any):
        self.told.note("option", option=config_id, value=value)
        return schema.SetSessionConfigOptionResponse(config_options=[])

    def _keep(self, session: str) -> None:
        (self.store / session).write_text(json.dumps({"spent_usd": self.spent_usd}))

    def _recall(self, session: str) -> None:
        if not (self.store / session).exists():
            raise acp.RequestError(-32603, "Internal error", {"details": f"Session not found: {session}"})
        self.spent_usd = json.loads((self.store / session).read_text())["spent_usd"]

    async def _tell_history(self, session: str) -> None:
        await self._update(session, acp.update_user_message_text("an earlier prompt"))
        await self._say(session, "An earlier answer, which says 401 Unauthorized.")
        await self._update(
            session, acp.start_tool_call("old-1", "an earlier call", kind="execute", status="completed")
        )

    # ------------------------------------------------------------------------------------------- the work

    async def prompt(self, session_id: str, prompt: list[Any], **_: Any):
        text = "".join(part.text for part in prompt)
        self.told.note("prompt", text=text, session=session_id)
        self.cancelled.clear()
        await self._play(session_id)
        if self.cancelled.is_set():
            return schema.PromptResponse(stop_reason="cancelled")
        self.calls += 1
        self.spent_usd = round(self.spent_usd + 0.0061, 6)
        self._keep(session_id)
        cost = schema.Cost(amount=self.spent_usd, currency="USD")
        await self._update(
            session_id, schema.UsageUpdate(session_update="usage_update", used=5, size=9, cost=cost)
        )
        usage = schema.Usage(
            total_tokens=1550,
            input_tokens=1000,
            output_tokens=50,
            cached_read_tokens=300,
            cached_write_tokens=200,
        )
        stop = {"refusal": "refusal", "max_tokens": "max_tokens"}.get(self.scenario, "end_turn")
        return schema.PromptResponse(stop_reason=stop, usage=usage)

    async def _play(self, session: str) -> None:
        play = getattr(self, f"_play_{self.scenario}", self._play_plain)
        await play(session)

    async def _play_plain(self, session: str) -> None:
        for word in ("Hello ", "from ", "the ", "script."):
            await self._say(session, word)

    async def _play_tool(self, session: str) -> None:
        await self._say(session, "I will use a tool.")
        if await self._call(session, "call-1", "echo ran >> ran.log"):
            with (self.cwd / "ran.log").open("a") as file:
                file.write("ran\n")
            await self._ended(session, "call-1")
        await self._say(session, "All done.")

    async def _play_ask_twice(self, session: str) -> None:
        for number in (1, 2):
            if await self._call(session, f"call-{number}", "echo same"):
                await self._ended(session, f"call-{number}")
        await self._say(session, "Asked twice.")

    async def _play_write(self, session: str) -> None:
        path = self.cwd / "made.txt"
        diff = acp.tool_diff_content(str(path), "new\n")
        start = acp.start_tool_call(
            "call-1", "Write made.txt", kind="edit", status="in_progress", content=[diff]
        )
        await self._update(session, start)
        path.write_text("new\n")
        await self._ended(session, "call-1")
        await self._say(session, '{"wrote": "made.txt"}')

    async def _play_read(self, session: str) -> None:
        await self._update(
            session, acp.start_tool_call("call-1", "Read a.txt", kind="read", status="in_progress")
        )
        await self._ended(session, "call-1")
        await self._say(session, "Read it.")

    async def _play_slowtool(self, session: str) -> None:
        start = acp.start_tool_call("call-1", "sleep 300", kind="execute", status="in_progress")
        await self._update(session, start)
        process = await asyncio.create_subprocess_exec("sleep", "300", start_new_session=True)
        self.told.note("sleeps", pid=process.pid)
        await self.cancelled.wait()
        process.kill()
        await process.wait()
        await self._ended(session, "call-1")

    async def _play_plan(self, session: str) -> None:
        entries = [
            acp.plan_entry("Look", status="completed"),
            acp.plan_entry("Act", status="in_progress"),
            acp.plan_entry("Tell", status="pending"),
        ]
        await self._update(session, acp.update_plan(entries))
        await self._say(session, "Planned.")

    async def _play_auth401(self, _session: str) -> None:
        raise acp.RequestError.auth_required()

    async def _play_auth401mid(self, session: str) -> None:
        await self._play_tool(session)
        raise acp.RequestError(
            -32603, "Internal error", {"errorKind": "authentication_failed", "statusCode": 401}
        )

    async def _play_rate429(self, _session: str) -> None:
        raise acp.RequestError(-32603, "Internal error", {"errorKind": "rate_limit", "retryAfter": 2})

    async def _play_quota(self, _session: str) -> None:
        raise acp.RequestError(
            -32603, "Internal error", {"errorKind": "billing_error", "resetsAt": "2030-01-01T00:00:00Z"}
        )

    async def _play_overload(self, _session: str) -> None:
        raise acp.RequestError(529, "overloaded_error: Overloaded")

    async def _play_auth403(self, _session: str) -> None:
        raise acp.RequestError(403, "Your key may not use this model.")

    async def _play_bad400(self, _session: str) -> None:
        raise acp.RequestError(400, "Bad request")

    async def _play_quoted(self, session: str) -> None:
        """Perfect errors, but in what the model says and what its tool gives (AUT6)."""
        error = '{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}'
        await self._say(session, f"{error}\n")
        content = [acp.tool_content(acp.text_block(f"401 Unauthorized\n{error}"))]
        await self._update(
            session, acp.start_tool_call("call-1", error, kind="execute", status="in_progress")
        )
        await self._update(session, acp.update_tool_call("call-1", status="failed", content=content))
        await self._say(session, "API Error: 401 invalid api key")

    async def _play_hang(self, _session: str) -> None:
        await self.cancelled.wait()

    async def _play_quits(self, session: str) -> None:
        await self._say(session, "I leave.")
        os._exit(0)

    async def _play_flood(self, session: str) -> None:
        for _ in range(2000):
            await self._say(session, "x" * 500)

    async def _play_long(self, session: str) -> None:
        await self._say(session, "y" * 10_000_000)

    async def _play_strange(self, session: str) -> None:
        """What no agent should send, and some do: junk, unknown kinds, calls never announced, requests that we do not know."""
        for line in ("no json", "[1, 2]", '{"jsonrpc":"2.0","id":99,"result":{}}', '{"method":"_x/notice"}'):
            sys.stdout.write(line + "\n")
        sys.stdout.write(
            '{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"novelty"}}}\n'
        )
        sys.stdout.flush()
        try:
            await self.app.ext_method("strange/question", {"a": 1})
        except acp.RequestError as error:
            self.told.note("refused", code=error.code)
        await self._ended(session, "never-announced")
        await self._say(session, "Strange, but done.")

    # ------------------------------------------------------------------------------------------- small parts

    async def _call(self, session: str, call: str, command: str) -> bool:
        raw = {"command": command}
        await self._update(
            session, acp.start_tool_call(call, command, kind="execute", status="pending", raw_input=raw)
        )
        if self.mode == "default" and not await self._may(session, call, command, raw):
            return False
        await self._update(session, acp.update_tool_call(call, status="in_progress"))
        return True

    async def _may(self, session: str, call: str, command: str, raw: Any) -> bool:
        options = [
            schema.PermissionOption(option_id="always", name="Always allow", kind="allow_always"),
            schema.PermissionOption(option_id="once", name="Allow", kind="allow_once"),
            schema.PermissionOption(option_id="no", name="Reject", kind="reject_once"),
        ]
        told = acp.update_tool_call(call, title=command, kind="execute", status="pending", raw_input=raw)
        answer = await self.app.request_permission(session_id=session, tool_call=told, options=options)
        self.told.note(
            "answer", outcome=answer.outcome.outcome, option=getattr(answer.outcome, "option_id", None)
        )
        return getattr(answer.outcome, "option_id", None) == "once"

    async def _ended(self, session: str, call: str) -> None:
        await self._update(session, acp.update_tool_call(call, status="completed"))

    async def _say(self, session: str, text: str) -> None:
        await self._update(session, acp.update_agent_message_text(text))

    async def _update(self, session: str, update: Any) -> None:
        await self.app.session_update(session_id=session, update=update)


if __name__ == "__main__":
    agent = ScriptedAgent(
        sys.argv[1], frozenset(sys.argv[2:]), Path(os.environ["ACP_AGENT_STORE"]), Path.cwd()
    )
    asyncio.run(acp.run_agent(agent, use_unstable_protocol=True))
