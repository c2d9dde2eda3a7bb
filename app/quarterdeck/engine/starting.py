"""From a durable claim to a process: the launch specification is rendered, written, leased and handed to a shim.

Everything comes from pins and from reports of earlier attempts. Blocking; called from a worker thread. Faults that
belong to the workflow or the machine are `CannotStart`: the attempt then ends as failed(spawn), with its reason.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from quarterdeck.agents.environment import agent_environment, passed_secrets, passed_values
from quarterdeck.agents.launching import Ask, CannotLaunch, Launch
from quarterdeck.agents.registry import launch_of, program_name, wants_words
from quarterdeck.domain.budget import Cap
from quarterdeck.domain.events import AttemptClaimed, RunLaunched
from quarterdeck.domain.mcp_servers import VariableMissing, filled
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.reports_fold import AttemptFold, Baseline, baseline_of
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.agent_words import agent_words
from quarterdeck.engine.node_values import DecidedNode, node_values
from quarterdeck.engine.pinning import agent_of, read_attachment
from quarterdeck.engine.price_table import earlier_prices, prices_for
from quarterdeck.engine.program_files import program_files, program_now
from quarterdeck.engine.programs import ProgramProblem, agent_path, find_folder, find_program, host_path
from quarterdeck.engine.recalled import recall_effects
from quarterdeck.engine.report_folds import report_fold
from quarterdeck.engine.resume_file import EarlierAttempt, resume_file
from quarterdeck.engine.run_plan import RunPlan
from quarterdeck.engine.sign_in_reading import NO_SIGN_IN, SignIn
from quarterdeck.engine.templates import TemplateProblem, render, render_argv
from quarterdeck.shim.client import ForkServer, ShimHandle, ShimStart
from quarterdeck.store.data_folder import Store
from quarterdeck.store.limits_file import telemetry_allowed
from quarterdeck.store.settings_part import FILE_NAME

LAUNCH_SCHEMA = 1
GRACE_S = 4.0


class CannotStart(Exception):
    """The agent cannot be started; the text is one sentence for a person."""


@dataclass(frozen=True, slots=True)
class Start:
    """What `start_attempt` needs of the run, taken at the moment of the claim; nothing in it changes."""

    header: RunLaunched
    plan: RunPlan
    claim: AttemptClaimed
    before: tuple[DecidedNode, ...]
    earlier: tuple[EarlierAttempt, ...]
    reason: str
    """The reason that a person gave for re-opening the slot; empty otherwise."""
    cap: Cap
    continue_session: bool = True
    """Whether a resumed attempt may take up the agent's own session."""
    sign_in: SignIn = NO_SIGN_IN
    """As it was read for the claim: what was judged is what the agent gets."""


@dataclass(frozen=True, slots=True)
class Started:
    """A running shim and the secrets that go to it first, over its socket."""

    handle: ShimHandle
    secrets: dict[str, str]


class Attached(NamedTuple):
    """One pinned attachment, and the name of the file beside the launch in which the agent finds it."""

    item: Mapping[str, Any]
    name: str
    content: bytes


def start_attempt(store: Store, fork_server: ForkServer, start: Start) -> Started:
    """Make the attempt's folder, lease and shim. Raises CannotStart, StoreDown, PinMissing, OSError."""
    spec = start.plan.specs[start.claim.spec]
    folder = store.attempts.folder(start.header.run_id, start.claim.attempt_id)
    values = node_values(start.header.run_id, start.before, store.attempts)
    before = _folds_before(store, start)
    left = _left(store, start, before)
    attached = [_attached(store, index, item) for index, item in enumerate(spec["attachments"])]
    agent = agent_of(spec)
    try:
        context = _template_context(start, values)
        prompt = render(spec["prompt"], context)
        told = _told(start, agent, prompt, attached, left, folder.path)
        baseline, session = baseline_of(before), _session(store, start, left)
        launch = _launch(start, spec, context, folder.path, baseline, told, session, store.config())
    except (TemplateProblem, CannotLaunch) as problem:
        raise CannotStart(str(problem)) from problem
    if start.sign_in.problem:
        raise CannotStart(start.sign_in.problem)
    passed = passed_values(os.environ, agent)
    secrets = {**passed, **start.sign_in.secrets}
    _check_servers(agent, {**launch["env"], **secrets})
    launch["secret_names"] = sorted(secrets.keys() - (passed.keys() - set(passed_secrets(agent))))
    launch["prices"] = _prices(store, start, agent)
    made = store.attempts.create(start.header.run_id, start.claim.attempt_id, launch)
    files = [{**one.item, "file": str(made.write_file(one.name, one.content))} for one in attached]
    made.write_file("context.json", _json(_context_file(start, values, prompt, files)))
    if left is not None:
        made.write_file("resume.json", _json(left))
    lease = made.create_lease()
    try:
        return Started(fork_server.spawn(ShimStart(made.launch_path, lease)), secrets)
    finally:
        os.close(lease)


def _check_servers(agent: AgentSpec, env: Mapping[str, str]) -> None:
    """Every variable that its MCP servers refer to is there. Raises CannotStart."""
    try:
        filled(agent.mcp_servers, env)
    except VariableMissing as missing:
        raise CannotStart(
            f"An MCP server of agent “{agent.name}” needs the variable {missing}, which the agent does not have: name it in `pass_env`, `env` or `secrets`."
        ) from missing


def _left(store: Store, start: Start, before: list[AttemptFold]) -> dict[str, Any] | None:
    """What earlier attempts left; None for a first one."""
    if not start.earlier:
        return None
    return resume_file(
        store,
        start.header.run_id,
        start.claim.slot_id,
        start.earlier,
        before,
        start.reason,
        continue_session=start.continue_session,
    )


def _session(store: Store, start: Start, left: Mapping[str, Any] | None) -> str | None:
    """The program's own session that is to be continued: the last that an attempt of the same agent named."""
    for earlier in reversed(left["attempts"] if left is not None else ()):
        launch = store.attempts.launch(start.header.run_id, earlier["attempt"]) or {}
        if earlier["session_id"] is not None and launch.get("agent") == start.claim.agent:
            return str(earlier["session_id"])
    return None


def _told(
    start: Start,
    agent: AgentSpec,
    prompt: str,
    attached: Sequence[Attached],
    left: Mapping[str, Any] | None,
    folder: Path,
) -> str:
    """The prompt as it goes to the agent: with our own words where its program reads no files of ours."""
    if not wants_words(agent.kind):
        return prompt
    texts = [(one.item, str(folder / one.name), one.content) for one in attached]
    inputs, outcome = start.plan.inputs, start.header.outcome_asked
    return agent_words(prompt, outcome, inputs, texts, left, str(folder / "resume.json"))


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, default=str).encode("utf-8", "surrogatepass")


def _template_context(start: Start, values: Mapping[str, Any]) -> dict[str, Any]:
    header = start.header
    run = {"id": header.run_id, "workflow": header.workflow_name, "outcome": header.outcome_asked}
    return {"inputs": start.plan.inputs, "nodes": values, "run": run}


def _launch(
    start: Start,
    spec: Mapping[str, Any],
    context: Mapping[str, Any],
    folder: Path,
    baseline: Baseline,
    prompt: str,
    session: str | None,
    config: Path,
) -> dict[str, Any]:
    """The content of `launch.json` (docs/architecture.md). Raises TemplateProblem, CannotLaunch, CannotStart."""
    agent, host = agent_of(spec), host_path()
    argv, cwd = _argv(agent, spec, context, host), _cwd(agent, spec, context)
    own = tuple(argv if agent.argv else ())
    is_quiet = agent.kind not in telemetry_allowed(config / FILE_NAME)
    ask = Ask(agent, own, argv[0] if argv else "", prompt, cwd, session, str(uuid4()), is_quiet=is_quiet)
    use = start.sign_in
    kind = launch_of(replace(ask, key_variable=use.variable, provider=use.provider, endpoint=use.endpoint))
    return {
        "schema": LAUNCH_SCHEMA,
        **_identity(start, spec, agent),
        "argv": list(kind.argv),
        "protocol": kind.protocol,
        "cwd": cwd,
        "env": _environment(agent, context, host, kind),
        "secret_names": [],
        "success_codes": list(agent.success_codes),
        "stdin": kind.stdin,
        "prompt": prompt,
        "context_path": str(folder / "context.json"),
        "resume_path": str(folder / "resume.json") if start.earlier else None,
        "idempotency_key": f"{start.header.run_id}/{start.claim.slot_id}",
        **_bounds(start, agent),
        "timeout_s": spec["timeout_s"],
        "containment": agent.containment,
        "baseline": baseline.to_json(),
        "version": {"files": program_files(argv, cwd), "program": program_now(argv[0] if argv else "")},
        "wire": dict(kind.wire),
        "record_folder": str(folder),
    }


def _identity(start: Start, spec: Mapping[str, Any], agent: AgentSpec) -> dict[str, Any]:
    claim = start.claim
    return {
        "run": start.header.run_id,
        "slot": claim.slot_id,
        "attempt": claim.attempt_id,
        "epoch": claim.epoch,
        "node_id": spec["node_id"],
        "title": spec["title"],
        "agent": claim.agent,
        "kind": agent.kind,
    }


def _bounds(start: Start, agent: AgentSpec) -> dict[str, Any]:
    cap = {"cap_usd": usd_text(start.cap.usd), "cap_of": start.cap.of}
    ends = {"max_turns": agent.max_turns, "stall_timeout_s": agent.stall_timeout_s}
    return {"grace_s": GRACE_S, **cap, **ends}


def _prices(store: Store, start: Start, agent: AgentSpec) -> dict[str, dict[str, Any]]:
    before = [one.attempt_id for one in start.earlier]
    earlier = earlier_prices(store.attempts, start.header.run_id, start.claim.agent, before)
    return prices_for(agent, earlier, dt.datetime.now(dt.UTC).date())


def _argv(agent: AgentSpec, spec: Mapping[str, Any], context: Mapping[str, Any], host: str) -> list[str]:
    """The command with its program as an absolute path; of another kind than a command, its program and what the
    specification adds to it. Empty for kinds that bring their own.
    """
    wanted = program_name(agent)
    if not wanted:
        return []
    rendered = render_argv(agent.argv, context, agent.allow_dash) if agent.argv else [wanted]
    found = find_program(spec["program"] or wanted, Path(spec["folder"]), host)
    if isinstance(found, ProgramProblem):
        raise CannotStart(found.message)
    return [str(found), *rendered[1:]]


def _cwd(agent: AgentSpec, spec: Mapping[str, Any], context: Mapping[str, Any]) -> str:
    found = find_folder(render(agent.cwd, context), Path(spec["folder"]))
    if isinstance(found, ProgramProblem):
        raise CannotStart(found.message)
    return str(found)


def _environment(agent: AgentSpec, context: Mapping[str, Any], host: str, kind: Launch) -> dict[str, str]:
    rendered = tuple((name, render(value, context)) for name, value in agent.env)
    env = agent_environment(os.environ, replace(agent, env=rendered), kind.env)
    if "PATH" not in dict(rendered):
        env["PATH"] = agent_path(host)
    return env


def _folds_before(store: Store, start: Start) -> list[AttemptFold]:
    """Folds of the slot's earlier attempts from their report files: turns and usage do not reach the app."""
    run = start.header.run_id
    folds = {
        one.attempt_id: report_fold(store.attempts, run, one.attempt_id, one.upto) for one in start.earlier
    }
    recall_effects(store, run, folds)
    return list(folds.values())


def _attached(store: Store, index: int, item: Mapping[str, Any]) -> Attached:
    content = read_attachment(store.objects.get, item)
    suffix = Path(item["path"]).suffix
    name = f"attachment-{index}{suffix if suffix.isascii() and len(suffix) <= 10 else ''}"
    return Attached(item, name, content)


def _context_file(
    start: Start, values: Mapping[str, Any], prompt: str, attachments: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "outcome": start.header.outcome_asked,
        "inputs": dict(start.plan.inputs),
        "prompt": prompt,
        "nodes": values,
        "attachments": attachments,
        "run": {"id": start.header.run_id, "workflow": start.header.workflow_name},
    }
